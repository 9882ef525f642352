"""The claims about float models in words, following those of the certificate; written from what was parsed."""

from ...kernel.kind import entry
from ...kernel.verdicts import quote_all
from ..float_models.reading import FloatClaim, write_format
from ..formula.records import Certificate, Claim

BASES = {"e": "e", "2": "2", "either": "e or 2"}


def describe_floats(given: Certificate) -> list[str]:
    """Describe every claim about float models."""
    return [line for floats in given.floats for line in entry("floats", words_of_floats(floats, given.claim))]


def words_of_floats(floats: FloatClaim, claim: Claim) -> list[str]:
    """Describe a float model, with all its fields, and what holds under it."""
    normalised = {"before": "before the weighted sum", "after": "after the weighted sum",
                  "either": "before or after the weighted sum"}
    blocks = f"rescaled after blocks of {floats.block} positions" if floats.block else "not rescaled"
    lengths = f"{claim.min_n}..{floats.max_n}"
    return [f"{quote_all([floats.name])}: for every n in {lengths} the same holds of every float execution",
            "with " + ", ".join(f"{field} {write_format(form)}" for field, form in floats.formats.items()) + ",",
            f"normalised {normalised[floats.normalised]}, exponentials of base {BASES[floats.exp_base]}",
            f"within {floats.exp_ulp} units in the last place, {blocks}:",
            "all numbers are finite, and the output (and each subformula) is exactly 0.0 or 1.0"]
