"""At the temperature of Theorem 26 the bounds that are stated are no larger than those of the theorem."""

from fractions import Fraction

import pytest

from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import constants_of, law_of_activations, law_of_gaps
from examples.hard import flip_flop, flip_flop_small_gap, mixed_masks
from proofs.softened.errors import find_errors
from proofs.softened.survey import survey_words
from tests.softened.small_models import gap_by_hand, random_transformer, x_max_by_hand

SEEDS = sorted({*range(60)} - {9, 14, 15, 21, 48})
"""Of models with a gap in words of 2 and of 3 letters."""


def check_every_layer(model: Transformer, n: int) -> None:
    constants, survey = constants_of(model), survey_words(model, n)
    gap = survey.gap.value if survey.gap else None
    assert survey.x_max and gap == gap_by_hand(model, n) and survey.x_max.value == x_max_by_hand(model, n)
    temperature = constants.temperature(law_of_gaps({n: gap}), law_of_activations({n: survey.x_max.value}))
    stages = find_errors(model, survey, n, temperature.evaluate(n=n))
    bounds = constants.errors(gap, survey.x_max.value)
    assert len(stages) == 2 * len(bounds) and bounds[-1] <= Fraction(1, 4)
    for number, bound in enumerate(bounds, start=1):
        assert sum(stages[2 * number - 1].values()) <= bound


@pytest.mark.one_in(16)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_random_models(seed: int, n: int) -> None:
    model = random_transformer(seed, 1 + seed % 3)
    assert n == 1 or gap_by_hand(model, n)
    check_every_layer(model, n)


@pytest.mark.parametrize("model", [flip_flop, flip_flop_small_gap, mixed_masks])
def test_of_the_examples(model: object) -> None:
    for n in (1, 2, 4):
        check_every_layer(model.build(), n)  # type: ignore[attr-defined]
