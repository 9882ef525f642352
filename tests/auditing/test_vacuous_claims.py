"""Claims that ask nothing are vacuous, whatever kind they are of, and no claim says more than was judged."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from certify import Network
from certify.auditing.claims_file import read_claim
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.auditing.results import ClaimResult
from certify.auditing.statements import judge_statements
from certify.common.verdicts import exit_status
from constructions.errors import InputError
from constructions.trained.json_form import network_text
from examples.trained.zoo import plans
from tests.auditing.sample import CERTIFIED

ROOT = Path(__file__).parents[2]
MARKER, MAJORITY = str(ROOT / "examples/models/first_by_marker.json"), str(ROOT / "examples/programs/majority.cr")
TWO_POSITIONS = "no head has two positions to choose from"
"""Why nothing is asked of gaps."""
PREVIOUS = {"formula": "prev Q_a", "alphabet": "ab"}
HOLDS_NOWHERE = "what is given holds at no position of any word"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a network without hard heads, a trained one, and claims about both."""
    monkeypatch.chdir(tmp_path)
    copy = Network("0,1")
    copy.output("Q_1")
    copy.save("copy.json")
    Path("none.cr").write_text("zeros = #\"0\"\nnone = zeros < 0\n", encoding="utf-8")
    Path("first.json").write_text(network_text(plans()["first"].network()), encoding="utf-8")
    for name, given in (("all", "true"), ("even", "MOD(2,0)"), ("none", "Q_0 & !Q_0")):
        Path(f"{name}.toml").write_text(
            f'alphabet = "01"\nbefore = [2]\nread = "last"\ngiven = "{given}"\nmax_n = 4\n'
            '[[answer]]\nkind = "larger"\ntokens = [1, 0]\ntruth = { regex = "1(0|1)*" }\n', encoding="utf-8")
    return tmp_path


def judged(**keys: Any) -> ClaimResult:
    return judge(read_claim({"name": "x", **keys}), AuditSearch())


@pytest.mark.parametrize(("keys", "why"), [
    ({"model": MARKER, "gap": "1", "lengths": "1..1"}, f"n = 1: {TWO_POSITIONS}"),
    ({"formula": "Q_1", "alphabet": "01", "gap": "1"}, f"n = 1..2: {TWO_POSITIONS}"),
    ({"kind": "soften", "model": "copy.json"},
     "n = 1..2: no head of the network is hard, so there is nothing to replace by softmax"),
    ({"kind": "sensitivity", "formula": "Q_1", "alphabet": "1", "at_most": "0"},
     "n = 1..2: there is only one letter, so none can be exchanged"),
    ({"kind": "sensitivity", "formula": "Q_1", "alphabet": "01", "at_least": "0"},
     "n = 1..2: no measured number is below 0"),
    ({"kind": "cross-entropy", "formula": "Q_1", "alphabet": "01", "at_least": "1-n"},
     "n = 1..2: no measured number is below 0"),
    ({"kind": "decide", "model": "first.json", "claim": "none.toml"},
     "n = 1..2: no word of this length is judged; all words of length 1 .. 2 over {0, 1}, offset 0, at the last token: "
     "2 cases"),
])
@pytest.mark.usefixtures("folder")
def test_a_claim_that_asks_nothing_is_vacuous_and_says_why(keys: dict[str, Any], why: str) -> None:
    found = judged(**{"lengths": 2, **keys})
    assert (found.verdict, found.reason) == ("vacuous", f"vacuous at {why}")
    assert {row.verdict for row in found.rows} == {"vacuous"} and exit_status(found.verdict) == 0


@pytest.mark.parametrize(("keys", "rows", "why"), [
    ({"model": MARKER, "gap": "1/n", "lengths": 3}, ["vacuous", "certified", "certified"], f"n = 1: {TWO_POSITIONS}"),
    ({"kind": "decide", "model": "first.json", "claim": "even.toml", "lengths": 4}, ["vacuous", "certified"] * 2,
     "n = 1, 3: no word of this length is judged; all words of length 1 .. 4 over {0, 1}, offset 0, at the last token: "
     "2 cases"),
    ({"kind": "cross-entropy", "formula": "Q_1", "alphabet": "01", "at_least": "(2-n)/2", "lengths": 2},
     ["certified", "vacuous"], "n = 2: no measured number is below 0"),
    ({**PREVIOUS, "given": "!FIRST", "lengths": 3}, ["vacuous", "certified", "certified"], f"n = 1: {HOLDS_NOWHERE}"),
    ({**PREVIOUS, "given": "LAST & EVEN", "lengths": 5}, ["vacuous", "certified"] * 2 + ["vacuous"],
     f"n = 1, 3, 5: {HOLDS_NOWHERE}"),
])
@pytest.mark.usefixtures("folder")
def test_lengths_at_which_nothing_is_asked_are_named_beside_those_that_are_certified(
        keys: dict[str, Any], rows: list[str], why: str) -> None:
    found = judged(**keys)
    assert [row.verdict for row in found.rows] == rows
    assert (found.verdict, found.reason) == ("certified", f"vacuous at {why}")


