"""`certify.soften`: verdicts, temperatures, critical ones, and what the certificates say."""

import json
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.results import Moved
from certify.claims.softened.words import likely_words
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import is_uniform, soften
from examples.hard import flip_flop, flip_flop_small_gap, mixed_masks, tied, tied_rightmost, uniform
from proofs.check import check_text
from proofs.numbers.instances.comparing import power_of_e
from proofs.numbers.instances.section_6_flip_flop import worst_error
from proofs.words.replay import run_soft
from tests.softened.small_models import departures, gap_by_hand, random_transformer

QUARTER = Fraction(1, 4)
TIELESS = [random_transformer(seed, 1 + seed % 2) for seed in range(40)]


def heads_with(model: Transformer, **changes: object) -> Transformer:
    return replace(model, layers=tuple(
        replace(layer, heads=tuple(replace(head, **changes) for head in layer.heads))  # type: ignore[arg-type]
        for layer in model.layers))


def true_distances(model: Transformer, temperature: Fraction, words: Iterable[tuple[str, ...]]) -> list[Fraction]:
    """Lower ends of the distance in the 1-norm, of all words and positions."""
    soft = soften(model, parse_expression(str(temperature)))
    return [sum((x.lower for x in moved.values()), Fraction(0)) for word in words
            for moved in departures(run_hard(model, word), run_soft(soft, word, 192))]


def check_witness(model: Transformer, found: Moved) -> None:
    """The word is moved by more than 1/4 at that position, by another evaluation."""
    distances = true_distances(model, found.temperature, [found.word])
    assert distances[found.position - 1] > QUARTER and found.distance.lower > QUARTER


# -- certified ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module, temperature", [
    (flip_flop, "5/(7*n*(9+log2ceil(n^2)))"),
    (flip_flop_small_gap, "5/(7*n^2*(9+log2ceil(n^3)))"),
    (mixed_masks, "5/(7*n*(28+log2ceil(n^2)))"),
    (uniform, "5/(7*(5+log2ceil(n)))"),
    (tied, "5/(7*(8+log2ceil(n)))"),
])
def test_the_examples_are_certified_at_the_temperature_of_the_theorem(module: object, temperature: str) -> None:
    found = soften_model(module.build(), 5)  # type: ignore[attr-defined]
    assert (found.verdict, str(found.temperature), found.certificate is not None) == ("certified", temperature, True)
    assert all(row.error <= found.constants.errors(None, Fraction(1))[-1]  # type: ignore[union-attr]
               for row in found.lengths)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", [295, 382, 410, 439, 491, *range(1000, 1030)])
def test_whether_or_not_positions_tie_the_temperature_of_a_theorem_is_certified(seed: int) -> None:
    model = random_transformer(seed, seed % 4)
    tieless = all(gap_by_hand(model, n) != 0 for n in (1, 2, 3))
    found = soften_model(model, 3)
    by_query = "certified" if any(True for _ in model.heads()) else "vacuous"
    assert (found.verdict, found.has_ties) == (by_query, not tieless)
    assert all((row.theorem == row.with_ties) >= found.has_ties for row in found.lengths)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighting", [Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX])
def test_a_tie_of_one_side_is_refuted(weighting: Weighting, seed: int) -> None:
    model = random_transformer(seed, seed % 4)
    tieless = all(gap_by_hand(model, n) != 0 for n in (1, 2, 3)) and not any(
        is_uniform(head) for _, _, head in model.heads())
    by_query = "certified" if any(True for _ in model.heads()) else "vacuous"
    assert soften_model(heads_with(model, weighting=weighting), 3).verdict == (by_query if tieless else "refuted")


def test_a_network_without_embeddings_is_certified_and_one_without_heads_asks_nothing() -> None:
    nothing = replace(uniform.build(), layers=())
    assert soften_model(nothing, 3, critical=[3]).verdict == "vacuous"
    blank = replace(uniform.build(), token_embedding={"0": {}, "1": {}}, position_embedding={})
    assert soften_model(blank, 3).verdict == "certified"


