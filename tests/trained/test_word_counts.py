"""The number of words that have to be run."""

from dataclasses import replace

import pytest

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.word_counts import WordCounts
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.forward import FloatNetwork


@pytest.fixture(scope="module")
def tomita_2() -> tuple[TrainedNetwork, WordsClaim]:
    plan = plans()["tomita_2"]
    network = plan.network()
    return network, replace(plan.claim(network), lengths=(1, 40), offsets=(0, 0))


def test_words_that_begin_with_a_dead_prefix_are_not_counted(tomita_2: tuple[TrainedNetwork, WordsClaim]) -> None:
    network, claim = tomita_2  # prefixes of (10)*: one of each length, and one that leaves them at its last letter
    counts = WordCounts(FloatNetwork(network), claim)
    assert [counts.at(n) for n in (0, 1, 2, 7, 40)] == [1, 2, 2, 2, 2]


def test_all_words_are_counted_where_later_letters_matter(tomita_2: tuple[TrainedNetwork, WordsClaim]) -> None:
    network, claim = tomita_2
    bidirectional = replace(network, attention="bidirectional")
    counts = WordCounts(FloatNetwork(bidirectional), claim)
    assert [counts.at(n) for n in (1, 10, 40)] == [2, 2**10, 2**40]


def test_a_language_with_few_prefixes_is_decided_word_by_word_at_lengths_with_very_many_words(
    tomita_2: tuple[TrainedNetwork, WordsClaim],
) -> None:
    decision = decide(*tomita_2, Settings())
    assert decision.certified_to == 40
    assert decision.covered["by classes"] == 0
    assert decision.certificate is not None
    check_text(decision.certificate.encode())
