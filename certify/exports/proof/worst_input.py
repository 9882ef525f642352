"""The worst input of a head: position by position, and the error as a quotient of sums of powers of e."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from certify.exports.latex_tables import math, number, table
from certify.exports.proof.paper import between
from certify.symbols.families import positions_of
from certify.symbols.powers import ErrorForm, PowerSum, error_form
from proofs.discharge import Line
from proofs.exact.attention import SweepExtreme
from proofs.exact.extremes import Extreme
from proofs.exact.lookup import LookupExtreme

MOST_POSITIONS = 16
MOST_TERMS = 9


def worst_input(line: Line) -> Iterator[str]:
    """The input on which the head errs most, for each truth of its target."""
    assert line.worst
    shown: list[Extreme] = []
    for extreme in line.worst.extremes:
        if extreme.lower > 0 and all(extreme.terms() != other.terms() for other in shown):
            shown.append(extreme)
            yield from _describe(extreme)


def _describe(extreme: Extreme) -> Iterator[str]:
    form = error_form(extreme.terms(), Fraction(1))
    yield (rf"{_which(extreme)} the error is greatest at $n = {extreme.n}$, $i = {extreme.i}$"
           + (f" with a count of ${extreme.count}$" if extreme.count is not None else "")
           + f", where it is {between(extreme.lower, extreme.upper)}:" + _quotient(form))
    yield from table(*_positions(extreme, form))


def _which(extreme: Extreme) -> str:
    match extreme:
        case SweepExtreme(truth=truth):
            return f"Where the target is {'true' if truth else 'false'},"
        case LookupExtreme(excess=excess):
            return f"{'Above' if excess else 'Below'} the target,"
    raise AssertionError("an extreme of a head")


def _quotient(form: ErrorForm) -> str:
    """The error as an expression, if it is short."""
    missed, total = form.missed, form.total
    if max(len(missed.coefficients), len(total.coefficients)) > MOST_TERMS:
        return r" with $g_j$ the gap of $j$, $\sum_j \epsilon_j e^{-g_j} / \sum_j e^{-g_j}$."
    return rf"\[ \frac{{{_sum(missed)}}}{{{_sum(total)}}}. \]"


def _sum(form: PowerSum) -> str:
    parts = []
    for exponent, weight in form.coefficients:
        power = rf"e^{{-{_exponent(exponent)}}}" if exponent else ""
        parts.append(number(weight) if not power else power if weight == 1 else f"{number(weight)} {power}")
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _exponent(x: Fraction) -> str:
    return str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"


def _positions(extreme: Extreme, form: ErrorForm) -> tuple[str, Sequence[str], Sequence[Sequence[str]]]:
    """The positions with the least gaps, in the order of the word."""
    places = list(zip(positions_of(extreme), form.terms, strict=True))
    nearest = sorted(sorted(places, key=lambda place: place[1][0])[:MOST_POSITIONS])
    title = "The worst input" + (f" (the {MOST_POSITIONS} heaviest of {len(places)} positions)"
                                 if len(places) > MOST_POSITIONS else "")
    rows = [(f"${j}$", math(number(gap)), math(number(error))) for j, (gap, error) in nearest]
    return title, ("$j$", r"gap $\max_k s_{ik} - s_{ij}$", r"$\epsilon_j$"), rows
