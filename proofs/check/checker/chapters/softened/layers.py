"""A layer at one length: from the vector of a position, and what its heads have seen, to that of the next layer."""

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

VECTOR_STEPS = 50  # the work to make a vector, beside what its numbers take


@dataclass(frozen=True)
class Scales:
    """What the numbers of a layer are integers over: when it begins, after its heads, and when it ends."""

    begin: int
    middle: int
    end: int


def find_scales(budget: Budget, n: int, forms: LayerForms, begin: int) -> Scales:
    """Return the scales of a layer: its heads take values, or means of up to n of them; its units multiply."""
    values = least_common_multiple(budget, (head.values.denominator for head in forms.heads))
    means = lcm(*range(1, n + 1)) if any(head.may_tie for head in forms.heads) else 1
    middle = multiply_scales(budget, multiply_scales(budget, begin, values), means)
    return Scales(begin, middle, multiply_scales(budget, middle, forms.stretch))


class End:
    """After the last layer nothing is read, so that all vectors are one."""

    live: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._vector = ResidualVector((), [], [])

    def receive(self, integers: Integers) -> ResidualVector:
        """Return the one vector."""
        return self._vector


class LayerAtLength:
    """A layer at one length, with the ``vectors`` that have begun it; ``following`` is the layer after it.

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
        """What the heads have seen before a word begins."""
        return [head.start for head in self.heads]

    def receive(self, integers: Integers) -> ResidualVector:
        """Return the vector that holds these integers, in the order of the live directions, when the layer begins."""
        key = as_key(integers)
        known = self.vectors.get(key)
        return self._read(integers, key) if known is None else known

    def _read(self, integers: Integers, key: str) -> ResidualVector:
        held, bits = dict(zip(self.live, integers, strict=True)), longest(integers)
        self._memory.keep(3, bits_of(integers) + 8 * len(key) + 2 * POINTER_BITS * len(self.heads))
        queries = [head.query(held, bits) for head in self.heads]
        items = [head.item(held, bits) for head in self.heads]
        self.vectors[key] = vector = ResidualVector(integers, queries, items)
        return vector

    def see(self, histories: Sequence[History], vector: ResidualVector) -> list[History]:
        """What every head has seen, with one more position."""
        return [history.extended.get(item) or head.see(history, item)
                for head, history, item in zip(self.heads, histories, vector.items, strict=True)]

    def pass_on(self, vector: ResidualVector, histories: Sequence[History]) -> ResidualVector:
        """What comes out at a position that holds the vector, and where the heads see this."""
        additions = tuple([history.answers.get(query) or head.attend(history, query)
                           for head, history, query in zip(self.heads, histories, vector.queries, strict=True)])
        return vector.after.get(additions) or self._add(vector, additions)

    def _add(self, vector: ResidualVector, additions: tuple[Addition, ...]) -> ResidualVector:
        """Return the same, from what the heads add."""
        scales = self._scales
        self._budget.spend(VECTOR_STEPS)
        self._attention.settle_sums(additions)
        held = self._multiply(dict(zip(self.live, vector.integers, strict=True)), scales.middle // scales.begin)
        for head, addition in zip(self.heads, additions, strict=True):
            add_where_held(held, head.written, addition)
        bits = longest(held.values())
        outputs = [group.meet(held, bits) for group in self._groups]
        self._feedforward.settle_sums(outputs)
        after = self._multiply(held, scales.end // scales.middle)
        add_where_held(after, self._forms.bias, self._bias)
        for group, output in zip(self._groups, outputs, strict=True):
            add_where_held(after, group.written, output)
        self._memory.keep(1, POINTER_BITS * len(additions))
        vector.after[additions] = self._following.receive(tuple([after[d] for d in self._following.live]))
        return vector.after[additions]

    def _multiply(self, held: Mapping[str, int], factor: int) -> dict[str, int]:
        """Return the same numbers over a scale that is so many times greater."""
        charge_products(self._budget, len(held), longest(held.values()), factor.bit_length())
        return {d: x * factor for d, x in held.items()}


def add_where_held(held: dict[str, int], written: Iterable[str], addition: Addition) -> None:
    """Adds to the directions that are written; what is not live is not held."""
    for t, x in zip(written, addition.values, strict=True):
        if t in held:
            held[t] += x
