"""Compiler from formula and regime to transformer.

Source: [SHA] Corollaries 17 a, b and 22 a, b (LTL, with counting), 18 a, b and 23 (the past fragment, causal). For each
subformula one direction holds its exact truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from constructions.arguments import typed
from constructions.draft import Draft
from constructions.errors import InputError, Unsupported
from constructions.language import syntax
from constructions.language.expressions import Constant, Expression, enclose_constant
from constructions.language.fragments import find_future_subformula
from constructions.language.positional import find_subformula_with_length
from constructions.language.predicates import definitions_of
from constructions.language.printer import format_briefly
from constructions.network.sharpening import at_constant
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.low_precision import add_truth_for_low_precision
from constructions.statements.other_weightings import OF_THEIR_OWN, check_weighting
from constructions.statements.predicates_on_sums import add_predicate_on_sum
from constructions.statements.theorem_12_previous_next import add_next, add_previous
from constructions.statements.theorem_13_previous_causal import add_previous_causal
from constructions.statements.theorem_15_since_until import add_since_or_until
from constructions.statements.theorem_16_since_causal import add_since_causal
from constructions.statements.theorem_20_as_printed import add_comparison_as_printed, add_predicate_on_count_as_printed
from constructions.statements.theorem_20_counting import add_comparison, add_predicate_on_count
from constructions.statements.theorem_21_counting_causal import (
    TEMPERATURE,
    add_comparison_causal,
    add_predicate_on_count_causal,
)

PRINTED_GAMMA = Fraction(3)
"""The constant in front of the scores that [SHA] prints."""
TEMPORAL = (syntax.Previous, syntax.Next, syntax.Since, syntax.Until)
MOST_KEPT = 32
"""Networks in the cache: an audit compiles the same formula for each of its lengths."""


@typed
def compile_formula(formula: syntax.Formula, alphabet: Sequence[str], regime: Regime,
                    gamma: Constant = PRINTED_GAMMA, as_printed: bool = False,
                    temperature: Expression | None = None, low_precision_up_to: int | None = None,
                    weighting: Weighting = Weighting.SOFTMAX) -> Transformer:
    """Return a transformer that computes ``formula`` at every position of every word.

    With ``as_printed`` counts are built to the letter of [SHA] Theorems 20 and 21, which is not always right. A
    ``temperature`` replaces the temperature of the regime in every head. With ``low_precision_up_to`` the constructions
    for low precision are used, in a regime of temperature 1; counts are right up to that length. All heads have the
    ``weighting``; some have constructions of their own (``constructions.statements.other_weightings``). An irrational
    ``gamma`` is a factor of the scores that divides temperatures.

    Raises:
        Unsupported: naming the subformula that the regime (or this version) cannot express.
        InputError: if the formula uses a symbol outside the alphabet or an absurdly large number, or gamma is not
            positive, or a predicate has two definitions.
    """
    return _compile(formula, tuple(alphabet), regime, gamma, as_printed, temperature, low_precision_up_to, weighting)


@lru_cache(maxsize=MOST_KEPT)
def _compile(formula: syntax.Formula, alphabet: tuple[str, ...], regime: Regime, gamma: Constant, as_printed: bool,
             temperature: Expression | None, low_precision_up_to: int | None, weighting: Weighting) -> Transformer:
    check_supported(formula, regime, low_precision_up_to is not None or weighting in OF_THEIR_OWN)
    if strangers := sorted(set(syntax.symbols_of(formula)) - set(alphabet)):
        raise InputError(f"formula: symbol {strangers[0]!r}, expected one of {', '.join(alphabet)}")
    definitions_of([formula])
    if enclose_constant(gamma)[0] <= 0:
        raise InputError(f"gamma: {gamma}, expected a positive number")
    if isinstance(gamma, Expression):
        unit, doubled = (_compile(formula, alphabet, regime, Fraction(constant), as_printed, temperature,
                                  low_precision_up_to, weighting) for constant in (1, 2))
        return at_constant(unit, doubled, gamma)
    parts = syntax.subformulas(formula)
    check_weighting(weighting, regime, list(filter(is_counting, parts)))
    draft = (new_draft(parts, alphabet, regime, gamma, temperature, weighting) if low_precision_up_to is None else
             Draft(alphabet, regime, gamma, low_precision_up_to=low_precision_up_to))
    for part in parts:
        add_truth(draft, part, as_printed)
    return draft.finish(formula)


def new_draft(parts: Sequence[syntax.Formula], alphabet: Sequence[str], regime: Regime, gamma: Fraction,
              temperature: Expression | None = None, weighting: Weighting = Weighting.SOFTMAX) -> Draft:
    """Return an empty draft for a formula with these subformulas.

    Reciprocals are position embeddings where [SHA] lists them (Theorems 16, 20 and 21, not Corollaries 18, 22 and 23)
    and where uniform attention does not compute them.
    """
    counts = any(map(is_counting, parts))
    temporal = any(isinstance(part, TEMPORAL) for part in parts)
    previous = any(isinstance(part, syntax.Previous) for part in parts)
    if temperature is None and weighting in OF_THEIR_OWN:
        temperature = OF_THEIR_OWN[weighting].temperature(regime)
    if temperature is None and regime.causal and counts and not temporal:
        temperature = TEMPERATURE
    computed = not weighting.row.extra and (previous or (counts and temporal))
    return Draft(tuple(alphabet), regime, gamma, reciprocal_embedded=not computed, temperature=temperature,
                 weighting=weighting)


def is_counting(formula: syntax.Formula) -> bool:
    """Return whether the formula itself needs the value of a count."""
    counts = isinstance(formula, syntax.PredicateOnCount | syntax.PredicateOnSum | syntax.Comparison)
    return counts and not syntax.is_constant_comparison(formula)


def add_truth(draft: Draft, formula: syntax.Formula, as_printed: bool = False) -> str:
    """Return the direction that holds ``formula`` exactly; the directions of its operands must exist."""
    if draft.has_truth(formula):
        return draft.truth(formula)
    if not (is_counting(formula) or isinstance(formula, TEMPORAL)):
        return require_truth(draft, formula)
    if draft.low_precision_up_to is not None:
        return add_truth_for_low_precision(draft, formula)
    if draft.weighting in OF_THEIR_OWN:
        return OF_THEIR_OWN[draft.weighting].add_truth(draft, formula)
    if is_counting(formula):
        return add_count_truth(draft, formula, as_printed)
    match formula:
        case syntax.Previous():
            return add_previous_causal(draft, formula) if draft.regime.causal else add_previous(draft, formula)
        case syntax.Next():
            return add_next(draft, formula)
        case syntax.Since():
            return add_since_causal(draft, formula) if draft.regime.causal else add_since_or_until(draft, formula)
        case syntax.Until():
            return add_since_or_until(draft, formula)
    raise AssertionError(f"no construction: {formula!r}")


def add_count_truth(draft: Draft, formula: syntax.Formula, as_printed: bool) -> str:
    """Return the direction of a comparison of counts or of a predicate on a count, by Theorem 20 or 21."""
    match formula:
        case syntax.PredicateOnSum():
            return add_predicate_on_sum(draft, formula)
        case syntax.Comparison() if as_printed:
            return add_comparison_as_printed(draft, formula)
        case syntax.PredicateOnCount() if as_printed:
            return add_predicate_on_count_as_printed(draft, formula)
        case syntax.Comparison():
            return add_comparison_causal(draft, formula) if draft.regime.causal else add_comparison(draft, formula)
        case syntax.PredicateOnCount():
            return (add_predicate_on_count_causal(draft, formula) if draft.regime.causal
                    else add_predicate_on_count(draft, formula))
    raise AssertionError(f"no count: {formula!r}")


def check_supported(formula: syntax.Formula, regime: Regime, counts_bluntly: bool = False) -> None:
    """Raise Unsupported with the first subformula that cannot be compiled in this regime.

    Some constructions count without sharp attention, and so need no temperature.
    """
    if not regime.causal:
        return
    if ahead := find_future_subformula(formula):
        raise Unsupported(f"{format_briefly(ahead)}: looks ahead, and a causal regime is future-masked")
    if bounded := find_subformula_with_length(formula):
        raise Unsupported(f"{format_briefly(bounded)}: {bounded.name} depends on the length n, which is not "
                          "available in a causal regime")
    counting = next(filter(is_counting, syntax.subformulas(formula)), None)
    if counting and regime.sharpening is Sharpening.POSITION and not counts_bluntly:
        raise Unsupported(f"{format_briefly(counting)}: [SHA] counts causally by temperature only (Theorem 21, "
                          "Corollary 23)")
