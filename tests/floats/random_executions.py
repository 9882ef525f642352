"""Executions drawn from everything that a class leaves open, for tests of what is claimed about all of them."""

from fractions import Fraction

from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.execution.execution import Execution
from proofs.floats.execution.orders import Order, OrderKind, stream


def random_execution(run_class: FloatModel, seed: int) -> Execution:
    """Most often trees and ends of exponentials drawn anew for each number; sums fused or not, subnormals flushed or
    kept, weights normalised before or after, base e or 2 as the class allows."""
    draws = stream(f"{seed}/execution")

    def one_of(*choices: str) -> str:
        return choices[next(draws) % len(choices)]

    ways = [way.value for way in OrderKind if way is not OrderKind.LISTED]
    way = OrderKind(one_of(*ways, OrderKind.DRAWN.value, OrderKind.DRAWN.value))
    ends = one_of("drawn", "drawn", "least", "greatest")
    return Execution(
        order=Order(way, seed if way is OrderKind.DRAWN else 0),
        fused=one_of("fused", "not") == "fused",
        normalised=one_of("before", "after") if run_class.normalised == "either" else str(run_class.normalised),
        flush=one_of("flushed", "kept") == "flushed",
        base=one_of("e", "2") if run_class.exp_base == "either" else str(run_class.exp_base),
        shift=Fraction({"least": -1, "greatest": 1}.get(ends, 0)),
        drawn_shifts=seed if ends == "drawn" else None,
    )
