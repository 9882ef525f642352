"""`--timeout`: what is known when time is up, and that it is never taken for more. The clock is the test's own."""

import contextlib
import json
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.common.partial_answer import PartialAnswer, answer_in_time, stretches
from certify.common.verdicts import WithExitStatus
from constructions.deadline import NANOSECONDS, TimeIsUp, check_deadline, has_deadline, seconds_left, time_limit
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.network.lengths import Lengths
from constructions.trained.json_form import network_text
from tests.processes import ROOT
from tests.trained.tracks.adders import adder, claim_text

EXAMPLES = ROOT / "examples"
ENOUGH = "86400"
SINCE = ("(Q_a | Q_b) since Q_a", "--alphabet", "abc")
WRONG = ("Q_1 since next Q_0", "--alphabet", "01", "--gamma", "13/10")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second has passed at each look at the clock; no alarm rings."""
    seconds = count()
    monkeypatch.setattr("constructions.deadline._alarm", lambda _: contextlib.nullcontext())
    monkeypatch.setattr("constructions.deadline.monotonic_ns", lambda: next(seconds) * NANOSECONDS)


# -- the deadline ------------------------------------------------------------------------------------------------------


def test_the_clock_says_no_more_than_that_time_is_up() -> None:
    check_deadline()  # no deadline, no end
    assert not has_deadline() and seconds_left() is None
    with time_limit(3):
        assert has_deadline()
        check_deadline()
        check_deadline()
        with pytest.raises(TimeIsUp, match=r"time is up \(--timeout 3\)"):
            check_deadline()
    assert not has_deadline()


def test_of_two_deadlines_the_first_to_end_counts() -> None:
    with time_limit(1000), pytest.raises(TimeIsUp, match=r"--timeout 2\)"), time_limit(2):
        for _ in range(9):
            check_deadline()
    with time_limit(3), pytest.raises(TimeIsUp, match=r"--timeout 3\)"), time_limit(1000):
        for _ in range(9):
            check_deadline()


def test_time_is_up_is_no_error_that_somebody_could_answer() -> None:
    assert not issubclass(TimeIsUp, Exception)


def test_loops_over_lengths_look_at_the_clock() -> None:
    with time_limit(5), pytest.raises(TimeIsUp):
        list(Lengths(1, 64).rows())


# -- growing stretches -------------------------------------------------------------------------------------------------


class Answer(WithExitStatus):
    """An answer in the form that commands read."""

    def __init__(self, verdict: str, lengths: Lengths) -> None:
        self.verdict, self.lengths = verdict, lengths


def query(verdicts: dict[int, str]) -> Any:
    """Return answers about lengths, one second for each; the verdict is that of the first bound not below the last."""
    def ask(lengths: Lengths) -> Answer:
        for _ in lengths:
            pass
        return Answer(next(verdict for last, verdict in verdicts.items() if lengths.last <= last), lengths)

    return ask


def test_without_a_deadline_everything_is_asked_at_once() -> None:
    asked: list[Lengths] = []
    answer_in_time(Lengths(1, 64), lambda some: asked.append(some) or Answer("certified", some))  # type: ignore[func-returns-value]
    assert asked == [Lengths(1, 64)] and list(stretches(Lengths(1, 2))) == []


@pytest.mark.parametrize(("seconds", "last"), [(2, None), (4, 2), (10, 4), (20, 8), (40, 16), (70, 32)])
def test_what_is_known_grows_with_the_time(seconds: int, last: int | None) -> None:
    with time_limit(seconds):
        found = answer_in_time(Lengths(1, 64), query({64: "certified"}))
    assert isinstance(found, PartialAnswer)
    assert (found.certified_to, found.verdict, found.exit_code) == (last, "unknown", 3)
    assert found.finished == (None if last is None else Lengths(1, last))


def test_with_time_enough_the_answer_is_that_about_all_lengths() -> None:
    with time_limit(1000):
        found = answer_in_time(Lengths(1, 64), query({64: "certified"}))
    assert isinstance(found, Answer) and (found.verdict, found.lengths) == ("certified", Lengths(1, 64))


@pytest.mark.parametrize(("verdicts", "verdict", "known"), [
    ({4: "certified", 64: "refuted"}, "refuted", None), ({4: "certified", 64: "unknown"}, "unknown", 4),
    ({64: "unknown"}, "unknown", None)])
def test_a_refuted_stretch_refutes_all_and_an_open_one_says_nothing(
        verdicts: dict[int, str], verdict: str, known: int | None) -> None:
    with time_limit(30):
        found = answer_in_time(Lengths(1, 64), query(verdicts))
    assert found.verdict == verdict
    assert isinstance(found, Answer) if verdict == "refuted" else found.certified_to == known


# -- commands ----------------------------------------------------------------------------------------------------------

COMMANDS = {
    "formula": (("formula", *SINCE, "--max-n", "20"), "certified"),
    "model": (("model", "m.json", "--max-n", "20"), "certified"),
    "margin": (("model", str(EXAMPLES / "published" / "parity.json"), "--formula", "ODD(#<[Q_1])", "--after", "$",
                "--max-n", "8"), "certified"),
    "soften": (("model", str(EXAMPLES / "hard" / "flip_flop.json"), "--max-n", "3", "--jobs", "1"), "certified"),
    "sensitivity": (("sensitivity", "ODD(#<[Q_1])", "--alphabet", "01", "--max-n", "5"), "measured"),
    "cross-entropy": (("cross-entropy", "ODD(#<[Q_1])", "--alphabet", "01", "--max-n", "5"), "measured"),
    "audit": (("audit", "--formula", *SINCE, "--critical", "none", "--max-n", "8"), "certified"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_runs_out_of_time_is_unknown_and_says_what_it_knows(certify: Any, name: str) -> None:
    arguments, verdict = COMMANDS[name]
    if name == "model":
        certify("build", *SINCE, "-o", "m.json")
    known: list[int] = []
    for seconds in ("1", "30", ENOUGH):
        result = certify(*arguments, "--timeout", seconds, "--json")
        if result.json["verdict"] == verdict:
            assert result.code == 0
            continue
        assert (result.code, result.json["verdict"]) == (3, "unknown") and seconds != ENOUGH
        assert f"time is up (--timeout {seconds})" in (result.json.get("reason") or result.json["error"])
        known.append(result.json.get("certified_to") or 0)
    assert known == sorted(known) and 0 in known, "more time, more known; a second is not enough for anything"
    text = certify(*arguments, "--timeout", "1")
    assert text.code == 3 and "time is up" in text.out + text.err and verdict.upper() not in text.out


def network_of_one_answer() -> str:
    """Return a file of a random layer whose logit 0 is above the other one, whatever it reads."""
    draw, width = np.random.default_rng(0), 4
    shapes = {"embed.W_E": (5, width), "pos_embed.W_pos": (20, width), "unembed.W_U": (width, 2),
              "blocks.0.mlp.W_in": (width, 8), "blocks.0.mlp.W_out": (8, width),
              **{f"blocks.0.attn.W_{kind}": (1, width, width) for kind in "QKVO"}}
    tensors = {name: (draw.standard_normal(shape) / 8).astype(np.float32) for name, shape in shapes.items()}
    np.savez("one.npz", **tensors, **{"unembed.b_U": np.array([64, 0], np.float32)})  # type: ignore[arg-type]
    options = Options(kind="hooked-transformer", attention="causal", norm="none", activation="relu")
    Path("one.json").write_text(network_text(import_network(["one.npz"], options).network), encoding="utf-8")
    return "one.json"


def test_of_inputs_in_tracks_those_of_fewer_columns_are_known_when_time_is_up(certify: Any) -> None:
    Path("c.toml").write_text("""alphabet = "01"\ntokens = [3, 4]\ntracks = ["word"]\ncolumns = [1, 5]
