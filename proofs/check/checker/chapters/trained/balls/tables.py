"""Tables of the first attention: its sums for each token at each place, computed once per offset.

There streams depend on the token and its position alone. So they are computed at a precision that may be higher than
that of the words, and rounded to nearest where words use them. For a query (place, token) and each visible place, every
token that may occur there has one packed integer: for each head, its weight times (1, value). So the averages of a word
are one sum of integers. Weights are relative to the greatest score of all tokens that may occur; a word whose own
scores are all far below it has too small a sum of weights, and its averages are computed from its own keys and values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ....kernel.numbers import INTEGER_BITS
from .heads import HeadAverage, TokenProjections, VisibleBounds
from .precision import Stream, Undecided, ceil_norm, ceil_sqrt
from .stack import Stack

ENTRY_STEPS = 6  # work of an entry of a row, for each head


@dataclass(frozen=True)
class QueryTable:
    """Table of a query: for each place the packed sums by token; for each head the error of scores, and its bounds."""

    places: list[dict[int, int]]
    errors: list[tuple[int, VisibleBounds]]


class Tables:
    """Streams, and rows of weighed values, at an offset; ``possible_tokens[p]`` may occur at place p.

    ``stack`` is the network, or its part up to the first attention; ``words`` is the stack of the words.

    Raises:
        Undecided: if averages may exceed the bounds of ``words``.
    """

    def __init__(self, stack: Stack, words: Stack, offset: int, possible_tokens: Sequence[Sequence[int]]) -> None:
        self._stack, self._words, self._offset, self._possible_tokens = stack, words, offset, possible_tokens
        self._streams: dict[tuple[int, int], Stream] = {}
        self._started: dict[tuple[int, int], tuple[Stream, list[TokenProjections]]] = {}
        self._rows: dict[tuple[int, int], QueryTable] = {}
        heads = stack.blocks[0][0].heads if stack.blocks else []
        self._slots = sum(head.slots for head in heads)
        self._bits = words.precision.fraction
        for head, known in zip(heads, words.blocks[0][0].heads if heads else (), strict=True):
            if -(-head.values >> stack.precision.fraction - self._bits) + head.rounding > known.bound:
                raise Undecided
        self._entry_bits = INTEGER_BITS + self._slots * stack.precision.slot

    def start(self, place: int, token: int) -> Stream:
        """Return the stream before the first attention."""
        found = self._streams.get((place, token))
        if found is None:
            found = self._streams[place, token] = self._rounded(self._start(place, token)[0], self._words.starts)
        return found

    def _rounded(self, vector: Stream, bound: int) -> Stream:
        """Return a vector at the precision of the words: coordinates are rounded to nearest.

        Raises:
            Undecided: if its 2-norm exceeds its bound there.
        """
        bits = self._stack.precision.fraction - self._words.precision.fraction
        if not bits:
            return vector
        (x, e), half = vector, 1 << bits - 1
        rounded = [y + half >> bits for y in x]
        if ceil_norm(rounded) > bound:
            raise Undecided
        return rounded, (e >> bits) + 2 + ceil_sqrt(len(rounded)) // 2

    def _start(self, place: int, token: int) -> tuple[Stream, list[TokenProjections]]:
        """Return the unrounded stream and its projections in the first attention."""
        found = self._started.get((place, token))
        if found is None:
            stack = self._stack
            stack.budget.spend(1 + stack.cost)
            stack.budget.hold(stack.network.width * 4 * INTEGER_BITS)
            found = self._started[place, token] = stack.project_first(token, self._offset + place)
        return found

    def averages(self, place: int, tokens: Sequence[int]) -> list[HeadAverage]:
        """Return the average of each head of the first attention at a place of a word."""
        row, stack = self._rows.get((place, tokens[place])), self._stack
        stop = place + 1 if stack.network.masked else None
        if row is None:
            row = self._rows[place, tokens[place]] = self._make_row(place, tokens[place], self._possible_tokens[:stop])
            stack.budget.hold(self._entry_bits * sum(map(len, row.places)))
        visible = tokens[:stop]
        stack.budget.spend(1 + (len(visible) * self._slots >> 7))
        try:
            return self._split(row, visible)
        except Undecided:  # with weights relative to the greatest score of this word
            return self._split(self._make_row(place, tokens[place], [[token] for token in visible]), visible)

    def _split(self, row: QueryTable, visible: Sequence[int]) -> list[HeadAverage]:
        """Return the averages of the heads, whose sums are concatenated."""
        found, total = list[HeadAverage](), sum([sums[token] for sums, token in zip(row.places, visible, strict=False)])
        for head, (e_score, reach) in zip(self._stack.blocks[0][0].heads, row.errors, strict=True):
            bits = self._stack.precision.slot * head.slots
            sums = total & (1 << bits) - 1
            sums -= sums >> bits - 1 << bits  # their last slot may be negative
            total = total - sums >> bits
            found.append(head.average(sums, e_score, reach, len(visible), self._bits))
        return found

    def _make_row(self, place: int, token: int, possible_tokens: Sequence[Sequence[int]]) -> QueryTable:
        stack, slot = self._stack, self._stack.precision.slot
        candidates = [other for those in possible_tokens for other in those]
        places = [p for p, those in enumerate(possible_tokens) for _ in those]
        visible = [self._start(p, other)[1] for p, other in zip(places, candidates, strict=True)]
        heads = stack.blocks[0][0].heads
        stack.budget.spend(ENTRY_STEPS * stack.precision.level * len(heads) * len(places))
        sums, errors, shift = [0] * len(places), [], 0
        for h, (head, query) in enumerate(zip(heads, self._start(place, token)[1], strict=True)):
            projections = [one[h] for one in visible]
            reach = VisibleBounds().extend(*[one.reach for one in projections])
            scores, score_errors = head.all_scores(query, projections, reach, places, place)
            weights = (head.weights(stack.exponentials, scores, max(scores)) if head.attends is None
                       else head.equal_weights(candidates))
            if not any(weights):  # no token is attended to
                weights = [(one == (place, token)) << head.weight_bits for one in zip(places, candidates, strict=True)]
            sums = [so_far + (w * head.weigh(one.value, one.reach.value_error, e) << shift)
                    for so_far, w, one, e in zip(sums, weights, projections, score_errors, strict=True)]
            errors.append((max(score_errors), reach))
            shift += slot * head.slots
        each = iter(sums)
        return QueryTable([{other: next(each) for other in those} for those in possible_tokens], errors)
