"""A term that breaks the ties of leftmost- and rightmost-hard heads without changing the transformer's values.

Source      [SHA] Lemma 8 gives one for scores of 0 and 1; this is for any head with a known gap.
Claim       Let a head's greatest score exceed every lower one by at least c/n^k, for every word of length n and
            position (docs/background/softened_rules.md, 1; c <= 1). Give a rightmost head the additional score + (c/(2
            n^(k+1))) j at position j, a leftmost one the same with -. Then its greatest score is attained once, at the
            position that it chose before; former ties differ by at least c/(2 n^(k+1)), and its gap is at least that.
Proof       The terms of two positions differ by at least c/(2 n^(k+1)) and at most c/(2 n^k). So the last (first) of
            the tied positions is the unique greatest, and lower scores are still lower by at least c/(2 n^k). ∎ Every
            layer computes its previous values, so the gaps of other heads are unchanged.
Numbers     The term is a key component that is a position embedding, at most 1/2, and a query component that is
            constantly 1, so x_max(n) stays at most max(x_max(n), 1), and no weight depends on n.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Position
from constructions.network.transformer import Head, Transformer
from constructions.network.weightings import Winners
from constructions.statements.theorem_26_uniform_tieless import Law

ONE = Fraction(1)
SIGNS = {Winners.LAST: ONE, Winners.FIRST: -ONE}


def break_ties(transformer: Transformer, gaps: Mapping[tuple[int, int], Law]) -> Transformer:
    """Return the transformer with tie-breaking terms in the listed heads (by layer and index, from 1).

    ``gaps`` has a law for each of them that is nowhere above its gap, nor above 1.
    """
    constant = _unused("one", transformer)
    terms = {where: _unused(f"later at {where[0]}.{where[1]}", transformer) for where in gaps}
    embedded = {constant: parse_expression("1")} if gaps else {}
    for where, name in terms.items():
        embedded[name] = parse_expression(_later(gaps[where]))
    broken = transformer.with_heads(lambda layer, place, head: _with_term(head, constant, terms[layer, place])
                                    if (layer, place) in gaps else head)
    directions = {**transformer.directions, **{name: Position(value) for name, value in embedded.items()}}
    return replace(broken, directions=directions, position_embedding={**transformer.position_embedding, **embedded})


def _later(gap: Law) -> str:
    """Return (gap/(2n)) i, as an expression.

    >>> _later(Law(Fraction(2, 3), -1)), _later(Law(Fraction(1), 0))
    ('2*i/(6*n^2)', '1*i/(2*n^1)')
    """
    return f"{gap.factor.numerator}*i/({2 * gap.factor.denominator}*n^{1 - gap.exponent})"


def _with_term(head: Head, constant: str, later: str) -> Head:
    assert head.weighting.row.winners, "expected a leftmost- or rightmost-hard head"
    sign = SIGNS[head.weighting.row.winners]
    return replace(head, queries=(*head.queries, {constant: sign}), keys=(*head.keys, {later: ONE}))


def _unused(name: str, transformer: Transformer) -> str:
    """Return the name, extended if a direction has it."""
    while name in transformer.directions:
        name += "'"
    return name
