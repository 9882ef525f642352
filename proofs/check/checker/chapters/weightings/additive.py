"""Heads whose weights do not depend on other positions; docs/background/obligations.md, Equal scores.

ReLU, ReLU over n, sigmoid. The contribution of a position depends on its own score only: so a head of one score counts
exactly, and several heads that write one direction are one head of another weight (response_functions.py).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, Numbers, add, divide, inner_product, multiply, ratio, text_key
from ...kernel.reading.records import ExactCount, Head, LinearForm, Truth
from ...kernel.verdicts import Rejected, require
from ..formula.composition import names_in
from ..formula.proof import ProofContext
from ..formula.uniform import check_mask, check_scores

HALF = Fraction(1, 2)
ENTRY_STEPS = 4  # of work, for each rational of a row that is a key of a table: it is written, and found


def check_counting(proof: ProofContext, head: Head, name: str, meaning: ExactCount) -> int:
    """Check that a direction holds a count: the weight of each counted position times its value is 1.

    Returns the number of rows (n, i).
    """
    check_mask(proof, head, meaning.count)
    read = [*head.values[name].items()]
    fits = len(read) == 1 and proof.directions[read[0][0]] == Truth(proof.language.counted(meaning.count))
    require(fits, "the value is not a multiple of the truth of the counted formula only")
    check_scores(proof, head)
    for n, firsts in lengths_of(proof, [head], [*names_in([*head.queries, *head.keys])]):
        keys = zip(*proof.known_forms(head.keys, n), strict=True) if head.keys else [()] * n
        queries = columns_of(proof, head, head.queries, n)
        for i, ((temperature, *query), key, first) in enumerate(zip(queries, keys, firsts, strict=True), 1):
            z = divide(proof.budget, inner_product(proof.budget, tuple(query), key), temperature)
            weight = weight_of(proof, head.weighting, z, n)
            given = multiply(proof.budget, weight, read[0][1])
            require(given == ONE, "what is counted counts {}, expected 1, at n = {}, i = {}", given, first, i)
    return sum(proof.claim.lengths)


def weight_of(proof: ProofContext, weighting: str, z: Fraction, n: int) -> Fraction:
    """Return the weight of a position with this scaled score."""
    if weighting == "sigmoid":
        require(z == 0, "the score is {}, expected 0, where the weight is 1/2", z)
        return HALF
    return divide(proof.budget, max(z, ZERO), Fraction(n if weighting == "relu-over-n" else 1))


def lengths_of(proof: ProofContext, heads: Sequence[Head], names: Iterable[str], more: Iterable[Place] = (),
               sees_end: bool = False) -> Iterator[tuple[int, Sequence[int]]]:
    """Return the lengths to check, with the first length of each row; the weights of ReLU over n mention n."""
    places = [*proof.places_of(names), *(head.temperature for head in heads), *more]
    by_length = sees_end or any(head.weighting == "relu-over-n" for head in heads)
    return proof.lengths(places, "past" if by_length else heads[0].mask)


def columns_of(proof: ProofContext, head: Head, rows: Sequence[LinearForm], n: int) -> list[Numbers]:
    """Return the temperature and linear forms of known directions at (n, 1), ..., (n, n)."""
    return list(zip(proof.columns.numbers(head.temperature, n), *proof.known_forms(rows, n), strict=True))


def share_row(proof: ProofContext, heads: Sequence[Head], name: str) -> tuple[LinearForm, list[Fraction]]:
    """Return one value row of which the rows of all heads are multiples, and the multiples."""
    proof.budget.spend(sum(len(head.values[name]) for head in heads))
    row = next((head.values[name] for head in heads if head.values[name]), {})
    factors = [ratio(head.values[name], row) for head in heads]
    if None in factors:
        raise Rejected("the values of the heads are not multiples of one another")
    return row, [factor or ZERO for factor in factors]


def find_extreme(values: Iterable[Fraction]) -> Fraction:
    """Return the number of greatest absolute value, or 1 if all are 0; values are expressed as multiples of it."""
    return max(values, key=abs, default=ZERO) or ONE


class AdditiveKeys(NamedTuple):
    """The keys of a length in the order of reading: the first one, and the steps from one to the next.

    With each step the first place that it leads to: a row sees the step if it reads at least that many positions.
    """

    mask: str
    number: int
    first: Numbers
    steps: Sequence[tuple[Numbers, int]]


def read_keys(proof: ProofContext, mask: str, keys: Sequence[Numbers]) -> AdditiveKeys:
    """Return keys as steps."""
    keys = keys[::-1] if mask == "past" else keys
    proof.budget.spend(ENTRY_STEPS * sum(map(len, keys)))
    places: dict[object, tuple[Numbers, int]] = {}
    for place, (one, following) in enumerate(pairwise(keys), 2):
        step = tuple(add(proof.budget, y, -x) for x, y in zip(one, following, strict=True))
        places.setdefault(text_key(proof.budget, step), (step, place))
    return AdditiveKeys(mask, len(keys), keys[0], [*places.values()])


def common_score(proof: ProofContext, rows: Sequence[Numbers | None], keys: AdditiveKeys,
                 read_query: Callable[[Numbers], Numbers]) -> Fraction | None:
    """Return the common product of all queries with all keys that they see; None if there are several products.

    `rows` are the numbers that determine the queries; a row that is None is left out. Proof. In the order of reading a
    row sees a prefix of the keys: all its products are equal if the product with each step is 0, and then they are the
    product with the first key. Of equal rows the one that sees most is checked.
    """
    rows = rows[::-1] if keys.mask == "past" else rows
    proof.budget.spend(sum(1 + ENTRY_STEPS * len(row) for row in rows if row is not None))
    reach = {text_key(proof.budget, row): (row, keys.number if keys.mask == "none" else length)
             for length, row in enumerate(rows, 1) if row is not None}
    proof.budget.spend(len(rows) + len(reach) * len(keys.steps))
    queries = [(read_query(row), length) for row, length in reach.values()]
    firsts = (inner_product(proof.budget, query, keys.first) for query, _ in queries)
    found = {text_key(proof.budget, number): number for number in firsts}
    steady = all(not inner_product(proof.budget, query, step) for query, length in queries
                 for step, place in keys.steps if place <= length)
    return found.popitem()[1] if steady and len(found) == 1 else None


def divide_all(proof: ProofContext, numbers: Iterable[Fraction], temperature: Fraction) -> Numbers:
    """Divide numbers by the temperature."""
    return tuple(divide(proof.budget, x, temperature) for x in numbers)
