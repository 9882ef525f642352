"""Errors of heads on a page: enclosed by Arb, and computed again by mpmath, which must agree.

These are the errors on the drawn words, and the worst one of each map.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from certify.claims.formula.runs import BITS
from certify.exports.pages.certificate.error_maps import ErrorMap
from certify.exports.pages.certificate.worst_words import Word, WorstWord
from constructions.errors import InternalError
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.enclosures.by_mpmath import confirm_by_mpmath, steps_of
from proofs.enclosures.intervals import Interval, point
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import AllWindows
from proofs.formula.attention.worst_case import find_worst_case
from proofs.formula.common.extremes import WorstCase
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup.worst_case import find_lookup_worst_case, profiles_of_every_case
from proofs.formula.second_opinion import agrees
from proofs.words.replay import Residual, run_soft

MOST_STEPS = 12_000
"""Budget of scores and weights on one page that are computed again: about 1 s."""

CLOSE = 1e-8
"""Tolerance between a double and the enclosed error."""
Oblige = Callable[[Lengths], AttentionObligation | LookupObligation]


class Seconding:
    """The words of one page, each run once, within the budget of steps."""

    def __init__(self, network: Transformer):
        self.network = network
        self._left = MOST_STEPS
        self._runs: dict[Word, list[Residual] | None] = {}

    def seconded(self, direction: str, case: WorstWord) -> WorstWord:
        """Return the case with its enclosed error if mpmath confirms it; unchanged if the word is not compared.

        Raises:
            InternalError: if mpmath contradicts the value of some direction on the word.
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
        return stream if confirm_by_mpmath(self.network, word, stream) else None


def _least_distance(value: Interval, truth: int) -> Fraction:
    """Return the least distance of a number in the enclosure from the truth."""
    return max(value.lower - truth, truth - value.upper, Fraction(0))


def second_worst(oblige: Oblige, chart: ErrorMap) -> ErrorMap:
    """Return the map with its worst error enclosed if mpmath confirms it; unchanged if it is not compared.

    Raises:
        InternalError: if mpmath contradicts the error on the worst input.
    """
    n, _, error = chart.worst
    obligation = oblige(Lengths(n, n)) if n and not chart.is_thinned else None
    if obligation is None or not obligation.head.weighting.is_softmax:
        return chart
    try:
        worst = _worst_case(obligation).worst
    except NotDerived:
        return chart
    if worst is None:
        return chart
    if not agrees(worst):
        raise InternalError(f"head {obligation.layer}.{obligation.place}: Arb encloses the worst error at "
                            f"n = {worst.n}, i = {worst.i} where mpmath does not find it")
    enclosed = float(worst.lower)
    return replace(chart, seconded=enclosed) if abs(enclosed - error) <= CLOSE else chart


def _worst_case(obligation: AttentionObligation | LookupObligation) -> WorstCase:
    if isinstance(obligation, AttentionObligation):
        return find_worst_case(obligation, BITS, AllWindows(obligation))
    return find_lookup_worst_case(profiles_of_every_case(obligation, BITS))
