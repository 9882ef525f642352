"""One layer on ids: queries, keys and values of a vector, and the vector after attention and the feed-forward block.

A vector has only the directions that are read later, so vectors that differ elsewhere are one.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from constructions.network.transformer import FeedForward, Layer, Transformer
from constructions.statements.theorem_26_uniform_tieless import is_uniform
from proofs.formula.feed_forward.worst_case import Function, group_units
from proofs.softened.hash_consing import LinearFormOnIds, Memo, Numbers, Pool, Vector
from proofs.softened.heads import Change, HardAttention, HeadLayout, Observer, UniformAttention

FormKey = tuple[tuple[str, Fraction], ...]
"""A linear form up to a factor: its directions in alphabetical order, the first with coefficient 1."""


def functions_of(feedforward: FeedForward, direction: str) -> dict[FormKey, Function]:
    """Return the contribution of each group of units to a direction, as a function of the one form that it reads."""
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in feedforward.units_writing(direction)
                  if unit.writes[direction])
    return {tuple(function.reads.items()): function for function in group_units(units)}


def read_from(transformer: Transformer, number: int) -> list[str]:
    """Return the directions that the layer of this number (from 1) or a later one reads, in their order."""
    read: set[str] = set()
    for layer in transformer.layers[number - 1:]:
        for head in layer.heads:
            for row in (*head.queries, *head.keys, *head.values.values()):
                read.update(row)
        read.update(read_by_units(layer))
    return [name for name in transformer.directions if name in read]


def read_by_units(layer: Layer) -> set[str]:
    """Return the directions that the feed-forward block of a layer reads."""
    return {name for unit in layer.feedforward.units for name in unit.reads}


class FeedForwardRun:
    """A feed-forward block on vectors of ids; ``taken`` has the values of its forms so far."""

    def __init__(self, feedforward: FeedForward, places: Mapping[str, int], numbers: Numbers):
        self._numbers = numbers
        self._functions = {name: functions_of(feedforward, name) for name in feedforward.written()}
        self.forms = {key: LinearFormOnIds(dict(key), places, numbers) for functions in self._functions.values()
                      for key in functions if key}
        self.taken: dict[FormKey, set[int]] = {key: set() for key in self.forms}
        self._at: dict[FormKey, Memo[int, Change]] = {key: Memo(self._adder(key, places)) for key in self.forms}
        constant = {name: feedforward.bias.get(name, Fraction(0))
                    + sum((functions[()].at(Fraction(0)) for _ in functions if not _), Fraction(0))
                    for name, functions in self._functions.items()}
        self._constant = tuple((places[name], numbers.id(x)) for name, x in constant.items() if name in places and x)
        self._reads = sorted({place for form in self.forms.values() for place in form.places})
        self._changes: Memo[Vector, Change] = Memo(lambda read: self._change(self._whole(read)))
        self._size = len(places)

    def _adder(self, key: FormKey, places: Mapping[str, int]):  # type: ignore[no-untyped-def]
        written = [(places[name], functions[key]) for name, functions in self._functions.items()
                   if key in functions and name in places]
        numbers = self._numbers

        def add(taken: int) -> Change:
            added = ((place, numbers.id(function.at(numbers[taken]))) for place, function in written)
            return tuple([(place, number) for place, number in added if number])

        return add

    def change(self, vector: Vector) -> Change:
        """Return the output of the block at a vector."""
        return self._changes[tuple([vector[place] for place in self._reads])]

    def _whole(self, read: Vector) -> Vector:
        vector = [0] * self._size
        for place, number in zip(self._reads, read, strict=True):
            vector[place] = number
        return tuple(vector)

    def _change(self, vector: Vector) -> Change:
        added = list(self._constant)
        for key, form in self.forms.items():
            number = form(vector)
            self.taken[key].add(number)
            added.extend(self._at[key][number])
        total: dict[int, int] = {}
        for place, number in added:
            total[place] = self._numbers.sums[total.get(place, 0), number]
        return tuple([(place, number) for place, number in total.items() if number])


class LayerRun:
    """A layer, from ids of vectors before it to ids of vectors after it."""

    def __init__(self, transformer: Transformer, number: int, before: Pool[Vector], numbers: Numbers,
                 observer: Observer):
        layer = transformer.layers[number - 1]
        names = read_from(transformer, number)
        places = {name: place for place, name in enumerate(names)}
        self.masks = [head.mask for head in layer.heads]
        self.heads: list[HeadLayout] = [
            UniformAttention(head, places, numbers) if is_uniform(head)
            else HardAttention(head, number, place, places, numbers, observer)
            for place, head in enumerate(layer.heads, start=1)]
        self.feedforward = FeedForwardRun(layer.feedforward, places, numbers)
        self.before, self.after = before, Pool[Vector]()
        self._numbers = numbers
        self._kept = [places[name] for name in read_from(transformer, number + 1)]
        self.read: Memo[int, tuple[tuple[int, int], ...]] = Memo(self._read)
        self.outcomes = [head.outcomes for head in self.heads]
        self.steps: Memo[tuple[int, ...], int] = Memo(self._step)

    def _read(self, vector: int) -> tuple[tuple[int, int], ...]:
        """Return, for each head, the query, and the key and values, of a vector."""
        whole = self.before[vector]
        return tuple([(head.query(whole), head.key_and_value(whole)) for head in self.heads])

    def _step(self, at: Sequence[int]) -> int:
        """Return the vector after the layer, from the one before it and the output of each head."""
        vector, *added = at
        sums = self._numbers.sums
        middle = list(self.before[vector])
        for head, change in zip(self.heads, added, strict=True):
            for place, number in head.changes[change]:
                middle[place] = sums[middle[place], number]
        for place, number in self.feedforward.change(tuple(middle)):
            middle[place] = sums[middle[place], number]
        return self.after.id(tuple([middle[place] for place in self._kept]))
