"""Sensitivity of the logits of trained networks to one letter: between bounds for short words, else from below.

Claim       Every number is a ball around the true real value (proofs/trained/balls.py). For lengths whose words are all
            run, the greatest change lies between the bounds of ``words``. Otherwise two words that a search in floats
            found are run with balls: their distance is a lower bound, without an upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
from flint import arb

from constructions.errors import Unsupported
from constructions.trained.claim import Row
from constructions.trained.network import TrainedNetwork, views
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval
from proofs.numbers.sensitivity.changes import Change, Word, at_least, firsts
from proofs.numbers.sensitivity.climbing import find_pairs, spread
from proofs.numbers.sensitivity.words import greatest_change, groups_of
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.forward import FloatNetwork

BITS = 128
ENCLOSING_WORK = 4_000_000
"""The greatest number of multiplications, one for each weight and token, to run all words of a length with balls."""
REPLAYED = 12
"""The number of pairs of longer words that are replayed."""


@dataclass(frozen=True)
class LogitQuestion:
    """Words of one length as inputs, the tokens where logits are judged, and the combinations of logits."""

    network: TrainedNetwork
    n: int
    letters: Mapping[str, int]
    before: tuple[int, ...]
    after: tuple[int, ...]
    offset: int
    tokens: tuple[int, ...]
    rows: tuple[Row, ...]

    def input(self, word: Sequence[str]) -> tuple[int, ...]:
        """Return the tokens of a word."""
        return (*self.before, *(self.letters[symbol] for symbol in word), *self.after)

    @property
    def judged(self) -> range:
        """The numbers of the judged combinations: each row at each token."""
        return range(len(self.tokens) * len(self.rows))

    def place(self, number: int) -> tuple[int, int]:
        """Return the index in ``tokens`` and the index in ``rows`` of a number."""
        return divmod(number, len(self.rows))

    def at_token(self, change: Change) -> Change:
        """Return the change with the position of the token in place of a number."""
        if change.pair is None:
            return change
        token = self.tokens[self.place(change.pair.judged)[0]]
        return replace(change, pair=replace(change.pair, judged=token + 1))

    @cached_property
    def unlike(self) -> tuple[str, ...]:
        """The letters, one for each token."""
        return firsts(self.letters.items())

    @property
    def are_few(self) -> bool:
        """True if all words can be run with balls."""
        weights = sum(prod(view.shape) for view in dict.fromkeys(views(self.network)))
        tokens = len(self.before) + self.n + len(self.after)
        words: int = len(self.unlike) ** self.n
        return words * weights * tokens <= ENCLOSING_WORK


def changes_of_logits(question: LogitQuestion) -> tuple[Change, ...]:
    """Return the greatest change of any of the rows at any of the tokens, for an exchange at each position.

    Raises:
        Unsupported: if a logit cannot be bounded.
    """
    runs = _Runs(question)
    if question.are_few:
        words = list(product(question.unlike, repeat=question.n))
        changes = [greatest_change(p, groups_of(words, p, question.unlike), runs.value, question.judged)
                   for p in range(1, question.n + 1)]
        return tuple(map(question.at_token, changes))
    found = find_pairs(_float_values(question), question.unlike, question.n, question.judged)
    pairs = {candidate.p: candidate.replayed(runs.value) for candidate in spread(found, REPLAYED)}
    return tuple(question.at_token(at_least(p, pairs.get(p), None)) for p in range(1, question.n + 1))


def _float_values(question: LogitQuestion) -> Any:
    network = FloatNetwork(question.network)
    weights = np.zeros((question.network.outputs, len(question.rows)))
    for number, row in enumerate(question.rows):
        for output, coefficient in row:
            weights[output, number] = np.float64(coefficient)

    def values(words: Sequence[Word]) -> Any:
        inputs = np.array([question.input(word) for word in words])
        logits = network.logits(inputs, question.offset, question.tokens)
        return (logits @ weights).reshape(len(words), -1)

    return values


class _Runs:
    """Executions of words with balls, each once."""

    def __init__(self, question: LogitQuestion) -> None:
        self.question = question
        self.network = BallNetwork(question.network)
        self.found: dict[Word, list[Interval]] = {}

    def value(self, word: Word, number: int) -> Interval:
        """Return the value of a judged combination on this word."""
        if word not in self.found:
            self.found[word] = self._run(word)
        return self.found[word][number]

    def _run(self, word: Word) -> list[Interval]:
        question = self.question
        logits = enclose_logits(self.network, question.input(word), question.offset, question.tokens, BITS)
        found = []
        with working_precision(BITS):
            for number in question.judged:
                token, row = question.place(number)
                value = sum((ball(coefficient) * logits[token, output] for output, coefficient in question.rows[row]),
                            arb(0))
                if not value.is_finite():
                    raise Unsupported(f"a logit of {''.join(word)} cannot be bounded")
                found.append(Interval(*exact_ends(value)))
        return found

