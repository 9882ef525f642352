"""The greatest error of a network's heads on a word, compared with the bound that a certificate states.

Setting     The bound of a head is its greatest error over all inputs; the worst input need not occur on a word. If it
            does, that word attains the bound; else the error is maximised over words, if a trellis has few states.
Claim       In a network whose earlier layers are proved exact, ``lower`` is attained on ``word``, and no head errs by
            more than ``upper`` on any word. Both agree, to the precision of the enclosures, if every head that may
            err more than ``lower`` was maximised over words.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.on_words import AttentionOnWords
from proofs.formula.common.extremes import Extreme, WorstCase
from proofs.formula.common.kinds import APPROXIMATING
from proofs.formula.discharge import Line
from proofs.formula.failures import NotDerived
from proofs.formula.irrational import reads_irrational, widened
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup.on_words import LookupOnWords
from proofs.formula.second_opinion import agrees
from proofs.formula.two_provers import Disagreement
from proofs.words.pairs_of_runs import TooMuchWork, Work
from proofs.words.trellis import Word

ZERO = Fraction(0)
MOST_WORK = 500_000
"""Trellis edges read to find words with the worst inputs, and again to maximise: about two seconds each."""


@dataclass(frozen=True)
class GreatestError:
    """The greatest error of all heads on a word, enclosed; ``lower`` is 0 if no word is known.

    ``reason`` is why the head with the greatest bound, among those that may err more, was not maximised over words; or
    which heads are left out.
    """

    lower: Fraction
    upper: Fraction
    word: Word | None = None
    position: int = 0
    line: Line | None = field(default=None, repr=False)
    reason: str = ""


def find_greatest_error(transformer: Transformer, lines: Sequence[Line], lengths: Lengths,
                        most_work: int = MOST_WORK) -> GreatestError | None:
    """Find the greatest error on words of these lengths; None if no head errs on any input, or no bound is known.

    Heads behind a layer that is not proved are left out: the directions that they read may not be exact.

    Raises:
        Disagreement: if the semantics or mpmath contradicts a word that was found.
    """
    last = min((line.layer for line in lines if not line.proved), default=len(transformer.layers))
    heads = [line for line in lines if line.kind in APPROXIMATING]
    exact = [line for line in heads if line.layer <= last]
    if not all(line.proved or line.worst for line in exact):
        return None
    weighed = sorted(((line, worst) for line in exact if line.worst and (worst := line.worst.worst)),
                     key=lambda pair: pair[1].upper, reverse=True)
    left_out = "" if len(exact) == len(heads) else f"of the heads up to layer {last}: what others read is not proved"
    best, work, searched = None, Work(most_work), list[_Searched]()
    open_bounds: list[tuple[Fraction, str]] = []
    for line, worst in weighed:
        if best and worst.upper <= best.extreme.upper:
            break
        try:
            searched.append(_Searched(line, worst, _on_words(line, transformer, work)))
        except NotDerived as fault:
            open_bounds.append((worst.upper, f"head {line.layer}.{line.place}: {fault}"))
            continue
        with suppress(TooMuchWork):
            best = searched[-1].attained() or best
    work.left = most_work
    for head in searched:
        try:
            best = head.larger(best, transformer, lengths)
        except (NotDerived, TooMuchWork) as fault:
            open_bounds.append((head.worst.upper, f"head {head.line.layer}.{head.line.place}: {fault}"))
    upper, reason = max(open_bounds, key=lambda pair: pair[0], default=(ZERO, ""))
    if best is None:
        return GreatestError(ZERO, upper, reason=reason or left_out) if weighed else None
    if upper <= best.extreme.upper:
        upper, reason = best.extreme.upper, left_out
    return GreatestError(best.extreme.lower, upper, best.word, best.extreme.i, best.line, reason)


@dataclass(frozen=True)
class _Found:
    """The error of the head of a line on a word."""

    line: Line
    extreme: Extreme
    word: Word


@dataclass(frozen=True)
class _Searched:
    """A line, its worst case, and the search for words."""

    line: Line
    worst: Extreme
    on_words: AttentionOnWords | LookupOnWords

    def attained(self) -> _Found | None:
        """Find a word that has the worst of all inputs.

        Raises:
            TooMuchWork: if the budget does not suffice.
        """
        word = self.on_words.word_of(self.worst)
        return None if word is None else self._confirmed(self.worst, self.worst, word)

    def larger(self, best: _Found | None, transformer: Transformer, lengths: Lengths) -> _Found | None:
        """Return the greatest error on a word, if it is larger than ``best``, else ``best``.

        Raises:
            NotDerived: if the weighting has no rule to maximise over words.
            TooMuchWork: if the budget does not suffice.
        """
        if best and self.worst.upper <= best.extreme.upper:
            return best
        if not self.worst.weighting.is_softmax:
            raise NotDerived(f"under {self.worst.weighting} the error is not a sum over positions")
        assert self.line.obligation is not None
        head, direction = self.line.obligation.head, self.line.obligation.direction
        is_rational = not reads_irrational(transformer, head, direction)
        found = self.on_words.larger(best.extreme if best and is_rational else None)
        if found is None or (best and found is best.extreme):
            return best
        real = found if is_rational else widened(WorstCase(found, None), transformer, head, direction, lengths).if_false
        assert real is not None
        if best and real.upper <= best.extreme.upper:
            return best
        word = self.on_words.word_of(found)
        assert word is not None, "a shortest path in the trellis is that of a word"
        return self._confirmed(found, real, word)

    def _confirmed(self, found: Extreme, real: Extreme, word: Word) -> _Found:
        """Return the error on a word, after checks by the semantics and by mpmath."""
        if not self.on_words.has(found, word) or not agrees(found):
            raise Disagreement(f"{self.line.direction}: the greatest error on a word is not that of {word}")
        return _Found(self.line, real, word)


def _on_words(line: Line, transformer: Transformer, work: Work) -> AttentionOnWords | LookupOnWords:
    match line.obligation:
        case AttentionObligation() as obligation:
            return AttentionOnWords(obligation, transformer.alphabet, work)
        case LookupObligation() as obligation:
            return LookupOnWords(obligation, transformer.alphabet, work)
    raise NotDerived("words are searched for heads that attend to truths or look up one count")
