"""Linear maps in fixed point: rows of the matrix are packed, so that a map is one sum of products of integers.

Each map has an upper bound of its spectral norm and of its roundings, for error bounds in the 2-norm.
"""

from collections.abc import Sequence
from itertools import accumulate, compress
from math import isqrt
from operator import mul

from ....kernel.budget import Budget
from ....kernel.exponential import ceil_shift, floor_shift
from ....kernel.numbers import INTEGER_BITS
from ..reading.dyadics import Matrix
from .exact import ExactLinear
from .precision import LEAST_WEIGHT, NORM_BITS, Precision, ceil_norm, ceil_sqrt

ENTRY_BITS = 20  # of the entries of a matrix whose spectral norm is bounded
ROOT_BITS = 12  # additional fractional bits of the sixteenth root, so that rounding it up loses little


class LinearOnNumbers:
    """x ↦ x W + b in fixed point, for |x| <= ``reads`` (in fixed point, as all bounds of vectors).

    Claim. If x is within e of an exact vector in the 2-norm, the result is within `error(e)` of the exact result, and
    its 2-norm is at most ``bound``, each entry at most ``largest``; if x is exact, an entry errs by at most
    ``rounding``. Proof. Entries of the weight are rounded to nearest, by at most 2^-G / 2 (three times that, if the
    given ones are ``inexact``, with an error below 2^-G), so |x (W - W')| <= |x| sqrt(in out) 2^-G / 2, three times
    that, and an entry of it at most |x| sqrt(in) 2^-G / 2; the bias is rounded by less than 1 unit, and the quotient is
    rounded to nearest. The rest is |x - x'| |W|. An entry is at most |x| times the 2-norm of the column, plus the bias.
    """

    def __init__(self, precision: Precision, budget: Budget, given: ExactLinear, reads: int,
                 inexact: bool = False, room: int = 0) -> None:
        """Pack the matrix; ``room`` bounds the entries of the maps that share its weight scale."""
        height, self.width = len(given.weight.rows), given.weight.width
        side, rounds = ceil_sqrt(self.width), 3 if inexact else 1
        budget.spend(1 + height * (1 + self.width))
        budget.hold(height * (INTEGER_BITS + self.width * precision.slot))
        self.largest = largest_entry(given, reads, precision)
        power = self.power = precision.weight_for(max(self.largest, room))
        places = given.weight.power + power + 1
        self.rows = [precision.pack([floor_shift(w, places) + 1 >> 1 for w in row]) for row in given.weight.rows]
        self.start = precision.pack([floor_shift(b, given.bias.power + precision.fraction + power) + (1 << power - 1)
                                      for b in given.bias.entries])
        self._quotients = precision.quotients(self.width, power)
        self.norm = spectral_norm(budget, given.weight, precision.norms) + 1
        self.rounding = (rounds * reads * ceil_sqrt(height) >> power + 1) + 2
        self._rounding = (rounds * reads * ceil_sqrt(height * self.width) >> power + 1) + 3 + side // 2
        bias = [floor_shift(b, given.bias.power + precision.fraction) for b in given.bias.entries]
        self.bound = self.error(reads) + ceil_norm(bias) + side

    def apply(self, x: Sequence[int]) -> Sequence[int]:
        """Return the result."""
        return self._quotients(sum(map(mul, x, self.rows), self.start))

    def apply_to_few(self, x: Sequence[int]) -> Sequence[int]:
        """Return the result, faster where many entries are 0: their products are left out."""
        return self._quotients(sum(map(mul, filter(None, x), compress(self.rows, x)), self.start))

    def error(self, e: int) -> int:
        """Bound the error of the result for an input with error e."""
        return (e * self.norm >> NORM_BITS) + 1 + self._rounding


