"""An execution under a float model in which a claim is false.

See docs/background/floats_rules.md, section 7, Wrong executions.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ....kernel.verdicts import require
from ...float_models.choices import ExecutionChoices
from ...float_models.roundoff import expect_sensible
from ..reading.counterexamples import WrongInput, WrongWord
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks_claim import TracksClaim
from ..reading.words_claim import TrainedClaim
from .casting import cast_network
from .execution import NetworkExecution


def prove_wrong_run(given: Decision[TrainedClaim, WrongWord]) -> Mapping[str, int]:
    """Check that in the execution, under the model, on a word of the claim, the row is at most the margin.

    Raises:
        Rejected: if not, or if a number is too large.
    """
    from ..words.judge import Judge
    from ..words.wrong_word import find_place, tokens_of

    claim, wrong = given.claim, given.evidence
    one = make_execution(given, wrong.choices)
    place = find_place(Judge(given.network, claim), given)
    expect_at_most(claim.cases[wrong.case].above[wrong.row], one.logits(tokens_of(given), wrong.offset, place),
                   claim.margin)
    return {"run": 1}


def prove_wrong_input_run(given: Decision[TracksClaim, WrongInput]) -> Mapping[str, int]:
    """Check that in the execution, on an input of the claim, another logit is not far enough below the right one.

    Raises:
        Rejected: if not, or if a number is too large.
    """
    from ..tracks.wrong_input import row_and_prefix

    row, prefix = row_and_prefix(given)
    one = make_execution(given, given.evidence.choices)
    expect_at_most(row, one.logits(prefix, given.claim.offset, len(prefix) - 1), given.claim.margin)
    return {"run": 1}


def expect_at_most(row: LogitRow, logits: Sequence[Fraction], margin: Fraction) -> None:
    """Require that the row is at most the margin.

    Raises:
        Rejected: if it is not.
    """
    value = sum((c * logits[token] for token, c in row), Fraction(0))
    require(value <= margin, "the row is {} in the execution, above the margin", value)


def make_execution(given: Decision[object, object], choices: ExecutionChoices | None) -> NetworkExecution:
    """Return the execution, if it is one under the model.

    Raises:
        Rejected: if it is not.
    """
    (model,) = given.floats
    assert choices is not None
    expect_sensible(model)
    require(model.exp_ulp >= 1, "exp_ulp is below 1, and functions of the execution are within 1")
    require(model.normalised in ("either", "before" if choices.before else "after"), "weights are normalised otherwise")
    require(model.exp_base in ("either", choices.base), "exponentials have another base")
    return NetworkExecution(given.budget, cast_network(given.network, model), model, choices)
