"""Networks as other people write them have the logits of torch, as programs and as graphs."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.network import AttentionStep, UnitsStep
from proofs.trained.forward import FloatNetwork
from tests.importing import graphs_in_torch as graphs
from tests.importing import styles_in_torch as styles
from tests.importing.test_exported_programs import program, read
from tests.importing.test_onnx_graphs import check
from tests.importing.test_onnx_graphs import read as of_onnx
from tests.with_torch import torch_or_skip

READ = ("basic", "annotated", "multihead", "multiheadalone")


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("kind", "by"), [*product(READ, ("program", "graph")), ("complexturns", "program"),
                                            ("distances", "program")])
def test_a_layer_in_another_style_has_the_logits_of_torch(tmp_path: Path, kind: str, by: str) -> None:
    torch = torch_or_skip()
    model = styles.make(torch, kind)
    result = (read(tmp_path, program(torch, model, dynamic=True), graphs.ROWS) if by == "program" else
              of_onnx(torch, tmp_path, model, False))
    assert result.network.attention == "causal"
    check(torch, result, model, 1e-6)


def test_what_is_computed_twice_is_read_once(tmp_path: Path) -> None:
    """The norm before the units is called for the gates and for the units; then the stream is as wide as it was."""
    torch = torch_or_skip()
    network = read(tmp_path, program(torch, styles.make(torch, "complexturns"))).network
    assert [step.gate is not None for step in network.steps if isinstance(step, UnitsStep)] == [True, True]


@pytest.mark.parametrize(("kind", "how"), [("headsapart", "the logarithm of a softmax"), ("chosen", "an argmax")])
def test_heads_apart_are_one_attention_and_what_keeps_the_order_of_logits_is_left_out(tmp_path: Path, kind: str,
                                                                                     how: str) -> None:
    torch = torch_or_skip()
    model = styles.make(torch, kind)
    result = read(tmp_path, program(torch, model))
    assert f"the graph ends in {how}; the logits are those before it" in result.report.assumed
    assert [len(step.heads) for step in result.network.steps if isinstance(step, AttentionStep)] == [2]
    tokens = np.random.default_rng(5).integers(0, graphs.VOCABULARY, (20, 6))
    found = FloatNetwork(result.network).logits(tokens, 0)
    with torch.no_grad():
        expected = model.double()(torch.from_numpy(tokens)).numpy()
    if kind == "chosen":
        assert (found.argmax(-1) == expected).all()
    else:
        assert np.ptp(found - expected, axis=-1).max() < 1e-6


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("kind", "by"), [
    ("padded", "graph"), ("paddedbynumbers", "program"), ("paddedencoder", "graph"), ("paddedencoder", "program"),
    ("turnspadded", "program"),
    ("paddedmean", "graph"), ("paddedmean", "program")])
def test_padding_is_hidden_from_attention(tmp_path: Path, kind: str, by: str) -> None:
    """After a letter, and between letters: then only weights of e^-16000 and less are others."""
    torch = torch_or_skip()
    model = styles.make(torch, kind)
    result = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, False)
    assert any(one.startswith("keys with the tokens 0 are hidden by -16384 in") for one in result.report.assumed)
    drawn = np.random.default_rng(7)
    tokens = drawn.integers(0, 2, (20, 6)) * drawn.integers(0, graphs.VOCABULARY, (20, 6))
    tokens[:, 0] = 1
    with torch.no_grad():
        expected = model.double()(torch.from_numpy(tokens)).numpy()
    found = FloatNetwork(result.network).logits(tokens, 0)
    assert np.abs((found[:, -1] if expected.ndim == 2 else found) - expected).max() < 1e-6 and not tokens.all()


def test_tables_of_scores_are_beginnings_of_those_of_longer_inputs(tmp_path: Path) -> None:
    torch = torch_or_skip()
    data = program(torch, styles.make(torch, "distancesfromtheend"), dynamic=True)
    with pytest.raises(InputError, match="on inputs of 11 tokens the graph is another network than on those of 12"):
        read(tmp_path, data, graphs.ROWS)


GIVEN = (("attention_mask", 1), ("position_ids", None))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by", ["program", "graph"])
def test_what_stands_in_other_inputs_is_said_and_never_guessed(tmp_path: Path, by: str) -> None:
    torch = torch_or_skip()
    pytest.importorskip("onnx")
    model, names = styles.make(torch, "withmask"), ["tokens", "attention_mask", "position_ids"]
    word = torch.tensor([[1, 4, 0, 2, 3, 1]])
    inputs = word, torch.ones_like(word), torch.arange(6)[None]
    path = tmp_path / ("m.pt2" if by == "program" else "m.onnx")
    if by == "program":
        length = torch.export.Dim("length", max=graphs.ROWS)
        torch.export.save(torch.export.export(model, inputs, dynamic_shapes=({1: length},) * 3), path)
    else:
        torch.onnx.export(model, inputs, path, input_names=names, dynamo=False,
                          dynamic_axes={name: {0: "batch", 1: "length"} for name in names})
    result = import_network([path], Options(rows=graphs.ROWS, given=GIVEN))
    assert {"input attention_mask is 1 on every word", "input position_ids is 0, 1, 2, … on every word"} <= {
        *result.report.assumed}
    with torch.no_grad():
        expected = model(*inputs)[0].numpy()
    assert np.abs(FloatNetwork(result.network).logits(word.numpy(), 0) - expected).max() < 1e-6
    for given, printed in (((), "inputs tokens, attention_mask, position_ids, expected one, the tokens; what others "
                                "are, say --given NAME=NUMBER and NAME=places"),
                        (GIVEN[:1], "inputs tokens, position_ids, expected one, the tokens; what"),
                        ((*GIVEN, ("x", 1)), "--given x, but the inputs are tokens, attention_mask, position_ids")):
        with pytest.raises(InputError, match=printed):
            import_network([path], Options(rows=graphs.ROWS, given=given))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "printed"), [
    ("paddedqueries", r"node and_2 \(And\): conditions on tokens of two positions in one mask, expected one position"),
    ("paddedrows", r"node masked_fill \(Where\): a mask by the tokens of queries, or of other positions than those of "
                   r"keys"),
    ("otherspadded", r"node softmax \(Softmax\): a mask by tokens that hides different tokens from different queries"),
    ("next", r"node add_\d \(Add\): a sum of the argmax or softmax of logits and constants"),
    ("mixed", r"node mul \(Mul\): a product of numbers of tokens and the argmax or softmax of logits"),
    ("paddedsum", r"node div \(Div\): a quotient of sums except padding by numbers of tokens except padding"),
    ("classified", r"node cat \(Concat\): constants before or after tokens, expected a token of their own at their "
                   r"place"),
    ("complexwhole", r"node mul_1 \(aten.mul.Tensor\): a product of complex and real numbers"),
    ("deviation", r"node add \(Add\): an epsilon beside the root of a mean of squares, expected it under the root"),
    *((kind, r"node \w+ \(aten.[\w.]+\): reads an array that mul_ changes in place under another name, "
            r"expected a new array")
      for kind in ("shared", "sharedpairs"))])
def test_what_would_be_read_wrongly_is_refused_with_its_node(tmp_path: Path, kind: str, printed: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=f"^m.pt2: {printed}$"):
        read(tmp_path, program(torch, styles.make(torch, kind)))
