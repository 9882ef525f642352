"""Sums of float executions that are exact in every order: what the checker takes for one number is one in every run."""

import json
import random
from bisect import bisect
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.question import read_any_claim
from certify.claims.trained.track_runs_forms import FormInRuns
from constructions.trained.tracks import TracksClaim
from examples.adders.by_hand import FOLDER, reverser, write
from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.floats import exact_sums
from proofs.check.checker.chapters.trained.floats.casting import cast_network
from proofs.check.checker.chapters.trained.floats.classes import FloatArithmetic
from proofs.check.checker.chapters.trained.floats.exact_sums import (
    as_stored,
    is_whole,
    numbers_of,
    product_of,
    sum_is_exact,
    with_numbers,
)
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack
from proofs.check.checker.chapters.trained.reading.dyadics import Vector
from proofs.check.checker.chapters.trained.reading.network import AttentionStep
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    FRACTION,
    make_linear,
    make_point,
    spread,
    with_generators,
)
from proofs.check.checker.chapters.trained.zonotopes.scores import Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import presets
from proofs.trained.float_executions.execution import executions
from proofs.trained.tracks.certificate import tracks_text
from tests.check.trained_networks import parsed
from tests.trained.drawn_runs import DrawnRun

SMALL = Format(4, -3, 6)


def numbers_of_format(form: Format) -> set[Fraction]:
    """All of them that are 0 or not below 2^e."""
    found = {m * Fraction(2)**(k - form.precision + 1) for k in range(form.least, form.greatest + 1)
             for m in range(1 << form.precision - 1, 1 << form.precision)}
    return {Fraction(0), *found, *(-x for x in found)}


def test_every_sum_of_some_terms_is_a_number_of_the_format_where_sums_are_exact() -> None:
    draw, numbers, found = random.Random(1), numbers_of_format(SMALL), 0
    for _ in range(2000):
        places = draw.choice([0, 2, 5])
        terms = [draw.choice([-1, 1]) * draw.randrange(12) << draw.randrange(6) for _ in range(draw.randrange(5))]
        if sum_is_exact(terms, SMALL, places):
            found += any(terms)
            sums = {sum(some) for count in range(len(terms) + 1) for some in combinations(terms, count)}
            assert {Fraction(x, 1 << places) for x in sums} <= numbers
    assert found > 200
    assert sum_is_exact([15, -16, 1], SMALL, 0) and not sum_is_exact([17, -16], SMALL, 0) and sum_is_exact([], SMALL, 0)
    assert sum_is_exact([1], SMALL, 3) and not sum_is_exact([1], SMALL, 4)
    assert not any(sum_is_exact([sign * x for x in (15, 1, 1)], SMALL, 0) for sign in (1, -1))
    assert sum_is_exact([15 << 2], SMALL, 0) and not sum_is_exact([16 << 2], SMALL, 0)


def test_what_is_stored_is_the_nearest_number_and_no_number_that_may_be_flushed() -> None:
    numbers = sorted(numbers_of_format(SMALL))
    for x in range(-300, 300, 3):
        for places in (2, 7):
            found, exact = as_stored(x, SMALL, places), Fraction(x, 1 << places)
            assert (found is None) == (0 < abs(exact) <= Fraction(1, 8))
            if found is not None:
                place = bisect(numbers, exact)
                near = numbers[place - 1:place + 1]
                least = min(abs(number - exact) for number in near)
                tied = [number for number in near if abs(number - exact) == least]
                assert Fraction(found, 1 << FRACTION) in (tied if len(tied) == 1 else [
                    number for number in tied if number / ulp(number) % 2 == 0])
    wide = Format(60, -100, 100)
    assert as_stored(1, wide, FRACTION + 1) is None and as_stored(2, wide, FRACTION + 1) == 1
    with pytest.raises(Rejected, match="too large"):
        as_stored(1 << 7, SMALL, 0)


def ulp(number: Fraction) -> Fraction:
    """Return a unit in the last place of a number that is not 0."""
    k = next(k for k in range(-3, 7) if abs(number) < Fraction(2)**(k + 1))
    return Fraction(2)**(k - SMALL.precision + 1)


def test_products_that_are_not_exact_or_small_are_none() -> None:
    unit, binary32, bfloat16 = 1 << FRACTION, Format(24, -126, 127), Format(8, -126, 127)
    maps = make_linear([[unit, 3 * unit], [unit, 1], [1, 1]], [unit, 0, 0])
    assert product_of(maps, [1000 * unit, unit], binary32, bfloat16) == [1004 * unit, None, 1000]
    assert product_of(maps, [300 * unit, unit], binary32, bfloat16) == [304 * unit, None, 300]
    assert product_of(maps, [0, 0], binary32, bfloat16) == [unit, 0, 0]


def test_what_has_a_symbol_or_a_radius_is_no_number_and_other_coordinates_stay_what_they_are() -> None:
    numbers = make_point([7, -8], [0, 0])._replace(slots=2)
    assert numbers_of(numbers) == [7, -8]
    assert numbers_of(make_point([7, -8], [0, 1])) is None
    assert numbers_of(with_generators(numbers, [[0], [1]])) is None
    assert numbers_of(with_generators(numbers, [[0], [0]])) == [7, -8]
    known = with_numbers(with_generators(make_point([7, 9], [2, 3])._replace(slots=2), [[1], [1]]), [None, -5])
    assert spread(Budget(1), known).reaches == [3, 0] and known.rows[1] == -5 and known.sizes == [9, 5]


