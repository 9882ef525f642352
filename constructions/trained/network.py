"""A trained transformer as data: steps that read strided views of tensors, whose elements are exact dyadic rationals.

docs/reference/trained.md, sections 1 and 2, define the real function that it computes.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, Optional

from constructions.trained.edit_kinds import Edit

ELEMENT_BYTES: Mapping[str, int] = {"binary64": 8, "binary32": 4, "binary16": 2, "bfloat16": 2}

Attends = Literal["causal", "bidirectional"]
Readout = Literal["each", "first", "last"]
Activation = Literal["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "identity"]


@dataclass(frozen=True)
class Rounding:
    """Rounding instead of an activation: x to scale · (q - zero), q = round(x / scale) + zero, clamped.

    Without a scale, scale and zero are determined by the range of one token's numbers, or of all of the ``input``'s.
    """

    least: int
    greatest: int
    scale: Fraction | None = None
    zero: int = 0
    range: Literal["input", "token"] | None = None

    def __str__(self) -> str:
        if self.scale is not None:
            scale = self.scale.numerator / self.scale.denominator
            return f"rounded to {self.least} … {self.greatest} times {scale:.4g}"
        return f"rounded to 0 … {self.greatest} by the range of {'all tokens' if self.range == 'input' else 'a token'}"


@dataclass(frozen=True)
class Tensor:
    """Finite numbers in row-major order, as little-endian bytes in one of the formats of ``ELEMENT_BYTES``."""

    format: str
    shape: tuple[int, ...]
    data: bytes = field(repr=False)

    @property
    def sha256(self) -> str:
        """The digest of the bytes."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class View:
    """A matrix (two strides) or a vector (one) in a tensor: element (i, j) is start + i strides[0] + j strides[1]."""

    tensor: str
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Affine:
    """x weight + bias, with a weight of shape [in, out]."""

    weight: View
    bias: View | None = None


@dataclass(frozen=True)
class Norm:
    """Layer norm, or RMS norm, which does not subtract the mean; of the image under ``of`` of the stream, if given."""

    kind: Literal["layer", "rms"]
    epsilon: Fraction
    gain: View | None = None
    bias: View | None = None
    of: Affine | None = None

    def reads(self, width: int) -> int:
        """Return the number of normalised coordinates, for a stream of this width."""
        return self.of.weight.shape[1] if self.of else width


@dataclass(frozen=True)
class Scale:
    """The factor of scores: a rational, or 1/sqrt(root) for a positive integer."""

    times: Fraction | None = None
    root: int | None = None


@dataclass(frozen=True)
class Rotary:
    """Tables [rows, pairs] that rotate pairs of coordinates of queries and keys at each position number."""

    cosines: View
    sines: View
    pairing: Literal["halves", "neighbours"]


@dataclass(frozen=True)
class TrainedHead:
    """One head; ``out`` [head width, width] writes its average into the residual stream.

    With ``attends`` it has hard attention: these tokens have equal weights; where it sees none of them, its own has 1.
    """

    query: Affine
    key: Affine
    value: Affine
    out: View
    slope: Fraction | None = None
    attends: tuple[int, ...] | None = None


@dataclass(frozen=True)
class NormStep:
    """A norm of the whole stream, of the same width, that replaces it."""

    norm: Norm


@dataclass(frozen=True)
class AttentionStep:
    """All heads of a layer, added to the stream; with a ``cap`` c, a score s becomes c tanh(s / c) before its slope."""

    norm: Norm | None
    heads: tuple[TrainedHead, ...]
    bias: View | None
    scale: Scale
    rotary: Rotary | None = None
    cap: Fraction | None = None


@dataclass(frozen=True)
class UnitsStep:
    """A feed-forward block, gated or not, added to the stream; with the activation ``identity`` a linear map."""

    norm: Norm | None
    inward: Affine
    gate: Affine | None
    activation: Activation | Rounding
    outward: Affine


Step = NormStep | AttentionStep | UnitsStep


