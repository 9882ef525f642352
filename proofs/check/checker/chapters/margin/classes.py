"""The words of one length, partitioned by the numbers of positions in each bucket, and by the truth of the formula.

Claim. ``find_classes`` finds every class that contains a word of the claim, with every truth that it has, and the
number of its words. Proof: position by position, over all letters that may occur there, prefixes with equal counts of
buckets and an equal memory of the formula have the same continuations.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ...kernel.budget import ENTRY_BITS
from ...kernel.language import Language
from ..word_semantics.conditions import Conditions, When, is_past_only
from ..word_semantics.tracker import Tracker, TrackerState
from ..word_semantics.truth import TruthsAlongWord
from .cells import Bucket, FormsByPosition
from .reading import MarginClaim

Signature = tuple[tuple[int, int], ...]
"""The number of positions in each bucket, by the number of the bucket, ascending."""
LetterNumbers = tuple[int, ...]
FormulaMemory = TrackerState | LetterNumbers | bool
"""The memory of the formula: a tracker's state, the letters so far, or its truth."""


class WordClass(NamedTuple):
    """The words with one signature and one truth of the formula, and their number; their output is one number."""

    signature: Signature
    holds: bool
    number: int


class FormulaReader:
    """The automaton of a claim's formula at one letter (from 1) of words of n letters, read from the left.

    The memory of a formula of the past is a tracker's state; of any other formula, all letters so far.
    """

    def __init__(self, claim: MarginClaim, language: Language, letter: int, n: int) -> None:
        self._followed = Conditions(claim.alphabet, None, (When(claim.formula, None),))
        self._language, self._letter, self.n = language, letter, n
        self._tracker = Tracker(language, self._followed) if is_past_only(language, claim.formula) else None

    def start(self) -> FormulaMemory:
        """Return the memory before the first letter."""
        return self._tracker.start() if self._tracker else ()

    def step(self, memory: FormulaMemory, symbol: int, i: int) -> FormulaMemory:
        """Return the memory after the letter at i."""
        if self._tracker is None:
            assert isinstance(memory, tuple)
            letters = (*memory, symbol)
            return self._truth(letters) if i == self.n else letters
        if isinstance(memory, bool):
            return memory
        assert isinstance(memory, TrackerState)
        after = self._tracker.step(memory, symbol, i)
        return bool(after.cases) if i == self._letter else after

    def _truth(self, letters: LetterNumbers) -> bool:
        return bool(TruthsAlongWord(self._followed, self._language).cases(letters, [self._letter])[self._letter])


def find_classes(cells: FormsByPosition, claim: MarginClaim, reading: FormulaReader) -> tuple[Sequence[Bucket],
                                                                                              Sequence[WordClass]]:
    """Return the buckets by number, and the classes."""
    budget, first = cells.budget, len(claim.before)
    numbers: dict[Bucket, int] = {}
    found: dict[tuple[Signature, FormulaMemory], int] = {((), reading.start()): 1}
    held_bits = 0
    for j, choices in enumerate(cells.choices, 1):
        buckets = [numbers.setdefault(bucket, len(numbers)) if bucket else None
                   for bucket in (cells.bucket(j, choice) for choice in range(len(choices)))]
        is_letter, before_it = first < j <= first + reading.n, held_bits
        after: dict[tuple[Signature, FormulaMemory], int] = {}
        for (signature, memory), number in found.items():
            size = len(signature) + (len(memory) if isinstance(memory, tuple) else 0)
            budget.spend(len(choices) * (4 + (size >> 2)))
            for place, bucket in enumerate(buckets):
                following = reading.step(memory, place, j - first) if is_letter else memory
                key = signature if bucket is None else add_one(signature, bucket), following
                if key not in after:
                    bits = 2 * ENTRY_BITS + 64 * size
                    budget.hold(bits)
                    held_bits += bits
                after[key] = after.get(key, 0) + number
        budget.release(before_it)
        found, held_bits = after, held_bits - before_it
    budget.release(held_bits)
    classes = [WordClass(signature, memory is True, number) for (signature, memory), number in found.items()]
    return list(numbers), classes


def add_one(signature: Signature, bucket: int) -> Signature:
    """Return the signature with one more position in a bucket."""
    place = bisect_left(signature, (bucket,))
    is_there = place < len(signature) and signature[place][0] == bucket
    count = signature[place][1] if is_there else 0
    return (*signature[:place], (bucket, count + 1), *signature[place + is_there:])
