"""A run by which a claim about inputs in tracks is false in a class: docs/floats.md, section 7, Inputs in tracks."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....kernel.budget import Budget
from ....kernel.kind import entry
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import headed
from ....kernel.verdicts import require
from ...run_classes.reading import FloatClaim
from ..reading.tracks import KEYS_OF_WRONG_INPUT, WrongInput, read_input
from ..tracks.describing import describe_wrong_input
from ..tracks.wrong_input import row_and_prefix
from .describing import words_of_run
from .one_run import Way
from .wrong_run import KEYS_OF_WAY, one_run, read_way, words_of_way

FORMAT_OF_WRONG_INPUT_RUN = "certify-wrong-input-run"


@dataclass(frozen=True)
class WrongInputRun(WrongInput):
    """An input, a class of runs, and a run of it."""

    run: FloatClaim
    way: Way


def read_wrong_input_run(document: Json, budget: Budget) -> WrongInputRun:
    """The refutation that a document holds."""
    fields = headed(document, FORMAT_OF_WRONG_INPUT_RUN, "network", "claim", "floats", *KEYS_OF_WRONG_INPUT,
                    *KEYS_OF_WAY)
    at = read_input(fields, budget)
    run, way = read_way(fields, at.claim.max_n)
    return WrongInputRun(**vars(at), run=run, way=way)


def prove_wrong_input_run(given: WrongInputRun) -> Mapping[str, int]:
    """The run is one of the class, on an input of the claim, and another logit is not far enough below the right one.

    Raises:
        Rejected: if not, or if a number is too large.
    """
    row, prefix = row_and_prefix(given)
    one = one_run(given.language.budget, given.network, given.run, given.way)
    logits = one.logits(prefix, given.claim.offset, len(prefix) - 1)
    value = sum((c * logits[token] for token, c in row), Fraction(0))
    require(value <= given.claim.margin, "the row is {} in the run, above the margin", value)
    return {"run": 1}


def describe_wrong_input_run(given: WrongInputRun, coverage: Mapping[str, int]) -> list[str]:
    """The claim that is false, the input, the class and the run of it."""
    return [*describe_wrong_input(given, coverage, "in every float run of the class below"),
            *entry("float runs", words_of_run(given.run, "inputs", "columns")),
            *entry("wrong run", words_of_way(given.way))]
