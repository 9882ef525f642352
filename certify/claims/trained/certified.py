"""The decision in a certificate about a trained network, for its page: rows by length, or the wrong word.

The checker has accepted the text. The smallest margins are searched among few words, in floating point: evidence only.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from certify.claims.trained.decide import covered_by
from certify.claims.trained.decision import (
    Decision,
    LengthRow,
    ObligationResult,
    SmallestMargin,
    is_whole_domain,
    rows_by_length,
    rows_by_offset,
)
from certify.claims.trained.files import head_in
from certify.claims.trained.proving import with_vacuous_ones
from certify.claims.trained.question import about_words, network_and_claim
from certify.claims.trained.word_counts import WordCounts
from constructions.errors import InputError
from constructions.network.json_form import read_json
from constructions.trained.claim import WordsClaim, obligations
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.margins import Least
from proofs.trained.search import RefutingWord, decide_least
from proofs.trained.words import survey_all

MOST_WORDS = 2**13
"""The total number of words that are run for a page."""


def read_certified(text: str, path: str) -> Decision:
    """Return the decision in an accepted certificate; messages name ``path``.

    Raises:
        InputError: if it is not a certificate about a trained network.
    """
    data = read_json(text, path)
    head = head_in(text)
    if head is None or not head.is_by_length():
        raise InputError(f"{path}: expected a certificate about all words of a trained network, over the real numbers")
    network, found = network_and_claim(data, path)
    claim = about_words(found, path)
    read = _refuted if head.by == "wrong word" else _covered
    return read(network, claim, data, text)


def _covered(network: TrainedNetwork, claim: WordsClaim, data: Mapping[str, Any], text: str) -> Decision:
    ways = {(unit["offset"], count): unit["by"] for unit in data["evidence"]["units"]
            for count in range(unit["from"], unit["to"] + 1)}
    seen = dict(_see_few(network, claim))
    found = [ObligationResult(offset, count, ways.get((offset, count)), seen=seen.get((offset, count)))
             for offset, count in obligations(network, claim)]
    rows = with_vacuous_ones(rows_by_length(network, claim, found), [text])
    return Decision(network, claim, rows, text, None, None, 0.0, None, tuple(rows_by_offset(network, claim, found)),
                    covered_by(claim, found), is_whole_domain(network, claim))


def _see_few(network: TrainedNetwork, claim: WordsClaim) -> Iterator[tuple[tuple[int, int], SmallestMargin]]:
    """Yield the smallest margins of obligations with few words, within the budget MOST_WORDS."""
    floats, room = FloatNetwork(network), float(MOST_WORDS)
    words = WordCounts(floats, claim)
    for offset, count in obligations(network, claim):
        if words.at(count) > room:
            continue
        room -= words.at(count)
        if least := survey_all(floats, claim, offset, [count])[count]:
            yield (offset, count), SmallestMargin.of(least)


def _refuted(network: TrainedNetwork, claim: WordsClaim, data: Mapping[str, Any], text: str) -> Decision:
    at = data["evidence"]
    word = tuple(at["word"])
    least = Least(np.float64(0), word, at["offset"], at["place"], at["case"], at["row"])
    ends = decide_least(BallNetwork(network), claim, least, word).ends
    assert ends is not None, "the checker encloses the value"
    wrong = RefutingWord(word, least.offset, least.place, least.case, least.row, ends)
    row = LengthRow(len(word), "refuted", wrong=wrong)
    return Decision(network, claim, (row,), None, wrong, text, 0.0)
