"""The tracker: the claim's automaton and its past-only formulas as one deterministic automaton over letters.

The truth of a past-only formula at i is a function of w_1 ... w_i. The state has the last value of each `since`, and of
the operand of each `prev` (both false before position 1). It has the sum of each comparison of counts, and the count of
each predicate of a count.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ...kernel.language import Language, Place
from ...kernel.language.table import PAST
from ...kernel.language.truths import connect_one, remembered, temporal_truth
from ...kernel.verdicts import require
from .conditions import Conditions, When, is_past_only


class TrackerState(NamedTuple):
    """State after a word: that of the claim's automaton, truths, sums; and the cases that hold at its last letter."""

    automaton: int
    remembered: tuple[bool, ...]
    sums: tuple[int, ...]
    cases: tuple[int, ...]


class Tracker:
    """Transitions of the tracker, memoised."""

    def __init__(self, language: Language, conditions: Conditions) -> None:
        require(all(is_past_only(language, formula) for formula in conditions.formulas),
                "classes need formulas about the past only")
        self._language, self._conditions = language, conditions
        self._plain = set[Place]()  # connectives of true and false alone
        for place in sorted(language.below(conditions.formulas)):
            if language.is_connective(place) and self._plain.issuperset(language.nodes[place].operands):
                self._plain.add(place)
        self._order = sorted(language.below(
            conditions.formulas, lambda place: language.is_positional(place) and place not in self._plain))
        entered = [place for place in self._order if not language.is_positional(place)]
        self._temporal = [place for place in entered if language.nodes[place].operator in PAST]
        self._summed = [place for place in entered if language.is_of_counts(place)]
        self._steps: dict[tuple[TrackerState, int, int], TrackerState] = {}
        self._moves = any({"i", "%"} & language.leaves(place) for place in self._order)

    def start(self) -> TrackerState:
        """Return the state of the empty word, at which no formula holds."""
        automaton = self._conditions.automaton.start if self._conditions.automaton else 0
        return TrackerState(automaton, (False,) * len(self._temporal), (0,) * len(self._summed),
                            self._cases(automaton, None))

    def step(self, state: TrackerState, letter: int, i: int) -> TrackerState:
        """Return the next state, after a letter at position i."""
        key = (state, letter, i if self._moves else 0)
        if key not in self._steps:
            self._language.budget.spend(4 + 4 * len(self._order))
            self._language.budget.hold(1 << 12)
            self._steps[key] = self._step(state, letter, i)
        return self._steps[key]

    def _step(self, state: TrackerState, letter: int, i: int) -> TrackerState:
        last = dict(zip(self._temporal, state.remembered, strict=True))
        sums = dict(zip(self._summed, state.sums, strict=True))
        now: dict[Place, bool] = {}
        for place in self._order:
            if place in sums:
                counts = self._language.counts_of(place).items()
                sums[place] += sum(c for count, c in counts if now[self._language.counted(count)])
            now[place] = self._truth(place, now, last, sums, self._conditions.alphabet[letter], i)
        automaton = self._conditions.automaton.steps[state.automaton][letter] if self._conditions.automaton else 0
        kept = tuple(remembered(self._language.nodes[place], place, now) for place in self._temporal)
        return TrackerState(automaton, kept, tuple(sums.values()), self._cases(automaton, now))

    def _truth(self, place: Place, now: Mapping[Place, bool], last: Mapping[Place, bool],
               sums: Mapping[Place, int], symbol: str, i: int) -> bool:
        """Return the truth at i of one formula from those of its parts."""
        operator, _, data = self._language.nodes[place]
        if self._language.is_positional(place) and place not in self._plain:
            return self._language.holds_at(place, i, i)
        if operator == "Q":
            return data[0] == symbol
        if place in last:
            return temporal_truth(self._language.nodes[place], now, last[place])
        if place in sums:
            return self._language.holds_of_sum(place, i, sums[place])
        return connect_one(self._language, place, now)

    def _cases(self, automaton: int, now: Mapping[Place, bool] | None) -> tuple[int, ...]:
        return tuple(k for k, when in enumerate(self._conditions.cases) if holds(when, automaton, now))


def holds(when: When, automaton: int, now: Mapping[Place, bool] | None) -> bool:
    """Return whether a condition holds in a state of the automaton with these truths; None before the first letter."""
    is_true = when.formula is None or (now is not None and now[when.formula])
    return is_true and (when.states is None or automaton in when.states)
