"""Sparsemax and entmax-1.5, where they weigh exactly as hard attention does.

Entmax with alpha > 1 (sparsemax: alpha = 2) gives scores s_j the weights max((alpha - 1) s_j - theta, 0)^p, where p is
1/(alpha - 1), with the theta for which they add up to 1. It is unique: where the sum is positive it falls strictly as
theta grows.

Claim. Let m scores be greatest and all others lower by at least g, and tau <= (alpha - 1) g, or let there be no others.
Then entmax of the scores over tau is 1/m on the greatest, and 0 elsewhere.

Proof. Let s be the greatest score over tau, and theta = (alpha - 1) s - m^(1 - alpha). The winners weigh
(m^(1 - alpha))^p = 1/m each, 1 together. Another one has a score over tau of at most s - g/tau, and
(alpha - 1)(s - g/tau) - theta = m^(1 - alpha) - (alpha - 1) g/tau <= 1 - 1 = 0, so it weighs nothing.

By induction over stages every vector of Û is then that of U: no stage errs, as long as none is said to err before it.
So no error is stated at all, and scores are those of U. The gap that is stated is compared with that of all words
(shards.py), so that it may be relied on here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...kernel.numbers import multiply
from ...kernel.verdicts import require, show
from .reading import Softened

STEEPNESS: Mapping[str, Fraction] = {"sparsemax": Fraction(1), "entmax-1.5": Fraction(1, 2)}
"""alpha - 1."""


def check_sparse(given: Softened, n: int) -> None:
    """At one length nothing is stated to err, and the temperature is small enough for exactly hard weights.

    Raises:
        Rejected: if not.
    """
    weighting, gap = given.claim.weighting, given.gaps[n - 1]
    is_exact = not any(given.errors[n - 1])
    require(is_exact, "n = {}: {} is exactly hard or is refused, expected no error bounds", n, weighting)
    if gap is not None:
        most, temperature = multiply(given.language.budget, STEEPNESS[weighting], gap), given.temperature(n).upper
        require(temperature <= most, "n = {}: {} is exactly hard up to the temperature {}, got {}", n, weighting,
                show(most), show(temperature))
