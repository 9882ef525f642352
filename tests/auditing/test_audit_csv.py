"""The CSV of an audit: a row per claim and length, exact fractions beside decimals that enclose them."""

import csv
import io
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from certify.auditing.csv_figures import COLUMNS, render_csv
from certify.auditing.results import AuditReport
from tests.auditing.sample import CERTIFIED, CLAIMS, HOSTILE, REPORT, TWO_TEMPERATURES


def read(report: AuditReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(report))))


def test_there_is_a_row_for_each_claim_and_length_and_one_for_a_claim_without_lengths() -> None:
    rows = read(REPORT)
    assert [(row["claim"], row["n"]) for row in rows] == [
        *(("theorem-15-a", n) for n in ("1", "2", "4", "8", "16", "32", "64")),
        *(("since-gamma-13-10", n) for n in ("2", "3", "4", "8")),
        ("log-temperature", "2"), ("log-temperature", "311"),
        ("causal-last", ""), ("factor-n-is-needed", ""), ("lemma-29", "")]
    assert [row["verdict"] for row in rows[-3:]] == ["unsupported", "not decidable", "refuted"]
    assert all(len(row) == len(COLUMNS) for row in rows)


def test_exact_fractions_stand_beside_twelve_digits() -> None:
    row = next(row for row in read(REPORT) if row["n"] == "16")
    critical = next(critical for critical in CERTIFIED.criticals if critical.n == 16)
    assert critical.gamma
    assert Fraction(row["critical_gamma_lower"]) == critical.gamma.lower
    assert Fraction(row["critical_temperature_upper"]) == critical.temperatures[0].critical.upper
    assert (row["critical_gamma_lower_decimal"], row["critical_gamma_upper_decimal"]) == (
        "1.38629330685", "1.38629469315")
    assert (row["claimed_temperature"], row["claimed_temperature_decimal"], row["gamma"]) == ("1/16", "0.0625", "3")
    assert (row["bound_lower"], row["bound_upper_decimal"]) == ("1/4", "0.25")


def test_heads_of_different_temperatures_have_a_row_each() -> None:
    rows = [row for row in read(replace(REPORT, claims=(TWO_TEMPERATURES,))) if row["n"] == "8"]
    assert [(row["heads"], row["claimed_temperature"], row["critical_temperature_lower"], row["slack_lower"])
            for row in rows] == [("1.1", "1", "3/4", "3/4"), ("1.2, 2.1, 2.2 and 1 more", "1/4", "3/16", "3/4")]
    assert {row["heads"] for row in read(REPORT)} == {""}


def test_decimals_enclose_the_fractions() -> None:
    checked = 0
    for row in read(REPORT):
        for name in COLUMNS:
            if name.endswith("_lower") and row[name]:
                assert Fraction(Decimal(row[f"{name}_decimal"])) <= Fraction(row[name])
                upper = name.removesuffix("_lower") + "_upper"
                assert Fraction(Decimal(row[f"{upper}_decimal"])) >= Fraction(row[upper])
                checked += 1
    assert checked == 13 + 13 + 5 * 4


def test_a_name_cannot_become_a_formula_of_a_spreadsheet_or_a_second_row() -> None:
    rows = read(replace(REPORT, claims=(replace(CLAIMS[3], name='=HYPERLINK("x")', statement='a\n"b",c'),)))
    assert [(row["claim"], row["statement"]) for row in rows] == [("'=HYPERLINK(\"x\")", 'a "b",c')]
    assert read(HOSTILE)[0]["claim"] == "<script>alert(1)</script>"
