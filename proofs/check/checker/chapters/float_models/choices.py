"""The choices that a float model leaves open, as one execution makes them.

See docs/background/floats_rules.md, section 7, Wrong executions.
"""

from typing import NamedTuple

from ...kernel.reading.document import Json
from ...kernel.reading.shapes import Fields, one_of


class ExecutionChoices(NamedTuple):
    """Order of every sum, ``fused`` products, whether weights are normalised ``before``, base of exponentials."""

    order: str
    fused: bool
    before: bool
    base: str


def read_choices(value: Json) -> ExecutionChoices:
    """Parse the choices of an execution."""
    fields = Fields(value, "order", "fused", "normalised", "exp_base")
    return ExecutionChoices(
        str(fields.read("order", one_of("forwards", "backwards", "in pairs"))),
        bool(fields.read("fused", one_of(True, False))),
        fields.read("normalised", one_of("before", "after")) == "before",
        str(fields.read("exp_base", one_of("e", "2"))))
