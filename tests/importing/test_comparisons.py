"""Comparisons at import: the network that was read is the file's, or the import is refused."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.comparing import LONGEST, drawn_words, with_comparison
from constructions.errors import InputError
from constructions.importing.importer import Imported, import_network
from constructions.importing.parts import Interface
from constructions.importing.questions import Options
from constructions.trained.network import Tensor
from tests.importing import graphs_in_torch as graphs
from tests.importing import styles_in_torch as styles
from tests.importing.small_graphs import written
from tests.importing.test_exported_programs import program
from tests.importing.test_onnx_graphs import LOOKED_UP, TABLE
from tests.trained.claims import network_of
from tests.with_torch import torch_or_skip

ANY = Interface(None, 1, "")


def of_graph(folder: Path) -> Imported:
    pytest.importorskip("onnxruntime")
    (folder / "m.onnx").write_bytes(written([LOOKED_UP, ("Mul", ["h", "two"], "y", {})], {
        "t": TABLE, "two": np.array([2], np.float32)}, "length"))
    return import_network([folder / "m.onnx"], Options(rows=6))


def changed(imported: Imported, by: float) -> Imported:
    """Return the import with another number in each tensor, as if it had been misread."""
    tensors = {name: Tensor("binary64", one.shape, (np.frombuffer(one.data, "<f4").astype("<f8") + by).tobytes())
               for name, one in imported.network.tensors.items()}
    return replace(imported, network=replace(imported.network, tensors=tensors))


def test_a_graph_is_compared_with_onnx_runtime(tmp_path: Path) -> None:
    import onnxruntime

    imported = with_comparison(of_graph(tmp_path), [tmp_path / "m.onnx"], {}, None)
    compared = imported.network.compared
    assert compared is not None and compared.original == f"onnxruntime {onnxruntime.__version__}"
    assert (compared.inputs, compared.difference) == (24, 0)


@pytest.mark.parametrize("by", [1e-3, 1.0])
def test_a_network_that_is_not_that_of_the_file_is_refused(tmp_path: Path, by: float) -> None:
    imported = changed(of_graph(tmp_path), by)
    with pytest.raises(InputError, match=r"^m.onnx: on input [0-9,]+ the original's logits differ from the imported "
                                         r"network's by [0-9.E-]+, expected at most [0-9.E-]+ from rounding$"):
        with_comparison(imported, [tmp_path / "m.onnx"], {}, None)


@pytest.mark.parametrize(("kind", "readout"), [("decoder", "each"), ("atlast", "last"), ("pooled", "last")])
def test_a_program_is_compared_with_torch(tmp_path: Path, kind: str, readout: str) -> None:
    torch = torch_or_skip()
    (tmp_path / "m.pt2").write_bytes(program(torch, graphs.make(torch, kind), dynamic=True))
    imported = import_network([tmp_path / "m.pt2"], Options(rows=graphs.ROWS))
    network = with_comparison(imported, [tmp_path / "m.pt2"], {}, None).network
    assert network.readout == readout and network.compared is not None
    assert network.compared.original.startswith("torch 2.") and 0 < network.compared.difference < Fraction(1, 10**5)
    with pytest.raises(InputError, match="the original's logits differ"):
        with_comparison(changed(imported, 1e-2), [tmp_path / "m.pt2"], {}, None)


def test_a_program_of_any_length_is_read_on_one_token(tmp_path: Path) -> None:
    """torch writes two tokens or more of any length; its program takes one, too."""
    torch = torch_or_skip()

    class Other(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(3, 2)

        def forward(self, tokens: Any) -> Any:
            return self.table(tokens) + (torch.arange(tokens.shape[1]) == 1).sum()

    (tmp_path / "m.pt2").write_bytes(program(torch, Other(), dynamic=True))
    with pytest.raises(InputError, match=r"^m.pt2: on inputs of 1 tokens the graph is another network"):
        import_network([tmp_path / "m.pt2"], Options(rows=6))


def test_a_program_that_ends_in_its_first_token_has_that_readout(tmp_path: Path) -> None:
    """A program that returns logits of the first token: nothing may be claimed about those of the last."""
    torch = torch_or_skip()

    class First(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(2, 2)
            self.table.weight.data = 2 * torch.eye(2)

        def forward(self, tokens: object) -> object:
            return self.table(tokens)[:, 0]

    (tmp_path / "r.pt2").write_bytes(program(torch, First()))
    imported = with_comparison(import_network([tmp_path / "r.pt2"]), [tmp_path / "r.pt2"], {}, None)
    assert imported.network.readout == "first" and imported.network.compared is not None


@pytest.mark.parametrize("kind", ["padded", "paddedbynumbers"])
def test_words_of_which_a_token_sees_padding_alone_are_not_compared(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    pytest.importorskip("onnxruntime")
    (tmp_path / "m.onnx").write_bytes(graphs.exported(torch, styles.make(torch, kind), 7, False))
    imported = with_comparison(import_network([tmp_path / "m.onnx"]), [tmp_path / "m.onnx"], {}, None)
    (hidden,) = imported.report.interface.hidden if imported.report.interface else ()
    assert imported.network.compared is not None
    assert all(word[0] not in hidden for word in drawn_words(imported.network, Interface(7, 1, "", (hidden,))))


def test_drawn_words_have_all_tokens_lengths_of_the_program_and_tails_as_padding_has_them() -> None:
    words = drawn_words(network_of(rows=9), ANY)
    assert words == drawn_words(network_of(rows=9), ANY)
    assert {len(word) for word in words} == {1, 2, 3, 4, 8, 9} and {*range(4)} == {t for word in words for t in word}
    assert {len(word) for word in drawn_words(network_of(), ANY)} == {1, 2, 3, LONGEST // 2, LONGEST - 1, LONGEST}
    assert {len(word) for word in drawn_words(network_of(rows=9), Interface(5, 5, ""))} == {5}
    assert [min(len(word) for word in drawn_words(network_of(rows=9), Interface(None, least, "")))
            for least in (2, 3)] == [1, 3]
    assert any(len(word) > 3 and len(set(word[-3:])) == 1 for word in words)
