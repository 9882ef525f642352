"""The exact worst case of a lookup head: every case that no other dominates, each distinct profile once.

A *profile* is all data that the error of a case depends on: the differences of scores from the greatest one, the
numbers of visible positions on both sides, and the miss of each value (value minus target). Positions with a weight
below e^-(bits + 72) of a neighbour of the greatest are not listed: as scores are concave, their total weight is at most
the weight of the first of them, times the number of positions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from flint import arb

from constructions.network.meanings import ALLOWED_ERROR
from constructions.network.weightings import Weighting
from proofs.enclosures.exponential import ball, exact_ends, exp_ball, working_precision
from proofs.formula.common.extremes import Extreme, WorstCase, proved_bound
from proofs.formula.lookup.obligation import Affine, LookupObligation, LookupRow, Targets

EXTRA_NATS = 72
"""Nats beyond the number of bits: omitted weights are far below the precision."""
SMALLEST_LOOKUP_BOUND = Fraction(1, 10**15)
"""Bounds below this are rounded up to it. Nothing is lost: the sum of the errors of all counts, each times its
coefficient of at most ten digits, may be 1/4."""
ROOM = 1 + Fraction(1, 10**6)
"""The factor of stated bounds over proved ones, so that a checker with coarser enclosures accepts them: it encloses a
weight below e^-60 of the greatest by 0 and e^-60 (docs/background/obligations.md, section 5)."""
TINY = ball(SMALLEST_LOOKUP_BOUND)


@dataclass(frozen=True)
class Peak:
    """Concave scores around the greatest: the step from it to the right, and the second difference.

    Both are integers times 1/denominator, in lowest terms.
    """

    slope: int
    second_difference: int
    denominator: int

    def drop(self, offset: int) -> Fraction:
        """Return the score at this offset from the greatest, minus the greatest; not positive at visible positions.

        >>> [str(Peak(-1, -2, 3).drop(offset)) for offset in (-2, -1, 0, 1, 2)]
        ['-4/3', '-1/3', '0', '-1/3', '-4/3']
        """
        return Fraction(self.multiple(offset), self.denominator)

    def multiple(self, offset: int) -> int:
        """Return the drop times the denominator."""
        return offset * self.slope + offset * (offset - 1) // 2 * self.second_difference


def peak_in_lowest_terms(slope: int, second_difference: int, denominator: int) -> Peak:
    """Return the peak with these differences.

    >>> peak_in_lowest_terms(-6, -12, 9)
    Peak(slope=-2, second_difference=-4, denominator=3)
    """
    divisor = gcd(slope, second_difference, denominator)
    return Peak(slope // divisor, second_difference // divisor, denominator // divisor)


@dataclass(frozen=True, eq=False)
class Window:
    """The offsets -left..right around a peak, whose weights are listed."""

    peak: Peak
    left: int
    right: int
    bits: int

    @cached_property
    def weights(self) -> list[arb]:
        """The weights relative to the greatest, enclosed, from the leftmost offset on."""
        return [exp_ball(self.peak.drop(offset), self.bits) for offset in range(-self.left, self.right + 1)]

    @cached_property
    def beyond(self) -> tuple[arb, ...]:
        """The weights of the first offsets beyond the window on both sides."""
        return tuple(exp_ball(self.peak.drop(offset), self.bits) for offset in (-self.left - 1, self.right + 1))


@dataclass(frozen=True)
class LookupProfile:
    """The data that the error of a case depends on.

    ``misses[k] / scale`` is the value at offset k - left, minus the target.
    """

    window: Window
    left: int
    right: int
    cut: tuple[bool, bool]
    misses: tuple[int, ...]


@dataclass(frozen=True)
class CountCase:
    """A row, the truth of the counted formula at its position, and the number of other positions that are counted."""

    row: LookupRow
    here: bool
    others: int


@dataclass(frozen=True)
class LookupExtreme(Extreme):
    """The largest excess over the target (or shortfall below it), and the case that has it."""

    case: CountCase = field(repr=False)
    excess: bool

    @property
    def n(self) -> int:
        """The length of the word."""
        return self.case.row.n

    @property
    def i(self) -> int:
        """The position of the query."""
        return self.case.row.i

    @property
    def claimed(self) -> Fraction:
        """The stated bound: ``upper``, with room for a checker with coarser enclosures."""
        return bound_to_claim(self.upper, self.weighting)

    @property
    def count(self) -> int:
        """The count that is looked up."""
        return self.case.others + self.case.here

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled score and the error of every visible position."""
        row, here, others = self.case.row, self.case.here, self.case.others
        slope, second = in_case(row.slope, here, others), in_case(row.second_difference, here, others)
        from_first = Peak(slope, second, row.denominator)
        target = row.targets[here][others]
        assert target is not None
        sign = 1 if self.excess else -1
        return [(from_first.drop(j - 1), sign * (row.values[j - 1] - target)) for j in row.visible]


