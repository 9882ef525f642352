"""The extracted checker reads any model file and writes it again byte for byte."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from certify.claims.formula.examples import load_examples
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.syntax import And, Formula, Since, Symbol, Until
from constructions.network.meanings import Position, Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from tests.every_n.coq_model_texts import own_text
from tests.every_n.test_model_text import EXPRESSIONS, FORMULAS, LETTERS, USERS, mutants, since_with
from tests.with_ocaml import canonical, judge

MORE_EXPRESSIONS = ("ln(n+1)", "1/(2*log2ceil(n)-sqrt(i)^2)", "log2floor(i)^(i-n)", "0^i", "(0-i)/n", "-(-(1/2))^i")


def is_read(network: Transformer, folder: Path) -> bool:
    path = folder / "model.json"
    path.write_text(own_text(network), encoding="ascii")
    return canonical(path) == own_text(network)


def test_formulas_and_users_predicates_are_read(tmp_path: Path) -> None:
    formulas = {text: parse_formula(text, "ab", predicates=USERS) for text in FORMULAS}
    assert is_read(since_with({text: Truth(formula) for text, formula in formulas.items()}), tmp_path)


def test_a_mark_right_behind_an_operator_of_words_is_not_read(tmp_path: Path) -> None:
    text = own_text(since_with({"one": Truth(parse_formula("Q_a until !Q_b", "ab"))}))
    path = tmp_path / "model.json"
    path.write_text(text.replace("until !", "until! "), encoding="ascii")
    judged = judge(path)
    assert judged.word == "malformed" and 'column 5: found "until!"' in judged.text, judged


def test_expressions_are_read(tmp_path: Path) -> None:
    values = {f"value {text}": Position(parse_expression(text)) for text in (*EXPRESSIONS, *MORE_EXPRESSIONS)}
    network = since_with(values)
    embedded = {name: position.value for name, position in values.items()}
    assert is_read(replace(network, position_embedding={**network.position_embedding, **embedded}), tmp_path)


def test_letters_and_names_are_read(tmp_path: Path) -> None:
    formula: Formula = Symbol("a")
    for letter in LETTERS:
        formula = Since(Symbol(letter), formula)
    assert is_read(compile_formula(formula, LETTERS, Regime()), tmp_path)


def test_a_table_of_formulas_is_read_and_its_network_proved(tmp_path: Path) -> None:
    formula = parse_formula("Q_a since Q_b", "ab")
    for _ in range(6):
        formula = And(Since(formula, Symbol("a")), Until(Symbol("b"), formula))
    network = compile_formula(formula, "ab", Regime())
    assert '"formulas"' in own_text(network) and is_read(network, tmp_path)
    assert judge(tmp_path / "model.json").word == "proved"


def some_examples(step: int) -> list[Transformer]:
    """Return the networks of every ``step``-th example, one for each regime."""
    found: list[Transformer] = []
    for example in load_examples()[::step]:
        for regime in ALL_REGIMES:
            with suppress(Unsupported):
                found.append(compile_formula(example.formula, example.alphabet, regime))
    return [network for network in found if len(own_text(network)) < 200_000]


def test_networks_of_examples_are_read(tmp_path: Path) -> None:
    assert [network.output for network in some_examples(10) if not is_read(network, tmp_path)] == []


@pytest.mark.exhaustive
def test_networks_of_all_examples_are_read(tmp_path: Path) -> None:
    assert len(networks := some_examples(1)) > 100
    assert [network.output for network in networks if not is_read(network, tmp_path)] == []


def test_what_is_read_of_a_changed_file_is_not_its_text_unless_it_is_in_its_one_spelling(tmp_path: Path) -> None:
    """If the text is the one that the program writes, it has read another model."""
    network, path = compile_formula(parse_formula("ODD(#<[Q_a])", "ab"), "ab", Regime()), tmp_path / "model.json"
    path.write_text(own_text(network), encoding="ascii")
    assert judge(path).word == "proved"
    words = []
    for text in mutants(own_text(network), 60, 3):
        path.write_text(text, encoding="ascii")
        found = judge(path)
        words.append(found.word)
        assert (canonical(path) == text) is (found.word in ("proved", "unproved"))
    assert set(words) >= {"malformed"}
