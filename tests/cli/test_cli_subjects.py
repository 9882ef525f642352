"""One reader of subjects: what a text is, and what each command makes of a model, a certificate and a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from certify.asking.request import read_request
from certify.asking.subjects import REFUSED, Kind, Programs, find_subject
from certify.asking.written import Options, as_option
from constructions.errors import InputError
from constructions.network.json_form import transformer_to_json, write_canonical
from examples.hard import flip_flop

MODEL, CERTIFICATE, SOFTENED, PROGRAM = "m.json", "c.cert", "soft.cert", "p.rasp"
ALL = tuple(Kind)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(certify: Any) -> None:
    """A model, a certificate of the same network, a certificate of a softened one, and a program."""
    assert certify("build", "Q_a since Q_b", "--alphabet", "ab", "-o", MODEL).code == 0
    assert certify("formula", "Q_a since Q_b", "--alphabet", "ab", "--max-n", "3", "-o", CERTIFICATE).code == 0
    Path("hard.json").write_text(write_canonical(transformer_to_json(flip_flop.build())), encoding="utf-8")
    assert certify("soften", "hard.json", "--max-n", "2", "--critical", "none", "-o", SOFTENED).code == 0
    Path(PROGRAM).write_text("alphabet ab\nP(i) := Q_a(i)\n", encoding="utf-8")


def test_what_a_text_is(files: None) -> None:
    Path("model without a suffix").write_bytes(Path(MODEL).read_bytes())
    Path("Q_a").write_text("a file that happens to have this name", encoding="utf-8")
    kinds = {name: find_subject(name, ALL).kind for name in (
        "Q_a since Q_b", PROGRAM, "none.rasp", MODEL, CERTIFICATE, SOFTENED, "none.json", "model without a suffix",
        "Q_a")}
    assert kinds == {
        "Q_a since Q_b": Kind.FORMULA, PROGRAM: Kind.PROGRAM, "none.rasp": Kind.PROGRAM, MODEL: Kind.NETWORK,
        CERTIFICATE: Kind.NETWORK, SOFTENED: Kind.NETWORK, "none.json": Kind.NETWORK,
        "model without a suffix": Kind.NETWORK, "Q_a": Kind.FORMULA}


def test_standard_input_is_a_formula_or_a_network(certify: Any, files: None) -> None:
    assert certify("run", "-", "ab", "--alphabet", "ab", stdin=b"Q_a since Q_b").code == 0
    piped = certify("run", "-", "ab", "--json", stdin=Path(MODEL).read_bytes())
    assert (piped.code, piped.json) == (0, certify("run", MODEL, "ab", "--json").json)
    assert certify("model", "-", "--max-n", "2", stdin=Path(CERTIFICATE).read_bytes()).code == 0
    assert "found a model file" in certify("formula", "-", stdin=Path(MODEL).read_bytes()).err


@pytest.mark.parametrize(("name", "arguments", "status"), [
    ("trained_mean", ("run", "-", "01"), 0), ("trained_mean", ("decide", "-", "--max-n", "2"), 0),
    ("trained_mean", ("floats", "-", "--max-n", "2", "--format", "binary32"), 0),
    ("trained_tracks", ("decide", "-"), 0),
    ("trained_tracks_wrong_input", ("decide", "-"), 1)])
def test_a_trained_network_is_read_from_standard_input_as_from_a_file(certify: Any, name: str,
                                                                      arguments: tuple[str, ...], status: int) -> None:
    path = ROOT / "tests" / "corpus" / "accepted" / f"{name}.cert"
    piped = certify(*arguments, stdin=path.read_bytes())
    read = certify(*(str(path) if argument == "-" else argument for argument in arguments))
    assert piped.code == read.code == status
    assert piped.out.replace("-", "") == read.out.replace(str(path), "-").replace("-", "")


@pytest.mark.parametrize("path", [MODEL, CERTIFICATE])
def test_every_command_about_networks_reads_models_and_certificates(certify: Any, files: None, path: str) -> None:
    assert read_request(path).network == read_request(MODEL).network
    assert certify("run", path, "aba").code == 0
    assert certify("model", path, "--max-n", "3").code == 0
    assert certify("audit", "--model", path, "--max-n", "3", "--critical", "none").code == 0
    assert certify("export", path, "--to", "coq", "--unchecked", "-o", "proof").code == 3  # nobody asks Coq


@pytest.mark.parametrize(("arguments", "code"), [
    (("run", SOFTENED, "01-"), 0), (("soften", SOFTENED, "--max-n", "2", "--critical", "none"), 0),
    (("model", SOFTENED, "--max-n", "2"), 3), (("audit", "--model", SOFTENED, "--max-n", "2", "--critical", "none"), 3),
])
def test_a_softened_certificate_is_read_by_every_command_about_networks(
        certify: Any, files: None, arguments: tuple[str, ...], code: int) -> None:
    result = certify(*arguments)
    assert result.code == code and "Traceback" not in result.err


@pytest.mark.parametrize("arguments", [("prove", SOFTENED), ("export", SOFTENED, "--to", "coq", "-o", "proof")])
def test_where_a_formula_is_needed_a_softened_certificate_is_refused_in_one_line(
        certify: Any, files: None, arguments: tuple[str, ...]) -> None:
    result = certify(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == ("certify: soft.cert: output 'last bit': its meaning is not a truth, expected the truth of a "
                          "formula\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (("formula", MODEL), "m.json: found a model file, expected a formula or a program (.rasp or .cr); "
                         "certify model m.json"),
    (("build", CERTIFICATE), "c.cert: found a certificate, expected a formula or a program (.rasp or .cr); "
                             "certify check c.cert"),
    (("explain", SOFTENED), "soft.cert: found a certificate, expected a formula or a program (.rasp or .cr); "
                            "certify check soft.cert"),
    (("model", PROGRAM), "p.rasp: found a program (.rasp or .cr), expected a model file or a certificate; "
                         "certify run p.rasp WORD"),
    (("audit", "--model", PROGRAM), "p.rasp: found a program (.rasp or .cr), expected a model file or a certificate; "
                                    "certify run p.rasp WORD"),
    (("export", PROGRAM, "--to", "coq", "-o", "x"),
     "p.rasp: found a program (.rasp or .cr), expected a model file or a certificate; certify run p.rasp WORD"),
    (("audit", "--formula", MODEL), "m.json: found a model file, expected a formula or a program (.rasp or .cr); "
                                    "certify model m.json"),
])
def test_a_subject_that_makes_no_sense_is_refused_in_one_line(
        certify: Any, files: None, arguments: tuple[str, ...], message: str) -> None:
    result = certify(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"certify: {message}\n")


@pytest.mark.parametrize("command", [("run", MODEL, "ab"), ("prove", MODEL), ("run", CERTIFICATE, "ab")])
@pytest.mark.parametrize("option", [("--alphabet", "ab"), ("--causal",), ("--regime", "position"),
                                    ("--predicate", "P(k) := k > 1")])
def test_an_option_that_a_file_says_itself_is_refused_with_the_same_words(
        certify: Any, files: None, command: tuple[str, ...], option: tuple[str, ...]) -> None:
    result = certify(*command, *option)
    assert (result.code, result.err) == (
        2, f"certify: {option[0]}: {command[1]} states this itself, expected it with a formula\n")


@pytest.mark.parametrize("kind", REFUSED)
def test_each_kind_of_subject_refuses_every_option_of_its_row(files: None, kind: Kind) -> None:
    name = {Kind.FORMULA: "Q_a", Kind.PROGRAM: PROGRAM, Kind.NETWORK: MODEL}.get(kind)
    language: dict[str, Any] = {Kind.REGEX: {"regex": "(ab)*"}, Kind.DFA: {"dfa": "a.att"}}.get(kind, {})
    given: dict[str, Any] = {
        "alphabet": "ab", "symbol": "a", "predicates": ("P(k) := k > 1",), "regime": "position", "causal": True,
        "as_printed": True, "dialect": "spot", "attention": "hard", "weighting": "sparsemax", "precision": "bfloat16"}
    for option in REFUSED[kind]:
        with pytest.raises(InputError, match=f"^{as_option(option)}: "):
            read_request(name, Options(**language, **{option: given[option]}))


def test_a_program_that_is_run_takes_no_option_of_a_formula(files: None) -> None:
    given: dict[str, Any] = {"gamma": "2", "temperature": "1/n", "causal": True}
    for option, value in given.items():
        with pytest.raises(InputError, match=f"^{as_option(option)}: p.rasp states this itself, "
                                             "expected it with a formula"):
            read_request(PROGRAM, Options(**{option: value}), programs=Programs.RUN)


def test_a_certificate_that_claims_another_formula_than_its_network_means_is_refused(certify: Any, files: None) -> None:
    data = json.loads(Path(CERTIFICATE).read_text(encoding="utf-8"))
    data["claim"]["formula"] = "Q_b since Q_a"
    Path("other.cert").write_text(json.dumps(data), encoding="utf-8")
    for command in (("run", "other.cert", "ab"), ("model", "other.cert"), ("prove", "other.cert")):
        result = certify(*command)
        assert (result.code, result.err) == (
            2, "certify: other.cert: claim: its formula is not Q_a since Q_b, which is what the output means\n")


def test_a_factor_of_a_model_is_the_constant_of_its_formula(certify: Any, files: None) -> None:
    """Its scores are multiplied: 3 times 2 is the network of the constant 6."""
    doubled = read_request(MODEL, Options(gamma="2")).network
    assert doubled == read_request("Q_a since Q_b", Options(alphabet="ab", gamma="6")).network
