"""Stated bounds: those of the rules, followed word by word; and above what every soft run, enclosed, is off."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from mpmath import mpf

from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.network.json_form import transformer_to_json
from constructions.network.run import run_hard
from constructions.network.transformer import FeedForward, Transformer
from constructions.statements.theorem_26_uniform_tieless import is_uniform, soften
from examples.models import flip_flop, matching_bracket
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.worst_case import Function
from proofs.numbers.instances.section_6_flip_flop import enclosed_error
from proofs.softened import errors as rules
from proofs.softened import findings, profile_bounds, score_profiles
from proofs.softened.certificate import seal_softened
from proofs.softened.errors import Errors, Softening, enclose_power, final_error, find_errors, greatest_change
from proofs.softened.findings import Survey, Taken
from proofs.softened.profile_bounds import JointBounds
from proofs.softened.search import enclose_distance, enclose_distances, find_departure
from proofs.softened.survey import survey_words
from proofs.words.replay import run_soft
from tests.softened.hardened import hardened
from tests.softened.random_models import Drawn, random_transformer, tied_transformers, tieless_transformers
from tests.softened.rules_by_brute_force import Rules, decimal, heads_add, units_add
from tests.tiers import few_and_all

QUARTER = Fraction(1, 4)
TEMPERATURES = [Fraction(1, 2), Fraction(1, 10), Fraction(1, 60), Fraction(1, 300)]
CLOSE, TINY = mpf(10) ** -9, mpf(10) ** -25
Models = Callable[..., Iterator[Transformer]]


def flip_flop_model() -> Transformer:
    return hardened(flip_flop.build().build())


def cut(transformer: Transformer, stage: int) -> Transformer:
    """Return the transformer up to a stage (from 0)."""
    layers = transformer.layers[: stage // 2 + 1]
    last = layers[-1] if stage % 2 else replace(layers[-1], feedforward=FeedForward())
    return replace(transformer, layers=(*layers[:-1], last))


def off_at_least(transformer: Transformer, stage: int, n: int, temperature: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Yield lower bounds of the error of each direction after a stage, for every word and position."""
    kept = cut(transformer, stage)
    softened = soften(kept, parse_expression(str(temperature)))
    for word in itertools.product(transformer.alphabet, repeat=n):
        for hard, soft in zip(run_hard(kept, word), run_soft(softened, word, 96), strict=True):
            for name, value in soft.items():
                yield name, enclose_distance(hard.get(name, Fraction(0)), value).lower


def check_bounds_every_word(transformer: Transformer, n: int, temperature: Fraction) -> list[Errors]:
    stages = find_errors(transformer, survey_words(transformer, n), n, temperature)
    assert len(stages) == 2 * len(transformer.layers)
    for stage, errors in enumerate(stages):
        for name, off in off_at_least(transformer, stage, n, temperature):
            assert off <= errors.get(name, 0), (stage, name)
    return stages


@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_every_stage_of_every_word_is_within_its_bounds(temperature: Fraction) -> None:
    assert sum(final_error(check_bounds_every_word(transformer, 3, temperature)) > 0
               for transformer in tieless_transformers(5, 3)) == 5


@pytest.mark.one_in(4)
@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_so_it_is_where_positions_tie(temperature: Fraction) -> None:
    assert sum(final_error(check_bounds_every_word(transformer, 3, temperature)) > 0
               for transformer in tied_transformers(5, 3)) >= 3


@pytest.mark.one_in(4)
@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_so_it_is_by_profiles_and_incomplete_numbers(temperature: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_profiles, "MAX_PROFILES", 1)
    monkeypatch.setattr(findings, "MAX_NUMBERS", 1)
    for transformer in (*tieless_transformers(3, 3), *tied_transformers(3, 3)):
        check_bounds_every_word(transformer, 3, temperature)


def check_rules(rules: Rules, survey: Survey, temperature: Fraction, exactly: bool) -> None:
    """Stage by stage from the bounds stated before it: never less than the rules give, hardly more if ``exactly``."""
    before: Errors = {}
    for stage, errors in enumerate(find_errors(rules.transformer, survey, rules.n, temperature)):
        if max(errors.values(), default=0) >= 1:
            return  # far too large to be of use: bounded otherwise
        for name in rules.transformer.directions:
            number = stage // 2 + 1
            added = (decimal(units_add(rules, number, before, name)) if stage % 2
                     else heads_add(rules, number, before, temperature, name))
            expected = decimal(before.get(name, Fraction(0))) + added
            stated = decimal(errors.get(name, Fraction(0)))
            assert expected <= stated + mpf(10) ** -50
            assert not exactly or stated <= expected * (1 + CLOSE) + TINY
        before = errors


