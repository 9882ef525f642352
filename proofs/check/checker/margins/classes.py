"""The words of one length as classes: how many positions are in each bucket, and whether the formula holds.

Claim. ``find_classes`` finds every class of which the claim's words have one, with every truth that it has, and how
many words there are. Proof: position by position, over all letters that may stand there, what leads to the same counts
of buckets, and the same memory of the formula, goes on in the same way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ..budget import ENTRY_BITS
from ..language import Language
from ..reading.margin import MarginClaim
from ..reading.trained import Case, TrainedClaim, When
from ..trained.obligations import is_past_only
from ..trained.tracker import State, Tracker
from ..trained.truth import Truth
from .cells import Bucket, Cells

Signature = tuple[tuple[int, int], ...]
"""For each bucket, by number and ascending, how many positions are in it."""
Letters = tuple[int, ...]
Memory = State | Letters | bool
"""What is known of the formula: a tracker's state, the letters so far, or its truth."""


class WordClass(NamedTuple):
    """Words with one output: the signature, the truth of the formula, and how many words there are."""

    signature: Signature
    holds: bool
    number: int


@dataclass(frozen=True)
class Reading:
    """The formula at one letter (from 1) of words of n letters, followed from the left."""

    claim: TrainedClaim
    language: Language
    letter: int
    n: int
    tracker: Tracker | None

    def start(self) -> Memory:
        """Before the first letter."""
        return self.tracker.start() if self.tracker else ()

    def step(self, memory: Memory, symbol: int, i: int) -> Memory:
        """After the letter at i."""
        if self.tracker is None:
            assert isinstance(memory, tuple)
            letters = (*memory, symbol)
            return self._truth(letters) if i == self.n else letters
        if isinstance(memory, bool):
            return memory
        assert isinstance(memory, State)
        after = self.tracker.step(memory, symbol, i)
        return bool(after.cases) if i == self.letter else after

    def _truth(self, letters: Letters) -> bool:
        return bool(Truth(self.claim, self.language).cases(letters, [self.letter])[self.letter])


def read_formula_at(claim: MarginClaim, language: Language, letter: int, n: int) -> Reading:
    """How the formula of a claim is followed: one of the past by what it must remember, another by the whole word."""
    case = Case(When(claim.formula, None), ())
    followed = TrainedClaim(claim.alphabet, (), (), (), (0, 0), n, n, "each", False, Fraction(0), None,
                            claim.predicates, (case,))
    is_past = is_past_only(language, claim.formula)
    return Reading(followed, language, letter, n, Tracker(language, followed) if is_past else None)


def find_classes(cells: Cells, claim: MarginClaim, reading: Reading) -> tuple[Sequence[Bucket], Sequence[WordClass]]:
    """The buckets by number, and the classes."""
    budget, first = cells.budget, len(claim.before)
    numbers: dict[Bucket, int] = {}
    found: dict[tuple[Signature, Memory], int] = {((), reading.start()): 1}
    held = 0
    for j, choices in enumerate(cells.choices, 1):
        buckets = [numbers.setdefault(bucket, len(numbers)) if bucket else None
                   for bucket in (cells.bucket(j, choice) for choice in range(len(choices)))]
        is_letter, before_it = first < j <= first + reading.n, held
        after: dict[tuple[Signature, Memory], int] = {}
        for (signature, memory), number in found.items():
            size = len(signature) + (len(memory) if isinstance(memory, tuple) else 0)
            budget.spend(len(choices) * (4 + (size >> 2)))
            for place, bucket in enumerate(buckets):
                following = reading.step(memory, place, j - first) if is_letter else memory
                key = signature if bucket is None else add_one(signature, bucket), following
                if key not in after:
                    bits = 2 * ENTRY_BITS + 64 * size
                    budget.hold(bits)
                    held += bits
                after[key] = after.get(key, 0) + number
        budget.release(before_it)
        found, held = after, held - before_it
    budget.release(held)
    classes = [WordClass(signature, memory is True, number) for (signature, memory), number in found.items()]
    return list(numbers), classes


def add_one(signature: Signature, bucket: int) -> Signature:
    """With one position more in a bucket."""
    place = bisect_left(signature, (bucket,))
    is_there = place < len(signature) and signature[place][0] == bucket
    count = signature[place][1] if is_there else 0
    return (*signature[:place], (bucket, count + 1), *signature[place + is_there:])
