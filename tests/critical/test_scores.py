"""Scores in i, j and n: what they simplify to, in every regime, and that a wrong simplification is noticed."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from certify.claims.critical.expressions import NoClosedForm, rational_function
from certify.claims.critical.scores import KEY, LENGTH, QUERY, check_on_grid, check_simplified, evaluate, score_of
from certify.requests.arguments import read_arguments
from certify.requests.request import read_request
from constructions.errors import InternalError
from constructions.language.expressions import EvaluationError, parse_expression
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime, Sharpening

TEMPERATURE, POSITION = Regime(), Regime(Sharpening.POSITION)
CAUSAL, CAUSAL_POSITION = Regime(causal=True), Regime(Sharpening.POSITION, causal=True)


def network(text: str, regime: Regime) -> Transformer:
    return read_request(text, read_arguments({"alphabet": "01", "regime": regime, "gamma": 3})).network


@pytest.mark.parametrize(("text", "regime", "layer", "simplified"), [
    ("Q_1 since Q_0", TEMPERATURE, 1, "6*h1j*n + 3*j"), ("Q_1 since Q_0", POSITION, 1, "6*h1j*n + 3*j"),
    ("Q_1 since Q_0", CAUSAL, 1, "3*h1j*i**2 - 3*i**2/j"), ("Q_1 until Q_0", POSITION, 1, "6*h1j*n - 3*j"),
    ("prev Q_1", TEMPERATURE, 1, "3*(-1)**j*n + 3*j"),
    ("prev Q_1", CAUSAL_POSITION, 3, "3*(-1)**j*i**2/2 - 3*i**2/j"),
    ("#<[Q_1] >= 1", TEMPERATURE, 2, "-3*n*(j - m - 1)**2/i"), ("#<[Q_1] >= 1", CAUSAL, 2, "-3*(j - m - 1)**2"),
    ("#>[Q_1] >= 1", POSITION, 2, "-3*n*(j - m - 1)**2/(-i + n + 1)"), ("#<[Q_1] >= 1", TEMPERATURE, 1, "0"),
])
def test_scores_simplify_to_what_the_theorems_say(text: str, regime: Regime, layer: int, simplified: str) -> None:
    made = network(text, regime)
    assert str(score_of(made, made.head(layer, 1)).simplified) == simplified


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_simplified_scores_are_those_of_the_weights_on_a_grid(regime: Regime) -> None:
    made = network("(Q_1 since prev Q_0) | Q_1", regime)
    for _, _, head in made.heads():
        check_on_grid(made, head, score_of(made, head), 4)


def test_a_wrong_simplification_is_noticed() -> None:
    made = network("Q_1 since Q_0", TEMPERATURE)
    score = score_of(made, made.head(1, 1))
    keys = [symbol for held, symbol in score.symbols.items() if held.at == "j"]
    check_simplified(score.written, score.simplified + QUERY**2 - LENGTH, keys)
    for wrong in (KEY, KEY**2, keys[0], (-1) ** KEY, KEY / LENGTH):
        with pytest.raises(InternalError, match="wrongly simplified score"):
            check_simplified(score.written, score.simplified + wrong, keys)


def test_the_grid_notices_it_too() -> None:
    """The score of another head in place of its own."""
    made, other = network("Q_1 since Q_0", TEMPERATURE), network("Q_1 since Q_0", CAUSAL)
    score = score_of(other, other.head(1, 1))
    with pytest.raises(InternalError, match="wrongly simplified score at n = "):
        check_on_grid(made, made.head(1, 1), score, 4)


EXPRESSIONS = st.recursive(
    st.sampled_from(["i", "n", "1", "2", "3"]),
    lambda inner: st.builds("({}{}{})".format, inner, st.sampled_from("+-*/"), inner)
    | st.builds("({}^{})".format, inner, st.sampled_from("0123"))
    | st.builds("((-1)^{})".format, st.sampled_from("in")),
    max_leaves=6)


@given(EXPRESSIONS, st.integers(1, 5), st.integers(0, 4))
def test_rational_functions_have_the_values_of_expressions(text: str, i: int, more: int) -> None:
    expression = parse_expression(text)
    symbols = {"i": QUERY, "n": LENGTH}
    try:
        expected = expression.evaluate(i=i, n=i + more)
        found = rational_function(expression, symbols)
    except (EvaluationError, NoClosedForm):
        return
    assert evaluate(sympy.expand(found), {QUERY: Fraction(i), LENGTH: Fraction(i + more)}) == expected


@pytest.mark.parametrize("text", ["ln(n)", "log2ceil(n)*i", "2^n", "1/(i-i)", "((((2^64)^64)^64)^64)", "n^(i+1)"])
def test_what_is_no_rational_function_or_too_large_is_refused(text: str) -> None:
    with pytest.raises(NoClosedForm):
        rational_function(parse_expression(text), {"i": QUERY, "n": LENGTH})
