"""Words on which a head that attends to truths certainly errs, from its sweeps."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.positional import symbolic_truth
from constructions.language.syntax import is_symbolic, subformulas
from proofs.formula.attention.around_pivots import find_worst_around_pivot
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.second_words import find_word
from proofs.formula.attention.windows import AllWindows
from proofs.formula.attention.worst_case import WeighedSweep, find_violations, find_worst_input, weigh
from proofs.formula.common.letters import realizable
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import Sweep
from proofs.formula.common.targets import Target
from proofs.formula.discharge import Line
from proofs.formula.failures import Undecided
from proofs.formula.refutation.budget import WorkBudget
from proofs.formula.refutation.plain_words import Word
from proofs.formula.z3.solver import Resources
from proofs.words.replay import REPLAY_BITS

SOLVER_RESOURCES = 4_000_000
"""The limit of one question to Z3 in its steps (rlimit): about 4 seconds."""
RESOURCES_PER_UNIT = 25
"""Steps of Z3 in the time of a unit of work."""
OPTIONS_PER_UNIT = 4
"""Options of a sweep that are processed in the time of a unit of work."""


@dataclass(frozen=True)
class Violation:
    """An input on which the error at row i is too large, as the option chosen at each step up to that row.

    Without ``choices``, it is the path with the least sum of costs.
    """

    i: int
    truth: bool
    weighed: WeighedSweep
    target: Target
    choices: tuple[int, ...] | None = None


def words_breaking_heads(alphabet: Sequence[str], beyond: int, lines: Iterable[Line], bound: Fraction,
                         budget: WorkBudget, bits: int = REPLAY_BITS) -> Iterator[Word]:
    """Yield words longer than ``beyond`` on which a failing head certainly errs by more than ``bound``, shortest first.

    Weights are enclosed with a precision of ``bits``.
    """
    failing = [(group.n, group, line.obligation) for line in lines
               if isinstance(line.obligation, AttentionObligation) and not line.proved
               for group in line.obligation.reading.all_groups() if group.n > beyond]
    failing.sort(key=lambda each: each[0])
    windows = {id(obligation): AllWindows(obligation) for _, _, obligation in failing}
    for n, each in itertools.groupby(failing, key=lambda each: each[0]):
        violations = list[Violation]()
        for _, group, obligation in each:
            sweep = obligation.reading.sweep(group)
            if not budget.spend(_weighing_work(sweep)):
                return
            violations += _violations(obligation, group, sweep, windows[id(obligation)], bound, bits)
        for found in sorted(violations, key=lambda found: (found.i, found.truth)):
            if not budget.spend(n):
                return
            word = read_input(found, alphabet, bound) or _ask_solver(found, alphabet, bound, budget)
            if word is not None:
                assert len(word) == n
                yield word


def _violations(obligation: AttentionObligation, group: RowGroup, sweep: Sweep, windows: AllWindows,
                bound: Fraction, bits: int) -> list[Violation]:
    """Find inputs of one sweep that certainly err by more than the bound."""
    target = obligation.target
    if obligation.head.weighting.is_softmax:
        return [Violation(i, truth, weighed, target)
                for _, i, truth, weighed in find_violations([weigh(sweep, bits)], bound)]
    found = [(truth, find_worst_around_pivot(obligation, group, sweep, windows, truth, bits))
             for truth in (False, True)]
    return [Violation(worst.i, truth, WeighedSweep(sweep, ()), target, worst.choices)
            for truth, worst in found if worst and worst.error.lower > bound]


def _weighing_work(sweep: Sweep) -> int:
    return sum(len(step.options) for step in sweep.steps) // OPTIONS_PER_UNIT


def read_input(found: Violation, alphabet: Sequence[str], bound: Fraction) -> Word | None:
    """Return the input as a word, if symbols decide all atoms; else None."""
    target, sweep = found.target, found.weighed.sweep
    if not all(is_symbolic(atom) for atom in target.atoms):
        return None
    letters = realizable(target.atoms, alphabet)
    by_letter = {letters.index(tuple(symbolic_truth(atom, symbol) for atom in target.atoms)): symbol
                 for symbol in reversed(alphabet)}
    word = dict.fromkeys(range(1, sweep.n + 1), alphabet[0])
    choices = found.choices or find_worst_input(found.weighed, found.truth, bound, found.i)
    for step, choice in zip(sweep.steps, choices, strict=False):
        word[step.j] = next(symbol for letter, symbol in by_letter.items() if step.choices[letter] == choice)
    return tuple(word.values())


def _ask_solver(found: Violation, alphabet: Sequence[str], bound: Fraction, budget: WorkBudget) -> Word | None:
    """Find a word by Z3; None if none exists, Z3 gives up, or the error is not a sum over letters."""
    weighed, target = found.weighed, found.target
    if found.choices is not None:
        return None
    if not budget.spend(weighed.sweep.n * len(subformulas(target.formula))):  # to write the question
        return None
    limit = min(SOLVER_RESOURCES, budget.left * RESOURCES_PER_UNIT)
    resources = Resources(limit)
    try:
        return find_word(target, alphabet, weighed, found.i, found.truth, bound, resources)
    except Undecided:
        return None
    finally:
        budget.charge(resources.used // RESOURCES_PER_UNIT)
