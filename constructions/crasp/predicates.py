"""Predicates available to ``#import``: of positions, and of pairs of positions.

Positions   ``.cr`` files count them from 0, formulas from 1.
"""

import re
from collections.abc import Mapping

from constructions.language.syntax import Formula, Predicate

MAX_DISTANCE = 64

UNARY: Mapping[str, Formula] = {"pos_even": Predicate("ODD"), "pos_odd": Predicate("EVEN")}
"""Each predicate of one position with its formula: a position that is even from 0 on is odd from 1 on."""
KNOWN = ("pos_even", "pos_odd", "pred", f"pred2, ..., pred{MAX_DISTANCE}")


def distance_of(name: str) -> int | None:
    """Return k if the predicate holds exactly for the positions i, j with j = i - k; else None.

    >>> distance_of("pred"), distance_of("pred4"), distance_of("pos_even")
    (1, 4, None)
    """
    found = re.fullmatch(r"pred([1-9][0-9]?)?", name)
    if found is None:
        return None
    distance = int(found[1] or 1)
    return distance if distance <= MAX_DISTANCE else None
