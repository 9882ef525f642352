"""The logic of [SHA] that a formula belongs to, and the parts that keep it out of a smaller one.

Source      [SHA] Definitions 10, 14, 19; Theorem 13 (prev only), Theorem 16 (since only), Corollaries 17, 18, 22, 23.
"""

from constructions.language import syntax

_OPERATORS: dict[type[syntax.Formula], str] = {
    syntax.Previous: "prev", syntax.Next: "next", syntax.Since: "since", syntax.Until: "until"}
_WITH_A_NAME = ("", "prev next", "since until", "prev since", "next until", "prev", "next", "since", "until")


def fragment_of(formula: syntax.Formula) -> str:
    """Return the smallest named logic that contains ``formula``.

    All four temporal operators, or a mixture without a name of its own, give LTL. Counting adds ``+`` and ``Mon`` (the
    numerical predicates), and counts to both sides unless all are to the left.

    >>> from constructions.language.parser import parse_formula
    >>> fragment_of(parse_formula("O prev Q_a")), fragment_of(parse_formula("ODD(#<[Q_a])"))
    ('TL[prev, since]', 'TL[#<, +, Mon]')
    >>> fragment_of(parse_formula("prev Q_a until Q_b")), fragment_of(parse_formula("Q_a -> Q_b"))
    ('LTL', 'Boolean')
    """
    parts = syntax.subformulas(formula)
    kinds = {type(part) for part in parts}
    temporal = [name for kind, name in _OPERATORS.items() if kind in kinds]
    sides = {count.side for part in parts for count in syntax.counts_of(part)}
    if sides or syntax.Comparison in kinds:
        return _name_with_counting(temporal, "right" in sides)
    monadic = ["Mon"] if syntax.Predicate in kinds else []
    if " ".join(temporal) in _WITH_A_NAME:
        return f"TL[{', '.join(temporal + monadic)}]" if temporal or monadic else "Boolean"
    return "LTL[Mon]" if monadic else "LTL"


def _name_with_counting(temporal: list[str], to_the_right: bool) -> str:
    """Name the logic with counts: Corollary 23 allows prev, since and left counts; Corollary 22 allows everything."""
    if not to_the_right and set(temporal) <= {"prev", "since"}:
        return f"TL[{', '.join([*temporal, '#<', '+', 'Mon'])}]"
    return "LTL[#<, #>, +, Mon]" if temporal else "TL[#<, #>, +, Mon]"


def find_future_subformula(formula: syntax.Formula) -> syntax.Formula | None:
    """Return the first subformula, innermost first, that looks to the right of its position, or None."""
    return next(filter(_looks_right, syntax.subformulas(formula)), None)


def _looks_right(part: syntax.Formula) -> bool:
    counts = syntax.counts_of(part)
    return isinstance(part, syntax.Next | syntax.Until) or any(count.side == "right" for count in counts)
