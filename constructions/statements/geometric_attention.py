"""Geometric and stick-breaking attention: temporal operators without position embeddings.

Setting     From the nearest position on, each takes the share σ(score) of the remaining weight; the position itself
            takes none.
Claim       ``left since right``: scores γ where ¬left ∨ right, and -γ elsewhere; values left ∧ right. The head holds
            ``prev (left since right)`` with error at most 1 - p^(n-1), p = σ(γ/τ), which a temperature τ of order 1/log
            n keeps below 1/4. If left holds here and right does not, that is ``left since right``; otherwise left ∧
            right is.
            ``prev φ``: all scores are γ, so that the nearest position has σ(γ/τ) >= 3/4 if γ >= ln 3 and τ <= 1, all
            others together the rest, and at position 1 nothing is added.
            ``until`` and ``next`` are the mirror images, with past masks.
            No count: weights are equal only if position j takes the share 1/j, so position 1 all, which no score gives.
Not needed  Position embeddings in the regime of temperature; in the other one the query is multiplied by 1/τ.
Source      Ours, as far as known. The weightings: docs/background/weightings.md.
"""

from fractions import Fraction

from constructions.draft import ONE, Draft, linear_form
from constructions.errors import Unsupported
from constructions.language.expressions import Expression, parse_expression
from constructions.language.printer import format_briefly
from constructions.language.syntax import TRUE, And, Formula, Implies, Next, Previous, Since, Until
from constructions.network.meanings import Near
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.regimes import Regime, Sharpening
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_09_rounding import FALSE_UPPER, SLOPE, TRUE_LOWER, rounding_units

ZERO, TWO = Fraction(0), Fraction(2)


def growth(regime: Regime) -> str:
    """Return the factor of scores: of order log n, or of log i where n is not available."""
    return f"log2ceil({'i' if regime.causal else 'n'})+1"


def logarithmic_temperature(regime: Regime) -> Expression:
    """Return the temperature of all heads in the regime."""
    return parse_expression("1" if regime.sharpening is Sharpening.POSITION else f"1/({growth(regime)})")


def add_truth_by_geometric_attention(draft: Draft, formula: Formula) -> str:
    """Return the direction of a temporal formula; the directions of its operands must exist.

    Raises:
        Unsupported: if the formula counts.
    """
    match formula:
        case Previous(operand) | Next(operand):
            near = draft.once(Near(formula), lambda: _add_head(
                draft, formula, "nearest position", {require_truth(draft, TRUE): ONE}, draft.truth(operand)))
            return draft.add_truth(formula, rounding_units(near), ZERO)
        case Since(left, right) | Until(left, right):
            return _add_since_or_until(draft, formula, left, right)
    raise Unsupported(f"{format_briefly(formula)}: under {draft.weighting} no head weights all positions equally (the "
                      "first would need all the remaining weight), so none holds a count")


def _add_since_or_until(draft: Draft, formula: Since | Until, left: Formula, right: Formula) -> str:
    """Write the truth from the operands' truths here and the head's value of the formula one position before."""
    decides, one = require_truth(draft, Implies(left, right)), require_truth(draft, TRUE)
    before = Previous(formula) if isinstance(formula, Since) else Next(formula)
    holds = require_truth(draft, And(left, right))
    near = draft.once(Near(before), lambda: _add_head(
        draft, before, "nearest deciding position", {decides: TWO, one: -ONE}, holds))
    here = (draft.truth(left), ONE), (draft.truth(right), ONE)
    passed_on = linear_form((near, ONE), (draft.truth(left), ONE), (draft.truth(right), -ONE))
    return draft.add_truth(formula, [
        (linear_form(*here), -ONE, ONE),
        (passed_on, -ONE - FALSE_UPPER, SLOPE),
        (passed_on, -ONE - TRUE_LOWER, -SLOPE)], ZERO)


def _add_head(draft: Draft, formula: Previous | Next, name: str, key: Coefficients, value: str) -> str:
    """Return ``near[formula]``, by a head with scores γ times the key; they, or 1/temperature, grow with log n."""
    near = draft.spell("near", formula)
    position = draft.regime.sharpening is Sharpening.POSITION
    scale = draft.embed_position(growth(draft.regime)) if position else require_truth(draft, TRUE)
    mask = Mask.FUTURE if isinstance(formula, Previous) else Mask.PAST
    draft.add_head(Head(name, f"{draft.weighting} attention", mask, draft.weighting, draft.temperature,
                        ({scale: draft.gamma},), (key,), {near: {value: ONE}}), {near: Near(formula)})
    return near

