"""Formulas are as large as they have nodes: thousands of them, deep or doubling, are certified and checked."""

import json
import random

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.exports.latex_network import NetworkInLatex
from certify.requests.subjects import find_formula
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.printer import describe_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import (
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Previous,
    Since,
    Symbol,
    Until,
    subformulas,
)
from constructions.network.json_form import (
    read_transformer,
    transformer_from_json,
    transformer_to_json,
    write_canonical,
)
from constructions.network.lengths import Lengths
from constructions.network.run import run_hard
from constructions.regimes import Regime
from constructions.running.numpy_network import to_numpy
from proofs.every_n.transformer_file import theorem_file
from proofs.formula.discharge import discharge

BOOLEAN = (And, Or, Implies, Iff)
TEMPORAL = (Since, Until)


def layered(width: int, height: int, seed: int = 1) -> Formula:
    """Return a formula with shared parts: ``width`` parts in each layer, each from two parts of the layer below."""
    choose = random.Random(seed)
    layer: list[Formula] = [Symbol("a"), Symbol("b")]
    for _ in range(height):
        layer = [random_node(choose, layer) for _ in range(width)]
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        layer = [Or(left, right) for left, right in pairs] + layer[len(layer) // 2 * 2:]
    return layer[0]


def random_node(choose: random.Random, below: list[Formula]) -> Formula:
    left, right = choose.choice(below), choose.choice(below)
    kind = choose.randrange(8)
    if kind < 2:
        return choose.choice(TEMPORAL)(left, Implies(right, left))
    return choose.choice((Previous, Next, Not))(left) if kind < 4 else choose.choice(BOOLEAN)(left, right)


@pytest.mark.parametrize(("width", "nodes"), [
    (15, 521), pytest.param(60, 2221, marks=pytest.mark.exhaustive)])
def test_many_nodes_are_certified_and_accepted(width: int, nodes: int) -> None:
    formula = layered(width, 40)
    assert len(subformulas(formula)) == nodes
    outcome = certify(formula, "ab", max_n=3)
    assert isinstance(outcome, Certified)
    claim = json.loads(outcome.certificate)["claim"]
    assert claim["formula"].startswith("$")


def test_names_of_directions_refer_to_the_table() -> None:
    formula = layered(20, 10)
    network = compile_formula(formula, "ab", Regime())
    data = transformer_to_json(network)
    assert list(data)[3:5] == ["predicates", "formulas"]
    for name, meaning in data["directions"].items():
        if meaning["kind"] == "truth":
            assert name == f"is[{meaning['formula']}]"
    assert max(map(len, data["directions"])) < 40
    assert read_transformer(write_canonical(data)) == network


def test_the_network_of_a_large_formula_computes_it() -> None:
    formula = layered(20, 15)
    network = compile_formula(formula, "ab", Regime())
    for word in ("a", "ab", "bba", "abab"):
        held = [vector.get(network.output, 0) for vector in run_hard(network, word)]
        assert held == list(truth_values(formula, word))


def test_depth_two_thousand() -> None:
    formula: Formula = Symbol("a")
    for level in range(2_000):
        formula = Not(formula) if level % 100 else Previous(formula)
    assert formula.depth == 2_001
    network = compile_formula(formula, "ab", Regime())
    assert len(network.layers) == 2_001
    assert all(line.proved for line in discharge(network, Lengths(1, 2)))
    assert transformer_from_json(transformer_to_json(network)) == network


def test_a_program_that_doubles_forty_times_is_certified() -> None:
    text = "let p0 = Q_a; " + "".join(f"p{k} = p{k - 1} since prev p{k - 1}; " for k in range(1, 41)) + "p40"
    outcome = certify(text, "ab", max_n=3)
    assert isinstance(outcome, Certified)
    assert outcome.formula is parse_formula(text)


def test_what_cannot_be_so_large_is_refused_in_a_line() -> None:
    network = compile_formula(layered(60, 40), "ab", Regime())
    formula = find_formula(network)
    assert formula is not None
    with pytest.raises(Unsupported, match=r"^\d+ directions: dense matrices would have \d+ entries, expected at most"):
        to_numpy(network, 4)
    with pytest.raises(Unsupported, match=r"^\d+ directions in LaTeX, expected at most 1000$"):
        NetworkInLatex(network)
    with pytest.raises(Unsupported, match=r"^the formula, written out, is longer than 20000 characters"):
        theorem_file(network, formula)
    with pytest.raises(Unsupported, match=r"^a formula that the network mentions, written out, is longer than 20000"):
        theorem_file(network, Symbol("a"))


def test_long_formulas_are_short_where_they_are_mentioned() -> None:
    formula = layered(60, 40)
    assert len(repr(formula)) < 300
    assert len(describe_formula(formula)) < 300
    assert max(len(str(meaning)) for meaning in compile_formula(formula, "ab", Regime()).directions.values()) < 300


@pytest.mark.exhaustive
def test_fifty_thousand_nodes_are_certified() -> None:
    formula = layered(1_200, 55)
    assert len(subformulas(formula)) > 50_000
    assert isinstance(certify(formula, "ab", max_n=8), Certified)


@pytest.mark.exhaustive
def test_ten_thousand_definitions_in_a_chain_are_proved_and_accepted() -> None:
    """One layer each; the independent checker reads them all."""
    chain = "p0 = prev Q_a; " + "".join(f"p{k} = prev p{k - 1}; " for k in range(1, 10_000)) + "p9999"
    outcome = certify(chain, None, 4, Regime())
    assert isinstance(outcome, Certified) and outcome.transformer
    assert len(outcome.transformer.layers) >= 10_000
