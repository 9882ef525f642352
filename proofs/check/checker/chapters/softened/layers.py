"""A layer at one length: from the vector of a position, and the histories of its heads, to the next layer's vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from ...kernel.budget import Budget
from ...kernel.numbers import bits_of, least_common_multiple
from ...kernel.reading.records import LinearForm
from .forms import HeadForms, LayerForms
from .integers import Integers, charge_products, longest, multiply_scales, scaled
from .memoisation import POINTER_BITS, Addition, History, LengthTables, ResidualVector, as_key
from .piecewise_linear import GroupAtLength
from .scored_heads import Scored
from .stages import StageErrors
from .uniform import Uniform
from .weights import Weighing

VECTOR_STEPS = 50  # of work to make a vector, plus the cost of its numbers


@dataclass(frozen=True)
class Scales:
    """The denominators of the numbers of a layer: at its beginning, after its heads, and at its end."""

    begin: int
    middle: int
    end: int


def find_scales(budget: Budget, n: int, forms: LayerForms, begin: int) -> Scales:
    """Return the scales of a layer: its heads read values, or means of up to n of them; its units multiply."""
    values = least_common_multiple(budget, (head.values.denominator for head in forms.heads))
    means = lcm(*range(1, n + 1)) if any(head.may_tie for head in forms.heads) else 1
    middle = multiply_scales(budget, multiply_scales(budget, begin, values), means)
    return Scales(begin, middle, multiply_scales(budget, middle, forms.stretch))


class End:
    """The end of the network: nothing is read after the last layer, so that all vectors are one."""

    live: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._vector = ResidualVector((), [], [])

    def receive(self, integers: Integers) -> ResidualVector:
        """Return the one vector."""
        return self._vector


class LayerAtLength:
    """A layer at one length, with the ``vectors`` at its beginning; ``following`` is the next layer.

    The stated bounds are those before its heads, after them, and after its units; ``name`` is for messages.
    """

    def __init__(self, memory: LengthTables, name: str, bounds: Sequence[LinearForm], weighing: Weighing,
                 forms: LayerForms, scales: Scales, following: LayerAtLength | End) -> None:
        self._memory, self._budget = memory, memory.budget
        self._forms, self._scales, self._following = forms, scales, following
        before, between, after = bounds
        self._attention = StageErrors(self._budget, f"{name}, attention", before, between, forms.heads)
        self._feedforward = StageErrors(self._budget, f"{name}, feed-forward", between, after, forms.groups)
        self.masks = [head.head.mask for head in forms.heads]
        self.heads = [self._make_head(head, weighing) for head in forms.heads]
        self._groups = [GroupAtLength(memory, group, self._feedforward, scales.middle, scales.end)
                        for group in forms.groups]
        self._bias = Addition(tuple([scaled(self._budget, x, scales.end) for x in forms.bias.values()]), ())
        self.live = forms.live
        self.vectors: dict[str, ResidualVector] = {}

    def _make_head(self, forms: HeadForms, weighing: Weighing) -> Uniform | Scored:
        begin, middle = self._scales.begin, self._scales.middle
        if forms.is_uniform:
            return Uniform(self._memory, forms, self._attention, begin, middle)
        return Scored(self._memory, forms, self._attention, begin, middle, weighing)

    @property
    def start(self) -> list[History]:
        """The histories of the heads before a word begins."""
        return [head.start for head in self.heads]

    def receive(self, integers: Integers) -> ResidualVector:
        """Return the vector with these integers, in the order of the live directions, at the beginning of the layer."""
        key = as_key(integers)
        known = self.vectors.get(key)
        return self._read(integers, key) if known is None else known

    def _read(self, integers: Integers, key: str) -> ResidualVector:
        numbers, bits = dict(zip(self.live, integers, strict=True)), longest(integers)
        self._memory.keep(3, bits_of(integers) + 8 * len(key) + 2 * POINTER_BITS * len(self.heads))
        queries = [head.query(numbers, bits) for head in self.heads]
        items = [head.item(numbers, bits) for head in self.heads]
        self.vectors[key] = vector = ResidualVector(integers, queries, items)
        return vector

    def see(self, histories: Sequence[History], vector: ResidualVector) -> list[History]:
        """Return the histories of the heads with one more position."""
        return [history.extended.get(item) or head.see(history, item)
                for head, history, item in zip(self.heads, histories, vector.items, strict=True)]

    def pass_on(self, vector: ResidualVector, histories: Sequence[History]) -> ResidualVector:
        """Return the vector after the layer at a position with this vector and these histories."""
        additions = tuple([history.answers.get(query) or head.attend(history, query)
                           for head, history, query in zip(self.heads, histories, vector.queries, strict=True)])
        return vector.after.get(additions) or self._add(vector, additions)

    def _add(self, vector: ResidualVector, additions: tuple[Addition, ...]) -> ResidualVector:
        """Return the vector after the layer, computed from the additions of the heads."""
        scales = self._scales
        self._budget.spend(VECTOR_STEPS)
        self._attention.settle_sums(additions)
        numbers = self._multiply(dict(zip(self.live, vector.integers, strict=True)), scales.middle // scales.begin)
        for head, addition in zip(self.heads, additions, strict=True):
            add_where_live(numbers, head.written, addition)
        bits = longest(numbers.values())
        outputs = [group.addition(numbers, bits) for group in self._groups]
        self._feedforward.settle_sums(outputs)
        after = self._multiply(numbers, scales.end // scales.middle)
        add_where_live(after, self._forms.bias, self._bias)
        for group, output in zip(self._groups, outputs, strict=True):
            add_where_live(after, group.written, output)
        self._memory.keep(1, POINTER_BITS * len(additions))
        vector.after[additions] = self._following.receive(tuple([after[d] for d in self._following.live]))
        return vector.after[additions]

    def _multiply(self, numbers: Mapping[str, int], factor: int) -> dict[str, int]:
        """Return the same numbers over a scale that is ``factor`` times greater."""
        charge_products(self._budget, len(numbers), longest(numbers.values()), factor.bit_length())
        return {d: x * factor for d, x in numbers.items()}


def add_where_live(numbers: dict[str, int], written: Iterable[str], addition: Addition) -> None:
    """Add to the written directions that are live."""
    for t, x in zip(written, addition.values, strict=True):
        if t in numbers:
            numbers[t] += x
