"""``since`` and ``until`` for low precision: Theorem 15 with integer scores.

Claim       One future-masked (past-masked) head holds ``left since right`` (``left until right``) with error at most
            e^(-γ) at every position of every word: at γ = 4, at most 0.0184. It selects the nearest j where ¬left ∨
            right, by the scores γ(j + i s_j) (γ(n s_j - j)) of ``low_precision_tie_breaking``, and retrieves the truth
            of left ∧ right there. The head of ``since`` does not use n.
Proof       If such a j is visible, the nearest has the greatest score, and the truth of left ∧ right there is that of
            the formula (Theorem 15); so the error is at most the weight of the others. If there is none, left ∧ right,
            which would decide, holds nowhere, so every value is 0, and so is the mean; and the formula is false.
Uses        Lemma 9.
"""

from constructions.draft import Draft
from constructions.language.syntax import Since, Until
from constructions.statements.low_precision_tie_breaking import add_integer_tie_broken_head
from constructions.statements.theorem_15_since_until import add_since_or_until

SOURCE = "since, until for low precision"


def add_since_or_until_for_low_precision(draft: Draft, formula: Since | Until) -> str:
    """Return ``is[left since right]`` or ``is[left until right]``; the operands' directions must exist."""
    return add_since_or_until(draft, formula, SOURCE, lambda draft, plan, written: add_integer_tie_broken_head(
        draft, plan, written, draft.gamma))
