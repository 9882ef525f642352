"""What `--weighting NAME` denotes, and what it does not go with."""

from collections.abc import Callable, Collection

from constructions.errors import InputError
from constructions.network.weightings import Weighting
from constructions.statements.other_weightings import read_weighting


def find_weighting(name: str | None, given: Collection[str], spell: Callable[[str], str]) -> Weighting:
    """The weighting of all heads of a formula's network; softmax, if there is no name.

    Raises:
        InputError: if there is none of that name, or another given option asks for what is built with softmax.
    """
    if name is None:
        return Weighting.SOFTMAX
    for other in ("as_printed", "attention", "precision"):
        if other in given:
            raise InputError(f"{spell(other)}: {spell('weighting')} says how attention is built, too, expected one of "
                             "the two")
    return read_weighting(name, spell("weighting"))
