"""The weightings that a formula may be compiled for, and their constructions.

The constructions of [SHA] sharpen scores until softmax is nearly hard. They work unchanged under a weighting whose
weights sum to 1 and favour the greatest score: the weighting of all heads is replaced. They do not work under the
others, which have constructions of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from constructions.draft import Draft
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import Expression
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula
from constructions.network.weightings import Weighting
from constructions.regimes import Regime
from constructions.statements.additive_attention import (
    add_truth_by_additive_attention,
    constant_temperature,
    temperature_over_n,
)
from constructions.statements.geometric_attention import add_truth_by_geometric_attention, logarithmic_temperature
from constructions.statements.relu_attention import RELU
from constructions.statements.sigmoid_attention import SIGMOID


@dataclass(frozen=True)
class Constructions:
    """The function that adds the truth of a temporal or counting formula, and the temperature of all heads."""

    add_truth: Callable[[Draft, Formula], str]
    temperature: Callable[[Regime], Expression]


OF_THEIR_OWN: Mapping[Weighting, Constructions] = {
    Weighting.RELU: Constructions(partial(add_truth_by_additive_attention, additive=RELU), constant_temperature),
    Weighting.RELU_OVER_N: Constructions(partial(add_truth_by_additive_attention, additive=RELU), temperature_over_n),
    Weighting.SIGMOID: Constructions(partial(add_truth_by_additive_attention, additive=SIGMOID), constant_temperature),
    Weighting.GEOMETRIC: Constructions(add_truth_by_geometric_attention, logarithmic_temperature),
    Weighting.STICK_BREAKING: Constructions(add_truth_by_geometric_attention, logarithmic_temperature),
}
"""These weightings use only constructions of their own; the others, which have a kernel, only those of [SHA]."""


def read_weighting(name: str, where: str) -> Weighting:
    """Return the weighting of this name.

    Raises:
        InputError: if there is none, or it is a hard one.
    """
    soft = [weighting for weighting in Weighting if not weighting.is_hard]
    if name not in soft:
        raise InputError(f"{where}: found {name!r}, expected one of {', '.join(soft)}")
    return Weighting(name)


def check_weighting(weighting: Weighting, regime: Regime, counting: Sequence[Formula]) -> None:
    """Raise Unsupported if the weighting has no constructions; ``counting`` are the formulas that count."""
    if weighting.row.over_n and regime.causal:
        raise Unsupported(f"weighting {weighting}: it divides by the length n, unavailable in a causal regime")
    if counting and weighting.row.extra:
        raise Unsupported(f"{format_briefly(counting[0])}: uniform attention over k positions gives each of them "
                          f"1/(k+{weighting.row.extra}) under {weighting}, so no head holds the mean that counts are "
                          "computed from")
