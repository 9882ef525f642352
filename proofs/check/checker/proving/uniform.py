"""Uniform and mean heads; docs/certificate.md, section 5: equal scores, so the head takes the plain mean.

Why: softmax of equal scores is 1/count at each visible position. So the head writes the mean of the values there:
of known values that mean is a number, which is compared with the stated one; and of the truths of a formula it is the
count of the formula over the number of visible positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from ..budget import ENTRY_BITS
from ..language import Place
from ..numbers import ZERO, Numbers, add, divide, multiply, size, total
from ..reading.records import Head, Truth
from ..verdicts import require
from .composition import names_in
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
    check_scores(proof, head)
    return sum(proof.claim.lengths)


def check_uniform(proof: Proof, head: Head, name: str) -> int:
    """The direction holds the stated number, a mean of known values; returns the number of rows (n, i).

    Raises:
        Rejected: if this is not proved.
    """
    check_scores(proof, head)
    read = head.values[name]
    for n, firsts in proof.lengths(proof.places_of([name, *read]), head.mask):
        (values,), wanted = proof.known_forms([read], n), proof.known_numbers(name, n)
        sums = list(accumulate(values, lambda a, b: add(proof.budget, a, b), initial=ZERO))
        for i, (number, shortest) in enumerate(zip(wanted, firsts, strict=True), 1):
            first, last = visible(head.mask, n, i)
            mean = divide(proof.budget, add(proof.budget, sums[last], -sums[first - 1]), Fraction(last - first + 1))
            require(mean == number, "the mean is {}, expected {}, at n = {}, i = {}", mean, number, shortest, i)
    return sum(proof.claim.lengths)


def check_scores(proof: Proof, head: Head) -> None:
    """All scores of each row are equal: so they are if the query is 0, or all keys are equal.

    Raises:
        Rejected: if two differ.
    """
    if any(head.queries) or any(head.keys):
        for n, firsts in proof.lengths(proof.places_of(names_in([*head.queries, *head.keys])), head.mask):
            queries = list(zip(*proof.known_forms(head.queries, n), strict=True))
            keys = list(zip(*proof.known_forms(head.keys, n), strict=True))
            with proof.budget.holding(sum(ENTRY_BITS + sum(map(size, key)) for key in keys)):
                check_scores_of_length(proof, head.mask, firsts, queries, keys)


def check_scores_of_length(proof: Proof, mask: str, firsts: Sequence[int], queries: Sequence[Numbers],
                           keys: Sequence[Numbers]) -> None:
    """The same for one length."""
    n = len(keys)
    changes = [0, *accumulate(a != b for a, b in pairwise(keys))]  # how many keys differ from the one before
    for i, (query, shortest) in enumerate(zip(queries, firsts, strict=True), 1):
        first, last = visible(mask, n, i)
        if any(query) and changes[last - 1] > changes[first - 1]:
            scores = {score(proof, query, key) for key in keys[first - 1 : last]}
            require(len(scores) <= 1, "the scores are not all equal at n = {}, i = {}", shortest, i)


def score(proof: Proof, query: Numbers, key: Numbers) -> Fraction:
    """The product of a query and a key."""
    return total(proof.budget, (multiply(proof.budget, q, k) for q, k in zip(query, key, strict=True)))
