"""One run of a network on a word, number by number: the float program of docs/floats.md, section 1, as executed.

Every number is computed in integers from those that it is made of, on demand and once. As every direction is written
once and read only afterwards, what is asked for does not depend on what is not: a truth at one position can be replayed
without the rest of the run. (A rest that is not finite would be a fault of the run as well, and never mend this one.)

That it is a run of the class: each operation is the one that section 1 names, on inputs rounded as it says; sums are
added along a binary tree, each product fused or not; an exponential is a number of X within exp_ulp units of the true
one, and exp(0) is 1; partial sums are never rescaled, as they *may* be after a block; results below the least normal
number are all kept or all flushed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeVar

from constructions.errors import Unsupported
from constructions.network.float_formats import Format
from constructions.network.transformer import Coefficients, Head, Transformer, Unit, Weighting
from proofs.floats.execution.execution import Execution, Sum
from proofs.floats.execution.exponentials import Exponential, log2_of_e
from proofs.floats.execution.numbers import (
    ZERO,
    Arithmetic,
    Number,
    add_exactly,
    exact_value,
    multiply_exactly,
    negated,
)
from proofs.floats.execution.orders import add_terms
from proofs.floats.run_class import RunClass
from proofs.obligations.composition import find_composition_faults, writes

Row = Sequence[tuple[str, Number]]
V = TypeVar("V")


class FloatRun:
    """The numbers of one execution of a network on a word.

    Raises:
        InputError: if the execution is none of the class, or the class asks for exponentials that no format has.
        Unsupported: if the network has hard attention, or reads or writes a direction out of turn.
    """

    def __init__(self, transformer: Transformer, word: Sequence[str], run_class: RunClass, execution: Execution):
        """Nothing is computed yet."""
        execution.check_member(run_class)
        if faults := find_composition_faults(transformer):
            raise Unsupported(faults[0])
        if any(head.weighting is not Weighting.SOFTMAX for _, _, head in transformer.heads()):
            raise Unsupported("a float run is that of softmax attention; this network has hard attention")
        self.transformer, self.word, self.n = transformer, tuple(word), len(word)
        self.run_class, self.execution = run_class, execution
        self.arithmetics = _Arithmetics(run_class, execution.flush)
        self.exponential = Exponential(self.arithmetics.softmax, run_class.exp_ulp, execution.base)
        self.scored = 0
        """How many scores were computed: what a run costs grows with it."""
        self._held: dict[tuple[str, int], Number] = {}
        self._heads = {(layer, place): _HeadRun(self, layer, place, head) for layer, place, head in transformer.heads()}
        self._writers = self._find_writers()

    def held(self, direction: str, i: int) -> Number:
        """What a direction holds at position i (from 1) once it is written.

        Raises:
            NotFinite: if a number that it is computed from is greater than the largest one of its format.
        """
        key = direction, i
        if key not in self._held:
            self._held[key] = self._writers[direction](direction, i)
        return self._held[key]

    def numbers(self) -> dict[str, list[Fraction]]:
        """All that is held after the last layer, position by position; before its stage a direction holds 0.

        Raises:
            NotFinite: if some number is greater than the largest one of its format.
        """
        return {name: [exact_value(self.held(name, i)) for i in range(1, self.n + 1)] for name in self._writers}

    def _find_writers(self) -> dict[str, Callable[[str, int], Number]]:
        parts = {number: _FeedForwardRun(self, number, layer.feedforward.units, layer.feedforward.bias)
                 for number, layer in enumerate(self.transformer.layers, start=1)}
        found: dict[str, Callable[[str, int], Number]] = {}
        for write in writes(self.transformer):
            if write.stage == 0:
                found[write.direction] = self._embedded
            else:
                found[write.direction] = (self._heads[write.layer, write.place].output if write.place
                                          else parts[write.layer].output)
        return found

    def _embedded(self, direction: str, i: int) -> Number:
        """The row of the symbol plus the row of the position; one of them has 0 there."""
        of_symbol = self.transformer.token_embedding[self.word[i - 1]].get(direction, Fraction(0))
        function = self.transformer.position_embedding.get(direction)
        of_position = function.evaluate(i=i, n=self.n) if function else Fraction(0)
        stored = self.arithmetics.storage
        return stored.add(stored.number(of_symbol), stored.number(of_position))

    def form(self, which: Sum, place: str, terms: Sequence[tuple[Number, Number]], bias: Number | None = None,
             rounded: bool = True) -> Number:
        """A linear form, not yet stored: inputs rounded to I (unless they are ``rounded`` already), products and sums
        in A; a bias is its last term."""
        to_input = self.arithmetics.to_input
        products = [multiply_exactly(x, y) if rounded else multiply_exactly(to_input(x), to_input(y))
                    for x, y in terms]
        if bias is not None:
            products.append(bias)
        return add_terms(products, self.execution.order_of(which), self.execution.fused, self.arithmetics.sums,
                         f"{which.value}/{place}")

    def stored_form(self, which: Sum, row: Row, i: int, place: str, bias: Number | None = None) -> Number:
        """st(row . h + bias) at position i."""
        terms = [(weight, self.held(name, i)) for name, weight in row]
        return self.arithmetics.storage.round(self.form(which, f"{place}/{i}", terms, bias, rounded=False))

    def values_seen(self, layer: int, place: int, direction: str, i: int) -> list[Fraction]:
        """The values that a head (both counted from 1) averages at position i, one for each visible position."""
        head = self._heads[layer, place]
        return [exact_value(head.value(direction, j)) for j in head.head.mask.visible(i, self.n)]

    def row(self, weights: Coefficients) -> Row:
        """The weights as they are stored."""
        return [(name, self.arithmetics.storage.number(weight)) for name, weight in weights.items()]


class _Arithmetics:
    """The formats of a class, ready to compute in."""

    def __init__(self, run_class: RunClass, flush: bool):
        """Results below the least normal number are flushed to 0 or kept, in all formats alike."""
        def of(target: Format) -> Arithmetic:
            return Arithmetic(target, flush)

        self.storage, self.sums, self.scores = of(run_class.storage), of(run_class.sums), of(run_class.scores)
        self.softmax, self.weights = of(run_class.softmax), of(run_class.weights)
        same = run_class.inputs == run_class.storage
        self.to_input: Callable[[Number], Number] = (lambda x: x) if same else of(run_class.inputs).round


def once(known: dict[int, V], key: int, compute: Callable[[int], V]) -> V:
    """What is known for the key, computed if it is not."""
    if key not in known:
        known[key] = compute(key)
    return known[key]


@dataclass(frozen=True)
class _Weighing:
    """The exponentials of one row of a head, and their sum."""

    visible: range
    exponentials: Sequence[Number]
    total: Number


class _HeadRun:
    """One head of the run."""

    def __init__(self, run: FloatRun, layer: int, place: int, head: Head):
        """``layer`` and ``place`` count from 1."""
        self.run, self.layer, self.place, self.head = run, layer, place, head
        self.name = f"{layer}/{place}"
        self.queries, self.keys = [run.row(row) for row in head.queries], [run.row(row) for row in head.keys]
        self.values = {name: run.row(row) for name, row in head.values.items()}
        self.scaled = str(head.temperature) != "1"
        self.exponential = run.exponential
        self._known_keys: dict[int, list[Number]] = {}
        self._known_weighings: dict[int, _Weighing] = {}
        self._known_values: dict[str, dict[int, Number]] = {name: {} for name in head.values}

    def output(self, direction: str, i: int) -> Number:
        """What the head writes to a direction at position i."""
        arithmetics = self.run.arithmetics
        weighing = once(self._known_weighings, i, self._weigh)
        values = [self.value(direction, j) for j in weighing.visible]
        after = self.run.execution.normalised == "after"
        total = None if after else weighing.total
        weights = [arithmetics.weights.round(e if total is None else arithmetics.softmax.divide(e, total))
                   for e in weighing.exponentials]
        summed = self.run.form(Sum.WEIGHTED, f"{self.name}/{direction}/{i}", list(zip(weights, values, strict=True)))
        return arithmetics.storage.round(arithmetics.softmax.divide(summed, weighing.total) if after else summed)

    def value(self, direction: str, j: int) -> Number:
        """The value at position j for a direction that the head writes."""
        return once(self._known_values[direction], j, partial(self._value, direction))

    def _value(self, direction: str, j: int) -> Number:
        return self.run.stored_form(Sum.VALUE, self.values[direction], j, f"{self.name}/{direction}")

    def _key(self, j: int) -> list[Number]:
        return [self.run.stored_form(Sum.KEY, row, j, f"{self.name}/{r}") for r, row in enumerate(self.keys)]

    def _query(self, i: int) -> list[Number]:
        query = [self.run.stored_form(Sum.QUERY, row, i, f"{self.name}/{r}") for r, row in enumerate(self.queries)]
        if not self.scaled:
            return query
        arithmetics = self.run.arithmetics
        scale = arithmetics.storage.number(1 / self.head.temperature.evaluate(i=i, n=self.run.n))
        product = partial(self.run.form, Sum.QUERY, "", rounded=False)
        return [arithmetics.storage.round(product([(q, scale)])) for q in query]

    def _weigh(self, i: int) -> _Weighing:
        visible = self.head.mask.visible(i, self.run.n)
        self.run.scored += len(visible)
        differences = self._differences(i, visible)
        exponentials = [self.exponential.of(d, self.run.execution.shift_at(self.layer, self.place, i, j, nth))
                        for nth, (j, d) in enumerate(zip(visible, differences, strict=True))]
        total = add_terms(exponentials, self.run.execution.order_of(Sum.DENOMINATOR), False,
                          self.run.arithmetics.softmax, f"denominator/{self.name}/{i}")
        return _Weighing(visible, exponentials, total)

    def _differences(self, i: int, visible: range) -> list[Number]:
        """Each score less the greatest; times log2(e) if the base is 2."""
        query = self._query(i)
        scores = [self._score(query, i, j) for j in visible]
        least = min(exponent for _, exponent in scores)
        greatest = negated(max(scores, key=lambda score: score[0] << (score[1] - least)))
        softmax = self.run.arithmetics.softmax
        differences = [softmax.round(add_exactly(score, greatest)) for score in scores]
        if self.run.execution.base == "e":
            return differences
        factor = log2_of_e(softmax.format)
        return [softmax.multiply(d, factor) for d in differences]

    def _score(self, query: Sequence[Number], i: int, j: int) -> Number:
        key = once(self._known_keys, j, self._key)
        terms = list(zip(query, key, strict=True))
        return self.run.arithmetics.scores.round(
            self.run.form(Sum.SCORE, f"{self.name}/{i}/{j}", terms, rounded=False))


class _FeedForwardRun:
    """The feed-forward part of a layer."""

    def __init__(self, run: FloatRun, layer: int, units: Sequence[Unit], bias: Coefficients):
        """``layer`` counts from 1."""
        self.run, self.layer = run, layer
        stored = run.arithmetics.storage
        self.reads = [(run.row(unit.reads), stored.number(unit.bias)) for unit in units]
        self.bias: Mapping[str, Number] = dict(run.row(bias))
        self.writes: dict[str, list[tuple[int, Number]]] = {name: [] for name in self.bias}
        for place, unit in enumerate(units):
            for name, weight in run.row(unit.writes):
                self.writes.setdefault(name, []).append((place, weight))
        self._known: list[dict[int, Number]] = [{} for _ in units]

    def output(self, direction: str, i: int) -> Number:
        """What the part writes to a direction at position i."""
        terms = [(weight, once(self._known[unit], i, partial(self._activation, unit)))
                 for unit, weight in self.writes[direction]]
        return self.run.arithmetics.storage.round(
            self.run.form(Sum.OUTPUT, f"{self.layer}/{direction}/{i}", terms, self.bias.get(direction), rounded=False))

    def _activation(self, unit: int, i: int) -> Number:
        row, bias = self.reads[unit]
        x = self.run.stored_form(Sum.UNIT, row, i, f"{self.layer}/{unit}", bias if bias[0] else None)
        return x if x[0] > 0 else ZERO
