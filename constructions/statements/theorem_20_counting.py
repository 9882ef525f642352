"""Theorem 20: comparisons of counts, and numerical predicates on counts.

Source      [SHA] Theorem 20 (Section 4.4), cases (a) temperature 1/n and (b) position embeddings with n.
Claim       For a count κ of φ over L positions (L = i to the left, n + 1 - i to the right), a uniform head holds κ/L
            exactly and the feed-forward block 1/L exactly where φ holds. So the number of the *other* positions that
            are counted, m = κ - [φ], is in 0, ..., L - 1, and position m + 1 exists: Lemma 7 holds m with error at most
            e^(-3C), where C is the sum of the |coefficients|. For a comparison of T = Σ c_k κ_k + c to 0, the sum H of
            the approximations has error at most C e^(-3C) <= 1/4; T is an integer, so two feed-forward blocks make its
            truth exact (saturated_comparison.py). For θ(κ) the head holds θ(m + 1) and θ(m), of which φ here selects
            θ(κ): the truth of !φ disables the one and that of φ the other.
Uses        Lemma 7, Lemma 9, Proposition 11 beside temporal operators (Corollary 22).
Differs     The paper looks up κ itself, which is not a position if κ = 0, and decides by a second lookup of κ + 1
            whether it was 0: that fails where κ + 1 is not a position either. See theorem_20_as_printed.py and
            DIVERGENCES.md. All six relations are built directly.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.syntax import Comparison, Count, Not, Predicate, PredicateOnCount, Term, difference
from constructions.network.meanings import Mean, Near, Others, Product, Slack
from constructions.network.transformer import Coefficients, Mask
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_07_table_lookup import TableLookup, add_lookup_head, reciprocal_of_length
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.proposition_11_end_markers import add_uniform_head
from constructions.statements.saturated_comparison import decide

MAX_COEFFICIENT = 10**9
MAX_CONSTANT = 10**12
ZERO = Fraction(0)
LENGTHS = {"left": "i", "right": "n+1-i"}
_Units = list[tuple[Coefficients, Fraction, Fraction]]
LookUp = Callable[[Mapping[str, Coefficients], Mapping[str, Near]], None]
"""A function that adds heads with these values, which write directions of these meanings."""


def statement(draft: Draft) -> str:
    """Return the statement that covers counts in the regime: Theorem 20 a or b, or Theorem 21."""
    return "Theorem 21" if draft.regime.causal else f"Theorem 20{draft.regime.case}"


def add_mean(draft: Draft, count: Count) -> str:
    """Return the direction ``mean[κ]``: exactly κ/L, by uniform masked attention."""
    return draft.once(Mean(count), lambda: _add_mean_head(draft, count))


def _add_mean_head(draft: Draft, count: Count) -> str:
    return add_uniform_head(draft, "uniform", statement(draft), Mask.FUTURE if count.side == "left" else Mask.PAST,
                            draft.spell("mean", count), {draft.truth(count.operand): ONE}, Mean(count))


def add_here(draft: Draft, count: Count) -> str:
    """Return the direction ``here[κ]``: exactly 1/L where this position is counted, else 0.

    As 1/L is at most 1, it is ReLU(1/L) - ReLU(1/L - [φ]).
    """
    meaning = Product(parse_expression(f"1/({LENGTHS[count.side]})"), count.operand)
    reciprocal, truth = reciprocal_of_length(draft, count.side), draft.truth(count.operand)
    units: _Units = [({reciprocal: ONE}, ZERO, ONE), ({reciprocal: ONE, truth: -ONE}, ZERO, -ONE)]
    return draft.once(meaning, lambda: draft.add_feed_forward(draft.spell("here", count), meaning, units, ZERO))


def look_up_others(draft: Draft, count: Count, weight: int, name: str,
                   values: Mapping[str, Coefficients]) -> TableLookup:
    """Return a head that attends to position m + 1, where m other positions are counted; ``weight`` is C."""
    return TableLookup(
        name=name,
        source=statement(draft),
        mask=Mask.FUTURE if count.side == "left" else Mask.NONE,
        side=count.side,
        share={add_mean(draft, count): ONE, add_here(draft, count): -ONE},
        offset=1,
        sharpness=draft.gamma * weight,
        values=values,
    )


def add_others(draft: Draft, count: Count, weight: int) -> str:
    """Return the direction ``others[κ]``: m with error at most e^(-γ C), where C is ``weight``."""
    return draft.once((Others(count), weight), lambda: _add_others_head(draft, count, weight))


def _add_others_head(draft: Draft, count: Count, weight: int) -> str:
    name = draft.spell("others", count, f" for {weight}" if weight > 1 else "")
    values: dict[str, Coefficients] = {name: {draft.embed_position("i"): ONE, draft.one(): -ONE}}
    add_lookup_head(draft, look_up_others(draft, count, weight, "1 + others counted", values), {name: Others(count)})
    return name


def add_comparison(draft: Draft, formula: Comparison) -> str:
    """Return the direction ``is[s R t]`` where s - t mentions a count; the directions inside counts must exist."""
    term = bounded_difference(formula)
    weight = sum(abs(number) for number, _ in term.coefficients)
    row: dict[str, Fraction] = {}
    for number, count in term.coefficients:
        for name in (add_others(draft, count, weight), draft.truth(count.operand)):
            row[name] = row.get(name, ZERO) + number
    row = {name: number for name, number in row.items() if number}
    return decide(draft, formula, row, Fraction(term.constant), Slack)


def bounded_difference(formula: Comparison) -> Term:
    """Return the difference of the two terms.

    Raises:
        InputError: if a coefficient or the constant is absurdly large.
    """
    term = difference(formula)
    for number, _ in term.coefficients:
        if abs(number) > MAX_COEFFICIENT:
            raise InputError(f"formula: a coefficient of {_size(number)}, expected at most {MAX_COEFFICIENT}")
    if abs(term.constant) > MAX_CONSTANT:
        raise InputError(f"formula: a constant of {_size(term.constant)} beside counts, "
                         f"expected at most {MAX_CONSTANT}")
    return term


def _size(number: int) -> str:
    digits = str(abs(number))
    return digits if len(digits) <= 20 else f"{len(digits)} digits"


def add_predicate_on_count(draft: Draft, formula: PredicateOnCount) -> str:
    """Return the direction ``is[θ(κ)]``; the direction inside the count must exist."""
    return decide_predicate(draft, formula, lambda values, written: add_lookup_head(
        draft, look_up_others(draft, formula.count, 1, "1 + others counted", values), written))


def decide_predicate(draft: Draft, formula: PredicateOnCount, look_up: LookUp) -> str:
    """Return ``is[θ(κ)]`` by heads where ``look_up`` retrieves values at position m + 1, m other positions counted."""
    near_if_here, near_if_not = _look_up_predicate(draft, formula, look_up)
    counted = formula.count.operand
    units = [*rounding_units(near_if_here, [require_truth(draft, Not(counted))]),
             *rounding_units(near_if_not, [draft.truth(counted)])]
    return draft.add_truth(formula, units, ZERO)


def _look_up_predicate(draft: Draft, formula: PredicateOnCount, look_up: LookUp) -> tuple[str, str]:
    theta = Predicate(formula.name, formula.parameters, formula.definition)
    names = draft.spell("near", formula, " if counted here"), draft.spell("near", formula, " if not")
    values: dict[str, Coefficients] = {
        names[0]: {position_truth(draft, theta): ONE}, names[1]: {draft.embed_before(theta): ONE}}
    counted = formula.count.operand
    look_up(values, {names[0]: Near(formula, counted), names[1]: Near(formula, Not(counted))})
    return names


def position_truth(draft: Draft, theta: Predicate) -> str:
    """Return the direction ``is[θ]`` of a predicate on the position, embedded if it does not exist."""
    return draft.truth(theta) if draft.has_truth(theta) else draft.embed_positional(theta)
