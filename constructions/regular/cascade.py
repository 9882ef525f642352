"""Formulas of the cells of a cascade: each bit is a `since`, each group a few counts.

Rows        One for each step of the cascade: places before, letter, places after; and for each letter one before the
            first position, where all bits are 0, as ``prev`` is. A bit that may have either value is None.
Claim       After every prefix, each bit has the value of its cell in the places reached by the prefix, if the cell
            defines one. The same holds for every formula of letters and bits with a cover.
Proof       By induction on the position and the order of the cells. A formula of the letter, the bits of earlier cells
            here and their previous bits is right because all rows are covered. A bit is `keep since set`, where keep
            fails where the bit falls and holds where it rises or stays 1, and set holds where it rises and fails where
            it falls or stays 0. If the bit is 1 here, it rose or stayed, so keep holds, and set holds here or, by the
            hypothesis, `keep since set` held before. If the bit is 0 here, set fails, and either keep fails or the
            formula failed before. Groups: counters.py; a tile is the tile of the last reset times the product since
            then: of the product so far and the one at the reset, for which the stored tile accounts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constructions.errors import InternalError, Unsupported
from constructions.language.semantics import satisfies
from constructions.language.simplified import (
    conjunction,
    conjunction_of,
    disjunction,
    disjunction_of,
    equivalence,
    negation,
    since,
)
from constructions.language.syntax import Formula, Symbol, is_symbolic, subformulas
from constructions.regular.automata import RegularLanguage
from constructions.regular.cells import Cell, Places, TileLevel
from constructions.regular.component import Component
from constructions.regular.counters import before, moduli, products
from constructions.regular.covers import CoverTerm, RowSets, Value, where
from constructions.regular.holonomy import Action
from constructions.regular.permutations import Permutation, generated, inverse, is_solvable


@dataclass(frozen=True)
class CascadeStep:
    """One step; ``before`` is None before the first position."""

    letter: int
    before: Places | None
    after: Places
    actions: tuple[tuple[Action, ...], ...]
    accepted: bool


def rows_of(language: RegularLanguage, components: Sequence[Component], clock: int, most: int,
            what: str) -> list[CascadeStep]:
    """Return every step that some word takes; ``clock`` is a multiple of the clocks of the components.

    Raises:
        Unsupported: if there are more than ``most``.
    """
    start = tuple(component.start for component in components)
    rows: list[CascadeStep] = []
    found: dict[tuple[int, int, Places], None] = {}

    def add_steps(state: int, time: int, places: Places, is_first: bool) -> None:
        for letter in range(len(language.automaton.steps[0])):
            stepped = [component.step(place, letter, time)
                       for component, place in zip(components, places, strict=True)]
            after = tuple(place for place, _ in stepped)
            reached = language.automaton.steps[state][letter]
            rows.append(CascadeStep(letter, None if is_first else places, after,
                                    tuple(actions for _, actions in stepped),
                                    reached in language.accepting))
            target = (reached, (time + 1) % clock, after)
            if target not in found:
                found[target] = None
                order.append(target)
        if len(rows) > most:
            raise Unsupported(f"{what}: a cascade that follows its automaton takes more than {most} steps")

    order: list[tuple[int, int, Places]] = []
    add_steps(language.automaton.start, 0, start, is_first=True)
    for state, time, places in order:  # grows in the loop
        add_steps(state, time, places, is_first=False)
    return rows


class NotSolvable(Unsupported):
    """A group of permutations that counting modulo numbers cannot follow."""


class Cascade:
    """Builder of the formulas of bits, cell by cell, and of acceptance."""

    def __init__(self, rows: Sequence[CascadeStep], cells: Sequence[Cell], alphabet: Sequence[str], what: str) -> None:
        """Build the formulas of the bits of all cells.

        Raises:
            Unsupported: if a group is not solvable, or very large.
        """
        self._rows = rows
        self._symbols = [Symbol(symbol) for symbol in alphabet]
        self._bits: list[Formula] = []
        self._known: set[Formula] = set()
        self._what = what
        self.groups: list[tuple[int, tuple[int, ...]]] = []
        self._values = [_values_of(row, cells) for row in rows]
        self._table = RowSets([row.letter for row in rows], self._values, len(alphabet))
        for cell in cells:
            self._add(cell)

    def accepting(self) -> Formula:
        """Return the formula that holds where the language's automaton accepts."""
        accepted = where(row.accepted for row in self._rows)
        return self._found(self._smallest(accepted, self._table.everything & ~accepted))

    # -- cells ---------------------------------------------------------------------------------------------------------

    def _add(self, cell: Cell) -> None:
        if isinstance(cell, TileLevel) and cell.is_permuted:
            for formula in self._group_bits(cell, [cell.action(row.after, row.actions) for row in self._rows]):
                self._keep(formula)
            return
        for _ in range(cell.width):
            self._keep(self._bit(len(self._bits)))

    def _keep(self, formula: Formula) -> None:
        self._bits.append(formula)
        self._known.update(subformulas(formula))

    def _bit(self, bit: int) -> Formula:
        """Return a bit that every step sets, clears or keeps: a function of the other bits, or a `since`."""
        here = [where(row[2 * bit] == value for row in self._values) for value in (0, 1)]
        may_be = [where(row[2 * bit + 1] != 1 - value for row in self._values) for value in (0, 1)]
        rises, falls = here[1] & may_be[0], here[0] & may_be[1]
        stays_1, stays_0 = here[1] & may_be[1], here[0] & may_be[0]
        read_off = self._smallest(here[1], here[0])
        sets = self._smallest(rises, falls | stays_0)
        keeps = self._smallest(stays_1 | rises, falls)
        remembered = since(keeps, sets) if sets is not None and keeps is not None else None
        return self._found(self._smaller(read_off, remembered))

    def _group_bits(self, cell: TileLevel, actions: Sequence[Action]) -> list[Formula]:
        """Return the bits of a permuted level: the tile of the last reset, moved by the product since then."""
        degree = len(cell.codes)
        padded = [action + tuple(range(len(action), degree)) if isinstance(action, tuple) else action
                  for action in actions]
        relevant = where(action is not None for action in padded)
        identity = tuple(range(degree))
        found: dict[int | Permutation, Formula] = {}
        for action in dict.fromkeys(padded):
            if action is not None and action != identity:
                on = where(one == action for one in padded)
                found[action] = self._found(self._smallest(on, relevant & ~on))
        events = {action: formula for action, formula in found.items() if isinstance(action, tuple)}
        resets = {action: formula for action, formula in found.items() if isinstance(action, int)}
        group = generated(events, degree)
        if not is_solvable(group):
            raise NotSolvable(f"{self._what}: words permute {degree} sets of states as a group of order {len(group)}")
        self.groups.append((len(group), moduli(group)))
        so_far = products(group, events, self._tidy)
        tiles = _tiles(cell.first, so_far, resets, degree)
        return [disjunction_of(tiles[tile] for tile in range(degree) if cell.codes[tile][bit])
                for bit in range(cell.width)]

    # -- formulas of rows ----------------------------------------------------------------------------------------------

    def _smallest(self, on: int, off: int) -> Formula | None:
        """Return a formula of letter and bits so far that holds on the rows ``on`` and fails on ``off``."""
        here = [2 * bit for bit in range(len(self._bits))]
        before = [2 * bit + 1 for bit in range(len(self._bits))]
        best: Formula | None = None
        for variables in (here, before, here + before):
            terms, others = self._table.cover(on, off, variables), self._table.cover(off, on, variables)
            best = self._smaller(best, None if terms is None else self._disjunction(terms))
            best = self._smaller(best, None if others is None else negation(self._disjunction(others)))
        return best

    def _disjunction(self, terms: Sequence[CoverTerm]) -> Formula:
        return disjunction_of(conjunction_of([self._letters(term.letters), *map(self._literal, term.literals)])
                              for term in terms)

    def _letters(self, letters: frozenset[int]) -> Formula:
        """Return the formula that holds if the letter is one of these; each position has one letter."""
        others = [symbol for letter, symbol in enumerate(self._symbols) if letter not in letters]
        if len(others) < len(letters):
            return negation(disjunction_of(others))
        return disjunction_of(self._symbols[letter] for letter in sorted(letters))

    def _tidy(self, formula: Formula) -> Formula:
        """Return an equivalent formula; formulas over symbols in their shortest form."""
        if not is_symbolic(formula):
            return formula
        return self._letters(frozenset(letter for letter, symbol in enumerate(self._symbols)
                                       if satisfies(formula, [symbol.symbol], 1)))

    def _literal(self, literal: tuple[int, int]) -> Formula:
        place, value = literal
        formula = self._bits[place // 2]
        formula = before(formula) if place % 2 else formula
        return formula if value else negation(formula)

    def _smaller(self, one: Formula | None, other: Formula | None) -> Formula | None:
        """Return the formula that adds fewer nodes to the existing ones."""
        if one is None or other is None:
            return one if other is None else other
        return other if self._size(other) < self._size(one) else one

    def _size(self, formula: Formula) -> int:
        return sum(part not in self._known for part in subformulas(formula))

    def _found(self, formula: Formula | None) -> Formula:
        if formula is None:
            raise InternalError("a cell of a cascade reads more than the cells before it")
        return formula


def _values_of(row: CascadeStep, cells: Sequence[Cell]) -> list[Value]:
    """Return, for each bit, its value here and its value before."""
    found: list[Value] = []
    for cell in cells:
        before = (0,) * cell.width if row.before is None else cell.code(row.before)
        found += [value for pair in zip(cell.code(row.after), before, strict=True) for value in pair]
    return found


def _tiles(first: int, so_far: Mapping[Permutation, Formula], resets: Mapping[int, Formula],
           degree: int) -> list[Formula]:
    """Return, for each tile, the formula that it is current: the tile of the last reset, moved by the product since.

    Before any reset it is the first tile. The stored tile is the one that the product so far maps to the reset's tile.
    """
    reset = disjunction_of(resets.values())
    origins = []
    for origin in range(degree):
        set_to = disjunction_of(
            conjunction(formula, disjunction_of(now for element, now in so_far.items() if element[origin] == tile))
            for tile, formula in resets.items())
        origins.append(since(disjunction(negation(reset), set_to), set_to))
    origins[first] = negation(disjunction_of(origins[:first] + origins[first + 1 :]))
    if degree == 2:
        swapped = equivalence(so_far[1, 0], origins[first])
        return [negation(swapped), swapped] if first == 0 else [swapped, negation(swapped)]
    return [disjunction_of(conjunction(now, origins[inverse(element)[tile]]) for element, now in so_far.items())
            for tile in range(degree)]
