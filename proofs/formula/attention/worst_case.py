"""The exact worst case of a sweep: a shortest path over (position, automaton memory).

The head's error at a row is sum(w * err) / sum(w), with err the value where the target is false and 1 - value where
it is true. It is at most e on all inputs iff sum w * (e - err) >= 0 on all of them: a sum of one term per position,
minimised over all letter sequences at once. Weights are enclosed, so a computed minimum >= 0 is a proof.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import lcm
from typing import Protocol, TypeVar

from constructions.network.meanings import ALLOWED_ERROR
from proofs.enclosures.exponential import Dyadic, enclose_exp_of_ratio
from proofs.enclosures.softmax import in_common_units, places_without_gaps
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import AllWindows
from proofs.formula.common.extremes import DIGITS, Extreme, WorstCase, proved_bound
from proofs.formula.common.sweeps import InputExtreme, Step, Sweep

ROOM_OF_WINDOWS = Fraction(1, 10**20)
"""More than 2 * 4096 weights of e^-60 of the greatest."""
SPREAD_OF_ERRORS = 1 << 13
"""Weights this many bits below the greatest are enclosed coarsely: bounds end at 10^-300 (``SMALLEST_BOUND``)."""
Costs = dict[int, tuple[int, int, int]]
"""Per 2 * memory + truth: the least cost of a path there, the code before its last step, the option it chose."""
Best = TypeVar("Best", bound=Extreme)


class LetterSequences(Protocol):
    """The inputs that are compared: all sequences of letters, or those that occur on words."""

    def start(self) -> Costs:
        """Return the costs before the first step."""

    def follow(self, step: Step, prices: Sequence[int], previous: Costs) -> Costs:
        """Return the least costs after one more step; ``prices`` has the cost of each option."""


@dataclass(frozen=True)
class AllInputs:
    """All sequences of letters."""

    def start(self) -> Costs:
        """Return cost 0 for the empty memory."""
        return {0: (0, -1, -1)}

    def follow(self, step: Step, prices: Sequence[int], previous: Costs) -> Costs:
        """Return the least costs after one more step: every option continues every path."""
        costs: Costs = {}
        for choice, (option, cost) in enumerate(zip(step.options, prices, strict=True)):
            effect = option.effect
            for code, (before, _, _) in previous.items():
                after, total = effect[code >> 1], before + cost
                if after not in costs or total < costs[after][0]:
                    costs[after] = (total, code, choice)
        return costs


ALL_INPUTS = AllInputs()


@dataclass(frozen=True)
class WeighedSweep:
    """A sweep with enclosures of its weights by step and option, all over one unknown positive number."""

    sweep: Sweep
    weights: tuple[tuple[Dyadic, ...], ...]
    inputs: LetterSequences = ALL_INPUTS

    @cached_property
    def values(self) -> tuple[list[Fraction], list[list[int]]]:
        """The different values of options, and for each step and option the index of its value."""
        places: dict[tuple[int, int], int] = {}
        found = [[places.setdefault(option.value.as_integer_ratio(), len(places)) for option in step.options]
                 for step in self.sweep.steps]
        return [Fraction(*ratio) for ratio in places], found


class SweepExtreme(InputExtreme):
    """An extreme whose error is the weighted mean of the errors of all positions read."""

    @property
    def claimed(self) -> Fraction:
        """The stated bound: ``upper``, with room under softmax plus one: the checker lists weights from e^-60 on."""
        room = self.weighting.row.extra * ROOM_OF_WINDOWS
        return max(self.upper, min(self.upper + room, ALLOWED_ERROR))

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled score and the error of every position read."""
        return [(option.score, option_error(option.value, self.truth)) for option in self.chosen()]


