"""A unit of the cover: one offset, one graph, levels first … last; the ranges of each step, and bounds of the rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.classes.attention import AttendedHead, KeyLevels, Queries
from proofs.trained.classes.directions import Directions
from proofs.trained.classes.forms import Forms, added, after_units, exact, linear, normed
from proofs.trained.classes.paths import LEAST_WEIGHT, Ends, Skeleton, Terms, longest
from proofs.trained.forward import FloatAttention, FloatNetwork, FloatNorm, FloatStep

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

BITS = 24
ROOM = 2  # units of 2^-bits by which every range is widened, for the checker's roundings
PART_OF_WIDTH = 2**-7
LARGEST = 2**31 - 1
WEIGHT_ROUNDING = 2**-42
"""Error bound of a weight, relative to the greatest one; with room for differences to the checker's."""


class TooLarge(ArithmeticError):
    """A range that does not fit into 32 bits; with ``bits`` fractional bits it does."""

    def __init__(self, bits: int) -> None:
        super().__init__("the bounds overflow")
        self.bits = bits


@dataclass(frozen=True)
class HeadRanges:
    """One head of the last attention step: ranges [queries, directions] (centre, half), and its first symbol."""

    head: AttendedHead
    out: Array
    directions: Array
    centre: Array
    half: Array
    symbol: int


@dataclass(frozen=True)
class Evaluated:
    """An evaluated unit: integers for the certificate, and forms of the streams at the asked nodes.

    ``ranges`` are [nodes, heads' directions, 2] for each step, for the nodes ``ranged``, in the certificate's order
    (tokens before the word are (0, index - their number + 1)); ``streams`` follow ``queries`` (deepest first),
    whose nodes in the graph are ``nodes``; ``heads`` are those of the last attention step, ``entering`` the streams
    before it and ``bias`` what it adds to all of them; ``tail`` are the steps after it.
    """

    skeleton: Skeleton
    bits: int
    ranges: tuple[NDArray[np.int32], ...]
    ranged: tuple[list[tuple[int, int]], ...]
    queries: Queries
    nodes: list[tuple[int, int]]
    streams: Forms
    heads: tuple[HeadRanges, ...]
    entering: Forms
    bias: Array | None
    tail: tuple[FloatStep, ...]

    def streams_within(self, queries: Indices, boxes: Array) -> Forms:
        """Return the streams at some queries, each on the words whose averages are in its box.

        ``boxes`` are [queries, heads' directions, 2], head by head.
        """
        heads, first = [], 0
        for head in self.heads:
            own = boxes[:, first : first + len(head.directions)]
            heads.append(replace(head, centre=own.mean(axis=2), half=(own[..., 1] - own[..., 0]) / 2))
            first += len(head.directions)
        streams = written(self.entering.only(queries), heads, self.bias)
        for step in self.tail:
            streams = alone(step, streams)
        return streams

    def ranges_of(self, part: Skeleton) -> tuple[NDArray[np.int32], ...]:
        """Return the ranges that a unit of some of the asked nodes needs."""
        reaching = {(depth, int(node)) for depth, level in enumerate(part.levels) for node in level.nodes}
        kept = [{(0, node) for depth, node in nodes if not depth} | reaching for nodes in self.ranged]
        kept[-1] = set(part.asked)
        return tuple(numbers[[node in chosen for node in nodes]] for numbers, nodes, chosen
                     in zip(self.ranges, self.ranged, kept, strict=True))  # fmt: skip


def evaluate(floats: FloatNetwork, claim: WordsClaim, skeleton: Skeleton, offset: int, directions: Directions,
             bits: int = BITS) -> Evaluated:
    """Compute the ranges of all steps, with as many fractional bits as fit, at most these.

    Raises:
        ArithmeticError: if a range is infinite, or does not fit into 32 bits as an integer.
    """
    while True:
        try:
            return _Unit(floats, claim, skeleton, offset, directions, bits).run()
        except TooLarge as error:
            bits = error.bits
            if bits < 0:
                raise


