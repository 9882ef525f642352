"""Critical temperatures: the greatest at which softmax moves the result on no word by more than 1/4.

At one end the bounds of docs/background/softened_rules.md, section 3, hold; at the other a replayed word is moved
farther. If no word attains the bounds, the bracket stays wide. The search is over the *coldness*, 1/temperature: the
factor of the scores.
"""

import math
from fractions import Fraction

from certify.claims.critical.brackets import Refuted, find_bracket
from certify.claims.critical.threshold import NoChange, Probe, Probed, narrow
from certify.claims.softened.counterexamples import replay, seeds
from certify.claims.softened.results import CriticalTemperature, Moved, SoftenedLength, StageErrors
from certify.claims.softened.shards import check_length
from certify.claims.softened.words import likely_words
from constructions.language.expressions import parse_expression
from constructions.network.transformer import Transformer
from proofs.check import Refusal
from proofs.formula.discharge import Progress
from proofs.softened.certificate import seal_softened
from proofs.softened.errors import final_error, find_errors
from proofs.softened.gap import Word
from proofs.softened.search import ALLOWED

WIDTH = Fraction(1, 10**6)
"""The relative width of each search."""
SHARES = tuple(Fraction(1, 2**k) for k in range(11))
"""Fractions of the certified coldness at which words are searched, until one is found."""
SEARCHES = 3
"""The number of further searches, each from the last one's word."""


def find_critical(transformer: Transformer, row: SoftenedLength, progress: Progress) -> CriticalTemperature:
    """Return the bracket of the critical temperature at one length."""
    progress(f"critical temperature at n = {row.n}")
    found = find_bracket(SoftenedAtColdnesses(transformer, row), 1 / row.temperature, WIDTH, SHARES)
    if isinstance(found, NoChange):
        return CriticalTemperature(row.n, None, None, note=found)
    moved = found.refuted.witness if found.refuted else None
    return CriticalTemperature(row.n, 1 / found.passes, moved, found.is_certified)


class SoftenedAtColdnesses:
    """The results for a softened transformer at one coldness, on the words of one length."""

    def __init__(self, transformer: Transformer, row: SoftenedLength):
        """Store the row, which has the survey of the words of this length."""
        self.transformer = transformer
        self.row = row

    def probe(self, coldness: Fraction) -> Probe:
        """Return whether the bounds of the last stage sum to at most 1/4."""
        share = final_error(self._errors(coldness)) / ALLOWED
        return Probe(share <= 1, math.log(share.numerator) - math.log(share.denominator) if share else None)

    def certifies(self, coldness: Fraction) -> bool:
        """Return whether the independent checker accepts this coldness for the words of this length."""
        if not self.probe(coldness).passes:
            return False
        row, others = self.row, self.row.n - 1
        nothing: StageErrors = [{}] * (2 * len(self.transformer.layers))
        errors = [*([nothing] * others), self._errors(coldness)]
        gaps = [*[None] * others, row.survey.gap.value if row.survey.gap else None]
        temperature = parse_expression(str(1 / coldness))
        try:
            check_length(seal_softened(self.transformer, row.n, temperature, gaps, errors), row.n)
        except Refusal:
            return False
        return True

    def refute(self, coldness: Fraction, nearest: Fraction) -> Refuted[Moved] | None:
        """Find a word that is moved too far at this coldness, and the greatest coldness at which it is, to WIDTH.

        There other words may move farther, so the search is repeated.
        """
        found = self._find(coldness, seeds(self.row.survey), nearest)
        if found and coldness < nearest:
            for _ in range(SEARCHES):
                colder = found.constant * (1 + 2 * WIDTH)
                found = self._find(colder, [found.witness.word], nearest) or found
        return found

    def _errors(self, coldness: Fraction) -> StageErrors:
        return find_errors(self.transformer, self.row.survey, self.row.n, 1 / coldness)

    def _find(self, coldness: Fraction, near: list[Word], nearest: Fraction) -> Refuted[Moved] | None:
        """Find words that are moved too far at this coldness, and the greatest coldness at which one of them is."""
        words = likely_words(self.transformer, self.row.n, 1 / coldness, near)
        if self._moved(words, coldness) is None:
            return None
        coldest = coldness
        if coldness < nearest:
            low, high = Probed(coldness, Probe(False)), Probed(nearest, Probe(True))
            coldest = narrow(lambda tried: Probe(self._moved(words, tried) is None), low, high, WIDTH).fails
        moved = self._moved(words, coldest)
        assert moved is not None, "what was replayed before is replayed again"
        return Refuted(coldest, moved)

    def _moved(self, words: list[Word], coldness: Fraction) -> Moved | None:
        """Return the first of the words that is provably moved by more than 1/4 at this coldness."""
        return replay(self.transformer, 1 / coldness, words)
