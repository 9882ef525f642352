"""Uniform heads: all scores equal, so the weights are exactly 1/count and the mean of exact values is exact."""

from __future__ import annotations

from dataclasses import dataclass

from constructions.language.brackets import PositionFunction
from constructions.language.printer import format_count, format_formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Position, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer, Weighting
from proofs.failures import NotDerived
from proofs.obligations.kinds import Kind
from proofs.obligations.known import KnownValues


@dataclass(frozen=True)
class UniformObligation:
    """At every (n, i) the visible positions have equal scores, and the mean of the values is ``expected``.

    Queries and keys are known where they matter. An ``expected`` of None asks for equal scores alone: the value is then
    the truth of what is counted, and its mean what the direction means, whatever the word.
    """

    layer: int
    place: int
    head: Head
    direction: str
    expected: PositionFunction | None
    known: KnownValues
    lengths: Lengths

    @property
    def kind(self) -> Kind:
        """Uniform attention to known values, or to the truth of what is counted."""
        return Kind.MEAN if self.expected is None else Kind.UNIFORM

    @property
    def source(self) -> str:
        """The statement that the head names."""
        return self.head.source

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.lengths.cells

    def key(self) -> None:
        """Each is checked by itself: that takes no longer than to tell them apart."""


def oblige_uniform(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, place: int, head: Head,
                   direction: str) -> UniformObligation:
    """The obligation of one written direction that means a number of the position, or the mean behind a count.

    Source      docs/certificate.md, section 5, uniform and mean head; [SHA] Theorem 20, first stage.

    Raises:
        NotDerived: if the mask or the value is not that of the count, or a value depends on the word.
    """
    if head.weighting is not Weighting.SOFTMAX:
        raise NotDerived(f"weighting {head.weighting.value}: only softmax is certified")
    match transformer.directions[direction]:
        case Position(value):
            check_reads_known(head.values[direction], known, "the value")
            return UniformObligation(layer, place, head, direction, value, known, lengths)
        case Mean() as meaning:
            _check_is_mean_of_count(transformer, head, direction, meaning)
            return UniformObligation(layer, place, head, direction, None, known, lengths)
        case meaning:
            raise AssertionError(f"no uniform head makes {meaning}")


def _check_is_mean_of_count(transformer: Transformer, head: Head, direction: str, meaning: Mean) -> None:
    count, value = meaning.count, head.values[direction]
    mask = Mask.FUTURE if count.side == "left" else Mask.PAST
    if head.mask is not mask:
        raise NotDerived(f"mask {head.mask.value}: {format_count(count)} needs mask {mask.value}")
    read = [transformer.directions[name] for name in value]
    if list(value.values()) != [1] or read != [Truth(count.operand)]:
        raise NotDerived(f"the value is not the truth of {format_formula(count.operand)} and nothing else")


def check_reads_known(row: Coefficients, known: KnownValues, what: str) -> None:
    """Check that a linear form reads known directions only.

    Raises:
        NotDerived: naming the first that depends on the word.
    """
    for name in row:
        if name not in known:
            raise NotDerived(f"{what} reads {name}, which depends on the word")
