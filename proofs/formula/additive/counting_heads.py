"""The exact check of counting heads: equal scores, whose weight times the factor of the value is 1."""

from fractions import Fraction

from constructions.network.weightings import Response, Weighting
from proofs.formula.additive.obligation import CountingObligation
from proofs.formula.failures import NotDerived
from proofs.formula.uniform.worst_case import check_equal_scores


def check_counting(obligation: CountingObligation) -> None:
    """Check every (n, i).

    Raises:
        NotDerived: naming the first (n, i) where it fails, or what is read there that is not known.
    """
    check_equal_scores(obligation)
    head, known = obligation.head, obligation.known
    for n in obligation.lengths:
        temperatures = head.temperature.column(range(1, n + 1), n)
        products = [[q * k for q, k in zip(known.forms(query, n), known.forms(key, n), strict=True)]
                    for query, key in zip(head.queries, head.keys, strict=True)]
        for i, temperature in enumerate(temperatures, start=1):
            score = sum((column[i - 1] for column in products), Fraction(0)) / temperature
            if not _counts_each_once(head.weighting, score, obligation.factor, n):
                raise NotDerived(f"all scores are {score} at i = {i}, n = {n}: the weight times {obligation.factor} is "
                                 "not 1")


def _counts_each_once(weighting: Weighting, score: Fraction, factor: Fraction, n: int) -> bool:
    wanted = n if weighting.row.over_n else 1
    match weighting.row.response:
        case Response.RELU:
            return factor * max(score, Fraction(0)) == wanted
        case Response.SIGMOID:
            return score == 0 and factor == 2 * wanted  # nowhere else is σ rational
    return False
