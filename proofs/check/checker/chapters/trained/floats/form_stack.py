"""A network on the inputs of words in all executions under a float model: streams, keys and values, as affine forms.

At the first attention step tokens have separate symbols, and use centres and radii of the keys and values of others.
Then all forms share symbols. Where attention is causal a token's forms depend on the tokens before it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, cast

from ....kernel.budget import Budget
from ....kernel.numbers import INTEGER_BITS, over_one_denominator
from ...float_models.reading import FloatClaim
from ..reading.network import AttentionStep, LogitRow, Network, Rotary, Scale, TokenStep, UnitsStep
from ..zonotopes.affine import (
    UNIT,
    AffineForm,
    CentredRange,
    Linear,
    known_by_sizes,
    make_linear,
    promoted,
    shortened,
    widened,
)
from ..zonotopes.linear_maps import make_bias, make_map, to_units
from ..zonotopes.packed_integers import SLOT
from ..zonotopes.scores import PathBounds, Vectors
from ..zonotopes.step_maps import NormMaps, UnitMaps, make_maps, make_norm
from .exact_sums import is_whole
from .operations import Operations
from .rounding import TABLE_BITS
from .shared_symbols import FEW, KEPT, continued, placed
from .softmax import SoftmaxOnForms

if TYPE_CHECKING:
    from .rounded_units import RounderOfRuns
    from .score_caps import CapOnForms


class ConcatenatedAttention(NamedTuple):
    """An attention step: the concatenated maps of all heads, each head with a range of coordinates."""

    norm: NormMaps | None
    query: Linear
    key: Linear
    value: Linear
    out: Linear
    queries: list[range]
    values: list[range]
    scale: Scale
    rotary: Rotary | None
    slopes: list[Fraction | None]
    cap: CapOnForms | None = None


class Stage(NamedTuple):
    """An attention step, and the steps after it up to the next one."""

    attention: ConcatenatedAttention
    after: list[NormMaps | UnitMaps]
    shared: bool


class KeysAndValues(NamedTuple):
    """Key and value of each head, of one token; ``end`` is the first slot after its symbols."""

    keys: list[Vectors]
    values: list[Vectors]
    end: int


class QueryBounds(NamedTuple):
    """A token at a place before an attention step: stream, heads' input, place, and row of the rotary tables."""

    stream: AffineForm
    read: AffineForm
    place: int
    position: int


def bits_of_token(attended: KeysAndValues) -> int:
    """Return the memory of a token's forms at an attention step: keys, values, stream and input of heads."""
    return 2 * (4 * INTEGER_BITS + SLOT * attended.end) * sum(
        len(one.form.rows) for one in [*attended.keys, *attended.values])


def make_attention(budget: Budget, step: AttentionStep) -> ConcatenatedAttention:
    """Prepare the maps of the step."""
    heads = step.heads
    query, key, value = (_beside(budget, [make_map(budget, one.weight, one.bias) for one in those]) for those in (
        [head.query for head in heads], [head.key for head in heads], [head.value for head in heads]))
    outs = [make_map(budget, head.out) for head in heads]
    columns = [[w for out in outs for w in out.columns[i]] for i in range(len(outs[0].columns))]
    out = shortened(budget, make_linear(columns, make_bias(step.bias, len(columns))))
    return ConcatenatedAttention(make_norm(budget, step.norm), query, key, value, out,
                     _parts([head.query.weight.width for head in heads]),
                     _parts([head.value.weight.width for head in heads]), step.scale, step.rotary,
                     [head.slope for head in heads])


def _beside(budget: Budget, maps: Sequence[Linear]) -> Linear:
    columns = [column for one in maps for column in one.columns]
    return shortened(budget, make_linear(columns, [b for one in maps for b in one.bias]))


def _parts(widths: Sequence[int]) -> list[range]:
    return [range(sum(widths[:k]), sum(widths[:k + 1])) for k in range(len(widths))]


