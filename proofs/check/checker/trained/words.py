"""All words of a unit: at each judged place the rows of the cases that hold are above the margin.

A word whose error bound is too large is run again at a higher precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..budget import Budget
from ..language import Language
from ..reading.trained import TrainedClaim, WordsUnit
from ..reading.trained_network import Network
from ..verdicts import Rejected, quote_all, require
from .obligations import is_by_place
from .precision import HIGHEST, Precision, Undecided
from .stack import Stack
from .tables import Tables
from .truth import Truth
from .walks import BidirectionalWalk, CausalWalk, Values, Walk

Word = tuple[int, ...]


class Judge:
    """A claim about a network: which rows must be above the margin where, and stacks at each precision."""

    def __init__(self, network: Network, claim: TrainedClaim, language: Language) -> None:
        self.network, self.claim, self.budget = network, claim, language.budget
        self.truth = Truth(claim, language)
        self.by_place = is_by_place(network, claim, language)
        rows = list(dict.fromkeys(row for case in claim.cases for row in case.above))
        self.rows = rows
        self.rows_of_case = [[rows.index(row) for row in case.above] for case in claim.cases]
        self._stacks: dict[int, Stack | None] = {}

    def stack(self, level: int) -> Stack:
        """The network at a precision.

        Raises:
            Undecided: if its numbers do not fit.
        """
        if level not in self._stacks:
            self._stacks[level] = None
            self._stacks[level] = self._make_stack(level)
        stack = self._stacks[level]
        if stack is None:
            raise Undecided
        return stack

    def _make_stack(self, level: int) -> Stack:
        claim = self.claim
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)
        return Stack(Precision(level), self.budget, self.network, tokens, self.rows, claim.margin, length)

    def judged(self, n: int) -> list[tuple[int, int]]:
        """Where logits are judged in words of length n: (position, place of the token in the input)."""
        claim, before = self.claim, len(self.claim.before)
        if claim.read == "each":
            return [(i, before + i - 1) for i in range(0 if claim.empty else 1, n + 1)]
        return [(n, 0 if claim.read == "first" else before + n + len(claim.after) - 1)]

    def tokens(self, word: Word) -> tuple[int, ...]:
        """The input of a word."""
        claim = self.claim
        return (*claim.before, *(claim.tokens[letter] for letter in word), *claim.after)

    def needed(self, word: Word, judged: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
        """For each judged place of the input the rows that must be above the margin, if there are any."""
        cases = self.truth.cases(word, [position for position, _ in judged])
        found = {place: sorted({row for case in holding for row in self.rows_of_case[case]})
                 for (_, place), holding in zip(judged, cases, strict=True)}
        return {place: rows for place, rows in found.items() if rows}


class Runner:
    """Runs words at an offset; ``may_stand`` has the tokens that may stand at each place of the input."""

    def __init__(self, judge: Judge, offset: int, may_stand: Sequence[Sequence[int]]) -> None:
        self._judge, self._offset, self._may_stand = judge, offset, may_stand
        self._walks: dict[int, Walk] = {}

    def values(self, level: int, tokens: Sequence[int], places: Sequence[int]) -> dict[int, Values]:
        """The values of rows at these places of a word, at a precision.

        Raises:
            Undecided: if an error bound is too large.
        """
        if level not in self._walks:
            stack = self._judge.stack(level)
            kind = CausalWalk if self._judge.network.causal else BidirectionalWalk
            self._walks[level] = kind(stack, Tables(stack, self._offset, self._may_stand), self._offset)
        return self._walks[level].values(tokens, places)

    def prove(self, tokens: Sequence[int], needed: dict[int, list[int]]) -> None:
        """The needed rows are above the margin.

        Raises:
            Rejected: if one is not, or is not decided at the highest precision.
            Undecided: if one is not decided, and there is no higher precision.
        """
        for level in range(1, HIGHEST + 1):
            try:
                return self._prove_at(level, tokens, needed)
            except Undecided:
                pass
        raise Rejected("a row is not decided at the highest precision")

    def _prove_at(self, level: int, tokens: Sequence[int], needed: dict[int, list[int]]) -> None:
        found = self.values(level, tokens, [*needed])
        least = self._judge.stack(level).rows.least
        for place, rows in needed.items():
            values = found[place]
            for row in rows:
                value, error = values[row]
                if value - error <= least[row]:
                    require(value + error > least[row], "the row {} is not above the margin", row + 1)
                    raise Undecided


def prove_words(judge: Judge, unit: WordsUnit) -> int:
    """Every word of the unit; how many there are.

    Raises:
        Rejected: if a row of a word is not above the margin.
    """
    claim = judge.claim
    runner = Runner(judge, unit.offset, tokens_at_places(judge, unit))
    words = 0
    for word in all_words(len(claim.alphabet), unit.last):
        n = len(word)
        if n < unit.first:
            continue
        words += 1
        judged = judge.judged(n)[-1:] if judge.by_place else judge.judged(n)
        needed = judge.needed(word, judged)
        if needed:
            tokens = judge.tokens(word)[:judged[-1][1] + 1] if judge.by_place else judge.tokens(word)
            try:
                runner.prove(tokens, needed)
            except Rejected as refusal:
                shown = quote_all([" ".join(claim.alphabet[letter] for letter in word)])
                raise Rejected(f"offset {unit.offset}, word {shown}: {refusal}") from None
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


def all_words(letters: int, longest: int) -> Iterator[Word]:
    """All words of at most this length, each after its prefixes."""
    waiting: list[Word] = [()]
    while waiting:
        word = waiting.pop()
        yield word
        if len(word) < longest:
            waiting += [(*word, letter) for letter in reversed(range(letters))]
