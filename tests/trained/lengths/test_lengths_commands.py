"""`certify decide` where words are too long to be enumerated: what is printed, written, refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from certify import decide
from certify.auditing.claims_file import read_claim
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.claims.trained.lengths_decision import LengthsDecision
from certify.cli import app
from constructions.errors import InputError, Unsupported
from constructions.trained.network import TrainedNetwork
from tests.trained.lengths.counting import majority_by_hand, random_counter, with_slopes
from tests.trained.random_networks import random_network
from tests.trained.small_networks import write_network

CLAIM = ("--alphabet", "01", "--at", "every", "--sign", "0: #<[Q_1] > #<[Q_0]")

PADDED = """alphabet = { 0 = 0, 1 = 1 }
read = "last"
min_n = 3
max_n = 3
padding = { token = 0, length = 8 }
[[answer]]
kind = "sign"
token = 0
truth = "Q_1"
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(network: TrainedNetwork, *options: str) -> Result:
    write_network(network, "network.json")
    return CliRunner().invoke(app, ["decide", "network.json", *CLAIM, *options])


def two_layers() -> TrainedNetwork:
    return next(network for network in map(random_network, range(50))
                if network.rows is None and len(network.attention_steps) == 2)


def test_a_break_is_shown_with_its_word_as_runs_and_both_certificates_are_accepted() -> None:
    result = run(majority_by_hand(0.1), "--max-n", "1000000", "-o", "to_10.cert", "--wrong", "at_11.cert")
    assert result.exit_code == 1
    assert "refuted: right on every word of length 1 .. 10; wrong at n = 11 on " in result.output
    assert CliRunner().invoke(app, ["check", "to_10.cert", "at_11.cert"]).exit_code == 0


def test_json_has_the_runs_of_the_word() -> None:
    found = json.loads(run(majority_by_hand(0.1), "--max-n", "100", "--json").stdout)
    assert (found["verdict"], found["certified_to"], found["max_n"]) == ("refuted", 10, 100)
    assert not found["every_length"]
    assert found["counterexample"]["n"] == sum(times for _, times in found["counterexample"]["runs"]) == 11


def test_every_length_is_asked_about_with_an_option() -> None:
    result = run(majority_by_hand(0.1), "--max-n", "5", "--every")
    assert result.exit_code == 1
    assert "all words of every length" in result.output


@pytest.mark.parametrize(("lengths", "words"), [(("--max-n", "100"), "of length 1 .. 100"),
                                                (("--every",), "of every length")])
def test_a_claim_that_asks_nothing_is_vacuous(lengths: tuple[str, ...], words: str) -> None:
    result = run(majority_by_hand(0.1), *lengths, "--given", "Q_1 & !Q_1", "-o", "nothing.cert")
    assert result.exit_code == 0
    assert f"vacuous: the claim is vacuous: nothing is judged on any word {words}" in result.output
    assert "VACUOUS" in CliRunner().invoke(app, ["check", "nothing.cert"]).output


def test_padding_which_makes_words_of_one_length_does_not_go_with_every_length() -> None:
    write_network(majority_by_hand(0.1), "network.json")
    Path("claim.toml").write_text(PADDED, encoding="utf-8")
    result = CliRunner().invoke(app, ["decide", "network.json", "--claim", "claim.toml", "--every"])
    assert isinstance(result.exception, InputError)
    assert "padding: words of every length, but" in str(result.exception)


@pytest.mark.parametrize("options", [("--jobs", "2"), ("--html", "page.html"), ("--store", "kept")])
def test_what_is_not_taken_is_refused(options: tuple[str, ...]) -> None:
    result = run(majority_by_hand(0.1), "--max-n", "100", *options)
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith(options[0])


def test_what_counts_do_not_decide_is_unsupported_where_words_are_too_long_for_another_way() -> None:
    result = run(two_layers(), "--max-n", "100000")
    assert isinstance(result.exception, Unsupported)
    assert "2 steps of attention" in str(result.exception)


def test_short_words_are_decided_as_before() -> None:
    result = run(random_counter(3, 2), "--max-n", "6")
    assert "smallest margin found" in result.output


WRITTEN = """alphabet = { 0 = 0, 1 = 1 }
read = "each"
max_n = 100
[[answer]]
kind = "sign"
token = 0
truth = "#<[Q_1] > #<[Q_0]"
"""


def test_command_python_and_audit_decide_a_long_claim_in_one_way() -> None:
    write_network(majority_by_hand(0.1), "network.json")
    Path("claim.toml").write_text(WRITTEN, encoding="utf-8")
    command = CliRunner().invoke(app, ["decide", "network.json", "--claim", "claim.toml", "--json", "-o", "found.cert"])
    python = decide("network.json", "claim.toml")
    audit = judge(read_claim({"name": "x", "kind": "decide", "model": "network.json", "claim": "claim.toml",
                              "lengths": "1..100"}), AuditSearch())
    assert isinstance(python, LengthsDecision)
    assert python.wrong is not None
    found = json.loads(command.stdout)
    assert (found["certified_to"], found["counterexample"]["n"]) == (10, 11)
    assert (python.certified_to, python.wrong.word.length) == (10, 11)
    assert python.certificate == Path("found.cert").read_text(encoding="utf-8")
    assert [row.verdict for row in audit.rows] == ["certified"] * 10 + ["refuted"] + ["unknown"] * 89
    assert audit.rows[10].witness is not None
    assert audit.rows[10].witness.n == 11


def test_python_asks_about_every_length_and_says_why_counts_cannot_decide_it() -> None:
    write_network(majority_by_hand(2.0), "network.json")
    Path("claim.toml").write_text(WRITTEN.replace("#<[Q_1] > #<[Q_0]", "false"), encoding="utf-8")
    found = decide("network.json", "claim.toml", every=True)
    assert isinstance(found, LengthsDecision)
    assert found.greatest is None
    write_network(two_layers(), "network.json")
    with pytest.raises(Unsupported, match="2 steps of attention"):
        decide("network.json", "claim.toml", every=True)


def test_scores_that_fall_with_the_distance_are_decided_at_every_length_by_last_letters() -> None:
    network = with_slopes(majority_by_hand(0.26), "1")
    write_network(network, "network.json")
    options = ("decide", "network.json", "--alphabet", "01", "--at", "every", "--sign", "0: Q_1", "--every")
    result = CliRunner().invoke(app, [*options, "-o", "every.cert"])
    assert result.exit_code == 0
    assert "by their last letters: 2 cells" in result.output
    assert "certified: right on every word of every length" in result.output
    assert "accepted" in CliRunner().invoke(app, ["check", "every.cert"]).output
    write_network(with_slopes(majority_by_hand(0.27), "1"), "network.json")
    wrong = CliRunner().invoke(app, [*options, "-o", "to_5.cert", "--wrong", "at_6.cert"])
    assert wrong.exit_code == 1
    assert "right on every word of length 1 .. 5; wrong at n = 6 on 0^5 1" in wrong.output
    assert CliRunner().invoke(app, ["check", "to_5.cert", "at_6.cert"]).exit_code == 0