def test_the_certificate_is_what_the_checker_accepts_and_states_what_was_found() -> None:
    found = soften_model(flip_flop.build(), 4, parse_expression("1/(n*ln(n+2))"))
    assert found.verdict == "certified" and found.certificate
    check_text(found.certificate.encode())
    data = json.loads(found.certificate)
    assert data["claim"] == {"alphabet": ["0", "1", "-"], "max_n": 4, "temperature": "1/(n*ln(n+2))"}
    assert data["gaps"] == [None, "1/2", "1/3", "1/4"]
    assert [sum(map(Fraction, stages[-1].values())) for stages in data["errors"]] == [r.error for r in found.lengths]


def test_one_position_is_not_moved() -> None:
    found = soften_model(flip_flop.build(), 1, parse_expression("1000"), critical=[1])
    assert (found.verdict, found.lengths[0].error, found.surveys[0].gap) == ("certified", 0, None)
    assert found.lengths[0].critical and found.lengths[0].critical.passes is None


def test_uniform_heads_are_certified_at_any_temperature() -> None:
    found = soften_model(uniform.build(), 4, parse_expression("10^6*n"), critical=[4])
    assert found.verdict == "certified" and all(row.error == 0 for row in found.lengths)
    assert found.lengths[-1].critical and found.lengths[-1].critical.refuted is None


def test_what_files_say_about_the_temperature_of_hard_heads_does_not_matter() -> None:
    """Hard scores are not divided by it; these are not positive, or not defined. In the certificate it is 1."""
    for text in ("-1", "1/(n-2)", "0"):
        odd = heads_with(flip_flop.build(), temperature=parse_expression(text))
        cold, hot = soften_model(odd, 3), soften_model(odd, 3, parse_expression("1/n"))
        assert (cold.verdict, hot.verdict) == ("certified", "refuted")
        assert cold.certificate == soften_model(flip_flop.build(), 3).certificate


def test_any_hard_weighting_of_a_tieless_head_is_the_same() -> None:
    for weighting in (Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX):
        found = soften_model(heads_with(flip_flop.build(), weighting=weighting), 4)
        assert found.verdict == "certified"
        assert [row.error for row in found.lengths] == [row.error for row in soften_model(flip_flop.build(), 4).lengths]


# -- refuted, unknown, unsupported -------------------------------------------------------------------------------------


def test_a_tie_is_refuted_with_the_first_word_and_its_scores() -> None:
    found = soften_model(tied_rightmost.build(), 6)
    tie = found.tie
    assert found.verdict == "refuted" and tie and found.certificate is None and len(found.surveys) == 2
    assert (tie.word, tie.position, tie.layer, tie.head, tie.name, tie.score, tie.winners) == (
        ("0", "0"), 2, 1, 1, "last bit", 1, (1, 2))


def test_leftmost_attention_without_scores_is_no_uniform_head() -> None:
    found = soften_model(heads_with(uniform.build(), weighting=Weighting.LEFTMOST_HARDMAX), 3)
    assert found.verdict == "refuted" and found.tie and (found.tie.word, found.tie.winners) == (("0", "0"), (1, 2))


def test_a_temperature_that_is_too_high_is_refuted_by_a_shortest_word() -> None:
    model = flip_flop.build()
    found = soften_model(model, 4, parse_expression("1/n"))
    assert found.verdict == "refuted" and found.moved and found.moved.word in (("0", "1"), ("1", "0"))
    assert found.moved.temperature == Fraction(1, 2)
    x = power_of_e(Fraction(-1))
    assert x.lower / (1 + x.lower) - Fraction(1, 10**20) < found.moved.distance.lower < x.upper / (1 + x.upper)
    check_witness(model, found.moved)


