"""Vacuous lengths of a claim: on no word of the length does a case with a row hold where logits are judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ....kernel.kind import entry
from ..describing import VACUOUS, covered
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from .describing import write_runs
from .judge import Judge, dead_states

if TYPE_CHECKING:
    from ...word_semantics.tracker import Tracker, TrackerState


def describe_covered(given: Decision[TrainedClaim, object], coverage: Mapping[str, int], lines: list[str]) -> list[str]:
    """Return the claim, what was covered to accept it, and its vacuous lengths, if there are some."""
    vacuous, lines = find_vacuous_lengths(given), [*lines, *covered(coverage)]
    if len(vacuous) == len(given.claim.widths):
        return [VACUOUS, *lines]
    return lines + entry("vacuous", [] if not vacuous else [
        f"at {len(vacuous)} lengths nothing is judged on any word: {write_runs(vacuous)}"])


def find_vacuous_lengths(given: Decision[TrainedClaim, object]) -> list[int]:
    """Return the vacuous lengths of the claim; at every other length some word has a row to prove."""
    claim, judge = given.claim, Judge(given.network, given.claim)
    if judge.tracker is not None:
        return list(vacuous_by_states(given, judge, judge.tracker))
    return [n for n in range(claim.min_n, claim.max_n + 1)
            if not any(judge.needed(n, cases) for _, cases in judge.words(n, n))]


def vacuous_by_states(given: Decision[TrainedClaim, object], judge: Judge, tracker: Tracker) -> Iterator[int]:
    """Yield the vacuous lengths where prefixes decide which cases hold, by the reachable states of each length."""
    claim, dead, has_rows = given.claim, dead_states(given.claim), False
    states: set[TrackerState] = {tracker.start()}
    for n in range(claim.max_n + 1):
        judge.budget.spend(1 + len(states))
        here = any(judge.rows_of(state.cases) for state in states) and (n > 0 or claim.empty)
        if claim.read == "each":  # a longer word is judged wherever its prefixes are
            has_rows = has_rows or here
            if has_rows:
                return
            here = has_rows
        if n >= claim.min_n and not here:
            yield n
        states = {tracker.step(state, letter, n + 1) for state in states if state.automaton not in dead
                  for letter in range(len(claim.alphabet))}
