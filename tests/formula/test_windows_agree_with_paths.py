"""Windows pass over rows that cannot be the worst: what is found without looking at them is what all paths give."""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.meanings import Near
from constructions.network.transformer import Coefficients, Head, Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.attention.obligation import AttentionObligation, oblige_attention
from proofs.formula.attention.windows import AllWindows, PivotMemory, memory_of
from proofs.formula.attention.worst_case import SweepExtreme, find_worst_case, weigh
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from tests.formula.brute_worst_case import worst_errors
from tests.formula.largest_error import find_extreme
from tests.formula.test_worst_case_against_brute_force import random_head

BITS = 128
OWN_ERROR = Fraction(1, 10**30)
FORMULAS = ("(Q_a | Q_b) since Q_a", "(Q_a | Q_b) until Q_a", "prev Q_a", "next Q_a", "Q_a since (Q_b & ODD)")


def heads_of(text: str, regime: Regime, gamma: Fraction) -> Iterator[tuple[Transformer, int, int, Head, str]]:
    transformer = compile_formula(parse_formula(text), "abc", regime, gamma)
    for layer, place, head in transformer.heads():
        for direction in head.values:
            if isinstance(transformer.directions[direction], Near):
                yield transformer, layer, place, head, direction


def obligation_of(transformer: Transformer, layer: int, place: int, head: Head, direction: str,
                  max_n: int) -> AttentionObligation:
    known = KnownValues(transformer.directions)
    return oblige_attention(transformer, known, up_to(max_n), layer, place, head, direction)


def mutated(rng: random.Random, head: Head) -> Head:
    """Another temperature, other weights of keys and queries, or another value; sometimes by very little."""
    def nudge(row: Coefficients) -> Coefficients:
        factors: list[int | Fraction] = [1, 1, 1, -1, 2, Fraction(1, 2), 1 + Fraction(1, 10**9), Fraction(9, 10)]
        return {name: weight * rng.choice(factors) for name, weight in row.items()}

    temperature = rng.choice([str(head.temperature), "1", "1/n", "1/i^2", "1/(n-i+1)", "n", "1/(2*n)"])
    values = head.values if rng.random() < 0.9 else {name: {source: weight * Fraction(rng.choice([1, 8, 9]), 10)
                                                            for source, weight in row.items()}
                                                     for name, row in head.values.items()}
    return replace(head, queries=tuple(map(nudge, head.queries)), keys=tuple(map(nudge, head.keys)), values=values,
                   temperature=parse_expression(temperature))


def random_problem(seed: int, max_n: int) -> AttentionObligation | None:
    """Return a random head, or one of the constructions' with a mutation; None if the rules do not cover it."""
    rng = random.Random(seed)
    if seed % 3 == 0:
        transformer, head, _ = random_head(rng)
        found = (transformer, 1, 1, head, "near")
    else:
        gamma = rng.choice([Fraction(3), Fraction(1), Fraction(13, 10), Fraction(1, 4)])
        regime = rng.choice(ALL_REGIMES)
        texts = [text for text in FORMULAS if not (regime.causal and ("until" in text or "next" in text))]
        transformer, layer, place, head, direction = rng.choice(list(heads_of(rng.choice(texts), regime, gamma)))
        found = (transformer, layer, place, mutated(rng, head), direction)
    try:
        return obligation_of(*found, max_n)
    except NotDerived:
        return None


def check_agreement(obligation: AttentionObligation) -> None:
    """Check that both methods have equal bounds, each attained where the other one finds it."""
    found = find_worst_case(obligation, BITS)
    weighed = [weigh(sweep, BITS) for sweep in obligation.sweeps()]
    for truth, extreme in ((False, found.if_false), (True, found.if_true)):
        reference = find_extreme(weighed, truth)
        assert (extreme is None) == (reference is None)
        if extreme and reference:
            assert isinstance(extreme, SweepExtreme)
            assert abs(extreme.upper - reference.upper) * 10**11 <= reference.upper
            assert extreme.lower <= reference.upper and reference.lower <= extreme.upper


