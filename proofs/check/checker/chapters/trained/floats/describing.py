"""What an accepted certificate of float runs claims, in words; written from what was parsed."""

from collections.abc import Mapping

from ....kernel.kind import entry
from ....kernel.verdicts import quote, show
from ...run_classes.reading import FloatClaim, write_format
from ..words.describing import describe_claim, describe_lengths
from ..words.vacuous import find_vacuous_lengths
from .proof import FloatRuns


def describe_float_runs(given: FloatRuns, coverage: Mapping[str, int]) -> list[str]:
    """The whole claim, and each class of runs."""
    return describe_lengths(given.claim, find_vacuous_lengths(given), [
        *describe_claim(given.network, given.claim, given.language, "in every float run of each class below"),
        *(line for run in given.floats for line in entry("float runs", words_of_run(run))),
        *entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])])


def words_of_run(run: FloatClaim, inputs: str = "words", parts: str = "symbols") -> list[str]:
    """One class of runs, on inputs with so many parts; docs/floats.md says what its fields mean."""
    formats = [f"{name} {write_format(form)}" for name, form in run.formats.items()]
    return [f"{quote(run.name)}, {inputs} of up to {run.max_n} {parts}:",
            ", ".join(formats[:3]) + ",", ", ".join(formats[3:]) + ",",
            f"weights normalised {run.normalised}, exponentials to base {run.exp_base}, block {run.block};",
            *([f"sums of products cut off, off by at most {show(run.sum_ulp)} u for each number;"] * (run.sum_ulp > 1)),
            f"exp, erf, tanh and roots within {show(run.exp_ulp)} ulp; variances in two passes; weights rounded first"]
