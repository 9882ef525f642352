"""``since`` and ``until`` for low precision: Theorem 15 with integer scores.

Claim       One future-masked (past-masked) head holds ``left since right`` (``left until right``) to within e^(-γ) at
            every position of every word: at γ = 4, to within 0.0184. It looks for the nearest j where ¬left ∨ right,
            by the scores γ(j + i s_j) (γ(n s_j - j)) of ``low_precision_tie_breaking``, and takes the truth of
            left ∧ right there. The head of ``since`` does not mention n.
Proof       If such a j is visible, the nearest leads, and the truth of left ∧ right there is that of the formula
            (Theorem 15); so the head errs by the share that it lacks at most. If there is none, left ∧ right, which
            would decide, holds nowhere, so every value is 0, and so is the mean; and the formula is false.
Uses        Lemma 9.
"""

from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import And, Implies, Since, Until
from constructions.network.meanings import Near
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_08_tie_breaking import Side, TieBrokenHead
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.low_precision_tie_breaking import add_integer_tie_broken_head

SOURCE = "since, until for low precision"


def add_since_for_low_precision(draft: Draft, formula: Since) -> str:
    """The direction ``is[left since right]``; the operands' truths have their directions already."""
    return _add_since_or_until(draft, formula, Side.RIGHTMOST)


def add_until_for_low_precision(draft: Draft, formula: Until) -> str:
    """The direction ``is[left until right]``; the operands' truths have their directions already."""
    return _add_since_or_until(draft, formula, Side.LEFTMOST)


def _add_since_or_until(draft: Draft, formula: Since | Until, side: Side) -> str:
    decides = require_truth(draft, Implies(formula.left, formula.right))
    holds = require_truth(draft, And(formula.left, formula.right))
    near = draft.spell("near", formula)
    plan = TieBrokenHead(f"{side.value} deciding position", SOURCE, side, {decides: ONE}, {near: {holds: ONE}})
    add_integer_tie_broken_head(draft, plan, {near: Near(formula)}, draft.gamma)
    return draft.add_truth(formula, rounding_units(near), Fraction(0))
