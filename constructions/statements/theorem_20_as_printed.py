"""Theorems 20 and 21 to the letter of the paper: unlike the shipped constructions, they do not compute every formula.

Source      [SHA] Theorems 20 a, b and 21, proof of Theorem 20 (Section 4.4).
Refuted     For a count κ of 1 at a position that sees one position only, both lookups return 1 and the count is taken
            for 0: at position 1 of every word that begins with a counted position (Theorem 21), and on words of one
            position (Theorem 20). A predicate on a count of 0 is evaluated for a count of 1. See DIVERGENCES.md.
Readings    The text leaves these open; each reading here is the one under which most of the proof is true.
            - "q_i = 3C [κ, i, 1/i], k_j = [2j, -j²]": three rows against two. The scores that follow,
              3C (2κj - j²)/i, are those of q_i = 3C [κ/i, 1/i]; for counts to the right with n + 1 - i in place of i.
            - The mask of the lookups is not said. Theorem 21 is future-masked; Theorem 20 is read without a mask.
            - "Both retrievals return values within 1 ± 1/(4C)": the second is near 1 only if the first is, so one test
              of the second, between 5/4 and 7/4, is exactly 0 in the one case and exactly 1 where it is at least
              2 - 1/(4C). "The correct value must be 0": as the first lookup returned 1, 1 is subtracted.
            - The error is stated for Σ c_k ←κ_k - Σ c_k →κ_k (a slip of sign): H is the sum Σ c_k κ_k itself.
            - Only t <= t' is treated ("it can be rewritten"); all relations are decided here from H, as in the shipped
              construction. What the slack directions hold is not stated, for H may be wrong.
            - For θ(κ) "the first and second steps using v_j = [θ(j)]": one lookup of κ with C = 1.
            - The lists of position embeddings of Corollaries 22 and 23 lack 1/i and 1/(n+1-i): as in the shipped
              construction, the network computes them by Proposition 11.
"""

from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import Comparison, Count, Predicate, PredicateOnCount
from constructions.network.meanings import Anything, Near
from constructions.network.transformer import Coefficients, Mask
from constructions.statements.lemma_07_table_lookup import TableLookup, add_lookup_head
from constructions.statements.lemma_09_rounding import FALSE_UPPER, SLOPE, TRUE_LOWER, rounding_units
from constructions.statements.saturated_comparison import decide
from constructions.statements.theorem_20_counting import ZERO, add_mean, bounded_difference, position_truth, statement


def _retrieve(draft: Draft, count: Count, weight: int, offset: int, values: dict[str, Coefficients]) -> TableLookup:
    """Return the lookup of position κ + offset; ``weight`` is C."""
    return TableLookup(
        name="the count" if offset == 0 else f"the count + {offset}",
        source=f"{statement(draft)} as printed",
        mask=Mask.FUTURE if draft.regime.causal else Mask.NONE,
        side=count.side,
        share={add_mean(draft, count): ONE},
        offset=offset,
        sharpness=draft.gamma * weight,
        values=values,
    )


def _add_retrieval(draft: Draft, count: Count, weight: int, offset: int) -> str:
    """Return the direction that holds the result of the lookup of κ + offset."""
    name = draft.spell("first" if offset == 0 else "second", count, f" for {weight}")
    plan = _retrieve(draft, count, weight, offset, {name: {draft.embed_position("i"): ONE}})
    add_lookup_head(draft, plan, {name: Anything()})
    return name


def _add_is_positive(draft: Draft, second: str, name: str) -> str:
    """Return a direction that is 0 if the second lookup returned about 1, and 1 if it returned about 2 or more."""
    units = [({second: ONE}, -ONE - FALSE_UPPER, SLOPE), ({second: ONE}, -ONE - TRUE_LOWER, -SLOPE)]
    return draft.add_feed_forward(name, Anything(), units, ZERO)


def _add_corrected_count(draft: Draft, count: Count, weight: int) -> tuple[str, str]:
    """Return two directions whose sum, minus 1, is about κ by the printed argument."""
    first = draft.once(("first", count, weight), lambda: _add_retrieval(draft, count, weight, 0))
    second = draft.once(("second", count, weight), lambda: _add_retrieval(draft, count, weight, 1))
    positive = draft.once(("positive", count, weight), lambda: _add_is_positive(
        draft, second, draft.spell("positive", count, f" for {weight}")))
    return first, positive


def add_comparison_as_printed(draft: Draft, formula: Comparison) -> str:
    """Return the direction ``is[s R t]``; the directions inside counts must exist."""
    term = bounded_difference(formula)
    weight = sum(abs(number) for number, _ in term.coefficients)
    row: dict[str, Fraction] = {}
    for number, count in term.coefficients:
        for name in _add_corrected_count(draft, count, weight):
            row[name] = Fraction(number)
    constant = term.constant - sum(number for number, _ in term.coefficients)
    return decide(draft, formula, row, Fraction(constant), lambda _: Anything())


def add_predicate_on_count_as_printed(draft: Draft, formula: PredicateOnCount) -> str:
    """Return the direction ``is[θ(κ)]``; the direction inside the count must exist."""
    near = draft.spell("near", formula)
    theta = position_truth(draft, Predicate(formula.name, formula.parameters, formula.definition))
    add_lookup_head(draft, _retrieve(draft, formula.count, 1, 0, {near: {theta: ONE}}), {near: Near(formula)})
    return draft.add_truth(formula, rounding_units(near), ZERO)
