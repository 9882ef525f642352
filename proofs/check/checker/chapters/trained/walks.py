"""Words through the network: a walk goes from word to word, and keeps what they share.

Logits, and how far off they may be, are found at judged places only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .memory import AttentionMemory
from .precision import Undecided
from .stack import Logits, Stack, Stream, pass_all, pass_on
from .tables import Tables


class CausalWalk:
    """Words with a common prefix share it; one more token is one more place in every memory."""

    def __init__(self, stack: Stack, tables: Tables, offset: int) -> None:
        self._stack, self._tables, self._offset = stack, tables, offset
        self._memories = [AttentionMemory(stack, attention) for attention, _ in stack.blocks[1:]]
        self._tokens: list[int] = []
        self._found: list[Logits | None] = []

    def logits(self, tokens: Sequence[int], judged: Collection[int]) -> dict[int, Logits]:
        """The logits at the judged places of a word.

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
        """How many places are as they are needed."""
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
        """The last stream of the new token; None if only its last key and value are needed."""
        blocks, stack = self._stack.blocks, self._stack
        stack.budget.spend(1 + (stack.cost if is_judged or len(blocks) > 1 else 0))
        stream, seen = self._tables.start(place, token), []
        for number, (attention, alone) in enumerate(blocks):
            if number:
                seen = attention.see(stream, self._offset + place, is_judged or number < len(blocks) - 1)
                self._memories[number - 1].add(seen)
            if number == len(blocks) - 1 and not is_judged:
                return None
            averages = (self._memories[number - 1].averages(seen, place) if number
                        else self._tables.averages(place, self._tokens))
            stream = pass_on(alone, attention.write(stream, averages))
        return stream


class BidirectionalWalk:
    """Each word is run alone; after the last attention only judged places are."""

    def __init__(self, stack: Stack, tables: Tables, offset: int) -> None:
        self._stack, self._tables, self._offset = stack, tables, offset

    def logits(self, tokens: Sequence[int], judged: Collection[int]) -> dict[int, Logits]:
        """The logits at the judged places of a word.

        Raises:
            Undecided: if an error bound is too large.
        """
        stack, places = self._stack, range(len(tokens))
        stack.budget.spend((1 + stack.cost) * len(tokens))
        streams = {place: self._tables.start(place, tokens[place]) for place in places}
        for number, (attention, alone) in enumerate(stack.blocks):
            wanted = places if number < len(stack.blocks) - 1 else judged
            if number:
                seen = [attention.see(streams[place], self._offset + place, place in wanted) for place in places]
                memory = AttentionMemory(stack, attention)
                for one in seen:
                    memory.add(one)
                averages = {place: memory.averages(seen[place], place) for place in wanted}
                memory.cut(0)
            else:
                averages = {place: self._tables.averages(place, tokens) for place in wanted}
            streams = {place: pass_on(alone, attention.write(streams[place], averages[place])) for place in wanted}
        return {place: stack.rows.logits(streams[place]) for place in judged}


class WholeWalk:
    """Each word is run alone, at all places, as a step may need them together."""

    def __init__(self, stack: Stack, offset: int) -> None:
        self._stack, self._offset = stack, offset

    def logits(self, tokens: Sequence[int], judged: Collection[int]) -> dict[int, Logits]:
        """The logits at the judged places of a word.

        Raises:
            Undecided: if an error bound is too large.
        """
        stack = self._stack
        stack.budget.spend((1 + stack.cost) * len(tokens))
        streams = pass_all(stack.stem, [stack.embed(token, self._offset + place) for place, token in enumerate(tokens)])
        for attention, alone in stack.blocks:
            seen = [attention.see(stream, self._offset + place, asks=True) for place, stream in enumerate(streams)]
            memory = AttentionMemory(stack, attention)
            try:
                for one in () if stack.network.masked else seen:
                    memory.add(one)
                written = []
                for place, (stream, one) in enumerate(zip(streams, seen, strict=True)):
                    if stack.network.masked:
                        memory.add(one)
                    written.append(attention.write(stream, memory.averages(one, place)))
            finally:
                memory.cut(0)
            streams = pass_all(alone, written)
        return {place: stack.rows.logits(streams[place]) for place in judged}


Walk = CausalWalk | BidirectionalWalk | WholeWalk


def make_walk(stack: Stack, beginning: Stack, offset: int, may_stand: Sequence[Sequence[int]]) -> Walk:
    """A walk at an offset; ``may_stand`` has the tokens that may stand at each place of the input.

    ``beginning`` is the stack, or that of the network up to its first attention at a higher precision.
    """
    if stack.network.of_input:
        return WholeWalk(stack, offset)
    kind = CausalWalk if stack.network.causal else BidirectionalWalk
    return kind(stack, Tables(beginning, stack, offset, may_stand), offset)
