"""Section 2.3: the limit of geometric attention as the temperature tends to 0.

Source      [SHA] Section 2.3: "as τ approaches zero, geometric attention approaches strictly future-masked
            rightmost-hard attention" (the one of Csordás et al., 2022, under a strict future mask).
Weights     At position n the score s of j < n gives the share σ(s/τ) of the rest after the positions between j and n.
            As τ tends to 0, σ(s/τ) tends to 1 for s > 0, to 1/2 for s = 0 and to 0 for s < 0: the limits of all
            weights are products of these, exactly, and depend on the signs of the scores only.
As printed  Rightmost-hard attention depends on the order of scores, not on their signs. If all n - 1 scores are 0, it
            attends to n - 1, and the limit there is 1/2; if all are -1, the limits are 0 everywhere; if they are 2, 1,
            ..., it attends to the first of them, and the limit there is 0. At n = 2 there is one score; at n = 1 none.
Repaired    It is true if the greatest score is positive and all lesser scores are negative. With c the
            last position of the greatest score, positions between c and n take nothing, c takes all the rest, and
            nothing is left for positions before it. Each length checks every c; before it only the factor 0 matters.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance, Replay

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
NO_SCORES = Replay("section_2_geometric.json", "10")


def limit_of_share(score: int) -> Fraction:
    """Return the limit of σ(score/τ) as τ tends to 0."""
    return ONE if score > 0 else HALF if score == 0 else ZERO


def limits_of_weights(scores: Sequence[int]) -> list[Fraction]:
    """Return the limits of all weights at the position after these scores.

    >>> [str(weight) for weight in limits_of_weights([0, 0])]
    ['1/4', '1/2']
    """
    left, weights = ONE, list[Fraction]()
    for score in reversed(scores):
        weights.append(left * limit_of_share(score))
        left *= 1 - limit_of_share(score)
    return weights[::-1]


def limit_at_the_winner(scores: Sequence[int]) -> Fraction:
    """Return the limit of the weight where rightmost-hard attention attends: at the last of the greatest scores."""
    winner = max(range(len(scores)), key=lambda j: (scores[j], j))
    return limits_of_weights(scores)[winner]


def _as_printed(n: int) -> Iterable[Instance]:
    yield equality(n, "the limit of the winner's weight, if all scores are 0", limit_at_the_winner([0] * (n - 1)), ONE,
                   NO_SCORES)
    yield equality(n, "the same, if all scores are -1", limit_at_the_winner([-1] * (n - 1)), ONE)
    if n > 2:
        yield equality(n, f"the same, if the scores are {n - 1}, ..., 1", limit_at_the_winner(range(n - 1, 0, -1)), ONE)


def _repaired(n: int) -> Iterable[Instance]:
    for c in range(1, n):
        winner = [1, *[-1] * (n - 1 - c)]
        yield equality(n, f"the greatest score last at {c}: the limit of its weight", limit_at_the_winner(winner), ONE)


NAME = "Section 2.3, geometric attention"
ALONE = "one position, which sees nothing"
COVERS = "every sequence of n - 1 scores"
EXAMINATIONS = (
    Examination("section-2-geometric", NAME, "as the temperature falls to 0, geometric attention attends as strictly "
                "future-masked rightmost-hard attention", COVERS, _as_printed, ALONE),
    Examination("section-2-geometric-repaired", NAME, "it does where the greatest score is positive and all lesser "
                "scores are negative", COVERS, _repaired, ALONE),
)
