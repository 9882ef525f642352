"""Proposition 11: marking the first and the last position, and the reciprocals 1/i and 1/(n+1-i).

Source      [SHA] Proposition 11 a, b and the remark after it.
Claim       Uniform masked attention over -(-1)^j is exactly the mean of an alternating sum: 1 in absolute value over
            a single position and at most 1/3 over several, so one ReLU (two for the last position) marks the end
            exactly. Uniform attention over the marker is then exactly 1/i or 1/(n+1-i).
Differs     The paper has (3/2) ReLU(mean - 1/3); 2 ReLU(mean - 1/2) is equally right, and its numbers are binary
            (DIVERGENCES.md). Under softmax-plus-one uniform attention is not a mean, and the markers are embedded.
"""

from fractions import Fraction

from constructions.draft import Draft
from constructions.language.expressions import parse_expression
from constructions.language.syntax import Predicate
from constructions.network.meanings import Meaning, Position
from constructions.network.transformer import Coefficients, Head, Mask

FIRST = Predicate("FIRST", ())
LAST = Predicate("LAST", ())
ALTERNATING = "(-1)^i"
_ONE = Fraction(1)
_HALF = Fraction(1, 2)


def first_marker(draft: Draft) -> str:
    """Return the direction ``is[FIRST]``; case (a), future-masked."""
    if draft.has_truth(FIRST):
        return draft.truth(FIRST)
    if draft.weighting.row.extra:
        return draft.embed_positional(FIRST)
    mean = _uniform_head(draft, Mask.FUTURE, {draft.embed_position(ALTERNATING): -_ONE},
                         name="alternating mean up to i", value="(1-(-1)^i)/(2*i)", case="a")
    return draft.add_truth(FIRST, _above_half(mean, 1), Fraction(0))


def last_marker(draft: Draft) -> str:
    """Return the direction ``is[LAST]``; case (b), past-masked."""
    if draft.has_truth(LAST):
        return draft.truth(LAST)
    if draft.weighting.row.extra:
        return draft.embed_positional(LAST)
    mean = _uniform_head(draft, Mask.PAST, {draft.embed_position(ALTERNATING): -_ONE},
                         name="alternating mean from i", value="-(-1)^i*(1+(-1)^(n-i))/(2*(n-i+1))", case="b")
    return draft.add_truth(LAST, _above_half(mean, 1) + _above_half(mean, -1), Fraction(0))


def _above_half(mean: str, sign: int) -> list[tuple[Coefficients, Fraction, Fraction]]:
    """Return the hidden unit that is exactly 1 where the mean is 1 (of this sign), and exactly 0 where it is <= 1/2."""
    return [({mean: sign * _ONE}, -_HALF, 1 / (1 - _HALF))]


def reciprocal_of_position(draft: Draft) -> str:
    """Return the direction 1/i: embedded, or computed by uniform attention over the first marker (the remark)."""
    if draft.reciprocal_embedded or draft.has("1/i"):
        return draft.embed_position("1/i")
    return _uniform_head(draft, Mask.FUTURE, {first_marker(draft): _ONE}, name="1/i", value="1/i", case="a, remark")


def reciprocal_from_end(draft: Draft) -> str:
    """Return the direction 1/(n+1-i): embedded, or by uniform past-masked attention over the last marker (remark)."""
    name = "1/(n+1-i)"
    if draft.reciprocal_embedded or draft.has(name):
        return draft.embed_position(name)
    return _uniform_head(draft, Mask.PAST, {last_marker(draft): _ONE}, name=name, value=name, case="b, remark")


def _uniform_head(draft: Draft, mask: Mask, values: Coefficients, *, name: str, value: str, case: str) -> str:
    meaning = Position(parse_expression(value))
    return add_uniform_head(draft, name, f"Proposition 11 {case}", mask, name, values, meaning)


def add_uniform_head(draft: Draft, label: str, source: str, mask: Mask, name: str, values: Coefficients,
                     meaning: Meaning) -> str:
    """Add a head without scores that writes a direction of this name and meaning; return the name."""
    draft.add_head(Head(label, source, mask, draft.weighting, draft.temperature, ({},), ({},), {name: values}),
                   {name: meaning})
    return name
