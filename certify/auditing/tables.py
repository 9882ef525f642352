"""The display of `certify audit`: claims in a table, one claim length by length, the source statement by statement."""

from collections.abc import Iterable
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from certify.auditing import wording
from certify.auditing.results import (
    AuditReport,
    ClaimResult,
    CriticalConstant,
    HeadTemperature,
    LengthVerdict,
)
from certify.auditing.suggest import Suggestion
from certify.common.terminal_tables import NARROW, Cell, TableColumn, numbers, plain, print_table, verdict_text
from certify.common.verdicts import colour
from constructions.network.lengths import Lengths

NOT_MET = "bold magenta"
Cells = dict[str, Cell]
"""The cells of a line by the names of their columns."""
FOLDED = ("critical constant", "critical temperature")
"""Columns that may be folded in the report on a single claim."""
SHOWN_REMARKS = ("unexpected", "reading", "rests on", "reason")
"""Remarks that restrict the row of a claim, and so must be shown."""
UNNAMED = "claim"
"""The name of a claim outside a claims file."""
HEADS = "of head"
CLAIMS = (TableColumn("claim", folds=True), TableColumn("statement", needs=NARROW, folds=True), TableColumn("verdict"),
          *numbers("measured", "bound", "lengths"), TableColumn("seconds", "right", NARROW), TableColumn("expected"))
STATEMENTS = (TableColumn("statement", folds=True, most=24), TableColumn("verdict"),
              TableColumn("finding", folds=True),
              TableColumn("claims", needs=NARROW, folds=True))
CRITICAL = (*numbers("critical constant", "up to n", "critical temperature"), TableColumn(HEADS),
            TableColumn("slack", "right"))
SUGGESTED = (*numbers("layer", "head"), TableColumn("statement"), TableColumn("attends to", folds=True),
             *numbers("claimed", "critical", "suggested"))


def print_report(out: Console, report: AuditReport) -> None:
    """Print the whole audit: one claim in full, several as tables; then the statements and the summary."""
    out.print(plain(f"audit     {wording.one_line(report.title)}", style="bold"))
    for name, text in wording.describe_source(report):
        out.print(plain(f"{name:10}{text}"))
    out.print()
    if len(report.claims) == 1:
        print_claim(out, report.claims[0])
    else:
        print_table(out, CLAIMS, map(_claim_cells, report.claims))
        _print_criticals(out, report.claims)
        _print_findings(out, report.claims)
    if report.statements:
        out.print()
        print_table(out, STATEMENTS, [
            (wording.one_line(one.statement), verdict_text(one.verdict), wording.one_line(one.text),
             wording.one_line(", ".join(one.claims))) for one in report.statements])
    out.print()
    out.print(plain(wording.summarize(report), style="bold"))
    if interruption := wording.describe_interruption(report):
        out.print(plain(interruption, style=NOT_MET))


# -- several claims ----------------------------------------------------------------------------------------------------


def _claim_cells(claim: ClaimResult) -> Cells:
    expectation = wording.describe_expectation(claim)
    return {
        "claim": wording.one_line(claim.name),
        "statement": wording.one_line(claim.statement) or "-",
        "verdict": verdict_text(claim.verdict),
        "measured": wording.show_enclosed(claim.error),
        "bound": wording.show_enclosed(claim.bound),
        "lengths": wording.one_line(claim.lengths),
        "seconds": f"{claim.seconds:.2f}",
        "expected": plain({"as expected": "yes", "unexpected": "NO"}.get(expectation, expectation),
                          style=NOT_MET if claim.mismatch else ""),
    }


def _print_criticals(out: Console, claims: tuple[ClaimResult, ...]) -> None:
    """Print the critical constants of all claims, one row per claim and length."""
    if not any(claim.criticals for claim in claims):
        return
    columns = [TableColumn("claim", folds=True), TableColumn("n", "right"), *_critical_columns(claims)]
    if any(critical.form for claim in claims for critical in claim.criticals):
        columns.append(TableColumn("closed form", folds=True))
    rows: list[Cells] = []
    for claim in claims:
        for critical in claim.criticals:
            place: Cells = {"claim": wording.one_line(claim.name), "n": str(critical.n)}
            rows += [place | _critical_cells(critical), *_other_temperatures(critical)]
    out.print()
    print_table(out, columns, rows)


def _print_findings(out: Console, claims: tuple[ClaimResult, ...]) -> None:
    """Print the details of claims: refutations, reasons, broken expectations."""
    for claim in claims:
        texts = [(name, text) for name, text in wording.remarks(claim) if name in SHOWN_REMARKS]
        if claim.witness or texts:
            out.print()
            name = plain(wording.one_line(claim.name), style="bold")
            out.print(name.append("  ").append_text(verdict_text(claim.verdict)))
            _print_remarks(out, claim, texts)


