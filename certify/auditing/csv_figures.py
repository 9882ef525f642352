"""The figures of an audit as CSV: a row for each claim and length, exact fractions beside decimals rounded outward."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from fractions import Fraction

from certify.auditing.results import AuditReport, Bracket, ClaimResult, Critical, Row
from certify.auditing.to_json import format_exact
from certify.auditing.wording import by_length, one_line
from certify.showing.numbers import decimal, decimal_lower, decimal_upper

_BRACKETS = ("error", "bound", "critical_gamma", "critical_gamma_up_to_n", "critical_temperature", "slack")
_PARTS = ("lower", "upper", "lower_decimal", "upper_decimal")
COLUMNS = (
    "claim", "statement", "n", "verdict", "gamma", "claimed_temperature", "claimed_temperature_decimal",
    *(f"{bracket}_{part}" for bracket in _BRACKETS for part in _PARTS),
)  # fmt: skip


def render_csv(report: AuditReport) -> str:
    """The whole file; a claim without numbers has one row, without a length."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for claim in report.claims:
        writer.writerows(_rows(claim))
    return file.getvalue()


def _rows(claim: ClaimResult) -> Iterator[list[str]]:
    looked_at = list(by_length(claim))
    for n, row, critical in looked_at:
        yield [*_about(claim), str(n), row.verdict if row else "", *_figures(claim.gamma, row, critical)]
    if not looked_at:
        whole = Row(0, claim.verdict, claim.error, claim.bound)
        yield [*_about(claim), "", claim.verdict, *_figures(claim.gamma, whole, None)]


def _about(claim: ClaimResult) -> list[str]:
    return [cell_text(claim.name), cell_text(claim.statement)]


def _figures(gamma: Fraction | None, row: Row | None, critical: Critical | None) -> list[str]:
    claimed = critical.claimed_temperature if critical else None
    brackets = [*((row.error, row.bound) if row else (None,) * 2),
                *((critical.gamma, critical.up_to, critical.temperature, critical.slack) if critical else (None,) * 4)]
    return [_exact(gamma), _exact(claimed), "" if claimed is None else decimal(claimed, 12),
            *(cell for bracket in brackets for cell in _bracket(bracket))]


def _exact(x: Fraction | None) -> str:
    return "" if x is None else format_exact(x)


def _bracket(bracket: Bracket | None) -> tuple[str, ...]:
    if bracket is None:
        return ("",) * len(_PARTS)
    return (format_exact(bracket.lower), format_exact(bracket.upper),
            decimal_lower(bracket.lower), decimal_upper(bracket.upper))


def cell_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> cell_text("=1+1"), cell_text("Lemma 6")
    ("'=1+1", 'Lemma 6')
    """
    line = one_line(text)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
