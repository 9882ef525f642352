"""Formula and regime to transformer: [SHA] Corollaries 17 a, b (LTL) and 18 a, b (its past fragment, causal).

Every subformula gets a direction that is exactly its truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from constructions.boolean_connectives import require_truth
from constructions.draft import Draft
from constructions.errors import InputError, Unsupported
from constructions.language.fragments import find_counting_subformula, find_future_subformula
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula, Next, Previous, Since, Until, subformulas, symbols_of
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from constructions.theorem_12_previous_next import add_next, add_previous
from constructions.theorem_13_previous_causal import add_previous_causal
from constructions.theorem_15_since_until import add_since, add_until
from constructions.theorem_16_since_causal import add_since_causal

PRINTED_GAMMA = Fraction(3)
"""The constant in front of the scores that [SHA] prints."""


def compile_formula(formula: Formula, alphabet: Sequence[str], regime: Regime,
                    gamma: Fraction = PRINTED_GAMMA) -> Transformer:
    """One transformer that computes ``formula`` at every position of every word.

    Raises:
        Unsupported: naming the subformula that the regime (or this version) cannot express.
        InputError: if the formula uses a symbol outside the alphabet, or gamma is not positive.
    """
    check_supported(formula, regime)
    if strangers := sorted(set(symbols_of(formula)) - set(alphabet)):
        raise InputError(f"formula: symbol {strangers[0]!r}, expected one of {', '.join(alphabet)}")
    if gamma <= 0:
        raise InputError(f"gamma: {gamma}, expected a positive rational")
    parts = subformulas(formula)
    draft = Draft(tuple(alphabet), regime, gamma,
                  reciprocal_embedded=not any(isinstance(part, Previous) for part in parts))
    for part in parts:
        add_truth(draft, part)
    return draft.finish(formula)


def add_truth(draft: Draft, formula: Formula) -> str:
    """The direction that holds ``formula`` exactly, its operands' directions being there already."""
    if draft.has_truth(formula):
        return draft.truth(formula)
    match formula:
        case Previous():
            return add_previous_causal(draft, formula) if draft.regime.causal else add_previous(draft, formula)
        case Next():
            return add_next(draft, formula)
        case Since():
            return add_since_causal(draft, formula) if draft.regime.causal else add_since(draft, formula)
        case Until():
            return add_until(draft, formula)
        case _:
            return require_truth(draft, formula)


def check_supported(formula: Formula, regime: Regime) -> None:
    """Raise Unsupported, naming the first subformula that cannot be compiled in this regime."""
    if counting := find_counting_subformula(formula):
        raise Unsupported(f"{format_formula(counting)}: counts and numerical predicates are not compiled yet")
    if regime.causal and (ahead := find_future_subformula(formula)):
        raise Unsupported(f"{format_formula(ahead)}: looks ahead, and a causal regime is future-masked")
