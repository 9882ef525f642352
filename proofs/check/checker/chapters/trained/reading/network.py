"""Parsing of a network, docs/reference/trained.md, section 2: a trained transformer with exact weights."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ....kernel.budget import MAX_N, Budget
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, headed, integer_within, list_of, one_of, or_null, read_rational, read_text
from ....kernel.verdicts import expect, quote, show
from .dyadics import Matrix, Tensors, Vector, read_tensors

FORMAT = "certify-trained"
ACTIVATIONS = ("relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "identity")
DIGEST = frozenset("0123456789abcdef")
ORIGINALS = ("onnxruntime", "torch", "logits in")
MAX_OFFSET = 1 << 20

Count = integer_within(range(1 << 24))
Int32 = integer_within(range(-1 << 31, 1 << 31))

LogitRow = tuple[tuple[int, Fraction], ...]
"""A linear form of logits: (token, coefficient) pairs."""


@dataclass(frozen=True)
class Affine:
    """x weight + bias, the weight of shape [in, out]."""

    weight: Matrix
    bias: Vector | None


@dataclass(frozen=True)
class Norm:
    """Layer norm or RMS norm, with gain and bias; of the stream, or of its image under ``of``."""

    kind: str
    epsilon: Fraction
    gain: Vector | None
    bias: Vector | None
    of: Affine | None = None


@dataclass(frozen=True)
class Scale:
    """The factor of scores: ``times``, or 1/sqrt(root); the other one is None."""

    times: Fraction | None
    root: int | None


@dataclass(frozen=True)
class Rotary:
    """Cosines and sines [rows, pairs]; ``halves`` pairs coordinates r and r + pairs, else 2r and 2r + 1."""

    cosines: Matrix
    sines: Matrix
    halves: bool


@dataclass(frozen=True)
class NetworkHead:
    """One head; ``out`` is W_O, from averages to the stream.

    With ``attends`` it has hard attention, whatever its scores: these tokens have equal weights, all others 0; where it
    sees none of them, its own token has the weight 1.
    """

    query: Affine
    key: Affine
    value: Affine
    out: Matrix
    slope: Fraction | None
    attends: frozenset[int] | None = None


@dataclass(frozen=True)
class NormStep:
    """A norm that replaces the stream."""

    norm: Norm


@dataclass(frozen=True)
class AttentionStep:
    """Heads, added to the stream; with a ``cap`` c, a score s is c tanh(s / c) before its slope is added."""

    norm: Norm | None
    heads: tuple[NetworkHead, ...]
    bias: Vector | None
    scale: Scale
    rotary: Rotary | None
    cap: Fraction | None = None


@dataclass(frozen=True)
class Rounding:
    """A rounding as activation: scale · (q - zero), q the integer in least ... greatest nearest to x / scale + zero.

    Without a scale, scale and zero are those of a range: of one token's numbers, or of all tokens' (``of_input``).
    """

    scale: Fraction | None
    zero: int
    least: int
    greatest: int
    of_input: bool


@dataclass(frozen=True)
class UnitsStep:
    """A feed-forward block, added to the stream."""

    norm: Norm | None
    inward: Affine
    gate: Affine | None
    activation: str | Rounding
    outward: Affine


TokenStep = NormStep | UnitsStep
Step = TokenStep | AttentionStep


@dataclass(frozen=True)
class Source:
    """A file that the network came from; nothing about it is proved."""

    file: str
    sha256: str


@dataclass(frozen=True)
class Network:
    """A trained transformer; ``tokens`` is [vocabulary, width], ``positions`` [rows, width].

    ``readout`` is which tokens have logits: ``each``, or the ``first`` or ``last`` of the input. ``compared`` describes
    the comparison at import, which is not proved. ``edits`` has the sentences of its edits, edits.py.
    """

    sources: tuple[Source, ...]
    compared: str | None
    masked: bool
    readout: str
    tokens: Matrix
    positions: Matrix | None
    steps: tuple[Step, ...]
    unembedding: Affine
    edits: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The width of the residual stream."""
        return self.tokens.width

    @property
    def of_input(self) -> bool:
        """Whether a step rounds by a range of all tokens."""
        found = [step.activation for step in self.steps if isinstance(step, UnitsStep)]
        return any(isinstance(one, Rounding) and one.of_input for one in found)

    @property
    def causal(self) -> bool:
        """Whether a later token changes nothing."""
        return self.masked and not self.of_input

    @property
    def outputs(self) -> int:
        """The number of logits."""
        return self.unembedding.weight.width

    @property
    def attention_steps(self) -> tuple[AttentionStep, ...]:
        """The steps that have heads, in order."""
        return tuple(step for step in self.steps if isinstance(step, AttentionStep))

    @property
    def has_hard_heads(self) -> bool:
        """Whether a head has hard attention."""
        return any(head.attends is not None for step in self.attention_steps for head in step.heads)

    @property
    def stages(self) -> tuple[list[TokenStep], list[tuple[AttentionStep, list[TokenStep]]]]:
        """The steps before the first attention step; each attention step, and the steps after it up to the next one."""
        first, stages = list[TokenStep](), list[tuple[AttentionStep, list[TokenStep]]]()
        for step in self.steps:
            if isinstance(step, AttentionStep):
                stages.append((step, []))
            else:
                (stages[-1][1] if stages else first).append(step)
        return first, stages

    @property
    def rows(self) -> int | None:
        """The number of position numbers for which all tables have rows; None without tables."""
        tables = [] if self.positions is None else [self.positions]
        tables += [step.rotary.cosines for step in self.attention_steps if step.rotary]
        return min((len(table.rows) for table in tables), default=None)


