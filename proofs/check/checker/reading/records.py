"""What a file says, as frozen records; docs/certificate.md, sections 2 and 3. Nothing in them is believed yet.

A formula, a count or a number is its place in the table of the language (`Place`), where equal ones have one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..language import Language, Place
from .floats import FloatClaim

Weights = Mapping[str, Fraction]
"""A linear form: for each direction that is read or written its weight; zeros are left out."""


@dataclass(frozen=True)
class Position:
    """Exactly this number at every (n, i)."""

    value: Place


@dataclass(frozen=True)
class Truth:
    """Exactly 1 where the formula holds, exactly 0 elsewhere."""

    formula: Place


@dataclass(frozen=True)
class Near:
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
class Total:
    """Exactly the count."""

    count: Place


@dataclass(frozen=True)
class Others:
    """Within the stated errors of the number of positions other than this one that are counted."""

    count: Place


@dataclass(frozen=True)
class Slack:
    """Exactly 0 where the formula holds, at least 1 elsewhere."""

    formula: Place


@dataclass(frozen=True)
class Anything:
    """Any number: nothing is stated, and nothing can be proved from it."""


Meaning = Position | Truth | Near | Product | Mean | Average | Total | Others | Slack | Anything
KINDS: dict[str, type[Meaning]] = {
    "position": Position, "truth": Truth, "near": Near, "product": Product, "mean": Mean, "average": Average,
    "total": Total, "others": Others, "slack": Slack, "any": Anything}


def kind_of(meaning: Meaning) -> str:
    """The word of the format for a meaning."""
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
    queries: tuple[Weights, ...]
    keys: tuple[Weights, ...]
    values: Mapping[str, Weights]


@dataclass(frozen=True)
class Unit:
    """Adds ``writes`` times ReLU(``reads`` + ``bias``)."""

    reads: Weights
    bias: Fraction
    writes: Weights


@dataclass(frozen=True)
class FeedForward:
    """The part of a layer that acts on each position alone."""

    units: tuple[Unit, ...]
    bias: Weights


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
    token_embedding: Mapping[str, Weights]
    position_embedding: Mapping[str, Place]
    layers: tuple[Layer, ...]
    output: str

    @property
    def heads(self) -> tuple[Head, ...]:
        """All heads, layer by layer."""
        return tuple(head for layer in self.layers for head in layer.heads)


@dataclass(frozen=True)
class Claim:
    """For every n in min_n..max_n and every word: the output holds exactly the truth of the formula."""

    formula: Place
    alphabet: tuple[str, ...]
    min_n: int
    max_n: int
    regime: str
    causal: bool

    @property
    def lengths(self) -> range:
        """The lengths of the claim, ascending."""
        return range(self.min_n, self.max_n + 1)


@dataclass(frozen=True)
class Bound:
    """The stated errors of one *near* or *others* direction that a head writes; layers and heads count from 1."""

    layer: int
    head: int
    direction: str
    error_if_false: Fraction
    error_if_true: Fraction


@dataclass(frozen=True)
class Certificate:
    """A claim, the transformer that it is about, the stated bounds, and the claims about float runs."""

    claim: Claim
    transformer: Transformer
    bounds: tuple[Bound, ...]
    language: Language
    floats: tuple[FloatClaim, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the formula of some direction counts; the temperature regime then allows embeddings up to n^2."""
        return any("#" in self.language.leaves(meaning.formula) for meaning in self.transformer.directions.values()
                   if isinstance(meaning, Truth | Near | Product | Slack))
