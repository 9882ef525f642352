"""Affine forms of all numbers that the output depends on, at every cell; and buckets.

See docs/background/margins_rules.md, section 3.

A *cell* is a position with a symbol that may occur there. The *column* of a head at a cell is the tuple of the forms of
its keys, then of its values. Columns and forms are equal if and only if their numbers here are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import ENTRY_BITS
from ...kernel.numbers import ONE, Enclosure, add, divide, total
from ...kernel.reading.records import Head, Layer, visible
from ...kernel.verdicts import quote, require, within
from .dependencies import HeadInputs, NeededStage, find_needed
from .forms import NOTHING, AtomForm, FormTable, FormTuples, HeadTerm, Normed
from .reading import Epsilon, MarginFile

PositionAndSymbol = tuple[int, str]
Bucket = tuple[tuple[int, int], ...]
FormVector = Mapping[str, AtomForm]
UNORDERED = ("softmax", "average-hardmax")
"""The weightings whose mean depends on the number of times that each column is seen, not on its positions."""
EVEN = Enclosure(ONE, ONE)
OUTPUT = -1  # in entries of buckets, the output in place of the number of a head
WEIGHTINGS = (*UNORDERED, "leftmost-hardmax", "rightmost-hardmax")


class View(NamedTuple):
    """The part of a head's view from some position that is equal in every word, by needed direction.

    ``stays`` is True if no visible column depends on its symbol; a mean is None where it is not one number.
    """

    stays: bool
    means: Mapping[str, Fraction | None]


class HeadColumns:
    """A used head, and its columns: a number for each cell."""

    def __init__(self, cells: FormsByPosition, inputs: HeadInputs, columns: Mapping[PositionAndSymbol, int]) -> None:
        self.inputs, self.columns = inputs, columns
        self._cells = cells
        self._views: dict[tuple[int, int], View] = {}
        self._varies = [len({columns[j, symbol] for symbol in symbols}) > 1
                        for j, symbols in enumerate(cells.choices, 1)]

    def visible(self, i: int) -> tuple[int, int]:
        """Return the first and the last position that are visible from i."""
        return visible(self.inputs.head.mask, self._cells.length, i)

    def sees(self, i: int, j: int) -> bool:
        """Return whether j is visible from i."""
        first, last = self.visible(i)
        return first <= j <= last

    def varies(self, j: int) -> bool:
        """Return whether the column at j depends on the symbol there."""
        return self._varies[j - 1]

    def view(self, i: int) -> View:
        """Return the view from i, which is equal in every word."""
        bounds = self.visible(i)
        if bounds not in self._views:
            self._views[bounds] = self._find_view(range(bounds[0], bounds[1] + 1))
        return self._views[bounds]

    def _find_view(self, positions: range) -> View:
        seen = [(j, symbol) for j in positions for symbol in self._cells.choices[j - 1]]
        self._cells.budget.spend(len(seen) * (1 + len(self.inputs.names)))
        self._cells.budget.hold(ENTRY_BITS * (1 + len(self.inputs.names)))
        stays = not any(map(self.varies, positions))
        place = len(self.inputs.keys)
        means = {name: self._mean(place + number, positions, seen) for number, name in enumerate(self.inputs.names)}
        return View(stays, means)

    def _mean(self, place: int, positions: range, seen: Sequence[PositionAndSymbol]) -> Fraction | None:
        """Return the mean of the values, if it is one number for all scores, or all scores are 0; else None."""
        values = {cell: self._cells.columns.rows[self.columns[cell]][place] for cell in seen}
        if any(value.atoms for value in values.values()):
            return None
        if all_equal(values.values()):
            return values[seen[0]].constant
        firsts = [values[j, self._cells.choices[j - 1][0]].constant for j in positions]
        stays = all(all_equal(values[j, symbol] for symbol in self._cells.choices[j - 1]) for j in positions)
        if self.inputs.keys or self.inputs.head.weighting not in UNORDERED or not stays:
            return None
        budget = self._cells.budget
        return divide(budget, total(budget, firsts), Fraction(len(positions)))


def all_equal(things: Iterable[object]) -> bool:
    """Return whether all things are equal."""
    several = iter(things)
    first = next(several, None)
    return all(thing == first for thing in several)


class FormsByPosition:
    """All forms for one sequence length and one position ``at`` of the output; ``choices`` are the symbols by position.

    Attributes:
        seen: the used heads, over all layers.
        columns: the columns by number.
        outputs: the different outputs at ``at``.
        by_words: whether a class is one word.
    """

    def __init__(self, given: MarginFile, choices: Sequence[Sequence[str]], at: int) -> None:
        transformer, language = given.transformer, given.network_language
        self.transformer, self.language, self.choices, self.at = transformer, language, choices, at
        self.budget, self.length = language.budget, len(choices)
        self.forms = FormTable(self.budget)
        self.columns = FormTuples(self.budget)
        self.seen: list[HeadColumns] = []
        self._check_heads()
        embedded, layers = find_needed(transformer, given.norms)
        vectors = self._embed(embedded)
        for layer, needs, (attention, units) in zip(transformer.layers, layers, given.norms, strict=True):
            vectors = self._norm(attention, self._attend(needs.heads, needs.attended, vectors))
            vectors = self._norm(units, {cell: self._feed(layer, self._needed_at(needs.fed, cell), vector)
                                         for cell, vector in vectors.items()})
        outputs = FormTuples(self.budget)
        self._output_of = [outputs.number((vectors[at, symbol][transformer.output],)) for symbol in choices[at - 1]]
        self.outputs = [output for output, in outputs.rows]
        self.by_words = any(map(self._needs_words, self.seen))

    def cells(self) -> Iterator[PositionAndSymbol]:
        """Yield all cells."""
        return ((j, symbol) for j, symbols in enumerate(self.choices, 1) for symbol in symbols)

    def bucket(self, j: int, choice: int) -> Bucket:
        """Return everything of a cell (a position, and the index of its symbol) that the output may depend on.

        Entries are the number of a head with the number of a column, or OUTPUT with the number of an output; if classes
        are words, the position with the choice.
        """
        self.budget.spend(1 + len(self.seen))
        if self.by_words:
            return ((j, choice),)
        cell = j, self.choices[j - 1][choice]
        entries = [(number, head.columns[cell]) for number, head in enumerate(self.seen)
                   if (head.inputs.head.mask == "none" or head.sees(self.at, j)) and head.varies(j)]
        if j == self.at and len(self.outputs) > 1:
            entries.append((OUTPUT, self._output_of[choice]))
        return tuple(entries)

    def output(self, choice: int) -> AtomForm:
        """Return the output where this choice is the symbol at ``at``."""
        return self.outputs[self._output_of[choice]]

    def _needs_words(self, head: HeadColumns) -> bool:
        """Return whether a head's term depends on the order of positions, or on prefixes or suffixes of words."""
        if head.inputs.head.weighting not in UNORDERED:
            return True
        is_prefix = head.inputs.head.mask != "none" and head.inputs.elsewhere
        return is_prefix and not all(head.view(i).stays for i in range(1, self.length + 1) if i != self.at)

    def _check_heads(self) -> None:
        """Check that every temperature is positive at every position, and the weighting of every head."""
        for head in self.transformer.heads:
            require(head.weighting in WEIGHTINGS, "the weighting of head {} is not softmax or hard", quote(head.name))
            with within(f"the temperature of head {quote(head.name)}"):
                self.language.check_positive(head.temperature, self.length)

    def _needed_at(self, stage: NeededStage, cell: PositionAndSymbol) -> frozenset[str]:
        return stage.here if cell[0] == self.at else stage.elsewhere

    def _embed(self, stage: NeededStage) -> dict[PositionAndSymbol, FormVector]:
        positions = self.transformer.position_embedding
        placed = [{name: self.language.value_at(place, self.length, i) for name, place in positions.items()}
                  for i in range(1, self.length + 1)]
        found: dict[PositionAndSymbol, FormVector] = {}
        for j, symbol in self.cells():
            row, vector = self.transformer.token_embedding[symbol], dict[str, AtomForm]()
            for name in self._needed_at(stage, (j, symbol)):
                at_position = placed[j - 1].get(name, NOTHING.constant)
                vector[name] = AtomForm(add(self.budget, row.get(name, NOTHING.constant), at_position))
            found[j, symbol] = vector
            self.budget.hold(ENTRY_BITS * (1 + len(vector)))
        return found

    def _attend(self, heads: Sequence[HeadInputs], stage: NeededStage,
                vectors: Mapping[PositionAndSymbol, FormVector]) -> dict[PositionAndSymbol, FormVector]:
        """Return the needed directions after the heads of a layer."""
        first = len(self.seen)
        for one in heads:
            rows = (*one.keys, *(one.head.values[name] for name in one.names))
            self.budget.hold(len(vectors) * (ENTRY_BITS >> 1))
            columns = {cell: self.columns.number(tuple(self.forms.read(row, vector) for row in rows))
                       for cell, vector in vectors.items()}
            self.seen.append(HeadColumns(self, one, columns))
        found: dict[PositionAndSymbol, FormVector] = {}
        for cell, vector in vectors.items():
            needed = self._needed_at(stage, cell)
            terms = {name: [(vector[name], ONE)] for name in needed}
            for number in range(first, len(self.seen)):
                for name in needed.intersection(self.seen[number].inputs.names):
                    terms[name].append((self._head_term(number, name, cell[0], vector), ONE))
            found[cell] = {name: self.forms.combine(added) for name, added in terms.items()}
        return found

    def _head_term(self, number: int, name: str, i: int, vector: FormVector) -> AtomForm:
        """Return the term that a head adds to a direction at position i."""
        head = self.seen[number]
        mean = head.view(i).means[name]
        if mean is not None:
            return AtomForm(mean)
        inverse, row, factor = self._inverse_temperature(head.inputs.head, i), 0, ONE
        if inverse.lower == inverse.upper:
            inverse, factor = EVEN, inverse.lower
        elif "i" in self.language.leaves(head.inputs.head.temperature):
            row = i
        queries = tuple(self.forms.combine([(self.forms.read(form, vector), factor)]) for form in head.inputs.queries)
        return self.forms.of_atom(HeadTerm(number, name, queries, 0 if head.inputs.head.mask == "none" else i, inverse,
                                           row))

    def _inverse_temperature(self, head: Head, i: int) -> Enclosure:
        """Return 1/temperature; 1 for hard heads, which do not divide."""
        if head.weighting != "softmax":
            return EVEN
        temperature = self.language.enclose_at(head.temperature, self.length, i)
        return Enclosure(divide(self.budget, ONE, temperature.upper), divide(self.budget, ONE, temperature.lower))

    def _norm(self, epsilon: Epsilon, vectors: dict[PositionAndSymbol, FormVector]) -> dict[PositionAndSymbol,
                                                                                            FormVector]:
        """Return all directions of the non-empty vectors, normed; the vectors themselves without an epsilon."""
        if epsilon is None:
            return vectors
        names = list(self.transformer.directions)
        found: dict[PositionAndSymbol, FormVector] = {}
        for cell, vector in vectors.items():
            row = self.forms.vectors.number(tuple(vector[name] for name in names)) if vector else 0
            found[cell] = {name: self.forms.of_atom(Normed(place, row, epsilon))
                           for place, name in enumerate(names if vector else ())}
        return found

    def _feed(self, layer: Layer, needed: frozenset[str], vector: FormVector) -> FormVector:
        """Return the needed directions after a feed-forward block."""
        terms = {name: [(vector[name], ONE)] for name in needed}
        for unit in layer.feedforward.units:
            written = needed.intersection(unit.writes)
            if written:
                hidden = self.forms.relu(self.forms.read(unit.reads, vector, unit.bias))
                for name in written:
                    terms[name].append((hidden, unit.writes[name]))
        bias = layer.feedforward.bias
        return {name: self.forms.combine(added, bias.get(name, NOTHING.constant)) for name, added in terms.items()}
