"""Pairs of words that differ by one exchange and by much in a direction: a search in floats, replayed with enclosures.

The search proves nothing; its result is a lower bound because the two words are run again, with enclosures. It is
deterministic: random words come from a generator seeded with the length.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.refutation.budget import replay_work
from proofs.numbers.sensitivity.changes import ReplayedPair, Word, distance, exchanged, unlike_letters
from proofs.numbers.sensitivity.words import enclose_values

RANDOM_STARTS, STEPS = 4, 8
STARTS = RANDOM_STARTS + 3
MOST_WORDS = 1 << 14
"""The approximate number of words that are run in floats for one length."""
REPLAY_WORK = 400_000
"""The budget of replaying pairs of one length, in the units of the refutation's budget: some seconds."""
Values = Callable[[Sequence[Word]], Any]
"""The direction's values, [words, judged positions], in float64."""


@dataclass(frozen=True)
class Candidate:
    """Two words that differ at ``p``, and their distance at position ``judged`` in floats."""

    p: int
    first: Word
    second: Word
    judged: int
    seen: Any

    def replayed(self, value: Callable[[Word, int], Interval]) -> ReplayedPair:
        """Return the words with the enclosed distance of their values."""
        one, other = (value(word, self.judged) for word in (self.first, self.second))
        return ReplayedPair(self.first, self.second, self.judged, distance(one, other))


def _enclosed_values(network: Transformer, direction: str, judged: Sequence[int]) -> Values:
    return lambda words: np.array([[_middle(value) for value in enclose_values(
        network, word, direction, judged).values()] for word in words])


def _middle(x: Interval) -> Any:
    return np.float64((x.lower + x.upper) / 2)


def find_pairs(values: Values, letters: Sequence[str], n: int, judged: Sequence[int],
               most: int = MOST_WORDS) -> list[Candidate]:
    """Return the best pair found for each position, the best of all first; about ``most`` words are run."""
    best: dict[int, Candidate] = {}
    draw = random.Random(n)
    rounds = max(1, most // (1 + n * (len(letters) - 1)))
    for start in islice(_starts(letters, n, draw), rounds):
        word, reached = start, _evaluate_exchanges(values, letters, start, judged, best)
        for _ in range(min(STEPS, rounds // STARTS - 1) if n > 1 else 0):
            other = exchanged(word, draw.randint(1, n), draw.choice(letters))
            if (found := _evaluate_exchanges(values, letters, other, judged, best)) >= reached:
                word, reached = other, found
    return sorted(best.values(), key=lambda found: (-found.seen, found.p))


def _starts(letters: Sequence[str], n: int, draw: random.Random) -> Iterator[Word]:
    for letter in letters:
        yield (letter,) * n
    yield tuple(letters[i % len(letters)] for i in range(n))
    for _ in range(RANDOM_STARTS):
        yield tuple(draw.choice(letters) for _ in range(n))


def _evaluate_exchanges(values: Values, letters: Sequence[str], word: Word, judged: Sequence[int],
                        best: dict[int, Candidate]) -> Any:
    """Evaluate all exchanges in a word; return the greatest change."""
    others = [(p, exchanged(word, p, letter)) for p in range(1, len(word) + 1)
              for letter in letters if letter != word[p - 1]]
    found = np.nan_to_num(values([word, *(other for _, other in others)]))
    apart = np.abs(found[1:] - found[0])
    for (p, other), row in zip(others, apart, strict=True):
        place = int(row.argmax())
        if p not in best or row[place] > best[p].seen:
            best[p] = Candidate(p, word, other, judged[place], row[place])
    return apart.max() if others else 0


def replay_pairs(network: Transformer, n: int, direction: str, judged: Sequence[int],
                 values: Values | None = None) -> dict[int, ReplayedPair]:
    """Return replayed pairs of words for some positions p where they differ: the best one, and others spread out.

    ``values`` approximates the direction quickly; without it fewer words are evaluated, each enclosed.

    Raises:
        InexactHardAttention: if words cannot be replayed.
    """
    letters = unlike_letters(network)
    if len(letters) < 2:
        return {}
    most = max(1, REPLAY_WORK // (2 * replay_work(network)(n)))
    if values is None:
        found = find_pairs(_enclosed_values(network, direction, judged), letters, n, judged, most)
    else:
        found = find_pairs(values, letters, n, judged)
    runs: dict[Word, dict[int, Interval]] = {}

    def value(word: Word, i: int) -> Interval:
        if word not in runs:
            runs[word] = enclose_values(network, word, direction, judged)
        return runs[word][i]

    return {candidate.p: candidate.replayed(value) for candidate in spread(found, most)}


def spread(found: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the best candidate, and as many others as allowed, spread evenly over the positions."""
    others = sorted(found[1:], key=lambda candidate: candidate.p)
    if most <= 1 or len(others) < most:
        return [*found[:1], *others[: max(0, most - 1)]]
    step = Fraction(len(others) - 1, max(1, most - 2))
    return [found[0], *(others[int(k * step)] for k in range(most - 1))]