def read_network(value: Json, budget: Budget) -> Network:
    """Parse the network without its edits; tensors are decoded first."""
    fields = headed(value, FORMAT, "sources", "compared", "attention", "readout", "tokens", "positions", "steps",
                    "unembedding", "tensors", "edits", optional={"edits"})
    sources, compared = fields.read("sources", list_of(read_source)), fields.read("compared", or_null(read_comparison))
    readout = str(fields.read("readout", one_of("each", "first", "last")))
    masked = fields.read("attention", one_of("causal", "bidirectional")) == "causal"
    tensors = fields.read("tensors", partial(read_tensors, budget=budget))
    tokens = fields.read("tokens", tensors.read_matrix)
    read = Reader(tensors, tokens.width)  # its width is that of the stream after the steps that were read
    positions = fields.read("positions", or_null(partial(read.matrix, width=read.width)))
    steps = fields.read("steps", list_of(read.step))
    expect(len(steps) <= MAX_N, "steps: limit: {}", MAX_N)
    unembedding = fields.read("unembedding", partial(read.affine, height=read.width))
    tensors.expect_all_used()
    return Network(sources, compared, masked, readout, tokens, positions, steps, unembedding)


def read_comparison(value: Json) -> str:
    """Parse the comparison: original (library and version, or file), inputs, lengths, greatest difference of logits."""
    fields = Fields(value, "original", "inputs", "lengths", "difference")
    kind, space, name = fields.read("original", read_text).rpartition(" ")
    expect(kind in ORIGINALS and space and 0 < len(name) <= 80 and name.isascii() and name.isprintable()
           and not set(name) & set("/\\"), "original: expected a library and its version, or a file")
    difference = fields.read("difference", read_rational)
    expect(difference >= 0, "difference: expected 0 or more, got {}", difference)
    inputs = fields.read("inputs", integer_within(range(1, 1 << 31)))
    lengths = fields.read("lengths", list_of(integer_within(range(1, MAX_N + 1))))
    expect(len(lengths) == 2 and lengths[0] <= lengths[1], "lengths: expected those of the shortest and the longest")
    return (f"with {kind} {quote(name)} on {inputs} inputs of {lengths[0]} to {lengths[1]} tokens, "
            f"greatest difference of logits {show(difference)}")


def read_source(value: Json) -> Source:
    """Parse the name of a file, without folders, and the digest of its bytes."""
    fields = Fields(value, "file", "sha256")
    source = Source(fields.read("file", read_text), fields.read("sha256", read_text))
    expect(source.file and not set(source.file) & set("/\\"), "file: expected a name without folders")
    expect(len(source.sha256) == 64 and set(source.sha256) <= DIGEST, "sha256: expected 64 digits, got {}",
           quote(source.sha256))
    return source


def width_after(norm: Norm | None, width: int) -> int:
    """Return the width of the input of a step with this norm, or none, for a stream of this width."""
    return norm.of.weight.width if norm is not None and norm.of is not None else width


