"""The program of a hardened network: its table, certified on all words, and its answers at every length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from constructions.errors import NoFormula, Unsupported
from constructions.language import syntax
from constructions.language.syntax import And, Formula, Not, Symbol
from constructions.trained.claim import Case, When, WordsClaim, judged
from constructions.trained.hard_patterns import HardHead, any_of, hard_question, unmarked
from constructions.trained.hard_programs import (
    Answer,
    Choices,
    CountTest,
    HardTable,
    choices_claim,
    hard_table,
    opposite,
    program_claim,
)
from constructions.trained.network import TrainedNetwork
from proofs.trained.hardening import HardeningSearch
from proofs.words.tracking import State, track

ROUNDS = 6
"""Searches for comparisons of counts; each has the wrong word of the program before."""
MOST_STATES = 10_000
"""States of prefixes until it is open whether a program is right at every length."""
MOST_COEFFICIENT, MOST_COMPARISONS = 12, 20_000
"""Coefficients of comparisons that are tried, and how many comparisons."""
MOST_ATOMS = 6
"""Comparisons of counts whose truths are free."""
Points = NDArray[np.integer]


class Threshold(NamedTuple):
    """The test that a sum of counts is at least a number, or its negation."""

    combination: tuple[tuple[int, syntax.Count], ...]
    least: int
    is_at_least: bool


@dataclass(frozen=True)
class HardProgram:
    """A program, the formula of each answer, and the decision that the hard network has its answers.

    It is in C-RASP if it ``counts``, else in B-RASP or S-RASP.
    ``states`` is the number of states of prefixes by which the program's answers are those of the claim at every
    length; 0 if ``wrong`` is a word on which they are not, or both are not decided.
    """

    alphabet: tuple[str, ...]
    text: str
    counts: bool
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
        search = HardeningSearch(network, choices_claim(table))
        for _ in range(ROUNDS):
            answers = find_answers(search, words, hard, table)
            formulas = tuple(map(table.formula, answers))
            decision = decide(*hard_question(network, program_claim(table, formulas), hard), settings)
            if decision.wrong is None or not table.counted:
                break
            search.add(unmarked(words, decision.wrong.word))
        text = table.text(answers, formulas)
    except NoFormula as reason:
        raise Unsupported(str(reason)) from None
    states, wrong = compare_at_every_length(words, table, formulas)
    return HardProgram(words.alphabet, text, bool(table.counting_text(formulas)), formulas, decision, states, wrong)


def find_answers(search: HardeningSearch, words: WordsClaim, hard: Sequence[HardHead], table: HardTable
                 ) -> list[Mapping[Choices, Answer]]:
    """Return, for each row, whether it is above 0 by choices, in floating point; without choices of no tried word.

    Raises:
        Unsupported: if a row has both signs for the same choices, and no comparison of counts tells them apart.
    """
    numbers = [table.number(row) for case in words.cases for row in case.above]
    columns = [(number, choices) for choices in table.entries for number in numbers]
    points: dict[tuple[int, Choices], list[Points]] = {}
    for rows, margins in search.margins({(one.layer, one.head): one.pattern for one in hard}):
        letters = np.array([words.letter_index[letter] for letter in table.counted], np.intp)
        counts = np.cumsum(rows[..., np.newaxis] == letters, axis=1)
        counts = counts[:, [place - 1 for place, _ in judged(search.claim, rows.shape[1])]]
        for place, column in enumerate(columns):
            above = margins[..., 2 * place]  # each row is followed by its opposite
            held = above < np.inf
            if held.any():
                points.setdefault(column, []).append(np.unique(np.column_stack(
                    [counts[held], above[held] > 0]), axis=0))
    answers: list[dict[Choices, Answer]] = [{} for _ in table.rows]
    for choices in table.entries:
        for number, answer in enumerate(answers):
            if (number, choices) in points:
                found = fit_answer(np.unique(np.concatenate(points[number, choices]), axis=0))
                if found is None:
                    raise Unsupported("the answer depends on more than the letters " + ", ".join(choices)
                                      + " and one comparison of counts" * bool(table.counted))
                answer[choices] = found
    return list(answers)


def fit_answer(points: Points) -> Answer | None:
    """Return the answer of all points, each of counts and a truth: one truth, or the smallest comparison; or None."""
    counts, truths = points[:, :-1], points[:, -1] > 0
    if truths.all() or not truths.any():
        return bool(truths[0])
    most = next((most for most in range(MOST_COEFFICIENT, 0, -1)
                 if (2 * most + 1) ** counts.shape[1] <= MOST_COMPARISONS), 0)
    tried = sorted(product(range(-most, most + 1), repeat=counts.shape[1]), key=lambda one: sum(map(abs, one)))
    sums = counts @ np.array(tried, np.intp).T
    fits = [(((sums > 0) if strict else (sums >= 0)) == truths[:, np.newaxis]).all(0) for strict in (True, False)]
    found = [(int(one.argmax()), not strict) for strict, one in zip((True, False), fits, strict=True) if one.any()]
    return CountTest(tried[min(found)[0]], not min(found)[1]) if found else None


def compare_at_every_length(words: WordsClaim, table: HardTable, formulas: Sequence[Formula]
                            ) -> tuple[int, tuple[str, ...] | None]:
    """Return the number of states of prefixes if all have the claim's answers, else 0; and a word that has not."""
    asked = replace(words, cases=(*words.cases, *(Case(When(formula), ()) for formula in formulas)))
    freed = free_comparisons(asked)
    if freed is not None and (states := explore(freed, len(words.cases), table)[0]):
        return states, None
    return explore(asked, len(words.cases), table)


