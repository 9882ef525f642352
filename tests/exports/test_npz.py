"""The arrays are the dense matrices, and the reader of docs/howto/exports.md computes soft attention."""

import io
import itertools
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.formula.sealed import Sealed, read_sealed
from certify.exports.npz import arrays_of
from constructions.network.dense import dense_layers
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from proofs.words.replay import run_soft
from tests.exports.conftest import write_certificate
from tests.network.dense_embeddings import dense_embeddings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "exports.md").read_text(encoding="utf-8")
DOCUMENT = PAGE[PAGE.index("## `npz`"):]
MIXED = "ODD(#<[Q_1]) | #<[Q_1] > #>[Q_0] & (Q_1 since next Q_0)"


@pytest.fixture(scope="module")
def forward() -> Callable[[Any, str], Any]:
    """The function that the document shows."""
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    read: Callable[[Any, str], Any] = names["forward"]
    return read


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("formula", "regime"), [
    (MIXED, Regime()), *(("Q_1 since prev Q_0", regime) for regime in ALL_REGIMES),
    ("ODD(#<[Q_1])", Regime(causal=True))], ids=str)
def test_the_reader_of_the_document_agrees_with_soft_attention(
        certify: Any, tmp_path: Path, forward: Any, formula: str, regime: Regime) -> None:
    """On every word up to length 4, in every direction at every position."""
    path = write_certificate(tmp_path / "x.cert", formula, "01", 4, regime)
    assert certify("export", path.name, "--to", "npz", "-o", "x.npz").code == 0
    transformer = read_sealed(str(path)).transformer
    for n in range(1, 5):
        for word in itertools.product("01", repeat=n):
            stream = forward("x.npz", "".join(word))
            for row, exact in zip(stream, run_soft(transformer, word, 128), strict=True):
                for number, name in zip(row, transformer.directions, strict=True):
                    expected = exact[name].lower if name in exact else Fraction(0)
                    assert abs(number - float(expected)) < 1e-9 * (1 + abs(float(expected)))


def test_the_reader_of_the_document_reads_sparse_matrices_alike(
        certify: Any, tmp_path: Path, forward: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_certificate(tmp_path / "x.cert", MIXED, "01", 4)
    assert certify("export", path.name, "--to", "npz", "-o", "dense.npz").code == 0
    monkeypatch.setattr("certify.exports.npz.MOST_ENTRIES", 100)
    assert certify("export", path.name, "--to", "npz", "-o", "sparse.npz").code == 0
    assert "layer1.w1" not in np.load(tmp_path / "sparse.npz")
    assert all(np.array_equal(forward("dense.npz", word), forward("sparse.npz", word)) for word in ("0", "0110"))


def test_what_the_document_says_of_parity_is_true(certify: Any, tmp_path: Path, forward: Any) -> None:
    write_certificate(tmp_path / "parity.cert", "ODD(#<[Q_1])", "01", 4)
    assert certify("export", "parity.cert", "--to", "npz", "-o", "parity.npz").code == 0
    ((word, shown),) = re.findall(r'forward\("parity.npz", "(\d+)"\)\[:, net\["output"\]\]` is ([\d, ]+) up', DOCUMENT)
    output = np.load(tmp_path / "parity.npz")["output"]
    assert [str(round(x)) for x in forward("parity.npz", word)[:, output]] == shown.strip().split(", ")


def test_the_arrays_are_the_dense_matrices_and_embeddings(sealed: Callable[..., Sealed]) -> None:
    given = sealed(MIXED, "01", 4)
    arrays, transformer = arrays_of(given), given.transformer
    assert list(arrays["directions"]) == list(transformer.directions)
    assert arrays["directions"][arrays["output"]] == transformer.output
    for place, layer in enumerate(dense_layers(transformer), start=1):
        for name in ("w1", "b1", "w2", "b2"):
            assert_rounded(arrays[f"layer{place}.{name}"], getattr(layer, name))
        assert arrays["heads"][place - 1] == len(layer.heads)
        for number, head in enumerate(layer.heads, start=1):
            for name in ("queries", "keys", "values"):
                assert_rounded(arrays[f"layer{place}.head{number}.{name}"], getattr(head, name))
    for n in range(1, 5):
        tokens, positions = dense_embeddings(transformer, n)
        assert_rounded(arrays["token_embedding"], tokens)
        columns = [[row[column] for column in arrays["position_directions"]] for row in positions]
        assert_rounded(arrays["position_embedding"][n - 1, :n], columns)
        assert np.isnan(arrays["position_embedding"][n - 1, n:]).all()


def assert_rounded(array: Any, exact: Any) -> None:
    assert array.tolist() == [[float(x) for x in row] if isinstance(row, list) else float(row) for row in exact]


def test_every_array_is_in_the_table_of_the_document(sealed: Callable[..., Sealed]) -> None:
    arrays = arrays_of(sealed("Q_1 since prev Q_0", "01", 3, Regime(Sharpening.POSITION)))
    named = set()
    for cell in re.findall(r"^\| (`.+?`) \|", DOCUMENT, re.MULTILINE):
        first, *rest = re.findall("`(.+?)`", cell)
        named |= {first, *(first.rpartition(".")[0] + name if name.startswith(".") else name for name in rest)}
    assert {re.sub(r"(layer|head)\d+", r"\g<1>1", name) for name in arrays} == named


def test_a_symbol_or_a_name_is_never_pickled(sealed: Callable[..., Sealed]) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays_of(sealed("O Q['é']", ("é", "long"), 2)))
    buffer.seek(0)
    assert list(np.load(buffer, allow_pickle=False)["alphabet"]) == ["é", "long"]
