"""Section 6: flip-flop by the score [write] + j/n, hard and soft; Lemma 24 on it.

Source      [SHA] Section 6 (after Liu et al.): uniform-tieless with gap 1/n; queries scaled by O(n log n), "equivalent
            to a temperature of Ω(1/(n log n))"; [SHA]'s own temperature is 1/n. Lemma 24: the gap is positive.
Network     Every position contains a bit; position i attends, future-masked, with score [write at j] + j/n, to the last
            write, and to itself without one; the values are the bits.
Gap         Let c win at position i. A write j < c loses (c - j)/n; any position that is not a write loses 1 + (c - j)/n
            >= 1/n if c is a write, (c - j)/n if nothing is. So the gap is at least 1/n wherever two positions are
            visible, on every word, and two writes side by side attain it. For n = 1 there is nothing to exceed.
Worst error With x = e^(-1/(nτ)), position c = i = n and opposite bits everywhere else, the earlier positions all
            writes: S = x + ... + x^(n-1), error S/(1+S). No case is worse: the r-th smallest loss is at least r/n for
            every i, c and word, since writes lose 1/n, 2/n, ... and the others (n+c-j)/n for c < j <= i, that is at
            least c/n, (c+1)/n, ..., (positions before c that are not writes lose more than if they were). Each
            length checks this for all i and c.
Logarithm   With τ = 1/(n ln n), x = 1/n: the error is 1/3 for n = 2 and 4/13 for n = 3, both above 1/4; from n = 4 on
            it is below. For n = 1 the temperature has no value.
Constant    With τ = 1/(n ln 4), x = 1/4: the error is below x(1 - x^(n-1))/(1 - x^n) < 1/4 for every n: no logarithm
            is needed. At temperature 1/n, x = 1/e, and the error is above 1/4 from n = 2 on.
"""

from collections.abc import Iterator
from fractions import Fraction

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import at_least, confirmed_if, equality, increasing, instance, power_of_e
from proofs.numbers.instances.examination import Examination, Instance, Replay

QUARTER = Fraction(1, 4)
ZERO, ONE = Fraction(0), Fraction(1)
LOGARITHM = Replay("section_6_flip_flop_log.json", "01")
ONE_OVER_N = Replay("section_6_flip_flop_one_over_n.json", "01")


def losses_after_last_write(n: int, i: int, c: int) -> list[int]:
    """Return n times the least losses of visible positions against the last write c, all before it writes."""
    return sorted([*range(1, c), *range(n + c - i, n)])


def losses_without_write(i: int) -> list[int]:
    """Return n times the losses of the positions before i against i if nothing was written."""
    return list(range(1, i))


def all_losses(n: int) -> Iterator[list[int]]:
    """Yield n times the least losses at every position, in increasing order, for every last write or none."""
    for i in range(1, n + 1):
        yield losses_without_write(i)
        for c in range(1, i + 1):
            yield losses_after_last_write(n, i, c)


def gap(n: int) -> Fraction:
    """Return the least gap over all words of n >= 2 positions and all positions.

    >>> str(gap(5))
    '1/5'
    """
    return Fraction(min(losses[0] for losses in all_losses(n) if losses), n)


def is_worst_at_the_end(n: int) -> bool:
    """Return whether the r-th smallest loss is at least r/n everywhere, and exactly that at c = i = n."""
    return (all(lost >= rank for losses in all_losses(n) for rank, lost in enumerate(losses, start=1))
            and losses_after_last_write(n, n, n) == list(range(1, n)))


def worst_error(n: int, x: Fraction) -> Fraction:
    """Return the greatest error over all words and positions, for e^(-1/(nτ)) = x."""
    others = sum((x**rank for rank in range(1, n)), ZERO)
    return others / (1 + others)


def enclosed_error(n: int, inverse: Fraction) -> Interval:
    """Enclose the greatest error over all words and positions, for 1/(nτ) = ``inverse``."""
    return increasing(sum((power_of_e(-inverse * rank) for rank in range(1, n)), point(ZERO)))


def _examine_error(n: int, value: Interval | Fraction, replay: Replay | None = None) -> Instance:
    return confirmed_if(is_worst_at_the_end(n), instance(n, f"c = i = {n}, earlier writes of the other bit only", value,
                                                         QUARTER, replay))


COVERS = "every word of length n and every position"
EXAMINATIONS = (
    Examination("lemma-24", "Lemma 24", "the flip-flop layer has a strictly positive gap", f"one network, {COVERS}",
                lambda n: at_least(n, f"n times the least gap of the flip-flop layer, n = {n}", n * gap(n), ONE),
                "one position: any gap will do"),
    Examination("section-6-gap", "Section 6", "flip-flop: the scores [write] + j/n are tieless with gap exactly 1/n",
                COVERS, lambda n: equality(n, f"n = {n}: the least gap, two writes side by side", gap(n), ONE / n),
                "one position: nothing to exceed"),
    Examination("section-6-log", "Section 6", "flip-flop with temperature 1/(n ln n) errs by at most 1/4", COVERS,
                lambda n: _examine_error(n, worst_error(n, Fraction(1, n)), LOGARITHM)),
    Examination("section-6-one-over-n", "Section 6", "flip-flop with temperature 1/n errs by at most 1/4", COVERS,
                lambda n: _examine_error(n, enclosed_error(n, ONE), ONE_OVER_N)),
    Examination("section-6-ln-4", "Section 6", "flip-flop with temperature 1/(n ln 4) errs by at most 1/4", COVERS,
                lambda n: _examine_error(n, worst_error(n, QUARTER))),
)
