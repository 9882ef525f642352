"""Every word of one length, one after another; each begins where it leaves the word before."""

from collections.abc import Sequence
from itertools import accumulate, takewhile

from .layers import LayerAtLength
from .lengths import TransformerAtLength
from .memoisation import History, ResidualVector
from .prefixes import Word


def common_prefix(one: Word, other: Word) -> int:
    """How many symbols two words have in common before they differ."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


class WordByWord:
    """A way through the words of a length.

    Attributes:
        words: how many were run.
        position: where the walk is, for messages.
    """

    def __init__(self, at: TransformerAtLength) -> None:
        self.at, self.words, self.position = at, 0, 0
        self._word: Word = ()
        self._seen: list[list[list[History]]] = [[layer.start for layer in at.shared]]  # by position, layer and head
        self._reached: list[ResidualVector] = []  # by position, what comes out of the shared layers

    def run(self, word: Word) -> None:
        """All layers at all positions of a word."""
        kept = common_prefix(word, self._word)
        del self._seen[kept + 1 :], self._reached[kept:]
        for self.position in range(kept + 1, len(word) + 1):
            self._step(word[self.position - 1])
        self._word, vectors = word, self._reached
        for layer in self.at.rest:
            vectors = self._pass_all(layer, vectors)
        self.words += 1

    def _step(self, symbol: str) -> None:
        """The shared layers at the position: their heads see what is to the left of it, and what is there."""
        vector, grown = self.at.cells[self.position - 1][symbol], []
        for layer, histories in zip(self.at.shared, self._seen[-1], strict=True):
            grown.append(layer.see(histories, vector))
            vector = layer.pass_on(vector, grown[-1])
        self._seen.append(grown)
        self._reached.append(vector)

    def _pass_all(self, layer: LayerAtLength, vectors: Sequence[ResidualVector]) -> list[ResidualVector]:
        """What comes out of a layer at the positions of the word; each head sees what its mask lets it see."""
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
