"""Surveys of all words: gaps, ties and greatest entries by brute force; one result however the words are divided."""

import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.claims.softened.shards import do_survey
from certify.common.shards import digest_of
from certify.common.shards.answers import held
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import parse_expression
from constructions.network.json_form import transformer_to_json
from constructions.network.meanings import Anything
from constructions.network.run import embed
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import is_uniform
from examples.models import flip_flop, matching_bracket
from proofs.softened import findings, hash_consing, heads, profile_bounds, score_profiles
from proofs.softened.findings import GreatestActivation, ObservedGap, Survey
from proofs.softened.gap import find_gap
from proofs.softened.survey import survey_words
from tests.softened.gap_by_brute_force import scores
from tests.softened.hardened import hardened
from tests.softened.random_models import random_transformer, tied_transformers, tieless_transformers

CAUSAL = (Mask.FUTURE,)
SOME = range(60)


def leads(transformer: Transformer, n: int) -> list[ObservedGap]:
    """Return the winners' lead over each other position (0 over another winner), by word, position and head."""
    return [ObservedGap(ordered[0] - other, word, i, layer, place)
            for word in itertools.product(transformer.alphabet, repeat=n) for i in range(1, n + 1)
            for layer, place, head in transformer.heads() if not is_uniform(head)
            for ordered in [sorted(scores(transformer, layer, place, word, i), reverse=True)] for other in ordered[1:]]


def averages(transformer: Transformer, lead: ObservedGap) -> bool:
    return transformer.layers[lead.layer - 1].heads[lead.head - 1].weighting is Weighting.AVERAGE_HARDMAX


def check_leads(transformer: Transformer, n: int, survey: Survey) -> None:
    found = leads(transformer, n)
    ties = [lead for lead in found if lead.value == 0]
    tie = next((lead for lead in ties if not averages(transformer, lead)), None)
    assert survey.tie == tie
    assert survey.averaged == (None if tie else next(iter(ties), None))
    positive = [lead for lead in found if lead.value]
    assert survey.gap == (None if tie else min(positive, key=lambda lead: lead.value, default=None))
    assert survey.words == len(transformer.alphabet) ** n


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", SOME)
def test_gaps_and_ties_are_the_first_of_all_words(seed: int) -> None:
    transformer = random_transformer(seed, masks=CAUSAL if seed % 2 else tuple(Mask))
    for n in (1, 2, 3):
        check_leads(transformer, n, survey_words(transformer, n))


@pytest.mark.parametrize("masks", [CAUSAL, tuple(Mask)], ids=["causal", "any mask"])
def test_gaps_without_ties_are_the_first_of_all_words(masks: tuple[Mask, ...]) -> None:
    for transformer in tieless_transformers(4, 4, masks=masks):
        check_leads(transformer, 4, survey_words(transformer, 4))


@pytest.mark.parametrize("masks", [CAUSAL, tuple(Mask)], ids=["causal", "any mask"])
def test_gaps_and_ties_that_are_averaged_are_the_first_of_all_words(masks: tuple[Mask, ...]) -> None:
    for transformer in tied_transformers(8, 3, masks=masks):
        for n in (1, 2, 3):
            check_leads(transformer, n, survey_words(transformer, n))


def test_a_causal_layer_below_one_without_mask() -> None:
    found = 0
    for transformer in tieless_transformers(40, 3, layers=3, masks=(Mask.FUTURE, Mask.FUTURE, Mask.NONE, Mask.PAST)):
        masks = [{head.mask for head in layer.heads} for layer in transformer.layers]
        if masks[0] == {Mask.FUTURE} and any(later - {Mask.FUTURE} for later in masks):
            found += 1
            check_leads(transformer, 3, survey_words(transformer, 3))
    assert found >= 3


def test_the_gap_of_a_head_is_that_of_find_gap() -> None:
    transformer = hardened(matching_bracket.build().build())
    for n in (2, 3):
        gaps = [find_gap(transformer, layer, place, n).value
                for layer, place, head in transformer.heads() if not is_uniform(head)]
        gap = survey_words(transformer, n).gap
        assert gap is not None and gap.value == min(x for x in gaps if x is not None) == Fraction(1, n)


@pytest.mark.parametrize("seed", SOME)
def test_the_greatest_entry_is_the_first_of_all_words(seed: int) -> None:
    transformer = random_transformer(seed)
    best: GreatestActivation | None = None
    for word in itertools.product(transformer.alphabet, repeat=3):
        for i, vector in enumerate(embed(transformer, word), start=1):
            for name in transformer.directions:
                if name in vector and (best is None or abs(vector[name]) > best.value):
                    best = GreatestActivation(abs(vector[name]), word, i, name)
    assert survey_words(transformer, 3).x_max == best


def divisions(transformer: Transformer, n: int, seed: int) -> list[tuple[str, ...]]:
    """Prefixes such that every word of length n begins with exactly one."""
    choose = random.Random(seed)
    done: list[tuple[str, ...]] = []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        prefix = waiting.pop()
        if len(prefix) == n or (prefix and choose.random() < Fraction(2, 5)):
            done.append(prefix)
        else:
            waiting += [(*prefix, symbol) for symbol in transformer.alphabet]
    choose.shuffle(done)
    return done


