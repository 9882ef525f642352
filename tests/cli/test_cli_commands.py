"""Commands where a session cannot say what must come out: all shipped examples, all words, several processes."""

import itertools
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.examples import load_examples
from certify.claims.margins import answer
from certify.common.shipped import examples_folder
from certify.requests.programs import read_program, run_any_program
from constructions.compiler import is_counting
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import subformulas
from constructions.network.json_form import read_transformer, transformer_from_json, transformer_to_json
from constructions.network.weightings import Weighting
from examples.hard import flip_flop
from proofs.check import Rejected
from proofs.words.replay import run_soft
from tests.cli.made import make
from tests.cli.reports import without_seconds
from tests.processes import ROOT

# -- demo --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("regime", "causal"), [
    ("position", True), *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in (
        ("position", False), ("temperature", True), ("temperature", False)))])
def test_the_demo_certifies_every_example_that_fits_and_writes_certificates_that_are_accepted(
        certify: Any, tmp_path: Path, regime: str, causal: bool) -> None:
    examples = load_examples()
    fitting = [e.name for e in examples if not (causal and find_future_subformula(e.formula))
               and not (causal and regime == "position" and any(map(is_counting, subformulas(e.formula))))]
    result = certify("formula", "--max-n", "2", "--regime", regime, *["--causal"] * causal, "-o", "certificates")
    rows = {line.split()[0]: line for line in result.out.splitlines() if line and line.split()[0] in
            {example.name for example in examples}}
    assert result.code == 0
    assert list(rows) == [example.name for example in examples]
    assert [name for name, row in rows.items() if " certified " in row] == fitting
    summary = f"{len(fitting)} of {len(examples)} certified"
    summary += f", {len(examples) - len(fitting)} outside the regime's fragment" if causal else ""
    assert result.out.splitlines()[-1].startswith(summary + ", in ")
    files = sorted((tmp_path / "certificates").iterdir())
    assert [path.name for path in files] == sorted(f"{name}.cert" for name in fitting)
    assert certify("check", *map(str, files)).code == 0


