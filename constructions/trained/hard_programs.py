"""The program of a network with one layer of hard heads: B-RASP, or with counts S-RASP and C-RASP.

The answer at a query is to depend on its own letter, on the letters that heads of one position choose, and, where heads
average over all positions with some letters, on comparisons of the counts of these letters. A claim about the hard
network states that its answers are those of the program (`program_claim`). docs/background/parts.md.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from constructions.crasp.printer import format_counting_program
from constructions.errors import Unsupported
from constructions.language.semantics import satisfies
from constructions.language.syntax import TRUE, And, Formula, Not, Symbol
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import RaspProgram
from constructions.rasp.to_formula import program_to_formulas
from constructions.trained.claim import Case, Row, When, WordsClaim
from constructions.trained.hard_patterns import HardHead, is_of_letter
from constructions.trained.head_patterns import OF_KEYS, SINGLE, HeadPattern
from constructions.trained.network import TrainedNetwork

NONE = "none"
"""The choice of a head that sees no position of its pattern."""
SOME = "some"
"""The choice of a head that averages over some letters, if it sees one of them, else ``NONE``."""
AVERAGED = ("letters", "all")
"""The patterns of averaging heads."""
MOST_ENTRIES = 1_000

Choices = tuple[str, ...]
"""The letter of the query, if it is one, and the letters that the heads choose."""


@dataclass(frozen=True)
class CountTest:
    """The comparison Σ coefficient · count ≥ 0, or > 0 if it is ``strict``, of the counts of ``counted`` letters."""

    coefficients: tuple[int, ...]
    strict: bool


Answer = bool | CountTest


def opposite(row: Row) -> Row:
    """Return the row with the opposite sign."""
    return tuple((token, -c) for token, c in row)


class Choice(NamedTuple):
    """The vector of a head's choices: its name, its body, and the values that it may have."""

    name: str
    body: str
    values: tuple[str, ...]

    @property
    def line(self) -> str:
        """The definition."""
        return f"{self.name}(i) := {self.body}"


@dataclass(frozen=True)
class HardTable:
    """The choices that may occur, each with the formula of the prefixes where they do; and the rows of the answer.

    ``choosing`` are the definitions of the vectors of the heads' choices, ``sees_itself`` whether queries are letters,
    ``counted`` the letters over which heads average.
    """

    words: WordsClaim
    choosing: tuple[Choice, ...]
    counted: tuple[str, ...]
    sees_itself: bool
    entries: Mapping[Choices, Formula]
    rows: tuple[Row, ...]

    def number(self, row: Row) -> int:
        """Return the number of a row, or of its opposite."""
        return self.rows.index(row if row in self.rows else opposite(row))

    def program(self, answers: Sequence[Mapping[Choices, Answer]]) -> RaspProgram:
        """Return the program whose vectors after the choices are these answers."""
        lines = [f"{name}(i) := {self._body(answer)}" for name, answer in zip(names_of(answers), answers, strict=True)]
        counts = [f"n{number}(i) := psum j [j<=i] 1 if in(j) = {quoted(letter)} else 0"
                  for number, letter in enumerate(self.counted, 1)]
        return parse_program("\n".join([*_header(self.words, self.choosing), *(one.line for one in self.choosing),
                                        *counts, *lines]))

    def text(self, answers: Sequence[Mapping[Choices, Answer]], formulas: Sequence[Formula]) -> str:
        """Return the text of the program: C-RASP, if there are counts and it has all else."""
        return self.counting_text(formulas) or format_program(self.program(answers))

    def counting_text(self, formulas: Sequence[Formula]) -> str:
        """Return the text in C-RASP; empty if there are no counts, or it lacks something."""
        with suppress(Unsupported):
            return format_counting_program(dict(zip(names_of(formulas), formulas, strict=True)),
                                           self.words.alphabet) * bool(self.counted)
        return ""

    def formula(self, answer: Mapping[Choices, Answer]) -> Formula:
        """Return the formula of one answer."""
        program = self.program([answer])
        return program_to_formulas(program)[program.output.name]

    def _body(self, answer: Mapping[Choices, Answer]) -> str:
        own = {choices[0] for choices in answer} if self.sees_itself else set()
        first, parts = int(self.sees_itself), list[str]()
        for chosen in dict.fromkeys(choices[first:] for choices in answer):
            here = {choices: found for choices, found in answer.items() if choices[first:] == chosen}
            for found in dict.fromkeys(here.values()):
                letters = [choices[0] for choices, one in here.items() if one == found]
                tests = [f"{choice.name}(i) = {quoted(letter)}"
                         for choice, letter in zip(self.choosing, chosen, strict=True)]
                if own and len(letters) < len(here):
                    tests.append("(" + " | ".join(f"in(i) = {quoted(letter)}" for letter in letters) + ")")
                if isinstance(found, CountTest):
                    tests.append(_comparison(found))
                parts += [f"({' & '.join(tests) or 'true'})"] if found is not False else []
        return " | ".join(parts) or "false"


def names_of(answers: Sequence[object]) -> list[str]:
    """Return the names of the vectors of answers."""
    return [f"answer_{number}" for number in range(1, len(answers) + 1)] if len(answers) > 1 else ["answer"]


def _comparison(test: CountTest) -> str:
    sides = [" + ".join(f"n{number}(i)" for number, c in enumerate(test.coefficients, 1) for _ in range(sign * c))
             or "0" for sign in (1, -1)]
    return f"{sides[0]} {'>' if test.strict else '>='} {sides[1]}"


