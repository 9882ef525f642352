"""Uniform heads: all scores equal, so the weights are exactly 1/count and the mean of known values is exact."""

from __future__ import annotations

from fractions import Fraction

from constructions.network.meanings import Position
from constructions.network.transformer import Head, Row, Transformer, Weighting
from proofs.failures import NotDerived
from proofs.known import KnownValues


def check_uniform(transformer: Transformer, known: KnownValues, max_n: int, head: Head, direction: str) -> int:
    """Check that the head adds exactly the stated value to ``direction`` at every (n, i); return their number.

    Raises:
        NotDerived: naming the first (n, i) where it does not, or what it reads that is not known.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Position)
    if head.weighting is not Weighting.SOFTMAX:
        raise NotDerived(f"weighting {head.weighting.value}: only softmax is certified")
    value = head.values[direction]
    _check_reads_known(value, known, "the value")
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            _check_equal_scores(head, known, i, n)
            visible = head.mask.visible(i, n)
            mean = sum((_form(value, known, j, n) for j in visible), Fraction(0)) / len(visible)
            if mean != meaning.value.evaluate(i=i, n=n):
                raise NotDerived(f"uniform attention gives {mean} at i = {i}, n = {n}, expected {meaning.value}")
    return max_n * (max_n + 1) // 2


def _check_equal_scores(head: Head, known: KnownValues, i: int, n: int) -> None:
    """Components whose query is 0 give equal scores whatever the keys; the others must have equal known keys."""
    active = []
    for query, key in zip(head.queries, head.keys, strict=True):
        _check_reads_known(query, known, "a query")
        if factor := _form(query, known, i, n):
            _check_reads_known(key, known, "a key")
            active.append((factor, key))
    scores = {sum((factor * _form(key, known, j, n) for factor, key in active), Fraction(0))
              for j in head.mask.visible(i, n)}
    if len(scores) > 1:
        raise NotDerived(f"the scores at i = {i}, n = {n} differ; an exact value needs uniform attention")


def _check_reads_known(row: Row, known: KnownValues, what: str) -> None:
    for name in row:
        if name not in known:
            raise NotDerived(f"{what} reads {name}, which depends on the word")


def _form(row: Row, known: KnownValues, i: int, n: int) -> Fraction:
    return sum((weight * known.value(name, i, n) for name, weight in row.items()), Fraction(0))
