"""The shipped notebook runs, and what it shows is HTML that escapes everything and asks for nothing."""

import base64
import contextlib
import json
import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from certify import certify, run
from certify.claims.every_n.claim import TheoremClaim
from certify.claims.every_n.theorems import Theorem
from certify.claims.formula.runs import WordTrace
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.regimes import Regime
from proofs.every_n import Coq
from tests.exports.pages.test_page_of_a_certificate import Tags

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
run_notebook = runpy.run_path(str(ROOT / "docs" / "tools" / "write_notebooks.py"))["run_notebook"]
SHOWN = {"certify.ipynb": 5, "notebooks/attention_and_temporal_logic.ipynb": 6, "notebooks/counting.ipynb": 6}
"""The notebooks, and how many of their cells show HTML."""
def check_html(html: str) -> None:
    """It is whole, small, and names neither a path nor an address."""
    assert Tags(html).pending == []
    assert len(html) < 60_000
    assert "http" not in html
    assert "/home" not in html
    assert str(Path.cwd()) not in html


def run_stored(name: str) -> tuple[dict[str, Any], list[Any]]:
    """The names at the end of a notebook, and the values of its cells, whose stored outputs are those of a new run."""
    stored = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    notebook, names, values = run_notebook(EXAMPLES / name)
    assert [message(cell) for cell in notebook["cells"]] == [message(cell) for cell in stored["cells"]]
    return names, values


def message(cell: dict[str, Any]) -> list[Any]:
    """Return the texts of the outputs of a cell, without times."""
    texts = [(output.get("text"), output.get("data", {}).get("text/plain"), "text/html" in output.get("data", {}))
             for output in cell.get("outputs", [])]
    return [re.sub(r"[0-9.]+ s\b", "", json.dumps(text)) for text in texts]


def test_the_notebooks_that_are_tried_are_all_that_are_shipped() -> None:
    assert {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.ipynb")} == set(SHOWN)


@pytest.fixture(scope="module", params=SHOWN)
def notebook(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
             ) -> tuple[str, dict[str, Any], list[Any]]:
    with contextlib.chdir(tmp_path_factory.mktemp("notebook")):
        return (request.param, *run_stored(request.param))


def test_every_cell_of_a_notebook_runs(notebook: tuple[str, dict[str, Any], list[Any]]) -> None:
    name, _, values = notebook
    displayed = [value._repr_html_() for value in values if hasattr(value, "_repr_html_")]
    assert len(displayed) == SHOWN[name]
    for html in displayed:
        check_html(html)


def test_what_the_texts_of_a_notebook_say_is_so(notebook: tuple[str, dict[str, Any], list[Any]]) -> None:
    name, names, values = notebook
    verdicts = {key: value.verdict for key, value in names.items() if hasattr(value, "verdict")}
    if name == "certify.ipynb":
        assert verdicts["outcome"] == verdicts["majority"] == "certified"
    elif name.endswith("logic.ipynb"):
        assert verdicts == {"before": "certified", "since": "certified", "blunt": "refuted"}
        assert ("refuted", "0010", 3) in values
        assert [head.name for _, _, head in names["before"].transformer.heads()] == [
            "rightmost even position", "rightmost odd position", "alternating mean up to i"]
        assert repr(names["since"]).startswith("<certified: Q_a S Q_b for every n <= 16")
    else:
        assert verdicts == {"majority": "certified", "parity": "certified", "printed": "refuted"}
        assert names["printed"].counterexample.word == ("0",)
        assert [(row.n, row.verdict) for row in values[-1].rows] == [
            *((n, "certified") for n in range(1, 7)), (7, "refuted"), (8, "refuted")]
        assert {str(head.temperature) for _, _, head in names["parity"].transformer.heads()} == {"1/n"}


def display(*asked: str, **options: Any) -> str:
    """Return the output of a notebook for a run."""
    found = run(*asked, **options)
    assert isinstance(found, WordTrace)
    return found._repr_html_()


def pictures(html: str) -> dict[str, ElementTree.Element]:
    """Return the images of a display, by what they show."""
    found = re.findall(r"<img alt='([^']*)' style='width[^>]*base64,([^']*)'", html)
    return {text: ElementTree.fromstring(base64.b64decode(data)) for text, data in found}


def darkest(picture: ElementTree.Element) -> dict[int, set[int]]:
    """Return, for each row, the columns of its darkest squares."""
    found: dict[int, tuple[float, set[int]]] = {}
    for path in picture.iter("{http://www.w3.org/2000/svg}path"):
        for column, row in re.findall(r"M(\d+)\.\d+ (\d+)\.\d+h", path.attrib["d"]):
            shade, columns = float(path.attrib["opacity"]), found.get(int(row), (0.0, set()))
            if shade >= columns[0]:
                found[int(row)] = (shade, {int(column)} | (columns[1] if shade == columns[0] else set()))
    return {row: columns for row, (_, columns) in found.items()}


def test_a_run_shows_what_each_head_attends_to() -> None:
    run = certify("prev Q_a", alphabet="ab", max_n=6).run("aabba")
    shown = pictures(run._repr_html_())
    assert list(shown) == ["head 1.1: rightmost even position", "head 1.2: rightmost odd position",
                           "head 1.3: alternating mean up to i"]
    even, odd, mean = map(darkest, shown.values())
    assert even == {0: {0}, 1: {1}, 2: {1}, 3: {3}, 4: {3}}
    assert odd == {0: {0}, 1: {0}, 2: {2}, 3: {2}, 4: {4}}
    assert mean == {row: set(range(row + 1)) for row in range(5)}


def test_no_attention_is_drawn_of_long_words_of_formulas_alone_and_of_other_weightings() -> None:
    outcome = certify("prev Q_a", alphabet="ab", max_n=30)
    assert pictures(outcome.run("ab" * 12)._repr_html_()) and not pictures(outcome.run("ab" * 12 + "a")._repr_html_())
    assert not pictures(display("prev Q_a", "ab", alphabet="ab", weighting="sparsemax"))
    assert not pictures(WordTrace(("a",), None, (), ())._repr_html_())


def test_of_many_heads_the_display_stays_small() -> None:
    formula = " & ".join(f"(prev (Q_a & {'prev ' * k}Q_b))" for k in range(12))
    shown = display(formula, "ab" * 12, alphabet="ab")
    assert re.search(r"<p>and \d+ more heads</p>", shown) and len(shown) < 120_000


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


@pytest.mark.parametrize(("verdict", "message"), [
    ("proved", "for every n: the kernel of Coq 8.16.1 accepts the theorem, with allowed axioms only"),
    ("unproved", "why not"),
])
def test_a_theorem_shows_its_verdict_and_no_fields(verdict: str, message: str) -> None:
    formula = parse_formula("prev Q['<b>']")
    claim = TheoremClaim("formula", compile_formula(formula, ("<b>", "a"), Regime()), formula, Regime())
    theorem = Theorem(verdict, claim, Coq("coqc", "8.16.1"), axioms=("an_axiom",), reason="why not", seconds=1.5)
    assert repr(theorem) == f"<{verdict}: prev Q['<b>']; {message}>"
    html = theorem._repr_html_()
    check_html(html)
    assert html.startswith("<pre>formula   prev Q[&#x27;&lt;b&gt;&#x27;]\n")
    assert f"\n\n{verdict.upper()}  {message}; 1.50 s</pre>" in html and "TheoremClaim" not in html


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