class FloatStack:
    """All steps of a network with rounded weights; ``kept`` symbols of a token's own are kept apart."""

    def __init__(self, budget: Budget, network: Network, model: FloatClaim) -> None:
        self.budget, self.network, self.kept = budget, network, KEPT
        self.operations = Operations(budget, model, model.sum_ulp == 1 and "integers" not in model.also
                                     and is_whole(network))
        self.softmax = SoftmaxOnForms(budget, model)
        first, stages = network.stages
        self.first = [self._make_maps(step) for step in first]
        self.stages = [Stage(self._with_cap(step.cap, make_attention(budget, step)), [
            self._make_maps(one) for one in after], number > 0) for number, (step, after) in enumerate(stages)]
        unembedding = network.unembedding
        self._unembedding = make_map(budget, unembedding.weight, unembedding.bias)

    def _with_cap(self, cap: Fraction | None, maps: ConcatenatedAttention) -> ConcatenatedAttention:
        if cap is None:
            return maps
        from .score_caps import CapOnForms

        return maps._replace(cap=CapOnForms(self.budget, self.operations.model, cap))

    def _make_maps(self, step: TokenStep) -> NormMaps | UnitMaps:
        if isinstance(step, UnitsStep) and not isinstance(step.activation, str):
            from .rounded_units import make_rounded_maps

            return make_rounded_maps(self.operations, step, step.activation)
        return make_maps(self.budget, step, max(1, UNIT >> self.operations.model.storage.precision + TABLE_BITS))

    def embed(self, token: int, position: int) -> AffineForm:
        """Return the stream before the first attention step."""
        return self.between(self.first, self.operations.embed(self.network, token, position))

    def between(self, steps: Sequence[NormMaps | UnitMaps], x: AffineForm, fast: bool = False) -> AffineForm:
        """Return the stream after steps on a token alone; ``fast`` takes the fast path of linear approximations."""
        return self.all_between(steps, [x], fast)[0]

    def all_between(self, steps: Sequence[NormMaps | UnitMaps], given: Sequence[AffineForm], fast: bool = False
                    ) -> list[AffineForm]:
        """Return the streams of tokens after steps on each alone, and roundings by the range of all of them."""
        for step in steps:
            if isinstance(step, NormMaps):
                given = [self.operations.normed(step, x) for x in given]
            elif step.curve.name == "rounding":
                given = cast("RounderOfRuns", step.curve.values).units(step, given)
            else:
                given = [self.operations.units(step, x, fast) for x in given]
        return list(map(promoted, given))

    def project(self, stage: Stage, stream: AffineForm, place: int, position: int) -> tuple[QueryBounds, KeysAndValues]:
        """Return a token at an attention step, and its keys and values."""
        attention, operations = stage.attention, self.operations
        read = promoted(operations.normed(attention.norm, stream))
        key = operations.entering(self.rotated(attention, operations.linear(attention.key, read), attention.queries,
                                               position))
        known = known_by_sizes(key)
        value = operations.entering(operations.linear(attention.value, continued(read, key.slots)))
        known_value = known_by_sizes(value)
        attended = KeysAndValues([Vectors(_take(key, part), _part(known, part)) for part in attention.queries],
                                 [Vectors(_take(value, part), _part(known_value, part)) for part in attention.values],
                                 value.slots)
        return QueryBounds(stream, read, place, position), attended

    def project_all(self, stage: Stage, streams: Sequence[AffineForm], offset: int, start: int
                    ) -> tuple[list[tuple[QueryBounds, KeysAndValues]], int]:
        """Return all tokens at an attention step, their keys and values, and the first slot after all symbols.

        From slot ``start`` on each stream has symbols that no other has.
        """
        found, end = [], start
        for place, stream in enumerate(streams):
            own = placed(self.budget, stream, start, end, self.kept) if stage.shared else stream
            found.append(self.project(stage, own, place, offset + place))
            end = found[-1][1].end if stage.shared else 1
            self.budget.hold(bits_of_token(found[-1][1]))
        self.budget.release(sum(bits_of_token(one) for _, one in found))
        return found, end

    def rotated(self, attention: ConcatenatedAttention, x: AffineForm, parts: Sequence[range],
                position: int) -> AffineForm:
        """Return queries or keys of heads, each a part, with rotary positions, stored."""
        if attention.rotary is None:
            return x
        x = promoted(x)  # so that heads do not share symbols
        return join_forms([self.operations.rotated(attention.rotary, position, _take(x, part)) for part in parts])

    def queries(self, attention: ConcatenatedAttention, read: AffineForm, position: int) -> list[AffineForm]:
        """Return the query of each head as it enters products."""
        query = self.operations.entering(self.rotated(attention, self.operations.linear(attention.query, read),
                                                      attention.queries, position))
        return [_take(query, part) for part in attention.queries]

    def attend_and_pass(self, stage: Stage, query_token: QueryBounds, attended: Sequence[KeysAndValues]) -> AffineForm:
        """Return the stream of a token after an attention step and the steps up to the next one."""
        return self.between(stage.after, self.attend(stage, query_token, attended), fast=True)

    def attend(self, stage: Stage, query_token: QueryBounds, attended: Sequence[KeysAndValues], top: int = 0
               ) -> AffineForm:
        """Return the stream of a token after an attention step; from slot ``top`` on all tokens have symbols apart."""
        attention, operations, softmax, shared = stage.attention, self.operations, self.softmax, stage.shared
        read = continued(query_token.read, max(top, *(one.end for one in attended))) if shared else query_token.read
        queries, count = self.queries(attention, read, query_token.position), len(attended)
        biases = [None if slope is None else [slope * (place - query_token.place) for place in range(count)]
                  for slope in attention.slopes]
        parts = [softmax.scores(query, [one.keys[head] for one in attended], attention.scale, biases[head],
                                attention.cap, shared) for head, query in enumerate(queries)]
        scores = join_forms(parts)
        stored = [PathBounds(x - reach, x + reach) for x, reach in zip(*known_by_sizes(scores), strict=True)]
        errors = [more for head in range(len(parts))
               for more in softmax.exponents(stored[head * count:(head + 1) * count], count)]
        scores = promoted(widened(scores, errors))
        averages = []
        for head in range(len(parts)):
            own, values = range(head * count, (head + 1) * count), [one.values[head].known for one in attended]
            forms = [one.values[head].form for one in attended] if shared else None
            average = softmax.average(_take(scores, own), values, count, forms)
            averages.append(softmax.sharpened(average, stored[own.start:own.stop], errors[own.start:own.stop], values))
        made = [error for one in averages for error in one.made]
        joined = operations.stored(join_forms([one.form for one in averages]), made)
        written = operations.linear(attention.out, joined)
        return operations.sum(query_token.stream, written)

    def attend_last(self, query_token: QueryBounds, attended: Sequence[KeysAndValues]) -> AffineForm:
        """Return the stream of a token after the last attention step."""
        found = self.attend(self.stages[-1], query_token, attended)
        return placed(self.budget, found, 1, 1, FEW) if self.kept == FEW else found

    def finish(self, stream: AffineForm) -> AffineForm:
        """Return the stored logits for a stream that `CachedExecutions` yields."""
        passes = self.stages and not self.network.of_input
        return self.logits(self.between(self.stages[-1].after, stream, fast=True) if passes else stream)

    def logits(self, stream: AffineForm) -> AffineForm:
        """Return the stored logits for a stream after the last step."""
        return promoted(self.operations.linear(self._unembedding, stream))


