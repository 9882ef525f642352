"""Proposition 11: the first and the last position are marked by uniform attention over (-1)^(j+1).

Source      [SHA] Proposition 11 a, b and the remark after it (1/i, and 1/(n+1-i) by past-masking).
Reduction   Nothing depends on the word, so each length has n instances per claim, all of them computed.
For all n   A sum of m alternating signs is 0 for even m and ±1 for odd m, so the mean is 0 or ±1/m: ±1 for m = 1 and
            within 1/3 of 0 otherwise. (3/2) ReLU(|mean| - 1/3) is then the marker, where |mean| - 1/3 takes two ReLUs
            in (b). For i = n = 1 both markers are 1. The mean of the first marker over j <= i is 1/i; of the last
            marker over j >= i it is 1/(n+1-i).
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from constructions.network.transformer import Mask
from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance

THIRD = Fraction(1, 3)
ZERO = Fraction(0)


def uniform(values: Sequence[Fraction], mask: Mask) -> list[Fraction]:
    """Return the mean of the values of the visible positions, at every position.

    >>> [str(mean) for mean in uniform([Fraction(1), Fraction(-1), Fraction(1)], Mask.FUTURE)]
    ['1', '0', '1/3']
    """
    n = len(values)
    visible = [mask.visible(i, n) for i in range(1, n + 1)]
    return [sum((values[j - 1] for j in seen), ZERO) / len(seen) for seen in visible]


def marker(n: int, mask: Mask) -> list[Fraction]:
    """Return the output of uniform attention over (-1)^(j+1) and a feed-forward layer at every position."""
    alternating = [Fraction((-1) ** (j + 1)) for j in range(1, n + 1)]
    return [(max(mean - THIRD, ZERO) + (max(-mean - THIRD, ZERO) if mask is Mask.PAST else 0)) / (1 - THIRD)
            for mean in uniform(alternating, mask)]


def _examine(n: int, found: list[Fraction], expected: Callable[[int], Fraction]) -> Iterable[Instance]:
    for i, value in enumerate(found, start=1):
        yield equality(n, f"i = {i}", value, expected(i))


COVERS = "every word of length n and every position"
EXAMINATIONS = (
    Examination("proposition-11-a", "Proposition 11 a", "future-masked: 1 at the first position, 0 elsewhere", COVERS,
                lambda n: _examine(n, marker(n, Mask.FUTURE), lambda i: Fraction(i == 1))),
    Examination("proposition-11-b", "Proposition 11 b", "past-masked: 1 at the last position, 0 elsewhere", COVERS,
                lambda n: _examine(n, marker(n, Mask.PAST), lambda i: Fraction(i == n))),
    Examination("proposition-11-remark-a", "Proposition 11 a", "the mean of the first marker over j <= i is 1/i",
                COVERS, lambda n: _examine(n, uniform(marker(n, Mask.FUTURE), Mask.FUTURE),
                                           lambda i: Fraction(1, i))),
    Examination("proposition-11-remark-b", "Proposition 11 b", "the mean of the last marker over j >= i is 1/(n+1-i)",
                COVERS, lambda n: _examine(n, uniform(marker(n, Mask.PAST), Mask.PAST),
                                           lambda i: Fraction(1, n + 1 - i))),
)
