"""ReLU attention: everything is exact, with weights independent of n.

Claim       On integers d >= 0, ReLU(1 - d) is 1 at d = 0 and else 0, and ReLU(2 - d) - 2 ReLU(1 - d) is 1 at d = 1 and
            else 0; on all integers ReLU(d + 1) - 2 ReLU(d) + ReLU(d - 1) is 1 at d = 0 and else 0. So ``since`` is one
            head, ``prev`` two, and a lookup three; sums of ReLUs of integers, without rounding or error.
Uses        additive_attention.py.
"""

from fractions import Fraction

from constructions.statements.additive_attention import Additive, Bump, TentHead

ONE, TWO = Fraction(1), Fraction(2)


def hat_from_zero(distance: int, gamma: Fraction) -> Bump:
    """Return a bump that is 1 at the distance and 0 at every other integer >= 0; gamma is not needed."""
    heads = [TentHead(ONE, -ONE, Fraction(distance + 1)), TentHead(-TWO, -ONE, Fraction(distance)),
             TentHead(ONE, -ONE, Fraction(distance - 1))]
    return tuple(part for part in heads if part.offset > 0)


def hat(gamma: Fraction) -> Bump:
    """Return a bump that is 1 at 0, and 0 at every other integer; gamma is not needed."""
    return TentHead(ONE, ONE, ONE), TentHead(-TWO, ONE, Fraction(0)), TentHead(ONE, ONE, -ONE)


RELU = Additive(counting=ONE, share=ONE, at=hat_from_zero, around=hat, is_exact=True)
