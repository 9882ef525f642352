"""An automaton as a sequence of regions, each with chains of tiles: the input of a cascade."""

from dataclasses import dataclass
from math import gcd, lcm

from constructions.regular.automata import Automaton
from constructions.regular.graphs import reachable, strong_components
from constructions.regular.holonomy import Action, Chain, Holonomy


@dataclass(frozen=True)
class StateRegion:
    """The region of a state, and the chain of tiles that narrows the region down to the state."""

    region: int
    chain: Chain


class Component:
    """A complete automaton that a cascade follows, perhaps with a clock.

    With ``split`` the regions are the strongly connected components, in topological order; otherwise all states are one
    region. A ``clock`` is the known number of letters so far modulo a number: each letter is then split by the value of
    the clock; states that are not reached at a value have no step for it.
    """

    def __init__(self, automaton: Automaton, split: bool, clock: int, what: str) -> None:
        """Find the sets and tiles of every region.

        Raises:
            Unsupported: if a region has too many sets.
        """
        self._steps = automaton.steps
        self._clock = clock
        self._times = _times(automaton, clock)
        states = range(len(automaton.steps))
        self.regions = strong_components(states, self._steps.__getitem__) if split else [list(states)]
        self._region_of = {state: number for number, region in enumerate(self.regions) for state in region}
        self._local = {state: place for region in self.regions for place, state in enumerate(region)}
        self.holonomies = [Holonomy([self._steps_within(number, state) for state in region], what)
                           for number, region in enumerate(self.regions)]
        self.start = self._enter(automaton.start)

    def _steps_within(self, region: int, state: int) -> list[int | None]:
        """Return, for each letter at each time, the next state within the region, or None."""
        return [self._local[after] if time in self._times[state] and self._region_of[after] == region else None
                for after in self._steps[state] for time in range(self._clock)]

    @property
    def is_chain(self) -> bool:
        """True if every region can be reached from all regions before it."""
        return all(region + 1 in self._reachable_from(region, frozenset()) for region in range(len(self.regions) - 1))

    def _enter(self, state: int) -> StateRegion:
        region = self._region_of[state]
        return StateRegion(region, self.holonomies[region].enter(self._local[state]))

    def reached(self, region: int) -> tuple[int | None, ...]:
        """Return, for each possible current region, whether this one was entered before; None if words differ."""
        onward = self._reachable_from(region, frozenset())
        around = self._reachable_from(self.start.region, frozenset([region]))
        return tuple(0 if other not in onward else None if other in around else 1
                     for other in range(len(self.regions)))

    def _reachable_from(self, region: int, avoided: frozenset[int]) -> set[int]:
        return reachable({region} - avoided, lambda one: {
            self._region_of[after] for state in self.regions[one] for after in self._steps[state]} - avoided)

    def step(self, place: StateRegion, letter: int, time: int) -> tuple[StateRegion, tuple[Action, ...]]:
        """Return the place after a letter, and the action on each level of its region, which the step may enter.

        ``time`` is the number of letters read before, modulo a multiple of the clock.
        """
        holonomy = self.holonomies[place.region]
        after = self._steps[self.regions[place.region][holonomy.state(place.chain)]][letter]
        if self._region_of[after] != place.region:
            entered = self._enter(after)
            return entered, entered.chain
        chain, actions = holonomy.step(place.chain, letter * self._clock + time % self._clock)
        return StateRegion(place.region, chain), actions


def _times(automaton: Automaton, clock: int) -> list[set[int]]:
    """Return, for each state, the numbers of letters, modulo the clock, of words that lead to it."""
    found: list[set[int]] = [set() for _ in automaton.steps]
    for state, time in reachable([(automaton.start, 0)], lambda at: [
            (after, (at[1] + 1) % clock) for after in automaton.steps[at[0]]]):
        found[state].add(time)
    return found


def period(automaton: Automaton) -> int:
    """Return the least common multiple of the periods of the strongly connected components.

    The period of a component is the greatest common divisor of the lengths of its cycles.
    """
    found = 1
    for region in strong_components(range(len(automaton.steps)), automaton.steps.__getitem__):
        inside, distance = set(region), {region[0]: 0}
        divisor = 0
        for state in (order := [region[0]]):  # grows in the loop
            for after in automaton.steps[state]:
                if after in inside and after not in distance:
                    distance[after] = distance[state] + 1
                    order.append(after)
                elif after in inside:
                    divisor = gcd(divisor, distance[state] + 1 - distance[after])
        found = lcm(found, divisor or 1)
    return found
