"""Boolean connectives of exact truth values, by token embedding or one feed-forward block; predicates on positions.

Source      [SHA] Theorem 12, first case ("using the word embedding or a FFN"); Theorem 20 ("for numerical predicates
            θ applied to positions, we set the positional embedding").
Claim       ``is[φ]`` is exactly 0 or 1 whenever the operands are.
"""

from collections.abc import Sequence
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language import syntax
from constructions.language.positional import symbolic_truth
from constructions.network.transformer import Coefficients

ZERO = Fraction(0)
_Unit = tuple[Coefficients, Fraction, Fraction]


def require_truth(draft: Draft, formula: syntax.Formula) -> str:
    """Return the direction of a formula over symbols, a predicate, or a connective whose operands have directions."""
    if draft.has_truth(formula):
        return draft.truth(formula)
    if syntax.is_symbolic(formula):
        return draft.embed_truth(formula, [a for a in draft.alphabet if symbolic_truth(formula, a)])
    if isinstance(formula, syntax.Predicate) or syntax.is_constant_comparison(formula):
        return draft.embed_positional(formula)
    units, bias = connective_units(formula, [require_truth(draft, operand) for operand in syntax.operands(formula)])
    return draft.add_truth(formula, units, bias)


def connective_units(formula: syntax.Formula, names: Sequence[str]) -> tuple[list[_Unit], Fraction]:
    """Return hidden units (reads, bias, write) and output bias that compute the connective at the top of ``formula``.

    The two operands may be equal (``a & a``), so coefficients on the same direction add up. If they would cancel, a
    hidden unit that is always 0 reads a connective nevertheless, so that its truth is one atom of the proof.
    """
    repeats = isinstance(formula, syntax.Implies | syntax.Iff) and formula.left is formula.right
    if repeats and syntax.operands_of_connective(syntax.operands(formula)[0]):
        return [(_form(names[:1], 1), -ONE, -ONE)], ONE
    match formula:
        case syntax.Not():
            return [(_form(names, 1), ZERO, -ONE)], ONE
        case syntax.And():
            return [(_form(names, 1, 1), -ONE, ONE)], ZERO
        case syntax.Or():
            return [(_form(names, -1, -1), ONE, -ONE)], ONE
        case syntax.Implies():
            return [(_form(names, 1, -1), ZERO, -ONE)], ONE
        case syntax.Iff():
            return [(_form(names, 1, -1), ZERO, -ONE), (_form(names, -1, 1), ZERO, -ONE)], ONE
    raise AssertionError(f"not a Boolean connective: {formula!r}")


def _form(names: Sequence[str], *coefficients: int) -> Coefficients:
    row: dict[str, Fraction] = {}
    for name, coefficient in zip(names, coefficients, strict=True):
        row[name] = row.get(name, ZERO) + coefficient
    return {name: value for name, value in row.items() if value}
