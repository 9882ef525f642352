"""The abstract transformer of each step, on affine forms.

See docs/reference/trained.md, section 1, and trained_rules.md, section 5.
"""

from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from ..balls.activations import Activation, ScoreCap
from ..balls.precision import Precision
from ..reading.network import (
    AttentionStep,
    Network,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    TokenStep,
    UnitsStep,
)
from .activations import Curve, activate
from .affine import AffineForm, Linear, apply, make_point, multiply, plus, promoted, scale_each
from .linear_maps import make_bias, make_map, make_rotation, to_units
from .norms import normalise

PRECISION = Precision(1)  # with the fractional bits of forms


class NormMaps(NamedTuple):
    """A norm with its gain and bias over 2^44, and the affine image that it normalises."""

    kind: str
    epsilon: Fraction
    gain: list[int] | None
    bias: list[int] | None
    of: Linear | None


class HeadMaps(NamedTuple):
    """A head; the scale of scores is in the query."""

    query: Linear
    key: Linear
    value: Linear
    out: Linear
    slope: Fraction | None


class AttentionMaps(NamedTuple):
    """An attention step."""

    norm: NormMaps | None
    heads: tuple[HeadMaps, ...]
    bias: list[int] | None
    rotary: Rotary | None
    cap: ScoreCap | None


class UnitMaps(NamedTuple):
    """A feed-forward block."""

    norm: NormMaps | None
    inward: Linear
    gate: Linear | None
    curve: Curve
    outward: Linear



def make_norm(budget: Budget, norm: Norm | None) -> NormMaps | None:
    """Prepare a norm."""
    if norm is None:
        return None
    gain, bias = (None if one is None else to_units(one.entries, one.power) for one in (norm.gain, norm.bias))
    of = None if norm.of is None else make_map(budget, norm.of.weight, norm.of.bias)
    return NormMaps(norm.kind, norm.epsilon, gain, bias, of)


def make_attention(budget: Budget, step: AttentionStep) -> AttentionMaps:
    """Prepare an attention step."""
    norm = make_norm(budget, step.norm)
    bias = None if step.bias is None else make_bias(step.bias, len(step.bias.entries))
    cap = ScoreCap(step.cap, PRECISION, budget) if step.cap else None
    heads = tuple(HeadMaps(make_map(budget, head.query.weight, head.query.bias, step.scale),
                           make_map(budget, head.key.weight, head.key.bias),
                           make_map(budget, head.value.weight, head.value.bias), make_map(budget, head.out), head.slope)
                  for head in step.heads)
    return AttentionMaps(norm, heads, bias, step.rotary, cap)


def make_maps(budget: Budget, step: TokenStep) -> NormMaps | UnitMaps:
    """Prepare a step on each token alone."""
    norm = make_norm(budget, step.norm)
    if isinstance(step, NormStep):
        assert norm is not None
        return norm
    gate = None if step.gate is None else make_map(budget, step.gate.weight, step.gate.bias)
    return UnitMaps(norm, make_map(budget, step.inward.weight, step.inward.bias), gate, make_curve(budget, step),
                    make_map(budget, step.outward.weight, step.outward.bias))


def make_curve(budget: Budget, step: UnitsStep) -> Curve:
    """Prepare an activation, or a rounding, whose scale must be given."""
    if isinstance(step.activation, Rounding):
        from ..balls.roundings import Rounder

        require(step.activation.scale is not None, "no rule by classes for roundings by a range")
        return Curve("rounding", Rounder(step.activation, PRECISION, budget, 0, 1))
    return Curve(step.activation, Activation(step.activation, PRECISION, budget))


def embed(network: Network, token: int, position: int) -> AffineForm:
    """Return the stream of a token before the first step: each of its two rows is within 1 unit."""
    row = to_units(network.tokens.rows[token], network.tokens.power)
    if network.positions is not None:
        more = to_units(network.positions.rows[position], network.positions.power)
        row = [x + y for x, y in zip(row, more, strict=True)]
    return make_point(row, [2] * len(row))


def normed(budget: Budget, norm: NormMaps | None, x: AffineForm) -> AffineForm:
    """Return the norm of the stream, which may be fresh, or of its image, or the stream."""
    if norm is None:
        return x
    if norm.of is not None:
        x = apply(budget, norm.of, promoted(x))
    return scale_each(budget, norm.gain, norm.bias, normalise(budget, norm.kind, norm.epsilon, x))


def pass_units(budget: Budget, maps: UnitMaps, x: AffineForm) -> AffineForm:
    """Return the stream after a feed-forward block; with a gate, act(gate) times the hidden units."""
    x = promoted(x)
    read = normed(budget, maps.norm, x)
    if maps.gate is None:
        units = activate(budget, maps.curve, apply(budget, maps.inward, read))
    else:
        read = promoted(read)
        units = multiply(budget, activate(budget, maps.curve, apply(budget, maps.gate, read)),
                         apply(budget, maps.inward, read))
    return plus(x, apply(budget, maps.outward, units))


def pass_between(budget: Budget, steps: list[NormMaps | UnitMaps], x: AffineForm) -> AffineForm:
    """Return the stream after steps on a token alone."""
    for step in steps:
        x = pass_units(budget, step, x) if isinstance(step, UnitMaps) else normed(budget, step, x)
    return x


def rotated(budget: Budget, rotary: Rotary | None, position: int, x: AffineForm) -> AffineForm:
    """Return a query or a key with rotary positions."""
    if rotary is None:
        return x
    budget.spend(1 + (len(x.rows) ** 2 >> 3))
    return apply(budget, make_rotation(rotary, position, len(x.rows)), x)
