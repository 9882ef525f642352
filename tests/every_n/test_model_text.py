"""Coq writes model files (``model_text.v``) exactly as ``constructions/network/json_form.py`` does."""

import itertools
import random
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from certify.claims.formula.examples import load_examples
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.brackets import Bracket
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import And, Count, Formula, Since, Symbol, Until
from constructions.network.meanings import Anything, Mean, Meaning, Near, Others, Position, Product, Slack, Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.every_n.model_file import definitions_of_model
from proofs.every_n.transformer_file import CoqFile
from tests.every_n.coq_model_texts import Stated, coq_agrees, own_text
from tests.every_n.coq_reader import Unreadable, read_coq
from tests.sabotage.file_mutations import PARTS, mutate_file

USERS = parse_predicate_definitions([
    "ODDLY(k,n) := (k - n) // 2 % 3 == 1 or not (k^2 < 2*n + 1 and k != 3)", "NEGATIVE(k) := (-k - 1) % 4 >= 2",
    "NESTED(k) := (k == 1 or k == 2) and not (PRIME(2*k+1) or -(k-1)*(k-2)^3 <= -k//2%5)",
    "Powers(k,n) := POW2(n - (k - 1)) and (SQUARE(k) and not not k > -(-3))",
])
FORMULAS = (
    "ODDLY(#<[Q_a]) & NEGATIVE | NESTED & Powers(#>[Q_b])",
    "2*#<[Q_a] - 3*#>[Q_b] + 1 <= -#<[Q_a since Q_b] & -2*#<[Q_b] < 0",
    "#<[Q_a] - 0 == 0*#<[Q_b] - 7 | MOD(12,10)(#<[O Q_a])",
    "(Q_a <-> Q_b) <-> (Q_a -> Q_b -> (Q_a -> Q_b) -> Q_a)",
    "(Q_a | Q_b | (Q_a | Q_b)) & (Q_a & (Q_b & Q_a)) & !(Q_a & !!Q_b)",
    "(Q_a since Q_b) since (Q_b until Q_a until Q_b) S (!Q_a U Q_b)",
    "H !Q_a & G F Q_b | !(true since Q_a) | (true | Q_b since Q_b) | H (true since !Q_a) | O H !O Q_b",
    "prev next !prev Q_a | (prev (Q_a | Q_b)) | #<[true] == 3 | EVEN | LAST & (SQUARE | POW2 | PRIME | FIRST)",
)
LETTERS = ("a", "'", "\\", '"', "\n", "é", "\U0001f600", "\x7f", "\x00", "Q_a", "a b", "\\'", "_", "/", "\u2028")
EXPRESSIONS = ("-1^i", "(-1)^i", "i^-2", "(n-i+1)^(n-(i-2))", "-(i+n)/(2*n)*3", "i/(n/2)", "i-(n-1)-2", "2^-(-i+n)",
               "i*(n*i)", "(i^2)^3", "--i", "(i/n)^2", "n^(i+1-n)", "(2*i)^-(i-1)")


def since_with(directions: Mapping[str, Meaning]) -> Transformer:
    """Return a small network with more directions, which nothing writes."""
    network = compile_formula(parse_formula("Q_a since Q_b", "ab"), "ab", Regime())
    return replace(network, directions={**network.directions, **directions})


def test_formulas_and_users_predicates_are_written_alike(tmp_path: Path) -> None:
    network = since_with({text: Truth(parse_formula(text, "ab", predicates=USERS)) for text in FORMULAS})
    assert coq_agrees([Stated(network, own_text(network))], tmp_path) == [True]


def test_meanings_are_written_alike(tmp_path: Path) -> None:
    a, odd = Symbol("a"), parse_formula("ODD", "ab")
    network = since_with({str(meaning): meaning for meaning in (
        Near(a, odd), Slack(a), Mean(Count("left", a)), Others(Count("right", odd)), Anything(),
        Position(Bracket(odd)), Position(Bracket(odd, shifted=True)), Product(parse_expression("i^-(n-1)"), a))})
    assert coq_agrees([Stated(network, own_text(network))], tmp_path) == [True]


def test_letters_and_names_are_spelled_alike(tmp_path: Path) -> None:
    formula: Formula = Symbol("a")
    for letter in LETTERS:
        formula = Since(Symbol(letter), formula)
    network = compile_formula(formula, LETTERS, Regime())
    assert coq_agrees([Stated(network, own_text(network))], tmp_path) == [True]


def test_expressions_are_written_alike(tmp_path: Path) -> None:
    values = {f"value {text}": Position(parse_expression(text)) for text in EXPRESSIONS}
    network = since_with(values)
    changed = replace(network, position_embedding={
        **network.position_embedding, **{name: position.value for name, position in values.items()}})
    assert coq_agrees([Stated(changed, own_text(changed))], tmp_path) == [True]


