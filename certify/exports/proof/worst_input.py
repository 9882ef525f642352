"""The worst input of a head: position by position, and the error as a quotient of sums of powers of e."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.families import positions_of
from certify.claims.critical.irrational_temperatures import IrrationalTemperature, latex_of, tau_of
from certify.claims.critical.powers import ErrorForm, PowerSum, error_form
from certify.common.numbers import decimal
from certify.exports.latex_tables import decimal_number, math, number, table
from certify.exports.proof.paper import between
from constructions.network.transformer import Transformer
from proofs.formula.attention.worst_case import SweepExtreme
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import Line
from proofs.formula.lookup.worst_case import LookupExtreme

MOST_POSITIONS = 16
MOST_TERMS = 9


def worst_input(transformer: Transformer, line: Line) -> Iterator[str]:
    """Yield the input with the greatest error of the head, for each truth of its target."""
    assert line.worst
    shown: list[Extreme] = []
    for extreme in line.worst.extremes:
        if extreme.lower > 0 and all(extreme.terms() != other.terms() for other in shown):
            shown.append(extreme)
            yield from _describe(extreme, _Exponents.of(transformer, line, extreme))


@dataclass(frozen=True)
class _Exponents:
    """The form of an input, with exponents over an irrational temperature, if there is one.

    ``rounded`` if it contains other irrational numbers, with ln and sqrt rounded down.
    """

    form: ErrorForm
    temperature: IrrationalTemperature | None
    rounded: bool = False

    @classmethod
    def of(cls, transformer: Transformer, line: Line, extreme: Extreme) -> _Exponents:
        """Return the exponents of an input of a head."""
        try:
            temperature = tau_of(transformer, line, extreme)
        except NoClosedForm:
            return cls(error_form(extreme.terms(), Fraction(1)), None, rounded=True)
        terms = temperature.terms(extreme) if temperature else extreme.terms()
        return cls(error_form(terms, Fraction(1)), temperature)

    def written(self, exponent: Fraction) -> str:
        """Format an exponent on one line."""
        if self.rounded:
            return decimal_number(decimal(exponent))
        if self.temperature is not None and exponent:
            return latex_of(self.temperature.over(exponent))
        return str(exponent.numerator) if exponent.denominator == 1 else f"{exponent.numerator}/{exponent.denominator}"

    def gap(self, exponent: Fraction) -> str:
        """Format an exponent in a table."""
        return self.written(exponent) if self.rounded or (self.temperature and exponent) else number(exponent)


def _describe(extreme: Extreme, exponents: _Exponents) -> Iterator[str]:
    yield (rf"{_which(extreme)} the error over all inputs is greatest at $n = {extreme.n}$, $i = {extreme.i}$"
           + (f" with a count of ${extreme.count}$" if extreme.count is not None else "")
           + f", where it is {between(extreme.lower, extreme.upper)}"
           + (", with exponents and gaps to six digits:" if exponents.rounded else ":") + _quotient(exponents))
    yield from table(*_positions(extreme, exponents))


def _which(extreme: Extreme) -> str:
    match extreme:
        case SweepExtreme(truth=truth):
            return f"Where the target is {'true' if truth else 'false'},"
        case LookupExtreme(excess=excess):
            return f"{'Above' if excess else 'Below'} the target,"
    raise AssertionError("an extreme of a head")


def _quotient(exponents: _Exponents) -> str:
    """Return the error as an expression, if it is short."""
    form = exponents.form
    missed, total = form.missed, form.total
    if max(len(missed.coefficients), len(total.coefficients)) > MOST_TERMS:
        return r" with $g_j$ the gap of $j$, $\sum_j \epsilon_j e^{-g_j} / \sum_j e^{-g_j}$."
    return rf"\[ \frac{{{_sum(missed, exponents)}}}{{{_sum(total, exponents)}}}. \]"


def _sum(form: PowerSum, exponents: _Exponents) -> str:
    parts = []
    for exponent, weight in form.coefficients:
        power = rf"e^{{-{exponents.written(exponent)}}}" if exponent else ""
        parts.append(number(weight) if not power else power if weight == 1 else f"{number(weight)} {power}")
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _positions(extreme: Extreme, exponents: _Exponents) -> tuple[str, Sequence[str], Sequence[Sequence[str]]]:
    """Return the positions with the least gaps, in the order of the word."""
    places = list(zip(positions_of(extreme), exponents.form.terms, strict=True))
    nearest = sorted(sorted(places, key=lambda place: place[1][0])[:MOST_POSITIONS])
    title = "The worst input" + (f" (the {MOST_POSITIONS} heaviest of {len(places)} positions)"
                                 if len(places) > MOST_POSITIONS else "")
    rows = [(f"${j}$", math(exponents.gap(gap)), math(number(error))) for j, (gap, error) in nearest]
    return title, ("$j$", r"gap $\max_k s_{ik} - s_{ij}$", r"$\epsilon_j$"), rows
