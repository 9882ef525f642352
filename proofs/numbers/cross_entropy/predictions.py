"""Predictions of a network after all prefixes of one length, by classes of prefixes that it does not distinguish.

Claim       The log-odds of yes are slope · x + offset, x the direction that is read at the last position; each last
            symbol has its offset (the residual stream contains its embedding). Prefixes of one class
            (``proofs/words/classes``) have one x. Their mass, and the probabilities of the question and of the
            answer yes, are summed over the class, by its words' states and last symbols, exactly. So the
            cross-entropy is a finite sum of enclosed costs with exact coefficients.
Change      Words that differ by one exchange at position j differ by one move, from the bucket of the old symbol at j
            to the bucket of the new one. So the change of x is at most the greatest one between classes of prefixes
            that differ by one of these moves: every pair of prefixes is among them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from constructions.errors import Unsupported
from constructions.network.transformer import Transformer
from proofs.enclosures.by_mpmath import check_by_mpmath
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.cross_entropy.entropies import cost, total
from proofs.numbers.cross_entropy.languages import PrefixQuestions
from proofs.numbers.sensitivity.bounds import SensitivityBounds
from proofs.words.classes.buckets import NOTHING, Buckets, Signature, WordClass
from proofs.words.classes.enclosing import enclose_class

BITS = 128
MOST_CLASSES = 2000
"""The greatest number of classes of prefixes that are run, in some seconds."""
MOST_STATES = 1 << 10


class TooManyPrefixes(Unsupported):
    """There are more prefixes, or classes of them, than the limit."""


@dataclass(frozen=True)
class OutputMap:
    """Log-odds of yes: ``slope`` times the direction, plus an offset for each last symbol."""

    slope: Fraction
    offsets: Mapping[str, Fraction]


@dataclass(frozen=True)
class PrefixGroup:
    """Prefixes with one value and one last symbol: the probabilities of the question, and of the answer yes."""

    value: Interval
    last: str
    asked: Fraction
    yes: Fraction


class Predictions:
    """All prefixes of length n."""

    def __init__(self, network: Transformer, n: int, language: PrefixQuestions, direction: str) -> None:
        """Find the classes and enclose their values.

        Raises:
            TooManyPrefixes: if there are more than the limit.
            Unsupported: if there are more classes than the limit, or words cannot be run.
            InternalError: if mpmath computes other values.
        """
        self.n, self.language = n, language
        self.buckets = Buckets(network, [language.alphabet] * n, n, {direction: Fraction(1)})
        if self.buckets.by_words and language.prefixes(n) > MOST_CLASSES:
            raise TooManyPrefixes(f"there are {language.prefixes(n)} prefixes, and each is a class of its own")
        if language.states(n) > MOST_STATES:
            raise TooManyPrefixes(f"there are {language.states(n)} states of the language")
        folded = self.buckets.fold(language.start, lambda state, j, symbol: language.step(state, symbol),
                                   lambda state, j, symbol: language.weigh(state, symbol))
        by_mass = sorted(folded.items(), key=lambda found: found[1][1], reverse=True)
        first = {signature: word for (signature, _), (word, _) in by_mass}
        if len(first) > MOST_CLASSES:
            raise TooManyPrefixes(f"there are {len(first)} classes of prefixes")
        self._masses = {key: mass for key, (_, mass) in folded.items()}
        self.values = {signature: enclose_class(self.buckets, WordClass(signature, word, Fraction(1)), BITS)
                       for signature, word in first.items()}
        check_by_mpmath(network, direction, [(n, self.values[signature], (word,)) for signature, word in first.items()])

    @cached_property
    def groups(self) -> tuple[PrefixGroup, ...]:
        """The prefixes by value and last symbol; probabilities are among all prefixes of length n."""
        everything = sum(self._masses.values(), Fraction(0))
        asked, yes = Counter[tuple[Signature, str]](), Counter[tuple[Signature, str]]()
        for (signature, state), mass in self._masses.items():
            key = (signature, state[1])
            share, positive = self.language.question(state)
            asked[key] += mass * share / everything  # type: ignore[assignment]  # a Counter of fractions
            yes[key] += mass * positive / everything  # type: ignore[assignment]
        return tuple(PrefixGroup(self.values[signature], last, Fraction(asked[signature, last]),
                                 Fraction(yes[signature, last])) for signature, last in asked)

    def cross_entropy(self, output: OutputMap) -> Interval:
        """Return the cross-entropy of these predictions, with optimal predictions of everything else."""
        costs = (cost(group.yes, group.value.scaled(output.slope) + point(output.offsets[group.last]), group.asked)
                 for group in self.groups if group.asked)
        return total(self.language.base, *costs)

    @cached_property
    def change(self) -> Fraction:
        """The greatest change of the direction by the exchanges of ``PrefixQuestions.exchanges``, as an upper bound."""
        return max((max(self.values[a].upper - self.values[b].lower, self.values[b].upper - self.values[a].lower)
                    for a, b in self._one_exchange_apart()), default=Fraction(0))

    def _one_exchange_apart(self) -> Iterator[tuple[Signature, Signature]]:
        moves = {(self.buckets.of(j, old), self.buckets.of(j, new)) for j, old, new in self.language.exchanges(self.n)}
        for signature in self.values:
            for old, new in moves:
                if (other := _moved(signature, old, new)) in self.values:
                    yield signature, other


def _moved(signature: Signature, old: int, new: int) -> Signature | None:
    """Return the signature with one position moved to another bucket; None if the old one is empty."""
    counts = Counter(dict(signature))
    if old != NOTHING and not counts[old]:
        return None
    counts[old] -= 1
    counts[new] += 1
    return tuple(sorted((bucket, count) for bucket, count in counts.items() if bucket != NOTHING and count))


def change_by_bounds(network: Transformer, n: int, language: PrefixQuestions, direction: str) -> Fraction:
    """Bound the change from above for any number of prefixes, layer by layer (``sensitivity/bounds.py``).

    Raises:
        Unsupported: if a head's weights are of a kind without a bound.
    """
    bounds = SensitivityBounds(network, n, [n])
    return max((bounds.change(j, direction) for j in {j for j, _, _ in language.exchanges(n)}), default=Fraction(0))
