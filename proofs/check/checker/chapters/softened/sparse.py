"""Sparsemax and entmax-1.5, where they weigh exactly as hard attention does; docs/softened.md, section 3, proves it.

No error is stated at all, and scores are those of U. The gap that is stated is compared with that of all words
(shards.py), so that it may be relied on here.
"""

from collections.abc import Mapping
from fractions import Fraction

from ...kernel.numbers import multiply
from ...kernel.verdicts import require, show
from .reading import Softened

STEEPNESS: Mapping[str, Fraction] = {"sparsemax": Fraction(1), "entmax-1.5": Fraction(1, 2)}
"""alpha - 1."""


def check_sparse(given: Softened, n: int) -> None:
    """At one length nothing is stated to err, and the temperature is small enough for exactly hard weights."""
    weighting, gap = given.claim.weighting, given.gaps[n - 1]
    is_exact = not any(given.errors[n - 1])
    require(is_exact, "n = {}: {} is exactly hard or is refused, expected no error bounds", n, weighting)
    if gap is not None:
        most, temperature = multiply(given.language.budget, STEEPNESS[weighting], gap), given.temperature(n).upper
        require(temperature <= most, "n = {}: {} is exactly hard up to the temperature {}, got {}", n, weighting,
                show(most), show(temperature))