def test_a_file_with_a_table_of_formulas_is_written_alike(tmp_path: Path) -> None:
    formula = parse_formula("Q_a since Q_b", "ab")
    for _ in range(6):
        formula = And(Since(formula, Symbol("a")), Until(Symbol("b"), formula))
    network = compile_formula(formula, "ab", Regime())
    assert '"formulas"' in own_text(network)
    assert coq_agrees([Stated(network, own_text(network))], tmp_path) == [True]


def example_networks() -> list[Transformer]:
    """Return the networks of every example in every regime that has it."""
    found: list[Transformer] = []
    for example in load_examples():
        for regime in ALL_REGIMES:
            with suppress(Unsupported):
                found.append(compile_formula(example.formula, example.alphabet, regime))
    return found


def test_networks_of_examples_are_written_alike(tmp_path: Path) -> None:
    networks = [network for network in example_networks()[::9] if len(own_text(network)) < 6_000]
    assert len(networks) >= 3
    assert coq_agrees([Stated(network, own_text(network)) for network in networks], tmp_path) == [True] * len(networks)


@pytest.mark.exhaustive
def test_networks_of_all_examples_are_written_alike(tmp_path: Path) -> None:
    networks = example_networks()
    assert coq_agrees([Stated(network, own_text(network)) for network in networks], tmp_path) == [True] * len(networks)


# -- sabotage ----------------------------------------------------------------------------------------------------------


def mutants(text: str, number: int, seed: int) -> list[str]:
    """Texts with one byte changed, left out or doubled."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < number:
        place, how = rng.randrange(len(text)), rng.randrange(3)
        piece = ("", text[place] * 2, chr(rng.randrange(32, 127)))[how]
        changed = text[:place] + piece + text[place + 1:]
        if changed != text:
            found.append(changed)
    return found


def check_mutants(number: int, seed: int, folder: Path) -> None:
    network = compile_formula(parse_formula("Q_a since Q_b", "ab"), "ab", Regime())
    texts = [own_text(network), *mutants(own_text(network), number, seed)]
    assert coq_agrees([Stated(network, text) for text in texts], folder) == [True] + [False] * number


def test_no_changed_byte_of_a_model_file_goes_unseen(tmp_path: Path) -> None:
    check_mutants(12, 1, tmp_path)


@pytest.mark.exhaustive
def test_no_changed_byte_of_two_hundred_goes_unseen(tmp_path: Path) -> None:
    check_mutants(200, 2, tmp_path)


NO_PLACE = re.compile(r"-\d+\)?(?: \|->|%nat)|Symbol \(?-")
"""Numbers of directions and letters that are none of type nat."""


def changed_definitions(network: Transformer, number: int, seed: int) -> list[str]:
    """Return Coq's definitions of the network with one number, word or entry changed, and the same names."""
    formula, rng = parse_formula("Q_a since Q_b", "ab"), random.Random(seed)
    right, found = CoqFile(network, formula).text(""), list[str]()
    names = definitions_of_model(network, formula).removeprefix(right)
    for part in itertools.cycle(PARTS):
        changed = mutate_file(right, part, rng)
        with suppress(Unreadable):
            if changed and not NO_PLACE.search(changed):
                read_coq(changed, "ab", list(network.directions))
                found.append(changed + names)
        if len(found) == number:
            return found
    raise AssertionError


def check_changed_definitions(number: int, seed: int, folder: Path) -> None:
    network = compile_formula(parse_formula("Q_a since Q_b", "ab"), "ab", Regime())
    changed = [Stated(network, own_text(network), text) for text in changed_definitions(network, number, seed)]
    assert coq_agrees([Stated(network, own_text(network)), *changed], folder) == [True] + [False] * number


def test_no_other_network_has_the_text_of_a_model_file(tmp_path: Path) -> None:
    check_changed_definitions(12, 3, tmp_path)


def test_a_number_that_names_no_letter_is_not_the_letter_that_marks_it(tmp_path: Path) -> None:
    network = compile_formula(Symbol("?"), "a?", Regime())
    right = definitions_of_model(network, Symbol("?"))
    wrong = right.replace(": formula := Symbol 1.", ": formula := Symbol 2.")
    assert wrong != right
    assert coq_agrees([Stated(network, own_text(network), text) for text in (right, wrong)], tmp_path) == [True, False]


def test_a_bracket_with_a_formula_of_the_word_is_in_no_model_file(tmp_path: Path) -> None:
    odd = Position(Bracket(parse_formula("ODD", "ab")))
    network = since_with({"odd": odd})
    network = replace(network, position_embedding={**network.position_embedding, "odd": odd.value})
    right = definitions_of_model(network, parse_formula("Q_a since Q_b", "ab"))
    wrong = right.replace("Positional ODD", "Symbol 0")
    texts = own_text(network), own_text(network).replace("[ODD]", "[Q_a]")
    assert wrong != right and texts[0] != texts[1]
    assert coq_agrees([Stated(network, texts[0], right), Stated(network, texts[1], wrong)], tmp_path) == [True, False]


@pytest.mark.exhaustive
def test_none_of_two_hundred_other_networks_has_the_text_of_a_model_file(tmp_path: Path) -> None:
    check_changed_definitions(200, 4, tmp_path)
