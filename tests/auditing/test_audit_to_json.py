"""Results survive the way to JSON text and back exactly; anything else is refused in one line."""

import json
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.auditing.results import (
    VERDICTS,
    AuditReport,
    ClaimResult,
    CriticalConstant,
    GrowthLaw,
    HeadTemperature,
    LengthVerdict,
    StatementVerdict,
    Witness,
)
from certify.claims.critical.brackets import ClosedForm
from certify.common.json_form import format_exact, from_json, parse_exact, read_result, to_json
from constructions.errors import InputError
from proofs.enclosures.intervals import Interval
from tests.auditing.sample import CERTIFIED, HOSTILE, INTERRUPTED, REPORT, TWO_TEMPERATURES
from tests.tiers import drawn

NUMBERS = st.fractions() | st.integers(-(2**5000), 2**5000).map(lambda k: Fraction(1, 2 * abs(k) + 1) * k)
FLOATS = st.floats(min_value=-(2.0**50), max_value=2.0**50)
INTERVALS = st.tuples(NUMBERS, NUMBERS).map(lambda pair: Interval(min(pair), max(pair)))
VERDICT = st.sampled_from(VERDICTS)
MAYBE = st.none() | INTERVALS
LENGTHS = st.integers(1, 10**12)
WITNESSES = st.none() | st.builds(Witness, n=LENGTHS, value=INTERVALS, allowed=INTERVALS,
                                  position=st.none() | LENGTHS)
ROWS = st.builds(LengthVerdict, n=LENGTHS, verdict=VERDICT, error=MAYBE, bound=MAYBE, witness=WITNESSES)
PLACES = st.lists(st.tuples(LENGTHS, LENGTHS), max_size=2).map(tuple)
TEMPERATURES = st.lists(st.builds(HeadTemperature, heads=PLACES, claimed=NUMBERS, critical=INTERVALS), max_size=2)
FORMS = st.builds(ClosedForm, head=st.tuples(LENGTHS, LENGTHS), row=LENGTHS)
CRITICALS = st.builds(CriticalConstant, n=LENGTHS, gamma=MAYBE, slack=MAYBE, temperatures=TEMPERATURES.map(tuple),
                      witness=WITNESSES, up_to=MAYBE, form=st.none() | FORMS)
FITS = st.builds(GrowthLaw, residual=FLOATS, heads=PLACES)


def tuples(of: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=2).map(tuple)


CLAIMS = st.builds(ClaimResult, verdict=VERDICT, seconds=FLOATS, rows=tuples(ROWS), criticals=tuples(CRITICALS),
                   fits=tuples(FITS), witness=WITNESSES, error=MAYBE, bound=MAYBE,
                   gamma=st.none() | NUMBERS)
REPORTS = st.builds(AuditReport, claims=tuples(CLAIMS), statements=tuples(st.builds(StatementVerdict, verdict=VERDICT)),
                    seconds=FLOATS)


@drawn(50)
@given(REPORTS)
def test_a_report_comes_back_from_json_text_as_it_was(report: AuditReport) -> None:
    assert read_result(AuditReport, json.dumps(to_json(report)), "audit.json") == report


@pytest.mark.parametrize("report", [REPORT, INTERRUPTED, HOSTILE], ids=lambda report: report.title)
def test_the_samples_come_back(report: AuditReport) -> None:
    assert read_result(AuditReport, json.dumps(to_json(report)), "audit.json") == report


def test_heads_of_different_temperatures_come_back() -> None:
    assert from_json(type(TWO_TEMPERATURES), to_json(TWO_TEMPERATURES), "claim") == TWO_TEMPERATURES


def test_the_keys_are_the_fields_and_fractions_are_strings() -> None:
    data = to_json(CERTIFIED)
    assert list(data) == [field.name for field in fields(ClaimResult)]
    assert data["bound"] == {"lower": "1/4", "upper": "1/4"}
    assert data["gamma"] == "3"
    assert data["rows"][0]["error"] == {"lower": "0", "upper": "0"}
    assert data["witness"] is None


