"""Random transformers with ties: certified at the temperature of the theorem with ties; no word is moved farther."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product

import pytest

from certify.claims.softened.pipeline import soften_model
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.statements.average_hard_attention import temperature_with_ties
from proofs.enclosures.exponential import working_precision
from tests.softened.balls import PRECISION, ball, distance, run_softmax
from tests.softened.random_models import tied_transformers

QUARTER = Fraction(1, 4)
SLACK = ball(Fraction(1, 10**60))
"""What balls are wide at most where nothing moves."""
N = 3
ALWAYS, ALL = 20, 500


def models() -> Iterator[Transformer]:
    """One, two and three layers in turn, with masks of all kinds."""
    streams = [tied_transformers(ALL, N, layers, first_seed=1000 * layers) for layers in (1, 2, 3)]
    while True:
        for stream in streams:
            yield next(stream)


def check(model: Transformer) -> None:
    with working_precision(PRECISION):
        check_every_word(model)


def check_every_word(model: Transformer) -> None:
    found = soften_model(model, N)
    assert found.verdict == "certified" and found.constants and found.gap_law and found.x_law
    assert found.temperature == temperature_with_ties(found.constants, found.gap_law, found.x_law)
    for row in found.lengths:
        for word in product(model.alphabet, repeat=row.n):
            soft = run_softmax(model, word, row.temperature)
            moved = [distance(*pair) for pair in zip(run_hard(model, word), soft, strict=True)]
            assert all(x - SLACK <= ball(row.error) for x in moved) and row.error <= QUARTER


@pytest.mark.one_in(8)
@pytest.mark.parametrize("model", list(islice(models(), ALWAYS)))
def test_they_are_certified_and_every_word_is_within_the_bounds(model: Transformer) -> None:
    check(model)


@pytest.mark.exhaustive
def test_so_are_five_hundred() -> None:
    for model in islice(models(), ALL):
        check(model)
