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

from constructions.draft import Draft
from constructions.language.syntax import Since, Until
from constructions.statements.low_precision_tie_breaking import add_integer_tie_broken_head
from constructions.statements.theorem_15_since_until import add_since_or_until

SOURCE = "since, until for low precision"


def add_since_or_until_for_low_precision(draft: Draft, formula: Since | Until) -> str:
    """The direction ``is[left since right]`` or ``is[left until right]``; the operands' truths have theirs already."""
    return add_since_or_until(draft, formula, SOURCE, lambda draft, plan, written: add_integer_tie_broken_head(
        draft, plan, written, draft.gamma))
