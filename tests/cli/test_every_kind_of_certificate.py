"""Each accepted file of the corpus, of every kind: the checker's text, its JSON, a card, and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proofs.check.checker.kinds import CHAPTERS
from tests.check.test_corpus import ACCEPTED, CORPUS


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_is_told_in_every_way(certify: Any, path: Path) -> None:
    said = certify("check", str(path))
    assert said.code == 0 and said.out.splitlines()[-1].startswith("accepted: ")
    result = certify("check", str(path), "--json")
    assert (result.code, result.json["files"][0]["verdict"]) == (0, "accepted")
    assert result.json["files"][0].get("claim_is_false", False) == ("FALSE" in said.out)
    card = certify("card", str(path))
    assert card.code == 0 and said.out.splitlines()[0] in card.out
    page = certify("export", str(path), "--to", "html", "-o", "page.html")
    assert (page.code, page.err) == (0, "")
    assert "check.pyz" in Path("page.html").read_text(encoding="utf-8")


def test_every_kind_is_in_the_corpus() -> None:
    kinds = {path.read_text(encoding="utf-8").split('"')[3] for path in CORPUS.rglob("accepted/*.cert")}
    assert kinds == set(CHAPTERS)
