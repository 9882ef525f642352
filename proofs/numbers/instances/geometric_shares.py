"""Geometric attention is uniform only for the shares 1/j, which no scores give: so no head of it counts exactly.

Weights     Position i gives j < i the weight β_j Π (1 - β_k) over j < k < i, β_k = σ(score of k) the share of k.
Reduction   j + 2 gives j and j + 1 equal weights iff β_j (1 - β_(j+1)) = β_(j+1), so β_(j+1) = β_j/(1 + β_j),
            and 1/β_j grows by 1 with j. All weights of row i sum to 1 - Π (1 - β_k), which is 1, as for a mean,
            only if a share is 1: then β_1 = 1, and β_j = 1/j.
No score    σ of a number is below 1. With β_1 = 1 - ε the weights are equal, but their sum at row i is less than 1.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance


def weights(shares: Sequence[Fraction]) -> list[Fraction]:
    """Return the weights that the position after the last gives to all of these.

    >>> [str(x) for x in weights([Fraction(1), Fraction(1, 2)])]
    ['1/2', '1/2']
    """
    left, found = Fraction(1), []
    for share in reversed(shares):
        found.append(left * share)
        left *= 1 - share
    return found[::-1]


def _examine(n: int) -> Iterable[Instance]:
    shares = [Fraction(1, j) for j in range(1, n + 1)]
    for i in range(2, n + 2):
        for j, weight in enumerate(weights(shares[:i - 1]), start=1):
            yield equality(n, f"the weight of position {j} at {i}, for the shares 1/j", weight, Fraction(1, i - 1))
    for j in range(1, n):
        share = Fraction(j, j + 1)
        alike = share / (1 + share)
        yield equality(n, f"what position {j} is left with, beside the position after it, from any share",
                       share * (1 - alike), alike)


EXAMINATIONS = (
    Examination("geometric-equal-shares", "Geometric attention, uniform",
                "all positions have equal weights, with the sum 1, if and only if position j takes the share 1/j",
                "all rows of words of up to n + 1 positions", _examine),
)
