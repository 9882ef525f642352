"""Proofs of words with adaptive precision: a word whose error bound is too large is run again with more bits."""

from collections.abc import Callable, Mapping, Sequence

from ....kernel.verdicts import Rejected, require
from ..reading.dyadics import Matrix
from ..reading.network import LogitRow, Network
from .precision import HIGHEST, LOWEST, Logits, Precision, Undecided
from .prefix_tree import Traversal, make_traversal
from .stack import Stack, up_to_attention

ProvesRows = Callable[[Sequence[int], Mapping[int, Sequence[int]]], None]
"""Check that at places of an input these rows are above the margin, like `Runner.prove`; raise Rejected otherwise."""

PATIENCE = 16  # words that needed a higher precision, less those that did not, before runs begin there


class Stacks:
    """The network in ball arithmetic at each precision, made on demand, with or without rows."""

    def __init__(self, network: Network, rows: Sequence[LogitRow],
                 make: Callable[[Precision, Network, Sequence[LogitRow]], Stack]) -> None:
        self.network, self._rows, self._make = network, rows, make
        self._made: dict[tuple[int, bool], Stack | None] = {}
        self._norms: dict[Matrix, int] = {}

    def at(self, level: int) -> Stack:
        """Return the network at a precision.

        Raises:
            Undecided: if its numbers do not fit their slots.
        """
        return self._find(level, is_whole=True)

    def beginning(self, level: int) -> Stack:
        """Return the network at the precision; at precision 0 its part up to the first attention at precision 1.

        Raises:
            Undecided: if its numbers do not fit their slots.
        """
        is_whole = level > LOWEST or not self.at(level).blocks
        return self._find(level if is_whole else LOWEST + 1, is_whole)

    def _find(self, level: int, is_whole: bool) -> Stack:
        if (level, is_whole) not in self._made:
            self._made[level, is_whole] = None
            part = (self.network, self._rows) if is_whole else (up_to_attention(self.network), ())
            self._made[level, is_whole] = self._make(Precision(level, self._norms), *part)
        stack = self._made[level, is_whole]
        if stack is None:
            raise Undecided
        return stack


class Runner:
    """Proofs of words at one offset; ``possible_tokens[p]`` has the tokens that may occur at place p of the input.

    Runs begin at precision 0, until `PATIENCE` more words needed a higher one than did not.
    """

    def __init__(self, stacks: Stacks, offset: int, possible_tokens: Sequence[Sequence[int]]) -> None:
        self._stacks, self._offset, self._possible_tokens = stacks, offset, possible_tokens
        self._traversals: dict[int, Traversal] = {}
        self._first, self._failed = LOWEST, 0

    def logits(self, level: int, tokens: Sequence[int], places: Sequence[int]) -> dict[int, Logits]:
        """Return the logits at these places of a word, at a precision.

        Raises:
            Undecided: if an error bound is too large.
        """
        if level not in self._traversals:
            stack, beginning = self._stacks.at(level), self._stacks.beginning(level)
            self._traversals[level] = make_traversal(stack, beginning, self._offset, self._possible_tokens)
        return self._traversals[level].logits(tokens, places)

    def prove(self, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        """Check that at each place the needed rows are above the margin.

        Raises:
            Rejected: if one is not, or is not decided at the highest precision.
        """
        for level in range(self._first, HIGHEST + 1):
            try:
                self.prove_at(level, tokens, needed)
            except Undecided:
                continue
            self._failed = max(0, self._failed + (1 if level > self._first else -1))
            if self._failed > PATIENCE:
                self._first, self._failed = level, 0
            return
        raise Rejected("a row is not decided at the highest precision")

    def prove_at(self, level: int, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        """Check the same at one precision.

        Raises:
            Rejected: if a row is not above the margin.
            Undecided: if that is not decided.
        """
        found = self.logits(level, tokens, [*needed])
        known = self._stacks.at(level).rows
        least = known.least
        for place, rows in needed.items():
            for row, (value, error) in zip(rows, known.values(found[place], rows), strict=True):
                if value - error <= least[row]:
                    require(value + error > least[row], "the row {} is not above the margin", row + 1)
                    raise Undecided
