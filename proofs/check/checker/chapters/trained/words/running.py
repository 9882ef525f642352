"""All words of a unit: at each judged place the rows of the cases that hold are above the margin.

A word whose error bound is too large is run again at a higher precision.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....kernel.language import Language
from ....kernel.verdicts import Rejected, quote, require
from ...along_words.conditions import is_past_only
from ...along_words.tracker import Tracker, TrackerState
from ...along_words.truth import TruthsAlongWord
from ..balls.precision import HIGHEST, LOWEST, Logits, Precision, Undecided
from ..balls.stack import Stack, up_to_attention
from ..balls.walks import Walk, make_walk
from ..reading.cover import WordsUnit
from ..reading.dyadics import Matrix
from ..reading.network import Network
from ..reading.words_claim import LogitRow, TrainedClaim
from .obligations import is_by_place

PATIENCE = 16  # how many more words may need a higher precision than the first before that is left out

Word = tuple[int, ...]

Cases = Mapping[int, Sequence[int]]
"""The cases that hold, by position."""


@dataclass(frozen=True)
class Share:
    """One of so many shares (from 0) of all words.

    Words are shared out by their first letters, as many as make four groups a share or more; shorter ones are of
    share 0. So each word is in exactly one share, which `has` says, and every prefix of it passes `has_some`.
    """

    number: int = 0
    shares: int = 1

    def has(self, word: Word, letters: int) -> bool:
        """Whether a word over so many letters is in the share."""
        first = self._first(letters)
        return self.number == (0 if len(word) < first else rank(word[:first], letters) % self.shares)

    def has_some(self, word: Word, letters: int) -> bool:
        """Whether a word that begins so may be in the share."""
        return len(word) < self._first(letters) or self.has(word, letters)

    def _first(self, letters: int) -> int:
        if self.shares == 1 or letters == 1:
            return 0 if self.shares == 1 else 1
        return next(k for k in range(64) if letters**k >= 4 * self.shares)


ALL = Share()


def rank(word: Word, letters: int) -> int:
    """The number of a word among those of its length."""
    found = 0
    for letter in word:
        found = found * letters + letter
    return found


class Stacks:
    """A network at each precision, made where it is needed, of rows or of none."""

    def __init__(self, network: Network, rows: Sequence[LogitRow],
                 make: Callable[[Precision, Network, Sequence[LogitRow]], Stack]) -> None:
        self.network, self._rows, self._make = network, rows, make
        self._beginning: Stack | None = None
        self._made: dict[int, Stack | None] = {}
        self._norms: dict[Matrix, int] = {}

    def at(self, level: int) -> Stack:
        """The network at a precision.

        Raises:
            Undecided: if its numbers do not fit.
        """
        if level not in self._made:
            self._made[level] = None
            self._made[level] = self._make(Precision(level, self._norms), self.network, self._rows)
        stack = self._made[level]
        if stack is None:
            raise Undecided
        return stack

    def beginning(self, level: int) -> Stack:
        """The network up to its first attention, at precision 1 at least; or more of it.

        Raises:
            Undecided: if its numbers do not fit.
        """
        if level > LOWEST or not self.at(level).blocks:
            return self.at(level)
        if self._beginning is None:
            self._beginning = self._make(Precision(LOWEST + 1, self._norms), up_to_attention(self.network), ())
        return self._beginning


class Judge:
    """A claim about a network: which rows must be above the margin where, and stacks at each precision."""

    def __init__(self, network: Network, claim: TrainedClaim, language: Language) -> None:
        self.network, self.claim, self.budget = network, claim, language.budget
        self.by_place = is_by_place(network, claim, language)
        self.truth = TruthsAlongWord(claim.conditions, language)
        past_only = all(is_past_only(language, formula) for formula in claim.formulas)
        self.tracker = Tracker(language, claim.conditions) if past_only else None
        self._dead = dead_states(claim) if self.by_place or claim.read != "each" else frozenset()
        self.rows = list(dict.fromkeys(row for case in claim.cases for row in case.above))
        places = {row: place for place, row in enumerate(self.rows)}
        self.rows_of_case = [[places[row] for row in case.above] for case in claim.cases]
        self._needed: dict[tuple[int, ...], tuple[int, ...]] = {}
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)
        self.stacks = Stacks(network, self.rows, lambda precision, part, rows: Stack(
            precision, self.budget, part, tokens, rows, claim.margin, length, few=claim.read != "each"))

    def judged(self, n: int) -> list[tuple[int, int]]:
        """Where logits are judged in words of length n: (position, place of the token in the input)."""
        claim, before = self.claim, len(self.claim.before)
        if claim.read == "each":
            return [(i, before + i - 1) for i in range(0 if claim.empty else 1, n + 1)]
        return [(n, 0 if claim.read == "first" else before + n + len(claim.after) - 1)]

    def tokens(self, word: Sequence[int]) -> tuple[int, ...]:
        """The input of a word; by place, up to the last letter."""
        claim = self.claim
        return (*claim.before, *(claim.tokens[letter] for letter in word), *(() if self.by_place else claim.after))

    def words(self, first: int, last: int, share: Share) -> Iterator[tuple[Word, Cases]]:
        """The words of these lengths and of a share, each after its prefixes, and the cases at judged positions.

        Words of which no later letter can make a case hold are left out, with all that begin with them.
        """
        letters, size = range(len(self.claim.alphabet)), len(self.claim.alphabet)
        tracker = self.tracker
        waiting: list[tuple[Word, tuple[TrackerState, ...]]] = [((), (tracker.start(),) if tracker else ())]
        while waiting:
            word, states = waiting.pop()
            n = len(word)
            self.budget.spend(2 + size + (n >> 5))
            if n >= first and share.has(word, size):
                yield word, self._cases(word, states)
            if n < last and share.has_some(word, size) and not (states and states[-1].automaton in self._dead):
                waiting += [((*word, letter), (*states, tracker.step(states[-1], letter, n + 1)) if tracker else ())
                            for letter in reversed(letters)]

    def _cases(self, word: Word, states: Sequence[TrackerState]) -> Cases:
        positions = [len(word)] if self.by_place else [position for position, _ in self.judged(len(word))]
        if not states:
            return self.truth.cases(word, positions)
        return {position: states[position].cases for position in positions}

    def needed(self, n: int, cases: Cases) -> dict[int, tuple[int, ...]]:
        """For each judged place of the input of a word of length n the rows that must be above the margin, if any."""
        found = {place: self.rows_of(cases[position]) for position, place in self.judged(n) if position in cases}
        return {place: rows for place, rows in found.items() if rows}

    def rows_of(self, cases: Sequence[int]) -> tuple[int, ...]:
        """The rows of these cases, each once."""
        key = tuple(cases)
        if key not in self._needed:
            self.budget.spend(1 + sum(len(self.rows_of_case[case]) for case in cases))
            self._needed[key] = tuple(sorted({row for case in cases for row in self.rows_of_case[case]}))
        return self._needed[key]


def dead_states(claim: TrainedClaim) -> frozenset[int]:
    """States of the automaton from which no case with a row can hold, whatever letters come."""
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


class Runner:
    """Runs words at an offset; ``may_stand`` has the tokens that may stand at each place of the input.

    It begins at the lowest precision, until too many words more than not needed another.
    """

    def __init__(self, stacks: Stacks, offset: int, may_stand: Sequence[Sequence[int]]) -> None:
        self._stacks, self._offset, self._may_stand = stacks, offset, may_stand
        self._walks: dict[int, Walk] = {}
        self._first, self._failed = LOWEST, 0

    def logits(self, level: int, tokens: Sequence[int], places: Sequence[int]) -> dict[int, Logits]:
        """The logits at these places of a word, at a precision.

        Raises:
            Undecided: if an error bound is too large.
        """
        if level not in self._walks:
            stack, beginning = self._stacks.at(level), self._stacks.beginning(level)
            self._walks[level] = make_walk(stack, beginning, self._offset, self._may_stand)
        return self._walks[level].logits(tokens, places)

    def prove(self, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        """The needed rows are above the margin.

        Raises:
            Rejected: if one is not, or is not decided at the highest precision.
        """
        for level in range(self._first, HIGHEST + 1):
            try:
                self._prove_at(level, tokens, needed)
            except Undecided:
                continue
            self._failed = max(0, self._failed + (1 if level > self._first else -1))
            if self._failed > PATIENCE:
                self._first, self._failed = level, 0
            return
        raise Rejected("a row is not decided at the highest precision")

    def _prove_at(self, level: int, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        found = self.logits(level, tokens, [*needed])
        known = self._stacks.at(level).rows
        least = known.least
        for place, rows in needed.items():
            for row, (value, error) in zip(rows, known.values(found[place], rows), strict=True):
                if value - error <= least[row]:
                    require(value + error > least[row], "the row {} is not above the margin", row + 1)
                    raise Undecided


def prove_words(judge: Judge, unit: WordsUnit, share: Share = ALL) -> int:
    """The rows of every word of the unit and of a share; how many words were run or have nothing to prove."""
    runner = Runner(judge.stacks, unit.offset, tokens_at_places(judge, unit))
    words = 0
    for word, cases in judge.words(unit.first, unit.last, share):
        words += 1
        needed = judge.needed(len(word), cases)
        if needed:
            try:
                runner.prove(judge.tokens(word), needed)
            except Rejected as refusal:
                shown = " ".join(judge.claim.alphabet[letter] for letter in word)
                raise Rejected(f"offset {unit.offset}, word {quote(shown)}: {refusal}") from None
    return words


def tokens_at_places(judge: Judge, unit: WordsUnit) -> list[list[int]]:
    """The tokens that may stand at each place of the input of the words of a unit."""
    claim, before = judge.claim, len(judge.claim.before)
    places: list[set[int]] = [{token} for token in claim.before]
    places += [{*claim.tokens} for _ in range(unit.last)]
    if not judge.by_place:
        places += [set() for _ in claim.after]
        for n in range(unit.first, unit.last + 1):
            for k, token in enumerate(claim.after):
                places[before + n + k].add(token)
    return [sorted(tokens) for tokens in places]
