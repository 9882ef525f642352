"""The training data: inputs, and the combinations of logits that should be positive where they are judged.

An *item* is one input: the offset (or the form, for inputs in tracks) and its letters (or columns) as indices.
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
"""The number of formerly wrong items that are kept; then the oldest are dropped."""


@dataclass(frozen=True)
class Batch:
    """Tokens [B, T] at position numbers from ``first`` [B] on; the tokens ``at`` [P] are judged.

    The rows ``asked`` [B, P, rows] should exceed the margin there. Where ``nodes`` [B, T] are equal at a place, all
    layers except the last should write the same.
    """

    tokens: Indices
    first: Indices
    at: Indices
    asked: NDArray[np.bool_]
    nodes: Indices | None = None


class Lessons(Protocol):
    """A claim as training data; ``forms`` [outputs, rows] are its combinations of logits."""

    claim: Any
    forms: NDArray[np.float64]
    margin: float

    def draw(self, count: int, draw: Draw) -> Batch:
        """Draw ``count`` inputs of one length."""

    def batch(self, items: Sequence[Item]) -> Batch:
        """Return these inputs, of one length, as a batch."""

    def size(self, item: Item) -> tuple[int, ...]:
        """Return a key that items of one length share."""

    def screened(self, draw: Draw) -> list[Item]:
        """Return all short inputs and some of the others."""

    def neighbours(self, item: Item, draw: Draw) -> Iterator[Item]:
        """Yield inputs that differ in a few letters; some may be outside the claim."""

    def asked(self, items: Iterable[Item]) -> list[Item]:
        """Return those that are inputs of the claim with judged rows."""

    def show(self, item: Item) -> str:
        """Format an item."""

    def decide(self, network: TrainedNetwork, settings: Settings) -> AnyDecision:
        """Return the decision about the claim, which is independent of the training."""

    def taught_by(self, decision: Any) -> tuple[list[Item], list[Item]]:
        """Return the inputs that a decision or a count proves to be wrong, and those with the smallest margins."""


class Pool:
    """Items to be learnt again, the newest last; half of the draws are from items that are nearly or actually wrong."""

    def __init__(self, lessons: Lessons) -> None:
        self.lessons = lessons
        self.items: dict[Item, None] = {}
        self.groups: list[list[Item]] = []
        self.preferred: list[list[Item]] = []

    def add(self, items: Iterable[Item]) -> None:
        """Add the items."""
        for item in items:
            self.items.pop(item, None)
            self.items[item] = None
        self.items = dict.fromkeys(list(self.items)[-MOST_KEPT:])
        self.groups = list(grouped(self.lessons, self.items).values())

    def add_with_neighbours(self, items: Iterable[Item], draw: Draw) -> None:
        """Add the items after those of their neighbours that are judged."""
        chosen = list(items)
        self.add([*self.lessons.asked(one for item in chosen for one in self.lessons.neighbours(item, draw)), *chosen])

    def prefer(self, items: Iterable[Item]) -> None:
        """Add the items, which are currently wrong, or nearly."""
        chosen = list(items)
        self.add(chosen)
        self.preferred = list(grouped(self.lessons, chosen).values())

    def drawn(self, count: int, draw: Draw) -> Batch | None:
        """Draw a batch of one length, uniformly over items; None if there are none."""
        if not self.items:
            return None
        groups = self.preferred if self.preferred and draw.random() < 0.5 else self.groups
        sizes = np.array([len(group) for group in groups])
        group = groups[int(draw.choice(len(groups), p=sizes / sizes.sum()))]
        return self.lessons.batch([group[index] for index in draw.integers(len(group), size=count)])


def grouped(lessons: Lessons, items: Iterable[Item]) -> dict[tuple[int, ...], list[Item]]:
    """Return the items of each length."""
    groups: dict[tuple[int, ...], list[Item]] = {}
    for item in items:
        groups.setdefault(lessons.size(item), []).append(item)
    return groups
