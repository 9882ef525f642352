"""The claim that a formula's network is right under a float model, added to an outcome."""

from dataclasses import fields, replace
from typing import Any

from certify.claims.floats.show import describe_refutation
from certify.claims.floats.survey import USUAL_WORK, Progress, Proved, find_row
from certify.claims.formula.outcomes import Certified, Outcome, RefutedRun, Unknown
from constructions.errors import InputError
from constructions.language.printer import format_briefly
from proofs.enclosures.float_models.model import FloatModel


def claim_runs(outcome: Outcome, float_model: FloatModel, progress: Progress = lambda _: None,
               effort: int = 1) -> Outcome:
    """Extend an outcome over the real numbers by the claim that every execution under the float model is right.

    Certified if both hold, and then the certificate claims both; refuted if an execution is wrong on a word of the
    claimed lengths.
    """
    if outcome.given is not None:
        raise InputError(f"given: expected none with a claim about floats, found {format_briefly(outcome.given)}")
    if not isinstance(outcome, Certified):
        return outcome
    proved = Proved.read(outcome.certificate)
    row = find_row(proved, float_model, progress, effort * USUAL_WORK)
    if row.verdict == "certified":
        return replace(outcome, certificate=proved.with_floats([row]), runs=row)
    common: dict[str, Any] = {field.name: getattr(outcome, field.name) for field in fields(Outcome)} | {"runs": row}
    if row.refutation:
        return RefutedRun(**common, reason=describe_refutation(row.refutation))
    return Unknown(**common, reason=f"certified over the real numbers, but not in every execution under "
                                    f"{float_model.name}: {row.reason}")
