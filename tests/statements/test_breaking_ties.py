"""Breaking ties: the same transformer on every word, and gaps as the docstring says; on random models, exactly."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice, product

import pytest

from constructions.language.expressions import parse_expression
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.statements.breaking_ties import break_ties
from constructions.statements.theorem_26_uniform_tieless import Law, law_of_gaps
from examples.hard import tied_rightmost
from proofs.softened.survey import survey_words
from proofs.softened.ties import Sides, survey_sides
from tests.softened.random_models import Drawn

SIDES = (Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX)
LENGTHS = (1, 2, 3)
MODELS = 15


@cache
def random_models() -> list[tuple[Transformer, dict[int, Sides]]]:
    """Models with heads of one side that tie, and what their words show."""
    return list(islice(drawn_models(), MODELS))


def drawn_models() -> Iterator[tuple[Transformer, dict[int, Sides]]]:
    seed = 0
    while True:
        seed += 1
        model = Drawn(seed, False, weightings=(*SIDES, Weighting.AVERAGE_HARDMAX)).transformer(2)
        sides = {n: survey_sides(model, n) for n in LENGTHS}
        if any(found.tied for found in sides.values()):
            yield model, sides


def laws(sides: dict[int, Sides]) -> dict[tuple[int, int], Law]:
    """Return the laws of the heads that tie."""
    tied = sorted({where for found in sides.values() for where in found.tied})
    return {where: law_of_gaps({n: found.gaps.get(where) for n, found in sides.items()}) for where in tied}


@pytest.mark.parametrize("number", range(MODELS))
def test_every_word_is_computed_as_before_and_nothing_ties(number: int) -> None:
    model, sides = random_models()[number]
    other = break_ties(model, laws(sides))
    for n in LENGTHS:
        found = survey_words(other, n)
        assert found.tie is None
        for word in product(model.alphabet, repeat=n):
            for before, after in zip(run_hard(model, word), run_hard(other, word), strict=True):
                assert all(after.get(name, 0) == before.get(name, 0) for name in model.directions)


@pytest.mark.parametrize("number", range(MODELS))
def test_gaps_are_at_least_a_2nth_of_what_they_were(number: int) -> None:
    model, sides = random_models()[number]
    other = break_ties(model, laws(sides))
    for n in LENGTHS:
        after = survey_sides(other, n)
        assert not after.tied
        for where, gap in after.gaps.items():
            of_others = sides[n].gaps.get(where)
            assert gap >= laws(sides)[where].at(n) / (2 * n) if where in laws(sides) else gap == of_others


def test_the_term_of_a_head_that_ties_is_its_gap_over_2n() -> None:
    model = tied_rightmost.build()
    other = break_ties(model, laws({n: survey_sides(model, n) for n in LENGTHS}))
    assert other.position_embedding["later at 1.1"] == parse_expression("1*i/(2*n^1)")
    (head,) = other.layers[0].heads
    assert (head.queries[-1], head.keys[-1]) == ({"one'": 1}, {"later at 1.1": 1})
    assert [gap.value for n in (2, 3, 4) if (gap := survey_words(other, n).gap)] == [
        Fraction(1, 2 * n) for n in (2, 3, 4)]
    assert transformer_from_json(transformer_to_json(other)) == other


def test_where_no_head_is_listed_nothing_changes() -> None:
    assert break_ties(tied_rightmost.build(), {}) == tied_rightmost.build()
