"""What a network is to learn: inputs, and which combinations of logits should be above 0 where they are judged.

An *item* is one input: the offset (or the form, of inputs in tracks) and its letters (or columns) as indices.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.claims.trained.tracks_decision import TracksDecision
from constructions.trained.network import TrainedNetwork

Item = tuple[int, tuple[int, ...]]
Indices = NDArray[np.int64]
Draw: TypeAlias = np.random.Generator
AnyDecision = Decision | TracksDecision
MOST_KEPT = 4096
"""So many items that were wrong once are kept; then the oldest go."""


@dataclass(frozen=True)
class Batch:
    """Tokens [B, T] at position numbers from ``first`` [B] on; the tokens ``at`` [P] are judged, and the rows ``asked``
    [B, P, rows] should be above the margin there. Where ``nodes`` [B, T] are the same at a place, layers but the last
    should write the same."""

    tokens: Indices
    first: Indices
    at: Indices
    asked: NDArray[np.bool_]
    nodes: Indices | None = None


class Lessons(Protocol):
    """A claim as training sees it; ``forms`` [outputs, rows] are its combinations of logits."""

    forms: NDArray[np.float64]
    margin: float

    def draw(self, count: int, draw: Draw) -> Batch:
        """So many inputs of one length."""

    def batch(self, items: Sequence[Item]) -> Batch:
        """Return these inputs, of one length."""

    def size(self, item: Item) -> tuple[int, ...]:
        """Items with the same are of one length."""

    def screened(self, draw: Draw) -> list[Item]:
        """All short inputs and some of the others."""

    def kin(self, item: Item, draw: Draw) -> Iterator[Item]:
        """Inputs that differ from one in a few letters; some may be none of the claim's."""

    def asked(self, items: Iterable[Item]) -> list[Item]:
        """Those that are inputs of the claim on which something is asked."""

    def show(self, item: Item) -> str:
        """It for people."""

    def decide(self, network: TrainedNetwork, settings: Settings) -> AnyDecision:
        """Return the decision about the claim; nothing here has a part in it."""

    def taught_by(self, decision: Any) -> tuple[list[Item], list[Item]]:
        """Return the inputs that a decision proves to be wrong, and those with the smallest margins that it saw."""


class Pool:
    """Items to be learnt again, the newest last; half of what is drawn are those that are wrong now, or nearly."""

    def __init__(self, lessons: Lessons) -> None:
        self.lessons = lessons
        self.items: dict[Item, None] = {}
        self.groups: list[list[Item]] = []
        self.pressing: list[list[Item]] = []

    def add(self, items: Iterable[Item]) -> None:
        """Put them in."""
        for item in items:
            self.items.pop(item, None)
            self.items[item] = None
        self.items = dict.fromkeys(list(self.items)[-MOST_KEPT:])
        self.groups = list(grouped(self.lessons, self.items).values())

    def add_with_kin(self, items: Iterable[Item], draw: Draw) -> None:
        """Put them in, and before them those of their kin on which something is asked."""
        chosen = list(items)
        self.add([*self.lessons.asked(one for item in chosen for one in self.lessons.kin(item, draw)), *chosen])

    def press(self, items: Iterable[Item]) -> None:
        """Put them in; they are those that are wrong now, or nearly."""
        chosen = list(items)
        self.add(chosen)
        self.pressing = list(grouped(self.lessons, chosen).values())

    def drawn(self, count: int, draw: Draw) -> Batch | None:
        """Return a batch of one length, each item as likely as the others; None if there is none."""
        if not self.items:
            return None
        groups = self.pressing if self.pressing and draw.random() < 0.5 else self.groups
        sizes = np.array([len(group) for group in groups])
        group = groups[int(draw.choice(len(groups), p=sizes / sizes.sum()))]
        return self.lessons.batch([group[index] for index in draw.integers(len(group), size=count)])


def grouped(lessons: Lessons, items: Iterable[Item]) -> dict[tuple[int, ...], list[Item]]:
    """Return the items of each length."""
    groups: dict[tuple[int, ...], list[Item]] = {}
    for item in items:
        groups.setdefault(lessons.size(item), []).append(item)
    return groups
