"""Files about words of any length, of the corpus: `python -m tests.check.trained_corpus_of_lengths` writes them."""

import json
from pathlib import Path
from typing import Any

from certify.claims.trained.lengths_decision import decide_lengths
from tests.check.trained_networks import dump, with_evidence
from tests.trained.lengths.counting import CONTAINS, LAST, majority_by_hand, sign_claim, with_slopes

CORPUS = Path(__file__).parents[1] / "corpus"
Document = dict[str, Any]


def decided() -> tuple[Document, Document]:
    """Return the proof that the sign is right up to n = 6, and the word that refutes it at 7."""
    found = decide_lengths(majority_by_hand(-0.7), sign_claim(CONTAINS, 40), 40)
    assert found.certificate is not None
    assert found.wrong_certificate is not None
    return json.loads(found.certificate), json.loads(found.wrong_certificate)


def of_last_letters() -> Document:
    """Return the proof that the last letter is decided at every length: earlier letters weigh less."""
    found = decide_lengths(with_slopes(majority_by_hand(0.26), "1"), sign_claim(LAST, 40), None)
    assert found.certificate is not None
    return dict(json.loads(found.certificate))


def files() -> dict[Path, Document]:
    """All files and what they hold."""
    (to_six, wrong), endings = decided(), of_last_letters()
    without_slope = json.loads(json.dumps(endings).replace('"slope": "1"', '"slope": null'))
    return {CORPUS / f"{name}.cert": document for name, document in {
        "accepted/trained_lengths": to_six,
        "accepted/trained_lengths_wrong_word": wrong,
        "rejected/trained_lengths_to_the_break": {**to_six, "claim": {**to_six["claim"], "max_n": 7}},
        "rejected/trained_lengths_without_end": {**to_six, "claim": {**to_six["claim"], "max_n": None}},
        "rejected/trained_lengths_no_wrong_word": with_evidence(wrong, word=[[0, 4], [1, 1], [0, 1]]),
        "accepted/trained_suffixes": endings,
        "rejected/trained_suffixes_of_a_slower_fall":
            json.loads(json.dumps(endings).replace('"slope": "1"', '"slope": "9/10"')),
        "rejected/trained_suffixes_without_a_slope": without_slope,
        "malformed/trained_suffixes_nothing_is_known": with_evidence(endings, tree=[0]),
        "malformed/trained_lengths_a_tree_left_out": with_evidence(
            to_six, trees=to_six["evidence"]["trees"][1:]),
        "malformed/trained_lengths_a_period_of_0": with_evidence(to_six, counts=[[0, 0], [2, 1]]),
    }.items()}


if __name__ == "__main__":
    for path, document in files().items():
        path.write_bytes(dump(document))
