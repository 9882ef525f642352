"""All words of one length, one by one, sharing what they have in common.

Method      Layers up to the first one with a head that is not future-masked see only the prefix up to i: they are
            run on the tree of prefixes, depth first, the others word by word. What a prefix shows to later positions
            are ids of keys and values; where these have occurred before, at the same depth, so has all that
            follows, and it is skipped. The tree is walked in the order of words, so what occurs first is found first.
"""

from collections.abc import Sequence

from proofs.softened.hash_consing import Memo
from proofs.softened.stack import Stack

Shown = tuple[tuple[int, ...], ...]
"""For each head below: the ids of the keys and values so far; at the end, those of the vectors above."""


class Walk:
    """One walk over the tree of words."""

    def __init__(self, stack: Stack):
        self._n, self._letters, self._starts, self._leads = stack.n, len(stack.starts[0]), stack.starts, stack.leads
        self._below, self._above = stack.layers[: stack.below], stack.layers[stack.below :]
        self._shown: list[Memo[Shown, list[bool]]] = [Memo(lambda _: []) for _ in range(stack.n + 1)]

    def run(self, prefix: Sequence[int]) -> None:
        """Visit all words with this prefix, in order, up to the first one with a tie."""
        shown: Shown = ((),) * (sum(len(layer.heads) for layer in self._below) + 1)
        for i, letter in enumerate(prefix, start=1):
            shown = self._extend(shown, i, letter)
        self._visit(shown, len(prefix))

    def _visit(self, shown: Shown, depth: int) -> None:
        """Visit the words that go on from a prefix; nothing if another one has shown the same before."""
        if depth == self._n:
            self._run_above(shown[-1])
            return
        visited = self._shown[depth][shown]
        if visited:
            return
        visited.append(True)
        for letter in range(self._letters):
            self._visit(self._extend(shown, depth + 1, letter), depth + 1)
            if self._leads.tie:
                return
        self._leads.word[depth] = 0

    def _extend(self, shown: Shown, i: int, letter: int) -> Shown:
        """Run the layers below at position i, with this letter there."""
        self._leads.word[i - 1], self._leads.i = letter, i
        vector = self._starts[i - 1][letter]
        longer: list[tuple[int, ...]] = []
        for layer in self._below:
            step = [vector]
            for outcomes, (query, seen) in zip(layer.outcomes, layer.read[vector], strict=True):
                visible = (*shown[len(longer)], seen)
                longer.append(visible)
                step.append(outcomes[query, visible])
            vector = layer.steps[tuple(step)]
        longer.append((*shown[-1], vector) if self._above else ())
        return tuple(longer)

    def _run_above(self, vectors: tuple[int, ...]) -> None:
        """Run the layers above on one word."""
        for layer in self._above:
            read = [layer.read[vector] for vector in vectors]
            steps: list[list[int]] = [[vector] for vector in vectors]
            for place, (mask, outcomes) in enumerate(zip(layer.masks, layer.outcomes, strict=True)):
                seen = tuple([at[place][1] for at in read])
                for i, (at, step) in enumerate(zip(read, steps, strict=True), start=1):
                    self._leads.i = i
                    visible = mask.visible(i, self._n)
                    step.append(outcomes[at[place][0], seen[visible.start - 1 : visible.stop - 1]])
            vectors = tuple([layer.steps[tuple(step)] for step in steps])
