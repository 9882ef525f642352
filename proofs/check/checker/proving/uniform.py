"""Uniform and mean heads; docs/certificate.md, section 5: equal scores, so the head takes the plain mean.

Why: softmax of equal scores is 1/count at each visible position. So the head writes the mean of the values there:
of known values that mean is a number, which is compared with the stated one; and of the truths of a formula it is the
count of the formula over the number of visible positions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from ..budget import ENTRY_BITS
from ..language import Place
from ..numbers import ZERO, Numbers, add, divide, multiply, size, total
from ..reading.records import Head, Truth
from ..verdicts import require
from .proof import Proof, visible


def check_mean(proof: Proof, head: Head, name: str, count: Place) -> int:
    """The direction holds the mean of a count; returns the number of rows (n, i).

    Raises:
        Rejected: if this is not proved.
    """
    operator, counted = proof.language.nodes[count].operator, proof.language.counted(count)
    read = head.values[name]
    fits = len(read) == 1 and all(proof.directions[source] == Truth(counted) and read[source] == 1 for source in read)
    require(fits, "the value is not 1 on the truth of what is counted")
    mask = "future" if operator == "#<" else "past"
    require(head.mask == mask, "a {} mask does not see what {} counts", head.mask, operator)
    return sum(check_scores(proof, head, n) for n in proof.claim.lengths)


def check_uniform(proof: Proof, head: Head, name: str) -> int:
    """The direction holds the stated number, a mean of known values; returns the number of rows (n, i).

    Raises:
        Rejected: if this is not proved.
    """
    covered = 0
    for n in proof.claim.lengths:
        covered += check_scores(proof, head, n)
        values = [proof.forms([head.values[name]], n, j)[0] for j in range(1, n + 1)]
        sums = list(accumulate(values, lambda a, b: add(proof.budget, a, b), initial=ZERO))
        for i in range(1, n + 1):
            first, last = visible(head.mask, n, i)
            mean = divide(proof.budget, add(proof.budget, sums[last], -sums[first - 1]), Fraction(last - first + 1))
            wanted = proof.number(name, n, i)
            require(mean == wanted, "the mean is {}, expected {}, at n = {}, i = {}", mean, wanted, n, i)
    return covered


def check_scores(proof: Proof, head: Head, n: int) -> int:
    """All scores of each row are equal; returns the number of rows, n.

    Raises:
        Rejected: if two differ.
    """
    keys = [proof.forms(head.keys, n, j) for j in range(1, n + 1)]
    held = sum(ENTRY_BITS + sum(map(size, key)) for key in keys)
    with proof.budget.holding(held):
        for i in range(1, n + 1):
            first, last = visible(head.mask, n, i)
            query = proof.forms(head.queries, n, i)
            if any(query):
                scores = {score(proof, query, key) for key in keys[first - 1 : last]}
                require(len(scores) <= 1, "the scores are not all equal at n = {}, i = {}", n, i)
    return n


def score(proof: Proof, query: Numbers, key: Numbers) -> Fraction:
    """The product of a query and a key."""
    return total(proof.budget, (multiply(proof.budget, q, k) for q, k in zip(query, key, strict=True)))
