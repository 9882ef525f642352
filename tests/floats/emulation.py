"""A float execution of a network in exact numbers: every choice that the float model leaves open is random."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

from constructions.network.float_formats import Format
from constructions.network.transformer import Coefficients, Head, Transformer, Unit
from proofs.enclosures.float_models.model import FloatModel, Normalised
from proofs.floats.outward import exp_up

ZERO, ONE = Fraction(0), Fraction(1)
Vector = dict[str, Fraction]


class Emulation:
    """One network, run in one class."""

    def __init__(self, transformer: Transformer, run: FloatModel, random: Random):
        self.transformer, self.run, self.random = transformer, run, random

    def rounded(self, x: Fraction, target: Format) -> Fraction:
        """Round to nearest; subnormal numbers are kept or flushed."""
        found = target.round(x)
        return ZERO if abs(found) < target.smallest_normal and self.random.random() < 0.5 else found

    def total(self, numbers: Sequence[Fraction], target: Format) -> Fraction:
        """Return the sum in a random order."""
        left = list(numbers)
        while len(left) > 1:
            self.random.shuffle(left)
            left.append(self.rounded(left.pop() + left.pop(), target))
        return left[0] if left else ZERO

    def form(self, pairs: Sequence[tuple[Fraction, Fraction]], bias: Fraction, target: Format) -> Fraction:
        """Return a linear form in a random order; a product may be fused with the sum that it enters."""
        run = self.run
        exact = [self.rounded(a, run.inputs) * self.rounded(b, run.inputs) for a, b in pairs]
        fused = exact.pop() if exact and self.random.random() < 0.5 else ZERO
        rest = self.total([*(self.rounded(x, run.sums) for x in exact), bias], run.sums)
        return self.rounded(self.rounded(rest + fused, run.sums), target)

    def row(self, row: Coefficients, held: Mapping[str, Fraction], bias: Fraction = ZERO) -> Fraction:
        """Return a linear form of a residual vector, stored."""
        storage = self.run.storage
        return self.form([(storage.round(weight), held[name]) for name, weight in row.items() if held[name]],
                         storage.round(bias), storage)

    def word(self, word: str) -> list[Vector]:
        """Return the values of all directions at all positions."""
        held = [self._embedded(symbol, i, len(word)) for i, symbol in enumerate(word, start=1)]
        for layer in self.transformer.layers:
            written = [self._head(head, held) for head in layer.heads]
            for i, here in enumerate(held):
                here.update({name: x for each in written for name, x in each[i].items()})
            for here in held:
                here.update({name: self._output(name, layer.feedforward.units_writing(name),
                                                layer.feedforward.bias.get(name, ZERO), here)
                             for name in layer.feedforward.written()})
        return held

    def _embedded(self, symbol: str, i: int, n: int) -> Vector:
        network, storage = self.transformer, self.run.storage
        held = dict.fromkeys(network.directions, ZERO)
        held.update(network.token_embedding[symbol])
        held.update({name: storage.round(value.evaluate(i=i, n=n))
                     for name, value in network.position_embedding.items()})
        return held

    def _output(self, name: str, units: Sequence[Unit], bias: Fraction, here: Vector) -> Fraction:
        active = [(unit.writes[name], max(self.row(unit.reads, here, unit.bias), ZERO)) for unit in units]
        return self.form(active, bias, self.run.storage)

    def _head(self, head: Head, held: list[Vector]) -> list[Vector]:
        n = len(held)
        keys = [[self.row(row, here) for row in head.keys] for here in held]
        values = [{name: self.row(row, here) for name, row in head.values.items()} for here in held]
        return [self._attend(head, i, n, held, keys, values) for i in range(1, n + 1)]

    def _attend(self, head: Head, i: int, n: int, held: list[Vector], keys: list[list[Fraction]],
                values: list[Vector]) -> Vector:
        run = self.run
        query = [self.row(row, held[i - 1]) for row in head.queries]
        temperature = head.temperature.evaluate(i=i, n=n)
        if temperature != 1:
            query = [self.form([(q, run.storage.round(1 / temperature))], ZERO, run.storage) for q in query]
        seen = [j - 1 for j in head.mask.visible(i, n)]
        scores = [self.form(list(zip(query, keys[j], strict=True)), ZERO, run.scores) for j in seen]
        powers = [self._exp(self.rounded(score - max(scores), run.softmax)) for score in scores]
        return {name: self._mean(powers, [values[j][name] for j in seen]) for name in head.values}

    def _exp(self, x: Fraction) -> Fraction:
        if not x:
            return ONE
        softmax = self.run.softmax
        true = exp_up(x)
        off = (self.run.exp_ulp - Fraction(3, 5)) * self.random.choice((-1, 0, 1)) * softmax.unit(true)
        return self.rounded(max(true + off, ZERO), softmax)

    def _mean(self, powers: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
        run, total = self.run, self.total(powers, self.run.softmax)
        before = run.normalised is Normalised.BEFORE or (
            run.normalised is Normalised.EITHER and self.random.random() < 0.5)
        weights = [self.rounded(self.rounded(e / total, run.softmax) if before else e, run.weights) for e in powers]
        found = self.total([self.rounded(w * v, run.sums) for w, v in zip(weights, values, strict=True)], run.sums)
        return self.rounded(found if before else self.rounded(found / total, run.softmax), run.storage)
