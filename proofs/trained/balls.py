"""A trained network on one input in ball arithmetic (Arb): every ball contains the true real value.

Weights are exact; products, exp, erf and roots are Arb's, whose balls have proved bounds. Streams have a row for
each token. More bits make balls smaller; a sign is read off a ball only where the whole ball has it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat

from constructions.trained import network as trained
from constructions.trained.numbers import numbers
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.activations import GELU_TANH_CUBE, GELU_TANH_SLOPE

BITS = (64, 128, 256, 512, 1024)
"""Precisions, tried in turn while a sign is undecided."""

Balls = list[list[arb]]
Map = Callable[[arb], arb]


@dataclass(frozen=True)
class RowDecision:
    """Whether a row's value is above the margin; None if no precision of ``BITS`` tells.

    The value lies in ``ends``, which are None if it could not be bounded.
    """

    above: bool | None
    ends: tuple[Fraction, Fraction] | None
    bits: int


def _increasing(function: Map, x: arb) -> arb:
    """Enclose an increasing function on a ball: by its values at both ends where ball arithmetic has no bound."""
    value = function(x)
    return value if value.is_finite() or not x.is_finite() else function(x.lower()).union(function(x.upper()))


def _logistic(x: arb) -> arb:
    return _increasing(lambda y: y.exp() / (1 + y.exp()) if y < -1000 else 1 / (1 + (-y).exp()), x)


def _gelu(x: arb) -> arb:
    return x * (1 + (x / arb(2).sqrt()).erf()) / 2


def _gelu_tanh(x: arb) -> arb:
    """GELU by tanh; the cube is a product, as Arb's power of a ball around 0 is not a number."""
    return x * _logistic(2 * ball(GELU_TANH_SLOPE) * (x + ball(GELU_TANH_CUBE) * x * x * x))


ACTIVATIONS: Mapping[trained.Activation, Map] = {
    "relu": lambda x: x.max(arb(0)),
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "silu": lambda x: x * _logistic(x),
    "sigmoid": _logistic,
    "tanh": lambda x: _increasing(arb.tanh, x),
    "identity": lambda x: x,
}


