"""Whether two questions are about one formula; no check of a file needs it."""

from .asking import RequiredClaim, place_of_asked
from .kernel.budget import Budget
from .kernel.language import Language


def ask_the_same(one: RequiredClaim, other: RequiredClaim) -> bool:
    """Whether both ask for the same formula, each read with its own predicates.

    Raises:
        Malformed: if a formula or a predicate is not in the language.
    """
    language = Language(Budget())
    return place_of_asked(one, language) == place_of_asked(other, language)
