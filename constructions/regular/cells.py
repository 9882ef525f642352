"""Cells of a cascade: the bits that encode a state, and the action of a letter on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from constructions.regular.component import Component, StateRegion
from constructions.regular.covers import Value
from constructions.regular.holonomy import Action

Places = tuple[StateRegion, ...]


@dataclass(frozen=True)
class Inside:
    """One bit: the component is in the region; inverted for the first region, so that all bits begin as 0."""

    component: int
    region: int
    is_first: bool
    width = 1

    def code(self, places: Places) -> tuple[Value, ...]:
        """Return the bit in these places."""
        return (int((places[self.component].region == self.region) != self.is_first),)


@dataclass(frozen=True)
class Reached:
    """One bit: the region was entered, and perhaps left; ``values`` gives it for each current region."""

    component: int
    values: tuple[Value, ...]
    width = 1

    def code(self, places: Places) -> tuple[Value, ...]:
        """Return the bit in these places."""
        return (self.values[places[self.component].region],)


@dataclass(frozen=True)
class TileLevel:
    """The tile that a level of a region's chains selects; ``codes[tile]`` are its bits."""

    component: int
    region: int
    level: int
    codes: tuple[tuple[int, ...], ...]
    first: int
    is_permuted: bool

    @property
    def width(self) -> int:
        """The number of bits."""
        return len(self.codes[0])

    def code(self, places: Places) -> tuple[Value, ...]:
        """Return the bits in these places: None where the level does not select a tile."""
        place = places[self.component]
        tile = place.chain[self.level] if place.region == self.region else None
        return (None,) * self.width if tile is None else self.codes[tile]

    def action(self, places: Places, actions: Sequence[tuple[Action, ...]]) -> Action:
        """Return the action of a letter on the level; the letter leads to these places."""
        return actions[self.component][self.level] if places[self.component].region == self.region else None


Cell = Inside | Reached | TileLevel


def cells_of(components: Sequence[Component], binary: bool, remembers: bool) -> list[Cell]:
    """Return the cells of components, each after those that it reads.

    A region has its levels from the top, and a bit for being in it; or, with ``remembers``, first a bit for ever having
    been in it. A level of t tiles that no letter permutes has t - 1 bits, at most one of them 1, or in ``binary`` the
    bits of numbers below t; a permuted level has a bit for each tile.
    """
    found: list[Cell] = []
    for number, component in enumerate(components):
        for region, holonomy in enumerate(component.holonomies):
            is_first = component.start.region == region
            if remembers and not is_first:
                found.append(Reached(number, component.reached(region)))
            for level, tiles in enumerate(holonomy.tile_counts):
                first = (component.start.chain[level] or 0) if is_first else 0
                is_permuted = holonomy.permutes[level]
                codes = _all_codes(tiles) if is_permuted else _codes(tiles, first, binary)
                found.append(TileLevel(number, region, level, codes, first, is_permuted))
            if not remembers and len(component.regions) > 1:
                found.append(Inside(number, region, is_first))
    return found


def _all_codes(tiles: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(place == tile) for place in range(tiles)) for tile in range(tiles))


def _codes(tiles: int, first: int, binary: bool) -> tuple[tuple[int, ...], ...]:
    """Return distinct bits for each tile, all 0 for the first."""
    width = (tiles - 1).bit_length() if binary else tiles - 1
    others = count(1)
    numbers = [0 if tile == first else next(others) for tile in range(tiles)]
    if binary:
        return tuple(tuple(number >> place & 1 for place in range(width)) for number in numbers)
    return tuple(tuple(int(place + 1 == number) for place in range(width)) for number in numbers)
