"""What a later attention remembers of the places that it has met, one after another."""

from __future__ import annotations

from operator import add, mul

from .stack import AttentionOnNumbers, Seen, Stack
from .tables import Average


class Memory:
    """Keys and values of each head at the places so far; what was added last can be forgotten first."""

    def __init__(self, stack: Stack, attention: AttentionOnNumbers) -> None:
        self._stack, self._heads = stack, attention.heads
        self._keys = [[[0] * head.key.width] for head in self._heads]
        self._values: list[list[int]] = [[] for _ in self._heads]
        self._errors = [[(0, 0)] for _ in self._heads]

    def add(self, seen: Seen) -> None:
        """One more place."""
        for h, head in enumerate(self._heads):
            place = len(self._values[h])
            self._keys[h].append(list(map(add, self._keys[h][-1], head.spread(seen.keys[h], place))))
            self._values[h].append(head.weigh(seen.values[h]))
            e_key, e_value = self._errors[h][-1]
            self._errors[h].append((max(e_key, seen.errors[h][1]), max(e_value, seen.errors[h][2])))

    def cut(self, length: int) -> None:
        """Forgets all but the first places."""
        for keys, values, errors in zip(self._keys, self._values, self._errors, strict=True):
            del keys[length + 1:], values[length:], errors[length + 1:]

    def averages(self, seen: Seen, place: int) -> list[Average]:
        """What each head makes of all places so far, for the query at a place."""
        found: list[Average] = []
        for h, head in enumerate(self._heads):
            count = len(self._values[h])
            scores = head.scores(seen.queries[h], self._keys[h][-1], count, range(count), place)
            weights = head.weights(self._stack.exponentials, scores, max(scores))
            total = sum(map(mul, weights, self._values[h]))
            halves = self._stack.precision.upper_halves(total, 1 + head.width)
            e_key, e_value = self._errors[h][-1]
            found.append(head.average(halves, head.score_error(seen.errors[h][0], e_key), e_value, count))
        return found
