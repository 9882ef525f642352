"""What `certify audit` prints: claims in a table, one claim length by length, the source statement by statement."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from certify.auditing.results import AuditReport, ClaimResult, CriticalConstant, HeadTemperature, LengthVerdict, Verdict
from certify.auditing.suggest import Suggestion
from certify.auditing.wording import (
    by_length,
    by_temperature,
    describe_expectation,
    describe_interruption,
    describe_source,
    describe_witness,
    name_form,
    one_line,
    remarks,
    show_enclosed,
    show_heads,
    show_slack,
    summarize,
    temperatures_differ,
)
from certify.frame.terminal_tables import NARROW, open_table, plain, print_table
from certify.frame.verdicts import colour
from constructions.network.lengths import Lengths

NOT_MET = "bold magenta"
NAME_WIDTH = 24
Cells = dict[str, Text]
"""The cells of a line by the titles of their columns."""
UNNAMED = "claim"
"""The name of a claim that no claims file has."""
HEADS = "of head"
CRITICAL_COLUMNS = [("critical constant", "right"), ("up to n", "right"), ("critical temperature", "right"),
                    (HEADS, "left"), ("slack", "right")]


def print_report(out: Console, report: AuditReport) -> None:
    """The whole audit: one claim in full, several as tables; then the statements and the summary."""
    out.print(plain(f"audit     {one_line(report.title)}", style="bold"))
    for name, text in describe_source(report):
        out.print(plain(f"{name:10}{text}"))
    out.print()
    if len(report.claims) == 1:
        print_claim(out, report.claims[0])
    else:
        print_table(out, *claims_table(report.claims, out.width))
        _print_criticals(out, report.claims)
        _print_findings(out, report.claims)
    if report.statements:
        out.print()
        print_table(out, *statements_table(report, out.width))
    out.print()
    out.print(plain(summarize(report), style="bold"))
    if interruption := describe_interruption(report):
        out.print(plain(interruption, style=NOT_MET))


# -- several claims ----------------------------------------------------------------------------------------------------


def claims_table(claims: tuple[ClaimResult, ...], width: int) -> tuple[Table, list[str]]:
    """A row for each claim; narrow ones leave out what the reports in files have. Also, what is left out."""
    columns = [("claim", "left"), ("statement", "left"), ("verdict", "left"), ("measured", "right"), ("bound", "right"),
               ("lengths", "right"), ("seconds", "right"), ("expected", "left")]
    kept = [column for column in columns if width >= NARROW or column[0] not in ("statement", "seconds")]
    table = open_table(kept, fold=("claim", "statement"))
    for claim in claims:
        cells = _claim_cells(claim)
        table.add_row(*(cells[title] for title, _ in kept))
    return table, _left_out(columns, kept)


def _left_out(columns: list[tuple[str, str]], kept: list[tuple[str, str]]) -> list[str]:
    return [title for title, side in columns if (title, side) not in kept]


def _claim_cells(claim: ClaimResult) -> Cells:
    expectation = describe_expectation(claim)
    return {
        "claim": plain(one_line(claim.name)),
        "statement": plain(one_line(claim.statement) or "-"),
        "verdict": verdict_text(claim.verdict),
        "measured": plain(show_enclosed(claim.error)),
        "bound": plain(show_enclosed(claim.bound)),
        "lengths": plain(one_line(claim.lengths)),
        "seconds": plain(f"{claim.seconds:.2f}"),
        "expected": plain({"as expected": "yes", "unexpected": "NO"}.get(expectation, expectation),
                          style=NOT_MET if claim.mismatch else ""),
    }


def verdict_text(verdict: Verdict) -> Text:
    """The verdict in its colour."""
    return plain(verdict, style=colour(verdict))


def _print_criticals(out: Console, claims: tuple[ClaimResult, ...]) -> None:
    """The critical constants of all claims, one row per claim and length."""
    if not any(claim.criticals for claim in claims):
        return
    columns = [("claim", "left"), ("n", "right"), *_critical_columns(claims)]
    if any(critical.form for claim in claims for critical in claim.criticals):
        columns.append(("closed form", "left"))
    table = open_table(columns, fold=("claim", "closed form"))
    for claim in claims:
        for critical in claim.criticals:
            place = {"claim": plain(one_line(claim.name)), "n": plain(str(critical.n))}
            _add_lines(table, columns, [place | _critical_cells(critical), *_other_temperatures(critical)])
    out.print()
    print_table(out, table)


def _print_findings(out: Console, claims: tuple[ClaimResult, ...]) -> None:
    """What the row of a claim has no room for: refutations, reasons, broken expectations."""
    for claim in claims:
        texts = [(name, text) for name, text in remarks(claim) if name in ("unexpected", "reason")]
        if claim.witness or texts:
            out.print()
            out.print(plain(one_line(claim.name), style="bold").append("  ").append_text(verdict_text(claim.verdict)))
            _print_remarks(out, claim, texts)


def statements_table(report: AuditReport, width: int) -> tuple[Table, list[str]]:
    """Statement by statement, what its claims say together; and what is left out."""
    columns = [("statement", "left"), ("verdict", "left"), ("what the audit says", "left"), ("claims", "left")]
    kept = [column for column in columns if width >= NARROW or column[0] != "claims"]
    table = open_table(kept, fold=("statement", "what the audit says", "claims"))
    table.columns[0].max_width = NAME_WIDTH
    for statement in report.statements:
        cells = {"statement": plain(one_line(statement.statement)), "verdict": verdict_text(statement.verdict),
                 "what the audit says": plain(one_line(statement.text)),
                 "claims": plain(one_line(", ".join(statement.claims)))}
        table.add_row(*(cells[title] for title, _ in kept))
    return table, _left_out(columns, kept)


# -- one claim ---------------------------------------------------------------------------------------------------------


def print_claim(out: Console, claim: ClaimResult) -> None:
    """One claim in full: what it says, length by length, how it came out, and what else is known."""
    facts = [("claim", "" if claim.name == UNNAMED else claim.name), ("statement", claim.statement),
             ("says", claim.says), ("subject", claim.subject), ("lengths", claim.lengths),
             ("gamma", "" if claim.gamma is None else str(claim.gamma))]
    for name, text in facts:
        if text:
            out.print(plain(f"{name:10}{one_line(text)}"))
    if claim.rows or claim.criticals:
        out.print()
        print_table(out, *lengths_table(claim, out.width))
    out.print()
    out.print(_verdict_line(claim))
    _print_remarks(out, claim, remarks(claim))


def _verdict_line(claim: ClaimResult) -> Text:
    parts = [describe_expectation(claim), f"{claim.seconds:.2f} s"]
    if claim.error:
        bound = f", claimed {show_enclosed(claim.bound)}" if claim.bound else ""
        parts.insert(0, f"{claim.measure} {show_enclosed(claim.error)}{bound}")
    line = Text().append(claim.verdict.upper(), style=colour(claim.verdict))
    return line.append("  ").append_text(plain("; ".join(part for part in parts if part != "-")))


def _print_remarks(out: Console, claim: ClaimResult, texts: list[tuple[str, str]]) -> None:
    if claim.witness:
        out.print(plain(f"  witness     {describe_witness(claim.witness)}"))
        if claim.witness.command:
            out.print(plain(f"  replay      {claim.witness.command}"))
    for name, text in texts:
        out.print(plain(f"  {name:11} {text}", style=NOT_MET if name == "unexpected" else ""))


def lengths_table(claim: ClaimResult, width: int) -> tuple[Table, list[str]]:
    """What is known of each length, without columns that would be empty; and what narrow ones leave out."""
    columns = [("n", "right"), ("verdict", "left")]
    if claim.rows:
        columns.append((claim.measure, "right"))
    if claim.criticals:
        columns += _critical_columns([claim])
    located = any(row.where or row.reason for row in claim.rows)
    if located and width >= NARROW:
        columns.append(("where", "left"))
    table = open_table(columns, fold=("critical constant", "critical temperature", "where"))
    for n, row, critical in by_length(claim):
        cells = {"n": plain(str(n)), **_row_cells(row, claim.measure), **_critical_cells(critical)}
        _add_lines(table, columns, [cells, *_other_temperatures(critical)])
    return table, ["where"] if located and width < NARROW else []


def _add_lines(table: Table, columns: list[tuple[str, str]], lines: Iterable[Cells]) -> None:
    for cells in lines:
        table.add_row(*(cells.get(title, plain("")) for title, _ in columns))


def _row_cells(row: LengthVerdict | None, measure: str) -> Cells:
    return {
        "verdict": verdict_text(row.verdict) if row else plain("-"),
        measure: plain(show_enclosed(row.error if row else None)),
        "where": plain(one_line("; ".join(part for part in (row.where, row.reason) if part)) if row else ""),
    }


def _critical_columns(claims: Iterable[ClaimResult]) -> list[tuple[str, str]]:
    """The column that names heads is for temperatures that differ."""
    named = any(temperatures_differ(claim) for claim in claims)
    return [column for column in CRITICAL_COLUMNS if named or column[0] != HEADS]


def _critical_cells(critical: CriticalConstant | None) -> Cells:
    """The first line of a critical constant: all but the temperatures of other heads."""
    if critical is None:
        return {}
    return {
        "critical constant": plain(show_enclosed(critical.gamma)),
        "up to n": plain(show_enclosed(critical.up_to)),
        "slack": plain(show_slack(critical.slack)),
        "closed form": plain(name_form(critical.form)),
        **_temperature_cells(by_temperature(critical)[0]),
    }


def _other_temperatures(critical: CriticalConstant | None) -> list[Cells]:
    """A line for each further temperature."""
    return [_temperature_cells(temperature) for temperature in by_temperature(critical)[1:]]


def _temperature_cells(temperature: HeadTemperature | None) -> Cells:
    return {"critical temperature": plain(show_enclosed(temperature.critical if temperature else None)),
            HEADS: plain(show_heads(temperature.heads) if temperature else "-")}


# -- suggestions -------------------------------------------------------------------------------------------------------


def print_suggested(out: Console, suggestion: Suggestion, lengths: Lengths) -> None:
    """The heads with their claimed, critical and suggested constants, and the verdict on all suggested together."""
    table = open_table([("layer", "right"), ("head", "right"), ("statement", "left"), ("attends to", "left"),
                        ("claimed", "right"), ("critical", "right"), ("suggested", "right")], fold=("attends to",))
    for head in suggestion.heads:
        table.add_row(str(head.place[0]), str(head.place[1]), plain(head.source), plain(head.name), str(head.claimed),
                      plain(show_enclosed(head.critical, head.passing)), str(head.suggested))
    print_table(out, table)
    outcome = suggestion.outcome
    out.print()
    verdict: Verdict = outcome.verdict  # type: ignore[assignment]  # one of the four, which are verdicts here as well
    out.print(verdict_text(verdict).append_text(plain(f"  with the suggested constants, for {lengths.claim}")))
