"""Weights that are exact rationals: hard weightings ([SHA] Definition 2), sparsemax and ReLU.

All others are enclosed, in ``proofs.enclosures``. Definitions and their papers: docs/background/weightings.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.network.weightings import Weighting


def hard_weights(scores: Sequence[Fraction], weighting: Weighting) -> list[Fraction]:
    """Return the attention weights; softmax and similar ones are replaced by average-hardmax, their limit.

    >>> [str(w) for w in hard_weights([Fraction(2), Fraction(1), Fraction(2)], Weighting.AVERAGE_HARDMAX)]
    ['1/2', '0', '1/2']
    """
    best = max(scores)
    winners = [place for place, score in enumerate(scores) if score == best]
    if weighting.row.winners is None:
        raise Unsupported(f"hard attention instead of {weighting}, expected a weighting that tends to it")
    kept = weighting.row.winners.of(winners)
    share = Fraction(1, len(kept))
    return [share if place in kept else Fraction(0) for place in range(len(scores))]


def sparsemax_weights(scores: Sequence[Fraction]) -> list[Fraction]:
    """Return the point of the simplex nearest to the scores: max(score - θ, 0) with θ such that the sum is 1.

    >>> [str(w) for w in sparsemax_weights([Fraction(1), Fraction(1, 2), Fraction(-1)])]
    ['3/4', '1/4', '0']
    """
    threshold = sparsemax_threshold(scores)
    return [max(score - threshold, threshold * 0) for score in scores]


def sparsemax_threshold(scores: Sequence[Fraction]) -> Fraction:
    """Return θ of sparsemax, in the rationals of the scores; it increases in each score.

    The k greatest scores have weights above 0 if all of them exceed the threshold that makes their sum 1.

    >>> str(sparsemax_threshold([Fraction(1), Fraction(1, 2), Fraction(-1)]))
    '1/4'
    """
    ordered = sorted(scores, reverse=True)
    total, threshold = ordered[0], ordered[0] - 1
    for count, score in enumerate(ordered[1:], start=2):
        if score <= threshold:
            break
        total += score
        threshold = (total - 1) / count
    return threshold


def relu_weights(scores: Sequence[Fraction], divisor: int = 1) -> list[Fraction]:
    """Return the positive parts of the scores, divided by ``divisor`` (the length of the word, for ``relu-over-n``).

    >>> [str(w) for w in relu_weights([Fraction(-1), Fraction(3)], 2)]
    ['0', '3/2']
    """
    return [max(score, score * 0) / divisor for score in scores]
