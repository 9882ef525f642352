"""Execution of words one after another, in a prefix tree: results of shared prefixes are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from .key_value_cache import AttentionMemory
from .precision import Logits, Stream, Undecided
from .stack import Stack, pass_on
from .tables import Tables

if TYPE_CHECKING:
    from .whole_words import WholeWordTraversal


class PrefixTreeTraversal:
    """Causal networks: words share their common prefix; a token appends one place to every key-value cache."""

    def __init__(self, stack: Stack, tables: Tables, offset: int) -> None:
        self._stack, self._tables, self._offset = stack, tables, offset
        bits = stack.precision.fraction
        self._memories = [AttentionMemory(stack, attention, bits) for attention, _ in stack.blocks[1:]]
        self._tokens: list[int] = []
        self._found: list[Logits | None] = []

    def logits(self, tokens: Sequence[int], judged: Collection[int]) -> dict[int, Logits]:
        """Return the logits at the judged places of a word.

        Raises:
            Undecided: if an error bound is too large.
        """
        self._cut(self._shared(tokens, judged))
        for place in range(len(self._tokens), len(tokens)):
            try:
                self._push(tokens[place], place in judged)
            except Undecided:
                self._cut(place)
                raise
        return {place: found for place in judged for found in [self._found[place]] if found is not None}

    def _shared(self, tokens: Sequence[int], judged: Collection[int]) -> int:
        """Return how many leading places can be kept: same tokens, with logits where judged."""
        for place, (one, other) in enumerate(zip(tokens, self._tokens, strict=False)):
            if one != other or (place in judged and self._found[place] is None):
                return place
        return min(len(tokens), len(self._tokens))

    def _cut(self, length: int) -> None:
        del self._tokens[length:], self._found[length:]
        for memory in self._memories:
            memory.cut(length)

    def _push(self, token: int, is_judged: bool) -> None:
        place = len(self._tokens)
        self._tokens.append(token)
        self._found.append(None)
        stream = self._pass_all(place, token, is_judged)
        if stream is not None:
            self._found[place] = self._stack.rows.logits(stream)

    def _pass_all(self, place: int, token: int, is_judged: bool) -> Stream | None:
        """Return the last stream of the new token; None if only its last key and value are needed."""
        blocks, stack = self._stack.blocks, self._stack
        stack.budget.spend(1 + (stack.cost if is_judged or len(blocks) > 1 else 0))
        stream, projections = self._tables.start(place, token), []
        for number, (attention, steps) in enumerate(blocks):
            if number:
                projections = attention.project(stream, self._offset + place, is_judged or number < len(blocks) - 1)
                self._memories[number - 1].add(projections, token)
            if number == len(blocks) - 1 and not is_judged:
                return None
            averages = (self._memories[number - 1].averages(projections, place) if number
                        else self._tables.averages(place, self._tokens))
            stream = pass_on(steps, attention.write(stream, averages))
        return stream


Traversal: TypeAlias = "PrefixTreeTraversal | WholeWordTraversal"


def make_traversal(stack: Stack, beginning: Stack, offset: int, possible_tokens: Sequence[Sequence[int]]) -> Traversal:
    """Return a traversal at an offset; ``possible_tokens[p]`` has the tokens that may occur at place p of the input.

    ``beginning`` is the stack, or the network up to its first attention at a higher precision.
    """
    tables = Tables(beginning, stack, offset, possible_tokens)
    if stack.network.causal:
        return PrefixTreeTraversal(stack, tables, offset)
    from .whole_words import WholeWordTraversal

    return WholeWordTraversal(stack, tables, offset)