def temperatures_of_interest(transformer: Transformer, survey: Survey) -> list[Fraction]:
    """Those where the last errors are neither too large nor so small that they do not matter to later heads."""
    every = [Fraction(1, 3**k) for k in range(9)]
    return [temperature for temperature in every
            if Fraction(1, 10**8) < final_error(find_errors(transformer, survey, survey.n, temperature)) < 20]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("models", [tieless_transformers, tied_transformers])
def test_bounds_are_those_of_the_rules(models: Models, layers: int) -> None:
    checked = 0
    for transformer in models(8, 3, layers):
        rules, survey = Rules(transformer, 3), survey_words(transformer, 3)
        for temperature in temperatures_of_interest(transformer, survey):
            check_rules(rules, survey, temperature, exactly=True)
            checked += 1
    assert checked >= 6


@pytest.mark.parametrize("count", few_and_all(2, 8))
@pytest.mark.parametrize("levels", [1, 1000], ids=["coarse", "by levels"])
def test_profiles_give_no_less_than_the_rules(levels: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = [*tieless_transformers(count, 3, 2), *tied_transformers(count, 3, 2)]
    surveys = [survey_words(transformer, 3) for transformer in transformers]
    monkeypatch.setattr(score_profiles, "MAX_PROFILES", 1)
    monkeypatch.setattr(findings, "MAX_NUMBERS", 1)
    monkeypatch.setattr(profile_bounds, "MAX_LEVELS", levels)
    for transformer, exact in zip(transformers, surveys, strict=True):
        rules, survey = Rules(transformer, 3), survey_words(transformer, 3)
        for temperature in temperatures_of_interest(transformer, survey):
            check_rules(rules, survey, temperature, exactly=False)
            weaker = find_errors(transformer, survey, 3, temperature)
            stronger = find_errors(transformer, exact, 3, temperature)
            assert all(stage[name] <= other.get(name, 0) * (1 + Fraction(1, 10**9))
                       for stage, other in zip(stronger, weaker, strict=True) for name in stage)


def greatest_temperature(transformer: Transformer, n: int) -> Fraction:
    """1/(c n) for the least c that the bounds certify, up to 10^-8."""
    survey = survey_words(transformer, n)
    low, high = Fraction(1), Fraction(2)
    while high - low > Fraction(1, 10**8):
        c = (low + high) / 2
        certified = final_error(find_errors(transformer, survey, n, 1 / (c * n))) <= QUARTER
        low, high = (low, c) if certified else (c, high)
    return high


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_the_flip_flop_is_certified_from_its_critical_temperature_on(n: int) -> None:
    """By situations (n <= 6) and by profiles: the closed form of Section 6 crosses 1/4 within 10^-6."""
    c = greatest_temperature(flip_flop_model(), n)
    near = Fraction(1, 10**6)
    assert enclosed_error(n, c - near).lower > QUARTER and enclosed_error(n, c).upper <= QUARTER


def test_both_kinds_of_bounds_were_used_for_the_flip_flop() -> None:
    kinds = [type(survey_words(flip_flop_model(), n).heads[1, 1]) for n in (5, 9)]
    assert kinds[1] is JointBounds is not kinds[0]


def test_a_word_departs_just_above_the_critical_temperature_and_none_just_below() -> None:
    n, words = 3, [("w0", "w0", "w0"), ("w0", "w0", "w1"), ("w1", "w1", "w0")]
    departure = find_departure(flip_flop_model(), parse_expression("1/(13327/10000*n)"), words)
    assert departure is not None and (departure.word, departure.i) == (words[1], 3)
    assert QUARTER < departure.norm.lower <= departure.norm.upper < QUARTER + Fraction(1, 10**5)
    assert find_departure(flip_flop_model(), parse_expression("1/(13328/10000*n)"), words) is None
    assert enclosed_error(n, Fraction(13327, 10000)).lower < departure.norm.lower  # the bit is not quite rounded


def test_rounding_keeps_errors_from_what_reads_the_rounded_bit() -> None:
    transformer = hardened(matching_bracket.build().build())
    stages = find_errors(transformer, survey_words(transformer, 4), 4, Fraction(1, 16))
    assert 0 < final_error(stages) < QUARTER
    heads = {name for _, _, head in transformer.heads() if not is_uniform(head) for name in head.values}
    assert heads <= set(stages[-1]) and max(stages[-1][name] for name in heads) > Fraction(1, 100)
    # Lemma 9 passes nothing on; saturation passes on what a number errs, which is next to nothing.
    assert all(error < Fraction(1, 10**8) for name, error in stages[-1].items() if name not in heads)


@pytest.mark.parametrize("seed", range(40))
def test_models_of_uniform_heads_only_have_no_errors(seed: int) -> None:
    drawn = random_transformer(seed)
    uniform = replace(drawn, layers=tuple(
        replace(layer, heads=tuple(head for head in layer.heads if is_uniform(head))) for layer in drawn.layers))
    survey = survey_words(uniform, 3)
    assert (survey.gap, survey.tie, survey.heads) == (None, None, {})
    assert find_errors(uniform, survey, 3, Fraction(1000)) == [{}] * 2 * len(uniform.layers)


def test_one_position_has_no_error() -> None:
    for transformer in tieless_transformers(5, 2):
        assert final_error(find_errors(transformer, survey_words(transformer, 1), 1, Fraction(1))) == 0


def test_a_tie_or_a_temperature_of_0_has_no_bounds() -> None:
    tied = next(x for x in (random_transformer(seed) for seed in range(100)) if survey_words(x, 3).tie)
    with pytest.raises(NotDerived, match="ties on"):
        find_errors(tied, survey_words(tied, 3), 3, Fraction(1))
    with pytest.raises(InputError, match="the temperature is 0 at n = 2, expected a positive number"):
        find_errors(flip_flop_model(), survey_words(flip_flop_model(), 2), 2, Fraction(0))


def test_bounds_that_are_far_too_large_are_at_least_1() -> None:
    """Later layers read errors that outweigh every lead e^64 times; the bounds hold all the same."""
    found = 0
    for transformer in tieless_transformers(12, 3, layers=3):
        stages = check_bounds_every_word(transformer, 2, Fraction(1, 10)) if found < 2 else []
        found += final_error(stages) >= 1
    assert found >= 2


def test_the_error_of_a_lead_has_terms_of_both_orders() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    softening = Softening(Fraction(1), (half, Fraction(0)), (third, half))
    assert softening.uncertainty((Fraction(2), Fraction(7)), (Fraction(5), Fraction(11))) == (
        half * 5 + (2 + half) * 2 * third + 7 * 2 * half)


def test_a_power_too_large_is_refused_and_a_small_one_is_enclosed() -> None:
    assert enclose_power(Fraction(-10**30)) == (0, 1) and enclose_power(Fraction(0)) == (rules.UNIT, rules.UNIT)
    low, high = enclose_power(Fraction(-1))
    assert low < decimal(Fraction(rules.UNIT)) / mpf("2.71828182845904523536028747135266249775724709369996") < high
    with pytest.raises(rules._TooLarge):
        enclose_power(Fraction(65))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(30))
