"""The network with weights rounded once, to nearest, ties to even, as executions under a float model have it.

Weights of matrix products are rounded to `storage`, then `inputs`; others to `storage`; subnormals are kept.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim, Format
from ..reading.dyadics import Matrix, Vector
from ..reading.network import (
    Affine,
    AttentionStep,
    Network,
    NetworkHead,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Step,
    UnitsStep,
)
from .dyadics import nearest as one_number
from .dyadics import rounded, value

Given = TypeVar("Given")


def nearest(entries: Sequence[int], power: int, form: Format) -> tuple[int, ...]:
    """Round each entry · 2^power to the format; results are integers times the same power.

    Raises:
        Rejected: if one is too large.
    """
    return tuple([m << k - power for m, k in (rounded((entry, power), form) for entry in entries)])


class Casting:
    """Rounding of the numbers of a network."""

    def __init__(self, model: FloatClaim) -> None:
        self._model = model

    def vector(self, vector: Vector | None) -> Vector | None:
        """Return a gain or a bias, rounded."""
        return None if vector is None else Vector(nearest(vector.entries, vector.power, self._model.storage),
                                                  vector.power)

    def table(self, table: Matrix) -> Matrix:
        """Return a table of rows, rounded."""
        rows = tuple(nearest(row, table.power, self._model.storage) for row in table.rows)
        return Matrix(rows, table.width, table.power)

    def weight(self, weight: Matrix) -> Matrix:
        """Return a matrix that enters products, rounded."""
        stored = self.table(weight)
        return Matrix(tuple(nearest(row, stored.power, self._model.inputs) for row in stored.rows), stored.width,
                      stored.power)

    def affine(self, affine: Affine) -> Affine:
        """Return an affine map, its weight and bias rounded."""
        return Affine(self.weight(affine.weight), self.vector(affine.bias))

    def norm(self, norm: Norm | None) -> Norm | None:
        """Return a norm, its gain and bias rounded; ε is rounded in each execution."""
        if norm is None:
            return None
        of = None if norm.of is None else self.affine(norm.of)
        return replace(norm, gain=self.vector(norm.gain), bias=self.vector(norm.bias), of=of)

    def head(self, head: NetworkHead) -> NetworkHead:
        """Return a head, its maps and its slope rounded."""
        slope = None if head.slope is None else value(one_number(head.slope, self._model.storage))
        return NetworkHead(self.affine(head.query), self.affine(head.key), self.affine(head.value),
                           self.weight(head.out), slope)

    def rotary(self, rotary: Rotary | None) -> Rotary | None:
        """Return rotary tables, rounded."""
        return None if rotary is None else replace(rotary, cosines=self.table(rotary.cosines),
                                                   sines=self.table(rotary.sines))

    def activation(self, activation: str | Rounding) -> str | Rounding:
        """Return an activation; the scale of a rounding, if it is given, is rounded to `softmax`."""
        if isinstance(activation, str) or activation.scale is None:
            return activation
        scale = value(one_number(activation.scale, self._model.softmax))
        require(scale, "a scale of roundings is 0 in its format")
        return replace(activation, scale=scale)

    def step(self, step: Step) -> Step:
        """Return a step, rounded."""
        norm = self.norm(step.norm)
        if isinstance(step, AttentionStep):
            return replace(step, norm=norm, heads=tuple(map(self.head, step.heads)), bias=self.vector(step.bias),
                           rotary=self.rotary(step.rotary))
        if isinstance(step, UnitsStep):
            gate = None if step.gate is None else self.affine(step.gate)
            return UnitsStep(norm, self.affine(step.inward), gate, self.activation(step.activation),
                             self.affine(step.outward))
        assert norm is not None
        return NormStep(norm)


def balls_have_rules(network: Network) -> bool:
    """Return whether the rules of balls cover the network: docs/background/floats_rules.md, section 7, Balls."""
    attention = [step for step in network.steps if isinstance(step, AttentionStep)]
    units = [step for step in network.steps if isinstance(step, UnitsStep)]
    return (all(step.norm is None or step.norm.of is None for step in network.steps)
            and all(step.gate is None and step.activation in ("relu", "gelu", "tanh") for step in units)
            and all(step.rotary is None and step.cap is None and all(head.slope is None for head in step.heads)
                    for step in attention))


def cast_network(network: Network, model: FloatClaim) -> Network:
    """Return the network of the executions under a float model.

    Raises:
        Rejected: if a weight is too large, or a step has no rule.
    """
    cast = Casting(model)
    positions = None if network.positions is None else cast.table(network.positions)
    return replace(network, tokens=cast.table(network.tokens), positions=positions,
                   steps=tuple(map(cast.step, network.steps)), unembedding=cast.affine(network.unembedding))


def embedded(model: FloatClaim, network: Network, token: int, position: int) -> tuple[Sequence[int], int]:
    """Return the sum of token row and position row, stored, as integers times a power of two."""
    power, entries = network.tokens.power, network.tokens.rows[token]
    if network.positions is not None:
        least = min(power, network.positions.power)
        more = network.positions.rows[position]
        entries = tuple((a << power - least) + (b << network.positions.power - least)
                        for a, b in zip(entries, more, strict=True))
        power = least
    return nearest(entries, power, model.storage), power
