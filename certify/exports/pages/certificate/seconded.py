"""Errors of heads on the words that are drawn: enclosed by Arb, and computed again by mpmath, which must agree."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from certify.exports.pages.certificate.worst_words import Word, WorstWord
from certify.formula.runs import BITS
from constructions.network.transformer import Transformer
from proofs.enclosures.by_mpmath import steps_of, values_by_mpmath
from proofs.enclosures.intervals import Interval, point
from proofs.words.replay import Residual, run_soft

MOST_STEPS = 12_000
"""Scores and weights of the words of one page that are computed again: about 1 s."""


class Seconding:
    """The words of one page, each run once, as long as there are steps left."""

    def __init__(self, network: Transformer):
        self.network = network
        self._left = MOST_STEPS
        self._runs: dict[Word, list[Residual] | None] = {}

    def seconded(self, direction: str, case: WorstWord) -> WorstWord:
        """Return the case with its enclosed error if mpmath computes the same; unchanged if the word is not compared.

        Raises:
            InternalError: if mpmath computes another value of some direction on the word.
        """
        if (stream := self._run(case.word)) is None:
            return case
        value = stream[case.i - 1].get(direction, point(Fraction(0)))
        return replace(case, error=float(_least_distance(value, case.truth)), is_seconded=True)

    def _run(self, word: Word) -> list[Residual] | None:
        if word not in self._runs:
            steps = steps_of(self.network, word)
            self._runs[word] = self._compared(word) if steps <= self._left else None
            self._left -= steps if steps <= self._left else 0
        return self._runs[word]

    def _compared(self, word: Sequence[str]) -> list[Residual] | None:
        stream = run_soft(self.network, word, BITS)
        return None if values_by_mpmath(self.network, word, stream) is None else stream


def _least_distance(value: Interval, truth: int) -> Fraction:
    """The least distance of a number in the enclosure from the truth."""
    return max(value.lower - truth, truth - value.upper, Fraction(0))
