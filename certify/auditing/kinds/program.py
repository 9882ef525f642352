"""Claims about programs: at every position of every word they agree with an independent oracle."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePath

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness
from certify.claims.trained.conditions import Conditions
from certify.common.words import show_word, type_word
from certify.requests.programs import AnyProgram, read_program, run_any_program
from certify.requests.run_command import RunCommand
from constructions.errors import InputError
from constructions.language.semantics import truth_values
from constructions.network.lengths import Lengths
from constructions.rasp.syntax import Type
from constructions.regular.automata import RegularLanguage
from proofs.enclosures.intervals import point
from proofs.formula.discharge import Progress

MAX_WORDS = 200_000
BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
Oracle = Callable[[Sequence[str]], Sequence[bool]]


def dyck(word: Sequence[str]) -> list[bool]:
    """Return whether each prefix of the word is balanced, with a stack of open brackets.

    >>> dyck("()["), dyck("(]")
    ([False, True, False], [False, False])
    """
    stack: list[str] | None = []
    balanced = []
    for symbol in word:
        if stack is not None:
            if symbol not in BRACKETS:
                stack.append(symbol)
            elif not stack or stack.pop() != BRACKETS[symbol]:
                stack = None
        balanced.append(stack == [])
    return balanced


ORACLES: dict[str, Oracle] = {"dyck": dyck}


def read_oracle(named: str | Mapping[str, str], folder: Path, alphabet: Sequence[str]) -> Oracle:
    """Return the oracle for the words: a name, a formula, or a table with a formula, regex, dfa or program.

    A regular expression and an automaton accept the prefixes in their language.

    Raises:
        InputError: if it is not one of these, or does not fit the alphabet.
    """
    if isinstance(named, str) and named in ORACLES:
        unknown = next((symbol for symbol in alphabet if symbol not in {*BRACKETS, *BRACKETS.values()}), None)
        if unknown is not None:
            raise InputError(f"oracle {named!r}: symbol {unknown!r} is not a bracket, expected an alphabet of "
                             'brackets, such as alphabet = "()"')
        return ORACLES[named]
    if not isinstance(named, str) and set(named) == {"program"}:
        path = str(folder / named["program"])
        other = read_program(path)
        if sorted(other.alphabet) != sorted(alphabet):
            other = read_program(path, tuple(alphabet))
        if other.output.type is not Type.BOOLEAN or sorted(other.alphabet) != sorted(alphabet):
            raise InputError(f"oracle {named['program']}: expected a program of truths over {', '.join(alphabet)}")
        return lambda word: [bool(value) for value in run_any_program(other, word)[other.output.name]]
    try:
        found = Conditions(tuple(alphabet), {}, folder).formula_or_language("oracle", named)
    except InputError as error:
        shown = repr(named) if isinstance(named, str) else ", ".join(named) or "an empty table"
        raise InputError(f"oracle {shown}: {error}; expected {' or '.join(ORACLES)}, a formula, or a table with regex, "
                         "dfa or program") from None
    if isinstance(found, RegularLanguage):
        return lambda word: _prefixes_in(found, [alphabet.index(symbol) for symbol in word])
    return lambda word: truth_values(found, word)


def _prefixes_in(language: RegularLanguage, letters: Sequence[int]) -> list[bool]:
    """Return whether the prefix up to each position is in the language."""
    state, found = language.automaton.start, []
    for letter in letters:
        state = language.automaton.steps[state][letter]
        found.append(state in language.accepting)
    return found


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: a program, its alphabet (by default its own), and its specification."""
    path, oracle, alphabet = str(entry.file("program")), entry.table.get("oracle", ""), entry.get("alphabet")
    shown = oracle if isinstance(oracle, str) else ", ".join(f"{key} {text}" for key, text in oracle.items())
    name = PurePath(path).name
    return Question(f"{name}{f' over {alphabet}' if alphabet else ''} computes {shown}",
                    lambda lengths, progress: _decide(path, alphabet, oracle, entry.folder, lengths, progress), name)


def _decide(path: str, alphabet: str | None, named: str | Mapping[str, str], folder: Path, lengths: Lengths,
            progress: Progress) -> ClaimAnswer:
    """Return the verdict at every length, by running every word.

    Raises:
        InputError: if the program or the oracle is wrong, or there are too many words.
    """
    program = read_program(path, alphabet)
    if program.output.type is not Type.BOOLEAN:
        raise InputError(f"{path}: the output {program.output.name} is not a truth value, expected a Boolean vector")
    oracle = read_oracle(named, folder, program.alphabet)
    words = sum(len(program.alphabet) ** n for n in lengths)
    if words > MAX_WORDS:
        raise InputError(f"lengths {lengths}: {words} words over {len(program.alphabet)} symbols, expected at most "
                         f"{MAX_WORDS}")
    rows, truths = [], set[bool]()
    for n in lengths:
        progress(f"{PurePath(path).name}: all words of length {n}")
        rows.append(_decide_length(path, program, oracle, n, truths))
    constant = f"the oracle is {str(True in truths).lower()} at every position of every word of these lengths"
    return ClaimAnswer(tuple(rows), note=constant if len(truths) == 1 else "")


def _decide_length(path: str, program: AnyProgram, oracle: Oracle, n: int, truths: set[bool]) -> LengthVerdict:
    """Return the verdict on all words of a length; add the oracle's values to the ``truths``."""
    earlier = None
    for word in itertools.product(program.alphabet, repeat=n):
        earlier = word, run_any_program(program, word, earlier)
        computed, expected = earlier[1][program.output.name], oracle(word)
        truths.update(expected)
        for position, (value, truth) in enumerate(zip(computed, expected, strict=True), start=1):
            if bool(value) != truth:
                shown, number, correct = show_word(word), Fraction(bool(value)), Fraction(truth)
                command = RunCommand(path).on(type_word(word, program.alphabet))
                return LengthVerdict(n, "refuted", witness=Witness(program.output.name, n, point(number),
                                                         point(correct), command, shown, position))
    return LengthVerdict(n, "certified", where=f"all {len(program.alphabet) ** n} words")
