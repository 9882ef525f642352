"""Layer norm and RMS norm of a vector of numbers, without gain and bias, and what becomes of its error.

x ↦ c / s, with c = x - mean(x) (or x), s = sqrt(|c|²/d + ε): c is off by at most e, as subtracting the mean is a
projection, and the result by at most e / max(s - e/√d, √ε); docs/trained.md, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from .precision import Precision, Undecided, ceil_sqrt
from .reading.network import Norm

GUARDS = 12, 20, 20  # bits more than a number has, by precision: of s
LEAST_ROOT = 1 << 16  # of d s 2^(F + GUARD): below it, too few bits are left


class Normaliser:
    """The map and its error.

    Let R = d s 2^(F + GUARD), r = floor(R), a = d c (integers: d x - sum of x), and i = floor(2^(F + GUARD + P) / r),
    P = F + GUARD. The result is floor(a i / 2^P). Proof of the rounding: c/s = a 2^(F + GUARD) / R numbers; r for R
    adds at most |c/s| / r <= √d 2^F / r; rounding i at most |a| / 2^P, and |a| = d |c| 2^F <= √d R / 2^GUARD; the
    last rounding at most √d. All in the 2-norm, since |c/s| <= √d.
    """

    def __init__(self, norm: Norm, width: int, precision: Precision) -> None:
        self._centred, self._width = norm.kind == "layer", width
        guard = self._guard = GUARDS[precision.level]
        self._precision, self._bits = precision, precision.fraction + guard
        epsilon = norm.epsilon
        self._epsilon = (epsilon.numerator * width**2 << 2 * self._bits) // epsilon.denominator
        self._least = isqrt((epsilon.numerator << 2 * self._bits) // epsilon.denominator)
        self._side, self._root = ceil_sqrt(width), isqrt(width << 2 * guard)
        self.bound = ceil_sqrt(width << 2 * precision.fraction) * (1 + LEAST_ROOT) // LEAST_ROOT + 1 + self._side

    def apply(self, x: Sequence[int], e: int) -> tuple[list[int], int]:
        """The result of x, off by at most e, and how far it is off.

        Raises:
            Undecided: if the error is too large, or s too small.
        """
        width, bits, guard = self._width, self._bits, self._guard
        total = sum(x) if self._centred else 0
        square = width * sum([y * y for y in x]) - total * total
        r = isqrt((square << 2 * guard) + self._epsilon)
        least = max(r // width - (e << 2 * guard) // self._root - 1, self._least)
        if r < LEAST_ROOT or least <= 0:
            raise Undecided
        inverse = (1 << 2 * bits) // r
        rounding = (self._side << self._precision.fraction) // r + (self._side * (r + 1) >> bits + guard)
        rounding += 3 + self._side
        return [(width * y - total) * inverse >> bits for y in x], (e << bits) // least + rounding
