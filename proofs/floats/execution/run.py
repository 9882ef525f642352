"""One execution of a network on a word, number by number: the float program of docs/reference/floats.md, section 1.

Every number is computed in integers from its operands, on demand and once. As every direction is written once and read
only afterwards, results do not depend on numbers that are not computed: a truth at one position can be replayed without
the rest. (If the rest is not finite, that is another fault of the execution, and does not repair this one.)

The execution is one under the model: each operation is one of section 1, on inputs rounded as stated there; sums are
added along a binary tree, each product fused or not; an exponential is a number of X within exp_ulp units of the true
one, and exp(0) is 1; partial sums are never rescaled, as they *may* be after a block; results below the least normal
number are all kept or all flushed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeVar

from proofs.enclosures.float_models.exponentials import log2_of_e
from proofs.enclosures.float_models.numbers import ZERO, Number, add_exactly, exact_value, multiply_exactly, negated
from proofs.floats.execution.execution import Execution, OrderedSum
from proofs.floats.execution.orders import add_terms
from proofs.floats.execution.program import FloatProgram, Row, StoredHead, StoredPart
from proofs.formula.composition import writes

V = TypeVar("V")


class FloatRun:
    """The numbers of one execution of a network on a word.

    Raises:
        InputError: if the model does not allow the execution.
    """

    def __init__(self, program: FloatProgram, word: Sequence[str], execution: Execution):
        """Store the arguments; numbers are computed on demand."""
        execution.check_member(program.run_class)
        self.program, self.word, self.n, self.execution = program, tuple(word), len(word), execution
        self.stored = program.stored(execution.flush)
        self.scored = 0
        """The number of computed scores, which measures the cost."""
        self._computed: dict[tuple[str, int], Number] = {}
        self._heads = {(layer, place): _HeadRun(self, layer, place, head)
                       for (layer, place), head in self.stored.heads.items()}
        self._writers = self._find_writers()

    def number_at(self, direction: str, i: int) -> Number:
        """Return the number of a direction at position i (from 1) once it is written.

        Raises:
            NotFinite: if an operand is greater than the largest number of its format.
        """
        key = direction, i
        if key not in self._computed:
            self._computed[key] = self._writers[direction](direction, i)
        return self._computed[key]

    def numbers(self) -> dict[str, list[Fraction]]:
        """Return all numbers after the last layer, position by position; before its stage a direction is 0.

        Raises:
            NotFinite: if some number is greater than the largest one of its format.
        """
        return {name: [exact_value(self.number_at(name, i)) for i in range(1, self.n + 1)] for name in self._writers}

    def _find_writers(self) -> dict[str, Callable[[str, int], Number]]:
        parts = [_FeedForwardRun(self, number, part) for number, part in enumerate(self.stored.parts, start=1)]
        found: dict[str, Callable[[str, int], Number]] = {}
        for write in writes(self.program.transformer):
            if write.stage == 0:
                found[write.direction] = self._embedded
            else:
                found[write.direction] = (self._heads[write.layer, write.place].output if write.place
                                          else parts[write.layer - 1].output)
        return found

    def _embedded(self, direction: str, i: int) -> Number:
        return self.stored.embedded(direction, self.word[i - 1], i, self.n)

    def form(self, which: OrderedSum, place: str, terms: Sequence[tuple[Number, Number]], bias: Number = ZERO,
             rounded: bool = True) -> Number:
        """Return a linear form in A, not yet stored; inputs are rounded to I, unless ``rounded`` already."""
        to_input = self.stored.to_input
        products = [multiply_exactly(x, y) if rounded else multiply_exactly(to_input(x), to_input(y))
                    for x, y in terms]
        if bias[0]:
            products.append(bias)
        return add_terms(products, self.execution.order_of(which), self.execution.fused, self.stored.sums,
                         f"{which.value}/{place}")

    def stored_form(self, which: OrderedSum, row: Row, i: int, place: str, bias: Number = ZERO) -> Number:
        """Return st(row . h + bias) at position i."""
        terms = [(weight, self.number_at(name, i)) for name, weight in row]
        return self.stored.storage.round(self.form(which, f"{place}/{i}", terms, bias, rounded=False))

    def score(self, layer: int, place: int, i: int, j: int) -> Number:
        """Return the score of a head (both counted from 1) between two positions, as it is stored."""
        return self._heads[layer, place].score(i, j)

    def values_seen(self, layer: int, place: int, direction: str, i: int) -> list[Fraction]:
        """Return the values that a head (both counted from 1) averages at position i, one for each visible position."""
        head = self._heads[layer, place]
        return [exact_value(head.value(direction, j)) for j in head.head.mask.visible(i, self.n)]


def memoised(memo: dict[int, V], key: int, compute: Callable[[int], V]) -> V:
    """Return the memoised value of the key."""
    if key not in memo:
        memo[key] = compute(key)
    return memo[key]


@dataclass(frozen=True)
class _Weighing:
    """The exponentials of one row of a head, their sum, and the weights as they are multiplied with the values."""

    visible: range
    total: Number
    weights: Sequence[Number]


class _HeadRun:
    """One head of the execution."""

    def __init__(self, run: FloatRun, layer: int, place: int, head: StoredHead):
        """Store the head; ``layer`` and ``place`` count from 1."""
        self.run, self.layer, self.place, self.head, self.stored = run, layer, place, head, run.stored
        self.name = f"{layer}/{place}"
        self.after = run.execution.normalised == "after"
        self._queries: dict[int, list[Number]] = {}
        self._keys: dict[int, list[Number]] = {}
        self._weighings: dict[int, _Weighing] = {}
        self._values: dict[str, dict[int, Number]] = {name: {} for name in head.values}

    def output(self, direction: str, i: int) -> Number:
        """Return the output of the head to a direction at position i."""
        weighing = memoised(self._weighings, i, self._weigh)
        terms = [(weight, self.value(direction, j))
                 for j, weight in zip(weighing.visible, weighing.weights, strict=True)]
        summed = self.run.form(OrderedSum.WEIGHTED, f"{self.name}/{direction}/{i}", terms)
        return self.stored.storage.round(self.stored.softmax.divide(summed, weighing.total) if self.after else summed)

    def value(self, direction: str, j: int) -> Number:
        """Return the value at position j for a direction that the head writes."""
        return memoised(self._values[direction], j, partial(self._value, direction))

    def _value(self, direction: str, j: int) -> Number:
        return self.run.stored_form(OrderedSum.VALUE, self.head.values[direction], j, f"{self.name}/{direction}")

    def _key(self, j: int) -> list[Number]:
        return [self.run.stored_form(OrderedSum.KEY, row, j, f"{self.name}/{r}") for r,
                row in enumerate(self.head.keys)]

    def _query(self, i: int) -> list[Number]:
        query = [self.run.stored_form(OrderedSum.QUERY, row, i, f"{self.name}/{r}")
                 for r, row in enumerate(self.head.queries)]
        scale = self.head.scale(i, self.run.n)
        if scale is None:
            return query
        return [self.stored.storage.round(self.run.form(OrderedSum.QUERY, "", [(q, scale)], rounded=False))
                for q in query]

    def _weigh(self, i: int) -> _Weighing:
        visible = self.head.mask.visible(i, self.run.n)
        self.run.scored += len(visible)
        execution, exponential = self.run.execution, self.stored.exponential(self.run.execution.base)
        exponentials = [exponential.of(d, execution.shift_at(self.layer, self.place, i, j, nth))
                        for nth, (j, d) in enumerate(zip(visible, self._differences(i, visible), strict=True))]
        softmax, stored = self.stored.softmax, self.stored.weights
        total = add_terms(exponentials, execution.order_of(OrderedSum.DENOMINATOR), False, softmax,
                          f"denominator/{self.name}/{i}")
        weights = [stored.round(e if self.after else softmax.divide(e, total)) for e in exponentials]
        return _Weighing(visible, total, weights)

    def _differences(self, i: int, visible: range) -> list[Number]:
        """Return each score minus the greatest; times log2(e) if the base is 2."""
        scores = [self.score(i, j) for j in visible]
        least = min(exponent for _, exponent in scores)
        greatest = negated(max(scores, key=lambda score: score[0] << (score[1] - least)))
        softmax = self.stored.softmax
        differences = [softmax.round(add_exactly(score, greatest)) for score in scores]
        if self.run.execution.base == "e":
            return differences
        factor = log2_of_e(softmax.format)
        return [softmax.multiply(d, factor) for d in differences]

    def score(self, i: int, j: int) -> Number:
        """Return the score of position j for the query of position i, rounded to C."""
        query, key = memoised(self._queries, i, self._query), memoised(self._keys, j, self._key)
        terms = list(zip(query, key, strict=True))
        return self.stored.scores.round(self.run.form(OrderedSum.SCORE, f"{self.name}/{i}/{j}", terms, rounded=False))


class _FeedForwardRun:
    """The feed-forward part of a layer."""

    def __init__(self, run: FloatRun, layer: int, part: StoredPart):
        """Store the part; ``layer`` counts from 1."""
        self.run, self.layer, self.part = run, layer, part
        self._activations: list[dict[int, Number]] = [{} for _ in part.reads]

    def output(self, direction: str, i: int) -> Number:
        """Return the output of the part to a direction at position i."""
        terms = [(weight, memoised(self._activations[unit], i, partial(self._activation, unit)))
                 for unit, weight in self.part.writes[direction]]
        bias = self.part.bias.get(direction, ZERO)
        return self.run.stored.storage.round(
            self.run.form(OrderedSum.OUTPUT, f"{self.layer}/{direction}/{i}", terms, bias, rounded=False))

    def _activation(self, unit: int, i: int) -> Number:
        row, bias = self.part.reads[unit]
        x = self.run.stored_form(OrderedSum.UNIT, row, i, f"{self.layer}/{unit}", bias)
        return x if x[0] > 0 else ZERO
