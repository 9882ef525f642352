"""Sigmoid attention: counts are exact, and bumps are so close, at every n, that Lemma 9 makes them exact.

Claim       With all scores 0 every weight is 1/2, so that a head with values 2 [φ] holds the count exactly. The bump at
            a distance t is σ(γ (2 (t - d) + 1)) - σ(γ (2 (t - d) - 1)): 1 - 2 σ(-γ) at d = t, positive, and at all
            other integers together less than 2 σ(-γ), as it telescopes (σ(-γ), if none is on one side). So ``since``
            and ``prev`` have error at most 2 σ(-γ), at every n: 1/4 if γ = ln 7, and less than 1/10 if γ = 3. Lookups
            are 7/8 of it, so that the sum of all weights, which is near 1, does not reach it.
Uses        additive_attention.py; Lemma 9.
"""

from fractions import Fraction

from constructions.statements.additive_attention import Additive, Bump, TentHead

ONE, TWO = Fraction(1), Fraction(2)
CLEAR = Fraction(7, 8)


def bump(distance: int, gamma: Fraction) -> Bump:
    """Return a bump near 1 at the distance, and near 0 at every other integer."""
    return tuple(TentHead(sign, -2 * gamma, gamma * (2 * distance + sign)) for sign in (ONE, -ONE))


def bump_around(gamma: Fraction) -> Bump:
    """Return a bump at 0, of height 7/8."""
    return tuple(TentHead(CLEAR * part.factor, part.slope, part.offset) for part in bump(0, gamma))


SIGMOID = Additive(counting=Fraction(0), share=TWO, at=bump, around=bump_around, is_exact=False)
