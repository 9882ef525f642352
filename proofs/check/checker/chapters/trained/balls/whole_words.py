"""Execution of each word by itself."""

from collections.abc import Collection, Sequence

from .heads import HeadAverage
from .key_value_cache import AttentionMemory
from .precision import Logits, Stream
from .stack import AttentionOnNumbers, Stack, pass_all
from .tables import Tables


class WholeWordTraversal:
    """Other networks: each word by itself, after the last attention judged places only (all if a range needs them)."""

    def __init__(self, stack: Stack, tables: Tables, offset: int) -> None:
        self._stack, self._tables, self._offset = stack, tables, offset

    def logits(self, tokens: Sequence[int], judged: Collection[int]) -> dict[int, Logits]:
        """Return the logits at the judged places of a word.

        Raises:
            Undecided: if an error bound is too large.
        """
        stack, places, of_input = self._stack, range(len(tokens)), self._stack.network.of_input
        stack.budget.spend((1 + stack.cost) * len(tokens))
        if of_input:
            embedded = [stack.embed(token, self._offset + place) for place, token in enumerate(tokens)]
            streams = dict(enumerate(pass_all(stack.stem, embedded)))
        else:
            streams = {place: self._tables.start(place, tokens[place]) for place in places}
        for number, (attention, steps) in enumerate(stack.blocks):
            needed = places if of_input or number < len(stack.blocks) - 1 else judged
            averages = (self._averages(attention, [streams[place] for place in places], tokens, needed)
                        if number or of_input
                        else [self._tables.averages(place, tokens) for place in needed])
            written = [attention.write(streams[place], one) for place, one in zip(needed, averages, strict=True)]
            streams = dict(zip(needed, pass_all(steps, written), strict=True))
        return {place: stack.rows.logits(streams[place]) for place in judged}

    def _averages(self, attention: AttentionOnNumbers, streams: Sequence[Stream], tokens: Sequence[int],
                  needed: Collection[int]) -> list[list[HeadAverage]]:
        """Return, for each wanted place, each head's average over all places, or over those so far if causal."""
        projections = [attention.project(x, self._offset + place, place in needed) for place, x in enumerate(streams)]
        memory, found = AttentionMemory(self._stack, attention, self._stack.precision.fraction), {}
        if not self._stack.network.masked:
            memory.fill(projections, tokens)
            found = {place: memory.averages(projections[place], place) for place in needed}
        else:
            for place, (one, token) in enumerate(zip(projections, tokens, strict=True)):
                memory.add(one, token)
                if place in needed:
                    found[place] = memory.averages(one, place)
        memory.cut(0)
        return [found[place] for place in needed]