def weigh(sweep: Sweep, bits: int, inputs: LetterSequences = ALL_INPUTS) -> WeighedSweep:
    """Return the sweep with outward enclosures of its weights, normalised by the largest score."""
    ratios = [[option.score.as_integer_ratio() for option in step.options] for step in sweep.steps]
    unit = lcm(*{denominator for options in ratios for _, denominator in options})
    scores = [[numerator * (unit // denominator) for numerator, denominator in options] for options in ratios]
    top = max(map(max, scores))
    return WeighedSweep(sweep, tuple([tuple([enclose_exp_of_ratio(score - top, unit, bits) for score in options])
                                      for options in scores]), inputs)


def option_error(value: Fraction, truth: bool) -> Fraction:
    """Return the distance of a value in [0, 1] from the truth."""
    return 1 - value if truth else value


def minimum_costs(weighed: WeighedSweep, truth: bool, bound: Fraction, pessimistic: bool = True) -> dict[int, int]:
    """Return, for each row i, the minimum of sum w * (bound - err), in arbitrary positive units, if an input exists.

    If ``pessimistic``, each weight is the end that makes the sum smaller (a proof that it is >= 0); otherwise the other
    end (a proof that a negative sum occurs).
    """
    return _minima_of(weighed, truth, _walk(weighed, truth, bound, pessimistic))


def _minima_of(weighed: WeighedSweep, truth: bool, walk: Iterable[Costs]) -> dict[int, int]:
    minima: dict[int, int] = {}
    for step, costs in zip(weighed.sweep.steps, walk, strict=True):
        if step.j in weighed.sweep.rows:
            fitting = [cost for code, (cost, _, _) in costs.items() if code % 2 == truth]
            if fitting:
                minima[step.j] = min(fitting)
    return minima


def _walk(weighed: WeighedSweep, truth: bool, bound: Fraction, pessimistic: bool = True) -> Iterator[Costs]:
    """Yield the least costs after each step."""
    previous = weighed.inputs.start()
    for step, prices in zip(weighed.sweep.steps, _costs(weighed, truth, bound, pessimistic), strict=True):
        previous = weighed.inputs.follow(step, prices, previous)
        yield previous


def _costs(weighed: WeighedSweep, truth: bool, bound: Fraction, pessimistic: bool) -> list[list[int]]:
    """Return an integer for each step and option; sums have the signs of those of w * (bound - err), w at one end."""
    values, places_of_values = weighed.values
    scale = lcm(bound.denominator, *(value.denominator for value in values))
    factors = [int((bound - option_error(value, truth)) * scale) for value in values]
    costs = list[list[tuple[int, int]]]()
    for which, weights in zip(places_of_values, weighed.weights, strict=True):
        known = [factors[place] for place in which]
        costs.append([(factor * (weight.lower if (factor >= 0) == pessimistic else weight.upper), weight.exponent)
                      for factor, weight in zip(known, weights, strict=True)])
    longest = max(abs(mantissa).bit_length() for options in costs for mantissa, _ in options)
    places = places_without_gaps((exponent for options in costs for mantissa, exponent in options if mantissa),
                                 longest + 1 + len(costs).bit_length())
    return [[mantissa << places[exponent] if mantissa else 0 for mantissa, exponent in options] for options in costs]


def find_worst_input(weighed: WeighedSweep, truth: bool, bound: Fraction, i: int) -> tuple[int, ...]:
    """Return the choices, step by step up to row i, that minimise sum w * (bound - err)."""
    return _trace(weighed, truth, _walk(weighed, truth, bound), i)


def _trace(weighed: WeighedSweep, truth: bool, walk: Iterable[Costs], i: int) -> tuple[int, ...]:
    """Return the choices of the cheapest path to row i."""
    last = next(place for place, step in enumerate(weighed.sweep.steps, start=1) if step.j == i)
    history = list(islice(walk, last))
    code = min((code for code in history[-1] if code % 2 == truth), key=lambda code: history[-1][code][0])
    choices: list[int] = []
    for costs in reversed(history):
        _, code, choice = costs[code]
        choices.append(choice)
    return tuple(reversed(choices))


def error_of(weighed: WeighedSweep, choices: Sequence[int], truth: bool) -> tuple[Fraction, Fraction]:
    """Return lower and upper bounds of the error on one input."""
    weights = [options[choice] for options, choice in zip(weighed.weights, choices, strict=False)]
    values, places = weighed.values
    unit = lcm(*(value.denominator for value in values))
    errors = [int(option_error(value, truth) * unit) for value in values]
    lower_total = upper_total = lower_error = upper_error = 0
    in_units = in_common_units([(weight, weight) for weight in weights], SPREAD_OF_ERRORS)
    for which, choice, (low, high) in zip(places, choices, in_units, strict=False):
        error = errors[which[choice]]
        lower_total, upper_total = lower_total + low, upper_total + high
        lower_error, upper_error = lower_error + low * error, upper_error + high * error
    return Fraction(lower_error, upper_total * unit), Fraction(upper_error, lower_total * unit)


def find_worst_case(obligation: AttentionObligation, bits: int, windows: AllWindows | None = None) -> WorstCase:
    """Return the largest errors over all rows of the obligation, with weights enclosed to this many bits.

    The groups of the greatest bounds come first, so that others are skipped if their windows prove that they err no
    more; among equal bounds, to DIGITS digits, the longest words come first.
    """
    windows = windows or AllWindows(obligation)
    found: dict[bool, SweepExtreme | None] = {False: None, True: None}
    groups = obligation.groups
    if len(groups) > 1:
        groups = sorted(groups, key=lambda group: (-proved_bound(windows.greatest_error(group)), -group.n))
    for group in groups:
        open_truths = [truth for truth, best in found.items() if not (
            windows.bounds_error(group, truth, best.upper) if best else windows.has_no_word(group, truth))]
        if open_truths:
            weighed = weigh(obligation.reading.sweep(group), bits)
            found |= {truth: larger_extreme(found[truth], weighed, truth) for truth in open_truths}
    return WorstCase(found[False], found[True])


def larger_extreme(best: Best | None, weighed: WeighedSweep, truth: bool) -> Best | SweepExtreme | None:
    """Return the largest error over the rows of one more sweep if it is larger, else ``best``: Dinkelbach's iteration.

    Each sweep is proved at a bound no larger than the final one, and a larger bound only increases the costs.
    """
    largest: Best | SweepExtreme | None = best
    while True:
        bound = largest.upper if largest else Fraction(0)
        walk = list(_walk(weighed, truth, bound))
        minima = _minima_of(weighed, truth, walk)
        worst = min(minima, key=lambda i: minima[i] if largest else i, default=None)
        if worst is None or (largest and minima[worst] >= 0):
            return largest
        again = walk if weighed.inputs is ALL_INPUTS else _walk(weighed, truth, bound)  # budgets count both walks
        largest = _extreme_at(weighed, truth, _trace(weighed, truth, again, worst), worst, bound)


def _extreme_at(weighed: WeighedSweep, truth: bool, choices: tuple[int, ...], i: int,
                at_least: Fraction) -> SweepExtreme:
    lower, upper = error_of(weighed, choices, truth)
    rounded = proved_bound(upper)
    if at_least and rounded <= at_least:
        step = min(at_least, abs(ALLOWED_ERROR - at_least) or at_least) / 10 ** (DIGITS - 1)
        rounded = proved_bound(at_least + max(step, upper - lower))
    return SweepExtreme(lower, rounded, truth, weighed.sweep, i, choices)


def find_violations(sweeps: Iterable[WeighedSweep], bound: Fraction) -> list[tuple[int, int, bool, WeighedSweep]]:
    """Return the rows (n, i, truth) at which some input certainly errs by more than ``bound``, shortest words first."""
    found = [
        (weighed.sweep.n, i, truth, weighed)
        for weighed in sweeps
        for truth in (False, True)
        for i, cost in minimum_costs(weighed, truth, bound, pessimistic=False).items()
        if cost < 0
    ]
    return sorted(found, key=lambda row: row[:3])
