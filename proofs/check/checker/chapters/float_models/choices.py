"""The choices that a class leaves open, as one run makes them; docs/floats.md, section 7, Wrong runs."""

from typing import NamedTuple

from ...kernel.reading.document import Json
from ...kernel.reading.shapes import Fields, one_of


class ExecutionChoices(NamedTuple):
    """The order of every sum, ``fused`` products, when weights are normalised, the base of exponentials."""

    order: str
    fused: bool
    before: bool
    base: str


def read_way(value: Json) -> ExecutionChoices:
    """What a run does."""
    fields = Fields(value, "order", "fused", "normalised", "exp_base")
    return ExecutionChoices(
        str(fields.read("order", one_of("forwards", "backwards", "in pairs"))),
        bool(fields.read("fused", one_of(True, False))),
        fields.read("normalised", one_of("before", "after")) == "before",
        str(fields.read("exp_base", one_of("e", "2"))))
