"""The search: family by family, word by word, until one is found or the work is done."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.formula.discharge import ALLOWED_ERROR, Line, Progress
from proofs.formula.irrational import known_to
from proofs.formula.refutation.budget import DEFAULT_WORK, WorkBudget, replay_work
from proofs.formula.refutation.plain_words import Word, all_words, exhaustive_length, random_words, words_of_few_symbols
from proofs.formula.refutation.words_breaking_heads import words_breaking_heads
from proofs.formula.refutation.words_with_counts import words_with_counts
from proofs.words.replay import REPLAY_BITS, Counterexample, InexactHardAttention, KnownRows, find_miss

SPARE_BITS = 128
"""Precision beyond what tells an error from a bound: enclosures of a whole run are wider than those of one weight."""
SHARE = Fraction(1, 2)
"""What one length may take of the work that is left: many lengths at which nothing is found end soon."""


@dataclass(frozen=True)
class RefutationResult:
    """What was found, and of a search that found nothing, in words, what was tried; ``spent`` is the work it took."""

    counterexample: Counterexample | None
    account: str = ""
    spent: int = 0


@dataclass(frozen=True)
class _Family:
    """Words of one kind, which may take ``share`` of the work that is left when their turn comes."""

    name: str
    share: Fraction
    words: Callable[[WorkBudget], Iterator[Word]]
    is_everything: bool = False


@dataclass
class _Tried:
    """How many words of a family were tried, how long they were, and whether work was left for the others."""

    family: _Family
    number: int = 0
    longest: int = 0
    cut_short: bool = False

    def __str__(self) -> str:
        which = ("the first " if self.cut_short else "all ") if self.family.is_everything else ""
        return f"{which}{self.number} {self.family.name} up to length {self.longest}"


def find_counterexample(transformer: Transformer, lengths: Lengths, lines: Sequence[Line],
                        allowed_error: Fraction | None = None, work: int = DEFAULT_WORK,
                        progress: Progress = lambda _: None) -> RefutationResult:
    """Return the counterexample with the shortest word that the search finds; None says nothing about the claim.

    With an ``allowed_error`` every head must err by no more than that, and not only as its meaning says. ``work`` is
    what the search may take, in the units of ``budget.py``; ``progress`` is told what is being tried.
    """
    left, account = work, list[_Tried]()
    bits = bits_to_tell(lines, ALLOWED_ERROR if allowed_error is None else allowed_error)
    replay = _Replay(known_to(transformer, bits >> 2), replay_work(transformer), allowed_error, progress, bits)
    for family in _families(transformer, lengths, lines, allowed_error, bits):
        given = int(family.share * left)
        budget, tried = WorkBudget(given), _Tried(family)
        account.append(tried)
        try:
            found = replay.find_first_miss(tried, budget)
        except InexactHardAttention as fault:
            return RefutationResult(None, f"no word can be replayed: {fault}")
        left -= given - budget.left
        if found:
            return RefutationResult(found, spent=work - left)
    return RefutationResult(None, _describe(account, work), work - left)


def bits_to_tell(lines: Sequence[Line], bound: Fraction) -> int:
    """Return the precision at which the error of a head that exceeds the bound does so in enclosures, too."""
    beyond = [extreme.lower - bound for line in lines if not line.proved and line.worst
              for extreme in line.worst.extremes if extreme.lower > bound]
    return max([REPLAY_BITS, *(SPARE_BITS + (1 / x).numerator.bit_length() - (1 / x).denominator.bit_length()
                               for x in beyond)])


def _families(transformer: Transformer, lengths: Lengths, lines: Sequence[Line],
              allowed_error: Fraction | None, bits: int) -> list[_Family]:
    """Return the likelier a family is to have a word that breaks the claim, the earlier it comes."""
    alphabet = transformer.alphabet
    exhausted = exhaustive_length(len(alphabet), lengths)
    short, longer = range(lengths.first, exhausted + 1), range(exhausted + 1, lengths.last + 1)
    bound = ALLOWED_ERROR if allowed_error is None else allowed_error
    name = "words" if lengths.first == 1 else f"words from length {lengths.first}"
    return [
        _Family(name, Fraction(1, 2), lambda _: all_words(alphabet, short), is_everything=True),
        _Family("words on which a head errs", Fraction(3, 4),
                lambda budget: words_breaking_heads(alphabet, exhausted, lines, bound, budget, bits)),
        _Family("words with counts on which a head errs", Fraction(3, 4),
                lambda budget: words_with_counts(alphabet, exhausted, lines, allowed_error, budget)),
        _Family("words of one or two symbols", Fraction(1, 2), lambda _: words_of_few_symbols(alphabet, longer)),
        _Family("random words", Fraction(1), lambda budget: random_words(alphabet, longer, budget)),
    ]


@dataclass(frozen=True)
class _Replay:
    """Replaying word after word within a budget."""

    transformer: Transformer
    work: Callable[[int], int]
    allowed_error: Fraction | None
    progress: Progress
    bits: int
    known: KnownRows = field(default_factory=KnownRows)

    def find_first_miss(self, tried: _Tried, budget: WorkBudget) -> Counterexample | None:
        """What the first word of the family that breaks the claim shows; ``tried`` says how many were looked at."""
        for word in tried.family.words(budget):
            if not budget.spend(self.work(len(word))):
                break
            tried.number, tried.longest = tried.number + 1, max(tried.longest, len(word))
            self.progress(f"looking for a counterexample: {tried.family.name}, {tried.number} of length "
                          f"{tried.longest} or less")
            if miss := find_miss(self.transformer, word, self.bits, self.allowed_error, self.known):
                return miss
        tried.cut_short = budget.exhausted
        return None


def _describe(account: Sequence[_Tried], work: int) -> str:
    """What was tried, in words, and whether there was more to try."""
    listed = ", ".join(str(tried) for tried in account if tried.number)
    said = f"no word found that breaks it among {listed}" if listed else "no word was tried"
    return said + (f"; budget of {work} units exhausted" if any(tried.cut_short for tried in account) else "")


class SearchByLength:
    """Searches whose work together is bounded, as long as they find nothing.

    Whoever asks about the same lengths in the same order gets the same answers, whether it goes on or not once
    something is found: what is found gives back the pool.
    """

    def __init__(self, network: Transformer, allowed_error: Fraction | None, progress: Progress = lambda _: None,
                 work: int = DEFAULT_WORK):
        """The pool has so much ``work``."""
        self._network = network
        self._allowed_error = allowed_error
        self._progress = progress
        self._work = self._left = work

    def find(self, lengths: Lengths, lines: Sequence[Line]) -> RefutationResult:
        """Return the search at these lengths, whose obligations are ``lines``."""
        search = find_counterexample(self._network, lengths, lines, self._allowed_error, int(SHARE * self._left),
                                     self._progress)
        self._left = self._work if search.counterexample else self._left - search.spent
        return search
