"""The B-RASP program of a network with one layer of hard heads, each of which attends to one position.

The answer at a query is to depend on its own letter and on the letters that the heads choose: a finite table. A claim
about the hard network states that its answers are those of the program (`program_claim`). docs/background/parts.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from constructions.errors import Unsupported
from constructions.language.semantics import satisfies
from constructions.language.syntax import And, Formula, Not, Symbol
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import RaspProgram
from constructions.rasp.to_formula import program_to_formulas
from constructions.trained.claim import Case, Row, When, WordsClaim
from constructions.trained.hard_patterns import HardHead, is_of_letter
from constructions.trained.head_patterns import SINGLE, HeadPattern
from constructions.trained.network import TrainedNetwork

NONE = "none"
"""The choice of a head whose query is not a letter and that sees no position of its pattern."""
MOST_ENTRIES = 1_000

Choices = tuple[str, ...]
"""The letter of the query, if it is one, and the letters that the heads choose."""


def opposite(row: Row) -> Row:
    """Return the row with the opposite sign."""
    return tuple((token, -c) for token, c in row)


@dataclass(frozen=True)
class HardTable:
    """The choices that may occur, each with the formula of the prefixes where they do; and the rows of the answer.

    ``choosing`` are the definitions of the vectors of the heads' choices, ``sees_itself`` whether queries are letters.
    """

    words: WordsClaim
    choosing: tuple[str, ...]
    sees_itself: bool
    entries: Mapping[Choices, Formula]
    rows: tuple[Row, ...]

    def number(self, row: Row) -> int:
        """Return the number of a row, or of its opposite."""
        return self.rows.index(row if row in self.rows else opposite(row))

    def program(self, answers: Sequence[Mapping[Choices, bool]]) -> RaspProgram:
        """Return the program whose vectors after the choices are these answers."""
        names = [f"answer_{number}" for number in range(1, len(answers) + 1)] if len(answers) > 1 else ["answer"]
        lines = [f"{name}(i) := {self._body(answer)}" for name, answer in zip(names, answers, strict=True)]
        return parse_program("\n".join([*_header(self.words, self.sees_itself), *self.choosing, *lines]))

    def formula(self, answer: Mapping[Choices, bool]) -> Formula:
        """Return the formula of one answer."""
        program = self.program([answer])
        return program_to_formulas(program)[program.output.name]

    def _body(self, answer: Mapping[Choices, bool]) -> str:
        own = {choices[0] for choices in answer} if self.sees_itself else set()
        first, parts = int(self.sees_itself), list[str]()
        for chosen in dict.fromkeys(choices[first:] for choices in answer):
            letters = [choices[0] for choices, truth in answer.items() if choices[first:] == chosen and truth]
            others = [choices for choices, truth in answer.items() if choices[first:] == chosen and not truth]
            tests = [f"c{number}(i) = {quoted(letter)}" for number, letter in enumerate(chosen, 1)]
            if letters and others and own:
                tests.append("(" + " | ".join(f"in(i) = {quoted(letter)}" for letter in letters) + ")")
            parts += [f"({' & '.join(tests)})"] if letters else []
        return " | ".join(parts) or "false"


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
    choosing = tuple(f"c{number}(i) := {_choice(words, one.pattern, sees_itself)}"
                     for number, one in enumerate(ordered, 1))
    rows = dict.fromkeys(row for case in words.cases for row in case.above)
    kept = [row for place, row in enumerate(rows) if opposite(row) not in list(rows)[:place]]
    return HardTable(words, choosing, sees_itself, _entries(words, choosing, sees_itself), tuple(kept))


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


def _header(words: WordsClaim, sees_itself: bool) -> list[str]:
    return ["alphabet " + ", ".join(map(quoted, words.alphabet)), *[f"auxiliary {quoted(NONE)}"] * (not sees_itself)]


def _choice(words: WordsClaim, pattern: HeadPattern, sees_itself: bool) -> str:
    """Return the body of the vector of a head's choices."""
    if pattern.name not in SINGLE or not is_of_letter(pattern.keys):
        raise Unsupported(f"{pattern}: a program is written of heads that attend to one position, by its letter")
    default = "in(i)" if sees_itself else quoted(NONE)
    if pattern.name == "itself":
        return "in(i)"
    if pattern.name == "previous":
        return f"rightmost j [j<i, true] in(j) : {default}"
    letters = [symbol for symbol in words.alphabet if pattern.name == "first" or satisfies(pattern.keys, [symbol], 1)]
    score = " | ".join(f"in(j) = {quoted(symbol)}" for symbol in letters) or "false"
    choice = "rightmost" if pattern.name == "rightmost" else "leftmost"
    return f"{choice} j [j<=i, {'true' if len(letters) == len(words.alphabet) else score}] in(j) : {default}"


def _entries(words: WordsClaim, choosing: Sequence[str], sees_itself: bool) -> dict[Choices, Formula]:
    values = [*words.alphabet, *[NONE] * (not sees_itself)]
    if len(values) ** (len(choosing) + sees_itself) > MOST_ENTRIES:
        raise Unsupported(f"a table of more than {MOST_ENTRIES} entries")
    tests = " & ".join(f"c{number}(i) = {quoted(values[0])}" for number in range(1, len(choosing) + 1))
    known = program_to_formulas(parse_program("\n".join([
        *_header(words, sees_itself), *choosing, f"all(i) := {tests}"])))
    chosen: Iterable[Choices] = product(values, repeat=len(choosing))
    found: dict[Choices, Formula] = {}
    for one in chosen:
        parts = [known.get((f"c{number}", letter)) for number, letter in enumerate(one, 1)]
        formulas = [part for part in parts if part is not None]
        if len(formulas) == len(parts):
            for own in words.alphabet if sees_itself else [None]:
                whole = formulas if own is None else [Symbol(own), *formulas]
                made = whole[0]
                for part in whole[1:]:
                    made = And(made, part)
                found[one if own is None else (own, *one)] = made
    return found


def program_text(program: RaspProgram) -> str:
    """Return the text of a program."""
    return format_program(program)
