"""The transformer as exact data: weights on named directions, position functions in i and n.

``h' = h + heads(h)``, ``h'' = h' + feedforward(h')``; any number of heads; the usual 1/sqrt(d_k) is folded into the
queries (DIVERGENCES.md lists the differences from the text of [SHA] Section 3.1, which prints neither residual
connections nor several heads).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from html import escape

from constructions.errors import InputError, Unsupported
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import definitions_of
from constructions.language.syntax import TRUE, Formula
from constructions.network.meanings import Meaning, formulas_of
from constructions.network.weightings import Weighting

Coefficients = Mapping[str, Fraction]
"""Direction -> rational: a vector of the residual stream, or a linear form on it; missing entries are 0."""


class Mask(StrEnum):
    """The positions j visible to a query at position i."""

    NONE = "none"
    FUTURE = "future"
    PAST = "past"

    def visible(self, i: int, n: int) -> range:
        """Return the visible positions, counted from 1.

        >>> list(Mask.FUTURE.visible(2, 3)), list(Mask.PAST.visible(2, 3))
        ([1, 2], [2, 3])
        """
        return range(i if self is Mask.PAST else 1, (i if self is Mask.FUTURE else n) + 1)


def check_mask(weighting: Weighting, mask: Mask) -> None:
    """Raise InputError if the weighting is not defined under the mask."""
    if weighting.breaks_a_stick and mask is Mask.NONE:
        raise InputError(f"mask none beside {weighting}, expected future or past: as it goes from position to position")


@dataclass(frozen=True)
class Head:
    """One attention head: score(i, j) = sum over r of queries[r](i) * keys[r](j), then weights, then values.

    ``source`` names the statement of the literature, for readers only: no obligation depends on it.
    """

    name: str
    source: str
    mask: Mask
    weighting: Weighting
    temperature: Expression
    queries: tuple[Coefficients, ...]
    keys: tuple[Coefficients, ...]
    values: Mapping[str, Coefficients]


@dataclass(frozen=True)
class Unit:
    """One hidden unit of a feed-forward layer: adds ``writes * ReLU(reads . h + bias)``."""

    reads: Coefficients
    bias: Fraction
    writes: Coefficients


@dataclass(frozen=True)
class FeedForward:
    """One hidden layer of ReLU units, and an output bias."""

    units: tuple[Unit, ...] = ()
    bias: Coefficients = field(default_factory=dict)

    def written(self) -> list[str]:
        """Return the directions that a hidden unit or the bias writes, each once."""
        return list(dict.fromkeys([name for unit in self.units for name in unit.writes] + list(self.bias)))

    def units_writing(self, direction: str) -> tuple[Unit, ...]:
        """Return the hidden units with a non-zero weight to ``direction``."""
        return tuple(self._units_by_direction.get(direction, ()))

    @cached_property
    def _units_by_direction(self) -> Mapping[str, list[Unit]]:
        found: dict[str, list[Unit]] = {}
        for unit in self.units:
            for name in unit.writes:
                found.setdefault(name, []).append(unit)
        return found


@dataclass(frozen=True)
class Layer:
    """Attention, then feed-forward, each added to the residual stream."""

    heads: tuple[Head, ...] = ()
    feedforward: FeedForward = FeedForward()


@dataclass(frozen=True, repr=False)
class Transformer:
    """A concrete transformer whose weights do not depend on the length of the word.

    It has a claim only at the positions where ``given`` holds (``constructions.network.assumption``).
    """

    alphabet: tuple[str, ...]
    directions: Mapping[str, Meaning]
    token_embedding: Mapping[str, Coefficients]
    position_embedding: Mapping[str, PositionFunction]
    layers: tuple[Layer, ...]
    output: str
    given: Formula = TRUE

    def __repr__(self) -> str:
        return (f"<Transformer: layers {len(self.layers)}, heads {sum(1 for _ in self.heads())}, "
                f"directions {len(self.directions)}, symbols {len(self.alphabet)}>")

    def _repr_html_(self) -> str:
        from constructions.html_text import html_table

        rows = [(f"{layer}.{place}", head.name, head.source, head.mask.value, head.weighting.value, head.temperature,
                 ", ".join(head.values)) for layer, place, head in self.heads()]
        names = ("head", "attends to", "statement", "mask", "weighting", "temperature", "writes")
        return f"<p>{escape(repr(self)[1:-1])}</p>{html_table(names, rows)}"

    def heads(self) -> Iterator[tuple[int, int, Head]]:
        """Yield every head with its layer and its index in the layer, both counted from 1."""
        for number, layer in enumerate(self.layers, start=1):
            for place, head in enumerate(layer.heads, start=1):
                yield number, place, head

    def with_heads(self, change: Callable[[int, int, Head], Head]) -> Transformer:
        """Return the network with each head changed; ``change`` gets layer, index and head."""
        return replace(self, layers=tuple(
            replace(layer, heads=tuple(change(number, place, head) for place, head in enumerate(layer.heads, start=1)))
            for number, layer in enumerate(self.layers, start=1)))

    def weightings(self) -> tuple[str, ...]:
        """Return the names of the weightings of its heads, sorted."""
        return tuple(sorted({head.weighting.value for _, _, head in self.heads()}))

    @property
    def has_softmax_alone(self) -> bool:
        """True if every head has softmax."""
        return all(head.weighting.is_softmax for _, _, head in self.heads())

    def head(self, layer: int, place: int) -> Head:
        """Return the head of this layer and index, both counted from 1."""
        return self.layers[layer - 1].heads[place - 1]

    def predicates(self) -> list[PredicateDefinition]:
        """Return the user's predicates that meanings and position embeddings mention, sorted by name."""
        brackets = [value.formula for value in self.position_embedding.values() if isinstance(value, Bracket)]
        meant = (formula for meaning in self.directions.values() for formula in formulas_of(meaning))
        return definitions_of([self.given, *brackets, *meant])

    def embedded(self) -> list[str]:
        """Return the directions that the embedding writes, and those never written: the latter are 0 everywhere."""
        written = {name for row in self.token_embedding.values() for name in row} | set(self.position_embedding)
        later = {name for _, _, head in self.heads() for name in head.values}
        later |= {name for layer in self.layers for name in layer.feedforward.written()}
        return [name for name in self.directions if name in written or name not in later]

    def parameter_count(self) -> int:
        """Return the number of non-zero weights and biases, embeddings included."""
        tokens = sum(map(len, self.token_embedding.values())) + len(self.position_embedding)
        attention = sum(len(row) for _, _, head in self.heads()
                        for row in (*head.queries, *head.keys, *head.values.values()))
        dense = sum(len(unit.reads) + len(unit.writes) + (unit.bias != 0)
                    for layer in self.layers for unit in layer.feedforward.units)
        return tokens + attention + dense + sum(len(layer.feedforward.bias) for layer in self.layers)


def check_softmax(transformer: Transformer, what: str) -> None:
    """Raise Unsupported for a head whose weighting is neither softmax nor hard; ``what`` is the refused operation."""
    for _, _, head in transformer.heads():
        if not (head.weighting.is_hard or head.weighting.is_softmax):
            raise Unsupported(f"{what} of a network with the head {head.name!r}, whose weighting is {head.weighting}, "
                              "expected softmax or hard attention")


def combine(row: Coefficients, values: Mapping[str, Fraction]) -> Fraction:
    """Return the linear form at a residual vector; directions without a value count as 0.

    >>> combine({"x": Fraction(1, 2), "y": Fraction(3)}, {"x": Fraction(4)})
    Fraction(2, 1)
    """
    total = Fraction(0)
    for name, weight in row.items():
        if value := values.get(name):  # most entries of a residual vector are 0
            total += weight * value
    return total
