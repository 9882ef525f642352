"""Executions and orders of sums, read back from what is written of them: the writing leaves nothing out."""

from fractions import Fraction
from typing import Any

from proofs.floats.execution.execution import Execution, OrderedSum, Pushed
from proofs.floats.execution.orders import Order, OrderKind


def parse_order(text: str) -> Order:
    match text.split():
        case "drawn", seed:
            return Order(OrderKind.DRAWN, int(seed))
        case "listed", *numbers:
            return Order(OrderKind.LISTED, listed=tuple(map(int, numbers)))
    return Order(OrderKind(text))


def parse_execution(data: dict[str, Any]) -> Execution:
    drawn = data["exponentials"].removeprefix("drawn ")
    is_drawn = drawn != data["exponentials"]
    return Execution(
        order=parse_order(data["order"]),
        orders={OrderedSum(name): parse_order(text) for name, text in data["orders"].items()},
        fused=data["fused"],
        normalised=data["normalised"],
        flush={"flushed": True, "kept": False}[data["subnormals"]],
        base=data["base"],
        shift=Fraction(0) if is_drawn else Fraction(data["exponentials"]),
        drawn_shifts=int(drawn) if is_drawn else None,
        pushed=tuple(Pushed(**row) for row in data["pushed"]),
    )
