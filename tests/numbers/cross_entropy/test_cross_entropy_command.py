"""`certify cross-entropy`: the picture of both papers, what is printed, and what is refused."""

import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import pytest

import certify
from certify.claims.numbers.cross_entropy.plot import draw_cross_entropy
from constructions.errors import InputError
from tests.cli.conftest import certify as run_certify

command = run_certify
PARITY = ("cross-entropy", "ODD(#<[Q_1])", "--alphabet", "01")
BRACKETS = ("cross-entropy", "Q['(']", "--alphabet", "()[]", "--language", "2dyck")


def test_at_temperature_1_over_n_the_network_is_optimal_but_for_its_slope() -> None:
    found = certify.cross_entropy("ODD(#<[Q_1])", alphabet="01", lengths=[2, 5, 12], max_n=12)
    for row in found.rows:
        assert row.found is not None and row.forced is not None
        assert 0 < row.found.upper - row.levels.optimal.lower < Fraction(1, 5000)
        assert row.found.upper - row.forced.lower < Fraction(1, 10**6)


def test_the_same_weights_at_temperature_1_are_forced_towards_the_last_symbol() -> None:
    found = certify.cross_entropy("ODD(#<[Q_1])", alphabet="01", temperature="1", lengths=[4, 8, 16], max_n=16)
    forced = [row.forced.lower for row in found.rows if row.forced]
    own = [row.found for row in found.rows if row.found]
    assert forced == sorted(forced) and all(f <= o.upper for f, o in zip(forced, own, strict=True))
    last = found.rows[-1]
    assert own[-1].lower > last.levels.last_symbol.lower - Fraction(1, 1000)
    assert forced[-1] > Fraction(98, 100) and own[-1].upper < last.levels.chance.lower


def test_the_change_is_that_which_certify_sensitivity_finds_at_the_symbol_before_the_last() -> None:
    formula, lengths = "ODD(#<[Q_1])", [4, 6]
    measured = certify.sensitivity(formula, lengths=lengths, max_n=6, alphabet="01", temperature="1")
    found = certify.cross_entropy(formula, lengths=lengths, max_n=6, steepest=1, alphabet="01", temperature="1")
    for one, row in zip(measured.rows, found.rows, strict=True):
        before_the_last = one.changes[-2]
        assert row.change is not None and before_the_last.lower <= row.change
        assert row.change <= (before_the_last.upper or 0) + Fraction(1, 10**30)


def test_a_network_without_attention_has_the_entropy_of_the_last_symbol() -> None:
    found = certify.cross_entropy("Q_1", alphabet="01", p=Fraction(1, 2), max_n=4)
    for row in found.rows[1:]:
        assert row.found is not None and row.change == 0
        assert abs(row.found.lower - row.levels.last_symbol.lower) < Fraction(1, 10**6)


def test_the_table_and_the_json_object_say_the_same(command: Any) -> None:
    text, data = command(*PARITY, "--max-n", "3"), command(*PARITY, "--max-n", "3", "--json").json
    assert text.code == 0 and "MEASURED" in text.out and text.err == ""
    assert [row["n"] for row in data["lengths"]] == [1, 2, 3] and data["verdict"] == "measured"
    row = data["lengths"][1]
    assert row["network"]["lower"].startswith("0.86660151") and row["forced"].startswith("0.86660151")
    assert set(row["offsets"]) == {"0", "1"} and row["slope"] == "-8"
    assert ["2", "0.866434", "0.866601", "0.866602", "1.06340", "1.08220", "8", "-8"] in [
        line.split() for line in text.out.splitlines()]


def test_a_map_that_is_given_is_taken_as_it_is(command: Any) -> None:
    data = command(*PARITY, "--max-n", "2", "--slope", "-2", "--intercept", "1/2", "--json").json
    assert all((row["slope"], row["offsets"]) == ("-2", {"0": "1/2", "1": "1/2"}) for row in data["lengths"])
    data = command(*PARITY, "--max-n", "2", "--slope", "-2", "--json").json
    assert data["steepest"] == "2" and data["lengths"][1]["slope"] == "-2"


def test_lengths_with_too_many_prefixes_are_left_open_with_their_bound(command: Any) -> None:
    result = command(*BRACKETS, "--max-n", "12", "--lengths", "3,12", "--json")
    short, long = result.json["lengths"]
    assert result.code == 3 and result.json["verdict"] == "unknown"
    assert short["network"] is not None and long["network"] is None
    assert long["forced"] is not None and long["reason"] == "there are 8192 states of the language"


def test_the_plot_is_an_svg_with_the_numbers_in_words(command: Any, tmp_path: Any) -> None:
    result = command(*PARITY, "--max-n", "2", "--plot", "x.svg")
    root = ET.parse(tmp_path / "x.svg").getroot()
    assert result.code == 0 and root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"].endswith("the network: 0.866602 at n = 2, at least 0.866601 is forced.")


def test_the_picture_of_the_page_says_what_the_command_says() -> None:
    from tests.test_docs import ROOT

    words = ET.parse(ROOT / "docs" / "background" / "hahn.svg").getroot().attrib["aria-label"]
    assert "temperature 1/n: 0.866602 at n = 128, at least 0.866601 is forced." in words
    found = certify.cross_entropy("ODD(#<[Q_1])", alphabet="01", temperature="1", lengths=[2, 4], max_n=4)
    assert "temperature 1: 0.997302 at n = 4" in draw_cross_entropy([("temperature 1", found)])
    assert "temperature 1: 1.06340 at n = 128" in words


@pytest.mark.parametrize(("options", "complaint"), [
    (("--p", "1"), "--p: found 1, expected a rational between 0 and 1, such as 1/2"),
    (("--p", "x"), "--p: "),
    (("--intercept", "1"), "--intercept: expected --slope with it"),
    (("--slope", "1", "--steepest", "2"), "--steepest: given together with --slope, expected one of the two"),
    (("--slope", "n"), "--slope: "),
    (("--steepest", "0"), "--steepest: found 0, expected a positive rational"),
    (("--direction", "nothing"), "direction: 'nothing', expected one of the network's"),
    (("--language", "2dyck"), "alphabet: found 0, 1, expected the symbols of 2dyck, ()[]"),
    (("--lengths", "40"), "lengths: 40, expected some of"),
])
def test_bad_options_are_one_line_that_says_what_was_expected(command: Any, options: tuple[str, ...],
                                                              complaint: str) -> None:
    result = command(*PARITY, *options)
    assert result.code == 2 and result.out == "" and result.err.count("\n") == 1 and complaint in result.err


def test_python_refuses_what_is_inexact_or_no_language() -> None:
    with pytest.raises(InputError, match=r"^p: found the float 0\.5"):
        certify.cross_entropy("Q_1", alphabet="01", p=0.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^language: found 'dyck', expected parity or 2dyck"):
        certify.cross_entropy("Q_1", alphabet="01", language="dyck")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^intercept: expected slope with it"):
        certify.cross_entropy("Q_1", alphabet="01", intercept=1)