def make_row_maps(budget: Budget, rows: Sequence[LogitRow], outputs: int) -> Linear:
    """Return the values of rows as a linear map of the logits."""
    columns = []
    for row in rows:
        unit, (numerators,) = over_one_denominator(budget, [[coefficient for _, coefficient in row]])
        columns.append([0] * outputs)
        for (token, _), weight in zip(row, to_units(numerators, 0, Scale(Fraction(1, unit), None)), strict=True):
            columns[-1][token] = weight
    return make_linear(columns, [0] * len(columns))


def _part(known: CentredRange, part: range) -> CentredRange:
    return CentredRange(known.centres[part.start:part.stop], known.reaches[part.start:part.stop])


def _take(form: AffineForm, part: range) -> AffineForm:
    """Return some coordinates of a form; its symbols are kept."""
    cut = slice(part.start, part.stop)
    return AffineForm(form.rows[cut], form.slots, form.radii[cut], form.sizes[cut], form.fresh)


def join_forms(forms: Sequence[AffineForm]) -> AffineForm:
    """Concatenate forms over the same symbols; what has no symbol yet gets one for each coordinate."""
    return AffineForm([row for form in forms for row in form.rows], max(form.slots for form in forms),
                      [radius for form in forms for radius in form.radii],
                      [size for form in forms for size in form.sizes], fresh=True)
