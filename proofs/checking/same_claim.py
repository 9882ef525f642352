"""Comparison of two required formulas; no check of a file needs it."""

from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.requirements import RequiredClaim, parse_required


def ask_the_same(one: RequiredClaim, other: RequiredClaim) -> bool:
    """Return whether both require the same formula, each parsed with its own predicates.

    Raises:
        Malformed: if a formula or a predicate is not in the language.
    """
    language = Language(Budget())
    return parse_required(one, language) == parse_required(other, language)
