"""The search: family by family, word by word, until a word is found or the budget is spent."""

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
"""Precision beyond that which separates an error from a bound: enclosures of a run are wider than those of a weight."""
SHARE = Fraction(1, 2)
"""The share of one length in the work that is left, so that many lengths without a word take little."""


@dataclass(frozen=True)
class RefutationResult:
    """The counterexample, or an account of what was tried; ``spent`` is the work."""

    counterexample: Counterexample | None
    account: str = ""
    spent: int = 0


@dataclass(frozen=True)
class _Family:
    """Words of one kind; they may take ``share`` of the work that is left when their search begins."""

    name: str
    share: Fraction
    words: Callable[[WorkBudget], Iterator[Word]]
    is_everything: bool = False


@dataclass
class _Tried:
    """The number of words of a family that were tried, the longest of them, and whether the budget ended the search."""

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
    """Find a counterexample; None does not mean that the claim is true.

    With an ``allowed_error`` no head may err by more than that, even if its meaning allows it. ``work`` is the budget,
    in the units of ``budget.py``; ``progress`` receives messages.
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
    """Return the precision at which enclosures separate errors from the bound that they exceed."""
    beyond = [extreme.lower - bound for line in lines if not line.proved and line.worst
              for extreme in line.worst.extremes if extreme.lower > bound]
    return max([REPLAY_BITS, *(SPARE_BITS + (1 / x).numerator.bit_length() - (1 / x).denominator.bit_length()
                               for x in beyond)])


def _families(transformer: Transformer, lengths: Lengths, lines: Sequence[Line],
              allowed_error: Fraction | None, bits: int) -> list[_Family]:
    """Return the families, those that are more likely to contain a counterexample first."""
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
    """Replay of words within a budget."""

    transformer: Transformer
    work: Callable[[int], int]
    allowed_error: Fraction | None
    progress: Progress
    bits: int
    known: KnownRows = field(default_factory=KnownRows)

    def find_first_miss(self, tried: _Tried, budget: WorkBudget) -> Counterexample | None:
        """Find the first word of the family that refutes the claim; update ``tried``."""
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
    """Describe what was tried, and whether the budget is spent."""
    listed = ", ".join(str(tried) for tried in account if tried.number)
    result = f"no word found that breaks it among {listed}" if listed else "no word was tried"
    return result + (f"; budget of {work} units exhausted" if any(tried.cut_short for tried in account) else "")


class SearchByLength:
    """Searches with a common budget, which is restored when a word is found.

    So the results for the same lengths in the same order do not depend on whether searches continue after a success.
    """

    def __init__(self, network: Transformer, allowed_error: Fraction | None, progress: Progress = lambda _: None,
                 work: int = DEFAULT_WORK):
        """Start with a common budget of ``work`` units."""
        self._network = network
        self._allowed_error = allowed_error
        self._progress = progress
        self._work = self._left = work

    def find(self, lengths: Lengths, lines: Sequence[Line]) -> RefutationResult:
        """Search at these lengths, whose obligations are ``lines``."""
        search = find_counterexample(self._network, lengths, lines, self._allowed_error, int(SHARE * self._left),
                                     self._progress)
        self._left = self._work if search.counterexample else self._left - search.spent
        return search
