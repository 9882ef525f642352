"""The error bounds of all stages at one length and temperature (docs/background/softened_rules.md, section 3).

Claim       Every stated number is a bound, and at least that of the rules, so that the checker computes no more.
Method      Each part of a stage is bounded separately over all score profiles, and the bounds are added up. Weights
            are integers in units of 2^-BITS, rounded outward; the stated bound is a short decimal above them.
Ties        If several positions win, the profile is bounded from each of them as the reference, so that the choice of
            the checker does not matter. The error of a tied weight is between e^(-δ/τ) - 1 and e^(δ/τ) - 1; both are
            widened by GRAIN, so that a checker with slightly coarser enclosures computes no more.
Bounds      Take the profiles of some |q_r|, a direction and a sign, with peak D and steps F. Let x⁺ and x⁻ be the ends
            of the interval of x, δ(Δ) the greatest δ_j for keys at loss Δ, and E(Δ) the least Δ' - δ(Δ') with
            Δ' >= Δ, so that x_j⁺ <= exp(-E(Δ_j)/τ), which decreases. The rule's numerator is at most N = Σ x_j⁺
            |v_t(j) - v_t(*)| over the rivals of that sign. Cut it at any loss into near + far: near is at most the sum
            of the increases of F below the cut, each times exp(-E/τ) where it occurs, and far is at most all of F
            times exp(-E/τ) at the cut. With c = exp(-2δ/τ) for the greatest δ below the cut, x_j⁻ >= c x_j⁺ there, so
            the denominator is at least 1 + c near/D. (near + far)/(1 + c near/D) increases with near if c far <= D, and
            with far; else near + far is a bound. The best cut is used; the result is at least that of the rule.
            If m positions tie, μ_t is between the values of winners: so |Σ x_j (v_t(j) - μ_t)| over those that
            lose, convex in μ_t, has the above bound from one of them. Each of the m - 1 others is at most S from μ_t,
            the greatest difference of two winners' values. Its |x_j - 1| is at most u - 1, and x_j at least l, both for
            the greatest δ of keys that tie; and (m - 1)/(1 + (m - 1) l) <= 1/l. So they add at most S (u - 1)/l.
Too large   If the weight of a rival may be more than e^64 times that of the winner, the stated bound is at least 1 and
            the greatest difference of values. It is valid, as weights sum to 1, but no certificate can use it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm

from constructions.errors import InputError
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer
from constructions.statements.theorem_26_uniform_tieless import is_uniform
from proofs.enclosures.exponential import enclose_exp, round_up
from proofs.enclosures.intervals import Interval
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.worst_case import Function
from proofs.softened.findings import FormOfLayer, Survey, Taken
from proofs.softened.heads import scoring
from proofs.softened.layers import functions_of
from proofs.softened.profile_bounds import JointBounds, Mass, QueryBounds
from proofs.softened.score_profiles import ScoreProfiles

BITS = 192
GRAIN = 1 << BITS - 100
PRECISION = 128
UNIT = 1 << BITS
DIGITS = 12
LEAST = Fraction(1, 10**60)
"""The least positive bound that is stated, so that bounds are short."""
MARGIN = 1 + Fraction(1, 1 << 40)
"""The factor of stated bounds, so that a checker with coarser enclosures accepts them."""
GREATEST_EXPONENT = 64
ZERO, ONE = Fraction(0), Fraction(1)
Errors = dict[str, Fraction]


def find_errors(transformer: Transformer, survey: Survey, n: int, temperature: Fraction) -> list[Errors]:
    """Bound the errors after each of the 2L stages, of the directions where they are not 0.

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
    """Return the sum of the bounds of the last stage: it bounds the distance in the L1 norm.

    >>> final_error([{}, {"x": Fraction(1, 8), "y": Fraction(1, 8)}])
    Fraction(1, 4)
    """
    return sum(stages[-1].values(), ZERO) if stages else ZERO


def _add(total: Errors, added: Mapping[str, Fraction]) -> None:
    for name, error in added.items():
        total[name] = total.get(name, ZERO) + error


def _grown(errors: Errors, added: Errors, transformer: Transformer) -> Errors:
    """Return the bounds after a stage, rounded up, in the order of directions."""
    grown = {name: round_up(max(errors.get(name, ZERO) + added[name], LEAST), DIGITS) if added.get(name)
             else errors.get(name, ZERO) for name in transformer.directions}
    return {name: error for name, error in grown.items() if error}


def _reach(row: Coefficients, errors: Errors) -> Fraction:
    """Return |R|·e, the error bound of a linear form."""
    return sum((abs(weight) * errors[name] for name, weight in row.items() if name in errors), ZERO)


# -- heads -------------------------------------------------------------------------------------------------------------


