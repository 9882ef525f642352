"""The claim's automaton and its past-only formulas as one deterministic automaton over letters: the *tracker*.

The truth of a past-only formula at i follows from w_1 ... w_i: `since` remembers its last value, `prev` the last
value of its operand (both false before position 1), a comparison of counts the sum that it compares, a predicate of a
count the count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..language import Language, Place
from ..language.evaluation import COMPARE
from ..language.table import PAST
from ..language.truths import connect_one
from ..reading.trained import Case, TrainedClaim
from ..verdicts import require
from .obligations import is_past_only


class State(NamedTuple):
    """What must be known of a word: its automaton's state, truths, sums; and the cases that hold at its last letter."""

    automaton: int
    remembered: tuple[bool, ...]
    sums: tuple[int, ...]
    cases: tuple[int, ...]


def counts_of(language: Language, place: Place) -> tuple[Place, ...]:
    """The counts that a comparison or a predicate of a count is about."""
    operator, operands, _ = language.nodes[place]
    return operands if operator == "T" else language.counts_of(operands[1]) if operator == "on" else ()


class Tracker:
    """The states of words, letter by letter."""

    def __init__(self, language: Language, claim: TrainedClaim) -> None:
        require(all(is_past_only(language, formula) for formula in claim.formulas),
                "classes need formulas that look at the past alone")
        self._language, self._claim = language, claim
        self._order = sorted(language.below(claim.formulas, language.is_positional))
        entered = [place for place in self._order if not language.is_positional(place)]
        self._temporal = [place for place in entered if language.nodes[place].operator in PAST]
        self._summed = [place for place in entered if counts_of(language, place)]
        self._steps: dict[tuple[State, int, int], State] = {}
        self._moves = any({"i", "%"} & language.leaves(place) for place in self._order)

    def start(self) -> State:
        """Of the empty word, at which no formula holds."""
        automaton = self._claim.automaton.start if self._claim.automaton else 0
        return State(automaton, (False,) * len(self._temporal), (0,) * len(self._summed), self._cases(automaton, None))

    def step(self, state: State, letter: int, i: int) -> State:
        """After one letter more, the one at position i."""
        key = (state, letter, i if self._moves else 0)
        if key not in self._steps:
            self._language.budget.spend(4 + 4 * len(self._order))
            self._language.budget.hold(1 << 12)
            self._steps[key] = self._step(state, letter, i)
        return self._steps[key]

    def _step(self, state: State, letter: int, i: int) -> State:
        remembered = dict(zip(self._temporal, state.remembered, strict=True))
        sums = dict(zip(self._summed, state.sums, strict=True))
        now: dict[Place, bool] = {}
        for place in self._order:
            if place in sums:
                sums[place] += self._more(place, now)
            now[place] = self._truth(place, now, remembered, sums, self._claim.alphabet[letter], i)
        automaton = self._claim.automaton.steps[state.automaton][letter] if self._claim.automaton else 0
        kept = tuple(now[place] if self._language.nodes[place].operator == "since"
                     else now[self._language.nodes[place].operands[0]] for place in self._temporal)
        return State(automaton, kept, tuple(sums.values()), self._cases(automaton, now))

    def _more(self, place: Place, now: Mapping[Place, bool]) -> int:
        """What this position adds to the sum of a comparison, or to what a predicate is applied to."""
        operator, operands, _ = self._language.nodes[place]
        _, _, data = self._language.nodes[operands[1] if operator == "on" else place]
        counts = counts_of(self._language, place)
        coefficients = data[2:] if len(data) > 2 else (1,)
        return sum(int(coefficient) for coefficient, count in zip(coefficients, counts, strict=True)
                   if now[self._language.counted(count)])

    def _truth(self, place: Place, now: Mapping[Place, bool], remembered: Mapping[Place, bool],
               sums: Mapping[Place, int], symbol: str, i: int) -> bool:
        """The truth at i of one formula from those of its parts; of `since`, left holds at the witness, too."""
        operator, operands, data = self._language.nodes[place]
        if self._language.is_positional(place):
            return self._language.holds_at(place, i, i)
        if operator == "Q":
            return data[0] == symbol
        if operator == "prev":
            return remembered[place]
        if operator == "since":
            return now[operands[0]] and (now[operands[1]] or remembered[place])
        if operator == "T":
            return COMPARE[str(data[0])](int(data[1]) + sums[place], 0)
        if operator == "on":
            return self._language.holds_at(operands[0], i, sums[place])
        return connect_one(self._language, place, now)

    def _cases(self, automaton: int, now: Mapping[Place, bool] | None) -> tuple[int, ...]:
        return tuple(k for k, case in enumerate(self._claim.cases) if holds(case, automaton, now))


def holds(case: Case, automaton: int, now: Mapping[Place, bool] | None) -> bool:
    """Whether a case holds in this state of the automaton, with these truths; None before the first letter."""
    formula, states = case.when.formula, case.when.states
    return (formula is None or (now is not None and now[formula])) and (states is None or automaton in states)
