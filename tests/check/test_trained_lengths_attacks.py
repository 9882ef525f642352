"""Certificates about lengths and long wrong words, changed at every place: what is accepted is true of all words."""

import copy
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.lengths_decision import LengthsDecision, decide_lengths
from constructions.network.json_form import write_canonical
from constructions.trained.claim_form import claim_from_json, claim_to_json
from constructions.trained.json_form import network_from_json, network_to_json
from proofs.check import Malformed, Refusal, Rejected, check_text
from proofs.check.checker.chapters.trained.lengths.counts import CountCell, narrowed, regions_of
from proofs.check.checker.chapters.trained.lengths.margins import AMOUNT, Margins
from proofs.check.checker.chapters.trained.lengths.proof import prove_lengths
from proofs.check.checker.chapters.trained.lengths.suffixes import Distances, SuffixProof
from proofs.check.checker.chapters.trained.lengths.truths import CaseTruths
from proofs.check.checker.chapters.trained.zonotopes.affine import FRACTION, apply, spread
from proofs.check.checker.chapters.trained.zonotopes.linear_maps import make_rows
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.exponential import enclose_exp
from proofs.trained.forward import FloatNetwork
from tests.check.trained_networks import certificate as certificate_of
from tests.check.trained_networks import parsed, with_evidence
from tests.trained.lengths.counting import (
    CONTAINS,
    MAJORITY,
    TruthOf,
    first_wrong_length,
    majority_by_hand,
    random_counter,
    sign_claim,
    with_slopes,
)

LONGEST = 9
BREAKS = {"majority": 5, "contains": 7}
LAST_TWO: TruthOf = ((1, 0), (1, 2), (1, 0)), frozenset({0})
"""Neither of the last two letters is 0."""


@cache
def decided(name: str) -> LengthsDecision:
    """Return the least n for which 1/n <= 0.3 and n is odd; the least for which 1 - 2(n - 1)/n + 0.7 <= 0."""
    if name == "majority":
        return decide_lengths(majority_by_hand(0.3), sign_claim(MAJORITY, 40), 40)
    if name == "last two":
        return decide_lengths(with_slopes(majority_by_hand(0.63), "1"), sign_claim(LAST_TWO, 40), None)
    return decide_lengths(majority_by_hand(-0.7), sign_claim(CONTAINS, 40), 40)


def certificate(name: str) -> dict[str, Any]:
    text = decided(name).certificate
    assert text is not None
    return dict(json.loads(text))


def wrong_word(name: str) -> dict[str, Any]:
    text = decided(name).wrong_certificate
    assert text is not None
    return dict(json.loads(text))


def verdict(document: Any) -> str:
    try:
        check_text(write_canonical(document).encode())
    except Refusal as refusal:
        return type(refusal).__name__
    return "accepted"


def changed(value: Any) -> Iterator[Any]:
    """Other values in the place of one, and the value with one of its parts changed."""
    if isinstance(value, dict):
        for key in value:
            yield from ({**value, key: other} for other in changed(value[key]))
            yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1:]] for other in changed(one))
            yield value[:place] + value[place + 1:]
            yield [*value[:place], one, *value[place:]]
        yield value[::-1]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1, 0, 2 * value + 1, None)
    elif isinstance(value, str):
        yield from ("1/7", "-1", "last", "each", value.replace(">", "<="), value.replace("1", "0"))
    elif value is None:
        yield from ([-1, 3], [0, 1 << 59], {"start": 0, "steps": [[0, 0]]})


def is_true(document: dict[str, Any]) -> bool:
    """Return whether the claim is true for all short words, in float64."""
    claim = dict(document["claim"])
    asked = LONGEST if claim["max_n"] is None else claim["max_n"]
    claim["max_n"] = max(asked, claim["min_n"])
    found = claim_from_json(claim)
    longest = min(asked, LONGEST)
    wrong = first_wrong_length(network_from_json(document["network"], "network"), found, longest)
    return wrong is None or wrong < found.lengths[0]