def test_products_of_a_format_have_its_least_and_greatest_exponent() -> None:
    unit, form, wide = 1 << FRACTION, Format(8, -14, 15), Format(24, -14, 15)
    maps = make_linear([[unit]], [0])
    assert product_of(maps, [unit >> 13], wide, form) == [unit >> 13]
    assert product_of(maps, [unit >> 14], wide, form) == [None]  # not above 2^e
    assert product_of(maps, [3 * unit >> 15], wide, form) == [None]  # its grid is below 2^e
    assert product_of(maps, [unit << 14], wide, form) == [unit << 14]
    assert product_of(maps, [unit << 15], wide, form) == [None]  # partial sums might be too great


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, TracksClaim]:
    """Return the question, read from files."""
    folder = tmp_path_factory.mktemp("adders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("examples.adders.by_hand.entries", lambda: (reverser("small", 4, 40.0),))
        write(folder)
    return asked(folder / "small")


def asked(path: Path) -> tuple[Any, TracksClaim]:
    """Return a network by hand and its claim, that answers are right."""
    network, claim = read_any_claim(f"{path}.json", f"{path}.toml")
    assert isinstance(claim, TracksClaim)
    return network, replace(claim, margin=Fraction(0))


CLASSES = ("bfloat16/binary32", "flash", "tf32")


@pytest.mark.parametrize("name", CLASSES)
def test_queries_keys_and_scores_of_drawn_runs_are_the_numbers_that_the_checker_has(
        question: tuple[Any, TracksClaim], name: str) -> None:
    network, claim = question
    run = presets()[name]
    given = parsed(json.loads(tracks_text(network, claim, [{"inputs": 1}], run)), Budget(8))
    stack = FloatStack(given.budget, cast_network(given.network, given.floats[0]), given.floats[0])
    attention, tokens = FloatArithmetic(stack).stages[0].attention, [3, 1, 4, 1, 10, 1, 4, 1]
    read = [attention.normed(stack.embed(token, place)) for place, token in enumerate(tokens)]
    forms = ([make(0, one, place) for place, one in enumerate(read)] for make in (attention.key, attention.query))
    keys, queries = ([Vectors(form, spread(Budget(1), form)) for form in those] for those in forms)
    assert not any(x for one in (*keys, *queries) for x in one.known.reaches)
    ends = np.array([[attention.scores(0, query, {(0, 0): key}, 7)[0, 0] for key in keys] for query in queries])
    decider = FormInRuns(network, claim, run, 1)
    for execution in executions(run):
        emulation = DrawnRun(decider.cast, run, execution, np.random.default_rng(1))
        stream, head = emulation._embedded(np.array([tokens]), 0), decider.cast.attention_steps[0].heads[0]
        seen = [emulation._entering(emulation._linear(affine, stream)) for affine in (head.query, head.key)]
        for mine, known in zip(seen, (queries, keys), strict=True):
            assert (mine[0] * 2.0**FRACTION == np.array([one.known.centres for one in known])).all()
        scores = emulation._scores(decider.cast.attention_steps[0], None, seen[0], seen[1], np.arange(8))[0]
        visible = np.isfinite(scores)
        units = np.where(visible, scores, 0) * 2.0**FRACTION
        assert ((ends[..., 0] <= units) & (units <= ends[..., 1]))[visible].all()


@pytest.mark.exhaustive
def test_a_network_that_finds_places_by_scores_of_hundreds_is_certified_where_numbers_have_8_bits(
        monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = asked(FOLDER / "reverse")
    run = presets()["bfloat16/binary32"]
    found = FormInRuns(network, claim, run, 1).result(0)
    row, unit = found.row, found.unit
    assert row.verdict == "certified" and unit is not None and "cells" in unit
    text = tracks_text(network, claim, [unit], run).encode()
    assert check_text(text)
    monkeypatch.setattr("proofs.check.checker.chapters.trained.floats.form_stack.is_whole", lambda network: False)
    with pytest.raises(Rejected):
        check_text(text)


def test_a_network_is_whole_where_each_number_is_a_multiple_of_a_unit(question: tuple[Any, TracksClaim]) -> None:
    network, claim = question
    given = parsed(json.loads(tracks_text(network, claim, [{"inputs": 1}], presets()["binary32"])), Budget(8))
    tables = [*exact_sums.tables_of(given.network)]
    assert is_whole(given.network) and len(tables) == 9
    for table in tables:
        with pytest.MonkeyPatch.context() as patch:
            less = Vector((1 << FRACTION, 1), -FRACTION - 1)
            patch.setattr(exact_sums, "tables_of", lambda _, own=table, less=less: [
                less if one is own else one for one in tables])
            assert not is_whole(given.network)
    own, fine = given.network.steps[0], Vector((1,) * 6, -FRACTION - 1)
    assert isinstance(own, AttentionStep) and is_whole(replace(given.network, positions=None))
    assert not is_whole(replace(given.network, steps=(replace(own, bias=fine),)))
