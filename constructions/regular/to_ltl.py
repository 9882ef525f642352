"""Regular languages as formulas of past temporal logic with counting modulo numbers.

Claim       The formula holds at a position exactly if the prefix up to it is in the language; so it holds at the last
            position of exactly the nonempty words of the language.
Method      A cascade (component.py, cascade.py) follows the minimal automaton, or quotients of it, in several ways; the
            formula with the fewest subformulas is taken. Its equivalence to the language is decided for all words
            (equivalence.py) before it is returned.
Source      Krohn and Rhodes; Schützenberger, McNaughton and Papert: without groups, no counting is used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constructions.errors import InternalError, Unsupported
from constructions.language.syntax import Formula, subformulas
from constructions.regular.automata import Automaton, RegularLanguage, minimal_language
from constructions.regular.cascade import Cascade, NotSolvable, rows_of
from constructions.regular.cells import cells_of
from constructions.regular.component import Component, period
from constructions.regular.congruences import factors
from constructions.regular.equivalence import defines
from constructions.regular.obstruction import describe_obstruction

MOST_STATES = 200
MOST_WORK = 200_000
FEW_IMAGES = 20_000
LITTLE_WORK = 10_000
"""Steps of a cascade times its bits."""


@dataclass(frozen=True)
class DefinedLanguage:
    """A formula that holds exactly where the prefix is in the language, and data of its construction.

    ``states`` is the number of states of the minimal automaton. ``groups`` are the orders of the groups that are
    followed, each with its moduli of counting.
    """

    formula: Formula
    states: int
    groups: tuple[tuple[int, tuple[int, ...]], ...]
    accepts_empty: bool


def formula_of_language(language: RegularLanguage, alphabet: Sequence[str],
                        what: str = "the language") -> DefinedLanguage:
    """Return a formula that holds where the prefix is in the language.

    >>> from constructions.regular.expression import language_of_regex
    >>> formula_of_language(language_of_regex("(aa)*", "a"), "a")
    DefinedLanguage(formula=parse_formula('!ODD'), states=2, groups=((2, (2,)),), accepts_empty=True)

    Raises:
        Unsupported: if a group of the language is not solvable, or if its automaton or all formulas tried are too
            large.
    """
    small = minimal_language(language)
    if len(small.automaton.steps) > MOST_STATES:
        raise Unsupported(f"{what}: its minimal automaton has {len(small.automaton.steps)} states, expected at most "
                          f"{MOST_STATES}")
    if words := describe_obstruction(small, alphabet, FEW_IMAGES):  # before much work is done in vain
        raise _not_solvable(what, words)
    found = _smallest(small, alphabet, what)
    if not defines(found.formula, small, alphabet, what):
        raise InternalError(f"{what}: its formula defines another language")
    return found


def _smallest(language: RegularLanguage, alphabet: Sequence[str], what: str) -> DefinedLanguage:
    """Return the smallest formula found; after the first one, only ways of little work are tried."""
    found: list[DefinedLanguage] = []
    reasons: list[Unsupported] = []
    for way in _ways(language):
        if way.clock > 1 and any(not one.groups for one in found):
            continue  # the language is star-free, so it needs no counting
        try:
            components = way.components(len(alphabet), what)
            if way.remembers and not all(component.is_chain for component in components):
                continue
            cells = cells_of(components, way.binary, way.remembers)
            most_rows = (LITTLE_WORK if found else MOST_WORK) // (1 + sum(cell.width for cell in cells))
            rows = rows_of(language, components, way.clock, most_rows, what)
            cascade = Cascade(rows, cells, alphabet, what)
        except Unsupported as reason:
            reasons.append(reason)
            continue
        found.append(DefinedLanguage(cascade.accepting(), len(language.automaton.steps),
                                     tuple(dict.fromkeys(cascade.groups)), language.contains(())))
    if not found:
        raise _reason(reasons, language, alphabet, what)
    return min(found, key=lambda one: len(subformulas(one.formula)))


def _reason(reasons: Sequence[Unsupported], language: RegularLanguage, alphabet: Sequence[str],
            what: str) -> Unsupported:
    """Return the reason why no way gives a formula: an unsolvable group, if one was found."""
    for reason in reasons:
        if isinstance(reason, NotSolvable):
            words = describe_obstruction(language, alphabet) or str(reason).removeprefix(f"{what}: ")
            return _not_solvable(what, words)
    return reasons[0]


def _not_solvable(what: str, words: str) -> Unsupported:
    return Unsupported(f"{what}: {words}, which is not solvable: no formula of the past that counts modulo "
                       "numbers defines the language")


@dataclass(frozen=True)
class _Way:
    """A way of construction: automata, strong components as regions or not, kinds of bits (cells.py), clock."""

    parts: tuple[Automaton, ...]
    split: bool
    binary: bool
    remembers: bool
    clock: int

    def components(self, letters: int, what: str) -> list[Component]:
        """Return the followed automata, after the clock, if there is one."""
        found = [Component(part, self.split, self.clock, what) for part in self.parts]
        clock = Component(_cycle(self.clock, letters), False, 1, what)
        return [clock, *found] if self.clock > 1 else found


def _ways(language: RegularLanguage) -> Iterator[_Way]:
    whole = (language.automaton,)
    quotients = tuple(factors(language))
    for split, remembers in ((True, True), (True, False), (False, False)):
        for parts in dict.fromkeys([quotients, whole]):
            for clock in dict.fromkeys([1, period(language.automaton)]):
                for binary in (False, True):
                    yield _Way(parts, split, binary, remembers, clock)


def _cycle(length: int, letters: int) -> Automaton:
    """Return the automaton where every letter is a step around a cycle."""
    return Automaton(0, tuple(((state + 1) % length,) * letters for state in range(length)))
