"""Float models in words, written from what was parsed."""

from collections.abc import Sequence

from ....kernel.kind import entry
from ....kernel.verdicts import quote, show
from ...float_models.reading import ALSO, FloatClaim, write_format


def describe_classes(floats: Sequence[FloatClaim], in_tracks: bool) -> list[str]:
    """Return the lines about all float models."""
    return [line for model in floats for line in entry("float model", words_of_model(model, in_tracks))]


def words_of_model(model: FloatClaim, in_tracks: bool) -> list[str]:
    """Return the lines about one float model; docs/reference/floats.md, section 1, defines its fields."""
    inputs, parts = ("inputs", "columns") if in_tracks else ("words", "symbols")
    formats = [f"{name} {write_format(form)}" for name, form in model.formats.items()]
    return [f"{quote(model.name)}, {inputs} of up to {model.max_n} {parts}:",
            ", ".join(formats[:3]) + ",", ", ".join(formats[3:]) + ",",
            f"weights normalised {model.normalised}, exponentials to base {model.exp_base}, block {model.block};",
            *[f"truncated sums of products, error at most {show(model.sum_ulp)} u for each number;"
              for _ in range(model.sum_ulp > 1)],
            *[f"{ALSO[name]};" for name in model.also],
            f"exp, erf, tanh and roots within {show(model.exp_ulp)} ulp; variances in two passes; "
            "weights rounded first"]
