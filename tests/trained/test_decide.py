"""Deciding from search to proof: what is certified is accepted by the checker, what is wrong is wrong in balls."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.kinds.decide import witness_of
from certify.claims.trained import decide as deciding
from certify.claims.trained import tasks as trained_tasks
from certify.claims.trained.certified import read_certified
from certify.claims.trained.decide import Settings, decide, with_wrong_prefixes, with_wrong_words_proved
from certify.claims.trained.decision import Decision, ObligationResult, is_whole_domain, rows_by_length
from certify.claims.trained.show import describe_wrong
from certify.claims.trained.showing import decision_to_json
from certify.common.answer import certified_to
from certify.common.shards import Workers, run_tasks
from certify.exports.pages.decision.page import Filed, decision_page, find_neighbours
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim, input_tokens, judged
from constructions.trained.json_form import network_from_json, network_text
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import Rejected, check_text
from proofs.trained.balls import BallNetwork, decide_row
from proofs.trained.search import RefutingWord, is_wrong
from tests.covered import numbers
from tests.trained.random_networks import random_network


def zoo(name: str, max_n: int, offset: int = 0) -> tuple[TrainedNetwork, WordsClaim]:
    plan = plans()[name]
    network = plan.network()
    claim = plan.claim(network)
    return network, replace(claim, lengths=(claim.lengths[0], max_n), offsets=(offset, offset))


@pytest.fixture(scope="module")
def right() -> Decision:
    return decide(*zoo("tomita_2", 12))


@pytest.fixture(scope="module")
def wrong() -> Decision:
    return decide(*zoo("tomita_7", 3, offset=60))


def test_what_is_certified_is_accepted_by_the_checker_for_these_lengths(right: Decision) -> None:
    assert right.verdict == "certified" and right.certified_to == 12 and right.certificate
    accepted = check_text(right.certificate.encode())
    assert numbers(accepted)["obligations"] == 13  # place 0 is judged, too
    assert json.loads(right.certificate)["claim"]["max_n"] == 12


@pytest.fixture(scope="module")
def both() -> Decision:
    return decide(*zoo("tomita_4", 10))


def test_words_and_classes_both_cover(both: Decision) -> None:
    assert (both.covered["by words"], both.covered["by classes"]) == (9, 2)


def test_what_the_checker_does_not_accept_by_classes_is_covered_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_refusals(certificate: str, workers: Workers) -> Mapping[int, str]:
        units = json.loads(certificate)["evidence"]["units"]
        return {place: "a reason" for place, unit in enumerate(units) if unit["by"] == "classes"}

    monkeypatch.setattr(deciding, "find_refusals", find_refusals)
    decision = decide(*zoo("tomita_4", 10))
    assert decision.certified_to == 10
    assert (decision.covered["by words"], decision.covered["by classes"]) == (11, 0)


def test_what_the_checker_never_accepts_is_unknown_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "find_refusals", lambda certificate, _: {
        place: "a reason" for place, unit in enumerate(json.loads(certificate)["evidence"]["units"]) if unit["to"] > 2})
    decision = decide(*zoo("palindromes", 3))
    assert [row.verdict for row in decision.rows] == ["certified", "certified", "unknown"]
    assert decision.reason == "offset 0, 3 letters: the checker does not accept it: a reason"
    assert decision.certificate and json.loads(decision.certificate)["claim"]["max_n"] == 2


def test_the_word_of_no_letters_is_searched_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the only one of its length."""
    monkeypatch.setattr(deciding, "find_refusals", lambda certificate, _: dict.fromkeys(
        range(len(json.loads(certificate)["evidence"]["units"])), "a reason"))
    decision = decide(*zoo("tomita_2", 1))
    assert decision.reason.startswith("offset 0, 0 letters: the checker does not accept it: a reason")


