"""The corpus on disk: each file has the verdict of its folder, for the reason that is written down."""

import tomllib
from pathlib import Path

import pytest

from proofs.check import Refusal, check_text, verdict_of

CORPUS = Path(__file__).parents[1] / "corpus"
REASONS = tomllib.loads((CORPUS / "reasons.toml").read_text(encoding="utf-8"))
ACCEPTED = sorted((CORPUS / "accepted").glob("*.cert"))
REFUSED = sorted(path for verdict in REASONS for path in (CORPUS / verdict).glob("*.cert"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", ACCEPTED, ids=name)
def test_is_accepted_and_printed_in_plain_lines_of_ascii(path: Path) -> None:
    accepted = check_text(path.read_bytes())
    assert accepted.lines and all(line.isascii() and line.isprintable() for line in accepted.lines)


@pytest.mark.parametrize("path", REFUSED, ids=name)
def test_is_refused_for_its_reason(path: Path) -> None:
    with pytest.raises(Refusal) as caught:
        check_text(path.read_bytes())
    assert verdict_of(caught.value) == path.parent.name
    assert str(caught.value) == REASONS[path.parent.name][path.stem]


def test_every_file_has_a_reason_and_every_reason_a_file() -> None:
    found: dict[str, set[str]] = {path.parent.name: set() for path in REFUSED}
    for path in REFUSED:
        found[path.parent.name].add(path.stem)
    assert found == {verdict: set(reasons) for verdict, reasons in REASONS.items()}