@given(NUMBERS)
def test_an_exact_number_comes_back(x: Fraction) -> None:
    assert parse_exact(format_exact(x), "here") == x


def test_numbers_beyond_the_decimal_limit_are_hexadecimal() -> None:
    assert format_exact(Fraction(-1, 2**20_000)) == f"-0x1/0x1{'0' * 5000}"
    assert parse_exact(f"-0x1/0x1{'0' * 5000}", "here") == Fraction(-1, 2**20_000)


def changed(**values: Any) -> dict[str, Any]:
    return to_json(REPORT) | values


def with_claim(**values: Any) -> dict[str, Any]:
    return changed(claims=[to_json(CERTIFIED) | values])


MALFORMED = {
    "no object": ([], "found a list, expected an object with the keys title, source, claims"),
    "a missing key": ({"title": "x"}, 'no key "source", expected the keys title, source'),
    "an unknown key": (changed(extra=1), 'found "extra", expected no keys but title, source'),
    "no string": (changed(title=3), "audit.json.title: found 3, expected a string"),
    "half a character": (changed(title="\ud800"), "audit.json.title: a lone surrogate, expected Unicode text"),
    "no truth value": (changed(complete=1), "audit.json.complete: found 1, expected true or false"),
    "no list": (changed(claims="x"), 'audit.json.claims: found "x", expected a list'),
    "no number": (changed(seconds="1"), 'audit.json.seconds: found "1", expected a number below 2^53'),
    "a truth value for a number": (changed(seconds=True), "audit.json.seconds: found true, expected a number"),
    "infinity": (changed(seconds=float("inf")), "audit.json.seconds: found Infinity, expected a number below 2^53"),
    "a huge number": (changed(seconds=10**400), "expected a number below 2^53"),
    "an unknown verdict": (with_claim(verdict="true"),
                           'audit.json.claims[1].verdict: found "true", expected one of certified, refuted, '
                           "refuted on a reading"),
    "a list for a verdict": (with_claim(verdict=["certified"]), "found a list, expected one of certified"),
    "no integer": (with_claim(rows=[to_json(CERTIFIED.rows[0]) | {"n": 1.5}]),
                   "audit.json.claims[1].rows[1].n: found 1.5, expected an integer"),
    "a decimal": (with_claim(gamma="0.5"), 'audit.json.claims[1].gamma: found "0.5", expected a fraction such as'),
    "a number for a fraction": (with_claim(gamma=1), "audit.json.claims[1].gamma: found 1, expected a fraction"),
    "a zero denominator": (with_claim(gamma="1/0"), 'found "1/0", expected a fraction'),
    "mixed bases": (with_claim(gamma="0x1/10"), 'found "0x1/10", expected a fraction'),
    "endless digits": (with_claim(gamma="1" * 2000), "expected a fraction"),
    "a head without a number": (
        with_claim(fits=[{"law": "", "residual": 0.5, "heads": [[1]]}]),
        "audit.json.claims[1].fits[1].heads[1]: a list of 1, expected 2"),
    "ends the wrong way round": (with_claim(bound={"lower": "1", "upper": "1/2"}),
                                 "audit.json.claims[1].bound: the lower end exceeds the upper one"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_result_is_refused_in_one_line(name: str) -> None:
    data, complaint = MALFORMED[name]
    with pytest.raises(InputError) as refusal:
        from_json(AuditReport, data, "audit.json")
    assert complaint in str(refusal.value)
    assert str(refusal.value).startswith("audit.json") and "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "audit.json, line 1, column 1: not JSON"),
    ('{"title": "x"', "audit.json, line 1, column 14: not JSON"),
    ('{"title": "x", "title": "y"}', 'key "title" occurs twice'),
    ('{"seconds": NaN}', "audit.json: the constant NaN"),
    ("[" * 1000, "audit.json: brackets nested deeper"),
])
def test_text_that_is_no_json_is_refused_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_result(AuditReport, text, "audit.json")
    assert complaint in str(refusal.value) and "\n" not in str(refusal.value)
