"""Every word of one length, one after another; a word reuses the prefix that it shares with the previous one."""

from collections.abc import Sequence
from itertools import accumulate, takewhile

from .layers import LayerAtLength
from .lengths import TransformerAtLength
from .memoisation import History, ResidualVector
from .prefixes import Word


def common_prefix(one: Word, other: Word) -> int:
    """Return the length of the common prefix of two words."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


class WordByWord:
    """A run of the words of a length, one by one.

    Attributes:
        words: the number of words that were run.
        position: the current position, for messages.
    """

    def __init__(self, at: TransformerAtLength) -> None:
        self.at, self.words, self.position = at, 0, 0
        self._word: Word = ()
        self._seen: list[list[list[History]]] = [[layer.start for layer in at.shared]]  # by position, layer and head
        self._reached: list[ResidualVector] = []  # by position, the output of the shared layers

    def run(self, word: Word) -> None:
        """Run all layers at all positions of a word."""
        kept = common_prefix(word, self._word)
        del self._seen[kept + 1 :], self._reached[kept:]
        for self.position in range(kept + 1, len(word) + 1):
            self._step(word[self.position - 1])
        self._word, vectors = word, self._reached
        for layer in self.at.rest:
            vectors = self._pass_all(layer, vectors)
        self.words += 1

    def _step(self, symbol: str) -> None:
        """Run the shared layers at the current position; their heads see it and all positions to the left."""
        vector, grown = self.at.cells[self.position - 1][symbol], []
        for layer, histories in zip(self.at.shared, self._seen[-1], strict=True):
            grown.append(layer.see(histories, vector))
            vector = layer.pass_on(vector, grown[-1])
        self._seen.append(grown)
        self._reached.append(vector)

    def _pass_all(self, layer: LayerAtLength, vectors: Sequence[ResidualVector]) -> list[ResidualVector]:
        """Return the outputs of a layer at the positions of the word; each head sees what its mask allows."""
        from_left = list(accumulate(vectors, layer.see, initial=layer.start))[1:]
        from_right = from_left
        if "past" in layer.masks:
            from_right = list(accumulate(reversed(vectors), layer.see, initial=layer.start))[:0:-1]
        chosen = []
        for place, vector in enumerate(vectors):
            self.position = place + 1
            sides = {"future": from_left[place], "past": from_right[place], "none": from_left[-1]}
            chosen.append(layer.pass_on(vector, [sides[mask][k] for k, mask in enumerate(layer.masks)]))
        return chosen
