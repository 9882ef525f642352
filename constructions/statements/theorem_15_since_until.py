"""Theorem 15: ``since`` and ``until`` by tie-broken attention.

Source      [SHA] Theorem 15 (Section 4.2), cases (a) temperature 1/n and (b) position embeddings with n.
Claim       One future-masked (past-masked) head holds ``left since right`` (``left until right``) to within 1/4 at
            every position: it looks for the nearest j where ¬left ∨ right and returns left ∧ right there; where there
            is no such j every value is 0.
Uses        Lemma 8 b (since), Lemma 8 c (until), Lemma 9.
Differs     nowhere. Note that Definition 14 is inclusive: left must also hold at the witness.
"""

from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import And, Implies, Since, Until
from constructions.network.meanings import Near
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_08_tie_breaking import Side, TieBrokenHead, add_tie_broken_head
from constructions.statements.lemma_09_rounding import rounding_units


def add_since(draft: Draft, formula: Since, theorem: int = 15) -> str:
    """The direction ``is[left since right]``; the operands' truths have their directions already."""
    return _add_since_or_until(draft, formula, Side.RIGHTMOST, theorem)


def add_until(draft: Draft, formula: Until) -> str:
    """The direction ``is[left until right]``; the operands' truths have their directions already."""
    return _add_since_or_until(draft, formula, Side.LEFTMOST, 15)


def _add_since_or_until(draft: Draft, formula: Since | Until, side: Side, theorem: int) -> str:
    decides = require_truth(draft, Implies(formula.left, formula.right))
    holds = require_truth(draft, And(formula.left, formula.right))
    near = draft.spell("near", formula)
    plan = TieBrokenHead(
        name=f"{side.value} deciding position",
        source=f"Theorem {theorem}{draft.regime.case}",
        side=side,
        score={decides: ONE},
        values={near: {holds: ONE}},
    )
    add_tie_broken_head(draft, plan, {near: Near(formula)})
    return draft.add_truth(formula, rounding_units(near), Fraction(0))
