"""The symbolic automaton that decides the target of a head; docs/background/obligations.md, Attention head, 1 to 3.

The formulas that keys and values read, and the symbols, are *atoms*: a letter is the set of atoms that hold at a
position. Letters are free except for atoms that the symbol decides; that is sound, since every word gives some letters.
For the past (or the future, with a past mask) each of the target's own temporal operators needs one remembered truth:
`since` and `until` their last value, `prev` and `next` the last value of their operand; all are false at the first
position read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product, repeat
from typing import Any, NamedTuple

from ....kernel.budget import ENTRY_BITS
from ....kernel.language import Place
from ....kernel.language.table import FUTURE, PAST, TEMPORAL
from ....kernel.language.truths import connect_one, remembered, temporal_truth
from ....kernel.numbers import ZERO, Numbers, text_key, total
from ....kernel.reading.records import LinearForm, Truth
from ....kernel.verdicts import quote, require
from ..proof import ProofContext

MAX_ATOMS = 8  # 256 letters at each position
MAX_MEMORY = 6  # temporal operators of the target: 64 states

AutomatonState = int
"""The remembered truths, a bit for each temporal operator."""


class Move(NamedTuple):
    """A transition by one letter: the state, the next state, and whether the target holds here."""

    state: AutomatonState
    following: AutomatonState
    holds: bool


class LetterEffect(NamedTuple):
    """The contribution of a letter to each key and to the value, and its move from every state."""

    adds: Numbers
    moves: tuple[Move, ...]


@dataclass(frozen=True, eq=False)
class Letters:
    """The possible letters of a position. A proof has one object for equal ones; compared and hashed by identity."""

    all: tuple[LetterEffect, ...]

    def __iter__(self) -> Iterator[LetterEffect]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)


class ReadPosition(NamedTuple):
    """A visible position: the known parts of its keys and its value, and its letters."""

    known: Numbers
    letters: Letters


Pair = tuple[Numbers, Numbers]
"""The known part of keys and value, and the contribution of a letter."""


class TargetAutomaton:
    """The automaton of a target over the letters of what the forms (keys, then the value) read.

    With ``apart``, no connective is an atom, unless it is built from symbols.
    """

    def __init__(self, proof: ProofContext, target: Place, forms: Sequence[LinearForm], mask: str,
                 apart: bool = False) -> None:
        self._apart = apart
        self._proof, self._language, self._target = proof, proof.language, target
        self.known: list[LinearForm] = [
            {name: x for name, x in form.items() if proof.is_known(proof.directions[name])} for form in forms]
        self._adds = self._find_adds(forms)
        self._find_atoms(mask)
        self.positional = [place for place in dict.fromkeys([*self._own, *self._read])
                           if proof.language.is_positional(place)]
        self._letters: dict[tuple[bool, ...], Letters] = {}

    def _find_adds(self, forms: Sequence[LinearForm]) -> dict[Place, Numbers]:
        """Return, for each formula whose truth is read, its contribution to each form where it holds."""
        adds: dict[Place, Numbers] = {}
        for name in dict.fromkeys(name for form in forms for name in form):
            meaning = self._proof.directions[name]
            if self._proof.is_known(meaning):
                continue
            require(isinstance(meaning, Truth), "keys and values read known and truth directions only, not {}",
                    quote(name))
            if isinstance(meaning, Truth):
                more = tuple(form.get(name, ZERO) for form in forms)
                before = adds.get(meaning.formula, (ZERO,) * len(forms))
                adds[meaning.formula] = tuple(a + b for a, b in zip(before, more, strict=True))
        return adds

    def _find_atoms(self, mask: str) -> None:
        """Find the atoms, the formulas over them to evaluate, and the operators that remember (rule 1)."""
        language, nodes = self._language, self._language.nodes
        read_parts = {*language.below(self._adds, lambda place: not language.is_connective(place))}

        def is_atom(place: Place) -> bool:
            is_candidate = nodes[place].operator == "Q" or place in read_parts
            if self._apart and language.is_connective(place) and not language.is_of_symbols(place):
                return False
            return is_candidate and place != self._target and not language.is_positional(place)

        self._own = sorted(language.below(
            [self._target], lambda place: is_atom(place) or language.is_positional(place)))
        entered = [place for place in self._own if not is_atom(place) and not language.is_positional(place)]
        for place in entered:
            decided = language.is_connective(place) or nodes[place].operator in (PAST if mask == "future" else FUTURE)
            require(decided, "{} is neither read nor decided by this mask", language.write_short(place))
        self._temporal = [place for place in entered if nodes[place].operator in TEMPORAL]
        require(self._temporal, "the target has no temporal operator of its own")
        atoms = {place for place in self._own if is_atom(place)}
        self._read = sorted(language.below(
            self._adds, lambda place: place in atoms or not language.is_connective(place)))
        atoms |= {place for place in self._read
                  if not language.is_positional(place) and not language.is_connective(place)}
        self.has_wholes = any(language.is_connective(place) and not language.is_of_symbols(place) for place in atoms)
        require(len(atoms) <= MAX_ATOMS, "{} atoms, expected at most {}", len(atoms), MAX_ATOMS)
        require(len(self._temporal) <= MAX_MEMORY, "more than {} temporal operators that are not read", MAX_MEMORY)
        self._choices = list(self._find_choices(sorted(atoms)))

    def _find_choices(self, atoms: Sequence[Place]) -> Iterator[dict[Place, bool]]:
        """Yield the truths of the atoms that some symbol allows (rule 2)."""
        of_symbols = [place for place in atoms if self._language.is_of_symbols(place)]
        allowed = self._proof.symbols.allowed(of_symbols)
        for bits in product((False, True), repeat=len(atoms)):
            choice = dict(zip(atoms, bits, strict=True))
            if tuple(choice[place] for place in of_symbols) in allowed:
                yield choice

    def letters_where(self, truths: tuple[bool, ...]) -> Letters:
        """Return the letters of a position at which the positional formulas have these truths."""
        if truths not in self._letters:
            found = self._find_letters(dict(zip(self.positional, truths, strict=True)))
            self._letters[truths] = self._proof.letters.setdefault(found, Letters(found))
        return self._letters[truths]

    def _find_letters(self, settled: Mapping[Place, bool]) -> tuple[LetterEffect, ...]:
        """Return all letters, each once; letters with equal contributions and moves are one."""
        found: dict[LetterEffect, None] = {}
        for choice in self._choices:
            truths = self._language.connect(self._read, {**settled, **choice})
            added = [self._adds[place] for place in self._adds if truths[place]]
            columns = zip([ZERO] * len(self.known), *added, strict=True)
            adds = tuple(total(self._proof.budget, column) for column in columns)
            truths.pop(self._target, None)  # it is free where it is read, and decided here
            letter = LetterEffect(adds, tuple(self._move(truths, state) for state in range(1 << len(self._temporal))))
            found[letter] = None
        self._proof.budget.hold(ENTRY_BITS * sum(1 + len(letter.moves) // 2 for letter in found))
        return tuple(sorted(found))  # in one order, so that equal heads of different formulas are recognised

    def _move(self, truths: Mapping[Place, bool], state: AutomatonState) -> Move:
        """Return the transition from a state where these atoms hold (rule 3)."""
        self._proof.budget.spend(2 + len(self._own))
        now = dict(truths)
        last = {place: bool(state >> bit & 1) for bit, place in enumerate(self._temporal)}
        for place in self._own:
            if place not in now:
                now[place] = (temporal_truth(self._language.nodes[place], now, last[place]) if place in last
                              else connect_one(self._language, place, now))
        following = sum(remembered(self._language.nodes[place], place, now) << bit
                        for bit, place in enumerate(self._temporal))
        return Move(state, following, now[self._target])


def read_letters(proof: ProofContext, automaton: TargetAutomaton, n: int) -> tuple[list[tuple[Fraction, Letters]],
                                                                                   Sequence[int]]:
    """Return the different (known value, letters) of the positions of a length, and the index of each position."""
    columns = [proof.columns.truths(place, n) for place in automaton.positional]
    values = proof.known_forms(automaton.known[-1:], n)[0] if automaton.known[-1] else repeat(ZERO, n)
    proof.budget.spend(1 + n)
    places: dict[object, int] = {}
    found: list[tuple[Any, ...]] = []
    kinds = []
    for row in zip(values, *columns, strict=True):
        kinds.append(places.setdefault(text_key(proof.budget, row), len(found)))
        if kinds[-1] == len(found):
            found.append(row)
    return [(value, automaton.letters_where(tuple(truths))) for value, *truths in found], kinds
