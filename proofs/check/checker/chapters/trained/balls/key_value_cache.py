"""Key-value cache of an attention step after the first."""

from collections.abc import Sequence
from operator import add, mul

from ....kernel.numbers import INTEGER_BITS
from .heads import HeadAverage, HeadOnNumbers, TokenProjections, VisibleBounds
from .stack import AttentionOnNumbers, Stack


class AttentionMemory:
    """Keys and values of each head at the places so far; the last can be removed."""

    def __init__(self, stack: Stack, attention: AttentionOnNumbers, bits: int) -> None:
        """Make an empty cache; averages are over 2^bits."""
        self._bits_of_average = bits
        self._stack, self._heads = stack, attention.heads
        self._tokens: list[int] = []
        self._kept: list[tuple[list[list[int]], list[int], list[VisibleBounds]]] = [
            ([[0] * head.key.width], [], [VisibleBounds()]) for head in self._heads]

    def add(self, projections: Sequence[TokenProjections], token: int) -> None:
        """Append a place, which has this token."""
        self._tokens.append(token)
        for head, one, (keys, values, reach) in zip(self._heads, projections, self._kept, strict=True):
            self._stack.budget.hold(self._bits_from(head, len(values), len(values) + 1))
            keys.append(list(map(add, keys[-1], head.placed_key(one.key, len(values)))))
            values.append(head.weigh(one.value, one.reach.value_error))
            reach.append(reach[-1].extend(one.reach))

    def fill(self, places: Sequence[Sequence[TokenProjections]], tokens: Sequence[int]) -> None:
        """Append all places, with these tokens, at once to an empty cache."""
        self._tokens += tokens
        each = zip(self._heads, zip(*places, strict=True), self._kept, strict=True)
        for head, projections, (keys, values, reach) in each:
            self._stack.budget.hold(self._bits_from(head, 0, len(projections)))
            keys.append(head.beside(one.key for one in projections))
            values += [head.weigh(one.value, one.reach.value_error) for one in projections]
            reach.append(VisibleBounds().extend(*[one.reach for one in projections]))

    def cut(self, length: int) -> None:
        """Remove all but the first ``length`` places."""
        del self._tokens[length:]
        for head, (keys, values, reach) in zip(self._heads, self._kept, strict=True):
            self._stack.budget.release(self._bits_from(head, length, len(values)))
            del keys[length + 1:], values[length:], reach[length + 1:]

    def _bits_from(self, head: HeadOnNumbers, first: int, end: int) -> int:
        """Return the bits of memory that these places add: for each all keys up to it packed, and a value."""
        slot = self._stack.precision.slot
        each = (head.key.width + 1) * INTEGER_BITS + head.slots * slot
        return (end - first) * each + head.key.width * slot * ((end * (end + 1) - first * (first + 1)) // 2)

    def averages(self, projections: Sequence[TokenProjections], place: int) -> list[HeadAverage]:
        """Return each head's average over all places so far, for the query at a place."""
        found: list[HeadAverage] = []
        for head, one, (keys, values, reach) in zip(self._heads, projections, self._kept, strict=True):
            self._stack.budget.spend(1 + (len(values) * (16 + head.key.width + head.width) >> 4))
            scores = head.scores(one.query, keys[-1], len(values), range(len(values)), place)
            weights = head.weights(self._stack.exponentials, scores, max(scores))
            if head.attends is not None:
                weights = head.equal_weights(self._tokens)
                if not any(weights):
                    weights[place] = 1 << head.weight_bits
            found.append(head.average(sum(map(mul, weights, values)), head.score_error(one, reach[-1], scores),
                                      reach[-1], len(values), self._bits_of_average))
        return found
