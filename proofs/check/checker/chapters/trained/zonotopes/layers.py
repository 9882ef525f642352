"""The abstract transformer of each step, on affine forms.

See docs/reference/trained.md, section 1, and trained_rules.md, section 5.
"""

from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ..balls.score_caps import ScoreCap
from ..reading.network import AttentionStep, Network, Rotary
from .activations import activate
from .affine import AffineForm, Linear, apply, make_point, multiply, plus, promoted, scale_each
from .linear_maps import make_bias, make_map, make_rotation, to_units
from .norms import normalise
from .step_maps import PRECISION, NormMaps, UnitMaps, make_norm


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
