"""Affine forms of every cell (position, symbol), for all words: forms over the terms of heads.

Claim       In every word of the choices, the needed part of the residual vector at j equals the forms of the cell
            (j, w_j), if each atom has the value of the head's term in that word. So cells with equal forms have
            equal numbers. The term of an unmasked head depends only on its queries and the multiset of columns.
Proof       Induction on the stages: docs/background/margins_rules.md, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

from constructions.errors import Unsupported
from constructions.language.brackets import PositionFunction
from constructions.network.transformer import FeedForward, Transformer
from proofs.enclosures.expressions import flint_at
from proofs.enclosures.rationals import ZERO, row_to_flint, to_flint
from proofs.words.classes.needed import Needed, NeededHead
from proofs.words.classes.norms import NO_NORMS, Norms
from proofs.words.classes.terms import (
    ONE,
    Atom,
    AtomSum,
    HeadTerm,
    Interned,
    Irrational,
    Normed,
    Rational,
    Relu,
    Row,
    add,
    combine_forms,
    exact,
    sort_key,
    unsigned,
)

Choices = Sequence[Sequence[str]]
"""The symbols that may occur at each position."""
Cell = tuple[int, str]
Column = tuple[AtomSum, ...]
"""What a head reads of one cell: its live keys, then its values."""


class WordsMatter(Unsupported):
    """The view of a masked head from some position depends on the order of symbols: only words determine the output."""


class Cells:
    """The cells of a sequence of choices, read at position ``at``."""

    def __init__(self, transformer: Transformer, needed: Needed, choices: Choices, at: int,
                 norms: Norms = NO_NORMS) -> None:
        """Compute the forms of every cell.

        Raises:
            WordsMatter: if a masked head that is used elsewhere sees columns that depend on symbols.
        """
        self.transformer, self.needed, self.choices, self.at, self.norms = transformer, needed, choices, at, norms
        self.n = len(choices)
        self.atoms: Interned[Atom] = Interned()
        self.heads: list[SeenHead] = []
        self.multisets: Interned[tuple[AtomSum, ...]] = Interned()
        self.vectors: dict[Cell, dict[str, AtomSum]] = {}
        self._embed()
        for number, layer in enumerate(transformer.layers):
            self._attend(needed.heads[number], 2 * number + 1)
            self._norm(2 * number + 1)
            self._feed(layer.feedforward, 2 * number + 2)
            self._norm(2 * number + 2)

    def cells(self) -> Iterable[Cell]:
        """Return every position with every symbol that may occur there."""
        return ((j, symbol) for j, symbols in enumerate(self.choices, start=1) for symbol in symbols)

    def _needed(self, j: int, stage: int) -> frozenset[str]:
        return (self.needed.here if j == self.at else self.needed.elsewhere)[stage]

    def _embed(self) -> None:
        tokens = {symbol: row_to_flint(row) for symbol, row in self.transformer.token_embedding.items()}
        embeddings = self.transformer.position_embedding
        for j, symbols in enumerate(self.choices, start=1):
            names = self._needed(j, 0)
            values = {name: self._number(value, j) for name, value in embeddings.items() if name in names}
            for symbol in symbols:
                row = tokens[symbol]
                sums = {name: add([(values.get(name, exact(ZERO)), ONE)], row.get(name, ZERO))
                        for name in {*row, *values} & names}
                self.vectors[j, symbol] = {name: form for name, form in sums.items() if form != exact(ZERO)}

    def _number(self, function: PositionFunction, j: int) -> AtomSum:
        """Return the value of a position embedding at j."""
        found = irrational_at(function, j, self.n)
        return exact(found.value.lower) if found.value.is_point else self.atom(found)

    def _attend(self, heads: Sequence[NeededHead], stage: int) -> None:
        seen = [SeenHead(needed, self) for needed in heads]
        self.heads += seen
        changes = {cell: self._answers(seen, cell, stage) for cell in self.vectors}
        for (j, symbol), answers in changes.items():
            _add_to(self.vectors[j, symbol], answers)

    def _answers(self, heads: Iterable[SeenHead], cell: Cell, stage: int) -> list[tuple[str, AtomSum]]:
        names = self._needed(cell[0], stage)
        return [(name, head.answer(name, cell)) for head in heads for name in head.needed.directions if name in names]

    def _feed(self, feedforward: FeedForward, stage: int) -> None:
        units = [(unit, row_to_flint(unit.reads), to_flint(unit.bias), row_to_flint(unit.writes))
                 for unit in feedforward.units]
        bias = row_to_flint(feedforward.bias)
        for (j, _), vector in self.vectors.items():
            names = self._needed(j, stage)
            changes = [(name, exact(value)) for name, value in bias.items() if name in names]
            for unit, reads, offset, writes in units:
                if not names.isdisjoint(unit.writes):
                    activation = self._relu(combine_forms(reads, vector, offset))
                    changes += [(name, add([(activation, weight)])) for name, weight in writes.items()
                                if name in names]
            _add_to(vector, changes)

    def _norm(self, stage: int) -> None:
        """Apply the norm after a stage, if there is one, where anything is needed."""
        epsilon = self.norms.behind(stage)
        if epsilon is None:
            return
        for (j, _), vector in self.vectors.items():
            if self._needed(j, stage):
                self._norm_vector(vector, to_flint(epsilon))

    def _norm_vector(self, vector: dict[str, AtomSum], epsilon: Rational) -> None:
        names = list(self.transformer.directions)
        mean = add((form, to_flint(Fraction(1, len(names)))) for form in vector.values())
        zero = exact(ZERO)
        centred = {name: add([(vector.get(name, zero), ONE), (mean, -ONE)]) for name in names}
        signed = {name: unsigned(form) for name, form in centred.items()}
        multiset = self.multisets.number(tuple(sorted((form for _, form in signed.values()), key=sort_key)))
        for name, (sign, form) in signed.items():
            vector[name] = add([(self.atom(Normed(form, multiset, epsilon)), sign)]) if form != zero else zero

    def _relu(self, form: AtomSum) -> AtomSum:
        if form.is_exact:
            return exact(max(form.constant, ZERO))
        return self.atom(Relu(form))

    def atom(self, atom: Atom) -> AtomSum:
        """Return the atom as a form."""
        return AtomSum(ZERO, ((self.atoms.number(atom), ONE),))

    def form(self, row: Row, symbol: str) -> AtomSum:
        """Return a linear form of the final vector at ``at``, if this symbol is there."""
        return combine_forms(row, self.vectors[self.at, symbol])


def irrational_at(function: PositionFunction, j: int, n: int) -> Irrational:
    """Return the value of an expression at position j as an `Irrational`; its enclosure may be a point."""
    return Irrational(str(function), j if "i" in function.variables else 0, flint_at(function, j, n))


def _add_to(vector: dict[str, AtomSum], changes: Iterable[tuple[str, AtomSum]]) -> None:
    for name, change in changes:
        vector[name] = add([(vector[name], ONE), (change, ONE)]) if name in vector else change


class SeenHead:
    """A used head, with its columns at every cell."""

    def __init__(self, needed: NeededHead, cells: Cells) -> None:
        """Compute the columns from the vectors before the head adds its terms."""
        self.needed, self.cells = needed, cells
        rows = [row_to_flint(row) for row in needed.columns]
        self.queries = [row_to_flint(row) for row in needed.queries]
        self.interned: Interned[Column] = Interned()
        self.columns: dict[Cell, int] = {
            cell: self.interned.number(tuple(combine_forms(row, vector) for row in rows))
            for cell, vector in cells.vectors.items()}
        self.exact_answers: dict[tuple[str, int], AtomSum | None] = {}

    @property
    def is_unmasked(self) -> bool:
        """True if it sees all positions from everywhere."""
        return self.needed.is_unmasked

    @property
    def is_unordered(self) -> bool:
        """True if its weights do not depend on positions."""
        return self.needed.head.weighting.ignores_places

    @cached_property
    def loose(self) -> frozenset[int]:
        """The positions whose column depends on the symbol."""
        cells = self.cells
        return frozenset(j for j, symbols in enumerate(cells.choices, start=1)
                         if any(self.columns[j, symbol] != self.columns[j, symbols[0]] for symbol in symbols))

    def visible(self, origin: int) -> range:
        """Return the visible positions from a position; all positions from 0."""
        n = self.cells.n
        return self.needed.head.mask.visible(origin, n) if origin else range(1, n + 1)

    def answer(self, name: str, cell: Cell) -> AtomSum:
        """Return the term of the head in a direction at a cell.

        Raises:
            WordsMatter: if it is masked and sees, from elsewhere, columns that depend on symbols.
        """
        j = cell[0]
        origin = 0 if self.is_unmasked and self.is_unordered else j
        if (known := self._exact_answer(name, origin)) is not None:
            return known
        if not self.is_unmasked and j != self.cells.at and not self.loose.isdisjoint(self.visible(origin)):
            raise WordsMatter(f"head {self.needed.layer}.{self.needed.place} is masked, and is used at position {j}")
        temperature = irrational_at(self.needed.head.temperature, j, self.cells.n)
        is_scaled = temperature.value.is_point and self.queries
        sharpness = 1 / temperature.value.lower if is_scaled else ONE
        vector = self.cells.vectors[cell]
        queries = tuple(add([(combine_forms(row, vector), sharpness)]) for row in self.queries)
        divided = self.queries and not is_scaled and not self.needed.head.weighting.is_hard
        return self.cells.atom(HeadTerm(self.needed.layer, self.needed.place, name, queries, origin,
                                        temperature if divided else None))

    def _exact_answer(self, name: str, origin: int) -> AtomSum | None:
        """Return the term where it is one number: of equal values, or the mean of exact ones."""
        if (name, origin) not in self.exact_answers:
            self.exact_answers[name, origin] = self._find_exact_answer(name, origin)
        return self.exact_answers[name, origin]

    def _find_exact_answer(self, name: str, origin: int) -> AtomSum | None:
        head, visible = self.needed.head, self.visible(origin)
        place = len(self.needed.live) + self.needed.directions.index(name)
        values = [[self.interned[self.columns[j, symbol]][place] for symbol in self.cells.choices[j - 1]]
                  for j in visible]
        first = values[0][0]
        if first.is_exact and head.weighting.sums_to_one and all(value == first for row in values for value in row):
            return first
        is_mean = not self.needed.live and head.weighting.averages_equals
        if is_mean and all(row[0].is_exact and all(value == row[0] for value in row) for row in values):
            return exact(sum((row[0].constant for row in values), ZERO) / len(values))
        return None


