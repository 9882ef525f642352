"""A direction that a layer writes, with everything that its obligation depends on."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Meaning
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.common.word_independent import KnownValues

Bounds = Mapping[str, Interval]
"""For each *others* direction, the proved range of its value minus the exact number."""


@dataclass(frozen=True)
class WrittenDirection:
    """A direction that a head of a layer writes, or, at ``place`` 0, its feed-forward block.

    ``bounds`` has the proved error ranges of approximate counts; ``stated_error`` is None if no error bound is stated.
    With ``apart``, formulas that are read are taken apart (``build_target``).
    """

    transformer: Transformer
    known: KnownValues
    lengths: Lengths
    layer: int
    place: int
    direction: str
    stated_error: Fraction | None
    bounds: Bounds
    apart: bool = False

    @property
    def head(self) -> Head:
        """The head that writes it."""
        return self.transformer.head(self.layer, self.place)

    @property
    def meaning(self) -> Meaning:
        """The meaning of the direction."""
        return self.transformer.directions[self.direction]

    @property
    def allowed_error(self) -> Fraction:
        """The allowed error of a truth."""
        return ALLOWED_ERROR if self.stated_error is None else self.stated_error
