"""One exact case of a lookup, and the check that the mean of its values is within the stated errors."""

from fractions import Fraction
from typing import NamedTuple

from ...formula.families import SPARSE_MEANS, load
from ...formula.kernels import NEGLIGIBLE
from ...formula.proof import ProofContext


class LookupCase(NamedTuple):
    """A case in integers: scores are over ``denominator * size``, values over ``size``.

    ``near`` are (score - greatest score, value - goal) of the positions that are summed. The offsets (value - goal) of
    the other positions are below 2^far; their weights are 0 if the weighting is sparse. ``sides`` are (1, error above)
    and (-1, error below), as far as they are claimed.
    """

    denominator: int
    size: int
    near: tuple[tuple[int, int], ...]
    far: int
    sides: tuple[tuple[int, Fraction], ...]
    weighting: str = "softmax"


def is_proved(proof: ProofContext, case: LookupCase) -> bool:
    """Return whether the case is proved; proved cases are cached."""
    if proof.proved.get(case) is not None:
        return True
    if case.weighting == "softmax":
        fits = is_mean_near(proof, case)
    else:
        is_near = load(*SPARSE_MEANS)
        fits = is_near(proof, case.weighting, case.denominator * case.size, case.size, case.near, case.sides)
    if fits:
        bits = 64 + case.denominator.bit_length() + case.size.bit_length()
        proof.proved.keep(case, True, 2 * len(case.near) * bits)
    return fits


def is_mean_near(proof: ProofContext, case: LookupCase) -> bool:
    """Return whether the mean of offset / size, with weights exp(score / denominator / size), is within the errors.

    Proof. sign * mean <= error iff the sum of weight * (error - sign * offset / size) is not negative; it is multiplied
    by size and the error's denominator. There are at most max_n omitted positions. Each has a weight of at most e^-60
    (the greatest is 1) and an |offset| of at most 2^far - 1.
    """
    scale = case.denominator * case.size
    proof.budget.spend(3 * len(case.near))
    scores = [*(Fraction(score, scale) for score, _ in case.near), Fraction(-NEGLIGIBLE)]
    for sign, error in case.sides:
        p, q = error.denominator, error.numerator * case.size
        left_out = proof.claim.max_n * min(0, q - p * ((1 << case.far) - 1))
        factors = [*(q - sign * p * offset for _, offset in case.near), left_out]
        if sum(proof.weigher.least_terms(scores, factors)) < 0:
            return False
    return True