def explore(asked: WordsClaim, known: int, table: HardTable) -> tuple[int, tuple[str, ...] | None]:
    """Return the number of states if the cases beyond the ``known`` ones hold as these ask for; and a wrong word."""
    number = {row: place for place, row in enumerate(table.rows)}
    try:
        tracker = track(asked)
    except Unsupported:
        return 0, None
    seen: dict[State, tuple[int, ...]] = {tracker.start: ()}
    waiting = [tracker.start]
    for state in waiting:  # breadth first, while states are appended
        for letter in range(len(asked.alphabet)):
            reached = tracker.step(state, letter)
            if reached in seen:
                continue
            seen[reached] = (*seen[state], letter)
            holds = {*tracker.cases(reached)}
            rows = {row for case in holds if case < known for row in asked.cases[case].above}
            if not all((known + number[row] in holds) if row in number
                       else (known + number[opposite(row)] not in holds) for row in rows):
                return 0, tuple(asked.alphabet[one] for one in seen[reached])
            if len(seen) > MOST_STATES:
                return 0, None
            waiting.append(reached)
    return len(seen), None


def free_comparisons(claim: WordsClaim) -> WordsClaim | None:
    """Return the claim whose letters also have the truth of each comparison of counts, whatever the counts.

    What holds of all words over these letters holds of all words. Truths of one sum are in order: if it is at least 2,
    it is at least 1. None if there are no comparisons, too many, or other numerical tests.
    """
    parts = list(dict.fromkeys(part for formula in claim.formulas for part in syntax.postorder(
        formula, syntax.operands)))
    tests = {part: (threshold(part, 0), threshold(part, 1)) for part in parts if isinstance(part, syntax.Comparison)}
    atoms = list(dict.fromkeys(test[:2] for both in tests.values() for test in both))
    if not tests or len(atoms) > MOST_ATOMS or any(isinstance(part, (
            syntax.Predicate, syntax.PredicateOnCount, syntax.PredicateOnSum)) for part in parts):
        return None
    chosen = [held for bits in product((False, True), repeat=len(atoms))
              for held in [dict(zip(atoms, bits, strict=True))]
              if all(held[one] or not held[other] for one in held for other in held
                     if one[0] == other[0] and one[1] < other[1])
              and all(held[one] == (one[1] <= 0) for one in held if not one[0])]
    names = {(symbol, place): f"{symbol} {place}" for place in range(len(chosen)) for symbol in claim.alphabet}

    def holds(test: Threshold) -> Formula:
        found = [Symbol(name) for (_, place), name in names.items() if chosen[place][test[:2]]]
        made = any_of(found) if found else syntax.FALSE
        return made if test.is_at_least else Not(made)

    built: dict[object, Formula] = {}
    for part in parts:
        if isinstance(part, syntax.Comparison):
            least, beyond = map(holds, tests[part])
            built[part] = {">=": least, ">": beyond, "<": Not(least), "<=": Not(beyond), "==": And(least, Not(beyond)),
                           "!=": Not(And(least, Not(beyond)))}[part.relation]
        elif isinstance(part, Symbol):
            built[part] = any_of([Symbol(names[part.symbol, place]) for place in range(len(chosen))])
        else:
            built[part] = type(part)(*(built.get(one, one) for one in part.fields()))
    automaton = claim.automaton and replace(claim.automaton, steps=tuple(
        tuple(row) * len(chosen) for row in claim.automaton.steps))
    whens = [When(case.when.formula and built[case.when.formula], case.when.states) for case in claim.cases]
    return replace(claim, alphabet=tuple(names.values()), tokens=claim.tokens * len(chosen), automaton=automaton,
                   cases=tuple(replace(case, when=when) for case, when in zip(claim.cases, whens, strict=True)))


def threshold(part: syntax.Comparison, least: int) -> Threshold:
    """Return the test that left - right is at least this."""
    term = syntax.difference(part)
    summands = sorted(term.coefficients, key=lambda pair: str(pair[1].operand))
    factor = gcd(*(number for number, _ in summands)) * (1 if not summands or summands[0][0] > 0 else -1)
    if not factor:
        return Threshold((), int(term.constant < least), True)  # the sum is 0
    combination = tuple((number // factor, count) for number, count in summands)
    if factor > 0:
        return Threshold(combination, -((term.constant - least) // factor), True)
    return Threshold(combination, (term.constant - least) // -factor + 1, False)
