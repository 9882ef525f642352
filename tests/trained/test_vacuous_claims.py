"""Claims about trained networks that ask nothing are called vacuous: by the decision, its page, and the checker."""

import json
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.checking import check_files
from certify.claims.trained.certified import read_certified
from certify.claims.trained.claim_file import claim_of_table
from certify.claims.trained.decide import decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.show import describe_verdict
from certify.claims.trained.showing import decision_to_json
from certify.common.verdicts import exit_status
from certify.exports.pages.decision.page import decision_page
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.checking.parts import find_vacuous


def decided(given: str, answers: str = "each", max_n: int = 4) -> Decision:
    """Return a decision; network and truth do not matter, since the claim is right wherever it has cases."""
    network = plans()["first"].network()
    table: dict[str, Any] = {
        "alphabet": "01", "before": [2], "read": answers, "given": given, "max_n": max_n,
        "answer": [{"kind": "larger", "tokens": [1, 0], "truth": {"regex": "1(0|1)*"}}]}
    return decide(network, claim_of_table(table, "claim", Path(), network))


@pytest.mark.parametrize("answers", ["each", "last"])
@pytest.mark.parametrize("given", ["Q_0 & !Q_0", "next (Q_0 & Q_1)", "#<[Q_0] > 9"])
def test_a_claim_that_asks_nothing_is_vacuous_and_its_certificate_says_so(given: str, answers: str) -> None:
    decision = decided(given, answers)
    assert decision.certificate is not None
    assert decision.verdict == "vacuous" and exit_status(decision.verdict) == 0
    assert describe_verdict(decision) == "the claim is vacuous: nothing is judged on any word of length 1 .. 4"
    assert {row.verdict for row in decision.rows} == {"vacuous"} == {decision_to_json(decision)["verdict"]}
    lines = check_text(decision.certificate.encode()).lines
    assert lines[0] == "the claim that follows is VACUOUS: on no word is anything judged:"
    assert read_certified(decision.certificate, "c").verdict == "vacuous"
    assert 'class="verdict vacuous"' in decision_page(decision) and "certified" not in describe_verdict(decision)


@pytest.mark.parametrize("given", ["!MOD(2,1)", "!MOD(2,1) & !next true"])
def test_lengths_at_which_nothing_is_judged_are_named_beside_those_that_are_certified(
        given: str, tmp_path: Path) -> None:
    decision = decided(given, "last", 5)
    assert decision.certificate is not None
    assert [row.verdict for row in decision.rows] == ["vacuous", "certified"] * 2 + ["vacuous"]
    assert decision.verdict == "certified" and decision.certified_to == 5
    assert describe_verdict(decision) == (
        "right on every word of length 1 .. 5; vacuous at n = 1, 3, 5, where nothing is judged on any word")
    assert find_vacuous(decision.certificate.encode()) == [1, 3, 5]
    assert check_text(decision.certificate.encode()).lines[-1] == (
        "vacuous      at 3 lengths nothing is judged on any word: 1, 3, 5")
    file = tmp_path / "some.cert"
    file.write_text(decision.certificate, encoding="utf-8")
    report, _ = check_files([], [str(file)])
    assert report["files"][0]["vacuous"] == [1, 3, 5]


def test_a_longer_word_is_judged_wherever_its_prefixes_are() -> None:
    decision = decided("MOD(3,0)", max_n=5)
    assert [row.verdict for row in decision.rows] == ["vacuous"] * 2 + ["certified"] * 3


def test_a_claim_that_asks_something_everywhere_is_not_vacuous() -> None:
    decision = decided("true")
    assert decision.certificate is not None
    assert find_vacuous(decision.certificate.encode()) == []
    assert not any("acuous" in line or "VACUOUS" in line for line in check_text(decision.certificate.encode()).lines)
    assert "vacuous" not in json.dumps(decision_to_json(decision))