class LookupProfiles:
    """The distinct profiles of some cases of an obligation at one precision, each with the first case that has it."""

    def __init__(self, obligation: LookupObligation, bits: int):
        """Start without cases."""
        self.problem = obligation.problem
        self.bits = bits
        last = self.problem.lengths.last
        lengths = list(self.problem.lengths) if self.problem.values_mention_n else [last]
        self.scale = lcm(*(value.denominator for n in lengths for value in self.problem.values(n)))
        self.positions = last
        greatest = max(max(map(abs, self.problem.values(n))) for n in lengths)
        self.spread = int((greatest + self.positions) * self.scale) + 1
        """A bound of all misses, in units of 1/scale."""
        self._scaled: tuple[int, list[int]] = (0, [])
        self._windows: dict[Peak, Window] = {}
        self._found: dict[tuple[object, ...], tuple[LookupProfile, CountCase]] = {}

    @property
    def cases(self) -> list[tuple[LookupProfile, CountCase]]:
        """Every profile with its case."""
        return list(self._found.values())

    def add_row(self, row: LookupRow) -> None:
        """Add all cases of a row in which something is claimed."""
        self._add(row, cases_of(row.targets))

    def add_case(self, case: CountCase) -> None:
        """Add one case."""
        target = case.row.targets[case.here][case.others]
        assert target is not None
        self._add(case.row, [(case.here, case.others, target)])

    def _add(self, row: LookupRow, cases: Iterable[tuple[bool, int, int]]) -> None:
        values = self._scaled_values(row)
        first, last = row.visible[0], row.visible[-1]
        windows: dict[tuple[int, int], Window] = {}
        for here, others, target in cases:
            slope, second_difference = in_case(row.slope, here, others), in_case(row.second_difference, here, others)
            peak = min(max(_greatest(slope, second_difference, last), first), last)
            shape = (slope + (peak - 1) * second_difference, second_difference)
            if shape not in windows:
                windows[shape] = self._window(peak_in_lowest_terms(*shape, row.denominator))
            window = windows[shape]
            left, right = min(peak - first, window.left), min(last - peak, window.right)
            aim = target * self.scale
            misses = tuple([value - aim for value in values[peak - 1 - left:peak + right]])
            cut = (peak - first > left, last - peak > right)
            key = (id(window), left, cut, misses)
            if key not in self._found:
                self._found[key] = (LookupProfile(window, left, right, cut, misses), CountCase(row, here, others))

    def _scaled_values(self, row: LookupRow) -> list[int]:
        """Return the values of the row times ``scale``, computed once for the rows of one length."""
        if self._scaled[0] != row.n:
            self._scaled = row.n, [int(value * self.scale) for value in row.values]
        return self._scaled[1]

    def reach(self, curvature: Fraction) -> int:
        """Return the number of listed offsets on each side of the peak of scores -curvature * k^2."""
        peak = peak_in_lowest_terms(-curvature.numerator, -2 * curvature.numerator, curvature.denominator)
        return self._window(peak).right

    def _window(self, peak: Peak) -> Window:
        if peak not in self._windows:
            nearest = max(drop for drop in (peak.multiple(-1), peak.multiple(1)) if drop <= 0)
            least = nearest - (self.bits + EXTRA_NATS) * peak.denominator

            def reach(step: int) -> int:
                offset = 1
                while offset < self.positions and peak.multiple(step * (offset + 1)) >= least:
                    offset += 1
                return offset

            self._windows[peak] = Window(peak, reach(-1), reach(1), self.bits)
        return self._windows[peak]

    def mean_miss(self, profile: LookupProfile) -> arb:
        """Enclose the weighted mean of the values, minus the target."""
        window = profile.window
        start = window.left - profile.left
        weights = window.weights[start:start + len(profile.misses)]
        total, missed = sum(weights, arb(0)), sum(map(arb.__mul__, weights, profile.misses), arb(0))
        for cut, weight in zip(profile.cut, window.beyond, strict=True):
            if cut:
                most = (weight * self.positions).upper()
                total += arb(most / 2, most / 2)
                missed += arb(0, most * self.spread)
        return missed / (total * self.scale)


