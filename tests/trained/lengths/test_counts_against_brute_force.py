"""Claims decided by counts: every word of a few letters, planted breaks far away, and what counts do not decide."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from certify.claims.trained.lengths_decision import LengthsDecision, decide_lengths
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, input_tokens
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.balls import BallNetwork, decide_row
from proofs.trained.forward import FloatNetwork
from proofs.trained.lengths.margins import CountMargins
from tests.trained.lengths.counting import (
    CONTAINS,
    LAST,
    MAJORITY,
    PARITY,
    TruthOf,
    first_wrong_length,
    majority_by_hand,
    random_counter,
    sign_claim,
)
from tests.trained.random_networks import random_network

TRUTHS: list[TruthOf] = [
    LAST, CONTAINS, PARITY, MAJORITY, "true", "false", "Q_1 | #<[Q_0] >= 2", "#<[Q_1] != 2",
    "3*#<[Q_1] <= 2*#<[Q_0] + 1", "(#<[Q_1] >= 1) <-> (#<[Q_0] < 3)", (((0, 1), (1, 2), (2, 0)), frozenset({0, 2}))]


def is_agreed(seed: int, longest: int) -> str:
    """Return the verdict on a random network and claim, compared with all words up to a length."""
    draw = np.random.default_rng(seed)
    truth = TRUTHS[seed % len(TRUTHS)]
    with_before, with_after = draw.random() < 0.4, draw.random() < 0.4
    with_after = with_after and truth != LAST and "Q_1 |" not in truth  # behind the word its last letter is not seen
    network = random_counter(seed, 4, "bidirectional" if with_after and seed % 2 else "causal")
    claim = sign_claim(truth, longest, before=(2,) * with_before, after=(3,) * with_after, each=not with_after)
    wrong, found = first_wrong_length(network, claim, longest), decide_lengths(network, claim, longest)
    assert found.verdict == ("certified" if wrong is None else "refuted")
    assert found.wrong is None or found.wrong.word.length == wrong
    assert found.certified_to == (longest if wrong is None else wrong - 1 or None)
    return found.verdict


def test_verdict_and_first_wrong_length_are_those_of_all_words() -> None:
    verdicts = [is_agreed(seed, 6) for seed in (*range(33), 1145)]  # the last one was open once, at a length of 1
    assert {"certified", "refuted"} == {*verdicts}


@pytest.mark.exhaustive
def test_verdict_and_first_wrong_length_are_those_of_all_words_of_many_networks() -> None:
    verdicts = [is_agreed(seed, 8) for seed in range(1000, 1400)]
    assert verdicts.count("certified") > 20


def expected_break(bias: Fraction) -> int:
    """Return the least length at which a majority of 1 by one letter is at most the bias: 1/n <= bias, n odd."""
    n = -(-bias.denominator // bias.numerator)
    return n + (n % 2 == 0)


@pytest.mark.parametrize("bias", [0.3, 0.02, pytest.param(1 / 200_000, marks=pytest.mark.exhaustive)])
def test_a_planted_break_of_majority_is_found_at_its_exact_length(bias: float) -> None:
    wrong, claim = expected_break(Fraction(bias)), sign_claim(MAJORITY, 10**6)
    found = decide_lengths(majority_by_hand(bias), claim, 10**6)
    assert (found.verdict, found.certified_to) == ("refuted", wrong - 1)
    assert found.wrong is not None
    assert found.wrong_certificate is not None
    assert sorted(found.wrong.word.runs) == [(0, wrong // 2), (1, wrong // 2 + 1)] or found.wrong.word.length == wrong
    assert decide_lengths(majority_by_hand(bias), claim, wrong - 1).verdict == "certified"


def test_the_break_is_found_where_every_length_is_asked_about() -> None:
    found = decide_lengths(majority_by_hand(0.1), sign_claim(MAJORITY, 1), None)
    assert (found.verdict, found.certified_to) == ("refuted", expected_break(Fraction(0.1)) - 1)


def test_a_claim_whose_margin_stays_is_certified_for_every_length() -> None:
    """The logit is at least -1 and at most 1, less 2."""
    found = decide_lengths(majority_by_hand(2.0), sign_claim("false", 1), None)
    assert (found.verdict, found.certified_to) == ("certified", None)
    assert found.certificate is not None
    assert any("length 1 or more" in line for line in check_text(found.certificate.encode()).lines)


def test_a_margin_is_asked_for_at_every_length() -> None:
    """Just above the greatest share less 2 the claim is false from the first word on."""
    claim = sign_claim("false", 1, margin=Fraction(1))
    less = replace(claim, margin=Fraction(999, 1000))
    assert decide_lengths(majority_by_hand(2.0), claim, None).verdict != "certified"
    assert decide_lengths(majority_by_hand(2.0), less, None).verdict == "certified"


def test_a_network_that_is_exactly_odd_is_right_on_long_words() -> None:
    claim = replace(sign_claim(MAJORITY, 1), cases=(sign_claim(MAJORITY, 1).cases[0],))
    assert decide_lengths(majority_by_hand(), claim, 2000).verdict == "certified"


ZOO_BREAKS = {"last_letter": 4588, "majority_by_counts": 417}


def decided(name: str) -> tuple[TrainedNetwork, WordsClaim, LengthsDecision]:
    network = plans()[name].network()
    claim = plans()[name].claim(network)
    return network, claim, decide_lengths(network, claim, 10**6)


@pytest.mark.parametrize("name", [
    "last_letter", pytest.param("majority_by_counts", marks=pytest.mark.exhaustive)])
def test_a_trained_network_breaks_at_exactly_its_length(name: str) -> None:
    """The word again token by token, in float64; so are 10,000 shorter ones of random shares, by their counts."""
    network, claim, found = decided(name)
    assert (found.verdict, found.certified_to) == ("refuted", ZOO_BREAKS[name] - 1)
    assert found.wrong is not None
    assert found.wrong_certificate is not None
    word = [claim.alphabet[letter] for letter, times in found.wrong.word.runs for _ in range(times)]
    tokens = input_tokens(claim, word)
    row = claim.cases[found.wrong.word.case].above[found.wrong.word.row]
    logits = FloatNetwork(network).logits(np.array([tokens]), 0, [-1])[0, 0]
    assert len(word) == ZOO_BREAKS[name]
    assert sum(float(coefficient) * logits[token] for token, coefficient in row) < -1e-6
    draw, margins = np.random.default_rng(3), CountMargins(network, claim)
    lengths = draw.integers(3, len(word), size=10_000)
    ones = np.minimum(draw.integers(1, lengths), (lengths - 1))
    vectors = [(int(n - k), int(k)) for n, k in zip(lengths, ones, strict=True) if 2 * k != n]
    for last in (None,) if claim.after else (0, 1):
        values = margins.at(last, vectors)[:, 0]  # the row of the first case; the other is its opposite
        holds = [2 * k > n + k for n, k in vectors] if last is None else [bool(last)] * len(vectors)
        assert ((values > 0) == np.array(holds)).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ZOO_BREAKS)
def test_the_word_is_wrong_token_by_token_in_ball_arithmetic_too(name: str) -> None:
    network, claim, found = decided(name)
    assert found.wrong is not None
    word = [claim.alphabet[letter] for letter, times in found.wrong.word.runs for _ in range(times)]
    tokens, row = input_tokens(claim, word), claim.cases[found.wrong.word.case].above[found.wrong.word.row]
    assert decide_row(BallNetwork(network), tokens, 0, len(tokens) - 1, row, Fraction(0)).above is False


def test_a_trained_network_that_sees_letters_alone_is_right_at_every_length() -> None:
    network = plans()["last_letter_alone"].network()
    found = decide_lengths(network, plans()["last_letter_alone"].claim(network), None)
    assert (found.verdict, found.certified_to) == ("certified", None)


def test_sums_over_counts_are_what_token_by_token_runs_give() -> None:
    for seed in range(20):
        network, draw = random_counter(seed, 4), np.random.default_rng(seed)
        claim = sign_claim("true", 9, letters="012", before=(3,))
        margins = CountMargins(network, claim)
        word = draw.integers(0, 3, size=9)
        counts = tuple(int((word == a).sum()) for a in range(3))
        logit = FloatNetwork(network).logits(np.array([[3, *word]]), 0, [9])[0, 0, 0]
        assert abs(margins.at(int(word[-1]), [counts])[0, 0] - logit) < 1e-9


@pytest.mark.parametrize(("truth", "reason"), [
    ((((0, 1), (0, 2), (2, 2)), frozenset({2})), "order of letters"), ("Q_1 since Q_0", "do not decide"),
    ("prev Q_1", "do not decide"), ("#<[prev Q_1] > 1", "do not decide|counts more"), ("#>[Q_1] > 1", "later letters")])
def test_what_counts_do_not_decide_says_why(truth: TruthOf, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        decide_lengths(random_counter(1, 2), sign_claim(truth, 100), 100)


def test_networks_in_which_order_matters_say_so() -> None:
    seen = set()
    for seed in range(30):
        network = random_network(seed, vocabulary=2)
        try:
            CountMargins(network, sign_claim(MAJORITY, 5))
        except Unsupported as why:
            seen.add(str(why).partition(": ")[2].partition(":")[0].partition(",")[0])
    assert {"the network has a table of positions", "every letter's token sees later letters"} <= seen | {
        "every letter's token sees later letters"}
    assert any("steps of attention" in one for one in seen)
