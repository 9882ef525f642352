"""The search for a word on which the softened transformer is provably too far from the hard one.

Claim       Every result was replayed: the hard run exactly, the soft run with enclosures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.expressions import Expression
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import soften
from proofs.enclosures.by_mpmath import confirm_by_mpmath
from proofs.enclosures.exponential import PRECISIONS
from proofs.enclosures.intervals import Interval, point
from proofs.words.replay import run_soft

ALLOWED = Fraction(1, 4)
ZERO = point(Fraction(0))


@dataclass(frozen=True)
class Departure:
    """A word and a position (from 1) with the distance of the residual vectors in the L1 norm."""

    word: tuple[str, ...]
    i: int
    norm: Interval


def find_departure(transformer: Transformer, temperature: Expression,
                   words: Iterable[Sequence[str]]) -> Departure | None:
    """Find the first word with a position where ‖y_i - ŷ_i‖₁ is provably above 1/4, and the first such position.

    None does not mean that the distance is at most 1/4: enclosures of the last precision may be too wide.
    """
    softened = soften(transformer, temperature)
    for word in words:
        for bits in PRECISIONS:
            norms = enclose_distances(transformer, softened, word, bits)
            for i, norm in enumerate(norms, start=1):
                if norm.lower > ALLOWED:
                    confirm_by_mpmath(softened, word, run_soft(softened, word, bits))
                    return Departure(tuple(word), i, norm)
            if all(norm.upper <= ALLOWED for norm in norms):
                break
    return None


def enclose_distances(transformer: Transformer, softened: Transformer, word: Sequence[str],
                      bits: int) -> list[Interval]:
    """Enclose the distance of the final residual vectors in the L1 norm, for each position."""
    pairs = zip(run_hard(transformer, word), run_soft(softened, word, bits), strict=True)
    return [sum((enclose_distance(hard.get(name, Fraction(0)), soft.get(name, ZERO))
                 for name in {**hard, **soft}), ZERO) for hard, soft in pairs]


def enclose_distance(x: Fraction, y: Interval) -> Interval:
    """Enclose the distance of a number from one in an interval.

    >>> enclose_distance(Fraction(1), Interval(Fraction(0), Fraction(3)))
    Interval(lower=Fraction(0, 1), upper=Fraction(2, 1))
    """
    return Interval(max(y.lower - x, x - y.upper, Fraction(0)), max(abs(y.lower - x), abs(y.upper - x)))


