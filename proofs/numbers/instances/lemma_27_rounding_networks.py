"""Lemma 27: a feed-forward network that rounds to p bits has at least 2^p affine pieces.

Source      [SHA] Lemma 27: any ReLU network that rounds p'-bit to p-bit numbers, p' > p, with ℓ layers and width m has
            (2m)^ℓ >= 2^p. (2m)^ℓ bounds the number of its affine pieces, so the claim is about pieces.
Examined    The domain is 0, 1, ..., wn - 1, the range its multiples of w, n of them (p-bit numbers of the same range:
            n = 2^p, w = 2^(p'-p)); rounding down, to the nearest with ties up, to the nearest with ties to even, the
            last two saturating. The least number of pieces of any continuous function that agrees with the rounding on
            the domain is computed exactly (``pieces``), for w = 2 and w = 4, at every n, a power of 2 or not.
Larger w    For w >= 3 interior runs of equal values have at least three values, the first and the last one at least
            two: so each rise between two runs has three segments of its own, of slopes 0, w, 0. It needs a break in
            the first two of them and one in the last two; a single break would lie on the rise, and as the function is
            affine before and behind it, both slopes would be 0. So there are at least 2(n - 1) + 1 pieces.
Proof step  The printed proof says that between m(y1) and m(y2), the least numbers rounded to two neighbours y1 < y2,
            there is another number of the domain. With ties to even and p' = p + 1 there is none: of 0, ..., 7 rounded
            to 2 bits, 2 is the first that gives 2 and 3 the first that gives 4. False from p = 2 on; the pattern has
            period 4, so the first two neighbours above 0 show it for every p. The statement holds there all the same.
As printed  The lemma does not define the p-bit numbers, except that they are different. If they are the
            *integers* of p bits, p' > p bits are a larger range rather than a finer one, the nearest p-bit number to x
            is min(x, 2^p - 1) = (2^p - 1) - ReLU(2^p - 1 - x): one layer of width 1, so (2m)^ℓ = 2 < 2^p from p = 2
            on. Two affine functions agree on either side of 2^p - 1, so three points decide that the network is right.
            What the lemma needs is that every p-bit number but the last is followed by a p'-bit number below the next.
Width       "This implies that a constant-depth ReLU MLP to round p'-bit numbers to p-bit numbers must have width at
            least n^ε", for p of order log n: from (2m)^ℓ >= 2^p with p = ⌈log2 n⌉, m >= n^(1/ℓ)/2; so any ε < 1/ℓ
            serves from some n on. Each length takes the least m with (2m)^ℓ >= 2^p, for ℓ = 1, ..., 4.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from proofs.numbers.instances.comparing import at_least
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.pieces import fewest_pieces

MODES = ("down", "nearest, ties up", "nearest, ties to even")
INTEGERS = Replay("lemma_27_integers.json", "01234567", 2)
TIES_TO_EVEN = Replay("lemma_27_ties_to_even.json", "01234567", 2)


def rounded(x: int, width: int, values: int, mode: str) -> int:
    """Return the index (from 0) of the one of ``values`` multiples of ``width`` that x is rounded to.

    >>> [rounded(x, 2, 4, MODES[2]) for x in range(8)]
    [0, 0, 1, 2, 2, 2, 3, 3]
    """
    quotient, rest = divmod(x, width)
    up = {MODES[0]: False, MODES[1]: 2 * rest >= width,
          MODES[2]: 2 * rest > width or (2 * rest == width and quotient % 2 == 1)}[mode]
    return min(quotient + up, values - 1)


def pieces_needed(values: int, width: int, mode: str) -> int:
    """Return the least number of affine pieces that round to ``values`` multiples of ``width``."""
    return fewest_pieces([(Fraction(x), Fraction(width * rounded(x, width, values, mode)))
                          for x in range(width * values)])


def _examine(n: int) -> Iterable[Instance]:
    for width in (2, 4):
        for mode in MODES:
            yield at_least(n, f"{width * n} numbers to {n}, {mode}: the least number of pieces",
                           Fraction(pieces_needed(n, width, mode)), Fraction(n))


def least_step(bits: int) -> int:
    """Return the least m(y2) - m(y1) among neighbours y1 < y2, for ties to even with one bit more."""
    values = min(2**bits, 4)
    first = {rounded(x, 2, values, MODES[2]): x for x in reversed(range(2 * values))}
    return min(first[y + 1] - first[y] for y in range(values - 1))


def one_relu(x: int, bits: int) -> int:
    """Return the output of the network of one unit that rounds integers to the nearest one of ``bits`` bits."""
    greatest = (1 << bits) - 1
    return greatest - max(greatest - x, 0)


def _integers(n: int) -> Instance:
    greatest = 2**n - 1
    right = all(one_relu(x, n) == min(x, greatest) for x in (0, greatest, 2 * greatest + 1))
    found = at_least(n, f"integers of {n + 1} bits to {n} bits by one unit: (2m)^ℓ, against 2^p", Fraction(2),
                     Fraction(2**n), INTEGERS)
    return found if right else replace(found, holds=None)


def _width(n: int) -> Iterable[Instance]:
    bits = (n - 1).bit_length()
    for layers in (1, 2, 3, 4):
        width = next(m for m in range(1, n + 1) if (2 * m) ** layers >= 2**bits)
        yield at_least(n, f"{layers} layers, p = {bits}: (2m)^ℓ for the least m that Lemma 27 allows, {width}",
                       Fraction((2 * width) ** layers), Fraction(n))


EXAMINATIONS = (
    Examination("lemma-27-width", "Appendix A", "rounding to ⌈log2 n⌉ bits by ℓ layers takes width n^(1/ℓ)/2 or more",
                "ℓ = 1, 2, 3, 4, where Lemma 27 holds", _width),
    Examination("lemma-27", "Lemma 27", "rounding to n numbers of the same range takes at least n affine pieces",
                "n = 2^p (and every other n), p' = p + 1 and p + 2, rounding down, ties up, ties to even", _examine),
    Examination("lemma-27-proof-step", "Lemma 27", "there is an x in the domain with m(y1) < x < m(y2)",
                "p = n, p' = p + 1, ties to even", lambda n: at_least(
                    n, f"{n + 1} bits to {n} bits, ties to even: the least m(y2) - m(y1)", Fraction(least_step(n)),
                    Fraction(2), TIES_TO_EVEN)),
    Examination("lemma-27-integers", "Lemma 27", "(2m)^ℓ >= 2^p, whichever numbers have p bits",
                "p = n, p' = p + 1, integers, to the nearest", _integers),
)