def _head_adds(head: Head, found: ScoreProfiles | JointBounds | None, errors: Errors, temperature: Fraction) -> Errors:
    """Bound the error that a head adds."""
    added = {name: _reach(row, errors) for name, row in head.values.items()}
    if is_uniform(head):
        return added
    assert found is not None, "every head that is not uniform was surveyed"
    rows = scoring(head)
    softening = Softening(temperature, tuple(_reach(query, errors) for query, _ in rows),
                          tuple(_reach(key, errors) for _, key in rows))
    distances = (softening.of_bounds(found) if isinstance(found, JointBounds) else softening.of_profiles(found))
    _add(added, dict(zip(head.values, (x * MARGIN for x in distances), strict=False)))
    return added


class _TooLarge(Exception):
    """The weight of a rival may be far greater than the weight of the winner."""


@dataclass(frozen=True)
class Softening:
    """A temperature, and the error bounds of each query (η_r) and each key (κ_r)."""

    temperature: Fraction
    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]

    def of_profiles(self, found: ScoreProfiles) -> list[Fraction]:
        """Bound for each direction the distance of the weighted mean from that of the winners; empty without rivals."""
        columns = list(zip(*(rival.values for rival in found.rivals), strict=True))
        try:
            weights = [self._weight(rival.loss, self.uncertainty(rival.queries, rival.keys)) for rival in found.rivals]
        except _TooLarge:
            return [_no_less_than_1(map(abs, column)) for column in columns]
        least = [low for low, _ in weights]
        totals = {places: UNIT + sum([least[x] for x in places]) for places in found.places}
        number = sum(not rival.loss for rival in found.rivals)
        tied = [(places, bisect_left(places, number), total) for places, total in totals.items() if places[0] < number]
        clear = {places: total for places, total in totals.items() if places[0] >= number}
        return [max(_greatest_distance(clear, weights, column), _greatest_distance_of_tied(tied, weights, column))
                for column in columns]

    def of_bounds(self, found: JointBounds) -> list[Fraction]:
        """Bound for each direction the distance of the weighted mean from that of the winners, by joint bounds."""
        columns = list(zip(*(entry.masses for _, entry in found.by_query), strict=True))
        try:
            bounds = [self._of_query(queries, entry) for queries, entry in found.by_query]
        except _TooLarge:
            greatest = [max(max(mass.tied, mass.peak) for mass in column) for column in columns]
            return [_no_less_than_1(pair) for pair in zip(greatest[::2], greatest[1::2], strict=True)]
        signed = [max(column) for column in zip(*bounds, strict=True)]
        return [max(pair) for pair in zip(signed[::2], signed[1::2], strict=True)]

    def uncertainty(self, queries: Sequence[Fraction], keys: Sequence[Fraction]) -> Fraction:
        """Return the uncertainty δ_j, from |q_r| and |k_r(*) - k_r(j)|."""
        return sum((eta * key + (query + eta) * 2 * kappa
                    for eta, kappa, query, key in zip(self.queries, self.keys, queries, keys, strict=True)
                    if eta or kappa), ZERO)

    def _weight(self, loss: Fraction, delta: Fraction) -> tuple[int, int]:
        """Return the ends of the interval of x_j."""
        if not delta:
            return enclose_power(-loss / self.temperature)
        return (enclose_power(-(loss + delta) / self.temperature)[0],
                enclose_power((delta - loss) / self.temperature)[1])

    def _of_query(self, queries: Sequence[Fraction], entry: QueryBounds) -> list[Fraction]:
        """Bound the error of the mean for each direction and sign."""
        losses = [loss for loss, _ in entry.keys]
        uncertainties = [self.uncertainty(queries, keys) for _, keys in entry.keys]
        gaps = [loss - delta for loss, delta in zip(losses, uncertainties, strict=True)]
        powers = [enclose_power(-gap / self.temperature)[1] for gap in [*accumulate(reversed(gaps), min)][::-1]]
        kept = [enclose_power(-2 * delta / self.temperature)[0] for delta in accumulate(uncertainties, max)]
        spread = ZERO if losses[0] else _spread(*self._weight(ZERO, uncertainties[0]))
        return [_of_mass(mass, [bisect_right(losses, loss) - 1 for loss, _ in mass.steps], powers, kept)
                + mass.tied * spread for mass in entry.masses]


def _spread(low: int, high: int) -> Fraction:
    """Return (u - 1)/l of a rival that ties."""
    return Fraction(_deviation(low, high)[1], low)


def _deviation(low: int, high: int) -> tuple[int, int]:
    """Return l - 1 and u - 1 of a rival that ties, widened by GRAIN."""
    return (low - UNIT - GRAIN, high - UNIT + GRAIN) if high > low else (0, 0)


