"""The files of counts of words in tests/corpus: `python -m tests.check.trained_corpus_of_counts` makes them.

The mean of letters 1 is compared with a half after each letter; the claim says that the last letter decides. A word
with equally many letters 0 and 1 is a tie, which no lemma decides.
"""

import copy
from pathlib import Path
from typing import Any

from tests.check.trained_corpus import CORPUS, changed
from tests.check.trained_networks import certificate, dump, make_claim, mean_network

ROW, NEGATED = [[0, "1"], [1, "-1"]], [[0, "-1"], [1, "1"]]
LONGEST, MOST = 4, 4
"""The greatest length; states are the numbers of letters 1 minus those of letters 0, plus MOST."""
RIGHT = [["1", "2"], ["1", "3"], ["1", "5"], ["1", "7"]]


def counted() -> dict[str, Any]:
    """Return the certificate of a count."""
    claim = make_claim(max_n=LONGEST, cases=[{"when": {"formula": "Q_1"}, "above": [ROW]},
                                             {"when": {"formula": "Q_0"}, "above": [NEGATED]}])
    states = 2 * MOST + 1
    steps = [[max(0, state - 1), min(states - 1, state + 1)] for state in range(states)]
    part = {"max_n": LONGEST, "margin": "0", "automaton": {"start": MOST, "steps": steps},
            "cases": [{"when": {"states": [*range(MOST + 2, states)]}, "above": [ROW]},
                      {"when": {"states": [*range(MOST + 1)]}, "above": [NEGATED]}],
            "by": "cover", "evidence": {"graphs": [], "directions": [], "units": [
                {"offset": 0, "from": 1, "to": LONGEST, "by": "words"}]}}
    document = certificate("words", "parts", mean_network(), claim, {"parts": [part]})
    keys = {key: document[key] for key in document if key != "evidence"}
    return keys | {"property": "count", "counts": {"right": copy.deepcopy(RIGHT), "weights": None},
                   "evidence": document["evidence"]}


def files() -> dict[Path, dict[str, Any]]:
    """All files and what they hold."""
    found, part = counted(), ("evidence", "parts", 0)
    tie = [*range(MOST + 1, 2 * MOST + 1)]
    return {CORPUS / f"{name}.cert": document for name, document in {
        "accepted/trained_words_count": found,
        "rejected/trained_words_count_of_one_more": changed(found, "counts", "right", 2, value=["2", "5"]),
        "rejected/trained_words_count_of_at_most_one_less": changed(found, "counts", "right", 2, value=["1", "4"]),
        "rejected/trained_words_count_by_an_answer_that_is_a_tie": changed(
            found, *part, "cases", 0, "when", "states", value=tie),
        "rejected/trained_words_count_by_another_step": changed(found, *part, "automaton", "steps", MOST, value=[3, 6]),
        "rejected/trained_words_count_with_a_length_left_out": changed(
            found, *part, "evidence", "units", 0, "to", value=3),
        "rejected/trained_words_count_beyond_its_lemma": changed(
            changed(found, *part, "max_n", value=3), *part, "evidence", "units", 0, "to", value=3),
        "malformed/trained_words_count_of_other_lengths": changed(found, "counts", "right", value=RIGHT[:3]),
        "malformed/trained_words_count_with_a_longer_lemma": changed(found, *part, "max_n", value=5),
        "malformed/trained_words_count_of_exact_numbers_without_cover": changed(
            changed(found, *part, "by", value="each word"), *part, "evidence", value={}),
    }.items()}


if __name__ == "__main__":
    for path, document in files().items():
        path.write_bytes(dump(document))
