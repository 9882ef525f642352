"""Words on which a head that attends to truths certainly errs, made from its sweeps."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from constructions.language.symbolic import symbolic_truth
from constructions.language.syntax import is_symbolic, subformulas
from proofs import by_z3
from proofs.discharge import Line
from proofs.exact.attention import WeighedSweep, find_violations, find_worst_input, weigh
from proofs.obligations.attention import AttentionObligation
from proofs.obligations.letters import realizable
from proofs.obligations.sweeps import Sweep
from proofs.obligations.targets import Target
from proofs.refutation.budget import Budget
from proofs.refutation.plain_words import Word
from proofs.replay import REPLAY_BITS

SOLVER_RESOURCES = 4_000_000
"""What one question to Z3 may take, in Z3's own count of its steps (rlimit): some 4 seconds."""
RESOURCES_PER_UNIT = 25
"""Z3 counts so many steps in the time of a unit of work."""
OPTIONS_PER_UNIT = 4
"""So many options of a sweep are weighed, and followed to its rows, in the time of a unit of work."""


def words_breaking_heads(alphabet: Sequence[str], beyond: int, lines: Iterable[Line], bound: Fraction,
                         budget: Budget) -> Iterator[Word]:
    """Words longer than ``beyond`` on which some failing head certainly errs by more than ``bound``, shortest first."""
    failing = [(sweep, line.obligation.target) for line in lines
               if isinstance(line.obligation, AttentionObligation) and not line.proved
               for sweep in line.obligation.sweeps() if sweep.n > beyond]
    failing.sort(key=lambda pair: pair[0].n)
    for n, pairs in itertools.groupby(failing, key=lambda pair: pair[0].n):
        violations = []
        for sweep, target in pairs:
            if not budget.spend(_weighing_work(sweep)):
                return
            violations += [(i, truth, weighed, target)
                           for _, i, truth, weighed in find_violations([weigh(sweep, REPLAY_BITS)], bound)]
        for i, truth, weighed, target in sorted(violations, key=lambda violation: violation[:2]):
            if not budget.spend(n):
                return
            word = (read_worst_input(target, alphabet, weighed, i, truth, bound)
                    or _ask_solver(target, alphabet, weighed, i, truth, bound, budget))
            if word is not None:
                assert len(word) == n
                yield word


def _weighing_work(sweep: Sweep) -> int:
    return sum(len(step.options) for step in sweep.steps) // OPTIONS_PER_UNIT


def read_worst_input(target: Target, alphabet: Sequence[str], weighed: WeighedSweep, i: int, truth: bool,
                     bound: Fraction) -> Word | None:
    """The input with the worst error at row i as a word, if symbols decide all atoms."""
    if not all(is_symbolic(atom) for atom in target.atoms):
        return None
    letters = realizable(target.atoms, alphabet)
    by_letter = {letters.index(tuple(symbolic_truth(atom, symbol) for atom in target.atoms)): symbol
                 for symbol in reversed(alphabet)}
    word = dict.fromkeys(range(1, weighed.sweep.n + 1), alphabet[0])
    for step, choice in zip(weighed.sweep.steps, find_worst_input(weighed, truth, bound, i), strict=False):
        word[step.j] = next(symbol for letter, symbol in by_letter.items() if step.choices[letter] == choice)
    return tuple(word.values())


def _ask_solver(target: Target, alphabet: Sequence[str], weighed: WeighedSweep, i: int, truth: bool, bound: Fraction,
                budget: Budget) -> Word | None:
    """A word that Z3 finds; None if there is none, or if Z3 gives up."""
    if not budget.spend(weighed.sweep.n * len(subformulas(target.formula))):  # to write the question
        return None
    limit = min(SOLVER_RESOURCES, budget.left * RESOURCES_PER_UNIT)
    resources = by_z3.Resources(limit)
    try:
        return by_z3.find_word(target, alphabet, weighed, i, truth, bound, resources)
    except by_z3.Undecided:
        return None
    finally:
        budget.charge(resources.used // RESOURCES_PER_UNIT)