class MapsBeside:
    """Maps of one x with one weight scale, as one sum of products; ``apply`` concatenates the results."""

    def __init__(self, precision: Precision, budget: Budget, maps: Sequence[LinearOnNumbers]) -> None:
        *starts, self.width = accumulate((one.width for one in maps), initial=0)
        shifts = [precision.slot * start for start in starts]
        rows = ([row << shift for row in one.rows] for one, shift in zip(maps, shifts, strict=True))
        self._rows = list(map(sum, zip(*rows, strict=True)))
        budget.hold(len(self._rows) * (INTEGER_BITS + self.width * precision.slot))
        self._start = sum(one.start << shift for one, shift in zip(maps, shifts, strict=True))
        self._quotients = precision.quotients(self.width, maps[0].power if maps else 0)

    def apply(self, x: Sequence[int]) -> Sequence[int]:
        """Return the results, concatenated."""
        return self._quotients(sum(map(mul, x, self._rows), self._start))


def largest_entry(given: ExactLinear, reads: int, precision: Precision) -> int:
    """Bound the entries of the map's result for |x| <= ``reads``, roundings included."""
    columns = ceil_shift(max(map(ceil_norm, zip(*given.weight.rows, strict=True)), default=0),
                         given.weight.power + NORM_BITS)
    bias = max((abs(floor_shift(b, given.bias.power + precision.fraction)) for b in given.bias.entries), default=0)
    return (reads * columns >> NORM_BITS) + bias + (reads * ceil_sqrt(len(given.weight.rows)) >> LEAST_WEIGHT) + 4


def spectral_norm(budget: Budget, matrix: Matrix, known: dict[Matrix, int] | None = None) -> int:
    """Return an integer such that the spectral norm of the matrix is at most it divided by 2^NORM_BITS.

    Proof. Let M be the entries with ENTRY_BITS bits, rounded down to a multiple of a power of two: the remainder has a
    norm of at most sqrt(in out) units. S = M Mᵀ has the norm |M|², and S⁴ the norm |M|^8, at most its Frobenius norm;
    so |M| is at most the sixteenth root of the sum of the squares of the entries of S⁴; and at most the Frobenius norm
    of M.
    """
    if known is not None:
        if matrix not in known:
            budget.hold(INTEGER_BITS * len(matrix.rows) * matrix.width)
            known[matrix] = spectral_norm(budget, matrix)
        return known[matrix]
    rows = matrix.rows if len(matrix.rows) <= matrix.width else tuple(zip(*matrix.rows, strict=True))
    longest = max((w.bit_length() for row in rows for w in row), default=0)
    if not longest:
        return 0
    cut = longest - ENTRY_BITS
    entries = [[floor_shift(w, -cut) for w in row] for row in rows]
    frobenius = ceil_norm(w for row in entries for w in row)
    bound = min(frobenius << ROOT_BITS, norm_by_powers(budget, entries))
    bound += ceil_sqrt(len(rows) * len(rows[0])) << ROOT_BITS
    return ceil_shift(bound, matrix.power + cut - ROOT_BITS + NORM_BITS)


def norm_by_powers(budget: Budget, entries: Sequence[Sequence[int]]) -> int:
    """Return the sixteenth root of the sum of the squares of the entries of (M Mᵀ)⁴, times 2^ROOT_BITS, rounded up."""
    columns = list(zip(*entries, strict=True))
    square = multiply(budget, entries, columns)
    for _ in range(2):
        square = multiply(budget, square, square)
    root = sum(x * x for row in square for x in row) << 16 * ROOT_BITS
    for _ in range(4):
        root = isqrt(root) + 1
    return root


def multiply(budget: Budget, left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the product of integer matrices, with packed rows of the right one."""
    bits = max(x.bit_length() for row in left for x in row) + max(x.bit_length() for row in right for x in row)
    size = (bits + len(right).bit_length()) // 8 + 2  # bytes of a slot: a sum, and its sign
    budget.spend(1 + len(left) * len(right) * (1 + (len(right[0]) * size >> 9)))
    offsets = range(0, len(right[0]) * size, size)
    half = sum(1 << 8 * (offset + size) - 1 for offset in offsets)
    packed = [sum(x << 8 * offset for x, offset in zip(row, offsets, strict=True)) for row in right]
    result = []
    for row in left:
        total = (sum(map(mul, row, packed)) + half ^ half).to_bytes(len(offsets) * size, "little")
        result.append([int.from_bytes(total[i:i + size], "little", signed=True) for i in offsets])
    return result
