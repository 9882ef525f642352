"""Heads of equal scores, which take a plain mean; docs/certificate.md, section 5, Equal scores, has the proof.

`check_scores` and `check_mask` are asked of counting heads, too (weightings/additive.py).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise

from ...kernel.budget import ENTRY_BITS
from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, add, divide, inner_product, size
from ...kernel.reading.records import Average, Head, Mean, Truth, visible
from ...kernel.verdicts import require
from .composition import names_in
from .families import Covered, WrittenDirection
from .proof import Proof


def check_equal_scores(proof: Proof, written: WrittenDirection) -> Covered:
    """The mean of the values is the stated number, or that of a count or of a sum of counts."""
    (head,), meaning = written.heads, written.meaning
    if isinstance(meaning, Mean | Average):
        check_counts(proof, head, written.name, meaning)
    check_scores(proof, head)
    if not isinstance(meaning, Mean | Average):
        check_known_mean(proof, head, written.name)
    return Covered(sum(proof.claim.lengths))


def check_counts(proof: Proof, head: Head, name: str, meaning: Mean | Average) -> None:
    """The values are truths of what is counted, as often as its count is meant.

    Raises:
        Rejected: if they are not, or the mask sees other positions than the counts.
    """
    counts, read = multiples_of(proof, meaning), dict[Place, Fraction]()
    for source, c in head.values[name].items():
        truth = proof.directions[source]
        if isinstance(truth, Truth):
            read[truth.formula] = add(proof.budget, read.get(truth.formula, ZERO), c)
    of_truths = all(isinstance(proof.directions[source], Truth) for source in head.values[name])
    fits = of_truths and read == {proof.language.counted(count): c for count, c in counts.items()}
    multiple = "1" if isinstance(meaning, Mean) else "as often as its count"
    require(fits, "the value is not {} on the truth of what is counted", multiple)
    for count in counts:
        check_mask(proof, head, count)


def multiples_of(proof: Proof, meaning: Mean | Average) -> dict[Place, Fraction]:
    """The counts that a mean or an average is about, and their coefficients."""
    if isinstance(meaning, Mean):
        return {meaning.count: ONE}
    _, counts, (_, _, *coefficients) = proof.language.nodes[meaning.term]
    return {count: Fraction(int(c)) for count, c in zip(counts, coefficients, strict=True)}


def check_mask(proof: Proof, head: Head, count: Place) -> None:
    """A head sees what a count looks at."""
    operator = proof.language.nodes[count].operator
    mask = "future" if operator == "#<" else "past"
    require(head.mask == mask, "a {} mask does not see what {} counts", head.mask, operator)


def check_known_mean(proof: Proof, head: Head, name: str) -> None:
    """The mean of known values is the stated number."""
    read = head.values[name]
    for n, firsts in proof.lengths(proof.places_of([name, *read]), head.mask):
        (values,), wanted = proof.known_forms([read], n), proof.known_numbers(name, n)
        sums = list(accumulate(values, lambda a, b: add(proof.budget, a, b), initial=ZERO))
        for i, (number, shortest) in enumerate(zip(wanted, firsts, strict=True), 1):
            first, last = visible(head.mask, n, i)
            mean = divide(proof.budget, add(proof.budget, sums[last], -sums[first - 1]), Fraction(last - first + 1))
            require(mean == number, "the mean is {}, expected {}, at n = {}, i = {}", mean, number, shortest, i)


def check_scores(proof: Proof, head: Head) -> None:
    """All scores of each row are equal: so they are if the query is 0, or all keys are equal."""
    if not any(head.queries) and not any(head.keys):
        return
    for n, firsts in proof.lengths(proof.places_of(names_in([*head.queries, *head.keys])), head.mask):
        queries, keys = (list(zip(*proof.known_forms(rows, n), strict=True)) for rows in (head.queries, head.keys))
        with proof.budget.holding(sum(ENTRY_BITS + sum(map(size, key)) for key in keys)):
            changes = [0, *accumulate(a != b for a, b in pairwise(keys))]  # how many keys differ from the one before
            for i, (query, shortest) in enumerate(zip(queries, firsts, strict=True), 1):
                first, last = visible(head.mask, n, i)
                if any(query) and changes[last - 1] > changes[first - 1]:
                    scores = {inner_product(proof.budget, query, key) for key in keys[first - 1 : last]}
                    require(len(scores) <= 1, "the scores are not all equal at n = {}, i = {}", shortest, i)
