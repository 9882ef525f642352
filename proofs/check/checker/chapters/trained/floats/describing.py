"""Float models in words, written from what was parsed."""

from collections.abc import Sequence

from ....kernel.kind import entry
from ....kernel.verdicts import quote, show
from ...float_models.reading import FloatClaim, write_format


def describe_classes(floats: Sequence[FloatClaim], in_tracks: bool) -> list[str]:
    """Return the lines about all float models."""
    return [line for run in floats for line in entry("float runs", words_of_run(run, in_tracks))]


def words_of_run(run: FloatClaim, in_tracks: bool) -> list[str]:
    """Return the lines about one float model; docs/floats.md, section 1, defines its fields."""
    inputs, parts = ("inputs", "columns") if in_tracks else ("words", "symbols")
    formats = [f"{name} {write_format(form)}" for name, form in run.formats.items()]
    return [f"{quote(run.name)}, {inputs} of up to {run.max_n} {parts}:",
            ", ".join(formats[:3]) + ",", ", ".join(formats[3:]) + ",",
            f"weights normalised {run.normalised}, exponentials to base {run.exp_base}, block {run.block};",
            *([f"sums of products cut off, off by at most {show(run.sum_ulp)} u for each number;"] * (run.sum_ulp > 1)),
            f"exp, erf, tanh and roots within {show(run.exp_ulp)} ulp; variances in two passes; weights rounded first"]
