"""A direction that a layer writes, with all from which it follows what must hold of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Meaning
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.common.word_independent import KnownValues

Bounds = Mapping[str, Interval]
"""For each *others* direction, the proved range of what it holds less the number it is near."""


@dataclass(frozen=True)
class WrittenDirection:
    """A direction that a head of a layer writes, or, at ``place`` 0, its feed-forward part.

    ``bounds`` has the ranges of the errors of approximate counts, as far as they are proved; ``stated_error`` is None
    where nobody states how far a head may err. ``apart`` is that of ``build_target``.
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
        """What it means."""
        return self.transformer.directions[self.direction]

    @property
    def allowed_error(self) -> Fraction:
        """How far it may be from a truth."""
        return ALLOWED_ERROR if self.stated_error is None else self.stated_error
