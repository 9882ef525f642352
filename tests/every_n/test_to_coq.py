"""The text for Coq: expressions, predicates, formulas, and constructs without a counterpart."""

from dataclasses import replace

import pytest

from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import Formula, Or, Since, Symbol
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import Regime
from proofs.every_n.predicates import condition_data
from proofs.every_n.transformer_file import comment, expression, theorem_file
from tests.with_coq import ask_coq


@pytest.mark.parametrize(("text", "expected"), [
    ("1/n", "(Div (Num 1) VarN)"),
    ("-i^2*n", "(Mul (Neg (Power VarI (Int 2))) VarN)"),
    ("1/(n-i+1)", "(Div (Num 1) (Add (Sub VarN VarI) (Num 1)))"),
    ("(-1)^i", "(Power (Neg (Num 1)) IntI)"),
    ("i^-2", "(Power VarI (IntMinus (Int 0) (Int 2)))"),
    ("1/ln(n+1)", "(Div (Num 1) (Apply Ln (Add VarN (Num 1))))"),
    ("log2ceil(2*n)-sqrt(log2floor(i))",
     "(Sub (Apply Log2Ceil (Mul (Num 2) VarN)) (Apply Sqrt (Apply Log2Floor VarI)))"),
])
def test_expressions_are_printed_as_they_are_parsed(text: str, expected: str) -> None:
    assert expression(parse_expression(text)) == expected


@pytest.mark.parametrize("text", ["2^(i*n)", "2^(i/n)", "2^2^i"])
def test_exponents_that_are_no_sums_are_unsupported(text: str) -> None:
    with pytest.raises(Unsupported, match=r"\^ as it is used here"):
        expression(parse_expression(text))


def test_a_predicate_becomes_data() -> None:
    definition = parse_predicate_definition("THIRD(k,n) := k % 3 == 1 and not k // 2 >= n")
    assert condition_data(definition) == (
        "(Both (Related Equal (Remainder TheNumber 3) (Literal 1)) "
        "(Fails (Related AtLeast (Quotient TheNumber 2) TheLength)))"
    )


@pytest.mark.parametrize("condition", ["k / 2 == 1", "k % n == 1", "2 ^ k == n", "k // 0 == 1", "k % -3 == 1"])
def test_predicates_that_divide_by_what_may_be_no_positive_number_are_unsupported(condition: str) -> None:
    with pytest.raises(Unsupported, match="predicate P: "):
        condition_data(parse_predicate_definition(f"P(k,n) := {condition}"))


def test_a_division_that_is_no_integer_is_unsupported_whatever_it_divides_by() -> None:
    with pytest.raises(Unsupported, match=r"^predicate P: / has no Coq form$"):
        condition_data(parse_predicate_definition("P(k) := k / 2 == 1"))


def since() -> Transformer:
    return compile_formula(parse_formula("Q_a since Q_b", "ab"), "ab", Regime())


def test_the_file_states_the_formula_and_the_parameters() -> None:
    text = theorem_file(since(), parse_formula("Q_a since Q_b", "ab"))
    assert "Definition claim : formula := f4." in text
    assert "Definition f4 : formula := Since f0 f1. (* Q_a since Q_b *)" in text
    assert ("Head FutureMasked (Div (Num 1) VarN) [[5 |-> 6]] [[2 |-> 1; 4 |-> (1 # 2)]] [(6%nat, [3 |-> 1])] "
            "(* rightmost deciding position, Theorem 15a *)") in text


def test_hard_attention_is_unsupported() -> None:
    transformer = since()
    (layer,) = transformer.layers
    head = replace(layer.heads[0], weighting=Weighting.RIGHTMOST_HARDMAX)
    hard = replace(transformer, layers=(replace(layer, heads=(head,)),))
    with pytest.raises(Unsupported, match="weighting rightmost-hardmax, in Coq only softmax"):
        theorem_file(hard, parse_formula("Q_a since Q_b", "ab"))


def test_numbers_that_coq_would_write_in_unary_have_a_limit() -> None:
    formula = parse_formula("MOD(100001,1)", "ab")
    with pytest.raises(Unsupported, match="the number 100001 of a predicate, which Coq writes in unary"):
        theorem_file(compile_formula(formula, "ab", Regime()), formula)


def test_a_comment_stays_on_its_line_and_shows_every_character() -> None:
    assert comment("a\n\u202e\x00*)") == "(* a\\n\\u202e\\x00* ) *)"


SYMBOLS = ("*)", "(*", '"', "(*)", "é", "*) Axiom cheat : False. (*", "\n*) Axiom cheat : False. (*", "\\")


def test_a_symbol_stays_inside_its_comment() -> None:
    formula: Formula = Symbol("a")
    for symbol in SYMBOLS:
        formula = Or(formula, Symbol(symbol))
        network = compile_formula(Since(Symbol(symbol), Symbol("a")), (symbol, "a"), Regime())
        text = theorem_file(network, Since(Symbol(symbol), Symbol("a")))
        assert text.count("(*") == text.count("*)") and text.count('"') == 0
    assert ask_coq(compile_formula(formula, ("a", *SYMBOLS), Regime()), formula).proved
