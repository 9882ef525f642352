"""The display of float models: a row for each, a wrong execution in one sentence, the assumptions."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from certify.claims.floats.models import assumptions
from certify.claims.floats.survey import FloatRow
from certify.common.numbers import decimal, decimal_upper
from certify.common.terminal_tables import TableColumn, plain, print_table, verdict_text
from certify.common.words import show_word
from constructions.network.lengths import Lengths
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.execution.replay import Refutation

LONGEST_WORD = 80
"""A longer word is truncated in the table; the JSON object has it whole."""


def print_rows(out: Console, rows: Sequence[FloatRow]) -> None:
    """Print a row for each float model, then what fails at the next length."""
    columns = map(TableColumn, ("float model", "certified", "worst head", "wrong execution found", "verdict"))
    print_table(out, columns, [
        (row.float_model.name, show_lengths(row.certified), _worst(row),
         f"n = {row.refutation.n}" if row.refutation else "none found" if row.reason else "-",
         verdict_text(row.verdict)) for row in rows])
    remarks = [(row.float_model.name, text) for row in rows for text in describe_row(row)]
    if remarks:
        out.print()
    for name, text in remarks:
        out.print(plain(f"{name}: {text}"))


def show_lengths(lengths: Lengths | None) -> str:
    """Return the certified lengths.

    >>> show_lengths(Lengths(1, 64)), show_lengths(Lengths(3, 8)), show_lengths(None)
    ('n <= 64', 'n = 3..8', 'none')
    """
    if lengths is None:
        return "none"
    return f"n <= {lengths.last}" if lengths.first == 1 else f"n = {lengths}"


def print_room(out: Console, row: FloatRow) -> None:
    """Print one line: up to which length a claim about float executions is proved, and the worst head's error."""
    out.print(plain(f"floats    certified for {show_lengths(row.certified)}"
                    + (f"; head {_worst(row)} of the truth, 1/4 is allowed" if _worst(row) != "-" else "")))


def _worst(row: FloatRow) -> str:
    """Describe the largest head error; 1/4 is allowed."""
    errors = [head for head in row.heads if head.share is not None]
    if not errors:
        return "-"
    worst = max(errors, key=lambda head: head.bound)
    return f"{worst.layer}.{worst.place} within {decimal_upper(worst.bound, 3)}"


def describe_row(row: FloatRow) -> list[str]:
    """List what is not derived, and the wrong execution."""
    found = [f"not derived for longer words: {row.reason}"] if row.reason else []
    return found + ([f"{_where_found(row, row.refutation)}: {describe_refutation(row.refutation)}"]
                    if row.refutation else [])


def _where_found(row: FloatRow, found: Refutation) -> str:
    """Locate a wrong execution; shorter lengths that are not certified may have others."""
    right = row.lengths.first - 1 if row.certified is None else row.certified.last
    return f"a wrong execution at n = {found.n}" + (
        ", and shorter words are certified" if found.n == right + 1 > row.lengths.first else
        "" if found.n == right + 1 else f"; none was found at n = {right + 1} .. {found.n - 1}, which proves nothing")


def describe_refutation(found: Refutation) -> str:
    """Describe a wrong execution in one sentence: the word, the value, the truth, and how it rounded.

    ``certify floats --json`` has the whole execution, to be replayed.
    """
    word = show_word(found.word)
    word = word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}..."
    value = "not finite" if found.value is None else decimal(found.value)
    execution = found.execution
    how = [f"sums {execution.order}", f"weights normalised {execution.normalised} the sum"]
    how += ["products fused"] * execution.fused + ["subnormals flushed"] * execution.flush
    how += [f"exponentials of head {row.layer}.{row.head} at position {row.position} with the largest error allowed"
            for row in execution.pushed]
    return (f"wrong on {word} (n = {found.n}) at position {found.position}: {found.direction} is {value}, expected "
            f"{int(found.expected)}; {', '.join(how)}; replayed")


def row_to_json(row: FloatRow) -> dict[str, Any]:
    """Return one row."""
    return {
        "verdict": row.verdict,
        "float_model": row.float_model.to_json(),
        "certified": None if row.certified is None else {"min_n": row.certified.first, "max_n": row.certified.last},
        "heads": [{"head": f"{head.layer}.{head.place}", "direction": head.direction,
                   "score_error": decimal_upper(head.delta), "weight_error": decimal_upper(head.theta),
                   "output_error": decimal_upper(head.bound)} for head in row.heads],
        "reason": row.reason or None,
        "counterexample": row.refutation.to_json() if row.refutation else None,
    }


# -- presets -----------------------------------------------------------------------------------------------------------


def print_models(out: Console, classes: Sequence[FloatModel]) -> None:
    """Print every float model with its assumptions and their sources."""
    for place, float_model in enumerate(classes):
        if place:
            out.print()
        out.print(plain(float_model.name, style="bold"))
        for name, value, why in assumptions(float_model):
            out.print(plain(f"  {name:<11}{value:<9} {why}".rstrip()))
