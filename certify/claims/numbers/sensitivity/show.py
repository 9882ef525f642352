"""The display of `certify sensitivity`, as text and as JSON: a row for each length, the positions at the longest."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.console import Console

from certify.claims.numbers.sensitivity.results import CLAIMS, MeasuredLength, Method, Sensitivity
from certify.common.numbers import decimal, decimal_lower, decimal_upper, enclosed, ends_to_json
from certify.common.terminal_tables import TableColumn, plain, print_table, print_verdict
from certify.common.words import show_alphabet, show_word
from proofs.numbers.sensitivity.changes import Change, ReplayedPair

DIGITS = 6
COLUMNS = (TableColumn("n", "right"), TableColumn("method"), TableColumn("largest change"),
           TableColumn("exchanged at", "right"),
           TableColumn("between", folds=True))
LONGEST_WORD = 24
"""Longer words are in the JSON object only."""


def print_sensitivity(out: Console, found: Sensitivity) -> None:
    """Print what was measured, a row per length, the positions of the exchange at the longest, and the verdict."""
    out.print(plain(f"measured  {found.description}"))
    out.print(plain(f"alphabet  {show_alphabet(found.alphabet)}"))
    out.print(plain(f"change    of {found.direction} at {_where(found)}, when one symbol is exchanged"))
    for method in dict.fromkeys(row.method for row in found.rows):
        out.print(plain(f"{method.value:<10}{CLAIMS[method]}"))
    _print_lengths(out, found)
    row = found.rows[-1]
    out.print()
    print_table(out, [TableColumn("exchanged at"), TableColumn(f"largest change at n = {row.n}")],
                positions_alike(row.changes))
    if found.law:
        out.print()
        out.print(plain(f"fitted    {found.law.text} (relative residual {found.law.residual:.1g}); "
                        "a fit proves nothing"))
    print_verdict(out, found.verdict, f"{_summary(found)}; {found.seconds:.2f} s")


def _where(found: Sensitivity) -> str:
    return "every position" if found.at == "every" else f"the {found.at} position"


def _summary(found: Sensitivity) -> str:
    shown = show_change(found.rows[-1].lower, found.rows[-1].upper)
    return f"the largest change is found {_closeness(found.rows)}; at n = {found.rows[-1].n} it is {shown}"


def _closeness(rows: Sequence[MeasuredLength]) -> str:
    if all(row.lower == row.upper for row in rows):
        return "exactly"
    if any(row.upper is None for row in rows):
        return "from below"
    shown = [show_change(row.lower, row.upper) for row in rows]
    return "between bounds" if any(".." in text for text in shown) else "to all digits that are shown"


def show_change(lower: Fraction, upper: Fraction | None) -> str:
    """Return a change between its bounds, rounded outward.

    >>> show_change(Fraction(1), Fraction(1)), show_change(Fraction(1, 3), Fraction(1, 2))
    ('1', '0.333333 .. 0.5')
    """
    if upper is None:
        return f"at least {_lower(lower)}"
    if lower == upper and lower.denominator == 1:
        return str(lower)
    if not lower:
        return f"0 .. {_upper(upper)}"
    short = decimal(lower)
    return short if Fraction(short) == Fraction(decimal(upper)) else enclosed(lower, upper)


def _lower(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else decimal_lower(x, DIGITS)


def _upper(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else decimal_upper(x, DIGITS)


def _print_lengths(out: Console, found: Sensitivity) -> None:
    out.print()
    print_table(out, COLUMNS, [
        (str(row.n), row.method.value, show_change(row.lower, row.upper),
         str(row.greatest.p) if row.pair else "", _show_pair(row.pair, found)) for row in found.rows])


def _show_pair(pair: ReplayedPair | None, found: Sensitivity) -> str:
    if pair is None or len(pair.first) > LONGEST_WORD:
        return ""
    judged = f", judged at {pair.judged}" if found.at == "every" else ""
    return f"{show_word(pair.first)} and {show_word(pair.second)}{judged}"


def positions_alike(changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    """Yield neighbouring positions whose changes print as equal, and that text."""
    for text, group in groupby(changes, key=lambda change: show_change(change.lower, change.upper)):
        places = [change.p for change in group]
        yield (str(places[0]) if len(places) == 1 else f"{places[0]}..{places[-1]}"), text


# -- JSON --------------------------------------------------------------------------------------------------------------


def sensitivity_to_json(found: Sensitivity) -> dict[str, Any]:
    """Return the result as a JSON object, with every position of every length."""
    return {
        "verdict": found.verdict,
        "subject": found.description,
        "alphabet": list(found.alphabet),
        "direction": found.direction,
        "at": found.at,
        "lengths": [_row_to_json(row) for row in found.rows],
        "fit": {"law": found.law.text, "residual": found.law.residual} if found.law else None,
        "seconds": round(found.seconds, 3),
    }


def _row_to_json(row: MeasuredLength) -> dict[str, Any]:
    return {"n": row.n, "method": row.method.value, "claims": CLAIMS[Method(row.method)], **_ends(row.lower, row.upper),
            "pair": _pair_to_json(row.greatest),
            "positions": [{"p": change.p, **_ends(change.lower, change.upper), "pair": _pair_to_json(change)}
                          for change in row.changes]}


def _ends(lower: Fraction, upper: Fraction | None) -> dict[str, Any]:
    """Return a bracket: exact if both ends are equal; decimals, rounded outward."""
    exact = lower == upper
    return {"exact": str(lower) if exact else None, "lower": decimal_lower(lower),
            "upper": None if upper is None else decimal_upper(upper)}


def _pair_to_json(change: Change) -> dict[str, Any] | None:
    pair = change.pair
    if pair is None:
        return None
    return {"p": change.p, "words": [list(pair.first), list(pair.second)], "judged": pair.judged,
            **ends_to_json(pair.distance)}