class _Unit:
    """One pass through the network."""

    def __init__(self, floats: FloatNetwork, claim: WordsClaim, skeleton: Skeleton, offset: int, directions: Directions,
                 bits: int) -> None:  # fmt: skip
        self.floats, self.claim, self.skeleton, self.offset = floats, claim, skeleton, offset
        self.directions, self.bits = directions, bits
        self.ranges: list[NDArray[np.int32]] = []
        self.ranged: list[list[tuple[int, int]]] = []

    def run(self) -> Evaluated:
        columns, tokens = self._letter_columns()
        forms = exact(self.floats.embedded(tokens, columns.numbers))
        attention_steps = 0
        heads: tuple[HeadRanges, ...] = ()
        entering, bias = forms, None
        nothing = np.zeros(0, np.intp)
        queries, nodes = Queries(nothing, nothing, Ends(nothing, nothing, nothing)), self.skeleton.asked
        for place, step in enumerate(self.floats.steps):
            if isinstance(step, FloatAttention):
                is_last = place == self.floats.last_attention
                nodes = self.skeleton.asked if is_last else self._all_nodes()
                self.ranged.append(nodes)
                queries, nodes = self._queries(nodes, columns, is_last)
                entering, bias = forms.only(queries.columns), step.bias
                heads = self._attended(step, attention_steps, forms, columns, queries)
                forms = written(entering, heads, bias)
                if not is_last:
                    columns, forms = self._node_columns(columns, queries, forms)
                attention_steps += 1
            else:
                forms = alone(step, forms)
        return Evaluated(self.skeleton, self.bits, tuple(self.ranges), tuple(self.ranged), queries, nodes, forms,
                         heads, entering, bias, self.floats.steps[self.floats.last_attention + 1 :])  # fmt: skip

    def _numbers(self, levels: Indices) -> Indices:
        return np.asarray(self.offset + len(self.claim.before) - 1 + levels)

    def _letter_columns(self) -> tuple[KeyLevels, Indices]:
        """Return a column for each token before the word, each letter at each level, each token after the word."""
        before, length = len(self.claim.before), self.skeleton.graph.length
        tokens, levels = list(self.claim.before), [0] * before
        of_nodes = [np.zeros(1, np.intp)]
        for depth, level in enumerate(self.skeleton.levels[1:], start=1):
            own = self.claim.tokens if depth <= length else self.claim.after[depth - length - 1 : depth - length]
            tokens += own
            levels += [depth] * len(own)
            of_nodes.append(level.letters if depth <= length else np.zeros_like(level.letters))
        numbers = self._numbers(np.array(levels, np.intp))
        numbers[:before] = self.offset + np.arange(before)
        known = np.array(tokens, np.intp)
        return KeyLevels(np.array(levels, np.intp), numbers, known, of_nodes), known

    def _all_nodes(self) -> list[tuple[int, int]]:
        """Return the tokens before the word (level 0, counted back from node 0), then the kept nodes."""
        nodes = [(0, token - len(self.claim.before) + 1) for token in range(len(self.claim.before))]
        return nodes + [(depth, int(node)) for depth, level in enumerate(self.skeleton.levels) if depth
                        for node in level.nodes]

    def _queries(self, nodes: list[tuple[int, int]], columns: KeyLevels, is_last: bool
                 ) -> tuple[Queries, list[tuple[int, int]]]:
        """Return the nodes as queries, deepest level first (within a level in the given order).

        Where attention is bidirectional, a query sees all words that pass it; if the first or the last token is
        judged, the paths of an asked node end at it.
        """
        nodes = sorted(nodes, key=lambda node: -node[0])
        levels = np.array([level for level, _ in nodes], np.intp)
        places = self.skeleton.places([(level, max(node, 0)) for level, node in nodes])
        own = [columns.of_level(level).start + (columns.of_nodes[level][place] if level else
                                                len(self.claim.before) - 1 + node)
               for (level, node), place in zip(nodes, places, strict=True)]  # fmt: skip
        ends = Ends(levels, places, np.arange(len(nodes)))
        if self.floats.network.attention == "bidirectional":
            if not is_last or self.claim.read == "each":
                ends = Ends(np.full(len(nodes), self.skeleton.last), places, ends.queries, (levels, places))
            elif self.claim.read == "first":
                own = [0] * len(nodes)
        return Queries(levels, np.array(own, np.intp), ends), nodes

    def _node_columns(self, columns: KeyLevels, queries: Queries, forms: Forms) -> tuple[KeyLevels, Forms]:
        """Return the queries as columns, level by level."""
        order = np.argsort(queries.levels, kind="stable")
        levels = queries.levels[order]
        numbers = self._numbers(levels)
        before = len(self.claim.before)
        numbers[:before] = self.offset + np.arange(before)
        of_nodes = [np.arange(len(level.nodes)) for level in self.skeleton.levels]
        return KeyLevels(levels, numbers, columns.tokens[queries.columns[order]], of_nodes), forms.only(order)

    def _attended(self, step: FloatAttention, index: int, forms: Forms, columns: KeyLevels,
                  queries: Queries) -> tuple[HeadRanges, ...]:  # fmt: skip
        """Return the ranges of the step's heads at the queries."""
        inside, symbols = normed(forms, step.norm) if forms.symbols else exact(step.normed(forms.centre)), forms.symbols
        heads, numbers = [], []
        for place, head in enumerate(step.heads):
            attended = AttendedHead(step, head, inside, columns, queries, self.skeleton)
            rows = self.directions.rows(index, place)
            low, high = _with_room(*attended.ranges(self.skeleton, rows), attended.is_loose)
            room = _room_for_weights(self.skeleton, attended, rows)
            whole = self._rounded(low - room, high + room)
            numbers.append(whole)
            scaled = np.ldexp(whole.astype(np.float64), -self.bits)
            centre, half = scaled.mean(axis=2), (scaled[..., 1] - scaled[..., 0]) / 2
            heads.append(HeadRanges(attended, head.out, rows, centre, half, symbols))
            symbols += len(rows)
        order = np.argsort(queries.levels, kind="stable")
        self.ranges.append(np.concatenate(numbers, axis=1)[order])
        return tuple(heads)

    def _rounded(self, low: Array, high: Array) -> NDArray[np.int32]:
        """Round ranges [queries, directions, 2] outwards to integers over 2^bits, with room."""
        ends = np.floor(np.ldexp(low, self.bits)) - ROOM, np.ceil(np.ldexp(high, self.bits)) + ROOM
        scaled = np.stack(ends, axis=2)
        largest = np.float64(np.abs(scaled).max(initial=0))
        if not math.isfinite(largest):
            raise ArithmeticError("the bounds overflow")
        if largest > LARGEST:
            raise TooLarge(self.bits - 1 - math.frexp(largest / LARGEST)[1])
        return scaled.astype(np.int32)


