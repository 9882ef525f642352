"""Traversal of the prefix tree of all words of one length, with shared computations.

Method      Layers before the first one with a head that is not future-masked depend only on the prefix up to i: they
            are run on the prefix tree, depth first; the others are run word by word. Later positions depend on a prefix
            through ids of keys and values only; a prefix whose ids occurred before, at the same depth, is skipped. The
            traversal is in the order of words, so first occurrences are found first.
"""

from collections.abc import Sequence

from proofs.softened.hash_consing import Memo
from proofs.softened.stack import Stack

PrefixIds = tuple[tuple[int, ...], ...]
"""For each head below the ids of the keys and values so far; last, those of the vectors for the layers above."""


class PrefixTreeTraversal:
    """One traversal of the prefix tree."""

    def __init__(self, stack: Stack):
        self._n, self._letters, self._starts, self._gaps = stack.n, len(stack.starts[0]), stack.starts, stack.gaps
        self._below, self._above = stack.layers[: stack.below], stack.layers[stack.below :]
        self._visited: list[Memo[PrefixIds, list[bool]]] = [Memo(lambda _: []) for _ in range(stack.n + 1)]

    def run(self, prefix: Sequence[int]) -> None:
        """Visit all words with this prefix, in order, up to the first one with a tie."""
        ids: PrefixIds = ((),) * (sum(len(layer.heads) for layer in self._below) + 1)
        for i, letter in enumerate(prefix, start=1):
            ids = self._extend(ids, i, letter)
        self._visit(ids, len(prefix))

    def _visit(self, ids: PrefixIds, depth: int) -> None:
        """Visit the words with a prefix, unless one with the same ids was visited before."""
        if depth == self._n:
            self._run_above(ids[-1])
            return
        visited = self._visited[depth][ids]
        if visited:
            return
        visited.append(True)
        for letter in range(self._letters):
            self._visit(self._extend(ids, depth + 1, letter), depth + 1)
            if self._gaps.tie:
                return
        self._gaps.word[depth] = 0

    def _extend(self, ids: PrefixIds, i: int, letter: int) -> PrefixIds:
        """Run the layers below at position i with this letter."""
        self._gaps.word[i - 1], self._gaps.i = letter, i
        vector = self._starts[i - 1][letter]
        longer: list[tuple[int, ...]] = []
        for layer in self._below:
            step = [vector]
            for outcomes, (query, seen) in zip(layer.outcomes, layer.read[vector], strict=True):
                visible = (*ids[len(longer)], seen)
                longer.append(visible)
                step.append(outcomes[query, visible])
            vector = layer.steps[tuple(step)]
        longer.append((*ids[-1], vector) if self._above else ())
        return tuple(longer)

    def _run_above(self, vectors: tuple[int, ...]) -> None:
        """Run the layers above on one word."""
        for layer in self._above:
            read = [layer.read[vector] for vector in vectors]
            steps: list[list[int]] = [[vector] for vector in vectors]
            for place, (mask, outcomes) in enumerate(zip(layer.masks, layer.outcomes, strict=True)):
                seen = tuple([at[place][1] for at in read])
                for i, (at, step) in enumerate(zip(read, steps, strict=True), start=1):
                    self._gaps.i = i
                    visible = mask.visible(i, self._n)
                    step.append(outcomes[at[place][0], seen[visible.start - 1 : visible.stop - 1]])
            vectors = tuple([layer.steps[tuple(step)] for step in steps])