def verdicts_of_changes(name: str, every: int) -> list[str]:
    """Return the verdicts on some of all changed certificates; what is accepted is true."""
    given, verdicts = certificate(name), []
    assert verdict(given) == "accepted"
    for key in ("claim", "evidence"):
        for other in itertools.islice(changed(given[key]), 0, None, every):
            if other == given[key]:
                continue
            document = {**given, key: other}
            verdicts.append(verdict(document))
            assert verdicts[-1] != "accepted" or is_true(document), (key, other)
    return verdicts


@pytest.mark.parametrize("name", [*BREAKS, "last two"])
def test_what_is_accepted_of_a_changed_certificate_is_true(name: str) -> None:
    verdicts = verdicts_of_changes(name, 5)
    assert verdicts.count("Rejected") > 5
    assert verdicts.count("Malformed") > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BREAKS)
def test_what_is_accepted_of_any_changed_certificate_is_true(name: str) -> None:
    verdicts = verdicts_of_changes(name, 1)
    assert verdicts.count("Rejected") > 30
    assert verdicts.count("Malformed") > 30


@pytest.mark.parametrize("name", BREAKS)
def test_no_certificate_reaches_the_length_of_the_break(name: str) -> None:
    given = certificate(name)
    assert given["claim"]["max_n"] == BREAKS[name] - 1
    for longest in (BREAKS[name], 100, None):
        assert verdict({**given, "claim": {**given["claim"], "max_n": longest}}) == "Rejected"


@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_word_is_refuted_by_itself_alone(name: str) -> None:
    """A changed word or claim is accepted if and only if the word is wrong, token by token."""
    given = wrong_word(name)
    assert verdict(given) == "accepted"
    accepted = 0
    for key in ("claim", "evidence"):
        for other in changed(given[key]):
            document = {**given, key: other}
            if verdict(document) == "accepted":
                accepted += 1
                is_read = all(row for case in document["claim"]["cases"] for row in case["above"])  # else it is 0
                assert not is_read or is_wrong(document), (key, other)
    assert accepted > 0


def is_wrong(document: dict[str, Any]) -> bool:
    claim = claim_from_json({**document["claim"], "max_n": document["claim"]["max_n"] or 10**6})
    word = [letter for letter, times in document["evidence"]["word"] for _ in range(times)]
    tokens = [*claim.before, *(claim.tokens[letter] for letter in word), *(claim.after if claim.read == "last" else ())]
    logits = FloatNetwork(network_from_json(document["network"], "network")).logits(np.array([tokens]), 0, [-1])[0, 0]
    row = claim.cases[document["evidence"]["case"]].above[document["evidence"]["row"]]
    return bool(sum(float(c) * logits[token] for token, c in row) <= float(claim.margin)
                and claim.lengths[0] <= len(word) <= claim.lengths[1])


@pytest.mark.parametrize(("key", "value", "message"), [
    ("positions", "tokens", "rows"), ("attention", "bidirectional", "read to where logits"),
    ("steps", [], "one step of attention")])
def test_a_network_of_which_counts_do_not_tell_all_is_rejected(key: str, value: Any, message: str) -> None:
    given = certificate("majority")
    network = dict(given["network"])
    network[key] = network["tokens"] if value == "tokens" else value
    if key == "steps":
        used = json.dumps([network["tokens"], network["unembedding"]])
        network["tensors"] = {name: one for name, one in network["tensors"].items() if f'"{name}"' in used}
    with pytest.raises((Rejected, Malformed), match=message):
        check_text(write_canonical({**given, "network": network}).encode())


def test_slopes_and_the_empty_prefix_are_rejected() -> None:
    given = certificate("majority")
    sloped = copy.deepcopy(given)
    next(step for step in sloped["network"]["steps"] if "heads" in step)["heads"][0]["slope"] = "1/2"
    with pytest.raises(Rejected, match="distances"):
        check_text(write_canonical(sloped).encode())
    claim = {**given["claim"], "empty": True, "before": [0]}
    with pytest.raises(Rejected, match="empty prefix"):
        check_text(write_canonical({**given, "claim": claim}).encode())


