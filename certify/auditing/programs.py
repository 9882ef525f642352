"""Claims about programs: at every position of every word they compute what an independent oracle says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from certify.auditing.claims import AboutAProgram
from certify.auditing.decide import Decision
from certify.auditing.results import LengthVerdict, Witness
from certify.programs import AnyProgram, read_program, run_any_program
from certify.run_command import RunCommand
from certify.showing.words import show_word
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import Lengths
from constructions.rasp.syntax import Type
from proofs.discharge import Progress
from proofs.enclosures.intervals import point

MAX_WORDS = 200_000
BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
Oracle = Callable[[Sequence[str]], Sequence[bool]]


def dyck(word: Sequence[str]) -> list[bool]:
    """Where the word up to here is balanced, by a stack of what is open.

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


def read_oracle(name: str, program: AnyProgram) -> Oracle:
    """The oracle of this name, or the truth of a formula over the program's alphabet.

    Raises:
        InputError: if it is neither.
    """
    if name in ORACLES:
        return ORACLES[name]
    try:
        formula = parse_formula(name, program.alphabet)
    except InputError as error:
        raise InputError(f"oracle {name!r}: {error}; expected {' or '.join(ORACLES)}, or a formula") from None
    return lambda word: truth_values(formula, word)


def decide_program(about: AboutAProgram, lengths: Lengths, progress: Progress) -> Decision:
    """The verdict at every length, by running every word.

    Raises:
        InputError: if the program or the oracle is wrong, or there are too many words.
    """
    program = read_program(str(about.path))
    if program.output.type is not Type.BOOLEAN:
        raise InputError(f"{about.path}: the output {program.output.name} is no truth, expected a Boolean vector")
    oracle = read_oracle(about.oracle, program)
    words = sum(len(program.alphabet) ** n for n in lengths)
    if words > MAX_WORDS:
        raise InputError(f"lengths {lengths}: {words} words over {len(program.alphabet)} symbols, expected at most "
                         f"{MAX_WORDS}")
    rows = []
    for n in lengths:
        progress(f"{about.path.name}: all words of length {n}")
        rows.append(_decide_length(about, program, oracle, n))
    return Decision(tuple(rows), ())


def _decide_length(about: AboutAProgram, program: AnyProgram, oracle: Oracle, n: int) -> LengthVerdict:
    for word in itertools.product(program.alphabet, repeat=n):
        computed, expected = run_any_program(program, word)[program.output.name], oracle(word)
        for position, (value, truth) in enumerate(zip(computed, expected, strict=True), start=1):
            if bool(value) != truth:
                shown, number, wanted = show_word(word), Fraction(bool(value)), Fraction(truth)
                command = RunCommand(str(about.path)).on(shown)
                return LengthVerdict(n, "refuted", witness=Witness(program.output.name, n, point(number),
                                                         point(wanted), command, shown, position))
    return LengthVerdict(n, "certified", where=f"all {len(program.alphabet) ** n} words")
