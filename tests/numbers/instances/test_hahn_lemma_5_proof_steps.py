import json
from fractions import Fraction
from math import cosh, e, exp, sinh, tanh
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.hahn_lemma_5_proof_steps import mean_at_exchanged
from tests.numbers.instances.helpers import between_0_and_1, examined, quick, shares, verdicts

MODELS = Path(__file__).resolve().parents[3] / "examples" / "claims" / "models"
EVERY_STEP = ["weights", "norms", "same-position", "heads"]


@pytest.mark.parametrize(("step", "first"), [("weights", 2), ("norms", 2), ("same-position", 25), ("heads", 2)])
def test_each_refuted_step_fails_at_every_length_from_its_first_on(step: str, first: int) -> None:
    name = f"hahn-lemma-5-step-{step}"
    assert all(verdicts(name, n) == {True} for n in range(1, first))
    assert all(verdicts(name, n) == {False} for n in (*range(first, first + 10), 100, 1000))


def test_the_change_that_the_first_step_drops_is_that_of_the_weights() -> None:
    for n in (2, 3, 10):
        (found,) = examined("hahn-lemma-5-step-weights", n)
        assert float(found.value.lower) == pytest.approx(4 * (e / (e + n - 1) - 1 / n))
        assert float(found.bound.lower) == pytest.approx(e / (e + n - 1))


def test_what_the_exchanged_position_retrieves_does_not_vanish() -> None:
    for n in (2, 3, 24, 25):
        m, zeros = divmod(n - 1, 2)
        expected = (2 * m * sinh(1 / 16) + exp(1 / 32) / 2) / (2 * m * cosh(1 / 16) + exp(1 / 32) + zeros)
        assert float(mean_at_exchanged(n).lower) == pytest.approx(expected)
    assert float(mean_at_exchanged(10**6 + 1).lower) == pytest.approx(tanh(1 / 16), abs=1e-5)


def test_the_bound_of_what_it_retrieves_has_every_constant_as_printed() -> None:
    """F = 2 C_f (‖p‖ + ‖v‖) = 2 bounds the activations, A = F^2/8 = 1/2 the scores, D = 1/2."""
    embedded = json.loads((MODELS / "hahn_lemma_5_same_position.json").read_text(encoding="utf-8"))["token_embedding"]
    greatest = max(abs(Fraction(x)) for row in embedded.values() for x in row.values())
    bound_of_scores = (2 * greatest) ** 2 * Fraction(1, 8)
    (found,) = examined("hahn-lemma-5-step-same-position", 25)
    assert bound_of_scores == Fraction(1, 2)
    assert float(found.bound.upper) == pytest.approx((exp(2 * bound_of_scores) / 24 + 1 / 25) / 2)
    assert found.value.lower > found.bound.upper


@pytest.mark.parametrize("step", ["greatest-weight", "sum"])
def test_the_steps_that_hold_do_at_every_length(step: str) -> None:
    assert all(verdicts(f"hahn-lemma-5-step-{step}", n) == {True} for n in (1, 2, 3, 50))


@quick
@given(st.lists(between_0_and_1, min_size=2, max_size=6), between_0_and_1)
def test_no_weight_of_scores_between_a_and_minus_a_exceeds_the_greatest(drawn: list[Fraction], x: Fraction) -> None:
    """Weights before normalisation between x and 1/x, x = e^(-A)."""
    weights = [x + (1 / x - x) * share for share in drawn]
    assert max(shares(weights)) <= 1 / (x * x * (len(weights) - 1))


def test_many_heads_break_the_first_bound_with_every_constant_as_printed() -> None:
    """F = 2 bounds the activations, A = F^2/8 the scores, L_f = 1/2: C = 2(1 + e^(2A) + L_f)."""
    (found,) = examined("hahn-lemma-5-step-heads", 2)
    assert found.value.lower == found.value.upper == 1
    assert float(found.bound.upper) == pytest.approx((2 * (1 + e + 0.5)) ** 2 / 256) == pytest.approx(0.27803, abs=1e-5)


def test_without_a_bound_of_the_embeddings_the_lemma_fails_for_every_constant() -> None:
    name = "hahn-lemma-5-as-printed"
    assert all(verdicts(name, n) == {False} for n in (5, 16, 100))
