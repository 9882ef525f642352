"""Formulas that are large as trees and small as graphs, proved for every n by names for their parts."""

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.printer import written_length
from constructions.language.syntax import Formula, Not
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.every_n.graph_file import GraphFile, is_large
from tests.with_coq import ask_coq, ask_coq_whether, library_of, staying_coq_or_skip

DEPTH = 11
"""From here on a formula is large: over 20,000 characters."""


def doubling(depth: int) -> Formula:
    """Return a formula each part of which mentions the one before it twice."""
    parts = ["p0 = Q_a since Q_b", *(f"p{i} = prev (p{i - 1} <-> (p{i - 1} since Q_b))" for i in range(1, depth + 1))]
    return parse_formula(f"let {'; '.join(parts)}; p{depth}", "ab")


def build(formula: Formula, regime: Regime = Regime()) -> Transformer:
    return compile_formula(formula, "ab", regime)


@pytest.fixture(scope="module")
def network() -> Transformer:
    return build(doubling(DEPTH))


def test_a_formula_of_a_million_characters_is_proved_by_its_graph() -> None:
    formula = doubling(16)
    assert written_length(formula) > 10**6
    assert ask_coq(build(formula), formula).proved


def test_a_short_claim_about_a_network_that_mentions_a_large_formula_is_proved_by_graphs(network: Transformer) -> None:
    small = parse_formula("Q_a since Q_b", "ab")
    (output,) = (name for name, meaning in network.directions.items() if meaning == Truth(small))
    assert ask_coq(replace(network, output=output), small).proved


def test_another_large_formula_is_not_proved(network: Transformer) -> None:
    assert not ask_coq_whether(network, Not(doubling(DEPTH))).proved
    assert not ask_coq_whether(network, doubling(DEPTH - 1)).proved


def test_a_changed_head_is_refused_and_named(network: Transformer) -> None:
    number, place = next((number, place) for number, layer in enumerate(network.layers) if number > 8
                         for place, head in enumerate(layer.heads) if head.queries)
    layer = network.layers[number]
    heads = list(layer.heads)
    heads[place] = replace(heads[place], temperature=parse_expression("3/n"))
    layers = [*network.layers[:number], replace(layer, heads=tuple(heads)), *network.layers[number + 1:]]
    answer = ask_coq(replace(network, layers=tuple(layers)), doubling(DEPTH))
    assert not answer.proved and f"layer {number + 1}, heads: near[" in answer.reason


def test_a_changed_weight_of_a_rounding_is_refused(network: Transformer) -> None:
    part = network.layers[-1].feedforward
    units = (replace(part.units[0], bias=part.units[0].bias + Fraction(1, 100)), *part.units[1:])
    last = replace(network.layers[-1], feedforward=replace(part, units=units))
    assert not ask_coq_whether(replace(network, layers=(*network.layers[:-1], last)), doubling(DEPTH)).proved


@pytest.mark.parametrize(("text", "regimes"), [
    ("(prev (Q_a since Q_b) & O (Q_b & prev Q_a)) since ((Q_a since prev Q_b) -> prev (Q_b since Q_a))",
     [Regime(), ALL_REGIMES[-1]]),
    ("#<[Q_a since prev (Q_b since prev Q_a)] >= #<[prev (Q_a since prev (Q_b since prev (Q_a since Q_b)))] + 1",
     [Regime(), Regime(causal=True)]),
    ("ODD(#<[Q_a since prev (Q_b since prev (Q_a since prev (Q_b since prev (Q_a & prev Q_b))))]) -> PRIME",
     [Regime()]),
    ("(next (Q_a until next Q_b)) until (((Q_a until Q_b) & LAST) | next next (Q_b until next (Q_a until Q_b)))",
     [Regime()]),
], ids=["past", "comparison", "predicate", "future"])
def test_names_for_parts_change_neither_the_verdict_nor_the_formula(text: str, regimes: list[Regime]) -> None:
    """The claim with its names unfolded is, in Coq, the formula that is written without names."""
    formula = parse_formula(text, "ab")
    for regime in regimes:
        network = build(formula, regime)
        assert not is_large(network, formula)
        assert accepted_with_names(GraphFile(network, formula))


def accepted_with_names(file: GraphFile) -> bool:
    """Return whether Coq proves the theorem with names, and its claim is convertible to the one without."""
    coq = staying_coq_or_skip()
    same = ("Module Trees.\n" + super(GraphFile, file)._formulas() + "End Trees.\n"
            f"Goal written_out {file.base} named_formulas claim = Trees.{file.names[file.formula]}.\n"
            "Proof. vm_compute. reflexivity. Qed.\n")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "theorem.v"
        source.write_text(file.theorem() + same, encoding="utf-8")
        return coq.compile(source, library_of(coq)).accepted
