"""The shipped notebook runs, and what it shows is HTML that escapes everything and asks for nothing."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from certify import certify
from certify.every_n.claim import TheoremClaim
from certify.every_n.theorems import Theorem
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.regimes import Regime
from proofs.every_n import Coq

NOTEBOOK = Path(__file__).parents[2] / "examples" / "certify.ipynb"
VOID = {"img", "br", "meta"}


class Balanced(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def shown_by(cell: dict[str, Any], names: dict[str, Any]) -> Any:
    """The value of the last line of a cell, which is run."""
    *lines, last = "".join(cell["source"]).split("\n")
    exec("\n".join(lines), names)
    try:
        return eval(last, names)
    except SyntaxError:
        exec(last, names)
        return None


def check_html(html: str) -> None:
    """It is whole, small, and names neither a path nor an address."""
    Balanced(html)
    assert len(html) < 60_000
    assert "http" not in html
    assert "/home" not in html
    assert str(Path.cwd()) not in html


def test_every_cell_of_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names: dict[str, Any] = {}
    values = [shown_by(cell, names) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if cell["cell_type"] == "code")
    displayed = [value._repr_html_() for value in values if hasattr(value, "_repr_html_")]
    assert len(displayed) == 5
    for html in displayed:
        check_html(html)
    assert names["outcome"].verdict == names["majority"].verdict == "certified"


def test_symbols_are_escaped_in_displays() -> None:
    outcome = certify("prev Q['<b>\"&']", alphabet=["<b>\"&", "<script>"], max_n=3)
    for html in (outcome._repr_html_(), outcome.run(["<script>", "<b>\"&"])._repr_html_(),
                 outcome.transformer._repr_html_() if outcome.transformer else ""):
        check_html(html)
        assert "<b>\"" not in html
        assert "<script" not in html


@pytest.mark.parametrize("formula", ["Q_a since Q_b", "ODD(#<[Q_a])", "prev Q_a -> 2*#<[Q_b] >= 1", "true"])
def test_what_is_shown_of_an_outcome_is_one_line_or_a_small_text(formula: str) -> None:
    outcome = certify(formula, alphabet="ab", max_n=4)
    for shown in (repr(outcome), repr(outcome.transformer), repr(outcome.run("ab"))):
        assert "\n" not in shown
        assert len(shown) < 200
    check_html(outcome._repr_html_())


@pytest.mark.parametrize(("verdict", "said"), [
    ("proved", "for every n: the kernel of Coq 8.16.1 accepts the theorem, with allowed axioms only"),
    ("unproved", "why not"),
])
def test_a_theorem_shows_its_verdict_and_no_fields(verdict: str, said: str) -> None:
    formula = parse_formula("prev Q['<b>']")
    claim = TheoremClaim("formula", compile_formula(formula, ("<b>", "a"), Regime()), formula, Regime())
    theorem = Theorem(verdict, claim, Coq("coqc", "8.16.1"), axioms=("an_axiom",), reason="why not", seconds=1.5)
    assert repr(theorem) == f"<{verdict}: prev Q['<b>']; {said}>"
    html = theorem._repr_html_()
    check_html(html)
    assert html.startswith("<pre>formula   prev Q[&#x27;&lt;b&gt;&#x27;]\n")
    assert f"\n\n{verdict.upper()}  {said}; 1.50 s</pre>" in html and "TheoremClaim" not in html


def test_a_certificate_never_replaces_the_file_that_it_is_about(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = write_canonical(transformer_to_json(compile_formula(parse_formula("prev Q_a"), "ab", Regime())))
    Path("m.json").write_text(text, encoding="utf-8")
    Path("link.json").symlink_to("m.json")
    outcome = certify("m.json", max_n=3)
    for place in ("m.json", Path("m.json").resolve(), "link.json"):
        with pytest.raises(InputError, match=r"would replace m\.json, which is read, expected another place$"):
            outcome.save(place)
    assert Path("m.json").read_text(encoding="utf-8") == text
    outcome.save("m.cert")
    again = certify("m.cert", max_n=2)
    with pytest.raises(InputError, match=r"^m\.cert: would replace"):
        again.save("m.cert")
    outcome.save("m.cert")
