"""Helpers of the tests of constructions: drafts, the proof of a whole network, and exact critical constants."""

from fractions import Fraction

from constructions.compiler import compile_formula
from constructions.draft import Draft
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.formula.attention.obligation import oblige_attention
from proofs.formula.attention.worst_case import weigh
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.discharge import Line, discharge
from tests.formula.largest_error import find_extreme

BITS = 192
SINCE, UNTIL = "(Q_a | Q_b) since Q_a", "(Q_a | Q_b) until Q_a"
"""Over abc, any position may decide either way, or not at all."""


def new_draft(regime: Regime, alphabet: str = "ab", reciprocal_embedded: bool = True) -> Draft:
    return Draft(tuple(alphabet), regime, Fraction(3), reciprocal_embedded)


def network(text: str, regime: Regime, gamma: Fraction = Fraction(3), alphabet: str = "abc") -> Transformer:
    return compile_formula(parse_formula(text, tuple(alphabet)), tuple(alphabet), regime, gamma)


def attention_lines(transformer: Transformer, max_n: int) -> list[Line]:
    return [line for line in discharge(transformer, up_to(max_n)) if line.kind == "attention"]


def worst_errors(transformer: Transformer, max_n: int, name_part: str) -> dict[bool, Extreme | None]:
    """Return the extremes of the one near direction whose name contains ``name_part``, by the exact method alone."""
    known = KnownValues(transformer.directions)
    for layer, place, head in transformer.heads():
        for direction in head.values:
            if name_part in direction:
                obligation = oblige_attention(transformer, known, up_to(max_n), layer, place, head, direction)
                weighed = [weigh(sweep, BITS) for sweep in obligation.sweeps()]
                return {truth: find_extreme(weighed, truth) for truth in (False, True)}
    raise AssertionError(f"no direction named like {name_part}")


def is_within(transformer: Transformer, max_n: int, name_part: str, bound: Fraction = Fraction(1, 4)) -> bool:
    return all(extreme.upper <= bound for extreme in worst_errors(transformer, max_n, name_part).values() if extreme)
