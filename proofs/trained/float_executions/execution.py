"""The choices that a float model leaves open, as one execution makes them; and the executions to try first."""

from dataclasses import dataclass
from typing import Any, Literal

from proofs.enclosures.float_models.model import ExpBase, FloatModel, Normalised

Order = Literal["forwards", "backwards", "in pairs"]


@dataclass(frozen=True)
class Execution:
    """Order of every sum, ``fused`` products, whether weights are normalised ``before``, base of exponentials.

    ``in pairs``: neighbours are added, then their sums, and so on; nothing is fused then. A bias is the last term.
    Exponentials, erf, tanh and roots are correctly rounded; ``base`` is that of exponentials. ``choices`` are those of
    numbers of their own (adversary.py): for each call a digit for each number, or nothing if all of them are 0.
    """

    order: Order
    fused: bool
    before: bool
    base: Literal["e", "2"]
    choices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the choices as in certificates."""
        return {"order": self.order, "fused": self.fused, "normalised": "before" if self.before else "after",
                "exp_base": self.base, **({"choices": list(self.choices)} if self.choices else {})}

    def __str__(self) -> str:
        products = "fused with sums" if self.fused else "rounded"
        when = "before" if self.before else "after"
        if self.choices:
            return (f"each sum in an order of its own, products fused or rounded, weights normalised before or after, "
                    f"number by number, exponentials to base {self.base}")
        return (f"every sum {self.order}, products {products}, weights normalised {when} they are multiplied, "
                f"exponentials to base {self.base}")


def executions(run: FloatModel) -> list[Execution]:
    """Return executions under a float model, the plainest first."""
    normalised = [before for before, other in ((True, Normalised.AFTER), (False, Normalised.BEFORE))
                  if run.normalised != other]
    bases: list[Literal["e", "2"]] = ["2"] if run.exp_base == ExpBase.TWO else ["e"]
    orders: list[tuple[Order, bool]] = [("forwards", False), ("forwards", True), ("backwards", False),
                                         ("in pairs", False)]
    return [Execution(order, fused, before, base) for order, fused in orders for before in normalised for base in bases]
