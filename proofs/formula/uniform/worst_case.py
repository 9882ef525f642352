"""The exact check of uniform heads: rationals at every (n, i). Nothing is free, so they have no second prover.

If the mask is ``future`` and nothing that is read mentions n, the row (n, i) equals the row (n', i) for every n' >= i:
it is checked at the last length, and messages name the first length that has it.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from constructions.network.transformer import Mask
from proofs.formula.additive.obligation import CountingObligation
from proofs.formula.common.word_independent import Column
from proofs.formula.failures import NotDerived
from proofs.formula.uniform.obligation import UniformObligation, check_reads_known


def check_uniform(obligation: UniformObligation) -> None:
    """Check the scores, and the mean of the values where a number is expected, at every (n, i).

    Raises:
        NotDerived: naming the first (n, i) where it fails, or what is read there that is not known.
    """
    head, known = obligation.head, obligation.known
    check_equal_scores(obligation)
    if obligation.expected is not None:
        mentions_n = known.mentions_n(head.values[obligation.direction]) or obligation.expected.mentions_n
        for rows in _rows(obligation, mentions_n):
            _check_means(obligation, rows)


def check_equal_scores(obligation: UniformObligation | CountingObligation) -> None:
    """Check that at every (n, i) the scores of all visible positions are equal.

    Raises:
        NotDerived: naming the first (n, i) where they differ, or what is read there that is not known.
    """
    head, known = obligation.head, obligation.known
    for query in head.queries:
        check_reads_known(query, known, "a query")
    if any(query for query in head.queries):
        mentions_n = any(known.mentions_n(row) for row in (*head.queries, *head.keys))
        for rows in _rows(obligation, mentions_n):
            _check_equal_scores(obligation, rows)


@dataclass(frozen=True)
class _Rows:
    """The rows of a length; they represent all lengths if the first length is given."""

    n: int
    first: int | None

    def place(self, i: int) -> str:
        """Return the first (n, i) that has this row, in words."""
        return f"i = {i}, n = {self.n if self.first is None else max(i, self.first)}"


def _rows(obligation: UniformObligation | CountingObligation, mentions_n: bool) -> list[_Rows]:
    """Return all different rows."""
    lengths = obligation.lengths
    if obligation.head.mask is Mask.FUTURE and not mentions_n:
        return [_Rows(lengths.last, lengths.first)]
    return [_Rows(n, None) for n in lengths]


def _check_equal_scores(obligation: UniformObligation | CountingObligation, rows: _Rows) -> None:
    """Check that scores are equal: queries are 0, or keys are known and contribute equally at visible positions.

    Scores at i are equal iff no step between visible neighbours changes them.
    """
    head, known, n = obligation.head, obligation.known, rows.n
    factors: list[Column] = []
    keys: list[Column] = []
    for query, key in zip(head.queries, head.keys, strict=True):
        column = known.forms(query, n)
        if any(column):
            check_reads_known(key, known, "a key")
            factors.append(column)
            keys.append(known.forms(key, n))
    steps = [(j, step) for j in range(1, n) if any(step := [key[j] - key[j - 1] for key in keys])]
    for i in range(1, n + 1):
        visible = head.mask.visible(i, n)
        if any(sum((column[i - 1] * part for column, part in zip(factors, step, strict=True)), Fraction(0))
               for j, step in steps if j in visible and j + 1 in visible):
            raise NotDerived(f"the scores at {rows.place(i)} differ; an exact value needs uniform attention")


def _check_means(obligation: UniformObligation, rows: _Rows) -> None:
    """Check that the mean is exactly the stated number at every position; sums are differences of prefix sums."""
    head, expected, n = obligation.head, obligation.expected, rows.n
    assert expected is not None
    values = obligation.known.forms(head.values[obligation.direction], n)
    unit = lcm(*(value.denominator for value in values))
    prefixes = [0, *itertools.accumulate(value.numerator * (unit // value.denominator) for value in values)]
    for i, stated in enumerate(expected.column(range(1, n + 1), n), start=1):
        visible = head.mask.visible(i, n)
        total, count = prefixes[visible[-1]] - prefixes[visible[0] - 1], unit * len(visible)
        if total * stated.denominator != stated.numerator * count:
            mean = Fraction(total, count)
            raise NotDerived(f"uniform attention gives {mean} at {rows.place(i)}, expected {expected}")
