"""Proof of every row where scores fall with the distance, by the last letters of words.

See docs/background/lengths.md, section 7.

Distant tokens have small weights, whatever they are: so the last letters bound what each head averages.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from ....kernel.budget import ENTRY_BITS
from ....kernel.verdicts import expect, require
from ..reading.decision import Decision
from ..reading.dyadics import POINTER_BITS
from ..reading.lengths import LastLetters
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import FRACTION
from ..zonotopes.scores import PathBounds
from .cells import CellsProof
from .counts import CountedCell, Region, reads_last_letter
from .margins import AMOUNT, EXP, Margins, VisibleAmounts, shares_of

Word = tuple[int, ...]


def prove_suffixes(given: Decision[TrainedClaim, LastLetters]) -> Mapping[str, int]:
    """Prove all rows of all cases on all words, along the tree of suffixes; return counts.

    A leaf is about the words that end in its letters, a cut about the word of exactly these letters; longer words
    belong to its branches, each with one more letter in front, in the order of letters.

    Raises:
        Rejected: if a row is not proved.
        Malformed: if the tree is not one.
    """
    claim, proof, tree, budget = given.claim, SuffixProof(given), iter(given.evidence.tree), given.budget
    first = 1 if claim.read == "each" else claim.min_n
    waiting: list[Word] = [()]
    while waiting:
        suffix = waiting.pop()
        is_cut = next(tree, None)
        expect(is_cut is not None, "tree: it ends too early")
        if not is_cut:
            proof.prove_ending(suffix)
            continue
        if len(suffix) >= first:
            proof.prove_word(suffix)
        if len(suffix) < claim.max_n:
            budget.spend(len(claim.alphabet) * (1 + len(suffix)))
            budget.hold(len(claim.alphabet) * (ENTRY_BITS + 2 * POINTER_BITS * len(suffix)))
            waiting += [(letter, *suffix) for letter in reversed(range(len(claim.alphabet)))]
    expect(next(tree, None) is None, "tree: it goes on after its last leaf")
    return {"cells": proof.cells, "cells with rows": proof.cells_with_rows}


class SuffixProof(CellsProof):
    """Proof of rows; cells are the cuts and leaves of the tree."""

    def __init__(self, given: Decision[TrainedClaim, LastLetters]) -> None:
        super().__init__(given, slopes=True)
        self._weights = [Distances(self._margins, slope) for slope in self._margins.slopes]
        self._after = () if reads_last_letter(given.claim) else given.claim.after
        automaton = given.claim.automaton
        self._steps = automaton.steps if automaton else ((0,) * len(given.claim.alphabet),)
        self._start = automaton.start if automaton else 0
        self._reached = {self._start}
        waiting = [self._start]
        while waiting:
            new = set(self._steps[waiting.pop()]) - self._reached
            self._reached |= new
            waiting += new

    def prove_ending(self, suffix: Word) -> None:
        """Prove the rows of all words with this suffix, the suffix itself among them."""
        self._prove(suffix, self._reached, None)

    def prove_word(self, word: Word) -> None:
        """Prove the rows of one word."""
        counts = [word.count(letter) for letter in range(len(self._claim.alphabet))]
        self._prove(word, {self._start}, CountedCell(shares_of(counts), tuple((count, count) for count in counts)))

    def _prove(self, letters: Word, states: set[int], whole: CountedCell | None) -> None:
        """Prove the rows of the cases that may hold: of the word of these letters, or of all words that end in them."""
        self._budget.spend(1 + len(states) * (1 + len(letters)))
        for letter in letters:
            states = {self._steps[state][letter] for state in states}
        last = letters[-1] if letters and not self._after else None
        self.prove_cell(Region(last, (), frozenset(states)), whole,
                        partial(self.visible_amounts, letters, whole is not None))

    def visible_amounts(self, letters: Word, is_whole: bool) -> VisibleAmounts:
        """Return the amounts of tokens at the last token; of tokens before the suffix, any amount up to the tail."""
        tokens = [*(self._claim.tokens[letter] for letter in letters), *self._after]
        expect(tokens, "tree: the judged token is not determined")
        every = {*self._claim.tokens, *self._claim.before, *self._after}
        near = [*self._claim.before, *tokens] if is_whole else tokens
        self._budget.spend(len(self._weights) * (len(near) + len(every)))
        amounts = []
        for weights in self._weights:
            beyond = 0 if is_whole else weights.beyond(len(near))
            found = {token: PathBounds(0, beyond) for token in every}
            for distance, token in enumerate(reversed(near)):
                low, high = weights.at(distance)
                found[token] = PathBounds(found[token].least + low, found[token].greatest + high)
            amounts.append(found)
        return VisibleAmounts(amounts, tokens[-1])


class Distances:
    """e^(-m d) for distances d, m the slope of a head, in units of 2^-AMOUNT."""

    def __init__(self, margins: Margins, slope: Fraction) -> None:
        self._margins, self._slope = margins, slope
        self._found: list[PathBounds] = []
        require(self.at(1).greatest < 1 << AMOUNT, "lengths: a slope is too near 0")

    def at(self, distance: int) -> PathBounds:
        """Enclose the weight of a distance: m d lies between neighbouring numbers over 2^FRACTION."""
        while len(self._found) <= distance:
            scaled, by = self._slope.numerator * len(self._found) << FRACTION, self._slope.denominator
            low, high = self._margins.enclose_exp(scaled // by, -(-scaled // by))
            self._found.append(PathBounds(low >> EXP - AMOUNT, -(-high >> EXP - AMOUNT)))
        return self._found[distance]

    def beyond(self, distance: int) -> int:
        """Bound the sum of the weights of this distance and all greater ones: e^(-m d) / (1 - e^(-m))."""
        return -((-self.at(distance).greatest << AMOUNT) // ((1 << AMOUNT) - self.at(1).greatest))
