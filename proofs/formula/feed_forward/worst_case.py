"""The exact check of feed-forward outputs: a sum of piecewise linear functions, each of one form of the inputs.

Units whose forms are multiples of one another are one function of that form, so opposite slopes cancel. A form is in an
interval, which slack makes unbounded. If every function is constant there, the output is the sum of these constants.
For a lower bound of the output, the sum of the least values is compared with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from constructions.language.printer import format_briefly, format_count
from constructions.language.syntax import Count, Formula
from constructions.network.transformer import Coefficients
from proofs.enclosures.feed_forward import Units
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.obligation import FeedForwardObligation, InputCase

ZERO = Fraction(0)


@dataclass(frozen=True)
class Function:
    """The sum of write * ReLU(scale * x + bias) over ``pieces`` (scale, bias, write), where x is the form ``reads``."""

    reads: Coefficients
    pieces: tuple[tuple[Fraction, Fraction, Fraction], ...]

    def at(self, x: Fraction) -> Fraction:
        """Return the value of the function.

        >>> Function({}, ((Fraction(2), Fraction(-1), Fraction(3)),)).at(Fraction(1))
        Fraction(3, 1)
        """
        return sum((write * max(scale * x + bias, ZERO) for scale, bias, write in self.pieces), ZERO)

    def range_on(self, interval: Interval) -> Interval:
        """Return the exact range on an interval: the extremes are at its ends or at knees between them."""
        knees = [-bias / scale for scale, bias, _ in self.pieces if scale]
        places = [interval.lower, interval.upper, *(x for x in knees if interval.lower < x < interval.upper)]
        values = [self.at(x) for x in places]
        return Interval(min(values), max(values))

    def range_within(self, reach: FormInterval) -> Interval | None:
        """Return the exact range on all values of a form; None if these are unbounded and the function is not constant.

        Beyond its last knee on a side the function is affine: with slope 0, it has the value at the knee there.
        """
        if not reach.sides:
            return self.range_on(reach.interval)
        if any(map(self._slope_beyond, reach.sides)):
            return None
        knees = [-bias / scale for scale, bias, _ in self.pieces if scale]
        least, greatest = reach.interval.lower, reach.interval.upper
        values = self.range_on(Interval(min([least, *knees]) if -1 in reach.sides else least,
                                        max([greatest, *knees]) if 1 in reach.sides else greatest))
        return values if values.is_point else None

    def _slope_beyond(self, side: int) -> Fraction:
        return sum((write * scale for scale, _, write in self.pieces if scale * side > 0), ZERO)


@dataclass(frozen=True)
class FormInterval:
    """All values of a form: an interval, unbounded downwards (-1 in ``sides``) or upwards (1)."""

    interval: Interval
    sides: frozenset[int]


def group_units(units: Units) -> list[Function]:
    """Return the functions, one for each form up to a factor."""
    grouped: dict[tuple[tuple[str, Fraction], ...], list[tuple[Fraction, Fraction, Fraction]]] = {}
    for reads, bias, write in units:
        listed = sorted((name, weight) for name, weight in reads.items() if weight)
        scale = listed[0][1] if listed else ZERO
        form = tuple((name, weight / scale) for name, weight in listed)
        grouped.setdefault(form, []).append((scale, bias, write))
    return [Function(dict(form), tuple(pieces)) for form, pieces in grouped.items()]


def check_cases(obligation: FeedForwardObligation) -> None:
    """Prove every case exactly.

    Raises:
        NotDerived: if some case is false, or undecided as a function is not constant on all values of its form.
    """
    functions = group_units(obligation.units)
    ranges: dict[tuple[int, FormInterval], Interval | None] = {}
    for case in obligation.cases:
        total = point(obligation.bias)
        for k, function in enumerate(functions):
            reach = enclose_input(function.reads, obligation, case)
            if (k, reach) not in ranges:
                ranges[k, reach] = function.range_within(reach)
            if (values := ranges[k, reach]) is None:
                raise NotDerived(f"the output changes without end, expected {_expected(case)}, {_described(case)}")
            total += values
        if total.lower < case.expected if case.or_more else total != point(case.expected):
            raise NotDerived(f"the output lies in [{total.lower}, {total.upper}], expected {_expected(case)}, "
                             f"{_described(case)}")


def _expected(case: InputCase) -> str:
    return f"at least {case.expected}" if case.or_more else str(case.expected)


def _described(case: InputCase) -> str:
    parts = [f"{name} in [{x.lower}, {x.upper}]" for name, x in case.box]
    parts += [f"{name} 0" if holds else f"{name} at least 1" for name, holds in case.slack]
    parts += [f"counts that sum to {case.values[0]} to {case.values[1]}"] if case.values else []
    return "for " + ", ".join(parts)


def enclose_input(reads: Coefficients, obligation: FeedForwardObligation, case: InputCase) -> FormInterval:
    """Enclose a form: the directions of the box, a multiple of the sum of counts, and slack."""
    positive = [reads[name] for name, holds in case.slack if not holds and reads.get(name)]
    rest = enclose_form(reads, dict(case.box)) + point(sum(positive, ZERO))
    return FormInterval(rest + _enclose_counted(reads, obligation, case),
                        frozenset(1 if weight > 0 else -1 for weight in positive))


def _enclose_counted(reads: Coefficients, obligation: FeedForwardObligation, case: InputCase) -> Interval:
    """Enclose the part of a form that reads counts: a multiple of the sum, and the errors.

    Raises:
        NotDerived: if it is not a multiple, or truths do not cancel.
    """
    error, read = point(ZERO), dict[Count | Formula, Fraction]()
    for name in reads.keys() & obligation.counted.keys():
        error += obligation.counted[name].error.scaled(reads[name])
        for part, number in obligation.counted[name].parts:
            read[part] = read.get(part, ZERO) + number * reads[name]
    read = {part: factor for part, factor in read.items() if factor}
    if not read:
        return error
    factors = {read.get(count, ZERO) / number for number, count in obligation.total.coefficients}
    if len(factors) != 1 or len(read) != len(obligation.total.coefficients) or case.values is None:
        raise NotDerived(f"a form of {', '.join(map(_shown, read))} is not a multiple of the sum of counts")
    return error + Interval(*map(Fraction, case.values)).scaled(factors.pop())


def _shown(part: Count | Formula) -> str:
    return format_count(part) if isinstance(part, Count) else format_briefly(part)