def test_the_form_of_a_cell_contains_the_row_of_every_word_of_it() -> None:
    """Random cells of random networks: rows of words in the cell, token by token, lie within what is proved of it."""
    met = 0
    for seed in range(15):
        network, draw = random_counter(seed, 4), np.random.default_rng(seed)
        claim = sign_claim("true", 12, letters="012", before=(3,) * (seed % 2))
        document = certificate_of("words of any length", "counts", network_to_json(network), claim_to_json(claim),
                                  {"counts": [[0, 1]] * 3, "trees": [[None]] * 3})
        given, budget = parsed(document, Budget()), Budget(100)
        kinds, truths = given.evidence.kinds, CaseTruths(given.claim)
        margins, region = Margins(given.network, given.claim, budget), regions_of(budget, given.claim, kinds)
        row = make_rows(budget, given.network.unembedding, [given.claim.cases[0].above[0]])
        floats = FloatNetwork(network)
        for _ in range(12):
            word = draw.integers(0, 3, size=draw.integers(1, 12))
            cell = around(word.tolist(), float(draw.choice([0.0, 0.02, 0.3])), draw)
            found = narrowed(budget, kinds, region[word[-1]], cell, truths.sums)
            assert found is not None
            stream = margins.stream(margins.visible_amounts(found.cell, int(word[-1])))
            (centre,), (reach,) = spread(budget, apply(budget, row, stream))
            logit = floats.logits(np.array([[*claim.before, *word]]), 0, [-1])[0, 0, 0]
            assert abs(logit - centre / 2**FRACTION) <= reach / 2**FRACTION + 1e-9
            met += reach < 2**FRACTION
    assert met > 60


def around(word: list[int], reach: float, draw: np.random.Generator) -> CountCell:
    """Return a cell with the counts of a word in it."""
    n = len(word)
    away = [Fraction(float(x)) for x in draw.random(6) * reach]
    shares = [Fraction(word.count(a), n) for a in range(3)]
    return CountCell(max(1, n - int(draw.integers(2))), n + int(draw.integers(3)) if reach else n,
                tuple(max(Fraction(0), x - d) for x, d in zip(shares, away, strict=False)),
                tuple(min(Fraction(1), x + d) for x, d in zip(shares, away[3:], strict=False)))


def test_a_claim_that_asks_nothing_is_called_vacuous() -> None:
    given = certificate("majority")
    cases = [{**case, "above": []} for case in given["claim"]["cases"]]
    lines = check_text(write_canonical({**given, "claim": {**given["claim"], "cases": cases}}).encode()).lines
    assert lines[0] == "the claim that follows is VACUOUS: on no word is anything judged:"


def test_a_tree_for_each_region_is_asked_for() -> None:
    given = parsed(certificate("contains"), Budget())
    with pytest.raises(Malformed, match="trees"):
        prove_lengths(replace(given, evidence=replace(given.evidence, trees=given.evidence.trees[:-1])))


@pytest.mark.parametrize(("slope", "outcome"), [
    ("1", "accepted"), ("4/5", "Rejected"), ("11/10", "accepted"), ("3/2", "Rejected"), ("1/2", "Rejected"),
    ("-1", "Rejected"), ("0", "Rejected"), (None, "Rejected"), ("1/1000000000000000000000000", "Rejected"),
    ("1000000", "Rejected")])
def test_last_letters_decide_where_scores_fall_fast_enough(slope: str | None, outcome: str) -> None:
    """Only the last letter counts at a slope of 1000000."""
    document = certificate("last two")
    next(step for step in document["network"]["steps"] if "heads" in step)["heads"][0]["slope"] = slope
    assert verdict(document) == outcome
    assert outcome != "accepted" or is_true(document)