def profiles_of_every_case(obligation: LookupObligation, bits: int, longest_first: bool = True) -> LookupProfiles:
    """Return the profiles of all cases; among equal ones the first is kept, of the longest or of the shortest word."""
    profiles = LookupProfiles(obligation, bits)
    for row in obligation.problem.rows(longest_first):
        profiles.add_row(row)
    return profiles


def cases_of(targets: Targets) -> Iterator[tuple[bool, int, int]]:
    """Yield the cases of a row in which something is claimed, with the target."""
    for here, by_others in zip((False, True), targets, strict=True):
        for others, target in enumerate(by_others):
            if target is not None:
                yield here, others, target


def in_case(number: Affine, here: bool, others: int) -> int:
    """Return the value of an affine number in a case."""
    return number[0] + number[1] * here + number[2] * others


def _greatest(slope: int, second_difference: int, last: int) -> int:
    """Return the first position from which concave scores do not rise, if position 1 has this slope.

    >>> _greatest(6, -2, 9), _greatest(5, -2, 9), _greatest(1, 0, 9), _greatest(0, 0, 9)
    (4, 4, 9, 1)
    """
    if second_difference == 0:
        return last if slope > 0 else 1
    return 1 - slope // second_difference


def find_lookup_worst_case(profiles: LookupProfiles) -> WorstCase:
    """Return the largest excess and the largest shortfall over all cases, enclosed."""
    best: dict[bool, tuple[arb, arb, CountCase]] = {}
    with working_precision(profiles.bits):
        for profile, case in profiles.cases:
            miss = profiles.mean_miss(profile)
            for excess, error in ((True, miss), (False, -miss)):
                upper = error.upper()
                if upper > 0 and (excess not in best or upper > best[excess][1]):
                    best[excess] = (error, upper, case)
        above, below = (_extreme(*best[excess], excess) if excess in best else None for excess in (True, False))
    return WorstCase(above, below, otherwise=SMALLEST_LOOKUP_BOUND)


def _extreme(error: arb, upper: arb, case: CountCase, excess: bool) -> LookupExtreme:
    if upper < TINY:
        return LookupExtreme(Fraction(0), SMALLEST_LOOKUP_BOUND, case, excess)
    lower_end, upper_end = exact_ends(error)
    return LookupExtreme(max(lower_end, Fraction(0)), proved_bound(upper_end), case, excess)


def bound_to_claim(upper: Fraction, weighting: Weighting) -> Fraction:
    """Return the bound with room, unless the checker computes the same numbers: rationals, and exact zeros."""
    is_exact = weighting.is_rational or (not weighting.is_softmax and not upper)
    return upper if is_exact else with_room(upper)


def with_room(upper: Fraction) -> Fraction:
    """Return a short number above ``upper``, with room up to 1/4, beyond which nothing can be proved from it.

    >>> [str(with_room(Fraction(1, 4) + Fraction(k, 10**9))) for k in (-10**8, -1, 1)]
    ['3000003/20000000', '1/4', '250000001/1000000000']
    """
    return max(upper, min(proved_bound(max(upper * ROOM, SMALLEST_LOOKUP_BOUND)), ALLOWED_ERROR))


def find_violations(obligation: LookupObligation, bits: int, bound: Fraction) -> list[CountCase]:
    """Return cases in which the error certainly exceeds ``bound``, for each profile one of the shortest word."""
    profiles = profiles_of_every_case(obligation, bits, longest_first=False)
    with working_precision(bits):
        least = ball(bound)
        return [case for profile, case in profiles.cases if abs(profiles.mean_miss(profile)) > least]