def test_lengths_beyond_a_wrong_word_are_proved_before_they_are_called_certified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proved = []

    def find_refusals(certificate: str, workers: Workers) -> Mapping[int, str]:
        about = json.loads(certificate)["claim"]
        proved.append((about["min_n"], about["max_n"]))
        return {}

    monkeypatch.setattr(deciding, "find_refusals", find_refusals)
    network, claim = zoo("palindromes", 6)  # the smallest margins: 10.9, 9.4, 9.4, 8.4, 8.6, 7.2
    decision = decide(network, replace(claim, margin=Fraction(17, 2)))
    assert [row.verdict for row in decision.rows] == [*["certified"] * 3, "refuted", "certified", "refuted"]
    assert (proved, decision.certified_to) == ([(1, 3), (5, 5)], 3)


def test_tasks_name_the_network_by_its_digest_and_it_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where claims of some lengths are searched again: their tasks are about another claim, and the same network.
    """
    tasks, read = list[str](), list[str]()

    def noted(those: Sequence[str], *arguments: Any, **named: Any) -> list[str]:
        tasks.extend(those)
        return run_tasks(those, *arguments, **named)

    def read_network(data: Any, where: str) -> TrainedNetwork:
        read.append(where)
        return network_from_json(data, where)

    trained_tasks.network_in.cache_clear()
    monkeypatch.setattr(deciding, "run_tasks", noted)
    monkeypatch.setattr(trained_tasks, "network_from_json", read_network)
    network, claim = zoo("palindromes", 6)
    decide(network, replace(claim, margin=Fraction(17, 2)))
    assert len({json.loads(task)["claim"] for task in tasks}) > 1 and read == ["network"]
    assert max(map(len, tasks)) < 400 < len(network_text(network))


def test_a_refuted_claim_has_the_shortest_wrong_word_replayed_in_balls(wrong: Decision) -> None:
    found = wrong.wrong
    assert wrong.verdict == "refuted" and found and found.word == tuple("011") and wrong.certified_to == 2
    network, claim = wrong.network, wrong.claim
    token = dict(judged(claim, 3))[found.place]
    row = claim.cases[found.case].above[found.row]
    again = decide_row(BallNetwork(network), input_tokens(claim, found.word), 60, token, row, claim.margin)
    assert again.above is False


def test_a_wrong_word_is_a_certificate_of_its_own_and_the_lengths_before_it_have_theirs(wrong: Decision) -> None:
    assert wrong.wrong_certificate and wrong.certificate
    check_text(wrong.wrong_certificate.encode())
    assert numbers(check_text(wrong.certificate.encode()))["obligations"] == 3


def test_a_right_word_is_not_accepted_as_a_wrong_one(wrong: Decision) -> None:
    data = json.loads(str(wrong.wrong_certificate))
    data["evidence"]["word"] = list("000")
    with pytest.raises(Rejected):
        check_text(f"{json.dumps(data, indent=1)}\n".encode())


def test_all_lengths_that_a_wrong_word_can_be_continued_to_are_refuted(wrong: Decision) -> None:
    assert [(row.n, row.verdict) for row in wrong.rows] == [
        (1, "certified"), (2, "certified"), (3, "refuted")]  # offset 60 of 64 rows has room for three letters


def test_several_workers_give_the_same_certificate_byte_for_byte(right: Decision) -> None:
    assert decide(*zoo("tomita_2", 12), Settings(Workers(2))).certificate == right.certificate


def test_searches_are_kept_in_a_store_and_the_proof_is_made_again(right: Decision, tmp_path: Path) -> None:
    first = decide(*zoo("tomita_2", 12), Settings(store=tmp_path))
    assert list(tmp_path.iterdir())
    again = decide(*zoo("tomita_2", 12), Settings(store=tmp_path))
    assert first.certificate == again.certificate == right.certificate


def test_bidirectional_networks_are_decided_word_by_word() -> None:
    decision = decide(*zoo("palindromes", 5))
    assert decision.verdict == "certified" and decision.covered["by words"] == 5
    assert numbers(check_text(str(decision.certificate).encode()))["words"] == 2 + 4 + 8 + 16 + 32


def test_a_margin_that_is_not_reached_is_refuted() -> None:
    network, claim = zoo("tomita_2", 6)
    decision = decide(network, replace(claim, margin=claim.margin + 1000))
    assert decision.verdict == "refuted" and decision.wrong and len(decision.wrong.word) == 1


def test_the_whole_domain_is_every_length_and_offset_with_rows() -> None:
    plan = plans()["tomita_2"]
    network = plan.network()
    claim = plan.claim(network)
    assert is_whole_domain(network, claim)
    assert not is_whole_domain(network, replace(claim, offsets=(0, 0)))
    assert not is_whole_domain(network, replace(claim, lengths=(1, claim.lengths[1] - 1)))


def test_a_length_with_an_open_obligation_is_unknown_and_says_why() -> None:
    network, claim = zoo("tomita_2", 3)
    found = [ObligationResult(0, 0, "words"), ObligationResult(0, 1, "words"),
             ObligationResult(0, 2, None, reason="no luck"), ObligationResult(0, 3, "classes")]
    rows = rows_by_length(network, claim, found)
    assert [row.verdict for row in rows] == ["certified", "unknown", "unknown"]
    assert rows[1].reason == "offset 0, 2 letters: no luck" and certified_to(rows) == 1


def test_the_page_has_the_curve_the_word_its_attention_and_its_neighbours(wrong: Decision) -> None:
    page = decision_page(wrong)
    assert "wrong at n = 3" in page and "Attention of head 1.1 on 011" in page and page.count("<svg") == 2
    assert "check.pyz" not in page
    assert wrong.wrong
    neighbours = find_neighbours(wrong.network, wrong.claim, wrong.wrong.word, 60)
    assert sorted("".join(one.letters) for one in neighbours) == ["001", "010", "111"]


def test_the_page_has_the_commands_that_check_the_certificates_in_files(wrong: Decision, right: Decision) -> None:
    assert wrong.wrong_certificate and right.certificate
    page = decision_page(wrong, [Filed("wrong.cert", wrong.wrong_certificate, wrong=True)])
    assert "<code>certify run wrong.cert 011 --offset 60 --head</code>" in page
    assert "<code>python -I -S check.pyz wrong.cert</code>" in page
    page = decision_page(right, [Filed("right.cert", right.certificate)])
    assert "<code>python -I -S check.pyz right.cert</code>" in page and "certify run" not in page


def test_a_page_of_a_certificate_says_of_each_length_what_the_decision_said(right: Decision, wrong: Decision) -> None:
    assert right.certificate and wrong.wrong_certificate and wrong.wrong
    again = read_certified(right.certificate, "right.cert")
    assert [(row.n, row.verdict) for row in again.rows] == [(row.n, row.verdict) for row in right.rows]
    assert again.certified_to == right.certified_to and again.covered == right.covered
    found = read_certified(wrong.wrong_certificate, "wrong.cert").wrong
    assert found == wrong.wrong


def test_the_json_object_has_a_verdict_for_each_length_and_offset(wrong: Decision) -> None:
    data = decision_to_json(wrong)
    assert data["verdict"] == "refuted" and [row["n"] for row in data["lengths"]] == [1, 2, 3]
    assert data["by_offset"] == [{"offset": 60, "covered_to": 2, "wrong_at": 3, "longest": 3}]
    assert data["counterexample"]["word"] == list("011")


def test_a_wrong_word_of_the_store_is_proved_again() -> None:
    """Somebody wrote into the store that a right word is wrong, with digests that fit: it is not believed."""
    network, claim = zoo("tomita_2", 3)
    found = [ObligationResult(0, 2, None, wrong=RefutingWord(("1", "0"), 0, 2, 0, 0, (Fraction(-1), Fraction(-1))))]
    (one,) = with_wrong_words_proved(network, claim, found)
    assert one.wrong is None and one.way is None and one.reason == "the store's wrong word is right"


def test_a_wrong_word_that_is_one_stays(wrong: Decision) -> None:
    found = [ObligationResult(60, 3, None, wrong=wrong.wrong)]
    assert with_wrong_words_proved(wrong.network, wrong.claim, found) == found
    assert wrong.wrong
    balls, real = BallNetwork(wrong.network), wrong.wrong
    for other in (replace(real, word=("0", "1")), replace(real, offset=59), replace(real, place=4),
                  replace(real, case=1), replace(real, row=7), replace(real, word=("0", "0", "0"))):
        assert not is_wrong(balls, wrong.claim, other)


def test_a_wrong_word_is_the_shortest_only_if_all_shorter_lengths_are_certified(wrong: Decision) -> None:
    assert wrong.wrong and wrong.is_shortest and describe_wrong(wrong, wrong.wrong).startswith("on the word ")
    rows = tuple(replace(row, verdict="unknown") if row.n == 2 else row for row in wrong.rows)
    open_below = replace(wrong, rows=rows)
    assert not open_below.is_shortest
    assert describe_wrong(open_below, wrong.wrong).startswith(
        "the shortest wrong word found, as not all shorter ones are certified: on the word ")
    assert "The shortest wrong word found</h2>" in decision_page(open_below)
    assert "The shortest wrong word</h2>" in decision_page(wrong)


def claim_of_first_letters(formula: str, lengths: tuple[int, int]) -> WordsClaim:
    case = Case(When(parse_formula(formula)), (((0, Fraction(1)),),))
    return WordsClaim(("a", "b"), (3, 1), (), (), (1, 1), lengths, "each", False, Fraction(1000), None, (), (case,))


def test_letters_that_are_neither_read_nor_judged_are_no_part_of_what_is_said_to_be_wrong() -> None:
    decision = decide(random_network(0), claim_of_first_letters("FIRST", (4, 5)))
    assert decision.wrong is not None and len(decision.wrong.word) == 4
    first = decision.wrong.word[0]
    assert describe_wrong(decision, decision.wrong).startswith(
        f"on every word of 4 letters that begins with {first} at offset 1, judged at position 1, ")
    shown = decision_to_json(decision)
    assert (shown["counterexample"]["letters_read"], len(shown["counterexample"]["word"])) == (1, 4)
    assert shown["lengths"][0]["wrong"]["letters_read"] == 1
    assert decision.wrong_certificate is not None
    page = decision_page(decision, [Filed("wrong.cert", decision.wrong_certificate, wrong=True)])
    assert f"<code>certify run wrong.cert {first} --offset 1 --head</code>" in page
    assert f'<td class="name"><code>{first}...</code></td>' in page
    assert f"Attention of head 1.1 on {first}</title>" in page or f'"Attention of head 1.1 on {first}"' in page
    assert "".join(decision.wrong.word) not in page
    witness = witness_of(decision, "m.json", None)
    assert (witness.word, witness.n, witness.position) == (f"{first}...", 4, 1)
    assert witness.command == f"certify run m.json {first} --offset 1"
    for letters in itertools.product("ab", repeat=3):
        assert is_wrong(BallNetwork(decision.network), decision.claim, replace(decision.wrong, word=(first, *letters)))


def test_a_wrong_word_refutes_the_length_of_its_shortest_prefix_that_is_wrong() -> None:
    network, claim = random_network(0), claim_of_first_letters("next Q_b", (3, 6))
    wrong = RefutingWord(tuple("abbbba"), 1, 1, 0, 0, (Fraction(0), Fraction(1)))
    found = with_wrong_prefixes(network, claim,
                                [ObligationResult(1, 3, reason="none found"), ObligationResult(1, 6, wrong=wrong)])
    assert [("".join(one.wrong.word), one.count) for one in found if one.wrong] == [("abb", 3), ("abbbba", 6)]
    assert [row.verdict for row in rows_by_length(network, claim, found)] == ["refuted", "unknown", "unknown",
                                                                              "refuted"]
