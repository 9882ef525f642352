"""The contents of a file as frozen records; docs/reference/certificate.md, section 2. None of it is trusted yet.

A formula, a count or a number is its place in the table of the language (`Place`); equal ones have one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..language import Place

LinearForm = Mapping[str, Fraction]
"""A linear form: a weight for each direction; zeros are left out."""


@dataclass(frozen=True)
class PositionalNumber:
    """Exactly this number at every (n, i)."""

    value: Place


@dataclass(frozen=True)
class Truth:
    """Exactly 1 where the formula holds, exactly 0 elsewhere."""

    formula: Place


@dataclass(frozen=True)
class ApproximateTruth:
    """Always in [0, 1]; where ``when`` holds, within the stated errors of the truth of the formula."""

    formula: Place
    when: Place


@dataclass(frozen=True)
class Product:
    """Exactly the value where the formula holds, 0 elsewhere."""

    value: Place
    formula: Place


@dataclass(frozen=True)
class Mean:
    """Exactly the count divided by the number of positions in its range."""

    count: Place


@dataclass(frozen=True)
class Average:
    """Exactly a sum of multiples of counts of one side, divided by the number of positions in their range.

    `term` is the place of the comparison of this sum with 0.
    """

    term: Place


@dataclass(frozen=True)
class ExactCount:
    """Exactly the count."""

    count: Place


@dataclass(frozen=True)
class ApproximateCount:
    """Within the stated errors of the number of counted positions other than this one."""

    count: Place


@dataclass(frozen=True)
class Slack:
    """Exactly 0 where the formula holds, at least 1 elsewhere."""

    formula: Place


@dataclass(frozen=True)
class Anything:
    """Any number: no claim is made, and nothing can be proved from it."""


Meaning = (PositionalNumber | Truth | ApproximateTruth | Product | Mean | Average | ExactCount | ApproximateCount
           | Slack | Anything)
KINDS: dict[str, type[Meaning]] = {
    "position": PositionalNumber, "truth": Truth, "near": ApproximateTruth, "product": Product, "mean": Mean,
    "average": Average, "total": ExactCount, "others": ApproximateCount, "slack": Slack, "any": Anything}


def kind_of(meaning: Meaning) -> str:
    """Return the keyword of the format for a meaning."""
    return next(kind for kind, meant in KINDS.items() if meant is type(meaning))


HARD = ("average-hardmax", "leftmost-hardmax", "rightmost-hardmax")
SPARSE = ("sparsemax", "entmax-1.5")
ADDITIVE = ("relu", "relu-over-n", "sigmoid")  # the weight of a position does not depend on the others
RECURRENT = ("geometric", "stick-breaking")
OTHER_WEIGHTINGS = (*SPARSE, "softmax-plus-one", *ADDITIVE, *RECURRENT)


@dataclass(frozen=True)
class Head:
    """An attention head; ``values`` maps each written direction to the linear form that it averages."""

    name: str
    source: str
    mask: str
    weighting: str
    temperature: Place
    queries: tuple[LinearForm, ...]
    keys: tuple[LinearForm, ...]
    values: Mapping[str, LinearForm]


@dataclass(frozen=True, eq=False)
class Neuron:
    """A hidden unit: adds ``writes`` times ReLU(``reads`` + ``bias``). Compared and hashed by identity."""

    reads: LinearForm
    bias: Fraction
    writes: LinearForm


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The feed-forward block of a layer, applied at each position separately. Compared and hashed by identity."""

    units: tuple[Neuron, ...]
    bias: LinearForm


@dataclass(frozen=True)
class Layer:
    """Heads, then the feed-forward block; each adds to the residual stream."""

    heads: tuple[Head, ...]
    feedforward: FeedForward


@dataclass(frozen=True)
class Transformer:
    """A transformer; ``predicates`` maps the user's names to their places."""

    alphabet: tuple[str, ...]
    predicates: Mapping[str, Place]
    directions: Mapping[str, Meaning]
    token_embedding: Mapping[str, LinearForm]
    position_embedding: Mapping[str, Place]
    layers: tuple[Layer, ...]
    output: str

    @property
    def heads(self) -> tuple[Head, ...]:
        """All heads, in the order of layers."""
        return tuple(head for layer in self.layers for head in layer.heads)


def visible(mask: str, n: int, i: int) -> tuple[int, int]:
    """Return the first and the last visible position of row i (1-based, inclusive)."""
    return (i if mask == "past" else 1), (i if mask == "future" else n)
