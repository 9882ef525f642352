"""Every command in text and in JSON: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.formula.examples import load_examples
from certify.frame.numbers import decimal_lower, decimal_upper
from constructions.compiler import is_counting
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import subformulas

KEYS = {"verdict", "formula", "alphabet", "max_n", "regime", "obligations", "worst_error", "seconds"}
COMMANDS = ["formula", "check", "checker", "audit", "build", "model", "run", "explain", "prove", "soften", "margin",
            "sensitivity", "cross-entropy", "floats", "import", "decide", "learn", "equal", "train", "export",
            "crosscheck", "list", "examples", "docs", "help", "site", "card", "mcp"]
SINCE = "(Q_a | Q_b) since Q_a"
REFUTABLE = ("Q_1 since next Q_0", "--alphabet", "01", "--gamma", "13/10", "--max-n", "6")
BEYOND_THE_REGIME = ("ODD(#<[Q_1])", "--alphabet", "01", "--regime", "position", "--causal")


# -- formula -----------------------------------------------------------------------------------------------------------


def test_formula_prints_the_claim_a_row_per_head_and_the_verdict(certify: Any) -> None:
    result = certify("formula", "Q_1 since prev Q_0", "--alphabet", "01", "--max-n", "4")
    lines = result.out.splitlines()
    assert result.code == 0
    assert lines[:3] == ["formula   Q_1 since prev Q_0", "alphabet  {0, 1}", "regime    temperature"]
    assert lines[3].startswith("claim     for every n <= 4, every word of length n and every position")
    rows = [re.split(r"  +", line.strip()) for line in lines if line.startswith("Theorem")]
    assert [row[:6] for row in rows] == [
        ["Theorem 12a", "1.1", "rightmost even position", "prev Q_0", "2", "3, 3"],
        ["Theorem 12a", "1.2", "rightmost odd position", "prev Q_0", "4", "4, 4"],
        ["Theorem 15a", "4.1", "rightmost deciding position", "Q_1 since prev Q_0", "10", "4, 4"],
    ]
    # one competitor at distance 2, scores 6 apart; and three at distances 1, 2, 3, scores 3 apart
    others = math.exp(-3) + math.exp(-6) + math.exp(-9)
    for row, error in ((rows[1], 1 / (1 + math.exp(6))), (rows[2], others / (1 + others))):
        assert row[6:] == [decimal_upper(Fraction(error), 6), decimal_lower(Fraction(1, 4) - Fraction(error), 6)]
    assert lines[-1].startswith("CERTIFIED  ")
    assert result.err == ""


def test_formula_json_has_the_documented_keys_and_types(certify: Any) -> None:
    result = certify("formula", SINCE, "--alphabet", "abc", "--max-n", "4", "--json")
    data = result.json
    assert result.code == 0 and data.keys() >= KEYS and "counterexample" not in data
    assert (data["verdict"], data["formula"], data["alphabet"], data["max_n"], data["regime"], data["causal"]) == (
        "certified", SINCE, ["a", "b", "c"], 4, "temperature", False)
    assert data["obligations"] == data["proved"] == 10
    worst = data["worst_error"]
    assert {name: worst[name] for name in ("head", "n", "i")} == {"head": "1.1", "n": 4, "i": 4}
    greatest = data["greatest_error"]
    assert worst["upper"] == greatest["upper"] > greatest["lower"] and worst["upper"].startswith("0.04978")
    assert (greatest["word"], greatest["position"], greatest["head"]) == (["a", "a", "a", "c"], 4, "1.1")
    assert isinstance(data["seconds"], float)


@pytest.mark.parametrize("options", [("--regime", "position"), ("--causal",), ("--regime", "position", "--causal")])
def test_formula_is_certified_in_the_other_regimes(certify: Any, options: tuple[str, ...]) -> None:
    result = certify("formula", "Q_1 since prev Q_0", "--alphabet", "01", "--max-n", "5", "--json", *options)
    data = result.json
    assert result.code == 0 and data["verdict"] == "certified"
    assert data["regime"] == ("position" if "position" in options else "temperature")
    assert data["causal"] == ("--causal" in options)


def test_the_worst_error_of_since_up_to_64_is_exp_of_minus_3_to_six_digits(certify: Any) -> None:
    result = certify("formula", SINCE, "--alphabet", "abc", "--max-n", "64")
    (row,) = [line for line in result.out.splitlines() if line.startswith("Theorem")]
    assert re.search(r" 2080  +64, 64  0\.0497871  +0\.200212 *$", row)
    assert "CERTIFIED" in result.out


def test_a_refuted_formula_exits_1_with_the_shortest_word_and_its_value(certify: Any) -> None:
    result = certify("formula", *REFUTABLE)
    assert result.code == 1
    assert re.search(
        r"^REFUTED  on the word 0010 \(n = 4\) at position 3, near\[Q_1 since next Q_0\] is 0\.742498, "
        r"expected a number in \[3/4, 1\] because Q_1 since next Q_0 is true there; [0-9.]+ s$",
        result.out, re.MULTILINE)
    assert "\nfailed    layer 4, head 1, near[Q_1 since next Q_0]: the worst error exceeds 1/4\n" in result.out
    assert "!  not proved" in result.out


def test_a_refutation_in_json_has_a_counterexample_whose_value_is_enclosed_outside_the_allowed_range(
        certify: Any) -> None:
    result = certify("formula", *REFUTABLE, "--json")
    data = result.json
    found = data["counterexample"]
    assert result.code == 1 and data["verdict"] == "refuted" and data["proved"] < data["obligations"]
    assert {name: found[name] for name in ("word", "position", "subformula", "expected")} == {
        "word": list("0010"), "position": 3, "subformula": "Q_1 since next Q_0", "expected": True}
    # three visible positions weigh e^(1.3 j): 1/(1 + e^-1.3 + e^-2.6)
    assert (found["value_lower"], found["value_upper"]) == ("0.742497781303", "0.742497781304")
    assert truth_values(parse_formula(data["formula"]), found["word"])[2] is True


@pytest.mark.parametrize(("formula", "subformula"), [
    ("Q_1 since next Q_0", "next Q_0"), ("prev (Q_1 until Q_0) & Q_1", "Q_1 until Q_0"), ("G Q_1", "F !Q_1"),
])
def test_a_causal_regime_does_not_support_what_looks_ahead_and_names_it(
        certify: Any, formula: str, subformula: str) -> None:
    text = certify("formula", formula, "--causal", "--alphabet", "01", "--max-n", "4")
    data = certify("formula", formula, "--causal", "--alphabet", "01", "--max-n", "4", "--json")
    assert text.code == data.code == 3
    assert text.out.splitlines()[-1].startswith(f"UNSUPPORTED  {subformula}: ")
    assert data.json["verdict"] == "unsupported" and data.json["reason"].startswith(f"{subformula}: ")
    assert data.json.keys() >= KEYS


def test_causal_counting_by_position_embeddings_is_unsupported_and_names_the_count(certify: Any) -> None:
    result = certify("formula", *BEYOND_THE_REGIME, "--json")
    assert result.code == 3 and result.json["reason"].startswith("ODD(#<[Q_1]): ")


def test_formula_reads_standard_input_for_a_dash(certify: Any) -> None:
    result = certify("formula", "-", "--alphabet", "01", "--max-n", "3", "--json", stdin=b"Q_1 since\n  Q_0\n")
    assert result.code == 0 and result.json["formula"] == "Q_1 since Q_0"


def test_without_an_alphabet_one_more_symbol_stands_for_all_others(certify: Any) -> None:
    assert certify("formula", "Q_b & Q_a", "--max-n", "2", "--json").json["alphabet"] == ["a", "b", "?"]


def test_formulas_are_printed_in_the_style_asked_for(certify: Any) -> None:
    def first_line(*options: str) -> str:
        return str(certify("formula", "prev Q_1 & Q_0 | Q_1", "--max-n", "2", *options).out.splitlines()[0])

    assert first_line() == "formula   prev Q_1 & Q_0 | Q_1"
    assert first_line("--parenthesize") == "formula   ((prev Q_1) & Q_0) | Q_1"
    assert first_line("--style", "unicode") == "formula   ⊖Q_1 ∧ Q_0 ∨ Q_1"
    assert r"\ominus" in first_line("--style", "latex")


# -- demo --------------------------------------------------------------------------------------------------------------


def causal_options(causal: bool) -> tuple[str, ...]:
    return ("--causal",) if causal else ()


@pytest.mark.parametrize(("regime", "causal"), [
    ("position", True), *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in (
        ("position", False), ("temperature", True), ("temperature", False)))])
def test_the_demo_certifies_every_example_that_fits_and_writes_certificates_that_are_accepted(
        certify: Any, tmp_path: Path, regime: str, causal: bool) -> None:
    examples = load_examples()
    fitting = [e.name for e in examples if not (causal and find_future_subformula(e.formula))
               and not (causal and regime == "position" and any(map(is_counting, subformulas(e.formula))))]
    result = certify("formula", "--max-n", "2", "--regime", regime, *causal_options(causal), "-o", "certificates")
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
    assert all(entry.keys() >= KEYS for entry in data["examples"])
    assert list(tmp_path.iterdir()) == []


def test_a_single_formula_is_not_divided(certify: Any) -> None:
    for option in (("--jobs", "2"), ("--dask", "tcp://127.0.0.1:1")):
        result = certify("formula", "Q_1", *option)
        assert (result.code, result.out, result.err) == (
            2, "", f"certify: {option[0]}: this option is for several formulas, and there is only one\n")


@pytest.mark.usefixtures("few_examples")
def test_the_demo_exits_1_if_an_example_is_refuted(certify: Any) -> None:
    result = certify("formula", "--max-n", "2", "--gamma", "1/10", "--json")
    assert result.code == 1 and result.json["verdict"] == "refuted"


# -- build, model ------------------------------------------------------------------------------------------------------


def test_build_prints_one_json_object_or_writes_it(certify: Any, since_model: dict[str, Any]) -> None:
    printed = certify("build", "Q_1 since Q_0", "--alphabet", "01")
    written = certify("build", "Q_1 since Q_0", "--alphabet", "01", "-o", "m.json")
    assert printed.code == written.code == 0 and written.out == ""
    assert printed.json == since_model == json.loads(Path("m.json").read_text())
    assert printed.out == Path("m.json").read_text()


def test_build_writes_nothing_if_the_formula_is_unsupported(certify: Any, tmp_path: Path) -> None:
    result = certify("build", *BEYOND_THE_REGIME, "-o", "m.json")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith("certify: unsupported: ODD(#<[Q_1]): ") and result.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_model_certifies_what_build_wrote_and_writes_a_certificate(certify: Any) -> None:
    certify("build", "Q_1 since prev Q_0", "--alphabet", "01", "-o", "m.json")
    result = certify("model", "m.json", "--max-n", "5", "-o", "m.cert", "--json")
    assert result.code == 0 and result.json.keys() >= KEYS
    assert (result.json["verdict"], result.json["formula"], result.json["regime"]) == (
        "certified", "Q_1 since prev Q_0", None)
    assert certify("check", "m.cert").code == 0
    text = certify("model", "m.json", "--max-n", "5")
    assert text.code == 0 and "regime    none claimed\n" in text.out and "\nCERTIFIED  " in text.out


def test_model_and_run_also_read_the_transformer_inside_a_certificate(certify: Any, certificate: str) -> None:
    assert certify("model", certificate, "--max-n", "3").code == 0
    assert certify("run", certificate, "0110", "--json").json["formula"] == "Q_1 since Q_0"


def test_model_reads_standard_input_for_a_dash(certify: Any, since_model: dict[str, Any]) -> None:
    result = certify("model", "-", "--max-n", "3", "--json", stdin=json.dumps(since_model).encode())
    assert result.code == 0 and result.json["verdict"] == "certified"


def test_a_model_with_a_wrong_weight_is_refuted_with_a_word(certify: Any, prev_model: dict[str, Any]) -> None:
    prev_model["layers"][-1]["feedforward"]["units"][0]["writes"] = {prev_model["output"]: "3"}
    Path("m.json").write_text(json.dumps(prev_model))
    result = certify("model", "m.json", "--max-n", "4", "--json")
    assert result.code == 1 and result.json["verdict"] == "refuted"
    found = result.json["counterexample"]
    assert found["subformula"] == "Q_1 since prev Q_0" and found["expected"] is True
    assert (found["word"], found["position"]) == (["0", "1"], 2) and float(found["value_lower"]) > 1
    assert certify("model", "m.json", "--max-n", "4").out.count("REFUTED") == 1


def test_a_model_that_is_not_proved_but_true_is_unknown(certify: Any, since_model: dict[str, Any]) -> None:
    since_model["layers"][0]["heads"][0]["weighting"] = "rightmost-hardmax"
    Path("m.json").write_text(json.dumps(since_model))
    result = certify("model", "m.json", "--max-n", "3", "-o", "m.cert", "--json")
    assert result.code == 3 and result.json["verdict"] == "unknown" and result.json["reason"]
    assert not Path("m.cert").exists()
    assert result.err == "certify: unknown, so no certificate was written\n"


# -- run ---------------------------------------------------------------------------------------------------------------


def test_run_json_has_the_truth_by_position(certify: Any) -> None:
    result = certify("run", "Q_1 since next Q_0", "011010", "--alphabet", "01", "--json")
    assert result.code == 0
    assert result.json["truth"] == [False, False, True, False, True, False]
    assert result.json["satisfied"] is False and result.json["word"] == list("011010")


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


def test_run_prints_a_column_per_position(certify: Any) -> None:
    result = certify("run", "Q_1 since Q_0", "0110", "--alphabet", "01")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["symbol", "0", "1", "1", "0"] in rows and ["position", "1", "2", "3", "4"] in rows
    assert ["Q_1", "truth", ".", "T", "T", "."] in rows
    assert result.out.endswith("\nthe word does not satisfy Q_1 since Q_0 at its last position\n")


def test_build_writes_the_predicates_of_the_user_into_the_model(certify: Any) -> None:
    model = certify("build", "THIRD(#<[Q_a])", "--predicate", "THIRD(i, n) := i % 3 = 1").json
    assert model["predicates"] == ["THIRD(k) := k%3 == 1"]
    assert model["position_embedding"]["before[THIRD]"] == "[THIRD](i-1)"


def test_build_can_count_to_the_letter_of_the_paper(certify: Any) -> None:
    shipped, printed = (certify("build", "#<[Q_1] >= 2", *option).json for option in ((), ("--as-printed",)))
    kinds = {kind: [meaning["kind"] for meaning in model["directions"].values()].count(kind)
             for kind, model in (("others", shipped), ("any", printed))}
    assert kinds == {"others": 1, "any": 4}


def test_run_of_an_unsupported_formula_shows_the_truth_and_says_that_there_is_no_network(certify: Any) -> None:
    result = certify("run", "ODD(#<[Q_1])", "01101", *BEYOND_THE_REGIME[1:], "--json")
    assert (result.code, result.json["truth"]) == (0, [False, True, False, False, True])
    assert "ODD(#<[Q_1])" in result.json["note"] and result.json["directions"] == []


def test_run_shows_the_number_the_mean_and_the_lookup_of_every_count(certify: Any) -> None:
    result = certify("run", "#<[Q_1] >= 2", "0110", "--alphabet", "01")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["#<[Q_1]", "number", "0", "1", "2", "2"] in rows and ["mean", "0", "1/2", "2/3", "1/2"] in rows
    assert ["hard", "others", "0", "0", "1", "2"] in rows
    mean, others = (trace for trace in certify("run", "#<[Q_1] >= 2", "0110", "--alphabet", "01", "--json")
                    .json["directions"] if "count" in trace)
    assert (mean["direction"], mean["count"], mean["number"]) == ("mean[#<[Q_1]]", "#<[Q_1]", [0, 1, 2, 2])
    assert mean["soft_lower"][1] == mean["soft_upper"][1] == "0.5"
    assert others["hard"] == ["0", "0", "1", "2"]


def test_counting_as_printed_is_refuted_on_a_word_of_one_symbol(certify: Any) -> None:
    data = certify("formula", "ODD(#<[Q_1])", "--alphabet", "01", "--max-n", "5", "--as-printed", "--json").json
    found = data["counterexample"]
    assert data["verdict"] == "refuted"
    assert (found["word"], found["position"], found["direction"]) == (["0"], 1, "near[ODD(#<[Q_1])]")
    assert (found["value_lower"], found["allowed"]) == ("1", ["0", "1/4"])


def test_run_takes_predicates_of_the_user(certify: Any) -> None:
    result = certify("run", "THIRD", "aaaa", "--alphabet", "a", "--json", "--predicate", "THIRD(k,n) := k % 3 == 1")
    assert result.json["truth"] == [True, False, False, True]


def test_one_name_for_two_predicates_is_refused(certify: Any) -> None:
    result = certify("run", "T", "a", "--predicate", "T(k) := k == 1", "--predicate", "T(k) := k == 2")
    assert (result.code, result.err) == (2, "certify: predicate T: defined twice, expected distinct names\n")


def test_run_of_a_model_file_takes_words_with_long_symbols(certify: Any) -> None:
    certify("build", "prev Q_ab", "--alphabet", "ab,c", "-o", "m.json")
    assert certify("run", "m.json", "c,ab,c", "--json").json["truth"] == [False, False, True]


def test_run_takes_a_formula_from_standard_input(certify: Any) -> None:
    assert certify("run", "-", "01", "--alphabet", "01", "--json", stdin=b"prev Q_0").json["truth"] == [False, True]


def test_run_takes_a_formula_longer_than_a_file_name(certify: Any) -> None:
    assert certify("run", " & ".join(["Q_1"] * 100), "1", "--json").json["truth"] == [True]


# -- explain, list -----------------------------------------------------------------------------------------------------


def test_explain_names_fragment_statements_temperatures_and_embeddings(certify: Any) -> None:
    result = certify("explain", "Q_1 since prev Q_0", "--alphabet", "01")
    assert result.code == 0 and result.err == ""
    for fact in ("fragment  TL[prev, since]; 4 subformulas", "gamma     3, the constant in front of the scores",
                 "regime temperature\n", "regime position, causal\n", "Theorem 12a; Theorem 15a", "1/i^2"):
        assert fact in result.out


def test_explain_json_has_an_entry_per_regime_with_its_network_or_the_reason(certify: Any) -> None:
    data = certify("explain", "Q_1 since next Q_0", "--alphabet", "01", "--json").json
    assert (data["fragment"], data["gamma"], data["alphabet"]) == ("LTL", "3", ["0", "1"])
    assert [(entry["regime"], entry["causal"]) for entry in data["regimes"]] == [
        ("temperature", False), ("position", False), ("temperature", True), ("position", True)]
    assert [entry.get("temperature") for entry in data["regimes"]] == [["1/n"], ["1"], None, None]
    assert all(entry["unsupported"].startswith("next Q_0: ") for entry in data["regimes"][2:])


def test_explain_names_the_statements_on_counting(certify: Any) -> None:
    data = certify("explain", "#<[prev Q_1] >= 2", "--alphabet", "01", "--json").json
    assert [entry.get("statements") for entry in data["regimes"]] == [
        ["Proposition 11 a", "Proposition 11 a, remark", "Theorem 12a", "Theorem 20a"],
        ["Proposition 11 a", "Proposition 11 a, remark", "Theorem 12b", "Theorem 20b"],
        ["Proposition 11 a", "Proposition 11 a, remark", "Theorem 13a", "Theorem 21"], None]


def test_list_shows_examples_predicates_and_statements(certify: Any) -> None:
    text, data = certify("list", "--all"), certify("list", "--json")
    assert text.code == data.code == 0
    assert [entry["name"] for entry in data.json["examples"]] == [example.name for example in load_examples()]
    assert {entry["name"] for entry in data.json["predicates"]} >= {"ODD", "EVEN", "MOD", "FIRST", "LAST", "PRIME"}
    assert {"Theorem 15 a, b", "Theorem 20 a, b"} <= {entry["name"] for entry in data.json["statements"]}
    for section in ("examples", "predicates", "statements"):
        assert f"{section}\n" in text.out and data.json[section][0]["name"] in text.out


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_describes_every_command_in_a_whole_sentence(certify: Any, arguments: tuple[str, ...]) -> None:
    result = certify(*arguments)
    listed = result.out.split("Begin with:")[1].split("Options of most commands:")[0]
    rows = dict(re.findall(r"^  ([\w-]+) +(\S.*)$", listed, re.MULTILINE))
    assert result.code == 0 and result.err == ""
    assert sorted(rows) == sorted(COMMANDS)
    assert all(text.endswith(".") and not text.endswith("...") for text in rows.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_its_options(certify: Any, command: str) -> None:
    result = certify(command, "--help")
    assert result.code == 0 and "Options:" in result.out and f"Usage: certify {command} " in result.out