def check_division(transformer: Transformer, n: int, seed: int) -> Survey:
    whole = survey_words(transformer, n)
    parts = [Survey.from_json(survey_words(transformer, n, prefix).to_json())
             for prefix in divisions(transformer, n, seed)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert merged == whole and merged.to_json() == whole.to_json()
    assert Survey.from_json(whole.to_json()) == whole
    return whole


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", SOME)
def test_a_survey_does_not_depend_on_how_words_are_divided(seed: int) -> None:
    check_division(random_transformer(seed), 3, seed)


@pytest.mark.parametrize("masks", [CAUSAL, tuple(Mask)], ids=["causal", "any mask"])
def test_nor_does_one_without_ties(masks: tuple[Mask, ...]) -> None:
    for seed, transformer in enumerate(tieless_transformers(8, 4, masks=masks)):
        whole = check_division(transformer, 4, seed)
        assert whole.heads


@pytest.mark.parametrize("masks", [CAUSAL, tuple(Mask)], ids=["causal", "any mask"])
def test_nor_does_one_with_ties_that_are_averaged(masks: tuple[Mask, ...]) -> None:
    for seed, transformer in enumerate(tied_transformers(3, 4, masks=masks)):
        assert check_division(transformer, 4, seed).averaged


@pytest.mark.parametrize("most", [1, pytest.param(3, marks=pytest.mark.exhaustive), 10,
                                  pytest.param(30, marks=pytest.mark.exhaustive)])
def test_nor_where_situations_or_numbers_are_too_many(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_profiles, "MAX_PROFILES", most)
    monkeypatch.setattr(findings, "MAX_NUMBERS", most)
    monkeypatch.setattr(heads, "WINDOW", most + 1)
    monkeypatch.setattr(profile_bounds, "MAX_LEVELS", 2 * most)
    kinds = set()
    for seed, transformer in enumerate([*tieless_transformers(3, 4), *tied_transformers(3, 4)]):
        kinds |= {type(found).__name__ for found in check_division(transformer, 4, seed).heads.values()}
    assert "JointBounds" in kinds


def test_a_survey_does_not_depend_on_what_tables_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = list(tieless_transformers(6, 4))
    expected = [survey_words(transformer, 4).to_json() for transformer in transformers]
    monkeypatch.setattr(hash_consing, "MAX_ENTRIES", 2)
    assert [survey_words(transformer, 4).to_json() for transformer in transformers] == expected


def test_a_task_gives_the_survey() -> None:
    transformer = hardened(flip_flop.build().build())
    text = json.dumps(transformer_to_json(transformer))
    with held([text]):
        found = do_survey(json.dumps({"about": digest_of(text), "n": 4, "prefix": ["w1"]}))
    assert found == survey_words(transformer, 4, ("w1",)).to_json()


def one_head(weighting: Weighting, queries: bool = True) -> Transformer:
    row = {"token": Fraction(1)}
    return Transformer(
        ("a", "b"), {"token": Anything(), "p": Anything()}, {"a": {}, "b": {"token": Fraction(1)}}, {},
        (Layer((Head("h", "", Mask.NONE, weighting, parse_expression("1"), (row,) if queries else ({},), (row,),
                     {"p": row}),)),), "token")


def test_one_position_has_no_gap_and_no_tie() -> None:
    survey = survey_words(one_head(Weighting.LEFTMOST_HARDMAX), 1)
    assert (survey.gap, survey.tie, survey.words) == (None, None, 2)


def test_a_model_without_scores_has_no_gap_unless_one_side_is_preferred() -> None:
    assert survey_words(one_head(Weighting.AVERAGE_HARDMAX, queries=False), 3).tie is None
    survey = survey_words(one_head(Weighting.RIGHTMOST_HARDMAX, queries=False), 3)
    assert survey.tie == ObservedGap(Fraction(0), ("a", "a", "a"), 1, 1, 1) and survey.heads == {}


def test_soft_heads_with_scores_and_bad_prefixes_are_refused() -> None:
    with pytest.raises(Unsupported, match="layer 1, head 1: soft attention"):
        survey_words(one_head(Weighting.SOFTMAX), 2)
    assert survey_words(one_head(Weighting.SOFTMAX, queries=False), 2).tie is None
    with pytest.raises(InputError, match="prefix: 'c', expected a symbol of the alphabet a b"):
        survey_words(one_head(Weighting.LEFTMOST_HARDMAX), 2, "c")
    with pytest.raises(InputError, match="words of length 2 that begin with 3"):
        survey_words(one_head(Weighting.LEFTMOST_HARDMAX), 2, "aaa")


def test_numbers_that_are_too_long_are_refused() -> None:
    base = one_head(Weighting.LEFTMOST_HARDMAX)
    long = {"token": Fraction(10**5000)}
    survey = survey_words(replace(base, token_embedding={"a": {}, "b": long}), 1)
    with pytest.raises(Unsupported, match="numbers of more than 3913 digits"):
        survey.to_json()
