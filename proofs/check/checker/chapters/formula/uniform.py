"""Heads of equal scores, which take a plain mean; docs/background/obligations.md, Equal scores, has the proof."""

from fractions import Fraction
from itertools import accumulate, pairwise

from ...kernel.budget import ENTRY_BITS
from ...kernel.language import Place
from ...kernel.numbers import ZERO, add, divide, inner_product, size
from ...kernel.reading.records import Head, visible
from ...kernel.verdicts import require
from .composition import names_in
from .families import Covered, WrittenDirection
from .proof import ProofContext


def check_equal_scores(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that the scores of each row are equal and the mean of the values is the stated number, at all rows."""
    (head,) = written.heads
    check_scores(proof, head)
    check_known_mean(proof, head, written.name)
    return Covered(sum(proof.claim.lengths))


def check_mask(proof: ProofContext, head: Head, count: Place) -> None:
    """Check that the mask of a head is the range of a count."""
    operator = proof.language.nodes[count].operator
    mask = "future" if operator == "#<" else "past"
    require(head.mask == mask, "a {} mask does not see what {} counts", head.mask, operator)


def check_known_mean(proof: ProofContext, head: Head, name: str) -> None:
    """Check that the mean of known values is the stated number."""
    read = head.values[name]
    for n, firsts in proof.lengths(proof.places_of([name, *read]), head.mask):
        (values,), wanted = proof.known_forms([read], n), proof.known_numbers(name, n)
        sums = list(accumulate(values, lambda a, b: add(proof.budget, a, b), initial=ZERO))
        for i, (number, shortest) in enumerate(zip(wanted, firsts, strict=True), 1):
            first, last = visible(head.mask, n, i)
            mean = divide(proof.budget, add(proof.budget, sums[last], -sums[first - 1]), Fraction(last - first + 1))
            require(mean == number, "the mean is {}, expected {}, at n = {}, i = {}", mean, number, shortest, i)


def check_scores(proof: ProofContext, head: Head) -> None:
    """Check that all scores of each row are equal, as they are if the query is 0 or all keys are equal."""
    if not any(head.queries) and not any(head.keys):
        return
    for n, firsts in proof.lengths(proof.places_of(names_in([*head.queries, *head.keys])), head.mask):
        queries, keys = (list(zip(*proof.known_forms(rows, n), strict=True)) for rows in (head.queries, head.keys))
        with proof.budget.holding(sum(ENTRY_BITS + sum(map(size, key)) for key in keys)):
            changes = [0, *accumulate(a != b for a, b in pairwise(keys))]  # the number of keys unlike the previous one
            for i, (query, shortest) in enumerate(zip(queries, firsts, strict=True), 1):
                first, last = visible(head.mask, n, i)
                if any(query) and changes[last - 1] > changes[first - 1]:
                    scores = {inner_product(proof.budget, query, key) for key in keys[first - 1 : last]}
                    require(len(scores) <= 1, "the scores are not all equal at n = {}, i = {}", shortest, i)