class BallNetwork:
    """A network whose weights are exact balls; matrices are made once and kept."""

    def __init__(self, network: trained.TrainedNetwork) -> None:
        self.network = network
        self.kept: dict[trained.View, arb_mat] = {}
        attention = [k for k, step in enumerate(network.steps) if isinstance(step, trained.AttentionStep)]
        self.last_attention = attention[-1] if attention else -1

    def matrix(self, view: trained.View) -> arb_mat:
        """The numbers of a view; a vector is one row."""
        if view not in self.kept:
            values = numbers(self.network, view)
            self.kept[view] = arb_mat((values if values.ndim == 2 else values[None, :]).tolist())
        return self.kept[view]

    def row(self, view: trained.View, index: int = 0) -> list[arb]:
        """One row of a view."""
        matrix = self.matrix(view)
        return [matrix[index, column] for column in range(matrix.ncols())]

    def embedded(self, tokens: Sequence[int], offset: int) -> Balls:
        """The streams before the first step."""
        rows = [self.row(self.network.tokens, token) for token in tokens]
        positions = self.network.positions
        if positions is None:
            return rows
        return [[x + y for x, y in zip(row, self.row(positions, offset + place), strict=True)]
                for place, row in enumerate(rows)]  # fmt: skip

    def affine(self, affine: trained.Affine, x: Balls) -> Balls:
        """x weight + bias."""
        return self.plus((arb_mat(x) * self.matrix(affine.weight)).tolist(), affine.bias)

    def plus(self, x: Balls, bias: trained.View | None) -> Balls:
        """The bias added to each row."""
        if bias is None:
            return x
        added = self.row(bias)
        return [[a + b for a, b in zip(row, added, strict=True)] for row in x]

    def normed(self, norm: trained.Norm | None, x: Balls) -> Balls:
        """Each row normalised; as it is, without a norm."""
        if norm is None:
            return x
        x = x if norm.of is None else self.affine(norm.of, x)
        rows = [_normalised(norm, row) for row in x]
        if norm.gain is not None:
            gain = self.row(norm.gain)
            rows = [[a * b for a, b in zip(row, gain, strict=True)] for row in rows]
        return self.plus(rows, norm.bias)

    def after(self, step: trained.Step, stream: Balls, offset: int, at: Sequence[int]) -> Balls:
        """The streams of the tokens ``at`` after a step, from all those before it."""
        chosen = [stream[place] for place in at]
        if isinstance(step, trained.NormStep):
            return self.normed(step.norm, chosen)
        if isinstance(step, trained.UnitsStep):
            return self._units(step, chosen)
        normed, total = self.normed(step.norm, stream), arb_mat(chosen)
        for head in step.heads:
            weights = self.weights(step, head, normed, offset, at)
            total += arb_mat(weights) * arb_mat(self.affine(head.value, normed)) * self.matrix(head.out)
        return self.plus(total.tolist(), step.bias)

    def weights(self, step: trained.AttentionStep, head: trained.Head, normed: Balls, offset: int,
                at: Sequence[int]) -> Balls:
        """The softmax weights of the tokens ``at`` on all tokens; 0 on those that they do not see."""
        queries = self.affine(head.query, [normed[place] for place in at])
        keys = self.affine(head.key, normed)
        if step.rotary is not None:
            queries = self.turned(step.rotary, queries, offset, at)
            keys = self.turned(step.rotary, keys, offset, range(len(keys)))
        scores = scores_of(step, queries, keys)
        return [self._softmax(head, row, place) for place, row in zip(at, scores, strict=True)]

    def _softmax(self, head: trained.Head, scores: list[arb], place: int) -> list[arb]:
        visible = place + 1 if self.network.attention == "causal" else len(scores)
        scores, hidden = scores[:visible], [arb(0)] * (len(scores) - visible)
        if head.slope is not None:
            slope = ball(head.slope)
            scores = [score + slope * (other - place) for other, score in enumerate(scores)]
        shift = max(score.mid() for score in scores)  # exact: it cancels in the quotient
        weights = [(score - shift).exp() for score in scores]
        total = sum(weights, arb(0))
        return [weight / total for weight in weights] + hidden

    def turned(self, rotary: trained.Rotary, rows: Balls, offset: int, at: Sequence[int]) -> Balls:
        """Queries or keys of the tokens ``at``, turned as their positions say."""
        return [self._turned(rotary, row, offset + place) for place, row in zip(at, rows, strict=True)]

    def _turned(self, rotary: trained.Rotary, x: list[arb], number: int) -> list[arb]:
        turned = list(x)
        for first, second, cosine, sine in self.pairs(rotary, number):
            turned[first] = x[first] * cosine - x[second] * sine
            turned[second] = x[second] * cosine + x[first] * sine
        return turned

    def pairs(self, rotary: trained.Rotary, number: int) -> Iterator[tuple[int, int, arb, arb]]:
        """The pairs of coordinates that are turned at a position number, with cosine and sine."""
        cosines, sines = self.row(rotary.cosines, number), self.row(rotary.sines, number)
        for r, (cosine, sine) in enumerate(zip(cosines, sines, strict=True)):
            yield (*((r, r + len(cosines)) if rotary.pairing == "halves" else (2 * r, 2 * r + 1)), cosine, sine)

    def _units(self, step: trained.UnitsStep, stream: Balls) -> Balls:
        x = self.normed(step.norm, stream)
        units = self.affine(step.inward, x)
        if isinstance(step.activation, trained.Rounding):
            units = rounded(step.activation, units)
            return (arb_mat(stream) + arb_mat(self.affine(step.outward, units))).tolist()
        act = ACTIVATIONS[step.activation]
        if step.gate is None:
            units = [[act(unit) for unit in row] for row in units]
        else:
            gates = self.affine(step.gate, x)
            units = [[act(gate) * unit for gate, unit in zip(*rows, strict=True)]
                     for rows in zip(gates, units, strict=True)]  # fmt: skip
        return (arb_mat(stream) + arb_mat(self.affine(step.outward, units))).tolist()


def scores_of(step: trained.AttentionStep, queries: Balls, keys: Balls) -> Balls:
    """The scores of queries and keys, which may be turned: scaled and capped."""
    scores: Balls = (scale_ball(step.scale) * (arb_mat(queries) * arb_mat(keys).transpose())).tolist()
    if step.cap is None:
        return scores
    cap = ball(step.cap)
    return [[cap * (score / cap).tanh() for score in row] for row in scores]


