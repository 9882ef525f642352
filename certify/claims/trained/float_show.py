"""Text and JSON of a claim about words under several float models."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from certify.claims.trained.decision import Decision
from certify.claims.trained.float_decision import FloatModelRow
from certify.claims.trained.show import describe_verdict, describe_wrong
from certify.claims.trained.showing import decision_to_json
from certify.common.terminal_tables import TableColumn, plain, print_table, verdict_text


def print_float_rows(out: Console, rows: Sequence[FloatModelRow]) -> None:
    """Print a row for each float model, then the wrong executions, and the reasons for what is unknown."""
    print_table(out, map(TableColumn, ("float model", "certified", "wrong execution found", "verdict")), [
        (*cells[:-1], verdict_text(cells[-1])) for cells in map(cells_of, rows)])
    out.print()
    for row in rows:
        first, *wrong = describe_row(row)
        out.print(plain(f"{row.run.name}: {first}"))
        for line in wrong:
            out.print(plain(line))


def describe_row(row: FloatModelRow) -> list[str]:
    """Describe what is certified, why the rest is unknown, and the wrong execution, if there is one."""
    if row.decision is None:
        return [row.reason]
    wrong = row.decision.wrong
    return [describe_verdict(row.decision), *([describe_wrong(row.decision, wrong)] if wrong else [])]


def cells_of(row: FloatModelRow) -> tuple[str, str, str, str]:
    """Return the name, the certified lengths, the length of a wrong execution, the verdict."""
    return (row.run.name, *_of_class(row.decision), row.verdict)


def _of_class(decision: Decision | None) -> tuple[str, str]:
    if decision is None:
        return "none", "-"
    certified = decision.certified_to
    return ("none" if certified is None else f"n <= {certified}" if decision.rows[0].n == 1 else
            f"n = {decision.rows[0].n}..{certified}", f"n = {len(decision.wrong.word)}" if decision.wrong else "-")


def float_rows_to_json(rows: Sequence[FloatModelRow]) -> list[dict[str, Any]]:
    """Return the rows as JSON."""
    return [decision_to_json(row.decision) if row.decision is not None else
            {"verdict": row.verdict, "float": row.run.to_json(), "reason": row.reason} for row in rows]
