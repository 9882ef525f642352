"""Small random networks that round numbers on their way: by a scale, or by the range of a token or of all tokens."""

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from constructions.trained.network import NormStep, Rounding, Step, TrainedNetwork, UnitsStep
from tests.trained.random_networks import Maker, random_network

Way = Literal["scale", "token", "input"]
WAYS: tuple[Way, ...] = ("scale", "token", "input")


def rounding_of(way: Way, draw: np.random.Generator) -> Rounding:
    """Draw a rounding to between 8 and 256 numbers."""
    bits = int(draw.integers(3, 9))
    if way != "scale":
        return Rounding(0, (1 << bits) - 1, range=way)
    zero = int(draw.integers(1 << bits))
    return Rounding(0, (1 << bits) - 1, Fraction(float(np.float32(draw.uniform(4, 9) / (1 << bits)))), zero)


def with_roundings(seed: int, way: Way, size: float = 0.7) -> TrainedNetwork:
    """The random network of this seed, with a step that rounds before the others, between them, and at the end."""
    network = random_network(seed, size=size)
    maker = Maker(np.random.default_rng(seed + 10_000), size)
    steps: list[Step] = []
    width = network.width
    for step in (*network.steps, None):
        rounding, units = rounding_of(way, maker.draw), int(maker.draw.integers(2, 7))
        norm = maker.maybe_norm(width)
        steps.append(UnitsStep(norm, maker.affine(norm.reads(width) if norm else width, units), None, rounding,
                               maker.affine(units, width)))
        if step is not None:
            steps.append(step)
        if isinstance(step, NormStep):
            width = step.norm.reads(width)
    tensors = {**network.tensors, **{f"r{name}": tensor for name, tensor in maker.tensors.items()}}
    return replace(network, steps=tuple(map(renamed, steps, [step in network.steps for step in steps])),
                   tensors=tensors)


def renamed(step: Step, is_old: bool) -> Step:
    """Return a step whose tensors are those of a second maker."""
    if is_old or not isinstance(step, UnitsStep):
        return step

    def of(part: object) -> object:
        if hasattr(part, "tensor"):
            return replace(part, tensor=f"r{part.tensor}")  # type: ignore[type-var]
        if hasattr(part, "__dataclass_fields__") and not isinstance(part, Rounding):
            return replace(part, **{name: of(getattr(part, name)) for name in part.__dataclass_fields__})  # type: ignore[type-var]
        return part

    found = of(step)
    assert isinstance(found, UnitsStep)
    return found
