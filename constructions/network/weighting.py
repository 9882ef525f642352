"""Hard weighting functions, exact ([SHA] Definition 2). Soft ones are enclosed in ``proofs.enclosures.softmax``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.network.transformer import Weighting


def hard_weights(scores: Sequence[Fraction], weighting: Weighting) -> list[Fraction]:
    """The attention weights; softmax is replaced by average-hardmax, its limit as the temperature goes to 0.

    >>> [str(w) for w in hard_weights([Fraction(2), Fraction(1), Fraction(2)], Weighting.AVERAGE_HARDMAX)]
    ['1/2', '0', '1/2']
    """
    best = max(scores)
    winners = [place for place, score in enumerate(scores) if score == best]
    match weighting:
        case Weighting.LEFTMOST_HARDMAX:
            winners = winners[:1]
        case Weighting.RIGHTMOST_HARDMAX:
            winners = winners[-1:]
        case Weighting.AVERAGE_HARDMAX | Weighting.SOFTMAX:
            pass
        case _:
            raise Unsupported(f"hard attention in place of {weighting}: only softmax is replaced by its limit")
    share = Fraction(1, len(winners))
    return [share if place in winners else Fraction(0) for place in range(len(scores))]