def test_a_temperature_is_refuted_at_the_first_length_where_it_fails() -> None:
    """At 1/(n*1375/1000): 1.374063... is critical at n = 4, 1.3829... at n = 5."""
    found = soften_model(flip_flop.build(), 6, parse_expression("1/(n*1375/1000)"))
    assert found.verdict == "refuted" and found.moved and len(found.moved.word) == 5


def test_between_the_ends_of_a_wide_bracket_the_verdict_is_unknown() -> None:
    found = soften_model(mixed_masks.build(), 2, parse_expression("1/5"))
    assert found.verdict == "unknown" and found.certificate is None
    assert found.reason.startswith("at n = 2 the bounds of the last stage exceed 1/4")
    assert max(true_distances(mixed_masks.build(), Fraction(1, 5), product("01", repeat=2))) <= QUARTER


def test_softmax_of_scores_is_unsupported() -> None:
    found = soften_model(soften(flip_flop.build(), parse_expression("1/n")), 3)
    assert (found.verdict, found.exit_code) == ("unsupported", 3)
    assert found.reason == "head last bit: softmax of scores, expected a uniform head or hard attention"


@pytest.mark.parametrize("temperature, complaint", [
    ("1/(n-2)^2", "divides by zero at i = 1, n = 2"), ("2-n", "is 0 at i = 1, n = 2, expected a positive number"),
])
def test_a_temperature_must_be_positive_at_every_length(temperature: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        soften_model(flip_flop.build(), 4, parse_expression(temperature))


def test_too_many_words_are_refused_before_any_is_run() -> None:
    with pytest.raises(InputError, match=r"max-n: 64, expected at most 16: all words over 3 symbols are run"):
        soften_model(flip_flop.build(), 64)


# -- critical temperatures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_critical_temperature_of_flip_flop_is_the_closed_form(n: int) -> None:
    """The worst error at x = e^(-1/(nτ)) is (x + ... + x^(n-1))/(1 + x + ... + x^(n-1))."""
    found = soften_model(flip_flop.build(), n, critical=[n]).lengths[-1].critical
    assert found and found.passes and found.refuted and found.checked
    hot = found.refuted.temperature
    assert found.passes < hot <= found.passes * (1 + Fraction(3, 10**6))
    assert worst_error(n, power_of_e(-1 / (n * found.passes)).upper) <= QUARTER
    assert worst_error(n, power_of_e(-1 / (n * hot)).lower) > QUARTER
    check_witness(flip_flop.build(), found.refuted)


@pytest.mark.parametrize("place", range(8))
def test_no_word_is_moved_too_far_at_the_certified_end_and_the_witness_is_at_the_other(place: int) -> None:
    """Random models: every word of length 3, by an evaluation of its own."""
    model = TIELESS[place]
    assert gap_by_hand(model, 2) != 0 and gap_by_hand(model, 3) != 0
    critical = soften_model(model, 3, critical=[3]).lengths[-1].critical
    assert critical
    if critical.passes:
        assert critical.checked
        assert max(true_distances(model, critical.passes, product("01", repeat=3))) <= QUARTER
    if critical.refuted:
        assert critical.passes and critical.passes < critical.refuted.temperature
        check_witness(model, critical.refuted)


def test_the_search_for_words_finds_the_worst_of_all() -> None:
    model = mixed_masks.build()
    (best, *_) = likely_words(model, 4, Fraction(1, 8), [])
    worst = max(true_distances(model, Fraction(1, 8), product("01", repeat=4)))
    assert max(true_distances(model, Fraction(1, 8), [best])) == worst


def test_climbing_finds_a_word_that_refutes_where_words_are_many() -> None:
    """3^13 words: too many to look at, so the search climbs; near ln 4 all earlier positions must help."""
    model = flip_flop.build()
    words = likely_words(model, 13, Fraction(1, 13) / Fraction("1.3"), [("0",) * 13])
    assert max(true_distances(model, Fraction(1, 13) / Fraction("1.3"), words)) > QUARTER


