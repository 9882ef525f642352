"""The total weight of all positions except one, the *pivot*, whose value is right: a kernel for each weighting.

Setting. For every other position that may err, the *gap* bounds its score minus the score of the pivot. If each errs by
at most 1, the error is at most their total weight; positions with a right value only take weight from them. So the
error is at most the share of the others where the pivot has score 0, and there is one position for each gap, with this
score; the share grows with each gap. Under softmax it is B/(1 + B), B the sum of e^gap. Under sparsemax and 1.5-entmax
it is 1 minus the weight of the pivot; gaps from -1 and -2 downwards have weight 0. Softmax plus one is softmax with an
additional position of score and value 0.

The share is the least e with Σ K_e(gap) <= e. The kernel K_e(gap) is the greatest weight of a position of this gap if
the pivot weighs 1 - e or less (docs/background/obligations.md, section 5, A pivot).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from constructions.network.transformer import Mask
from constructions.network.weightings import Weighting
from proofs.enclosures.exponential import Dyadic, enclose_exp
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.softmax import enclose_mean
from proofs.enclosures.weightings import Scored, enclose_weights, square_root

FARTHEST = 3000
"""Gaps beyond this many nats are treated as equal: e^-3000 is far below the smallest bound that is ever stated."""
WEIGHS_NOTHING_FROM = {weighting: -1 / weighting.slope for weighting in Weighting if weighting.is_sparse}
"""The greatest gap whose kernel is 0."""
Gaps = Iterable[tuple[int, Fraction]]
"""Numbers of positions, and their gap."""
ONE = Fraction(1)


def share_of_others(weighting: Weighting, gaps: Gaps, bits: int) -> Fraction:
    """Return an upper bound of the total weight of all positions except the pivot; 1 if a gap exceeds FARTHEST.

    >>> str(share_of_others(Weighting.SPARSEMAX, [(1, Fraction(-1, 2)), (9, Fraction(-2))], 64))
    '1/4'
    """
    nothing_from = WEIGHS_NOTHING_FROM.get(weighting)
    listed = [(times, gap) for times, gap in gaps if times and (nothing_from is None or gap > nothing_from)]
    if any(gap.numerator > FARTHEST * gap.denominator for _, gap in listed):
        return ONE
    if weighting.is_sparse:
        return ONE - weight_of_pivot(weighting, [gap for times, gap in listed for _ in range(times)], bits).lower
    return _share_of_exponentials(listed, bits)


def weight_of_pivot(weighting: Weighting, gaps: Sequence[Fraction], bits: int) -> Interval:
    """Enclose the weight of the pivot beside one position of each gap, under sparsemax or 1.5-entmax."""
    return weights_of([Fraction(0), *gaps], weighting, bits)[0]


def weights_of(scores: Sequence[Fraction], weighting: Weighting, bits: int) -> list[Interval]:
    """Enclose the weights of exact scores under sparsemax or 1.5-entmax."""
    return enclose_weights(weighting, Scored(list(map(point, scores)), len(scores), Mask.NONE), bits)


def _share_of_exponentials(gaps: Sequence[tuple[int, Fraction]], bits: int) -> Fraction:
    """Return an upper bound of B/(1 + B)."""
    weights = [(times, enclose_greater(gap, bits)) for times, gap in gaps]
    unit = min(0, *(weight.exponent for _, weight in weights)) if weights else 0
    bad = sum(times * weight.upper << weight.exponent - unit for times, weight in weights)
    return Fraction(bad, bad + (1 << -unit))


def enclose_greater(gap: Fraction, bits: int) -> Dyadic:
    """Enclose e^gap, or e^-FARTHEST if that is greater."""
    is_tiny = gap.numerator < -FARTHEST * gap.denominator
    return enclose_exp(Fraction(-FARTHEST) if is_tiny else gap, bits)


def loss_above(weighting: Weighting, error: Fraction, gap: Fraction, bits: int) -> int:
    """Return an upper bound of the kernel K_e(gap) at e = ``error``, in units of 2^-bits over the denominator of e.

    >>> loss_above(Weighting.SPARSEMAX, Fraction(1, 4), Fraction(-1, 2), 3)
    8
    """
    denominator = error.denominator
    if not weighting.is_sparse:
        weight = enclose_greater(gap, bits)
        shift = weight.exponent + bits
        above = weight.upper << shift if shift >= 0 else -(-weight.upper >> -shift)
        return (denominator - error.numerator) * above
    power = 1 / weighting.slope
    assert power in (1, 2), f"{weighting} needs a root of order {power}"
    root = 1 - error if power == 1 else square_root(1 - error, bits).upper
    loss = max(root + weighting.slope * gap, Fraction(0)) ** int(power)
    scaled = loss * denominator * (1 << bits)
    return -(-scaled.numerator // scaled.denominator)


def enclose_mean_of(weighting: Weighting, terms: Sequence[tuple[Fraction, Fraction]], bits: int) -> Interval:
    """Enclose the sum of weight times value of exact scores and values, under a weighting that has a kernel."""
    scores, values = [score for score, _ in terms], [value for _, value in terms]
    if weighting.is_sparse:
        weights = weights_of(scores, weighting, bits)
        return sum((w.scaled(value) for w, value in zip(weights, values, strict=True)), point(Fraction(0)))
    nothing = [Fraction(0)] * weighting.row.extra
    scores, values = [*scores, *nothing], [*values, *nothing]
    return enclose_mean(list(map(point, scores)), list(map(point, values)), bits)
