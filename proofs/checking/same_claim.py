"""Whether two questions are about one formula; no check of a file needs it."""

from proofs.check.checker.asking import RequiredClaim, place_of_asked
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language


def ask_the_same(one: RequiredClaim, other: RequiredClaim) -> bool:
    """Whether both ask for the same formula, each read with its own predicates.

    Raises:
        Malformed: if a formula or a predicate is not in the language.
    """
    language = Language(Budget())
    return place_of_asked(one, language) == place_of_asked(other, language)
