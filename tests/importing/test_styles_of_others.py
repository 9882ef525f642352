"""Networks as other people write them have the logits of torch, as programs and as graphs."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from constructions.errors import InputError
from tests.importing import graphs_in_torch as graphs
from tests.importing import styles_in_torch as styles
from tests.importing.test_exported_programs import program, read
from tests.importing.test_onnx_graphs import check
from tests.importing.test_onnx_graphs import read as of_onnx
from tests.with_torch import torch_or_skip

READ = ("basic", "annotated", "multihead", "multiheadalone")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "by"), [*product(READ, ("program", "graph"))])
def test_a_layer_in_another_style_has_the_logits_of_torch(tmp_path: Path, kind: str, by: str) -> None:
    torch = torch_or_skip()
    model = styles.make(torch, kind)
    result = (read(tmp_path, program(torch, model, dynamic=True), graphs.ROWS) if by == "program" else
              of_onnx(torch, tmp_path, model, False))
    assert result.network.attention == "causal"
    check(torch, result, model, 1e-6)


@pytest.mark.parametrize(("kind", "said"), [
    ("deviation", r"node add \(Add\): an epsilon beside the root of a mean of squares, expected it under the root"),
    ("shared", r"node mul_: changes an array in place that is read again under another name, expected a new array")])
def test_what_would_be_read_wrongly_is_refused_with_its_node(tmp_path: Path, kind: str, said: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=f"^m.pt2: {said}$"):
        read(tmp_path, program(torch, styles.make(torch, kind)))