# -- one claim ---------------------------------------------------------------------------------------------------------


def print_claim(out: Console, claim: ClaimResult) -> None:
    """Print one claim in full: its text, length by length, the verdict, and all remarks."""
    facts = [("claim", "" if claim.name == UNNAMED else claim.name), ("statement", claim.statement),
             ("says", claim.says), ("subject", claim.subject), ("lengths", claim.lengths),
             ("gamma", "" if claim.gamma is None else str(claim.gamma))]
    for name, text in facts:
        if text:
            out.print(plain(f"{name:10}{wording.one_line(text)}"))
    if claim.rows or claim.criticals:
        out.print()
        print_table(out, *_lengths(claim))
    out.print()
    out.print(_verdict_line(claim))
    _print_remarks(out, claim, wording.remarks(claim))


def _verdict_line(claim: ClaimResult) -> Text:
    parts = [wording.describe_expectation(claim), f"{claim.seconds:.2f} s"]
    if claim.error:
        bound = f", claimed {wording.show_enclosed(claim.bound)}" if claim.bound else ""
        parts.insert(0, f"{claim.measure} {wording.show_enclosed(claim.error)}{bound}")
    line = Text().append(claim.verdict.upper(), style=colour(claim.verdict))
    return line.append("  ").append_text(plain("; ".join(part for part in parts if part != "-")))


def _print_remarks(out: Console, claim: ClaimResult, texts: list[tuple[str, str]]) -> None:
    if claim.witness:
        out.print(plain(f"  witness     {wording.describe_witness(claim.witness)}"))
        if claim.witness.command:
            out.print(plain(f"  replay      {claim.witness.command}"))
    for name, text in texts:
        out.print(plain(f"  {name:11} {text}", style=NOT_MET if name == "unexpected" else ""))


def _lengths(claim: ClaimResult) -> tuple[list[TableColumn], list[Cells]]:
    """Return the table of lengths, without columns that would be empty."""
    columns = [TableColumn("n", "right"), TableColumn("verdict")]
    if claim.rows:
        columns.append(TableColumn(claim.measure, "right"))
    if claim.criticals:
        columns += [replace(column, folds=column.name in FOLDED) for column in _critical_columns([claim])]
    if any(row.where or row.reason for row in claim.rows):
        columns.append(TableColumn("where", needs=NARROW, folds=True))
    rows: list[Cells] = []
    for n, row, critical in wording.by_length(claim):
        rows += [{"n": str(n), **_row_cells(row, claim.measure), **_critical_cells(critical)},
                 *_other_temperatures(critical)]
    return columns, rows


def _row_cells(row: LengthVerdict | None, measure: str) -> Cells:
    return {
        "verdict": verdict_text(row.verdict) if row else "-",
        measure: wording.show_enclosed(row.error if row else None),
        "where": wording.one_line("; ".join(part for part in (row.where, row.reason) if part)) if row else "",
    }


def _critical_columns(claims: Iterable[ClaimResult]) -> list[TableColumn]:
    """Return the columns of critical constants; heads are named only if temperatures differ."""
    named = any(wording.temperatures_differ(claim) for claim in claims)
    return [column for column in CRITICAL if named or column.name != HEADS]


def _critical_cells(critical: CriticalConstant | None) -> Cells:
    """Return the first line of a critical constant: all except the temperatures of other heads."""
    if critical is None:
        return {}
    return {
        "critical constant": wording.show_enclosed(critical.gamma),
        "up to n": wording.show_enclosed(critical.up_to),
        "slack": wording.show_slack(critical.slack),
        "closed form": wording.name_form(critical.form),
        **_temperature_cells(wording.by_temperature(critical)[0]),
    }


def _other_temperatures(critical: CriticalConstant | None) -> list[Cells]:
    """Return a line for each further temperature."""
    return [_temperature_cells(temperature) for temperature in wording.by_temperature(critical)[1:]]


def _temperature_cells(temperature: HeadTemperature | None) -> Cells:
    return {"critical temperature": wording.show_enclosed(temperature.critical if temperature else None),
            HEADS: wording.show_heads(temperature.heads) if temperature else "-"}


# -- suggestions -------------------------------------------------------------------------------------------------------


def print_suggested(out: Console, suggestion: Suggestion, lengths: Lengths) -> None:
    """Print the heads with their claimed, critical and suggested constants, and the verdict on all together."""
    print_table(out, SUGGESTED, [
        (*map(str, head.place), head.source, head.name, str(head.claimed),
         wording.show_enclosed(head.critical, head.passing), str(head.suggested)) for head in suggestion.heads])
    outcome = suggestion.outcome
    out.print()
    out.print(verdict_text(outcome.verdict).append_text(plain(f"  with the suggested constants, for {lengths.claim}")))
