"""Claims about float executions of networks for formulas; docs/background/floats_rules.md, section 4.

Reading order: `float_models/reading` (the key `floats`), `rounding` (numbers of a format, grids), `forms` (linear forms
by lemma G or by their errors), `means` and `enclosures` (rule 1: values of directions), `score_differences` (rule 2:
scores), `softmax` and `heads` (rules 3 and 4), `rows` (rule 7), `hidden_units` and `feed_forward` (rule 5), `by_value`
(rule 6), `proving` (a claim from its certificate), `describing` (the claims in words).
"""

from dataclasses import replace

from ...kernel.budget import Budget
from ...kernel.reading.document import Json
from ...kernel.verdicts import within
from .. import formula
from ..float_models.reading import read_floats
from ..formula.certificate import Coverage
from ..formula.records import Certificate
from .describing import describe_floats
from .proving import prove_floats


def read_with_floats(document: Json, budget: Budget) -> Certificate:
    """Parse the certificate with the claims about float models under its key."""
    given: Certificate = formula.KIND.read(document, budget)
    with within("floats"):
        return replace(given, floats=read_floats(document["floats"], given.claim.lengths))


def prove_with_floats(given: Certificate) -> Coverage:
    """Prove the certificate, then every claim about float models; return what was covered."""
    coverage: Coverage = formula.KIND.prove(given)
    prove_floats(given)
    return coverage


def describe_with_floats(given: Certificate, coverage: Coverage) -> list[str]:
    """Return the claim of the certificate, followed by those about float models."""
    return [*formula.KIND.describe(given, coverage), *describe_floats(given)]


KIND = replace(formula.KIND, read=read_with_floats, prove=prove_with_floats, describe=describe_with_floats)
