"""A class of float runs (docs/floats.md, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from constructions.network.float_formats import Format


@dataclass(frozen=True)
class RunClass:
    """The fields of docs/floats.md, section 1, in its order."""

    name: str
    storage: Format
    inputs: Format
    sums: Format
    scores: Format
    softmax: Format
    weights: Format
    normalised: str
    exp_ulp: Fraction
    exp_base: str
    block: int
