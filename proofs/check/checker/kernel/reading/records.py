"""What a file says, as frozen records; docs/certificate.md, section 2. Nothing in them is believed yet.

A formula, a count or a number is its place in the table of the language (`Place`), where equal ones have one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..language import Place

LinearForm = Mapping[str, Fraction]
"""A linear form: for each direction that is read or written its weight; zeros are left out."""


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
    """Exactly the count divided by the number of positions that it looks at."""

    count: Place


@dataclass(frozen=True)
class Average:
    """Exactly a sum of multiples of counts of one side, divided by the number of positions that they look at.

    The term is the place of the comparison of this sum with 0.
    """

    term: Place


@dataclass(frozen=True)
class ExactCount:
    """Exactly the count."""

    count: Place


@dataclass(frozen=True)
class ApproximateCount:
    """Within the stated errors of the number of positions other than this one that are counted."""

    count: Place


@dataclass(frozen=True)
class Slack:
    """Exactly 0 where the formula holds, at least 1 elsewhere."""

    formula: Place


@dataclass(frozen=True)
class Anything:
    """Any number: nothing is stated, and nothing can be proved from it."""


Meaning = (PositionalNumber | Truth | ApproximateTruth | Product | Mean | Average | ExactCount | ApproximateCount
           | Slack | Anything)
KINDS: dict[str, type[Meaning]] = {
    "position": PositionalNumber, "truth": Truth, "near": ApproximateTruth, "product": Product, "mean": Mean,
    "average": Average, "total": ExactCount, "others": ApproximateCount, "slack": Slack, "any": Anything}


def kind_of(meaning: Meaning) -> str:
    """Return the word of the format for a meaning."""
    return next(kind for kind, meant in KINDS.items() if meant is type(meaning))


HARD = ("average-hardmax", "leftmost-hardmax", "rightmost-hardmax")
SPARSE = ("sparsemax", "entmax-1.5")
ADDITIVE = ("relu", "relu-over-n", "sigmoid")  # the weight of a position does not depend on the other ones
RECURRENT = ("geometric", "stick-breaking")
OTHER_WEIGHTINGS = (*SPARSE, "softmax-plus-one", *ADDITIVE, *RECURRENT)


@dataclass(frozen=True)
class Head:
    """A head of attention; ``values`` maps each written direction to the linear form whose mean it gets."""

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
    """Adds ``writes`` times ReLU(``reads`` + ``bias``). As a key it stands for itself, and for no equal one."""

    reads: LinearForm
    bias: Fraction
    writes: LinearForm


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The part of a layer that acts on each position alone; as a key it stands for itself, too."""

    units: tuple[Neuron, ...]
    bias: LinearForm


@dataclass(frozen=True)
class Layer:
    """Heads, then the feed-forward part; each adds to the residual stream."""

    heads: tuple[Head, ...]
    feedforward: FeedForward


@dataclass(frozen=True)
class Transformer:
    """The network; ``predicates`` maps the user's names to their places."""

    alphabet: tuple[str, ...]
    predicates: Mapping[str, Place]
    directions: Mapping[str, Meaning]
    token_embedding: Mapping[str, LinearForm]
    position_embedding: Mapping[str, Place]
    layers: tuple[Layer, ...]
    output: str

    @property
    def heads(self) -> tuple[Head, ...]:
        """All heads, layer by layer."""
        return tuple(head for layer in self.layers for head in layer.heads)


def visible(mask: str, n: int, i: int) -> tuple[int, int]:
    """Return the first and the last position that row i sees."""
    return (i if mask == "past" else 1), (i if mask == "future" else n)
