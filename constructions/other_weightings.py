"""Which weightings a formula may be compiled for, and by which constructions.

The constructions of [SHA] sharpen scores until softmax is nearly hard. Under a weighting whose weights sum to 1 and
favour the greatest score they work as they are: the weighting of all heads is replaced. Under the others, which have
constructions of their own, they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from constructions.draft import Draft
from constructions.errors import InputError, Unsupported
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula
from constructions.network.transformer import Weighting

LIKE_SOFTMAX = (Weighting.SOFTMAX, Weighting.SPARSEMAX, Weighting.ENTMAX, Weighting.SOFTMAX_PLUS_ONE)
"""The constructions of [SHA] are made with these."""
OF_THEIR_OWN: Mapping[Weighting, Callable[[Draft, Formula], str]] = {}
"""What adds the truth of a temporal formula, or of one that counts, under another weighting."""


def read_weighting(name: str, where: str) -> Weighting:
    """The weighting of this name.

    Raises:
        InputError: if there is none, or if it is a hard one.
    """
    soft = [weighting for weighting in Weighting if not weighting.is_hard]
    if name not in soft:
        raise InputError(f"{where}: found {name!r}, expected one of {', '.join(soft)}")
    return Weighting(name)


def check_weighting(weighting: Weighting, counting: Sequence[Formula]) -> None:
    """Raise Unsupported if there are no constructions for the weighting; ``counting`` are the formulas that count."""
    if weighting not in LIKE_SOFTMAX and weighting not in OF_THEIR_OWN:
        raise Unsupported(f"weighting {weighting}: there are no constructions for it")
    if counting and weighting is Weighting.SOFTMAX_PLUS_ONE:
        raise Unsupported(f"{format_briefly(counting[0])}: uniform attention over k positions gives each of them "
                          "1/(k+1) under softmax-plus-one, so no head holds the mean that counts are made from")
