"""The error bounds of all stages at one length and temperature, by the rules of docs/softened.md, section 3.

Claim       Whatever is stated is a bound, and at least what the rules give, so that the checker finds no more.
Method      Each part of a stage is bounded by itself over all situations it meets, and the parts are added up. Weights
            are integers in units of 2^-BITS, rounded outward; what is stated is a short decimal above them.
Profiles    Where a head has a profile in place of its situations, let δ be the greatest δ_j, D the peak and F the steps
            of a direction and sign, x⁺ and x⁻ the ends of the interval of x. The rule's numerator is at most
            N = Σ x_j⁺ |v_t(j) - v_t(*)| over the rivals of that sign, and N <= N* = Σ of each increase of F times
            exp(-(Δ - δ)/τ) where it occurs, since these weights decrease with Δ. With c = exp(-2δ/τ) we have
            x_j⁻ >= c x_j⁺, so the rule's denominator is at least 1 + c N/D, and N / (1 + c N/D) increases with N.
Too large   Where a rival may weigh more than e^64 times the winner, at least 1 is stated, and no less than the values
            of the positions differ. That bounds the error (weights add up to 1), but no certificate can use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from constructions.errors import InputError
from constructions.network.transformer import FeedForward, Head, Row, Transformer
from proofs.enclosures.exponential import enclose_exp, round_up
from proofs.enclosures.intervals import Interval
from proofs.failures import NotDerived
from proofs.piecewise import Function
from proofs.softening.findings import FormOfLayer, Survey, Taken
from proofs.softening.heads import is_uniform, scoring
from proofs.softening.layers import functions_of
from proofs.softening.situations import Mass, Profile, Rival, Situations

BITS = 192
PRECISION = 128
UNIT = 1 << BITS
DIGITS = 12
MARGIN = 1 + Fraction(1, 1 << 40)
"""So that whoever encloses weights less closely does not find more than is stated."""
GREATEST_EXPONENT = 64
ZERO, ONE = Fraction(0), Fraction(1)
Errors = dict[str, Fraction]


def find_errors(transformer: Transformer, survey: Survey, n: int, temperature: Fraction) -> list[Errors]:
    """Bounds after each of the 2L stages, of the directions where they are not 0.

    Raises:
        InputError: if the temperature is not positive.
        NotDerived: if a head ties.
    """
    assert survey.n == n, f"a survey of words of length {survey.n}, expected {n}"
    if temperature <= 0:
        raise InputError(f"the temperature is {temperature} at n = {n}, expected a positive number")
    if survey.tie:
        raise NotDerived(f"layer {survey.tie.layer}, head {survey.tie.head} ties on {' '.join(survey.tie.word)}")
    stages: list[Errors] = []
    errors: Errors = {}
    for number, layer in enumerate(transformer.layers, start=1):
        added: Errors = {}
        for place, head in enumerate(layer.heads, start=1):
            _add(added, _head_adds(head, survey.heads.get((number, place)), errors, temperature))
        stages.append(errors := _grown(errors, added, transformer))
        added = _units_add(layer.feedforward, number, survey.forms, errors)
        stages.append(errors := _grown(errors, added, transformer))
    return stages


def final_error(stages: Sequence[Mapping[str, Fraction]]) -> Fraction:
    """The sum of the bounds of the last stage: it bounds the distance in the L1 norm.

    >>> final_error([{}, {"x": Fraction(1, 8), "y": Fraction(1, 8)}])
    Fraction(1, 4)
    """
    return sum(stages[-1].values(), ZERO) if stages else ZERO


def _add(total: Errors, added: Mapping[str, Fraction]) -> None:
    for name, error in added.items():
        total[name] = total.get(name, ZERO) + error


def _grown(errors: Errors, added: Errors, transformer: Transformer) -> Errors:
    """The bounds after a stage, rounded up, in the order of directions."""
    grown = {name: round_up(errors.get(name, ZERO) + added[name], DIGITS) if added.get(name) else errors.get(name, ZERO)
             for name in transformer.directions}
    return {name: error for name, error in grown.items() if error}


def _reach(row: Row, errors: Errors) -> Fraction:
    """|R|·e: how far a linear form may be off."""
    return sum((abs(weight) * errors[name] for name, weight in row.items() if name in errors), ZERO)


# -- heads -------------------------------------------------------------------------------------------------------------


def _head_adds(head: Head, found: Situations | Profile | None, errors: Errors, temperature: Fraction) -> Errors:
    """What a head adds at most."""
    added = {name: _reach(row, errors) for name, row in head.values.items()}
    if is_uniform(head):
        return added
    assert found is not None, "every head that is not uniform was surveyed"
    rows = scoring(head)
    softening = Softening(temperature, tuple(_reach(query, errors) for query, _ in rows),
                          tuple(_reach(key, errors) for _, key in rows))
    strayed = (softening.of_profile(found) if isinstance(found, Profile) else softening.of_situations(found))
    _add(added, dict(zip(head.values, (x * MARGIN for x in strayed), strict=False)))
    return added


class _TooLarge(Exception):
    """A rival may weigh far more than the winner."""


@dataclass(frozen=True)
class Softening:
    """A temperature, and how far each query η_r and each key κ_r may be off."""

    temperature: Fraction
    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]

    def of_situations(self, found: Situations) -> list[Fraction]:
        """For each direction, how far the weighted mean is from the winner's value at most; empty without rivals."""
        columns = list(zip(*(rival.values for rival in found.rivals), strict=True))
        try:
            weights = [self._weight(rival.loss, self._off(rival)) for rival in found.rivals]
        except _TooLarge:
            return [_no_less_than_1(map(abs, column)) for column in columns]
        least = [low for low, _ in weights]
        totals = {places: UNIT + sum([least[x] for x in places]) for places in found.places}
        return [_furthest(totals, weights, column) for column in columns]

    def of_profile(self, found: Profile) -> list[Fraction]:
        """The same from a profile."""
        off = self._off(Rival(ZERO, found.queries, found.keys, ()))
        pairs = list(zip(found.masses[::2], found.masses[1::2], strict=True))
        try:
            return [max(self._of_mass(mass, off) for mass in pair) for pair in pairs]
        except _TooLarge:
            return [_no_less_than_1(mass.peak for mass in pair) for pair in pairs]

    def _off(self, rival: Rival) -> Fraction:
        """δ_j."""
        return sum((eta * keys + (queries + eta) * 2 * kappa
                    for eta, kappa, queries, keys in zip(self.queries, self.keys, rival.queries, rival.keys,
                                                         strict=True) if eta or kappa), ZERO)

    def _weight(self, loss: Fraction, off: Fraction) -> tuple[int, int]:
        """The ends of the interval of x_j."""
        if not off:
            return enclose_power(-loss / self.temperature)
        return (enclose_power(-(loss + off) / self.temperature)[0],
                enclose_power((off - loss) / self.temperature)[1])

    def _of_mass(self, mass: Mass, off: Fraction) -> Fraction:
        if not mass.peak:
            return ZERO
        numerator, before = ZERO, ZERO
        for loss, total in mass.steps:
            numerator += (total - before) * self._weight(loss, off)[1]
            before = total
        kept = enclose_power(-2 * off / self.temperature)[0]
        return numerator / (UNIT + kept * numerator / (mass.peak * UNIT))


