"""`certify sensitivity`: what it measures, how it says so, and what it refuses."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import certify as library
from certify.claims.numbers.sensitivity.laws import fit_law
from certify.claims.numbers.sensitivity.results import MeasuredLength, Method
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from proofs.numbers.sensitivity.changes import Change
from proofs.numbers.sensitivity.classes import Classes
from tests.numbers.sensitivity.test_truths import sensitive_by_words

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
NEAR = "near[ODD(#<[Q_1])] if counted here"
PARITY = ("sensitivity", "ODD(#<[Q_1])", "--alphabet", "01")


def measured(certify: Any, *arguments: str, status: int = 0) -> dict[str, Any]:
    done = certify(*arguments, "--json")
    assert done.code == status, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("formula", ["ODD(#<[Q_1])", "(Q_0 | Q_1) since Q_1", "prev Q_1", "#<[Q_1] - #>[Q_0] > 0"])
@pytest.mark.parametrize("at", ["first", "last", "every"])
def test_a_certified_network_is_as_sensitive_as_its_formula(certify: Any, formula: str, at: str) -> None:
    found = measured(certify, "sensitivity", formula, "--alphabet", "01", "--max-n", "4", "--at", at)
    assert found["verdict"] == "measured"
    for row in found["lengths"]:
        n = row["n"]
        judged = {"first": [1], "last": [n], "every": range(1, n + 1)}[at]
        bits = 0
        for i in judged:
            bits |= sensitive_by_words(parse_formula(formula), "01", n, i)
        assert row["method"] == "truths"
        assert [int(place["exact"]) for place in row["positions"]] == [bits >> p & 1 for p in range(1, n + 1)]


def test_the_lookup_of_parity_is_sensitive_when_cold_and_less_so_with_every_length_when_warm(certify: Any) -> None:
    lengths = ("--lengths", "4,8,16", "--max-n", "16", "--direction", NEAR)
    cold, warm = measured(certify, *PARITY, *lengths), measured(certify, *PARITY, *lengths, "--temperature", "1")
    assert [row["lower"][:8] for row in cold["lengths"]] == ["0.862017"] * 3  # 0.8620179...
    assert [row["lower"][:6] for row in warm["lengths"]] == ["0.2154", "0.0946", "0.0494"]
    assert all(float(row["upper"]) - float(row["lower"]) < 1e-11 for row in [*cold["lengths"], *warm["lengths"]])
    assert all(row["pair"]["words"] for row in warm["lengths"])


@pytest.mark.parametrize("formula", ["ODD(#<[Q_1])", "2*#<[Q_1] > #>[Q_0]", "Q_1 | next Q_0"])
def test_the_rounded_output_run_word_by_word_changes_as_the_truths_do(formula: str) -> None:
    network = library.build(formula, alphabet="01")
    found = library.sensitivity(network, max_n=5, direction=network.output)
    for row in found.rows:
        assert row.method is Method.TRUTHS
        for change, enclosed in zip(row.changes, Classes(network, row.n, network.output, row.n).changes(), strict=True):
            assert enclosed.upper is not None and change.upper is not None
            assert enclosed.lower <= change.lower == change.upper <= enclosed.upper < change.upper + Fraction(1, 2**60)


def test_a_direction_that_counts_is_measured_by_classes() -> None:
    found = library.sensitivity(library.build("ODD(#<[Q_1])", alphabet="01"), max_n=6, direction=NEAR)
    assert {row.method for row in found.rows} == {Method.CLASSES}


def test_beyond_what_can_be_bounded_nothing_is_claimed_from_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.claims.numbers.sensitivity.measure.BOUNDS_WORK", 10)
    monkeypatch.setattr("certify.claims.numbers.sensitivity.measure.ENCLOSING_WORK", 10)
    found = library.sensitivity("prev Q_1", max_n=6, lengths=[6], alphabet="01", temperature=20)
    assert (found.verdict, found.rows[0].method, found.rows[0].upper) == ("unknown", Method.PAIRS, None)
    assert found.rows[0].lower > 0


def test_where_attention_does_not_depend_on_the_word_the_two_bounds_meet() -> None:
    found = library.sensitivity("prev Q_1", max_n=16, lengths=[16], alphabet="01", temperature=20)
    (row,) = found.rows
    assert row.method is Method.BRACKET
    assert row.upper is not None
    assert row.lower <= row.upper < row.lower * (1 + 2**-60)


def test_a_trained_network_has_bounds_for_short_words_and_none_from_above_for_longer_ones(
        certify: Any, tmp_path: Path) -> None:
    model, claim = tmp_path / "tomita_2.json", EXAMPLES / "trained" / "tomita_2" / "claim.toml"
    imported = certify("import", str(EXAMPLES / "trained" / "tomita_2"), "--kind", "nanogpt", "--attention", "causal",
                       "--heads", "1", "--activation", "gelu", "--epsilon", "1e-5", "-o", str(model))
    assert imported.code == 0
    short = measured(certify, "sensitivity", str(model), "--claim", str(claim), "--max-n", "2")
    assert [row["lower"][:7] for row in short["lengths"]] == ["15.4482", "16.0176"]
    difference = measured(certify, "sensitivity", str(model), "--claim", str(claim), "--max-n", "2",
                          "--direction", "1-0", "--at", "every")
    assert difference["lengths"][1]["pair"]["judged"] == 3  # the token that stands before the word counts
    longer = measured(certify, "sensitivity", str(model), "--claim", str(claim), "--max-n", "9", "--lengths", "9",
                      status=3)
    assert (longer["verdict"], longer["lengths"][0]["method"], longer["lengths"][0]["upper"]) == (
        "unknown", "pairs", None)
    refused = certify("sensitivity", str(model), "--gamma", "3")
    assert (refused.code, "contains a trained network" in refused.err) == (2, True)
    assert "expected a logit" in certify("sensitivity", str(model), "--direction", "x").err


def test_a_plot_is_an_svg_that_parses_and_nothing_is_drawn_where_nothing_changes(certify: Any, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    drawing = tmp_path / "plot.svg"
    assert certify(*PARITY, "--max-n", "4", "--temperature", "1", "--plot", str(drawing)).code == 0
    assert ElementTree.fromstring(drawing.read_text(encoding="utf-8")).tag.endswith("svg")
    nowhere = tmp_path / "no.svg"
    assert certify("sensitivity", "Q_1 & Q_0", "--alphabet", "01", "--max-n", "3", "--plot", str(nowhere)).code == 2
    assert not nowhere.exists()


def test_a_position_that_is_none_is_refused_in_python() -> None:
    with pytest.raises(InputError, match="expected first, last or every"):
        library.sensitivity("prev Q_1", at="middle")  # type: ignore[arg-type]


def test_the_law_that_is_fitted_is_the_one_that_was_drawn_from() -> None:
    for text, values in (("0.5", ["1/2"] * 4), ("3/n", ["3/2", "3/4", "3/8", "3/16"]),
                         ("2/n^2", ["1/2", "1/8", "1/32", "1/128"])):
        rows = [MeasuredLength(n, Method.WORDS, (Change(1, Fraction(value), Fraction(value)),))
                for n, value in zip((2, 4, 8, 16), values, strict=True)]
        fitted = fit_law(rows)
        assert fitted is not None
        assert (fitted.text, fitted.residual < 1e-9) == (text, True)
    assert fit_law(rows[:2]) is None