@pytest.mark.usefixtures("folder")
def test_a_length_that_is_refuted_decides_beside_lengths_at_which_nothing_is_asked() -> None:
    found = judged(model=MARKER, gap="2", lengths=2)
    assert [row.verdict for row in found.rows] == ["vacuous", "refuted"] and found.verdict == "refuted"
    assert found.witness is not None and found.witness.n == 2


def test_a_length_at_which_the_assumption_holds_nowhere_is_refuted_if_a_head_errs_there() -> None:
    """Inputs of a head of a later layer must hold everywhere."""
    keys = {"formula": "prev prev Q_a", "alphabet": "ab", "gamma": "1/8", "lengths": 3}
    assert judged(**keys).rows[1].verdict == "refuted"
    assert [row.verdict for row in judged(**keys, given="prev prev true").rows] == ["vacuous", "refuted", "refuted"]


@pytest.mark.parametrize("answers", [
    ({"formula": "Q_1 since Q_0"}, "the formula is false at every position of every word up to n = 3"),
    ({"program": "none.cr", "oracle": "#<[Q_0] < 0", "alphabet": "01"},
     "the oracle is false at every position of every word of these lengths"),
    ({"kind": "margin", "model": MARKER, "alphabet": "01", "formula": "Q_1 | Q_0", "threshold": "-1"},
     "the formula is true at every position of every word up to n = 3"),
])
@pytest.mark.usefixtures("folder")
def test_a_truth_that_is_the_same_everywhere_is_asked_for_and_named(answers: tuple[dict[str, Any], str]) -> None:
    keys, why = answers
    found = judged(**{"lengths": 3, **keys})
    assert (found.verdict, found.reason) == ("certified", why)


@pytest.mark.parametrize(("verdicts", "together"), [
    (("vacuous", "certified"), "certified"), (("vacuous",), "vacuous"), (("vacuous", "unknown"), "unknown")])
def test_a_statement_of_which_some_claims_ask_nothing_is_what_the_others_say(
        verdicts: tuple[Any, ...], together: str) -> None:
    claims = [replace(CERTIFIED, statement="S", part="statement", verdict=verdict) for verdict in verdicts]
    (found,) = judge_statements(claims)
    assert found.verdict == together


# -- no more than was judged -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_a_decision_is_about_the_lengths_that_were_judged() -> None:
    """The network has 64 rows, one of which is for the token before the word."""
    found = judged(kind="decide", model="first.json", claim="all.toml", lengths="62..63")
    assert (found.verdict, found.lengths) == ("certified", "62..63") and [row.n for row in found.rows] == [62, 63]
    with pytest.raises(InputError, match="max_n: 64, but at offset 0 no word of more than 63 letters fits"):
        judged(kind="decide", model="first.json", claim="all.toml", lengths="63..64")


@pytest.mark.parametrize(("keys", "message"), [
    ({"formula": "true", "alphabet": "01", "lengths": "3..2"}, "min-n: 3, expected a number from 1 to 2"),
    ({"formula": "true", "alphabet": "", "lengths": 2}, "alphabet"),
    ({"program": MAJORITY, "oracle": "Q_1", "alphabet": "", "lengths": 2}, "alphabet"),
    ({"kind": "decide", "model": "first.json", "claim": "all.toml", "offset": [3, 2], "lengths": 2}, "offset"),
    ({"kind": "margin", "model": MARKER, "alphabet": "", "lengths": 2}, "alphabet"),
    ({"model": MARKER, "gap": "0", "lengths": 2}, "gap: 0 is 0 at i = 1, n = 1, expected a positive number"),
    ({"kind": "margin", "model": MARKER, "margin": "-1", "lengths": 2}, "negative at n = 1"),
])
@pytest.mark.usefixtures("folder")
def test_no_claim_is_about_no_word(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judged(**keys)
