"""Selection of the rule for heads of ReLU, ReLU over n and sigmoid: one head counts; several weigh differences."""

from ...kernel.reading.records import ApproximateTruth, ExactCount, Truth, kind_of
from ...kernel.verdicts import refuse, require
from ..formula.certificate import check_errors, count_rows
from ..formula.composition import names_in
from ..formula.families import Covered, WrittenDirection, attempt
from ..formula.proof import ProofContext
from .additive import check_counting
from .selecting import Selecting
from .sum_lookup import SumLookup


def check_additive(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that these heads together write what the direction means.

    If keys read a total, the heads select positions by the difference of counts; if only queries do, they look it up.
    """
    heads, name, meaning, weighting = written.heads, written.name, written.meaning, written.heads[0].weighting
    require({head.weighting for head in heads} == {weighting}, "the heads have different weightings")
    if isinstance(meaning, ExactCount):
        require(len(heads) == 1, "{} heads write it, expected 1", len(heads))
        return Covered(check_counting(proof, heads[0], name, meaning))
    if not isinstance(meaning, ApproximateTruth | Truth):
        refuse("a {} head cannot write a direction of kind {}", weighting, kind_of(meaning))
    selects = any(isinstance(proof.directions[source], ExactCount) for head in heads for source in names_in(head.keys))
    if isinstance(meaning, ApproximateTruth):
        check_errors(proof.errors[name], True)
    if selects:
        whole = Selecting(proof, heads, name, meaning)
        attempt(whole.check, lambda: Selecting(proof, heads, name, meaning, apart=True).check(),
                whole.automaton.has_wholes)
        rows = count_rows(proof, name)
        return Covered(rows, rows if isinstance(meaning, ApproximateTruth) else None)
    if isinstance(meaning, ApproximateTruth):
        return SumLookup(proof, heads, name, meaning).check()
    refuse("a {} head whose keys read no total cannot write a direction of kind truth", weighting)
