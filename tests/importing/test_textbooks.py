"""Parts as textbooks and public adders have them are read as torch computes them, or refused with their node."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from certify.claims.trained.comparing import with_comparison
from constructions.errors import InputError
from constructions.importing.graph.network import ONE_TOKEN
from constructions.importing.graph.reductions import SUM
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from tests.importing import textbooks_in_torch as textbooks
from tests.importing.graphs_in_torch import ROWS
from tests.importing.test_exported_programs import program, read
from tests.importing.test_onnx_graphs import check
from tests.importing.test_onnx_graphs import read as of_onnx
from tests.with_torch import torch_or_skip


@pytest.mark.parametrize(("kind", "by"), [*product(("bypowers", "spirals"), ("program", "graph")),
                                          ("sinusoid", "graph")])
def test_tables_made_in_forward_are_computed_once(tmp_path: Path, kind: str, by: str) -> None:
    torch = torch_or_skip()
    model = textbooks.make(torch, kind)
    result = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, True)
    assert result.network.positions is not None
    check(torch, result, model, 1e-6)


@pytest.mark.parametrize(("kind", "attention"), [("window", "causal"), ("beginning", "bidirectional"),
                                                 ("others", "bidirectional"), ("sloped", "causal"),
                                                 ("against", "causal"), ("insome", "bidirectional")])
@pytest.mark.parametrize("by", ["program", "graph"])
def test_a_fixed_mask_of_any_table_is_a_table(tmp_path: Path, kind: str, attention: str, by: str) -> None:
    torch = torch_or_skip()
    model = textbooks.make(torch, kind)
    result = (read(tmp_path, program(torch, model)) if by == "program" else
              of_onnx(torch, tmp_path, model, kind != "others"))
    assert result.network.attention == attention
    assert any(one.startswith("keys that a fixed mask hides have -16384 or less") for one in result.report.assumed)
    check(torch, result, model, 1e-6)
    if by == "graph" and kind == "window":
        pytest.importorskip("onnxruntime")
        assert with_comparison(result, [tmp_path / "m.onnx"], {}, None).network.compared is not None


@pytest.mark.parametrize(("kind", "by"), [*product(("twice", "summed", "centred", "capped"), ("program", "graph")),
                                          ("guarded", "graph")])
def test_blocks_run_twice_sums_centring_and_caps(tmp_path: Path, kind: str, by: str) -> None:
    torch = torch_or_skip()
    model = textbooks.make(torch, kind)
    result = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, False)
    assert result.network.attention == "causal"
    assert [step.cap for step in result.network.attention_steps] == [5 if kind == "capped" else None] * len(
        result.network.attention_steps)
    assert (SUM in "".join(result.report.assumed)) == (kind == "summed")
    check(torch, result, model, 1e-6)


def test_a_mean_over_one_token_is_compared_with_onnx_runtime(tmp_path: Path) -> None:
    """A graph that does something else with one token is refused by the comparison."""
    torch = torch_or_skip()
    result = of_onnx(torch, tmp_path, textbooks.make(torch, "averaged"), True)
    assert ONE_TOKEN in result.report.assumed
    pytest.importorskip("onnxruntime")
    assert with_comparison(result, [tmp_path / "m.onnx"], {}, None).network.compared is not None
    onnx = pytest.importorskip("onnx")
    whole = onnx.load(tmp_path / "m.onnx")
    made, helper = whole.graph.node[-1].output[0], onnx.helper
    whole.graph.node[-1].output[0] = "before"
    whole.graph.node.extend([
        helper.make_node("Shape", ["tokens"], ["shape"]), helper.make_node("Gather", ["shape", "at"], ["count"]),
        helper.make_node("Equal", ["count", "at"], ["alone"]), helper.make_node("Cast", ["alone"], ["more"], to=1),
        helper.make_node("Add", ["before", "more"], [made])])
    whole.graph.initializer.append(onnx.numpy_helper.from_array(np.array(1), "at"))
    onnx.save(whole, tmp_path / "m.onnx")
    changed = import_network([tmp_path / "m.onnx"], Options(rows=ROWS))
    with pytest.raises(InputError, match="the original's logits differ"):
        with_comparison(changed, [tmp_path / "m.onnx"], {}, None)


@pytest.mark.parametrize(("kind", "printed"), [
    ("summed", "node /ReduceSum: a sum over all tokens of inputs of any length, expected a mean, or a graph for one")])
def test_what_no_network_has_is_refused_by_name(tmp_path: Path, kind: str, printed: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=printed):
        of_onnx(torch, tmp_path, textbooks.make(torch, kind), True)