def hard_table(network: TrainedNetwork, words: WordsClaim, hard: Sequence[HardHead]) -> HardTable:
    """Return the table of a network with these hard heads, for the rows of the claim.

    Raises:
        Unsupported: if a head is soft, there is another layer, or a head attends to several positions.
    """
    heads = [len(step.heads) for step in network.attention_steps]
    if len(heads) != 1 or len(hard) < heads[0]:
        raise Unsupported("a program is written of one layer, all of whose heads are hard")
    sees_itself = not (words.read == "last" and words.after)
    ordered = sorted(hard, key=lambda one: one.head)
    choosing = tuple(choice for number, one in enumerate(ordered, 1)
                     if (choice := _choice(f"c{number}", words, one.pattern, sees_itself)))
    averaged = {letter for one in ordered if one.pattern.name in AVERAGED for letter in _letters(words, one.pattern)}
    counted = tuple(letter for letter in words.alphabet if letter in averaged)
    return HardTable(words, choosing, counted, sees_itself, _entries(words, choosing, sees_itself),
                     canonical_rows(words))


def canonical_rows(words: WordsClaim) -> tuple[Row, ...]:
    """Return the rows of a claim, each once, without opposites of earlier ones."""
    rows = list(dict.fromkeys(row for case in words.cases for row in case.above))
    return tuple(row for place, row in enumerate(rows) if opposite(row) not in rows[:place])


def program_claim(table: HardTable, formulas: Sequence[Formula]) -> WordsClaim:
    """Return the claim that the network's answers are the program's: each judged row is above 0 iff its formula holds.

    Judged are the places where the claim of the table's words judges the row or its opposite.
    """
    cases: dict[Case, None] = {}
    for case in table.words.cases:
        for number in map(table.number, case.above):
            row, formula = table.rows[number], formulas[number]
            cases[Case(both(case.when, formula), (row,))] = None
            cases[Case(both(case.when, Not(formula)), (opposite(row),))] = None
    return replace(table.words, cases=tuple(cases), empty=False, margin=Fraction(0))


def choices_claim(table: HardTable) -> WordsClaim:
    """Return the claim whose cases are the choices at places where rows are judged, with these rows and opposites."""
    return replace(table.words, empty=False, margin=Fraction(0), cases=tuple(
        Case(both(case.when, formula), tuple(one for row in case.above for one in (
            table.rows[table.number(row)], opposite(table.rows[table.number(row)]))))
        for formula in table.entries.values() for case in table.words.cases))


def both(when: When, formula: Formula) -> When:
    """Return the condition that also the formula holds."""
    return When(formula if when.formula is None else And(when.formula, formula), when.states)


def quoted(symbol: str) -> str:
    """Return a symbol as programs write it."""
    return "'" + symbol.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _header(words: WordsClaim, choosing: Sequence[Choice]) -> list[str]:
    others = dict.fromkeys(value for one in choosing for value in one.values if value not in words.alphabet)
    return ["alphabet " + ", ".join(map(quoted, words.alphabet)),
            *["auxiliary " + ", ".join(map(quoted, others))] * bool(others)]


def _letters(words: WordsClaim, pattern: HeadPattern) -> list[str]:
    """Return the letters at which a pattern may be."""
    return [symbol for symbol in words.alphabet if pattern.name not in OF_KEYS or satisfies(pattern.keys, [symbol], 1)]


def _choice(name: str, words: WordsClaim, pattern: HeadPattern, sees_itself: bool) -> Choice | None:
    """Return the vector of a head's choices; None if it averages over all letters."""
    if pattern.name not in (*SINGLE, *AVERAGED) or not is_of_letter(pattern.keys):
        raise Unsupported(f"{pattern}: a program is written of heads that attend to one position, by its letter, or to "
                          "all positions with some letters")
    letters = _letters(words, pattern)
    score = " | ".join(f"in(j) = {quoted(symbol)}" for symbol in letters) or "false"
    score = "true" if len(letters) == len(words.alphabet) else score
    if pattern.name in AVERAGED:
        return None if score == "true" and sees_itself else Choice(
            name, f"leftmost j [j<=i, {score}] {quoted(SOME)} : {quoted(NONE)}", (SOME, NONE))
    if pattern.name == "itself":
        return Choice(name, "in(i)", words.alphabet)
    choice = "leftmost" if pattern.name in ("first", "leftmost") else "rightmost"
    mask, values = "j<i" if pattern.name == "previous" else "j<=i", (*words.alphabet, NONE)
    return Choice(name, f"{choice} j [{mask}, {score}] in(j) : {quoted(NONE)}", values)


def _entries(words: WordsClaim, choosing: Sequence[Choice], sees_itself: bool) -> dict[Choices, Formula]:
    if prod(len(one.values) for one in choosing) * len(words.alphabet) > MOST_ENTRIES:
        raise Unsupported(f"a table of more than {MOST_ENTRIES} entries")
    tests = " & ".join(f"{one.name}(i) = {quoted(one.values[0])}" for one in choosing) or "true"
    known = program_to_formulas(parse_program("\n".join([
        *_header(words, choosing), *(one.line for one in choosing), f"all(i) := {tests}"])))
    found: dict[Choices, Formula] = {}
    for chosen in product(*(one.values for one in choosing)):
        parts = [known.get((one.name, letter)) for one, letter in zip(choosing, chosen, strict=True)]
        formulas = [part for part in parts if part is not None]
        if len(formulas) == len(parts):
            for own in words.alphabet if sees_itself else [None]:
                whole = [*formulas] if own is None else [Symbol(own), *formulas]
                made = whole[0] if whole else TRUE
                for part in whole[1:]:
                    made = And(made, part)
                found[chosen if own is None else (own, *chosen)] = made
    return found
