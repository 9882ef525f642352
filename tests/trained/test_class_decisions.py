"""Decisions by classes agree with running every word; units cover what is not open; their text contains their
numbers."""

import base64
import json
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim, input_tokens, judged
from proofs.trained.certificate import WordsUnit, cover_of, decision_text, wrong_word_text
from proofs.trained.classes.refine import ClassSearch
from proofs.trained.classes.results import Decided, Limits
from proofs.trained.forward import FloatNetwork
from proofs.trained.runs import runs
from proofs.trained.search import RefutingWord
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, causal_network, words

LAST = 5
CLAIMS = (by_states((1, LAST)), by_counts((1, LAST)), replace(by_states((1, LAST)), after=(4, 2)))
SEEDS = (0, 1, 4, 1001)


def least_margins(seed: int, claim: WordsClaim) -> dict[int, np.float64]:
    """Return, for each place (or length), the least row minus the margin, over all words; inf if no case holds."""
    floats, tracker = FloatNetwork(causal_network(seed)), track(claim)
    found = {at: np.float64(np.inf) for at in range(1, LAST + 1)}
    for word in (word for n in range(1, LAST + 1) for word in words(n)):
        tokens = np.array([input_tokens(claim, [claim.alphabet[letter] for letter in word])])
        logits = floats.logits(tokens, seed % 3)[0, dict(judged(claim, len(word)))[len(word)]]
        for case in tracker.cases(reduce(tracker.step, word, tracker.start)):
            for row in claim.cases[case].above:
                value = sum(np.float64(number) * logits[token] for token, number in row)
                found[len(word)] = min(found[len(word)], np.float64(value))
    return found


def decide(seed: int, claim: WordsClaim) -> Decided:
    first = 0 if claim.empty else 1
    return ClassSearch(causal_network(seed), claim, Limits(attempts=6)).decide(seed % 3, first, LAST)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after", "each and after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_no_bound_is_above_the_least_margin_of_all_words(seed: int, claim: WordsClaim) -> None:
    least = least_margins(seed, claim)
    decided = decide(seed, claim)
    for at, bound in decided.bounds.items():
        assert bound.low <= least[at] + 1e-9
        assert least[at] - 1e-9 <= bound.value


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after", "each and after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_what_units_cover_is_right_and_the_rest_is_open(seed: int, claim: WordsClaim) -> None:
    least = least_margins(seed, claim)
    decided = decide(seed, claim)
    covered = [at for unit in decided.units for at in range(unit.first, unit.last + 1)]
    assert sorted(covered + decided.open) == list(range(1, LAST + 1))
    for at in covered:
        assert least[at] > 0
    for wrong in decided.wrong:
        assert least[wrong.place] - 1e-9 <= wrong.value <= 0


def test_lengths_may_be_decided_one_by_one_with_the_same_units() -> None:
    claim, network = by_counts((1, LAST)), causal_network(0)
    together = ClassSearch(network, claim).decide(0, 1, LAST)
    alone = [unit for at in range(LAST, 0, -1) for unit in ClassSearch(network, claim).decide(0, at, at).units]
    assert cover_of(together.units) == cover_of(alone)


def hopeless_claim() -> WordsClaim:
    """0 times a logit is above 0."""
    return replace(by_states((1, LAST)), cases=(Case(When(None, (0, 1)), (((0, Fraction(0)),),)),))


def test_a_row_that_is_just_the_margin_is_a_wrong_word_and_not_proved() -> None:
    decided = decide(0, hopeless_claim())
    assert decided.open == list(range(1, LAST + 1))
    assert {wrong.value for wrong in decided.wrong} == {0.0}


def test_places_without_rows_are_one_unit_without_numbers() -> None:
    claim, network = by_states((1, LAST)), causal_network(0)
    empty = replace(claim, cases=tuple(replace(case, above=()) for case in claim.cases))
    units = ClassSearch(network, empty).decide(0, 1, LAST).units
    data = json.loads(decision_text(network, empty, cover_of([WordsUnit(1, 1, LAST), *units])))
    cover = data["evidence"]["units"]
    assert cover[0] == {"offset": 0, "from": 1, "to": LAST, "by": "classes", "graph": 0, "directions": 0,
                        "bits": 0, "ranges": ""}
    assert list(data) == [
        "format", "version", "inputs", "execution", "property", "by", "network", "claim", "evidence"]
    assert cover[-1] == {"offset": 1, "from": 1, "to": LAST, "by": "words"}
    assert [*data.values()][:6] == ["certify-decision", 1, "words", "exact", "answers", "cover"]


@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_are_written_in_the_order_of_steps_nodes_heads_and_directions(seed: int) -> None:
    network = causal_network(seed)
    claim = by_counts((1, LAST))
    units = ClassSearch(network, claim).decide(0, 1, LAST).units
    data = json.loads(decision_text(network, claim, cover_of(units)))
    for unit, written in zip(units, data["evidence"]["units"], strict=True):
        numbers = np.frombuffer(base64.b64decode(written["ranges"]), "<i4")
        assert numbers.tolist() == [number for step in unit.ranges for number in step.ravel().tolist()]
        assert data["evidence"]["graphs"][written["graph"]] == unit.graph.to_json()
        directions = data["evidence"]["directions"][written["directions"]]
        heads = [[len(base64.b64decode(head)) for head in step] for step in directions]
        assert heads == [[4 * head.out.shape[0] ** 2 for head in step.heads] for step in network.attention_steps]


def test_a_wrong_word_is_written_with_its_symbols() -> None:
    claim = hopeless_claim()
    wrong = decide(0, claim).wrong[0]
    word = tuple(claim.alphabet[letter] for letter in wrong.word)
    confirmed = RefutingWord(word, wrong.offset, wrong.place, wrong.case, wrong.row, (Fraction(0), Fraction(0)))
    data = json.loads(wrong_word_text(causal_network(0), claim, confirmed))
    assert data["by"] == "wrong word"
    assert data["evidence"] == {"word": list(word), "offset": 0, "place": 1, "case": 0, "row": 0}


def test_words_too_short_for_the_claim_go_on() -> None:
    claim = replace(hopeless_claim(), lengths=(3, LAST))
    found = {(len(wrong.word), wrong.place) for wrong in decide(0, claim).wrong}
    assert found == {(3, 1), (3, 2), (3, 3), (4, 4), (5, 5)}


@pytest.mark.parametrize(("network", "claim"), [
    (replace(causal_network(0), attention="bidirectional"), replace(by_counts(), read="first", before=())),
    (replace(causal_network(0), steps=()), by_states()),
    (causal_network(0), replace(by_counts(), read="first")),
    (causal_network(0), replace(by_states(), cases=(Case(When(parse_formula("next Q_a")), ()),))),
], ids=("first letter", "no attention", "first", "looks ahead"))  # fmt: skip
def test_what_prefixes_do_not_decide_is_refused(network: object, claim: WordsClaim) -> None:
    with pytest.raises(Unsupported):
        ClassSearch(network, claim)  # type: ignore[arg-type]  # a network, by the parameters above


def test_runs_are_the_longest_stretches() -> None:
    assert list(runs([5, 1, 2, 9, 4, 10])) == [(1, 2), (4, 5), (9, 10)]
    assert list(runs([])) == []