class Reader:
    """Parser of the parts of a network in order; ``width`` is that of the stream so far."""

    def __init__(self, tensors: Tensors, width: int) -> None:
        self._tensors, self.width = tensors, width

    def matrix(self, value: Json, height: int | None = None, width: int | None = None) -> Matrix:
        """Parse a matrix of this shape, where given."""
        matrix = self._tensors.read_matrix(value)
        expect(height in (None, len(matrix.rows)), "expected {} rows, got {}", height, len(matrix.rows))
        expect(width in (None, matrix.width), "expected {} columns, got {}", width, matrix.width)
        return matrix

    def vector(self, value: Json, length: int) -> Vector:
        """Parse a vector of this length."""
        vector = self._tensors.read_vector(value)
        expect(len(vector.entries) == length, "expected {} elements, got {}", length, len(vector.entries))
        return vector

    def affine(self, value: Json, height: int, width: int | None = None) -> Affine:
        """Parse weight and bias."""
        fields = Fields(value, "weight", "bias")
        weight = fields.read("weight", partial(self.matrix, height=height, width=width))
        return Affine(weight, fields.read("bias", or_null(partial(self.vector, length=weight.width))))

    def norm(self, value: Json) -> Norm:
        """Parse a norm of the stream, or of an image of it."""
        fields = Fields(value, "kind", "epsilon", "gain", "bias", "of", optional={"of"})
        of = fields.read("of", partial(self.affine, height=self.width)) if "of" in fields else None
        parameter = or_null(partial(self.vector, length=of.weight.width if of else self.width))
        norm = Norm(str(fields.read("kind", one_of("layer", "rms"))), fields.read("epsilon", read_rational),
                    fields.read("gain", parameter), fields.read("bias", parameter), of)
        expect(norm.epsilon > 0, "epsilon: expected more than 0, got {}", norm.epsilon)
        return norm

    def step(self, value: Json) -> Step:
        """Parse one step; ``step`` determines its fields."""
        kind = value.get("step") if isinstance(value, dict) else None
        if kind == "attention":
            return self.attention(value)
        if kind == "units":
            return self.units(value)
        fields = Fields(value, "step", "norm")
        fields.read("step", one_of("norm", "attention", "units"))
        step = NormStep(fields.read("norm", self.norm))
        self.width = width_after(step.norm, self.width)
        return step

    def attention(self, value: Json) -> AttentionStep:
        """Parse heads; rotary tables have at most half as many pairs as each has coordinates."""
        fields = Fields(value, "step", "norm", "heads", "bias", "scale", "rotary", "cap", optional={"cap"})
        norm = fields.read("norm", or_null(self.norm))
        step = AttentionStep(
            norm=norm,
            heads=fields.read("heads", list_of(partial(self.head, height=width_after(norm, self.width)))),
            bias=fields.read("bias", or_null(partial(self.vector, length=self.width))),
            scale=fields.read("scale", read_scale),
            rotary=fields.read("rotary", or_null(self.rotary)),
            cap=fields.read("cap", read_rational) if "cap" in fields else None)
        expect(step.heads, "heads: expected at least one")
        expect(step.cap is None or step.cap > 0, "cap: expected more than 0, got {}", step.cap)
        pairs = step.rotary.cosines.width if step.rotary else 0
        expect(all(2 * pairs <= head.query.weight.width for head in step.heads), "rotary: more pairs than coordinates")
        return step

    def head(self, value: Json, height: int) -> NetworkHead:
        """Parse a head; query and key have one width, and W_O that of the value as its height."""
        fields = Fields(value, "query", "key", "value", "out", "slope")
        query = fields.read("query", partial(self.affine, height=height))
        key = fields.read("key", partial(self.affine, height=height, width=query.weight.width))
        values = fields.read("value", partial(self.affine, height=height))
        out = fields.read("out", partial(self.matrix, height=values.weight.width, width=self.width))
        return NetworkHead(query, key, values, out, fields.read("slope", or_null(read_rational)))

    def rotary(self, value: Json) -> Rotary:
        """Parse two tables of one shape."""
        fields = Fields(value, "cosines", "sines", "pairing")
        cosines = fields.read("cosines", self.matrix)
        sines = fields.read("sines", partial(self.matrix, height=len(cosines.rows), width=cosines.width))
        return Rotary(cosines, sines, fields.read("pairing", one_of("halves", "neighbours")) == "halves")

    def units(self, value: Json) -> UnitsStep:
        """Parse a feed-forward block, with or without a gate."""
        fields = Fields(value, "step", "norm", "in", "gate", "activation", "out")
        norm = fields.read("norm", or_null(self.norm))
        height = width_after(norm, self.width)
        inward = fields.read("in", partial(self.affine, height=height))
        units = inward.weight.width
        gate = fields.read("gate", or_null(partial(self.affine, height=height, width=units)))
        activation = fields.read("activation", read_activation)
        expect(gate is None or isinstance(activation, str), "gate: expected null, as a rounding has none")
        outward = fields.read("out", partial(self.affine, height=units, width=self.width))
        return UnitsStep(norm, inward, gate, activation, outward)


def read_activation(value: Json) -> str | Rounding:
    """Parse the name of an activation, or a rounding."""
    if not isinstance(value, dict):
        return str(one_of(*ACTIVATIONS)(value))
    if "range" in value:
        fields = Fields(value, "range", "greatest")
        of_input = fields.read("range", one_of("input", "token")) == "input"
        return Rounding(None, 0, 0, fields.read("greatest", integer_within(range(1, 1 << 32))), of_input)
    fields = Fields(value, "scale", "zero", "least", "greatest")
    whole = integer_within(range(-1 << 32, 1 << 32))
    scale = fields.read("scale", read_rational)
    expect(scale > 0, "scale: expected more than 0, got {}", scale)
    rounding = Rounding(scale, fields.read("zero", whole), fields.read("least", whole), fields.read("greatest", whole),
                        of_input=False)
    expect(rounding.least <= rounding.zero <= rounding.greatest, "zero: expected {} to {}, got {}", rounding.least,
           rounding.greatest, rounding.zero)
    return rounding


def read_scale(value: Json) -> Scale:
    """Parse a rational factor, or the integer m of 1/sqrt(m)."""
    if isinstance(value, dict) and list(value) == ["root"]:
        return Scale(None, Fields(value, "root").read("root", integer_within(range(1, 1 << 32))))
    return Scale(Fields(value, "times").read("times", read_rational), None)
