"""The choices that a float model leaves open, as one execution makes them (docs/reference/floats.md, section 1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.execution.orders import ASCENDING, Order, stream

SIGNS = {"+": 1, "0": 0, "-": -1}


class OrderedSum(StrEnum):
    """Sums of an execution that may have orders of their own."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    SCORE = "score"
    DENOMINATOR = "denominator"
    WEIGHTED = "weighted"
    UNIT = "unit"
    OUTPUT = "output"


@dataclass(frozen=True)
class Pushed:
    """Exponentials of one head's row, by visible position: moved to the greatest (+), least (-) or nearest (0)."""

    layer: int
    head: int
    position: int
    signs: str


@dataclass(frozen=True)
class Execution:
    """Choices of an execution: ``order`` of all sums except those of ``orders``; fusion, normalisation, underflow.

    Products are ``fused`` with the sums they enter, or none; weights are ``normalised`` before or after the values
    are summed; results below the least normal number are flushed to 0, or kept. Exponentials of ``base`` are
    shifted by ``shift`` (see ``Exponential``), or each to one end of its range, drawn with ``drawn_shifts``; except
    those ``pushed``.
    """

    order: Order = ASCENDING
    orders: Mapping[OrderedSum, Order] = field(default_factory=dict)
    fused: bool = False
    normalised: str = "before"
    flush: bool = False
    base: str = "e"
    shift: Fraction = Fraction(0)
    drawn_shifts: int | None = None
    pushed: tuple[Pushed, ...] = ()

    def order_of(self, which: OrderedSum) -> Order:
        """Return the order of the sums of one kind."""
        return self.orders.get(which, self.order)

    def shift_at(self, layer: int, head: int, i: int, j: int, nth: int) -> Fraction:
        """Return the shift of the exponential of the score (i, j); j is the ``nth`` visible position, from 0."""
        for row in self.pushed:
            if (row.layer, row.head, row.position) == (layer, head, i) and nth < len(row.signs):
                return Fraction(SIGNS[row.signs[nth]])
        if self.drawn_shifts is None:
            return self.shift
        drawn = next(stream(f"{self.drawn_shifts}/exp/{layer}/{head}/{i}/{j}"))
        return Fraction(drawn % 2 * 2 - 1)

    def check_member(self, of: FloatModel) -> None:
        """Check that the float model allows these choices.

        Raises:
            InputError: if it does not.
        """
        if of.normalised not in (self.normalised, "either"):
            raise InputError(f"execution: normalised {self.normalised}, but the float model says {of.normalised}")
        if of.exp_base not in (self.base, "either"):
            raise InputError(f"execution: exponentials of base {self.base}, but the float model says {of.exp_base}")

    def to_json(self) -> dict[str, Any]:
        """Return the choices as JSON."""
        drawn = self.drawn_shifts
        return {
            "order": str(self.order),
            "orders": {which.value: str(order) for which, order in sorted(self.orders.items())},
            "fused": self.fused,
            "normalised": self.normalised,
            "subnormals": "flushed" if self.flush else "kept",
            "base": self.base,
            "exponentials": str(self.shift) if drawn is None else f"drawn {drawn}",
            "pushed": [{"layer": row.layer, "head": row.head, "position": row.position, "signs": row.signs}
                       for row in self.pushed],
        }
