"""Results of the search for covers."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.directions import Directions
from proofs.trained.classes.graph import ClassGraph
from proofs.trained.classes.trees import Tree


@dataclass(frozen=True)
class Limits:
    """Limits of work: asked classes at one level, terms of one pass over the levels, attempts at one length."""

    classes: int = 256
    terms: int = 64_000_000
    attempts: int = 24
    cells: int = 96  # of one node
    cells_at_first: int = 12  # of one node, while other refinements remain
    cells_together: int = 384  # of one attempt
    wide: int = 24  # levels with more asked classes merge them


@dataclass(frozen=True, eq=False)
class ClassUnit:
    """A unit of the cover, by abstract words: obligations first … last at an offset.

    ``ranges`` are integers / 2^bits, for each attention step [nodes, directions of all heads, 2]; ``cells`` are
    those of the asked nodes in order, if some have any.
    """

    offset: int
    first: int
    last: int
    graph: ClassGraph
    directions: Directions
    bits: int
    ranges: tuple[NDArray[np.int32], ...]
    cells: tuple[Tree | None, ...] = ()


@dataclass(frozen=True)
class RowBound:
    """The bound ``low`` of all rows of an obligation, minus the margin; ``word`` (letters) has the least one found."""

    low: np.float64
    word: tuple[int, ...]
    value: np.float64


@dataclass(frozen=True)
class SuspectWord:
    """A row that is not above the margin in float64, to be confirmed; ``word`` is a whole input, of letters."""

    word: tuple[int, ...]
    offset: int
    place: int
    case: int
    row: int
    value: np.float64


@dataclass
class Decided:
    """Units, the obligations they leave open, the best bound of each obligation, and the wrong words found."""

    units: list[ClassUnit] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    bounds: dict[int, RowBound] = field(default_factory=dict)
    wrong: list[SuspectWord] = field(default_factory=list)