machine = { regex = "(0|1)*" }\nanswers = [1, 0]\namong = "all"\nlayout = ["word", 2, "answer"]\n""", encoding="utf-8")
    question, known = ("decide", network_of_one_answer(), "--claim", "c.toml", "-o", "c.cert", "--json"), []
    for seconds in ("1", "5", "8", "11", "14", ENOUGH):
        result = certify(*question, "--timeout", seconds)
        if result.code == 0:
            break
        known.append(result.json["certified_to"] or 0)
        assert (result.code, result.json["verdict"], Path("c.cert").exists()) == (3, "unknown", known[-1] > 0)
        assert known[-1] == 0 or certify("check", "c.cert", "--json").json["files"][0]["max_n"] == known[-1]
        assert known[-1] == 0 or [row["verdict"] for row in result.json["forms"]] == ["certified"] * known[-1]
    assert result.json["verdict"] == "certified" and known == sorted(known) and len({*known}) > 1
    in_time = Path("c.cert").read_bytes()
    assert certify(*question).code == 0 and Path("c.cert").read_bytes() == in_time


def test_bounds_of_a_count_that_were_reached_in_time_are_certified(certify: Any) -> None:
    """The verdict is that of the bounds on what is stated; without a statement closer ones were asked."""
    Path("sum.json").write_text(network_text(adder(2, 2, blur=1.7)), encoding="utf-8")  # wrong in three parts
    Path("sum.toml").write_text(claim_text(2, 2), encoding="utf-8")
    question, known = ("decide", "sum.json", "--claim", "sum.toml", "--count", "--json", "-o"), {}
    for seconds in (str(2 + 3 * step) for step in range(9)):
        result = certify(*question, f"{seconds}.cert", "--timeout", seconds)
        (form,) = result.json["forms"]
        known[seconds] = form["right"]
        if form["right"] == ["1", "1"]:
            break
        assert (result.code, result.json["verdict"]) == (3, "unknown")
        assert form["reason"] == f"time is up (--timeout {seconds})"
    assert list(dict.fromkeys(map(tuple, known.values()))) == [("0", "16"), ("1", "16"), ("1", "4"), ("1", "1")]
    in_time = next(seconds for seconds, right in known.items() if right == ["1", "4"])
    assert "at least 0 (" in certify("check", "2.cert").out and "at most 4 (" in certify("check", f"{in_time}.cert").out
    for stated, code in (("--at-least=90%", 1), ("--at-least=5%", 0), ("--within=20%", 0), ("--within=10%", 3)):
        assert certify(*question[:-1], "--timeout", in_time, stated).code == code
    text = certify(*question[:-2], "--timeout", in_time).out
    assert f"unknown: right on at least 1 and at most 4 of 16 inputs (time is up (--timeout {in_time}))" in text
    assert certify(*question, "free.cert").code == 0
    assert Path("free.cert").read_bytes() == Path(f"{seconds}.cert").read_bytes()


def test_a_time_limit_that_is_kept_changes_nothing(certify: Any) -> None:
    free, limited = (certify("formula", *SINCE, "--max-n", "12", "-o", place, "--json", *limit)
                     for place, limit in (("free.cert", ()), ("limited.cert", ("--timeout", ENOUGH))))
    assert free.code == limited.code == 0
    assert Path("free.cert").read_bytes() == Path("limited.cert").read_bytes()
    assert all(free.json[key] == limited.json[key] for key in free.json if key not in ("seconds", "stages"))


def test_what_was_proved_is_written_when_time_is_up_and_nothing_else(certify: Any) -> None:
    Path("old.cert").write_text("as it was", encoding="utf-8")
    result = certify("formula", *SINCE, "-o", "old.cert", "--timeout", "1")
    assert result.code == 3 and "certify: unknown, so no certificate was written" in result.err
    assert Path("old.cert").read_text(encoding="utf-8") == "as it was"
    result = certify("formula", *SINCE, "-o", "old.cert", "--timeout", "40")
    assert result.code == 3 and "certificate of n = 1..2, which is proved, in old.cert" in result.err
    assert "for every n <= " in result.out and "CERTIFIED" not in result.out
    assert certify("check", "old.cert", "--json").json["files"][0]["max_n"] == 2
    assert [path.name for path in Path().iterdir()] == ["old.cert"]


def test_a_word_that_is_found_in_time_refutes_all_lengths(certify: Any) -> None:
    result = certify("formula", *WRONG, "--max-n", "64", "--timeout", "700", "--json")
    assert (result.code, result.json["verdict"], result.json["counterexample"]["word"]) == (1, "refuted", list("0010"))


def test_a_network_for_low_precision_is_the_same_in_every_stretch(certify: Any) -> None:
    """Its weights depend on the greatest length, which is the one that was asked about."""
    options = ("formula", "ODD(#<[Q_1])", "--alphabet", "01", "--precision", "bfloat16", "--max-n", "8")
    certify(*options, "-o", "free.cert")
    certify(*options, "-o", "limited.cert", "--timeout", ENOUGH)
    assert Path("free.cert").read_bytes() == Path("limited.cert").read_bytes()


def test_a_check_that_is_not_finished_is_incomplete(certify: Any, certificate: str) -> None:
    """The checker looks at no clock, so it is ended; what was checked before is said."""
    result = certify("check", certificate, "--timeout", "1", "--json")
    (report,) = result.json["files"]
    assert (result.code, report["verdict"], report["reason"]) == (3, "incomplete", "time is up (--timeout 1)")
    text = certify("check", certificate, "--timeout", "1").out
    assert text == f"incomplete: {certificate}: time is up (--timeout 1)\n"


def test_an_audit_of_a_file_keeps_what_was_finished(certify: Any) -> None:
    claim = '[[claim]]\nname = "{}"\nformula = "prev Q_a"\nalphabet = "ab"\nmax_n = {}\n'
    Path("c.toml").write_text(claim.format("short", 2) + claim.format("long", 40), encoding="utf-8")
    for seconds in ("1", "50", "100", "200"):
        result = certify("audit", "c.toml", "--timeout", seconds, "--json")
        assert result.code == 3 and f"time is up (--timeout {seconds})" in result.err
        if result.json["claims"]:
            break
    assert [one["name"] for one in result.json["claims"]] == ["short"] and not result.json["complete"]
    again = certify("audit", "c.toml", "--resume", "--json")
    assert again.code == 0 and "1 finished claim taken from c.audit.json" in again.err


def test_a_class_of_float_executions_that_was_not_reached_is_unknown(certify: Any, certificate: str) -> None:
    formats = ("--format", "binary32", "--format", "bfloat16")
    result = certify("floats", certificate, *formats, "--timeout", "1", "--json")
    assert result.code == 3 and [row["verdict"] for row in result.json["floats"]] == ["unknown", "unknown"]
    assert {row["reason"] for row in result.json["floats"]} == {"time is up (--timeout 1)"}


def test_a_command_that_says_nothing_of_its_stretches_ends_with_a_line(certify: Any) -> None:
    result = certify("explain", "Q_a since Q_b", "--floats", "--timeout", "1", "--json")
    assert result.code == 3 and result.json == {"verdict": "unknown", "error": "no verdict: time is up (--timeout 1)"}
    assert json.dumps(result.json) + "\n" == result.out


def test_critical_constants_that_come_too_late_leave_the_verdict(certify: Any) -> None:
    question = ("audit", "--formula", *SINCE, "--gamma", "3", "--max-n", "8", "--critical", "2,4,8", "--json")
    found = [certify(*question, "--timeout", str(seconds)).json for seconds in (60, 200, 400)]
    assert any(one["verdict"] == "certified" and len(one["criticals"]) < 3 and "--critical" in one["note"]
               for one in found), [(one["verdict"], one["note"], len(one["criticals"])) for one in found]
    whole = certify(*question).json
    assert (whole["verdict"], len(whole["criticals"]), whole["note"]) == ("certified", 3, "")
