"""Verdicts about float executions: what holds, up to which length, and why not beyond."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import Lengths, up_to
from constructions.network.meanings import Near, Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.enclosures.float_models.model import presets
from proofs.floats.verdict import Bounds, FloatProof, certified_bounds, find_largest_length
from proofs.formula.discharge import discharge
from tests.floats.emulation import Emulation

SINCE, PREV, ODD = "(Q_a | Q_b) since Q_b", "prev Q_a", "ODD(#<[Q_a])"
COMPARED = "#<[Q_a] >= #>[Q_b]"


@cache
def certified(text: str, regime: Regime, max_n: int) -> tuple[Transformer, Bounds]:
    network = compile_formula(parse_formula(text, "abc"), ("a", "b", "c"), regime)
    lines = discharge(network, up_to(max_n), twice=False)
    assert all(line.proved for line in lines)
    return network, certified_bounds(lines)


def largest(text: str, name: str, max_n: int, regime: Regime = ALL_REGIMES[0]) -> int | None:
    network, bounds = certified(text, regime, max_n)
    return find_largest_length(network, bounds, up_to(max_n), presets()[name])


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("text", [SINCE, PREV, ODD])
def test_binary32_holds_for_all_regimes(text: str, regime: Regime) -> None:
    if text is ODD and regime == ALL_REGIMES[3]:
        pytest.skip("this regime does not count")
    network, bounds = certified(text, regime, 16)
    verdict = FloatProof(network, bounds, presets()["binary32"]).verdict(up_to(16))
    assert verdict.holds, verdict.fault


def test_a_fault_says_which_head_and_why() -> None:
    network, bounds = certified(SINCE, ALL_REGIMES[0], 64)
    fault = FloatProof(network, bounds, presets()["bfloat16"]).verdict(up_to(64)).fault
    assert fault is not None
    assert (fault.where, fault.direction) == ("layer 1, head 1", "near[Q_a S Q_b]")
    assert "scores may err by" in fault.why


def test_a_coarser_exponential_bounds_more() -> None:
    network, bounds = certified(SINCE, ALL_REGIMES[0], 16)
    run = presets()["binary32"]
    thetas = [FloatProof(network, bounds, each).verdict(up_to(16)).heads[0].theta
              for each in (run, run.with_exp_ulp(Fraction(1000)))]
    assert thetas[0] < thetas[1]


@pytest.mark.parametrize(("text", "name", "n"), [
    (SINCE, "bfloat16", 5), (SINCE, "bfloat16/binary32", 7), (PREV, "bfloat16", 6), (PREV, "binary16", 6),
    (ODD, "binary16", 3), (ODD, "binary32", 5), (COMPARED, "binary32", 4),
])
def test_every_truth_of_an_emulated_run_is_exactly_right(text: str, name: str, n: int) -> None:
    network, bounds = certified(text, ALL_REGIMES[0], n)
    run = presets()[name]
    verdict = FloatProof(network, bounds, run).verdict(Lengths(1, n))
    assert verdict.holds, verdict.fault
    reached = {figures.direction: figures.bound for figures in verdict.heads}
    random = Random(n)
    for _ in range(12):
        word = "".join(random.choice("abc") for _ in range(random.randint(1, n)))
        held = Emulation(network, run, random).word(word)
        for direction, meaning in network.directions.items():
            if isinstance(meaning, Truth):
                assert [here[direction] for here in held] == list(map(int, truth_values(meaning.formula, word)))
            elif isinstance(meaning, Near):
                pairs = zip(held, truth_values(meaning.formula, word), truth_values(meaning.when, word), strict=True)
                assert all(abs(here[direction] - truth) <= reached[direction] for here, truth, when in pairs if when)
