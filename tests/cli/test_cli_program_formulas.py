"""A program where a formula is expected, and hard attention on the command line."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from certify.asking.programs import read_program, run_any_program
from certify.frame.shipped import examples_folder
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer, transformer_from_json
from constructions.network.weightings import Weighting
from proofs.words.replay import run_soft
from tests.cli.reports import without_seconds

PROGRAMS = examples_folder() / "programs"
FLIP_FLOP, K_HOP_2, N_GRAM = (str(PROGRAMS / f"{name}.rasp") for name in ("flip_flop", "k_hop_2", "n_gram"))
LAST = "alphabet ab  auxiliary '?'\nlast(i) := rightmost j [j<i, true] in(j) : '?'"


def write(text: str, name: str = "p.rasp") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_a_program_denotes_the_formula_of_its_boolean_output(certify: Any) -> None:
    data = certify("formula", FLIP_FLOP, "--max-n", "4", "--json", "-o", "f.cert").json
    assert (data["verdict"], data["alphabet"]) == ("certified", ["w", "r", "i", "0", "1"])
    assert data["formula"].startswith("!O (!prev true & !Q_w | ") and data["formula"].endswith(" & (Q_0 | Q_1)")
    assert certify("check", "f.cert", "--formula", FLIP_FLOP, "--max-n", "4").code == 0


def test_symbol_names_the_value_of_a_symbol_output(certify: Any) -> None:
    path = write(LAST)
    results = {symbol: certify("formula", path, "--symbol", symbol, "--max-n", "3", "--json").json for symbol in "ab?"}
    assert {symbol: data["formula"] for symbol, data in results.items()} == {
        "a": "prev Q_a", "b": "prev Q_b", "?": "!prev true"}
    assert {data["verdict"] for data in results.values()} == {"certified"}
    assert results["?"]["alphabet"] == ["a", "b"]


def test_without_symbol_all_symbols_are_certified_in_turn(certify: Any) -> None:
    path = write(LAST)
    result = certify("formula", path, "--max-n", "3", "-o", "certificates")
    assert result.code == 0
    names = ["p_a", "p_b", "p_symbol_3"]
    assert [line.split()[0] for line in result.out.splitlines() if " certified " in line] == names
    assert sorted(place.name for place in Path("certificates").iterdir()) == [f"{name}.cert" for name in names]
    assert certify("check", "certificates/p_b.cert", "--formula", path, "--symbol", "b").code == 0
    rejected = certify("check", "certificates/p_b.cert", "--formula", path, "--symbol", "a")
    assert rejected.code == 1 and "claim differs" in rejected.out
    data = certify("formula", path, "--max-n", "3", "--json").json
    assert [(entry["name"], entry["about"]) for entry in data["examples"]] == [
        ("p_a", "last is 'a'"), ("p_b", "last is 'b'"), ("p_symbol_3", "last is '?'")]


def test_formulas_are_the_same_rows_and_certificates_with_any_number_of_processes(certify: Any) -> None:
    path = write(LAST)
    alone, shared = (certify("formula", path, "--max-n", "3", "--jobs", jobs, "-o", f"by_{jobs}", "--json")
                     for jobs in ("1", "2"))
    assert alone.code == shared.code == 0
    assert without_seconds(alone.json) == without_seconds(shared.json) and len(alone.json["examples"]) == 3
    written = [{path.name: path.read_bytes() for path in Path(folder).iterdir()} for folder in ("by_1", "by_2")]
    assert written[0] == written[1] and len(written[0]) == 3


def test_a_value_that_never_occurs_has_the_formula_false(certify: Any) -> None:
    path = write("alphabet ab  auxiliary '?'  P(i) := in(i)")
    assert certify("formula", path, "--symbol", "?", "--max-n", "2", "--json").json["formula"] == "false"


def test_integers_with_finitely_many_values_have_a_formula_each(certify: Any) -> None:
    path = write("alphabet ab  P(i) := (2 if Q_a(i) else 0) - 1")
    data = certify("formula", path, "--max-n", "2", "--json").json
    assert {entry["about"]: entry["formula"] for entry in data["examples"]} == {"P is '-1'": "Q_b", "P is '1'": "Q_a"}
    assert certify("formula", path, "--symbol", "-1", "--max-n", "2", "--json").json["formula"] == "Q_b"


def test_explain_build_prove_and_audit_take_programs(certify: Any) -> None:
    explained = certify("explain", K_HOP_2, "--symbol", "b", "--json").json
    assert explained["fragment"] == "TL[prev, since]" and explained["alphabet"] == ["a", "b", "c"]
    assert certify("build", N_GRAM, "--as-formula", "--symbol", "a", "-o", "m.json").code == 0
    output = read_transformer(Path("m.json").read_text(encoding="utf-8")).output
    assert output.startswith("is[")
    options = ("--symbol", "a", "--max-n", "3", "--critical", "none", "--json")
    data = certify("audit", "--formula", write(LAST), *options).json
    assert (data["verdict"], data["formula"]) == ("certified", "prev Q_a")


def test_a_claims_file_may_name_a_program_beside_it(certify: Any) -> None:
    write(LAST)
    Path("claims.toml").write_text('[[claim]]\nname = "last"\nformula = "p.rasp"\nsymbol = "b"\nlengths = "1..4"\n',
                                   encoding="utf-8")
    data = certify("audit", "claims.toml", "--json").json
    assert [claim["verdict"] for claim in data["claims"]] == ["certified"]


@pytest.mark.parametrize(("arguments", "message"), [
    (("formula", "p.rasp", "--symbol", "z"),
     "--symbol: 'z' is not a value of the output last of p.rasp, expected one of a, b, ?"),
    (("explain", "p.rasp"), "p.rasp: the output last is a symbol, expected --symbol with one of a, b, ?"),
    (("build", "p.rasp", "--as-formula"), "p.rasp: the output last is a symbol, expected --symbol with one of a, b, ?"),
    (("formula", FLIP_FLOP, "--symbol", "a"),
     f"--symbol: the output out of {FLIP_FLOP} is a truth value, expected no symbol"),
    (("formula", "Q_a", "--symbol", "a"),
     "--symbol: a formula has no output of symbols, expected it with a program (.rasp or .cr)"),
    (("check", "none.cert", "--symbol", "a"), "--symbol: says how to read --formula, which is missing"),
    (("formula", "p.rasp", "--symbol", "a", "--predicate", "T(k,n) := k == 1"),
     "--predicate: a program does not take this option, expected it with a formula"),
    (("formula", "p.rasp", "--min-n", "2"),
     "--min-n: the formulas of all symbols (there is no --symbol) do not take it"),
    (("formula", "p.rasp", "--symbol", "a", "--alphabet", "ab"),
     "alphabet 'a, b': the program states its own, expected only one"),
    (("formula", "none.rasp"), "none.rasp: No such file or directory"),
    (("build", "p.rasp", "--symbol", "a"),
     "--symbol: p.rasp states this itself, expected it with --as-formula"),
    (("build", "p.rasp", "--causal"), "--causal: p.rasp states this itself, expected it with --as-formula"),
    (("build", "Q_a", "--as-formula"), "--as-formula: expected it with a program (.rasp or .cr)"),
    (("build", "p.rasp", "--symbol", "a", "--weighting", "hard", "--as-formula", "--temperature", "1/n"),
     "--temperature: hard attention has no temperature, expected it without --weighting hard"),
    (("run", "p.rasp", "ab", "--weighting", "hard"),
     "--weighting: p.rasp states this itself, expected it with a formula"),
])
def test_what_does_not_fit_gets_one_line(certify: Any, arguments: tuple[str, ...], message: str) -> None:
    write(LAST)
    result = certify(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"certify: {message}\n")


def test_a_wrong_program_gets_a_caret_where_a_formula_is_expected(certify: Any) -> None:
    result = certify("formula", write("alphabet ab\nP(i) := in(i) & true\n"))
    assert result.code == 2
    assert result.err.splitlines() == [
        "certify: p.rasp, line 2, column 9: found a symbol, expected a truth value",
        "P(i) := in(i) & true",
        "        ^",
    ]


@pytest.mark.parametrize("command", [("formula",), ("explain",), ("build", "--as-formula"), ("prove",)])
def test_a_program_without_a_formula_is_unsupported_and_what_it_has_instead_is_named(
        certify: Any, command: tuple[str, ...]) -> None:
    lines = "alphabet ab\nn(i) := psum j [j<=i] 1 if Q_a(j) else 0\n"
    path = write(lines + "out(i) := rightmost j [j<i, n(j) = n(i)] Q_a(j) : false")
    result = certify(command[0], path, *command[1:])
    assert (result.code, result.out) == (3, "")
    assert result.err == ("certify: unsupported: p.rasp, line 3, column 29: counts at two positions are compared, for "
                          "which LTL with counts has no formula; its network with hard attention is certified by "
                          "certify soften\n")
    assert certify("soften", path, "--max-n", "3", "--critical", "none").code == 0
    result = certify(command[0], write(lines + "m(i) := psum j [j<=i] n(j)\nout(i) := m(i) = 2"), *command[1:])
    assert "; nor has it a network with hard attention: m(i): " in result.err and result.code == 3


def test_an_integer_without_a_bound_has_a_formula_for_each_value(certify: Any) -> None:
    path = write("alphabet ab\nn(i) := psum j [j<=i] 2 if Q_a(j) else 0\nout(i) := n(i) - pos(i)")
    certified = certify("formula", path, "--symbol", "-2", "--max-n", "5", "--json").json
    assert (certified["verdict"], certified["formula"]) == ("certified", "2*#<[Q_a] + 2 == #<[true]")
    assert certify("formula", path).err == ("certify: p.rasp: the output out is an integer without a bound, expected "
                                            "--symbol with an integer\n")
    assert certify("explain", path, "--symbol", "a").err == (
        "certify: --symbol: 'a' is not a value of the output out of p.rasp, expected an integer\n")


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


def test_run_with_hard_attention_shows_the_truth_exactly(certify: Any) -> None:
    result = certify("run", "Q_a since next Q_b", "abab", "--weighting", "hard", "--json").json
    assert result["truth"] == [True, False, True, False]
    (output,) = [entry for entry in result["directions"] if entry["direction"] == "is[Q_a since next Q_b]"]
    assert output["hard"] == ["1", "0", "1", "0"]
    assert output["soft_lower"] == output["soft_upper"]


def test_the_truth_of_a_program_is_what_its_formula_holds(certify: Any) -> None:
    truth = certify("run", FLIP_FLOP, "w1r1r0", "--json").json["truth"]
    formula = certify("formula", FLIP_FLOP, "--max-n", "1", "--json").json["formula"]
    parse_formula(formula, "wri01")
    assert certify("run", formula, "w1r1r0", "--alphabet", "wri01", "--json").json["truth"] == truth