def _with_room(low: Array, high: Array, is_loose: bool) -> tuple[Array, Array]:
    """Widen by a part of the width where the checker's forms may be wider than these."""
    room = (high - low) * PART_OF_WIDTH if is_loose else np.zeros_like(low)
    return low - room, high + room


def _room_for_weights(skeleton: Skeleton, attended: AttendedHead, rows: Array) -> Array:
    """Return room for the checker's roundings of weights, [queries, directions]; at most the spread of values.

    The error of a weight is relative to the greatest one of the class, also on words with far smaller weights only.
    """
    ends, terms = attended.queries.ends, attended.terms(rows)
    least, most = terms.hull()
    if attended.attends is not None:  # weights are exact
        return np.zeros_like(most - least)
    signs = [np.broadcast_to(np.array([1, -1], np.float64), (len(values), 1, 2)) for values in terms.values]
    sums, _ = longest(skeleton, ends, Terms(terms.low, terms.low, signs, terms.column), np.zeros((len(ends.levels), 2)))
    ratio = sums[:, :1] / np.maximum(-sums[:, 1:], LEAST_WEIGHT)
    parts = (ends.levels[:, np.newaxis] + len(terms.low[0])) * WEIGHT_ROUNDING * ratio
    return np.asarray(np.minimum(parts, 1) * (most - least))


def alone(step: FloatStep, forms: Forms) -> Forms:
    """Apply a step that is not attention; forms without symbols stay exact."""
    assert not isinstance(step, FloatAttention)
    if not forms.symbols:
        return exact(step(forms.centre))
    return normed(forms, step) if isinstance(step, FloatNorm) else after_units(forms, step)


def written(streams: Forms, heads: Sequence[HeadRanges], bias: Array | None) -> Forms:
    """Return the streams after an attention step, from those before it and the ranges of its heads."""
    for head in heads:
        streams = added(streams, linear(averages(head, head.symbol), head.out))
    return streams if bias is None else Forms(streams.centre + bias, streams.parts, streams.loose)


def averages(ranges: HeadRanges, symbols: int) -> Forms:
    """Return z = Qᵀ y + (I - Qᵀ Q) z, with new symbols after the first ``symbols``."""
    q, value = ranges.directions, ranges.head.value
    largest = (np.abs(value.centre) + value.radius).max(axis=0)
    rest = np.abs(np.eye(len(q)) - q.T @ q) @ largest
    own = ranges.half[:, :, np.newaxis] * q
    parts = np.concatenate([np.zeros((len(own), symbols, q.shape[1])), own], axis=1)
    return Forms(ranges.centre @ q, parts, np.tile(rest, (len(own), 1)))
