"""The maps of steps on a token alone, for affine forms."""

from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from ..balls.activations import Activation
from ..balls.precision import Precision
from ..reading.network import Norm, NormStep, Rounding, TokenStep, UnitsStep
from .activations import Curve
from .affine import Linear
from .linear_maps import make_map, to_units

PRECISION = Precision(1)  # with the fractional bits of forms


class NormMaps(NamedTuple):
    """A norm with its gain and bias over 2^44, and the affine image that it normalises."""

    kind: str
    epsilon: Fraction
    gain: list[int] | None
    bias: list[int] | None
    of: Linear | None


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


def make_maps(budget: Budget, step: TokenStep, allowed: int = 1) -> NormMaps | UnitMaps:
    """Prepare a step on each token alone; ``allowed`` is the error allowed to the parabolas of an activation."""
    norm = make_norm(budget, step.norm)
    if isinstance(step, NormStep):
        assert norm is not None
        return norm
    gate = None if step.gate is None else make_map(budget, step.gate.weight, step.gate.bias)
    return UnitMaps(norm, make_map(budget, step.inward.weight, step.inward.bias), gate,
                    make_curve(budget, step, allowed), make_map(budget, step.outward.weight, step.outward.bias))


def make_curve(budget: Budget, step: UnitsStep, allowed: int = 1) -> Curve:
    """Prepare an activation, or a rounding, whose scale must be given."""
    if isinstance(step.activation, Rounding):
        from ..balls.roundings import Rounder

        require(step.activation.scale is not None, "no rule by classes for roundings by a range")
        return Curve("rounding", Rounder(step.activation, PRECISION, budget, 0, 1))
    return Curve(step.activation, Activation(step.activation, PRECISION, budget, allowed))
