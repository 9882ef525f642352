"""Uniform heads: all scores equal, so the weights are exactly 1/count and the mean of exact values is exact."""

from __future__ import annotations

from fractions import Fraction

from constructions.language.printer import format_count, format_formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Position, Truth
from constructions.network.transformer import Head, Mask, Row, Transformer, Weighting
from proofs.failures import NotDerived
from proofs.obligations.known import KnownValues


def check_uniform(transformer: Transformer, known: KnownValues, lengths: Lengths, head: Head, direction: str) -> int:
    """Check that the head adds exactly the stated value to ``direction`` at every (n, i); return their number.

    Raises:
        NotDerived: naming the first (n, i) where it does not, or what it reads that is not known.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Position)
    value = head.values[direction]
    _check_reads_known(value, known, "the value")
    rows = _check_equal_scores(head, known, lengths)
    for n in lengths:
        values = [known.form(value, j, n) for j in range(1, n + 1)]
        for i in range(1, n + 1):
            visible = head.mask.visible(i, n)
            mean = sum((values[j - 1] for j in visible), Fraction(0)) / len(visible)
            if mean != meaning.value.evaluate(i=i, n=n):
                raise NotDerived(f"uniform attention gives {mean} at i = {i}, n = {n}, expected {meaning.value}")
    return rows


def check_mean(transformer: Transformer, known: KnownValues, lengths: Lengths, head: Head, direction: str) -> int:
    """Check that the head adds exactly the mean behind a count at every (n, i); return their number.

    Source      [SHA] Theorem 20, first stage: masked uniform attention over the truth of what is counted.

    Raises:
        NotDerived: if the mask or the value is not that of the count, or the scores differ somewhere.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Mean)
    count, value = meaning.count, head.values[direction]
    mask = Mask.FUTURE if count.side == "left" else Mask.PAST
    if head.mask is not mask:
        raise NotDerived(f"mask {head.mask.value}: {format_count(count)} needs mask {mask.value}")
    read = [transformer.directions[name] for name in value]
    if list(value.values()) != [1] or read != [Truth(count.operand)]:
        raise NotDerived(f"the value is not the truth of {format_formula(count.operand)} and nothing else")
    return _check_equal_scores(head, known, lengths)


def _check_equal_scores(head: Head, known: KnownValues, lengths: Lengths) -> int:
    """Check softmax and that the visible positions have equal scores at every (n, i); return the number of these.

    Components whose query is 0 give equal scores whatever the keys; the others must have equal known keys.
    """
    if head.weighting is not Weighting.SOFTMAX:
        raise NotDerived(f"weighting {head.weighting.value}: only softmax is certified")
    for n in lengths:
        for i in range(1, n + 1):
            active = [(factor, key) for query, key in zip(head.queries, head.keys, strict=True)
                      if (factor := _known_form(query, known, i, n, "a query"))]
            scores = {sum((factor * _known_form(key, known, j, n, "a key") for factor, key in active), Fraction(0))
                      for j in head.mask.visible(i, n)} if active else {}
            if len(scores) > 1:
                raise NotDerived(f"the scores at i = {i}, n = {n} differ; an exact value needs uniform attention")
    return lengths.cells


def _check_reads_known(row: Row, known: KnownValues, what: str) -> None:
    for name in row:
        if name not in known:
            raise NotDerived(f"{what} reads {name}, which depends on the word")


def _known_form(row: Row, known: KnownValues, i: int, n: int, what: str) -> Fraction:
    _check_reads_known(row, known, what)
    return known.form(row, i, n)