def rounded(rounding: trained.Rounding, rows: Balls) -> Balls:
    """The numbers of tokens rounded: both neighbours in one ball where it is open which is nearer."""
    if rounding.scale is not None:
        scale, zero = ball(rounding.scale), (Fraction(rounding.zero),) * 2
        return [[_multiple(x, scale, zero, rounding) for x in row] for row in rows]
    if rounding.range == "token" and len(rows) > 1:
        return [row for one in rows for row in rounded(rounding, [one])]
    numbers = [x for row in rows for x in row]
    low, high = arb(0), arb(0)
    for x in numbers:
        low, high = low.min(x), high.max(x)
    scale = (high - low) / rounding.greatest
    if not scale > 0:
        return [[arb("nan")] * len(row) for row in rows]
    first, last = exact_ends(-low / scale)
    zero = Fraction(round(first)), Fraction(round(last))
    return [[_multiple(x, scale, zero, rounding) for x in row] for row in rows]


def _multiple(x: arb, scale: arb, zero: tuple[Fraction, Fraction], rounding: trained.Rounding) -> arb:
    """The nearest multiple of the scale, between the limits less a zero point between these two."""
    if not (quotient := x / scale).is_finite():
        return arb("nan")
    low, high = (ball(min(max(Fraction(round(end)), rounding.least - z), rounding.greatest - z))
                 for end, z in zip(exact_ends(quotient), reversed(zero), strict=True))
    return low.union(high) * scale


def _normalised(norm: trained.Norm, x: list[arb]) -> list[arb]:
    centred = x
    if norm.kind == "layer":
        mean = sum(x, arb(0)) / len(x)
        centred = [value - mean for value in x]
    inverse = (sum((value * value for value in centred), arb(0)) / len(x) + ball(norm.epsilon)).rsqrt()
    return [value * inverse for value in centred]


def scale_ball(scale: trained.Scale) -> arb:
    """The scale of scores."""
    return arb(scale.root).rsqrt() if scale.root is not None else ball(scale.times or Fraction(0))


def enclose_logits(network: BallNetwork, tokens: Sequence[int], offset: int, at: Sequence[int], bits: int) -> arb_mat:
    """Balls around the logits [len(at), outputs] of the tokens ``at`` of one input, computed with so many bits."""
    with working_precision(bits):
        stream, last = network.embedded(tokens, offset), network.last_attention
        whole = network.network.of_input
        if last < 0 and not whole:
            stream = [stream[place] for place in at]
        for k, step in enumerate(network.network.steps):
            stream = network.after(step, stream, offset, at if k == last and not whole else range(len(stream)))
        if whole:
            stream = [stream[place] for place in at]
        return arb_mat(network.affine(network.network.unembedding, stream))


def enclose_attention(network: BallNetwork, tokens: Sequence[int], offset: int, bits: int) -> list[list[Balls]]:
    """For each attention step, for each head, balls around the weights [T, T] of one input."""
    with working_precision(bits):
        stream, everything, found = network.embedded(tokens, offset), range(len(tokens)), []
        for step in network.network.steps[: network.last_attention + 1]:
            if isinstance(step, trained.AttentionStep):
                normed = network.normed(step.norm, stream)
                found.append([network.weights(step, head, normed, offset, everything) for head in step.heads])
            stream = network.after(step, stream, offset, everything)
        return found


def decide_row(
    network: BallNetwork, tokens: Sequence[int], offset: int, at: int, row: Sequence[tuple[int, Fraction]],
    margin: Fraction,
) -> RowDecision:  # fmt: skip
    """Whether Σ coefficient · logit of the token ``at`` is above the margin, with as many bits as it takes."""
    for bits in BITS:
        logits = enclose_logits(network, tokens, offset, [at], bits)
        with working_precision(bits):
            value = sum((ball(coefficient) * logits[0, output] for output, coefficient in row), arb(0))
            rest = value - ball(margin)
            if rest > 0 or rest <= 0:
                return RowDecision(bool(rest > 0), exact_ends(value), bits)
    return RowDecision(None, exact_ends(value) if value.is_finite() else None, bits)
