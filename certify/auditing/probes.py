"""How far a network is from being certified, as the exact prover alone sees it: it says where to look further."""

import math
from collections.abc import Sequence
from fractions import Fraction

from certify.critical.threshold import Probe
from proofs.formula.discharge import ALLOWED_ERROR, Line

WHOLLY_WRONG = Fraction(2) ** 64
"""The odds of an error of 1 or more."""


def read_probe(lines: Sequence[Line], allowed_error: Fraction | None) -> Probe:
    """Whether all obligations are proved, and by how much the worst head is within its allowed error or beyond it.

    The odds of error, E/(1-E), fall about exponentially with the constant, so their logarithms are compared.
    """
    passes = all(line.proved for line in lines)
    allowed = _log_odds(allowed_error or ALLOWED_ERROR)
    margins = [_log_odds(worst.upper) - allowed for line in lines if line.worst and (worst := line.worst.worst)]
    margin = max(margins, default=None)
    return Probe(passes, margin if margin is not None and (margin <= 0) == passes else None)


def _log_odds(error: Fraction) -> float:
    if error <= 0:
        return -math.inf
    odds = error / (1 - error) if error < 1 else WHOLLY_WRONG
    return math.log(odds.numerator) - math.log(odds.denominator)
