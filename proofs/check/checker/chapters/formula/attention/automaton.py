"""What decides the target of a head, letter by letter; docs/certificate.md, section 5, Attention head, 1 to 3.

The formulas that keys and values read, and the symbols, are *atoms*: a letter says which of them hold at a position.
Letters are free but for what the symbol there decides; that is sound, since every word gives some letters. Of the past
(or of the future, for a past mask) the target's own temporal operators need one remembered truth each: `since` and
`until` their last value, `prev` and `next` the last value of their operand; all are false at the first position read.
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
from ....kernel.numbers import ZERO, Numbers, told_apart, total
from ....kernel.reading.records import LinearForm, Truth
from ....kernel.verdicts import quote, require
from ..proof import ProofContext

MAX_ATOMS = 8  # 256 letters at each position
MAX_MEMORY = 6  # temporal operators of the target: 64 states

AutomatonState = int
"""The remembered truths, a bit for each temporal operator."""


class Move(NamedTuple):
    """From one state by one letter: the next state, and whether the target holds here."""

    state: AutomatonState
    following: AutomatonState
    holds: bool


class LetterEffect(NamedTuple):
    """What a letter adds to each key and to the value, and the move from every state."""

    adds: Numbers
    moves: tuple[Move, ...]


@dataclass(frozen=True, eq=False)
class Letters:
    """All that a position may hold. A proof has one object for equal ones, which as a key stands for itself."""

    all: tuple[LetterEffect, ...]

    def __iter__(self) -> Iterator[LetterEffect]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)


class ReadPosition(NamedTuple):
    """A position that is read: keys and value as far as they are known, and its letters."""

    known: Numbers
    letters: Letters


Pair = tuple[Numbers, Numbers]
"""What is known, and what a letter adds."""


class TargetAutomaton:
    """The automaton of a target over the letters of what the forms (keys, then the value) read.

    Taken *apart*, no connective is an atom, unless it is built from symbols.
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
        """For each formula whose truth is read, what it adds to each form where it holds."""
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
        """Rule 1: the atoms, the formulas over them that must be evaluated, and the operators that remember."""
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
        """Rule 2: the truths of the atoms that some symbol allows."""
        of_symbols = [place for place in atoms if self._language.is_of_symbols(place)]
        allowed = self._proof.symbols.allowed(of_symbols)
        for bits in product((False, True), repeat=len(atoms)):
            choice = dict(zip(atoms, bits, strict=True))
            if tuple(choice[place] for place in of_symbols) in allowed:
                yield choice

    def letters_where(self, truths: tuple[bool, ...]) -> Letters:
        """The letters of a position at which the positional formulas have these truths, and nothing else matters."""
        if truths not in self._letters:
            found = self._find_letters(dict(zip(self.positional, truths, strict=True)))
            self._letters[truths] = self._proof.letters.setdefault(found, Letters(found))
        return self._letters[truths]

    def _find_letters(self, settled: Mapping[Place, bool]) -> tuple[LetterEffect, ...]:
        """All letters, each once; those that differ in nothing that matters are one."""
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
        """Rule 3: one step of the automaton, where these atoms hold."""
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
    """The different known values and letters that the positions of a length have, and for each position which."""
    columns = [proof.columns.truths(place, n) for place in automaton.positional]
    values = proof.known_forms(automaton.known[-1:], n)[0] if automaton.known[-1] else repeat(ZERO, n)
    proof.budget.spend(1 + n)
    places: dict[object, int] = {}
    found: list[tuple[Any, ...]] = []
    kinds = []
    for row in zip(values, *columns, strict=True):
        kinds.append(places.setdefault(told_apart(proof.budget, row), len(found)))
        if kinds[-1] == len(found):
            found.append(row)
    return [(value, automaton.letters_where(tuple(truths))) for value, *truths in found], kinds