def test_weights_of_distances_are_enclosed_and_those_beyond_are_no_more_than_their_bound() -> None:
    given = parsed(certificate("last two"), Budget(100))
    margins, remainder = Margins(given.network, given.claim, Budget(100), slopes=True), Fraction(1, 1 << 38)
    for slope in (Fraction(1, 7), Fraction(3), Fraction(10**9, 10**9 + 7)):
        weights = Distances(margins, slope)
        exact = [[Fraction(end) * Fraction(2) ** e for end in ends]
                 for k in range(300) for *ends, e in [enclose_exp(-slope * k)]]
        for distance in (0, 1, 2, 17, 60):
            lower, upper = (Fraction(end, 1 << AMOUNT) for end in weights.at(distance))
            assert lower <= exact[distance][0] <= exact[distance][1] <= upper <= lower + remainder
            later = sum(low for low, _ in exact[distance:])
            assert later <= Fraction(weights.beyond(distance), 1 << AMOUNT) <= later + 100 * remainder


@pytest.mark.parametrize(("tree", "message"), [
    ([0], "the judged token is not determined"), ([], "it ends too early"), ([1, 0], "it ends too early"),
    ([1, 0, 1, 0, 0, 0], "it goes on after its last leaf")])
def test_trees_that_are_none_are_malformed(tree: list[int], message: str) -> None:
    with pytest.raises(Malformed, match=message):
        check_text(write_canonical(with_evidence(certificate("last two"), tree=tree)).encode())


def test_a_leaf_is_about_all_words_that_end_in_its_letters() -> None:
    """Only words that end in 1 may end in 01."""
    assert certificate("last two")["evidence"]["tree"] == [1, 0, 1, 0, 0]
    assert verdict(with_evidence(certificate("last two"), tree=[1, 0, 0])) == "Rejected"
    to_one = {**certificate("last two")["claim"], "max_n": 1}
    assert verdict(with_evidence(certificate("last two") | {"claim": to_one}, tree=[1, 1, 1])) == "accepted"


def test_words_of_few_letters_are_looked_at_with_what_stands_before_them() -> None:
    """The token before weighs e^-3 beside one letter: 1/(1 + e^-3) < 0.97; two letters 1 outweigh it."""
    two_ones: TruthOf = ((0, 1), (0, 2), (0, 2)), frozenset({2})
    claim = sign_claim(two_ones, 40, before=(2,))
    found = decide_lengths(with_slopes(majority_by_hand(0.97, 3), "3"), claim, None)
    assert found.verdict == "certified"
    assert found.certificate is not None
    document = json.loads(found.certificate)
    assert document["evidence"]["tree"] == [1, 0, 1, 0, 0]
    without = {**document, "claim": {**document["claim"], "before": []}}
    with pytest.raises(Rejected, match="cell 2"):
        check_text(write_canonical(without).encode())


def test_the_form_of_an_ending_contains_the_row_of_every_word_that_ends_so() -> None:
    """Heads of different slopes; of the word of just these letters the form is narrow."""
    draw = np.random.default_rng(5)
    for seed in range(8):
        network = with_slopes(random_counter(seed, 3), "2", "1/3")
        claim = sign_claim("true", 12, before=(2,), after=(2, 1) if seed % 2 else (), each=not seed % 2)
        floats, budget = FloatNetwork(network), Budget(1000)
        text = certificate_of("words of any length", "last letters", network_to_json(network), claim_to_json(claim),
                              {"tree": [1, 0, 0]})
        given = parsed(json.loads(write_canonical(text)), budget)
        proof, margins = SuffixProof(given), Margins(given.network, given.claim, budget, slopes=True)
        row = make_rows(budget, given.network.unembedding, [given.claim.cases[0].above[0]])
        for length in (1, 2, 4):
            word = tuple(draw.integers(0, 2, length).tolist())
            for longer in (word, *((*draw.integers(0, 2, more).tolist(), *word) for more in (1, 3, 40))):
                logit = floats.logits(np.array([[*claim.before, *longer, *claim.after]]), 0, [-1])[0, 0, 0]
                for is_whole in (False, True)[: 1 + (longer == word)]:
                    stream = margins.stream(proof.visible_amounts(word, is_whole))
                    (centre,), (reach,) = spread(budget, apply(budget, row, stream))
                    assert abs(logit - centre / 2**FRACTION) <= reach / 2**FRACTION + 1e-9
                    assert not is_whole or reach < 2**FRACTION >> 20