def enclose_power(exponent: Fraction) -> tuple[int, int]:
    """Bounds of e^exponent in units of 2^-BITS."""
    if exponent < -BITS:
        return 0, 1
    if exponent > GREATEST_EXPONENT:
        raise _TooLarge
    power = enclose_exp(exponent, PRECISION)
    shift = power.exponent + BITS
    if shift >= 0:
        return power.lower << shift, power.upper << shift
    return power.lower >> -shift, -(-power.upper >> -shift)


def _furthest(totals: Mapping[tuple[int, ...], int], weights: Sequence[tuple[int, int]],
              values: Sequence[Fraction]) -> Fraction:
    """The greatest |Σ x_j v_j| / (1 + Σ of the lower x_j) over all situations."""
    scale = lcm(*(value.denominator for value in values))
    greatest = 0
    for sign in (1, -1):
        whole = [int(sign * value * scale) for value in values]
        ends = [value * (high if value > 0 else low) for value, (low, high) in zip(whole, weights, strict=True)]
        if max(whole) > 0:
            for places, total in totals.items():
                greatest = max(greatest, -(-(sum([ends[x] for x in places]) << BITS) // total))
    return Fraction(greatest, scale << BITS)


def _no_less_than_1(differences: Iterable[Fraction]) -> Fraction:
    furthest = max(differences)
    return max(furthest, ONE) if furthest else ZERO


# -- feed-forward parts ------------------------------------------------------------------------------------------------


def _units_add(feedforward: FeedForward, number: int, forms: Mapping[FormOfLayer, Taken], errors: Errors) -> Errors:
    """What a feed-forward part adds at most."""
    added: Errors = {}
    if errors:
        for name in feedforward.written():
            for key, function in functions_of(feedforward, name).items():
                if off := _reach(function.reads, errors):
                    _add(added, {name: greatest_change(function, forms[number, key], off)})
    return added


def greatest_change(function: Function, taken: Taken, off: Fraction) -> Fraction:
    """The greatest |f(y) - f(x)| with y at most ``off`` from a number x that was taken.

    If not all are listed, x is any number between the least and the greatest. On a cell where x and y are each between
    two knees |f(y) - f(x)| is convex, so it is greatest at a corner: there x is an end, a knee, or ``off`` from one.
    """
    if taken.complete:
        return max((_change_at(function, x, off) for x in taken.numbers), default=ZERO)
    knees = [-bias / scale for scale, bias, _ in function.pieces if scale]
    least, greatest = taken.numbers[0], taken.numbers[-1]
    corners = {least, greatest, *(x + shift for x in knees for shift in (-off, ZERO, off))}
    return max(_change_at(function, x, off) for x in corners if least <= x <= greatest)


def _change_at(function: Function, x: Fraction, off: Fraction) -> Fraction:
    here, around = function.at(x), function.range_on(Interval(x - off, x + off))
    return max(around.upper - here, here - around.lower)
