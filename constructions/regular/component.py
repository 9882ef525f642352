"""An automaton as regions, one after another, and in each region a chain of tiles: what a cascade can follow."""

from __future__ import annotations

from dataclasses import dataclass

from constructions.regular.automata import Automaton
from constructions.regular.graphs import strong_components
from constructions.regular.holonomy import Action, Chain, Holonomy


@dataclass(frozen=True)
class Place:
    """The region of a state, and the chain that narrows the region down to it."""

    region: int
    chain: Chain


class Component:
    """A complete automaton whose places are followed.

    ``split`` makes the strongly connected components its regions, in an order in which no step leads back; otherwise
    all states are one region.
    """

    def __init__(self, automaton: Automaton, split: bool, what: str) -> None:
        """The sets and tiles of every region are found.

        Raises:
            Unsupported: if a region has too many sets.
        """
        self._steps = automaton.steps
        states = range(len(automaton.steps))
        self.regions = strong_components(states, self._steps.__getitem__) if split else [list(states)]
        self._region_of = {state: number for number, region in enumerate(self.regions) for state in region}
        self._local = {state: place for region in self.regions for place, state in enumerate(region)}
        self.holonomies = [self._holonomy(region, what) for region in self.regions]
        self.start = self._enter(automaton.start)

    def _holonomy(self, region: list[int], what: str) -> Holonomy:
        inside = set(region)
        return Holonomy([[self._local[after] if after in inside else None for after in self._steps[state]]
                         for state in region], what)

    def _enter(self, state: int) -> Place:
        region = self._region_of[state]
        return Place(region, self.holonomies[region].enter(self._local[state]))

    def reached(self, region: int) -> tuple[int | None, ...]:
        """For each region that one may be in, whether this one was entered before: None if words differ in it."""
        onward = self._reachable_from(region, frozenset())
        around = self._reachable_from(self.start.region, frozenset([region]))
        return tuple(0 if other not in onward else None if other in around else 1
                     for other in range(len(self.regions)))

    def _reachable_from(self, region: int, avoided: frozenset[int]) -> set[int]:
        found = {region} - avoided
        pending = list(found)
        while pending:
            for state in self.regions[pending.pop()]:
                fresh = {self._region_of[after] for after in self._steps[state]} - found - avoided
                found |= fresh
                pending += fresh
        return found

    def step(self, place: Place, letter: int) -> tuple[Place, tuple[Action, ...]]:
        """The place after a letter, and what happens to each level of its region, which the step may enter."""
        holonomy = self.holonomies[place.region]
        after = self._steps[self.regions[place.region][holonomy.state(place.chain)]][letter]
        if self._region_of[after] != place.region:
            entered = self._enter(after)
            return entered, entered.chain
        chain, actions = holonomy.step(place.chain, letter)
        return Place(place.region, chain), actions
