"""The holonomy decomposition of a partial automaton: a state is found by narrowing sets of states.

Source      Eilenberg, Automata, Languages, and Machines, volume B, chapter II (the holonomy decomposition theorem).
Sets        The set of all states, all its images under words, and every single state. P is at most R if P is a subset
            of some R·w. The height of a set is 0 if it is a single state, and else 1 more than that of every set
            strictly below it. The tiles of P are the maximal proper subsets of P among the sets.
Chains      A state is given by a chain of tiles: a tile of the set of all states, a tile of that tile, … down to the
            state. Level h of a chain chooses a tile if the set reached so far has height h, and nothing otherwise.
Claim       After a letter, each level either permutes the tiles (the set that it divides was mapped onto the set that
            it now divides), or is reset to a tile that is determined by the letter and the levels above. The
            permutations of a level are restrictions of words to a set that they permute, so they form groups that occur
            in the language's syntactic monoid: all are the identity if that is aperiodic.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from constructions.errors import Unsupported
from constructions.regular.automata import bits_of
from constructions.regular.graphs import strong_components

MOST_SETS = 1500
Chain = tuple[int | None, ...]
Action = int | tuple[int, ...] | None
"""The action of a letter on a level: a reset to a tile, a permutation of tiles, or None if irrelevant."""


class Holonomy:
    """The sets, heights and tiles of a partial automaton: ``steps[state][letter]`` is a state, or None outside."""

    def __init__(self, steps: Sequence[Sequence[int | None]], what: str) -> None:
        """Find all sets.

        Raises:
            Unsupported: if there are more than MOST_SETS sets.
        """
        self._steps = steps
        self._letters = range(len(steps[0]))
        self.image = cache(self._image)
        self.all = (1 << len(steps)) - 1
        self._sets = self._find_sets(what)
        self._tiles = {one: _largest([other for other in self._sets if other != one and other & one == other])
                       for one in self._sets}
        self._height: dict[int, int] = {}
        self._permuted: set[int] = set()
        for members in reversed(strong_components(self._sets, self._below)):
            self._settle(members)
        self.levels = self._height[self.all]
        self.tile_counts = [max(len(self._tiles[one]) for one in self._sets if self._height[one] == height)
                            for height in range(self.levels, 0, -1)]
        self.permutes = [height in self._permuted for height in range(self.levels, 0, -1)]

    def _image(self, states: int, letter: int) -> int:
        """Return the image of a set of states (as bits) under the letter."""
        found = 0
        for state in bits_of(states):
            after = self._steps[state][letter]
            if after is not None:
                found |= 1 << after
        return found

    def _find_sets(self, what: str) -> list[int]:
        found = dict.fromkeys([self.all, *(1 << state for state in range(len(self._steps)))])
        order = list(found)
        for one in order:  # grows in the loop
            for letter in self._letters:
                image = self.image(one, letter)
                if image and image not in found:
                    found[image] = None
                    order.append(image)
            if len(order) > MOST_SETS:
                raise Unsupported(f"{what}: its words map the states to more than {MOST_SETS} sets of states")
        return sorted(order, key=lambda one: (-one.bit_count(), one))

    def _below(self, one: int) -> Iterator[int]:
        yield from self._tiles[one]
        yield from filter(None, (self.image(one, letter) for letter in self._letters))

    def _settle(self, members: list[int]) -> None:
        """Set height and tiles of equivalent sets, those below being done: letters map tiles to tiles."""
        first = members[0]
        strictly = [self._height[one] for member in members for one in self._below(member) if one in self._height]
        height = 0 if first.bit_count() == 1 else 1 + max(strictly)
        order, left = [first], set(members[1:])
        for one in order:  # grows in the loop
            for letter in self._letters:
                after = self.image(one, letter)
                if after in left:
                    self._tiles[after] = tuple(self.image(tile, letter) for tile in self._tiles[one])
                    left.remove(after)
                    order.append(after)
        self._height |= dict.fromkeys(members, height)
        if any(tuple(self.image(tile, letter) for tile in self._tiles[one]) != self._tiles[after]
               for one in members for letter in self._letters if (after := self.image(one, letter)) in members):
            self._permuted.add(height)

    # -- chains --------------------------------------------------------------------------------------------------------

    def enter(self, state: int) -> Chain:
        """Return a chain for the state; steps from outside reset the levels to it."""
        return self._narrow(lambda level, current: (self._tile_around(current, 1 << state), None))[0]

    def step(self, chain: Chain, letter: int) -> tuple[Chain, tuple[Action, ...]]:
        """Return the chain after a letter that stays inside, and the action of the letter on each level."""
        path = self._path(chain)

        def choose(level: int, current: int) -> tuple[int, Action]:
            index = chain[level]
            if index is None or self.image(path[level], letter) != current:
                tile = self._tile_around(current, self.image(path[level], letter))
                return tile, tile
            places = {tile: place for place, tile in enumerate(self._tiles[current])}
            permutation = tuple(places[self.image(tile, letter)] for tile in self._tiles[path[level]])
            return permutation[index], permutation

        return self._narrow(choose)

    def state(self, chain: Chain) -> int:
        """Return the state that the chain narrows down to."""
        return self._path(chain)[-1].bit_length() - 1

    def _path(self, chain: Chain) -> list[int]:
        """Return the set before each level, and finally the single state."""
        path = [self.all]
        for index in chain:
            path.append(path[-1] if index is None else self._tiles[path[-1]][index])
        return path

    def _narrow(self, choose: Callable[[int, int], tuple[int, Action]]) -> tuple[Chain, tuple[Action, ...]]:
        """Build a chain level by level: the tile chosen of the set reached so far, and the action that chose it."""
        current, chain, actions = self.all, list[int | None](), list[Action]()
        for level in range(self.levels):
            if self._height[current] < self.levels - level:
                chain.append(None)
                actions.append(None)
                continue
            index, action = choose(level, current)
            chain.append(index)
            actions.append(action)
            current = self._tiles[current][index]
        return tuple(chain), tuple(actions)

    def _tile_around(self, current: int, states: int) -> int:
        """Return the first tile of the current set that contains the states."""
        return next(place for place, tile in enumerate(self._tiles[current]) if tile & states == states)


def _largest(within: Sequence[int]) -> tuple[int, ...]:
    """Return the maximal sets of a list in which larger sets come first."""
    kept: list[int] = []
    for one in within:
        if not any(one & other == one for other in kept):
            kept.append(one)
    return tuple(kept)
