"""The figures of an audit as CSV: a row for each claim, length and temperature, as fractions and outward decimals."""

import csv
import io
from collections.abc import Iterator

from certify.auditing.results import AuditReport, ClaimResult, CriticalConstant, HeadTemperature, LengthVerdict
from certify.auditing.wording import by_length, by_temperature, one_line, show_heads, temperatures_differ
from certify.common.json_form import format_exact
from certify.common.numbers import decimal, decimal_lower, decimal_upper
from constructions.language.expressions import Constant
from proofs.enclosures.intervals import Interval

_ENCLOSED = ("error", "bound", "critical_gamma", "critical_gamma_up_to_n", "critical_temperature", "slack")
_PARTS = ("lower", "upper", "lower_decimal", "upper_decimal")
COLUMNS = (
    "claim", "statement", "n", "verdict", "gamma", "claimed_temperature", "claimed_temperature_decimal",
    *(f"{name}_{part}" for name in _ENCLOSED for part in _PARTS), "heads", "paper", "version_read",
)  # fmt: skip


def render_csv(report: AuditReport) -> str:
    """Return the whole file; a claim without numbers has one row, without a length."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    paper = report.paper
    source = [cell_text(f"{paper.authors}, {paper.title}"), cell_text(paper.version)] if paper else ["", ""]
    for claim in report.claims:
        writer.writerows([*row, *source] for row in _rows(claim))
    return file.getvalue()


def _rows(claim: ClaimResult) -> Iterator[list[str]]:
    looked_at = list(by_length(claim))
    for n, row, critical in looked_at:
        for temperature in by_temperature(critical):
            heads = show_heads(temperature.heads) if temperature and temperatures_differ(claim) else ""
            yield [*_about(claim), str(n), row.verdict if row else "",
                   *_figures(claim.gamma, row, critical, temperature), heads]
    if not looked_at:
        whole = LengthVerdict(0, claim.verdict, claim.error, claim.bound)
        yield [*_about(claim), "", claim.verdict, *_figures(claim.gamma, whole, None, None), ""]


def _about(claim: ClaimResult) -> list[str]:
    return [cell_text(claim.name), cell_text(claim.statement)]


def _figures(gamma: Constant | None, row: LengthVerdict | None, critical: CriticalConstant | None,
             temperature: HeadTemperature | None) -> list[str]:
    claimed = temperature.claimed if temperature else None
    enclosed = (row.error if row else None, row.bound if row else None,
                critical.gamma if critical else None, critical.up_to if critical else None,
                temperature.critical if temperature else None, critical.slack if critical else None)
    stated = temperature.text if temperature and temperature.text else _exact(claimed)
    return [_exact(gamma), stated, "" if claimed is None else decimal(claimed, 12),
            *(cell for interval in enclosed for cell in _both_ends(interval))]


def _exact(x: Constant | None) -> str:
    return "" if x is None else format_exact(x)


def _both_ends(interval: Interval | None) -> tuple[str, ...]:
    if interval is None:
        return ("",) * len(_PARTS)
    return (format_exact(interval.lower), format_exact(interval.upper),
            decimal_lower(interval.lower), decimal_upper(interval.upper))


def cell_text(text: str) -> str:
    """Escape text so that spreadsheets do not parse it as a formula.

    >>> cell_text("=1+1"), cell_text("Lemma 6")
    ("'=1+1", 'Lemma 6')
    """
    line = one_line(text)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
