"""The exact check of uniform heads: rationals at every (n, i), nothing free, so nothing for a second prover to find."""

from __future__ import annotations

from fractions import Fraction

from constructions.network.transformer import Coefficients
from proofs.failures import NotDerived
from proofs.obligations.uniform import UniformObligation, check_reads_known


def check_uniform(obligation: UniformObligation) -> None:
    """Check the scores, and the mean of the values where a number is expected, at every (n, i).

    Raises:
        NotDerived: naming the first (n, i) where it fails, or what is read there that is not known.
    """
    for n, i in obligation.lengths.rows():
        _check_equal_scores(obligation, i, n)
    if obligation.expected is not None:
        for n in obligation.lengths:
            _check_means(obligation, n)


def _check_equal_scores(obligation: UniformObligation, i: int, n: int) -> None:
    """Components whose query is 0 give equal scores whatever the keys; the others must have equal known keys."""
    head = obligation.head
    active = [(factor, key) for query, key in zip(head.queries, head.keys, strict=True)
              if (factor := _known_form(obligation, query, i, n, "a query"))]
    scores = {sum((factor * _known_form(obligation, key, j, n, "a key") for factor, key in active), Fraction(0))
              for j in head.mask.visible(i, n)} if active else {}
    if len(scores) > 1:
        raise NotDerived(f"the scores at i = {i}, n = {n} differ; an exact value needs uniform attention")


def _check_means(obligation: UniformObligation, n: int) -> None:
    """The head adds exactly the stated number at every position of words of length n."""
    head, expected = obligation.head, obligation.expected
    assert expected is not None
    values = [obligation.known.form(head.values[obligation.direction], j, n) for j in range(1, n + 1)]
    for i in range(1, n + 1):
        visible = head.mask.visible(i, n)
        mean = sum((values[j - 1] for j in visible), Fraction(0)) / len(visible)
        if mean != expected.evaluate(i=i, n=n):
            raise NotDerived(f"uniform attention gives {mean} at i = {i}, n = {n}, expected {expected}")


def _known_form(obligation: UniformObligation, row: Coefficients, i: int, n: int, what: str) -> Fraction:
    check_reads_known(row, obligation.known, what)
    return obligation.known.form(row, i, n)
