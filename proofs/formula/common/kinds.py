"""The kinds of obligations, and what every obligation about a written direction can say of itself."""

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
    """The rules of docs/background/obligations.md for a direction; the first is about the network as a whole."""

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
"""Heads whose values need not be exact: their obligations may have a worst case."""


class Obligation(Protocol):
    """What one written direction must hold at every (n, i)."""

    @property
    def kind(self) -> ObligationKind:
        """The rules that it comes under."""

    @property
    def layer(self) -> int:
        """The layer that writes, counted from 1."""

    @property
    def place(self) -> int:
        """The head of the layer that writes, counted from 1; 0 for its feed-forward part."""

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
        """Equal obligations have equal keys, and are discharged once; None if it is no use to look for an equal one."""


@dataclass(frozen=True)
class HeadObligation:
    """What every obligation of a direction that heads write has; ``head`` is the first of them."""

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
    """One of a direction that is near a truth or a number; ``allowed_error`` says how near, None that nobody does."""

    meaning: Truth | Near | Others
    allowed_error: Fraction | None

    @property
    def aim(self) -> str:
        """What the heads approximate, in words."""
        assert not isinstance(self.meaning, Others)
        return format_briefly(self.meaning.formula)


def describe_place(layer: int, place: int, direction: str) -> str:
    """Where a direction is written, in words."""
    writer = f"head {place}" if place else "feed-forward"
    return f"layer {layer}, {writer}, {direction}"
