"""Claims decided by last letters, where scores fall with the distance: every word of a few letters, every length."""

from dataclasses import replace

import numpy as np
import pytest

from certify.claims.trained.answering import decide_question, goes_by_counts
from certify.claims.trained.decision import Decision
from certify.claims.trained.lengths_decision import LengthsDecision, decide_lengths
from constructions.errors import Unsupported
from examples.trained.zoo import plans
from proofs.check import Malformed, check_text
from proofs.trained.lengths.certificate import suffixes_text
from proofs.trained.lengths.suffixes import SuffixSearch
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
    with_slopes,
)

BEFORE_LAST: TruthOf = ((0, 1), (2, 3), (0, 1), (2, 3)), frozenset({2, 3})
"""The letter before the last is 1."""
LAST_THREE: TruthOf = ((1, 0), (1, 2), (1, 3), (1, 0)), frozenset({0})
"""No 0 is among the last three letters."""
TRUTHS: list[TruthOf] = [
    LAST, CONTAINS, PARITY, MAJORITY, "true", "false", "Q_1 | #<[Q_0] >= 2", BEFORE_LAST, LAST_THREE]
SLOPES = ("2", "1", "1/2", "7/10", "3")


def is_agreed(seed: int, longest: int, every: bool) -> tuple[str, int]:
    """Return the verdict on a random network and claim, compared with all words up to a length; and the cells."""
    draw = np.random.default_rng(seed)
    truth = TRUTHS[seed % len(TRUTHS)]
    with_before, with_after = draw.random() < 0.4, draw.random() < 0.4
    with_after = with_after and truth != "Q_1 | #<[Q_0] >= 2"  # behind the word its last letter is not seen
    slopes = [SLOPES[k] for k in draw.permutation(len(SLOPES))]
    network = with_slopes(random_counter(seed, 4, "bidirectional" if with_after and seed % 2 else "causal"), *slopes)
    claim = sign_claim(truth, longest, before=(2,) * with_before, after=(3,) * with_after, each=not with_after)
    wrong = first_wrong_length(network, claim, longest)
    found = decide_lengths(network, claim, None if every else longest)
    if wrong is not None:
        assert (found.verdict, found.certified_to) == ("refuted", wrong - 1 or None)
        assert found.wrong is not None
        assert found.wrong.word.length == wrong
        assert found.wrong_certificate is not None
    elif every:
        assert found.certificate is not None
        assert found.certified_to is None or found.certified_to >= longest
    else:
        assert (found.verdict, found.certified_to) == ("certified", longest)
    return found.verdict, found.cells


def test_verdict_and_first_wrong_length_are_those_of_all_words() -> None:
    verdicts = [is_agreed(seed, 6, every=seed % 3 > 0) for seed in range(48)]
    assert {"certified", "refuted"} <= {verdict for verdict, _ in verdicts}


@pytest.mark.exhaustive
def test_verdict_and_first_wrong_length_are_those_of_all_words_of_many_networks() -> None:
    verdicts = [is_agreed(seed, 9, every=seed % 3 > 0)[0] for seed in range(1000, 1600)]
    assert verdicts.count("certified") > 40


@pytest.mark.parametrize("every", [True, False])
def test_three_last_letters_decide_every_length(every: bool) -> None:
    """With slope 1 words without 0 among the last three have logits above 0.9 - bias, all others below 0.84 - bias."""
    claim = sign_claim(LAST_THREE, 10**6)
    found = decide_lengths(with_slopes(majority_by_hand(0.87), "1"), claim, None if every else 10**6)
    assert (found.verdict, found.cells) == ("certified", 6)
    wrong = decide_lengths(with_slopes(majority_by_hand(0.82), "1"), claim, None)
    assert wrong.wrong is not None
    assert wrong.wrong.word.runs == ((1, 1), (0, 1), (1, 2))
    assert wrong.certified_to == 3


@pytest.mark.parametrize(("bias", "wrong"), [(0.26, None), (0.27, 6), (0.265, 8)])
def test_the_letter_1_last_is_right_at_every_length_or_wrong_where_a_geometric_sum_says(bias: float,
                                                                                         wrong: int | None) -> None:
    """With slope 1 the word 0^(n-1) 1 has the logit (1 - s)/(1 + s) - bias, s the sum of e^-k for 0 < k < n."""
    found = decide_lengths(with_slopes(majority_by_hand(bias), "1"), sign_claim(LAST, 40), None)
    powers = np.exp(-np.arange(1, 40))
    below = [n for n in range(1, 40) for s in [powers[: n - 1].sum()] if (1 - s) / (1 + s) <= bias]
    assert (below[0] if below else None) == wrong
    assert found.verdict == ("certified" if wrong is None else "refuted")
    assert found.certified_to == (None if wrong is None else wrong - 1)
    assert wrong is None or (found.wrong is not None and found.wrong.word.length == wrong)


def test_where_work_is_up_all_words_of_fewer_letters_are_proved() -> None:
    network, claim = with_slopes(majority_by_hand(0.87), "1"), sign_claim(LAST_THREE, 40)
    search = SuffixSearch(network, claim, None, np.float64(1e-9), most=3)
    found = search.run()
    assert (found.open_from, found.wrong) == (3, None)
    check_text(suffixes_text(network, claim, 2, search.tree(2)).encode())
    with pytest.raises(Malformed, match="ends too early"):
        check_text(suffixes_text(network, claim, 3, search.tree(2)).encode())


def test_words_that_are_short_enough_go_the_way_of_other_networks() -> None:
    network, claim = with_slopes(majority_by_hand(0.26), "1"), sign_claim(LAST, 70)
    assert not goes_by_counts(network, claim)
    assert goes_by_counts(network, claim, every=True)
    assert isinstance(decide_question(network, replace(claim, lengths=(1, 6))), Decision)
    assert isinstance(decide_question(network, claim, every=True), LengthsDecision)


@pytest.mark.parametrize(("slopes", "why"), [(("1", None), "of some heads fall with the distance"),
                                             (("0",), "of some heads fall with the distance"),
                                             (("-1",), "of some heads fall with the distance")])
def test_heads_whose_scores_do_not_fall_are_named(slopes: tuple[str | None, ...], why: str) -> None:
    network = next(network for seed in range(20) for network in [random_counter(seed, 2)]
                   if len(network.attention_steps[0].heads) == len(slopes))
    with pytest.raises(Unsupported, match=why):
        decide_lengths(with_slopes(network, *slopes), sign_claim("true", 40), None)


def test_the_network_of_the_zoo_is_right_at_every_length_by_its_last_letters() -> None:
    network = plans()["last_letter_sloped"].network()
    claim = plans()["last_letter_sloped"].claim(network)
    found = decide_lengths(network, claim, None)
    assert (found.verdict, found.certified_to) == ("certified", None)
    assert found.certificate is not None and check_text(found.certificate.encode())
    assert first_wrong_length(network, claim, 5) is None