@dataclass(frozen=True)
class Source:
    """A file that the network came from."""

    file: str
    sha256: str


@dataclass(frozen=True)
class ImportComparison:
    """The comparison at import: the greatest difference of logits from the original's, over some inputs.

    ``original`` names their source: a program with its version, or the owner's file. ``lengths``: of the shortest and
    the longest input; if the original reads one length only, other lengths were not compared.
    """

    original: str
    inputs: int
    lengths: tuple[int, int]
    difference: Fraction


@dataclass(frozen=True)
class TrainedNetwork:
    """A whole network; ``tokens`` is [vocabulary, width], ``positions`` [rows, width].

    ``readout`` names the tokens with logits: each token, or the first or last token of the input. An edited network
    has its ``original`` and the ``edits``, which its file contains (``constructions.trained.edits``).
    """

    attention: Attends
    tokens: View
    positions: View | None
    steps: tuple[Step, ...]
    unembedding: Affine
    tensors: Mapping[str, Tensor]
    sources: tuple[Source, ...] = ()
    readout: Readout = "each"
    compared: ImportComparison | None = None
    original: Optional["TrainedNetwork"] = None
    edits: tuple[Edit, ...] = ()

    @property
    def vocabulary(self) -> int:
        """The number of tokens in the vocabulary."""
        return self.tokens.shape[0]

    @property
    def width(self) -> int:
        """The width of the residual stream before the first step."""
        return self.tokens.shape[1]

    @property
    def outputs(self) -> int:
        """The number of logits."""
        return self.unembedding.weight.shape[1]

    @property
    def rows(self) -> int | None:
        """The number of position numbers that its tables have rows for; None without tables."""
        tables = [self.positions] if self.positions else []
        tables += [step.rotary.cosines for step in self.attention_steps if step.rotary]
        return min((table.shape[0] for table in tables), default=None)

    @property
    def of_input(self) -> bool:
        """True if a step rounds by the range of all tokens."""
        found = [step.activation for step in self.steps if isinstance(step, UnitsStep)]
        return any(isinstance(one, Rounding) and one.range == "input" for one in found)

    @property
    def by_ranges(self) -> bool:
        """True if a step rounds by a range, of one token or of all."""
        return any(isinstance(step.activation, Rounding) and step.activation.scale is None for step in self.steps
                   if isinstance(step, UnitsStep))

    @property
    def is_causal(self) -> bool:
        """True if later tokens have no effect."""
        return self.attention == "causal" and not self.of_input

    @property
    def attention_steps(self) -> tuple[AttentionStep, ...]:
        """The steps that have heads, in order."""
        return tuple(step for step in self.steps if isinstance(step, AttentionStep))

    @property
    def has_hard_heads(self) -> bool:
        """True if a head has hard attention."""
        return any(head.attends is not None for step in self.attention_steps for head in step.heads)


def views(network: TrainedNetwork) -> Iterator[View]:
    """Yield every view of the network, in order; views may repeat."""
    yield network.tokens
    if network.positions:
        yield network.positions
    for step in network.steps:
        yield from views_of_step(step)
    yield from _views_of_affine(network.unembedding)


def views_of_step(step: Step) -> Iterator[View]:
    """Yield every view of one step, in order."""
    if step.norm:
        yield from (view for view in (step.norm.gain, step.norm.bias) if view)
        yield from _views_of_affine(step.norm.of)
    if isinstance(step, UnitsStep):
        for affine in (step.inward, step.gate, step.outward):
            yield from _views_of_affine(affine)
    elif isinstance(step, AttentionStep):
        for head in step.heads:
            for affine in (head.query, head.key, head.value):
                yield from _views_of_affine(affine)
            yield head.out
        yield from (view for view in (step.bias, *_tables(step.rotary)) if view)


def _tables(rotary: Rotary | None) -> tuple[View, ...]:
    return (rotary.cosines, rotary.sines) if rotary else ()


def _views_of_affine(affine: Affine | None) -> Iterator[View]:
    if affine:
        yield affine.weight
        if affine.bias:
            yield affine.bias