def test_numbers_in_between_change_no_more_than_a_fine_grid_shows(seed: int) -> None:
    """The greatest change over an interval is attained by some number of it, and by none is it exceeded."""
    drawn = Drawn(seed, tieless=False)
    pieces = tuple((drawn.number(), drawn.number(), drawn.number()) for _ in range(3))
    function, off = Function({}, pieces), Fraction(drawn.random.randint(1, 6), 6)
    whole = greatest_change(function, Taken((Fraction(-3), Fraction(2)), complete=False), off)
    grid = Taken(tuple(Fraction(k, 36) for k in range(-108, 73)), complete=True)
    assert greatest_change(function, grid, off) == whole


def test_the_greatest_change_may_end_at_a_knee_that_no_number_reaches() -> None:
    """Slope 1 up to 0, 5 up to 1, then -10: from -1 to 1 the function grows by 6, from no other number as much."""
    one = Fraction(1)
    function = Function({}, ((one, 10 * one, one), (one, 0 * one, 4 * one), (one, -one, -15 * one)))
    assert greatest_change(function, Taken((-5 * one, 0 * one), complete=False), 2 * one) == 6


def test_a_certificate_states_the_gaps_and_bounds_in_the_order_of_directions() -> None:
    transformer = next(iter(tieless_transformers(1, 2)))
    surveys = [survey_words(transformer, n) for n in (1, 2)]
    errors = [find_errors(transformer, survey, survey.n, Fraction(1, 40)) for survey in surveys]
    gaps = [survey.gap.value if survey.gap else None for survey in surveys]
    text = seal_softened(transformer, 2, parse_expression("1/40"), gaps, errors)
    data = json.loads(text)
    assert text == json.dumps(data, indent=1) + "\n"
    assert list(data) == ["format", "version", "claim", "transformer", "gaps", "errors"]
    assert data["claim"] == {"alphabet": list(transformer.alphabet), "max_n": 2, "temperature": "1/40"}
    assert data["transformer"] == transformer_to_json(transformer)
    assert data["gaps"] == [None, str(gaps[1])] and len(data["errors"]) == 2
    assert [{name: Fraction(x) for name, x in stage.items()} for stage in data["errors"][1]] == errors[1]
    for stage in data["errors"][1]:
        assert list(stage) == [name for name in transformer.directions if name in stage]


def test_distances_add_up_over_directions() -> None:
    transformer = next(iter(tieless_transformers(1, 3)))
    word = (transformer.alphabet[0],) * 3
    softened = soften(transformer, parse_expression("1/2"))
    norms = enclose_distances(transformer, softened, word, 96)
    bound = final_error(find_errors(transformer, survey_words(transformer, 3), 3, Fraction(1, 2)))
    assert norms[0].upper == 0 or norms[0].lower > 0
    assert max(norm.lower for norm in norms) <= bound
