"""Parts as textbooks and public adders have them are read as torch computes them, or refused with their node."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.importing import textbooks_in_torch as textbooks
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
