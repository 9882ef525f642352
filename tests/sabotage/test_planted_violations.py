"""Violations at a single (n, i) deep in the range: the claim is proved up to n - 1 and never from n on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified, Refuted
from certify.claims.formula.pipeline import certify_transformer
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import up_to
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.discharge import discharge
from tests.sabotage.ground_truth import own_misses
from tests.sabotage.test_mutants_are_never_certified_wrongly import checker_accepts

N, PLACE = 23, 11
BUMP = f"0^((n-{N})^2+(i-{PLACE})^2)"
"""1 at that one (n, i), else 0."""
Model = dict[str, Any]


def head_reading(model: Model, name: str) -> dict[str, Any]:
    return next(
        head for layer in model["layers"] for head in layer["heads"] if any(name in row for row in head["keys"])
    )


def bump_embedding(model: Model) -> None:
    model["position_embedding"]["i/n"] = f"i/n+{BUMP}/1000"


def bump_by_a_polynomial(model: Model) -> None:
    """A product over the other n near N and all other i near PLACE, scaled to 1 there: no power of 0."""
    lengths = (f"(n-{k})" for k in range(N - 3, N + 4) if k != N)
    positions = (f"(i-{k})" for k in range(PLACE - 2, PLACE + 3) if k != PLACE)
    others = "*".join([*lengths, *positions])
    model["position_embedding"]["i/n"] = f"i/n+{others}*0^((n-{N})^2)/10^9"


def bump_embedding_and_meaning(model: Model) -> None:
    model["position_embedding"]["i/n"] = f"i/n+5*{BUMP}"
    model["directions"]["i/n"]["value"] = f"i/n+5*{BUMP}"


def bump_meaning(model: Model) -> None:
    model["directions"]["i/n"]["value"] = f"i/n+{BUMP}/10^20"


def high_temperature(model: Model) -> None:
    head_reading(model, "i/n")["temperature"] = f"1/n+1000*{BUMP}"


def small_query(model: Model) -> None:
    model["position_embedding"]["one"] = f"1-{BUMP}"
    model["directions"]["one"]["value"] = f"1-{BUMP}"


def sharp_key_elsewhere(model: Model) -> None:
    """Every position but one is as before; that one shouts."""
    model["directions"]["shout"] = {"kind": "position", "value": f"3*{BUMP}"}
    model["position_embedding"]["shout"] = f"3*{BUMP}"
    head_reading(model, "i/n")["keys"][0]["shout"] = "1"


WORD = tuple("c" * (PLACE - 1) + "bc" + "a" * (N - PLACE - 1))
"""True at 11 alone; where position 11 shouts, later positions hear it."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "plant, word",
    [
        (bump_embedding, WORD),
        (bump_meaning, WORD),
        (bump_embedding_and_meaning, WORD),
        (sharp_key_elsewhere, WORD),
        (high_temperature, tuple("b" * (PLACE - 1) + "c" * (N - PLACE + 1))),
        (bump_by_a_polynomial, WORD),
        (small_query, tuple("b" * (PLACE - 1) + "c" * (N - PLACE + 1))),
    ],
)
def test_proved_up_to_the_length_before_and_never_beyond(plant: Callable[[Model], None], word: tuple[str, ...]) -> None:
    model = transformer_to_json(compile_formula(parse_formula("Q_a S Q_b"), "abc", Regime()))
    plant(model)
    transformer = transformer_from_json(model)
    assert all(line.proved for line in discharge(transformer, up_to(N - 1)))
    assert not all(line.proved for line in discharge(transformer, up_to(N)))
    assert not checker_accepts(transformer, N) and not checker_accepts(transformer, N + 3)
    assert checker_accepts(transformer, N - 1)
    assert own_misses(transformer, word), "the violation is real"
    assert not own_misses(transformer, word[:-1])


def test_a_gate_that_opens_at_one_position_is_found() -> None:
    """The alternation that tells the two heads of ``prev`` apart is wrong at one place, and said to be so."""
    model = transformer_to_json(compile_formula(parse_formula("prev Q_a"), "ab", Regime()))
    flipped = f"(-1)^i*(1-2*{BUMP})"
    model["position_embedding"]["(-1)^i"] = model["directions"]["(-1)^i"]["value"] = flipped
    transformer = transformer_from_json(model)
    assert all(line.proved for line in discharge(transformer, up_to(N - 1))) and checker_accepts(transformer, N - 1)
    failed = [line for line in discharge(transformer, up_to(N)) if not line.proved]
    assert {"feed-forward", "uniform", "attention"} & {line.kind for line in failed}
    assert not checker_accepts(transformer, N)


@pytest.mark.parametrize("plant", [high_temperature, bump_meaning])
def test_the_whole_pipeline_does_not_certify_it(plant: Callable[[Model], None]) -> None:
    model = transformer_to_json(compile_formula(parse_formula("Q_a S Q_b"), "abc", Regime()))
    plant(model)
    transformer = transformer_from_json(model)
    outcome = certify_transformer(transformer, N + 3)
    assert not isinstance(outcome, Certified)
    if isinstance(outcome, Refuted):
        assert len(outcome.counterexample.word) == N
        assert own_misses(transformer, outcome.counterexample.word)
    assert isinstance(certify_transformer(transformer, N - 1), Certified)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regime", [r for r in ALL_REGIMES if r.causal], ids=str)
def test_a_causal_temperature_that_is_blunt_at_one_position_is_found(regime: Regime) -> None:
    model = transformer_to_json(compile_formula(parse_formula("Q_a S Q_b"), "abc", regime))
    for layer in model["layers"]:
        for head in layer["heads"]:
            head["temperature"] = f"{head['temperature']}+10^6*0^((i-13)^2)"
    transformer = transformer_from_json(model)
    assert all(line.proved for line in discharge(transformer, up_to(12))) and checker_accepts(transformer, 12)
    assert not all(line.proved for line in discharge(transformer, up_to(13))) and not checker_accepts(transformer, 13)


def test_a_token_embedding_off_by_a_tiny_amount_is_found() -> None:
    model = transformer_to_json(compile_formula(parse_formula("Q_a S Q_b"), "abc", Regime()))
    name = next(iter(model["token_embedding"]["b"]))
    model["token_embedding"]["b"][name] = str(1 + Fraction(1, 10**200))
    transformer: Transformer = transformer_from_json(model)
    assert not all(line.proved for line in discharge(transformer, up_to(3)))
    assert not checker_accepts(transformer, 3)
    assert isinstance(certify_transformer(transformer, 3), Refuted)
