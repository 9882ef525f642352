"""An exponential that violates its bound on purpose breaks what a certificate says, visibly.

numpy in bfloat16, at a length that is certified for exponentials within 4 units in the last place. Within 4 units heads
stay within the certified bounds and outputs are right; far beyond, a head leaves its bound, and then outputs are wrong.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from constructions.errors import InputError
from constructions.language.semantics import truth_values
from constructions.network.float_formats import FORMATS
from constructions.network.meanings import Near, Truth
from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.model import presets
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.search import plain_executions
from proofs.floats.execution.worst_words import find_worst_words
from proofs.formula.refutation.plain_words import Word
from tests.floats.certified import Case, certified, verdict_of
from tests.floats.exponentials import worst_errors
from tests.floats.numpy_program import Columns, NumpyProgram

CASES = [Case(name, "bfloat16", "bfloat16", 24) for name in ("since", "prev")]
RUN = presets()["bfloat16"]
WITHIN, BEYOND, FAR_BEYOND = 3, 512, 8192
"""By how many units exponentials are too great, to which at most one unit is added by rounding."""


def too_great(arguments: Any, units: int) -> Any:
    """Return exponentials that are too great by this many units in the last place, except exp(0)."""
    exact = np.exp(arguments.astype(np.float64))
    unit = 2.0 ** (np.floor(np.log2(exact)) - RUN.softmax.precision + 1)
    return np.where(arguments == 0, 1.0, exact + units * unit).astype(ml_dtypes.bfloat16)


def runs(case: Case, units: int) -> list[tuple[Word, Columns]]:
    """Return the values of numpy on worst words, with weights normalised before and after."""
    transformer = certified(case)
    worst = find_worst_words(FloatProgram(transformer, RUN), case.last, plain_executions(RUN)[0])[:6]
    return [(one.word, NumpyProgram(transformer, ml_dtypes.bfloat16, normalised,
                                    lambda differences, _head, _i: too_great(differences, units)).run(one.word))
            for one in worst for normalised in ("before", "after")]


def outputs_are_right(case: Case, units: int) -> bool:
    """Return whether all outputs are the right truths."""
    transformer = certified(case)
    meaning = transformer.directions[transformer.output]
    assert isinstance(meaning, Truth)
    return all(columns[transformer.output].astype(float).tolist() == list(map(int, truth_values(meaning.formula, word)))
               for word, columns in runs(case, units))


def heads_are_within_their_bounds(case: Case, units: int) -> bool:
    """Return whether the error of each head is at most its certified bound under the float model."""
    transformer, figures = certified(case), verdict_of(case, RUN).heads
    return all(_error(transformer, each.direction, word, columns) <= each.bound
               for each in figures for word, columns in runs(case, units))


def _error(transformer: Transformer, direction: str, word: Word, columns: Columns) -> Fraction:
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near)
    held = [Fraction(float(x)) for x in columns[direction]]
    triples = zip(held, truth_values(meaning.formula, word), truth_values(meaning.when, word), strict=True)
    return max(abs(x - truth) for x, truth, when in triples if when)


def test_the_exponentials_are_off_by_as_much_as_they_should_be() -> None:
    arguments = -np.arange(1, 20, 1 / 64).astype(ml_dtypes.bfloat16)
    worst = {units: worst_errors(partial(too_great, units=units), FORMATS["bfloat16"], [arguments]).normal
             for units in (WITHIN, BEYOND, FAR_BEYOND)}
    assert worst[WITHIN] <= RUN.exp_ulp < BEYOND / 2 < worst[BEYOND] < worst[FAR_BEYOND]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_within_the_bound_all_is_as_certified(case: Case) -> None:
    assert outputs_are_right(case, WITHIN) and heads_are_within_their_bounds(case, WITHIN)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_beyond_it_a_head_leaves_its_certified_bound(case: Case) -> None:
    assert not heads_are_within_their_bounds(case, BEYOND)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_far_beyond_it_outputs_are_wrong(case: Case) -> None:
    assert not outputs_are_right(case, FAR_BEYOND)


def test_no_class_has_such_exponentials() -> None:
    with pytest.raises(InputError, match=r"exp_ulp is 512, expected 1/2 \(correctly rounded\) to 32"):
        RUN.with_exp_ulp(Fraction(BEYOND))
