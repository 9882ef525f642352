"""The kinds of obligations, and the interface of obligations about a written direction."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from constructions.language.printer import format_briefly
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Others, Truth
from constructions.network.transformer import Head


class ObligationKind(StrEnum):
    """The rules of docs/reference/certificate.md for a direction; the first is about the whole network."""

    COMPOSITION = "composition"
    EMBEDDING = "embedding"
    UNIFORM = "uniform"
    MEAN = "mean"
    ATTENTION = "attention"
    LOOKUP = "lookup"
    COUNTING = "counting"
    SELECTING = "selecting"
    SUM_LOOKUP = "sum lookup"
    FEED_FORWARD = "feed-forward"


APPROXIMATING = (ObligationKind.ATTENTION, ObligationKind.LOOKUP, ObligationKind.SELECTING, ObligationKind.SUM_LOOKUP)
"""The rules of heads whose values need not be exact: their obligations may have a worst case."""


class Obligation(Protocol):
    """The condition that one written direction must satisfy at every (n, i)."""

    @property
    def kind(self) -> ObligationKind:
        """The rules that apply to it."""

    @property
    def layer(self) -> int:
        """The layer that writes, counted from 1."""

    @property
    def place(self) -> int:
        """The head of the layer that writes, counted from 1; 0 for its feed-forward block."""

    @property
    def direction(self) -> str:
        """The direction that is written."""

    @property
    def source(self) -> str:
        """The statement of the literature that the writer names, for people only; empty if it names none."""

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""

    def key(self) -> tuple[Hashable, ...] | None:
        """Return a key by which equal obligations are discharged once; None if a look-up is not worthwhile."""


@dataclass(frozen=True)
class HeadObligation:
    """The common part of obligations of a direction that heads write; ``head`` is the first of the heads."""

    layer: int
    place: int
    head: Head
    direction: str
    lengths: Lengths

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.lengths.cells

    @property
    def source(self) -> str:
        """The statement that the head names."""
        return self.head.source


@dataclass(frozen=True)
class Approximation(HeadObligation):
    """The obligation of a direction near a truth or a number; an ``allowed_error`` of None means no stated bound."""

    meaning: Truth | Near | Others
    allowed_error: Fraction | None

    @property
    def aim(self) -> str:
        """The approximated truth or number, in words."""
        assert not isinstance(self.meaning, Others)
        return format_briefly(self.meaning.formula)


def describe_place(layer: int, place: int, direction: str) -> str:
    """Return the location at which a direction is written, for messages."""
    writer = f"head {place}" if place else "feed-forward"
    return f"layer {layer}, {writer}, {direction}"
