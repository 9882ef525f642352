"""Layer norm and RMS norm in ball arithmetic, without gain and bias.

x ↦ c / s, with c = x - mean(x) (or x), s = sqrt(|c|²/d + ε). c errs by at most e, as subtracting the mean is a
projection, and the result by at most e / max(s - e/√d, √ε), and by at most 2 √d; docs/background/trained_rules.md,
section 6.
"""

from collections.abc import Sequence
from math import isqrt
from operator import mul

from ..reading.network import Norm
from .precision import Precision, Undecided, ceil_sqrt

GUARDS = 12, 20, 20  # additional fractional bits of s, by precision
LEAST_ROOT = 1 << 16  # least d s 2^(F + GUARD): below it, too few bits are left


class Normaliser:
    """Normalisation of a vector, with its error bound.

    Let B = F + GUARD, R = d s 2^B, r = floor(R), k >= 0 with r 2^k >= d 2^(B - 1), a = 2^k x - m, m the integer nearest
    to 2^k mean(x) (0 for rms), i = floor(2^P d 2^(B - k) / r). The result is floor(a i / 2^P), all entries packed.
    Proof of the rounding: c/s = 2^k c d 2^(B - k) / R numbers. m adds at most √d/2 d 2^(B - k) / R <= √d; r for R at
    most |c/s| / r <= √d 2^F / r, and √d / r; rounding i at most |a| / 2^P, and |a| <= √d/2 + 2^k |c|, where 2^k |c| <=
    √d 2^k R / (d 2^GUARD); the last rounding at most √d. All in the 2-norm, since |c/s| <= √d. So |a i| is at most 2^P
    √d (2^F + 1) (1 + 1/r), for which a slot has room.
    """

    def __init__(self, norm: Norm, width: int, precision: Precision) -> None:
        self._centred, self._width = norm.kind == "layer", width
        guard = self._guard = GUARDS[precision.level]
        self._precision, self._bits = precision, precision.fraction + guard
        epsilon = norm.epsilon
        self._epsilon = (epsilon.numerator * width**2 << 2 * self._bits) // epsilon.denominator
        self._least = isqrt((epsilon.numerator << 2 * self._bits) // epsilon.denominator)
        self._side, self._root = ceil_sqrt(width), isqrt(width << 2 * guard)
        self.bound = ceil_sqrt(width << 2 * precision.fraction) * (1 + LEAST_ROOT) // LEAST_ROOT + 2 + 3 * self._side
        self._most = 2 * ceil_sqrt(width << 2 * precision.fraction)
        self._inverse_bits = precision.weight if precision.level else (
            precision.slot - 4 - precision.fraction - self._side.bit_length())
        self._ones, self._quotients = precision.pack([1] * width), precision.quotients(width, self._inverse_bits)

    def apply(self, x: Sequence[int], e: int) -> tuple[Sequence[int], int]:
        """Return the normalised vector and its error bound, for x with error e in the 2-norm.

        Raises:
            Undecided: if the error is too large, or s too small.
        """
        width, bits, guard, side = self._width, self._bits, self._guard, self._side
        total = sum(x) if self._centred else 0
        square = width * sum(map(mul, x, x)) - total * total
        r = isqrt((square << 2 * guard) + self._epsilon)
        if r < LEAST_ROOT:
            raise Undecided
        k = max(0, (width << bits).bit_length() - r.bit_length())
        inverse = (width << self._inverse_bits + bits) // (r << k)
        packed = (self._precision.pack(x) << k) - ((total << k + 1) + width) // (2 * width) * self._ones
        rounding = ((side << self._precision.fraction) + side) // r + 4 + 2 * side
        rounding += (side * (r + 1 << k) // (width << guard) + side >> self._inverse_bits)
        least = max(r // width - (e << 2 * guard) // self._root - 1, self._least)
        if least <= 0:
            raise Undecided
        return self._quotients(packed * inverse), min((e << bits) // least, self._most) + rounding
