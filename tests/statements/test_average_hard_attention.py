"""The theorem with ties: its temperature is not above γ/(2 ln R), and what the rules state is within its bounds."""

from fractions import Fraction

import pytest
from flint import arb

from constructions.statements.average_hard_attention import temperature_with_ties
from constructions.statements.theorem_26_uniform_tieless import (
    Constants,
    Law,
    at_most_one,
    constants_of,
    law_of_activations,
)
from constructions.statements.theorem_26_uniform_tieless import law_of_gaps as law
from proofs.enclosures.exponential import working_precision
from proofs.softened.errors import find_errors
from proofs.softened.survey import survey_words
from tests.softened.balls import PRECISION, ball
from tests.softened.random_models import tied_transformers

ONE, FLOOR = Fraction(1), Fraction(1, 10**25)
"""Bounds are stated in steps, which are small beside anything that matters."""


def greatest(constants: Constants, n: int, gap: Fraction, x: Fraction) -> arb:
    """γ/(2 ln R)."""
    powers, e = constants.layers - 1, arb(1).exp()
    base = ball(8 * powers * constants.k1 * constants.k2 * x**2 / gap) / e
    r = 8 * e * ball(constants.k1 * n * x) * (base**powers if powers else arb(1))
    return ball(gap) / (2 * r.log())


@pytest.mark.parametrize("layers", [1, 2, 3, 7])
@pytest.mark.parametrize("k1, k2", [(1, 1), (2, Fraction(7, 3)), (10**9, 10**12)])
def test_the_temperature_is_not_above_that_of_the_theorem_and_not_far_below(layers: int, k1: int, k2: int) -> None:
    constants = Constants(1, ONE, layers, Fraction(k1), Fraction(k2))
    for gap, x in [(Law(ONE, 0), Law(ONE, 0)), (Law(Fraction(2, 3), -1), Law(Fraction(3), 2))]:
        temperature = temperature_with_ties(constants, gap, x)
        for n in (1, 2, 3, 10, 1000):
            with working_precision(PRECISION):
                most = greatest(constants, n, gap.at(n), x.at(n))
                assert ball(temperature.evaluate(n=n)) <= most <= ball(2 * temperature.evaluate(n=n))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_bounds_behind_each_layer_are_within_those_of_the_proof(layers: int) -> None:
    """2κ Λ^(ℓ-1), at the temperature for the length at hand."""
    n = 3
    for model in tied_transformers(5, n, layers, first_seed=500):
        constants, survey = constants_of(model), survey_words(model, n)
        assert survey.gap and survey.x_max
        gap, x = at_most_one(survey.gap.value), max(ONE, survey.x_max.value)
        tau = temperature_with_ties(constants, law({n: gap}), law_of_activations({n: x})).evaluate(n=n)
        stages = find_errors(model, survey, n, tau)
        with working_precision(PRECISION):
            kappa = ball(constants.k1 * n * x) * ball(1 - gap / tau).exp()
            growth = ball(constants.k1 * (1 + 3 * constants.k2 * x**2 / tau))
            for number in range(layers):
                stated = ball(max(sum(stages[2 * number + 1].values(), Fraction(0)) - FLOOR, Fraction(0)))
                assert stated <= 2 * kappa * growth**number