def _of_mass(mass: Mass, at: Sequence[int], powers: Sequence[int], kept: Sequence[int]) -> Fraction:
    """Return the bound at the best cut; ``at`` has the levels of steps, ``powers`` and ``kept`` are exp(-E/τ) and c."""
    if not mass.steps:
        return ZERO
    near, before, bounds = ZERO, ZERO, []
    for (_, total), level in zip(mass.steps, at, strict=True):
        bounds.append(_of_cut(mass.peak, near, mass.steps[-1][1] * powers[level] / UNIT, kept[max(level - 1, 0)]))
        near += (total - before) * powers[level] / UNIT
        before = total
    bounds.append(_of_cut(mass.peak, near, ZERO, kept[-1]))
    return min(bounds)


def _of_cut(peak: Fraction, near: Fraction, far: Fraction, kept: int) -> Fraction:
    """Return (near + far)/(1 + c near/D), or near + far if that does not increase with near."""
    share = Fraction(kept, UNIT) / peak
    return (near + far) / (1 + share * near) if share * far <= 1 else near + far


def enclose_power(exponent: Fraction) -> tuple[int, int]:
    """Enclose e^exponent in units of 2^-BITS."""
    if exponent < -BITS:
        return 0, 1
    if exponent > GREATEST_EXPONENT:
        raise _TooLarge
    power = enclose_exp(exponent, PRECISION)
    shift = power.exponent + BITS
    if shift >= 0:
        return power.lower << shift, power.upper << shift
    return power.lower >> -shift, -(-power.upper >> -shift)


def _greatest_distance(totals: Mapping[tuple[int, ...], int], weights: Sequence[tuple[int, int]],
              values: Sequence[Fraction]) -> Fraction:
    """Return the greatest |Σ x_j v_j| / (1 + Σ of the lower x_j) over all profiles."""
    scale = lcm(*(value.denominator for value in values))
    greatest = 0
    for sign in (1, -1):
        whole = [int(sign * value * scale) for value in values]
        ends = [value * (high if value > 0 else low) for value, (low, high) in zip(whole, weights, strict=True)]
        if max(whole) > 0:
            for places, total in totals.items():
                greatest = max(greatest, -(-(sum([ends[x] for x in places]) << BITS) // total))
    return Fraction(greatest, scale << BITS)


def _greatest_distance_of_tied(profiles: Iterable[tuple[tuple[int, ...], int, int]], weights: Sequence[tuple[int, int]],
                      values: Sequence[Fraction]) -> Fraction:
    """Return the greatest distance over all profiles with ties; the tied rivals of each come first, with their number.

    With m winners and W = m μ, m times the numerator is |Σ y_j (m v_j - W)|; y_j is x_j - 1 if j ties, else x_j.
    """
    scale = lcm(*(value.denominator for value in values))
    whole = [int(value * scale) for value in values]
    greatest = ZERO
    for places, number, total in profiles:
        m, mean = number + 1, sum([whole[x] for x in places[:number]])
        terms = [(m * whole[x] - mean, *_deviation(*weights[x])) for x in places[:number]]
        terms += [(m * whole[x] - mean, *weights[x]) for x in places[number:]]
        above = sum([x * (high if x > 0 else low) for x, low, high in terms])
        below = sum([-x * (high if x < 0 else low) for x, low, high in terms])
        greatest = max(greatest, Fraction(max(above, below), m * total))
    return greatest / scale


def _no_less_than_1(differences: Iterable[Fraction]) -> Fraction:
    greatest = max(differences)
    return max(greatest, ONE) if greatest else ZERO


# -- feed-forward blocks -----------------------------------------------------------------------------------------------


def _units_add(feedforward: FeedForward, number: int, forms: Mapping[FormOfLayer, Taken], errors: Errors) -> Errors:
    """Bound the error that a feed-forward block adds."""
    added: Errors = {}
    if errors:
        for name in feedforward.written():
            for key, function in functions_of(feedforward, name).items():
                if error := _reach(function.reads, errors):
                    _add(added, {name: greatest_change(function, forms[number, key], error)})
    return added


def greatest_change(function: Function, taken: Taken, error: Fraction) -> Fraction:
    """Return the greatest |f(y) - f(x)| with |y - x| <= ``error``, x a number that was taken.

    If not all are listed, x is any number between the least and the greatest. On a cell where x and y are each between
    two knees |f(y) - f(x)| is convex, so it is greatest at a corner: there x is an end, a knee, or ``error`` from one.
    """
    if taken.complete:
        return max((_change_at(function, x, error) for x in taken.numbers), default=ZERO)
    knees = [-bias / scale for scale, bias, _ in function.pieces if scale]
    least, greatest = taken.numbers[0], taken.numbers[-1]
    corners = {least, greatest, *(x + shift for x in knees for shift in (-error, ZERO, error))}
    return max(_change_at(function, x, error) for x in corners if least <= x <= greatest)


def _change_at(function: Function, x: Fraction, error: Fraction) -> Fraction:
    here, around = function.at(x), function.range_on(Interval(x - error, x + error))
    return max(around.upper - here, here - around.lower)
