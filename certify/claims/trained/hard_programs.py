"""The program of a hardened network: its table, certified on all words, and its answers at every length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from constructions.errors import NoFormula, Unsupported
from constructions.language.syntax import Formula
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.hard_patterns import HardHead, hard_question
from constructions.trained.hard_programs import (
    Choices,
    HardTable,
    choices_claim,
    hard_table,
    opposite,
    program_claim,
    program_text,
)
from constructions.trained.network import TrainedNetwork
from proofs.trained.hardening import HardeningSearch
from proofs.words.tracking import State, track

MOST_STATES = 10_000
"""States of prefixes until it is open whether a program is right at every length."""


@dataclass(frozen=True)
class HardProgram:
    """A program, the formula of each answer, and the decision that the hard network has its answers.

    ``states`` is the number of states of prefixes by which the program's answers are those of the claim at every
    length; 0 if ``wrong`` is a word on which they are not, or both are not decided.
    """

    text: str
    formulas: tuple[Formula, ...]
    decision: Decision
    states: int
    wrong: tuple[str, ...] | None


def find_program(network: TrainedNetwork, words: WordsClaim, hard: Sequence[HardHead], settings: Settings | None = None
                 ) -> HardProgram:
    """Return the program of the network with these hard heads.

    Raises:
        Unsupported: if the answers do not depend on the chosen letters alone, or there is no formula.
    """
    try:
        table = hard_table(network, words, hard)
        answers = find_answers(network, words, hard, table)
        formulas = tuple(map(table.formula, answers))
        program = table.program(answers)
    except NoFormula as reason:
        raise Unsupported(str(reason)) from None
    decision = decide(*hard_question(network, program_claim(table, formulas), hard), settings)
    states, wrong = compare_at_every_length(words, table, formulas)
    return HardProgram(program_text(program), formulas, decision, states, wrong)


def find_answers(network: TrainedNetwork, words: WordsClaim, hard: Sequence[HardHead], table: HardTable
                 ) -> list[Mapping[Choices, bool]]:
    """Return, for each row, whether it is above 0 by choices, in floating point; without choices of no tried word.

    Raises:
        Unsupported: if a row has both signs for the same choices.
    """
    search = HardeningSearch(network, choices_claim(table))
    least = iter(search.least_of_rows({(one.layer, one.head): one.pattern for one in hard}).tolist())
    answers: list[dict[Choices, bool]] = [{} for _ in table.rows]
    for choices in table.entries:
        ends = [(np.inf, np.inf)] * len(table.rows)
        for row in (row for case in words.cases for row in case.above):
            number = table.number(row)
            ends[number] = min(ends[number][0], next(least)), min(ends[number][1], next(least))
        for answer, (above, below) in zip(answers, ends, strict=True):
            if above == np.inf:
                continue
            if not (above > 0 or below > 0):
                raise Unsupported(f"the answer depends on more than the letters {', '.join(choices)}")
            answer[choices] = above > 0
    return list(answers)


def compare_at_every_length(words: WordsClaim, table: HardTable, formulas: Sequence[Formula]
                            ) -> tuple[int, tuple[str, ...] | None]:
    """Return the number of states of prefixes if all have the claim's answers, else 0; and a word that has not."""
    known, number = len(words.cases), {row: place for place, row in enumerate(table.rows)}
    asked = replace(words, cases=(*words.cases, *(Case(When(formula), ()) for formula in formulas)))
    try:
        tracker = track(asked)
    except Unsupported:
        return 0, None
    seen: dict[State, tuple[int, ...]] = {tracker.start: ()}
    waiting = [tracker.start]
    for state in waiting:  # breadth first, while states are appended
        for letter in range(len(words.alphabet)):
            reached = tracker.step(state, letter)
            if reached in seen:
                continue
            seen[reached] = (*seen[state], letter)
            holds = {*tracker.cases(reached)}
            rows = {row for case in holds if case < known for row in words.cases[case].above}
            if not all((known + number[row] in holds) if row in number
                       else (known + number[opposite(row)] not in holds) for row in rows):
                return 0, tuple(words.alphabet[one] for one in seen[reached])
            if len(seen) > MOST_STATES:
                return 0, None
            waiting.append(reached)
    return len(seen), None