def test_the_demo_in_json_is_one_object_with_one_entry_per_example(
        certify: Any, tmp_path: Path, few_examples: list[str]) -> None:
    result = certify("formula", "--max-n", "2", "--json")
    data = result.json
    assert result.code == 0 and data["verdict"] == "certified" and data["max_n"] == 2
    assert [entry["name"] for entry in data["examples"]] == few_examples
    keys = {"verdict", "formula", "alphabet", "max_n", "regime", "obligations", "worst_error", "seconds"}
    assert all(entry.keys() >= keys for entry in data["examples"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few_examples")
def test_the_demo_exits_1_if_an_example_is_refuted(certify: Any) -> None:
    result = certify("formula", "--max-n", "2", "--gamma", "1/10", "--json")
    assert result.code == 1 and result.json["verdict"] == "refuted"


# -- build, model ------------------------------------------------------------------------------------------------------


def test_a_model_with_a_wrong_weight_is_refuted_with_a_word(certify: Any, prev_model: dict[str, Any]) -> None:
    prev_model["layers"][-1]["feedforward"]["units"][0]["writes"] = {prev_model["output"]: "3"}
    Path("m.json").write_text(json.dumps(prev_model))
    result = certify("model", "m.json", "--max-n", "4", "--json")
    assert result.code == 1 and result.json["verdict"] == "refuted"
    found = result.json["counterexample"]
    assert found["subformula"] == "Q_1 since prev Q_0" and found["expected"] is True
    assert (found["word"], found["position"]) == (["0", "1"], 2) and float(found["value_lower"]) > 1
    assert certify("model", "m.json", "--max-n", "4").out.count("REFUTED") == 1


# -- run ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--regime", "position"), ("--causal",)])
def test_run_agrees_with_the_semantics_and_encloses_the_soft_values(certify: Any, options: tuple[str, ...]) -> None:
    formula = "Q_a & !(prev Q_b since Q_a)"
    for word in ("a", "ba", "abba", "aabab", "babaab"):
        data = certify("run", formula, word, "--alphabet", "ab", "--json", *options).json
        assert data["truth"] == list(truth_values(parse_formula(formula), word))
        for direction in data["directions"]:
            bounds = zip(direction["soft_lower"], direction["soft_upper"], strict=True)
            assert all(float(lower) <= float(upper) for lower, upper in bounds)
            if direction["direction"].startswith("is["):
                expected = [str(int(truth)) for truth in direction["truth"]]
                assert direction["soft_lower"] == direction["soft_upper"] == direction["hard"] == expected


def test_build_can_count_to_the_letter_of_the_paper(certify: Any) -> None:
    shipped, printed = (certify("build", "#<[Q_1] >= 2", *option).json for option in ((), ("--as-printed",)))
    kinds = {kind: [meaning["kind"] for meaning in model["directions"].values()].count(kind)
             for kind, model in (("others", shipped), ("any", printed))}
    assert kinds == {"others": 1, "any": 4}


def test_run_takes_a_formula_longer_than_a_file_name(certify: Any) -> None:
    assert certify("run", " & ".join(["Q_1"] * 100), "1", "--json").json["truth"] == [True]


# -- list --------------------------------------------------------------------------------------------------------------


def test_list_shows_examples_predicates_and_statements(certify: Any) -> None:
    text, data = certify("list", "--all"), certify("list", "--json")
    assert text.code == data.code == 0
    assert [entry["name"] for entry in data.json["examples"]] == [example.name for example in load_examples()]
    assert {entry["name"] for entry in data.json["predicates"]} >= {"ODD", "EVEN", "MOD", "FIRST", "LAST", "PRIME"}
    assert {"Theorem 15 a, b", "Theorem 20 a, b"} <= {entry["name"] for entry in data.json["statements"]}
    for section in ("examples", "predicates", "statements"):
        assert f"{section}\n" in text.out and data.json[section][0]["name"] in text.out


# -- check -------------------------------------------------------------------------------------------------------------


def test_check_reads_a_pipe_by_itself_however_many_processes_there_are(certify: Any, certificate: str) -> None:
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as writer:
        writer.submit(lambda: Path("pipe").write_bytes(Path(certificate).read_bytes()))
        result = certify("check", "pipe", "-", "--jobs", "2", stdin=b"")
    assert result.code == 2 and "\naccepted: pipe\nmalformed: -: " in result.out


def program(folder: Path, script: str) -> None:
    """Something of the name of the proved checker."""
    place = folder / "certify-check"
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def test_where_there_is_no_such_program_it_is_said_how_to_build_it(certify: Any, certificate: str, tmp_path: Path,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = certify("check", "--verified", certificate)
    assert (found.code, found.out) == (3, "")
    assert "certify-check is not on the path; docs/howto/coq.md says how it is built" in found.err


@pytest.mark.parametrize("status", range(4))
def test_the_program_of_the_path_is_asked_and_its_status_is_the_answer(
        certify: Any, certificate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    program(tmp_path, f'printf "%s\\n" "$@" >"{tmp_path}/asked"\nexit {status}')
    monkeypatch.setenv("PATH", str(tmp_path))
    found = certify("check", "--verified", "--formula", "Q_1 since Q_0", "--max-n", "5", certificate)
    assert found.code == status
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked == ["--formula", "Q_1 since Q_0", "--max-n", "5", "--", certificate]


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_an_escape_sequence_in_an_argument_does_not_reach_the_terminal(certify: Any) -> None:
    for result in (certify("formula", "Q_1", "--alphabet", "1\x1b[31m\x9b"), certify("run", "Q_1", "1\x1b[2J")):
        assert "\x1b" not in result.out + result.err and "\x9b" not in result.out + result.err


@pytest.mark.parametrize(("arguments", "message"), [
    (("Q_1 since Q_0", "01" * 1000, "--alphabet", "01"), "word: 2000 symbols, expected at most 1024"),
    (("m.json", "01" * 1000), "word: 2000 symbols, expected at most 1024"),
    (("Q_1 since Q_0", "0" * 200_000, "--alphabet", "01"), "word of 200000 characters: expected at most 100000"),
    (("m.json", "0" * 200_000), "word of 200000 characters: expected at most 100000"),
    (("p.rasp", "a" * 1025), "word: 1025 symbols, expected at most 1024"),
    (("Q_1", "\udcff"), "is not UTF-8 text"), (("Q_\udcff", "1"), "is not UTF-8 text"),
    (("Q_1", "1", "--alphabet", "1\udcff"), "is not UTF-8 text"), (("-", "1"), "-: byte 5 is not UTF-8 text"),
    (("Q_1", "1", "--predicate", "\udcff(k) := k == 1"), "is not UTF-8 text"),
    (("Q_1", "1", "--precision", "tf32", "--max-n", "9" * 5000), "expected a whole number"),
])
def test_what_no_line_of_a_session_can_say_is_refused_in_a_line(
        certify: Any, arguments: tuple[str, ...], message: str) -> None:
    make("m.json")
    Path("p.rasp").write_text("alphabet ab\nP(i) := Q_a(i)\n")
    result = certify("run", *arguments, stdin=b"Q_1 \xff")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1) and message in result.err


@pytest.mark.parametrize(("place", "message"), [
    ("no/such/folder/c.cert", "no/such/folder/c.cert: cannot be written: there is no folder"),
    (".", ".: cannot be written: it is a folder"),
    ("", "-o: the name is empty, expected a file"),
    ("file/c.cert", "file/c.cert: cannot be written: there is no folder"),
])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
        certify: Any, monkeypatch: pytest.MonkeyPatch, place: str, message: str) -> None:
    Path("file").write_text("a file, not a folder")
    Path("m.json").write_text("not reached")
    monkeypatch.setattr("certify.claims.formula.pipeline.certify_request", None)
    for command in (("formula", "Q_1"), ("build", "Q_1"), ("model", "m.json")):
        result = certify(*command, "-o", place)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1) and message in result.err


def test_an_escape_sequence_in_a_program_does_not_reach_the_terminal(certify: Any) -> None:
    result = certify("run", write("alphabet 'a'\nauxiliary '\x1b[2J'\nP(i) := '\x1b[2J'"), "a")
    assert result.code == 0 and "\x1b" not in result.out
    assert "\x1b" not in certify("run", write("P(i) := \x1b[2J"), "a").err


PROGRAMS = examples_folder() / "programs"
# -- programs ----------------------------------------------------------------------------------------------------------


def write(text: str) -> str:
    Path("p.rasp").write_text(text, encoding="utf-8")
    return "p.rasp"


def test_formulas_are_the_same_rows_and_certificates_with_any_number_of_processes(certify: Any) -> None:
    path = write("alphabet ab  auxiliary '?'\nlast(i) := rightmost j [j<i, true] in(j) : '?'")
    alone, shared = (certify("formula", path, "--max-n", "3", "--jobs", jobs, "-o", f"by_{jobs}", "--json")
                     for jobs in ("1", "2"))
    assert alone.code == shared.code == 0
    assert without_seconds(alone.json) == without_seconds(shared.json) and len(alone.json["examples"]) == 3
    written = [{path.name: path.read_bytes() for path in Path(folder).iterdir()} for folder in ("by_1", "by_2")]
    assert written[0] == written[1] and len(written[0]) == 3


@pytest.mark.parametrize("name", ["majority", "found_by_attention"])
def test_the_certified_network_of_a_program_that_sums_computes_what_the_interpreter_does(
        certify: Any, name: str) -> None:
    text = """alphabet ab
        n(i) := psum j [j<=i] 1 if Q_a(j) else 0-1
        last(i) := rightmost j [j<i, n(j) > 0 & pos(j) < pos(i) - 1] n(j) : 0
        out(i) := last(i) = 1 | n(i) < pos(i) - 4"""
    path = str(PROGRAMS / "majority.rasp") if name == "majority" else write(text)
    assert certify("formula", path, "--max-n", "4", "-o", "p.cert").code == 0
    certificate = json.loads(Path("p.cert").read_text(encoding="utf-8"))
    network, program = transformer_from_json(certificate["transformer"]), read_program(path)
    for n in range(1, 5):
        for word in itertools.product(network.alphabet, repeat=n):
            held = [vector[network.output] for vector in run_soft(network, word, 96)]
            assert all(value.is_point for value in held)
            assert [value.lower == 1 for value in held] == list(run_any_program(program, word)[program.output.name])


def test_a_formula_that_doubles_with_each_row_is_a_small_graph(certify: Any) -> None:
    lines = ["alphabet ab", "P0(i) := Q_a(i)"]
    lines += [f"P{k + 1}(i) := rightmost j [j<i, P{k}(j)] P{k}(j) & Q_a(i) : P{k}(i)" for k in range(12)]
    result = certify("formula", write("\n".join(lines)), "--max-n", "3", "--json")
    assert (result.code, result.json["verdict"]) == (0, "certified")
    assert result.json["formula"].startswith("let p1 = ")


# -- hard attention ----------------------------------------------------------------------------------------------------


def test_build_with_hard_attention_writes_a_model_of_hard_heads(certify: Any) -> None:
    network = read_transformer(certify("build", "prev Q_a since #<[Q_b] > 1", "--weighting", "hard").out)
    assert {head.weighting for _, _, head in network.heads()} == {Weighting.AVERAGE_HARDMAX}
    assert len(list(network.heads())) > 3


# -- softened networks, margins ----------------------------------------------------------------------------------------


def test_two_processes_and_a_store_find_the_same(certify: Any) -> None:
    path = str(ROOT / "examples" / "hard" / "flip_flop.json")
    assert certify("model", path, "--max-n", "4", "-o", "one.cert", "--critical", "none").code == 0
    for options in (("--jobs", "2"), ("--store", "kept"), ("--store", "kept")):
        assert certify("model", path, "--max-n", "4", "-o", "other.cert", "--critical", "none", *options).code == 0
        assert Path("other.cert").read_bytes() == Path("one.cert").read_bytes()
    assert len(list(Path("kept").iterdir())) >= 4


@pytest.mark.parametrize("options", [(), ("--temperature", "1/n"), ("--temperature", "1/n^64")])
@pytest.mark.parametrize("weight, place, verdicts", [
    (f"1{'0' * 400}", "values", ("certified", "unknown")), (f"1/1{'0' * 400}", "queries", ("unsupported",)),
])
def test_extreme_weights_are_a_verdict_and_no_traceback(certify: Any, weight: str, place: str,
                                                        verdicts: tuple[str, ...], options: tuple[str, ...]) -> None:
    model = transformer_to_json(flip_flop.build())
    (head,) = model["layers"][0]["heads"]
    row = head["queries"][0] if place == "queries" else head["values"]["last bit"]
    row.update(dict.fromkeys(row, weight))
    Path("model.json").write_text(json.dumps(model), encoding="utf-8")
    result = certify("model", "model.json", "--max-n", "3", *options, "--json")
    assert result.json["verdict"] in verdicts and result.code in (0, 3) and "Traceback" not in result.err
    if place == "values" and not options:
        shown = certify("model", "model.json", "--max-n", "3").out
        assert "n = 3: no temperature that was tried is certified: the bounds exceed 1/4 at all of them" in shown


PUBLISHED = ROOT / "examples" / "published"
FIRST = (str(PUBLISHED / "first.json"), "--formula", "Q_1", "--at", "first", "--before", "$")
PARITY = (str(PUBLISHED / "parity.json"), "--formula", "ODD(#<[Q_1])", "--after", "$")


def test_the_network_is_in_the_certificate_as_it_is_in_the_file(certify: Any) -> None:
    assert certify("model", *PARITY, "--max-n", "2", "-o", "parity.cert").code == 0
    written, model = (json.loads(path.read_text()) for path in (Path("parity.cert"), PUBLISHED / "parity.json"))
    assert written["transformer"] == model


def test_what_the_checker_does_not_accept_is_unknown(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(certificate: bytes, work: int) -> None:
        raise Rejected("no")

    monkeypatch.setattr(answer, "check_text", reject)
    result = certify("model", *PARITY, "--max-n", "2", "-o", "parity.cert")
    assert result.code == 3 and not Path("parity.cert").exists()
    assert ("UNKNOWN  n = 1: decided, but the independent checker does not accept the certificate: no; "
            in result.out)


def test_a_weighting_that_the_checker_does_not_take_is_unknown(certify: Any) -> None:
    model = json.loads((PUBLISHED / "first.json").read_text(encoding="utf-8"))
    model["layers"][1]["heads"][0]["weighting"] = "sparsemax"
    Path("sparse.json").write_text(json.dumps(model), encoding="utf-8")
    result = certify("model", "sparse.json", *FIRST[1:], "--max-n", "2", "--json")
    assert (result.code, result.json["certified_to"]) == (3, None)
    row = result.json["lengths"][0]
    assert "the independent checker does not accept the certificate: transformer: layers: 2: " in row["reason"]
    assert (row["margin_lower"], row["margin_upper"]) == ("0.5", "0.5"), "sparsemax looks at the first letter alone"
