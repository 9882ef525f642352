"""The words of a claim, and the rows that must be above the margin at each judged place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ....kernel.verdicts import Rejected, quote
from ..reading.network import Network
from ..reading.words_claim import TrainedClaim
from .obligations import is_by_place

if TYPE_CHECKING:
    from ...word_semantics.tracker import Tracker, TrackerState
    from ...word_semantics.truth import TruthsAlongWord
    from ..balls.adaptive_precision import ProvesRows, Stacks
    from ..reading.words_claim import WordsUnit

Word = tuple[int, ...]

Cases = Mapping[int, Sequence[int]]
"""The cases that hold, by position."""


class Judge:
    """A claim about a network: which rows must be above the margin, and where."""

    def __init__(self, network: Network, claim: TrainedClaim) -> None:
        self.network, self.claim, self.budget = network, claim, claim.language.budget
        self.by_place = is_by_place(network, claim)
        self.tracker: Tracker | None = None
        if claim.is_past_only:
            from ...word_semantics.tracker import Tracker

            self.tracker = Tracker(claim.language, claim.conditions)
        self._dead = dead_states(claim) if self.by_place or claim.read != "each" else frozenset()
        self.rows = list(dict.fromkeys(row for case in claim.cases for row in case.above))
        places = {row: place for place, row in enumerate(self.rows)}
        self.rows_of_case = [[places[row] for row in case.above] for case in claim.cases]
        self._needed: dict[tuple[int, ...], tuple[int, ...]] = {}

    @cached_property
    def truth(self) -> TruthsAlongWord:
        """The evaluation of cases on words."""
        from ...word_semantics.truth import TruthsAlongWord

        return TruthsAlongWord(self.claim.conditions, self.claim.language)

    def judged(self, n: int) -> list[tuple[int, int]]:
        """Return where logits are judged in words of length n: (position, place of the token in the input)."""
        claim, before = self.claim, len(self.claim.before)
        if claim.read == "each":
            return [(i, before + i - 1) for i in range(0 if claim.empty else 1, n + 1)]
        return [(n, 0 if claim.read == "first" else before + n + len(claim.after) - 1)]

    def tokens(self, word: Sequence[int]) -> tuple[int, ...]:
        """Return the input of a word; by place, up to the last letter."""
        claim = self.claim
        return (*claim.before, *(claim.tokens[letter] for letter in word), *(() if self.by_place else claim.after))

    @cached_property
    def stacks(self) -> Stacks:
        """The network in ball arithmetic, for the words and the rows of the claim."""
        from ..balls.adaptive_precision import Stacks
        from ..balls.stack import Stack

        claim = self.claim
        return Stacks(self.network, self.rows, lambda precision, part, rows: Stack(
            precision, self.budget, part, claim.all_tokens, rows, claim.margin, claim.longest_input))

    def words(self, first: int, last: int, keeps: Callable[[Word], bool] = lambda word: True
              ) -> Iterator[tuple[Word, Cases]]:
        """Yield the words of these lengths, each after its prefixes, and the cases at judged positions.

        Words after which no letter can make a case hold are left out, with all longer ones; so are those that begin
        with a word that ``keeps`` refuses.
        """
        letters, size = range(len(self.claim.alphabet)), len(self.claim.alphabet)
        tracker = self.tracker
        waiting: list[tuple[Word, tuple[TrackerState, ...]]] = [((), (tracker.start(),) if tracker else ())]
        while waiting:
            word, states = waiting.pop()
            n = len(word)
            self.budget.spend(2 + size + (n >> 5))
            if not keeps(word):
                continue
            if n >= first:
                yield word, self._cases(word, states)
            if n < last and not (states and states[-1].automaton in self._dead):
                waiting += [((*word, letter), (*states, tracker.step(states[-1], letter, n + 1)) if tracker else ())
                            for letter in reversed(letters)]

    def _cases(self, word: Word, states: Sequence[TrackerState]) -> Cases:
        positions = [len(word)] if self.by_place else [position for position, _ in self.judged(len(word))]
        if not states:
            return self.truth.cases(word, positions)
        return {position: states[position].cases for position in positions}

    def needed(self, n: int, cases: Cases) -> dict[int, tuple[int, ...]]:
        """Return, for each judged place of a word of length n, the rows that must be above the margin, if any."""
        found = {place: self.rows_of(cases[position]) for position, place in self.judged(n) if position in cases}
        return {place: rows for place, rows in found.items() if rows}

    def prove_words(self, offset: int, words: Iterable[tuple[Word, Cases]], prove: ProvesRows) -> int:
        """Prove the needed rows of these words at an offset; return how many words there are.

        Raises:
            Rejected: if a row is not proved; the word is named.
        """
        number = 0
        for word, cases in words:
            number += 1
            if needed := self.needed(len(word), cases):
                try:
                    prove(self.tokens(word), needed)
                except Rejected as refusal:
                    shown = " ".join(self.claim.alphabet[letter] for letter in word)
                    raise Rejected(f"offset {offset}, word {quote(shown)}: {refusal}") from None
        return number

    def rows_of(self, cases: Sequence[int]) -> tuple[int, ...]:
        """Return the rows of these cases, each once."""
        key = tuple(cases)
        if key not in self._needed:
            self.budget.spend(1 + sum(len(self.rows_of_case[case]) for case in cases))
            self._needed[key] = tuple(sorted({row for case in cases for row in self.rows_of_case[case]}))
        return self._needed[key]


def dead_states(claim: TrainedClaim) -> frozenset[int]:
    """Return the states of the automaton from which no case with a row can hold, whatever letters follow."""
    steps = claim.automaton.steps if claim.automaton else ()
    states = range(len(steps))
    waiting = [state for state in states if any(
        case.above and (case.when.states is None or state in case.when.states) for case in claim.cases)]
    before: list[list[int]] = [[] for _ in states]
    for state in states:
        for target in steps[state]:
            before[target].append(state)
    live = set(waiting)
    while waiting:
        for state in before[waiting.pop()]:
            if state not in live:
                live.add(state)
                waiting.append(state)
    return frozenset(states) - live


def tokens_at_places(judge: Judge, unit: WordsUnit) -> list[list[int]]:
    """Return the tokens that may occur at each place of the input of the words of a unit."""
    claim, before = judge.claim, len(judge.claim.before)
    places: list[set[int]] = [{token} for token in claim.before]
    places += [{*claim.tokens} for _ in range(unit.last)]
    if not judge.by_place:
        places += [set() for _ in claim.after]
        for n in range(unit.first, unit.last + 1):
            for k, token in enumerate(claim.after):
                places[before + n + k].add(token)
    return [sorted(tokens) for tokens in places]
