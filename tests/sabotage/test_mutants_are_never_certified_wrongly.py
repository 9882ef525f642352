"""Sabotaged models against brute force: no mutant that misses a meaning on some short word is ever certified.

Ground truth is two-fold: ``find_miss`` of ``words.replay`` and the second forward pass on every word up to MAX_N.
Kill rates are printed with ``-s``.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence

import pytest

from certify.claims.formula.outcomes import Certified, Outcome, Refuted
from certify.claims.formula.pipeline import certify_transformer
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_from_json, transformer_to_json, write_canonical
from constructions.network.lengths import up_to
from constructions.network.meanings import Near, Others, Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.check import Malformed, Rejected, check_text
from proofs.formula.certificate import seal
from proofs.formula.discharge import DischargedObligations
from proofs.words.replay import InexactHardAttention, find_miss
from tests.network.second_forward import SecondForward
from tests.sabotage.ground_truth import DIGITS, own_misses, words
from tests.sabotage.mutations import MUTATIONS, mutate

MAX_N = 6
PER_CASE = 2
FORMULAS = [
    "Q_a since Q_b",
    "prev Q_a",
    "Q_a until Q_b",
    "next Q_a",
    "Q_a -> !Q_b",
    "prev Q_a since Q_b",
    "O (Q_a & prev Q_b)",
    "(prev Q_a <-> Q_b) | H Q_a",
    "Q_a S Q_b",
    "next Q_a since Q_b",
    "F (Q_a & next Q_a)",
    "ODD(#<[Q_a])",
    "#<[Q_a] > #<[Q_b]",
    "2*#<[Q_a] - #<[prev Q_b] != 1",
    "PRIME(#>[Q_b]) & #<[ODD] == #>[Q_a]",
]
CASES = [
    (text, regime)
    for text in FORMULAS
    for regime in ALL_REGIMES
    if not (regime.causal and any(word in text for word in ("until", "next", "F ", "#>")))
    and not ("#" in text and str(regime) == "position, causal")
]


def verdict_of(
    transformer: Transformer, max_n: int, regime: Regime | None = None, memory: DischargedObligations | None = None
) -> Outcome | None:
    try:
        return certify_transformer(transformer, max_n, regime, memory)
    except InputError:
        return None


def brute_miss(transformer: Transformer, max_n: int, alphabet: Sequence[str] = "ab") -> tuple[str, ...] | None:
    """A word on which some direction misses its meaning: by enclosures, or, where these do not apply, by 60 digits."""
    forward = SecondForward(transformer, DIGITS)
    for word in words(alphabet, max_n):
        try:
            if find_miss(transformer, word, 96):
                return word
        except InexactHardAttention:
            if own_misses(transformer, word, forward):
                return word
    return None


def checker_accepts(transformer: Transformer, max_n: int) -> bool:
    """Return whether the checker accepts the model, with all approximations claimed to be within 1/4."""
    output = transformer.directions[transformer.output]
    if not isinstance(output, Truth):
        return False
    bounds = [
        {"layer": layer, "head": place, "direction": name, "error_if_false": "1/4", "error_if_true": "1/4"}
        for layer, place, head in transformer.heads()
        for name in sorted(head.values, key=list(transformer.directions).index)
        if isinstance(transformer.directions[name], Near | Others)
    ]
    data = json.loads(seal(output.formula, up_to(max_n), None, transformer, []))
    try:
        check_text(write_canonical({**data, "bounds": bounds}).encode())
    except (Rejected, Malformed):
        return False
    return True


def check_mutant(model: dict[str, object], seed: int, max_n: int, tally: Counter[str],
                 memory: DischargedObligations) -> None:
    kind, what, changed = mutate(model, seed)
    try:
        transformer = transformer_from_json(changed)
        outcome = verdict_of(transformer, max_n, None, memory)
    except InputError:
        outcome = None
    tally[kind] += 1
    if outcome is None:
        tally["refused"] += 1
        return
    tally[outcome.verdict] += 1
    accepted = checker_accepts(transformer, max_n)
    proved = all(line.proved for line in outcome.lines)
    assert proved or not isinstance(outcome, Certified)
    if isinstance(outcome, Refuted):
        assert not accepted and not proved, (seed, what)
        counterexample = outcome.counterexample
        misses = own_misses(transformer, counterexample.word)
        assert (counterexample.direction, counterexample.position) in misses, (seed, what)
        return
    tally["proved, not accepted"] += proved and not accepted
    tally["accepted, not proved"] += accepted and not proved
    if accepted or proved:
        missed = brute_miss(transformer, max_n)
        assert missed is None, (seed, what, missed, "accepted" if accepted else "", "proved" if proved else "")
        forward = SecondForward(transformer, DIGITS)
        for word in [*words("ab", 3), ("a",) * max_n, ("b", *("a",) * (max_n - 1)), (*("a",) * (max_n - 1), "b")]:
            assert not own_misses(transformer, word, forward), (seed, what, word)
    elif brute_miss(transformer, 3):
        tally["unknown though a short word breaks it"] += 1


@pytest.fixture(scope="module")
def tally() -> object:
    counted: Counter[str] = Counter()
    yield counted
    total = sum(counted[v] for v in ("refused", "certified", "refuted", "unknown"))
    print(
        f"\n{total} mutants: "
        + ", ".join(
            f"{k} {counted[k]}"
            for k in (
                "refused",
                "refuted",
                "unknown",
                "unknown though a short word breaks it",
                "certified",
                "proved, not accepted",
                "accepted, not proved",
            )
        )
    )
    print("by kind: " + ", ".join(f"{m.__name__} {counted[m.__name__]}" for m in dict.fromkeys(MUTATIONS)))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda k: f"{CASES[k][0]}, {CASES[k][1]}")
def test_mutants_of_compiled_models(case: int, tally: Counter[str]) -> None:
    text, regime = CASES[case]
    model = transformer_to_json(compile_formula(parse_formula(text), "ab", regime))
    memory = DischargedObligations()
    for seed in random.Random(case).sample(range(10**6), PER_CASE):
        check_mutant(model, seed, MAX_N, tally, memory)


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda k: f"{CASES[k][0]}, {CASES[k][1]}")
def test_many_mutants_of_compiled_models(case: int, tally: Counter[str]) -> None:
    text, regime = CASES[case]
    model = transformer_to_json(compile_formula(parse_formula(text), "ab", regime))
    for seed in range(1000 * case + 100, 1000 * case + 100 + 5 * len(MUTATIONS)):
        check_mutant(model, seed, MAX_N, tally, DischargedObligations())


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text, regime", CASES, ids=str)
def test_untouched_models_are_certified(text: str, regime: Regime) -> None:
    outcome = verdict_of(compile_formula(parse_formula(text), "ab", regime), MAX_N, regime)
    assert isinstance(outcome, Certified), outcome