def check_windows(obligation: AttentionObligation) -> int:
    """No row of a group errs by more than its window allows; the number of windows."""
    windows, found = AllWindows(obligation), 0
    for group in obligation.groups:
        weighed = None
        for truth in (False, True):
            window = windows.find(group, truth)
            if window is not None:
                weighed = weighed or weigh(obligation.reading.sweep(group), BITS)
                extreme = find_extreme([weighed], truth)
                assert extreme is None or extreme.lower <= window.error
                assert not (extreme and windows.has_no_word(group, truth))
                found += 1
    return found


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 300, 30))
def test_random_and_mutated_heads(first: int) -> None:
    problems = [problem for seed in range(first, first + 30) if (problem := random_problem(seed, 6))]
    for problem in problems:
        check_agreement(problem)
    assert sum(map(check_windows, problems)) >= 100


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(10_000, 15_000, 100))
def test_many_random_and_mutated_heads(first: int) -> None:
    for seed in range(first, first + 100):
        if problem := random_problem(seed, 7):
            check_agreement(problem)
            check_windows(problem)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("text", FORMULAS)
def test_heads_of_the_constructions(text: str, regime: Regime) -> None:
    if regime.causal and ("until" in text or "next" in text):
        pytest.skip("a causal head looks to the left")
    for case in heads_of(text, regime, Fraction(3)):
        obligation = obligation_of(*case, 12)
        check_agreement(obligation)
        check_windows(obligation)


def test_only_few_rows_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the longest word of ``since`` is followed path by path."""
    (case,) = heads_of("(Q_a | Q_b) since Q_a", Regime(), Fraction(3))
    obligation, swept = obligation_of(*case, 40), list[int]()
    build = obligation.reading.sweep

    def noted(group: Any) -> Any:
        swept.append(group.n)
        return build(group)

    monkeypatch.setattr(obligation.reading, "sweep", noted)
    assert find_worst_case(obligation, BITS).worst is not None
    assert swept == [40]


def test_a_shorter_word_can_be_the_worst() -> None:
    """``prev`` future-masked, with odd keys: (2, 2) errs more than any longer word."""
    cases = list(heads_of("prev Q_a", Regime(causal=True), Fraction(3)))
    worst = [find_worst_case(obligation_of(*case, 20), BITS).worst for case in cases]
    assert [(extreme.n, extreme.i) for extreme in worst if extreme] == [(19, 19), (2, 2)]


def test_which_targets_have_windows() -> None:
    expected = {"(Q_a | Q_b) since Q_a": PivotMemory.LASTING, "next Q_a": PivotMemory.FLEETING}
    for text, memory in expected.items():
        for case in heads_of(text, Regime(), Fraction(3)):
            assert memory_of(obligation_of(*case, 3).reading.offered) is memory


def test_a_pivot_whose_value_is_not_its_truth_has_no_window() -> None:
    (case,) = heads_of("(Q_a | Q_b) since Q_a", Regime(), Fraction(3))
    transformer, layer, place, head, direction = case
    almost = {name: {source: weight * (1 - Fraction(1, 10**9)) for source, weight in row.items()}
              for name, row in head.values.items()}
    obligation = obligation_of(transformer, layer, place, replace(head, values=almost), direction, 5)
    windows = AllWindows(obligation)
    assert all(windows.find(group, True) is None for group in obligation.groups)
    assert all(windows.find(group, False) is not None for group in obligation.groups)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_brute_force_agrees(seed: int) -> None:
    rng = random.Random(seed)
    text = rng.choice(FORMULAS[:2])
    transformer, layer, place, head, direction = next(heads_of(text, Regime(), Fraction(3, 2)))
    head = mutated(rng, head)
    obligation = obligation_of(transformer, layer, place, head, direction, 4)
    worst = find_worst_case(obligation, BITS)
    brute = worst_errors(transformer, head, direction, obligation.target.atoms, 4)
    for truth, extreme in ((False, worst.if_false), (True, worst.if_true)):
        assert (extreme is None) == (truth not in brute)
        if extreme:
            assert extreme.lower * (1 - OWN_ERROR) <= brute[truth] <= extreme.upper * (1 + OWN_ERROR)
