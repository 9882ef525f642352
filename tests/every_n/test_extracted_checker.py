"""The checker that Coq extracts: without axioms, complete, and strict about what it reads."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certify.exports.extracted_checkers import write_extracted_checker
from constructions.compiler import compile_formula
from constructions.errors import InputError, InternalError
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from constructions.regimes import Regime
from proofs.every_n import ProvedLengths
from proofs.every_n.extracted import (
    EVERY_N,
    READERS,
    OCamlMissing,
    compiled_files,
    extract_checker,
    find_ocaml,
)
from proofs.every_n.kernel import Coq
from tests.with_ocaml import canonical, extracted, judge, ocaml_or_skip, program_place, run_program

ROOT = Path(__file__).parents[2]
TEXT = "ODD(#<[Q_a]) & prev Q_b"
SAID = "for every n, every word of length n over {a, b} and every position: the output is exactly 1 if %s, else 0"
Model = dict[str, Any]


def model(text: str = TEXT, *definitions: str) -> Model:
    formula = parse_formula(text, "ab", parse_predicate_definitions(definitions))
    return transformer_to_json(compile_formula(formula, "ab", Regime()))


def written(folder: Path, content: Model | str | bytes) -> Path:
    path = folder / "model.json"
    text = write_canonical(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def test_the_users_predicates_are_known_up_to_a_length() -> None:
    path = ROOT / "tests" / "corpus" / "accepted" / "a_difference_that_is_square.cert"
    assert judge(path, lengths=ProvedLengths(1, 3)).word == "proved"


# -- what is built -----------------------------------------------------------------------------------------------------


def test_the_makefile_builds_every_reader_and_what_is_extracted() -> None:
    files = compiled_files((READERS / "Makefile").read_text(encoding="utf-8"))
    assert sorted(files) == sorted(["checker.ml", "checker.mli", *(path.name for path in READERS.glob("*.ml"))])


def test_every_file_of_the_program_is_explained_in_its_readme() -> None:
    explained = set(re.findall(r"`(\w+\.\w+)`", (READERS / "README.md").read_text(encoding="utf-8")))
    assert {path.name for path in READERS.iterdir() if path.suffix in (".ml", ".v")} <= explained


def test_the_checker_is_extracted_without_axioms_and_with_nothing_that_can_fail() -> None:
    source = extracted(EVERY_N)["checker.ml"]
    assert "let check_file " in source and "let find_refusal_for " in source
    assert re.findall(r"\b(AXIOM|failwith|assert|Obj|external|int|raise|exception)\b", source) == []


def script(folder: Path, body: str) -> Coq:
    program = folder / "coqc"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return Coq(str(program), "8.16.1")


def named_by_text(value: object) -> str | None:
    """Tests are named by texts, not by functions, whose addresses differ from run to run."""
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(("body", "complaint"), [
    ("printf 'Axioms:\\nclassic : forall P : Prop, P\\n'", r"rests on axioms: classic : forall P : Prop, P$"),
    ("echo nothing", "does not say whether the checker that it extracts rests on axioms"),
    ("echo 'Error: no' >&2; exit 1", r"Coq 8.16.1 does not extract the checker: no$"),
])
def test_no_checker_is_written_where_coq_names_axioms_or_says_nothing(tmp_path: Path, body: str,
                                                                      complaint: str) -> None:
    with pytest.raises(InternalError, match=complaint):
        extract_checker(script(tmp_path, body), tmp_path)


def test_without_ocaml_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OCamlMissing, match=r"^ocamlopt is not on the path; install OCaml"):
        find_ocaml()


def test_the_folder_is_whole_its_program_runs_and_it_is_never_written_over(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of these sources is the one that all tests here run; OCaml does not compile it once more."""
    ocaml_or_skip()
    sources = {**EVERY_N.own_sources(), **extracted(EVERY_N)}
    built = [(sources, find_ocaml(), EVERY_N)]
    monkeypatch.setattr("certify.exports.extracted_checkers.build_checker",
                        lambda *given: program_place().read_bytes() if given == built.pop() else b"")
    place = write_extracted_checker(str(tmp_path / "every-n"))
    assert {path.name for path in place.parent.iterdir()} == {*sources, EVERY_N.name} and not built
    done = subprocess.run([place, written(tmp_path, model())], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "proved")
    with pytest.raises(InputError, match="the folder is not empty"):
        write_extracted_checker(str(tmp_path / "every-n"))


# -- what it reads -----------------------------------------------------------------------------------------------------


def test_a_model_file_and_its_certificate_are_proved(tmp_path: Path) -> None:
    claim = {"formula": TEXT, "alphabet": ["a", "b"], "max_n": 4, "regime": "temperature", "causal": False}
    certificate = {"format": "certify-certificate", "version": 1, "claim": claim, "transformer": model(), "bounds": []}
    for content in (model(), certificate):
        found = judge(written(tmp_path, content))
        assert (found.status, found.word, found.text) == (0, "proved", SAID % TEXT)


@pytest.mark.parametrize("lengths", [ProvedLengths(2), ProvedLengths(1, 8), ProvedLengths(3, 5)], ids=str)
def test_the_line_says_for_which_lengths_if_they_are_given(tmp_path: Path, lengths: ProvedLengths) -> None:
    path = written(tmp_path, model())
    assert judge(path, lengths=lengths).text == (SAID % TEXT).replace("every n", str(lengths), 1)
    refused = judge(path, "Q_a", lengths)
    assert (refused.status, refused.word) == (3, "unproved")
    assert refused.text.startswith(f"Q_a, for {lengths}: the checker does not accept this network")


@pytest.mark.parametrize(("arguments", "problem"), [
    (("--min-n", "0"), 'certify-every-n: --min-n: found "0", expected 1 to 100000'),
    (("--min-n", "3", "--max-n", "2"), 'certify-every-n: --max-n: found "2", expected 3 to 100000'),
    (("--max-n", "100001"), 'certify-every-n: --max-n: found "100001", expected 1 to 100000'),
    (("--max-n", "99999999999999999999"), 'certify-every-n: --max-n: found "99999999999999999999", expected 1 to'),
    (("--max-n", "8.5"), 'certify-every-n: --max-n: found "8.5", expected 1 to 100000'),
    (("--max-n", "8", "--max-n", "9"), "usage: "),
    (("--max-n",), "usage: "),
    (("--canonical", "--min-n", "2"), "usage: "),
], ids=str)
def test_lengths_that_are_none_are_refused_before_a_file_is_read(arguments: tuple[str, ...], problem: str) -> None:
    done = run_program(*arguments, "none.json")
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr.decode("ascii").startswith(problem)


def test_a_model_in_another_spelling_is_not_judged_but_written_in_its_own(tmp_path: Path) -> None:
    content = model()
    content["token_embedding"]["b"]["is[Q_a]"] = "0"
    content["layers"][0]["heads"][0]["queries"][0] = {"one": "12/2"} | content["layers"][0]["heads"][0]["queries"][0]
    path = written(tmp_path, json.dumps(dict(reversed(content.items()))))
    found = judge(path)
    assert (found.status, found.word, found.text) == (
        2, "malformed", "line 1: not as certify writes what was read; certify-every-n --canonical FILE writes it so")
    text = canonical(path)
    assert text == write_canonical(transformer_to_json(read_transformer(json.dumps(content))))
    assert judge(written(tmp_path, text)).word in ("proved", "unproved")


@pytest.mark.parametrize("place", range(0, 6000, 700))
def test_a_byte_changed_in_a_model_is_read_or_is_not_its_spelling(tmp_path: Path, place: int) -> None:
    """After a change of a space or of a head's name, another text is read, or the file is not a model."""
    data = bytearray(write_canonical(model()).encode("ascii"))
    place %= len(data)
    data[place] ^= 1
    found = judge(written(tmp_path, bytes(data)))
    try:
        network = read_transformer(data.decode("ascii"))
    except InputError:
        assert found.word == "malformed"
    else:
        is_spelling = write_canonical(transformer_to_json(network)).encode("ascii") == data
        assert (found.word == "malformed") is not is_spelling


def test_another_formula_that_is_asked_for_is_not_proved(tmp_path: Path) -> None:
    path = written(tmp_path, model())
    assert judge(path, f"({TEXT})").word == "proved"
    assert judge(path, "let p = ODD(#<[Q_a]); q = prev Q_b; p & q").word == "proved"
    for asked in ("let p = Q_a; p = Q_b; p", "let ODD = Q_a; Q_a", "let p = Q_a", "p = Q_a; p", "let p = q; p"):
        assert judge(path, asked).word == "malformed"
    found = judge(path, "prev Q_b & ODD(#<[Q_a])")
    assert (found.status, found.word, found.place) == (
        3, "unproved", "the output does not mean the truth of the formula")


def test_a_refusal_names_the_head_and_what_it_reads_there(tmp_path: Path) -> None:
    content = json.loads((ROOT / "examples" / "models" / "first_by_logarithm.json").read_text(encoding="utf-8"))
    content["directions"]["log"] = {"kind": "position", "value": "ln(n)"}
    content["position_embedding"]["log"] = "ln(n)"
    (head,) = content["layers"][0]["heads"]
    head["temperature"], head["queries"] = "1/2", [{"log": "1"}]
    assert judge(written(tmp_path, respelt(tmp_path, content))).word == "proved"
    head["queries"] = [{"log": "1", "one": "1"}]
    found = judge(written(tmp_path, respelt(tmp_path, content)))
    assert (found.status, found.word, found.place) == (
        3, "unproved", "layer 1, heads: bit at the first position (head 1): the query reads log, expected truths, "
        "counts, and powers of i and n; a factor such as ln(n) must be one of the temperature, or of all that the "
        "query reads")


def respelt(folder: Path, content: Model) -> str:
    """Return the model in the one spelling that the program judges."""
    text = canonical(written(folder, json.dumps(content)))
    assert text is not None
    return text


def allocated(path: Path) -> int:
    """Return the words that the program allocates in order to prove the model of a file."""
    done = subprocess.run([program_place(), path], capture_output=True, check=True, env={"OCAMLRUNPARAM": "v=0x400"})
    return int(re.findall(rb"minor_words: (\d+)", done.stderr)[0])


def test_work_grows_with_the_number_of_letters_and_not_with_its_square(tmp_path: Path) -> None:
    letters = [f"s{k}" for k in range(400)]
    formula = parse_formula("Q_s0 since Q_s1", letters)
    used = [allocated(written(tmp_path, transformer_to_json(compile_formula(formula, letters[:number], Regime()))))
            for number in (50, 100, 200, 400)]
    # as many words for each letter, from the third number on as from the first on
    assert (used[3] - used[2]) < 5 * (used[1] - used[0])


def test_a_certificate_that_claims_another_formula_is_not_proved(tmp_path: Path) -> None:
    content = {"format": "certify-certificate", "claim": {"formula": "Q_a"}, "transformer": model(), "bounds": []}
    assert judge(written(tmp_path, content)).word == "unproved"


def test_lines_that_look_like_the_transformer_of_a_certificate_are_not_taken_for_it(tmp_path: Path) -> None:
    """The lines begin as those of the transformer in a canonical certificate do, but are inside something else."""
    start = {"format": "certify-certificate", "claim": {"formula": TEXT}, "transformer": model()}
    lines = write_canonical({"transformer": model()}).removeprefix("{\n").removesuffix("\n}\n")
    text = f'{json.dumps(start).removesuffix("}")}, "other": {{\n{lines}\n}}}}\n'
    found = judge(written(tmp_path, text))
    assert (found.status, found.word) == (2, "malformed") and "line 1: not as certify writes" in found.text
    assert canonical(tmp_path / "model.json") == write_canonical(model())


@pytest.mark.parametrize("text", [
    "H (Q_a -> O Q_b)", "Q_a S Q_b | G F Q_a", "!(Q_a <-> Q_b) until (Q_a U Q_b)", "(Q_a -> Q_b) -> Q_a -> Q_b",
    "3*#<[Q_a] - 2*#>[prev Q_b] != 5", "MOD(3,2) & MOD(5,1)(#>[Q_a & Q_b]) | LAST", "-#<[Q_a] + 1 <= 2 - #<[Q_b]",
    "#<[#>[Q_a] >= 3] == 0 & 0 < 1 & true", "(Q_a & Q_b) & Q_a & (Q_b | Q_a)",
])
def test_the_formula_that_is_printed_is_the_one_in_the_file(tmp_path: Path, text: str) -> None:
    shown = SAID.partition("%s")
    found = judge(written(tmp_path, model(text))).text
    assert found.startswith(shown[0]) and found.endswith(shown[2])
    assert parse_formula(found[len(shown[0]):-len(shown[2])], "ab") is parse_formula(text, "ab")


def test_predicates_of_the_user_are_read_and_shown_and_those_without_a_form_in_coq_are_not(tmp_path: Path) -> None:
    found = judge(written(tmp_path, model("THIRD & Q_a", "THIRD(k,n) := k % 3 == 1 and not (SQUARE(n) or k > 7)")))
    where = "; where THIRD(k,n) := k%3 == 1 and not (SQUARE(n) or k > 7)"
    assert (found.word, found.text) == ("proved", SAID % "THIRD & Q_a" + where)
    found = judge(written(tmp_path, model("HALF & Q_a", "HALF(k,n) := 2*k == n/2")))
    assert (found.status, found.word) == (3, "unsupported") and "predicate HALF: / has no Coq form" in found.text


def test_symbols_in_any_script_are_read_and_shown_in_ascii(tmp_path: Path) -> None:
    alphabet = ["(", "é", "'"]
    network = compile_formula(parse_formula(r"prev Q['é'] & !Q['\'']", alphabet), alphabet, Regime())
    path = tmp_path / "model.json"
    text = write_canonical(transformer_to_json(network))
    path.write_text(json.dumps(transformer_to_json(network), ensure_ascii=False), encoding="utf-8")
    assert canonical(path) == text
    path.write_text(text, encoding="utf-8")
    found = judge(path)
    assert found.word == "proved" and r"over {'(', '\u00e9', '\\''}" in found.text


def test_a_letter_does_not_look_like_several(tmp_path: Path) -> None:
    network = compile_formula(parse_formula("prev Q['a, b']", ["a, b", "c"]), ["a, b", "c"], Regime())
    found = judge(written(tmp_path, transformer_to_json(network)))
    assert found.word == "proved" and "over {'a, b', c} and" in found.text


def changed(change: Callable[[Model], object]) -> Model:
    content = model()
    change(content)
    return content


def edited(change: Callable[[Model], object]) -> str:
    return json.dumps(changed(change))


def with_formula(text: str) -> str:
    return edited(lambda m: m["directions"]["is[Q_a]"].update(formula=text))


def with_weight(number: object) -> str:
    return edited(lambda m: m["token_embedding"]["a"].update({"is[Q_a]": number}))


MALFORMED = {
    "": "not JSON: expected a value",
    "null": "found null, expected an object: a model or a certificate",
    "[" * 100_000: "brackets nested deeper than 40",
    '{"a":' * 100_000: "brackets nested deeper than 40",
    "[" + "0," * 2_000_000 + "0]": "more than 1048576 values",
    "[" + "0," * 9_000_000 + "0]": "longer than 16000000 bytes",
    "\0" * 100: "not JSON: expected a value",
    '{"a": 1, "a": 2}': 'key "a" occurs twice in one object, expected once',
    '{"a": NaN}': "a constant that is no number",
    '{"a": 1e400}': "a floating-point number, expected an exact rational",
    '{"a": 01}': "expected no more digits after 0",
    '{"a": ' + "1" * 100_000 + "}": "an integer of 100000 digits, expected at most 1000",
    '{"a": "\\ud800"}': "found a lone surrogate",
    '{"a": "\n"}': "expected no control character in a string",
    json.dumps({}): 'model: no key "format", expected the keys format, version',
}


@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: repr(text[:20]))
def test_what_is_no_model_is_one_line_and_exit_status_2(tmp_path: Path, text: str) -> None:
    found = judge(written(tmp_path, text))
    assert (found.status, found.word) == (2, "malformed") and MALFORMED[text] in found.text


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"',
                                  b"\xe2\x82"])
def test_bytes_that_are_not_utf_8_are_refused(tmp_path: Path, data: bytes) -> None:
    found = judge(written(tmp_path, data))
    assert (found.status, found.word) == (2, "malformed") and "is not UTF-8 text" in found.text


@pytest.mark.parametrize(("make", "problem"), [
    (lambda: edited(lambda m: m.update(more=1)), 'unknown key "more"'),
    (lambda: edited(lambda m: m.update(output="x")), '.output: "x", expected one of the'),
    (lambda: edited(lambda m: m["alphabet"].append("a")), "expected distinct non-empty symbols"),
    (lambda: edited(lambda m: m["layers"][0]["heads"][0]["queries"].append({})), "expected as many (d_k)"),
    (lambda: edited(lambda m: m["layers"][0]["heads"][0].update(mask="left")), "expected one of none, future, past"),
    (lambda: edited(lambda m: m["predicates"].append("ODD(k) := k == 1")), "the name is taken by the language"),
    (lambda: edited(lambda m: m["predicates"].append("A(k) := k")), "found a number, expected a condition"),
    (lambda: edited(lambda m: m["position_embedding"].update({"is[Q_a]": "j"})), "expected i, n or a number"),
    (lambda: edited(lambda m: m["position_embedding"].update({"is[Q_a]": "[Q_a]"})), "predicates on the position"),
    (lambda: with_weight("1/0"), "no zero denominator"),
    (lambda: with_weight("1e5"), "expected a rational"),
    (lambda: with_weight("1" * 1001), "expected a rational"),
    (lambda: with_weight(True), "expected a rational"),
    (lambda: with_formula("Q_c"), 'symbol "c" is not in the alphabet'),
    (lambda: with_formula("Q_a &"), "found the end, expected a formula of the core language"),
    (lambda: with_formula("Q_a W Q_b"), 'found "W", expected the end of the formula'),
    (lambda: with_formula("#<[Q_a]"), "found a number, expected a formula"),
    (lambda: with_formula("$1"), "expected an entry of the table of formulas before here"),
    (lambda: with_formula("#<[Q_a]*#<[Q_a] == 1"), "found a product of two counts"),
    (lambda: with_formula("(" * 100_000 + "Q_a" + ")" * 100_000), "nested more than 1000 deep"),
    (lambda: with_formula("!" * 100_000 + "Q_a"), "nested more than 1000 deep"),
    (lambda: with_formula("*".join(["9" * 900] * 1000) + " >= 0"), "found a number of more than 1000 digits"),
], ids=named_by_text)
def test_what_does_not_fit_in_a_model_is_one_line_that_says_where(tmp_path: Path, make: Callable[[], str],
                                                                   problem: str) -> None:
    found = judge(written(tmp_path, make()))
    assert (found.status, found.word) == (2, "malformed") and problem in found.text


@pytest.mark.parametrize(("make", "problem"), [
    (lambda: with_formula(" & ".join(["Q_a"] * 100_000)), "a formula more than 1000 deep"),
    (lambda: with_formula(" S ".join(["Q_a"] * 60)), "a formula of more than 100000 parts"),
    (lambda: with_formula(" + ".join(["#<[Q_a]"] * 100_000) + " >= 0"), "a comparison of 100000 counts"),
    (lambda: with_formula("MOD(100001,1)"), "which Coq writes in unary: at most 100000 here"),
    (lambda: edited(lambda m: m["layers"][0]["heads"][0].update(weighting="average-hardmax")),
     "weighting average-hardmax, in Coq"),
    (lambda: edited(lambda m: m["layers"][0]["heads"][0].update(temperature="2^(i/n)")), "as it is used here"),
], ids=named_by_text)
def test_what_the_library_has_no_counterpart_of_is_one_line_and_exit_status_3(
        tmp_path: Path, make: Callable[[], str], problem: str) -> None:
    found = judge(written(tmp_path, make()))
    assert (found.status, found.word) == (3, "unsupported") and problem in found.text


@pytest.mark.parametrize("options", [(), ("--canonical",)])
def test_an_output_that_cannot_be_written_is_one_line_and_exit_status_2(tmp_path: Path,
                                                                       options: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run_program(*options, written(tmp_path, model()), stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"certify-every-n: the output cannot be written: No space left on device\n"


def test_where_a_model_is_written_complaints_go_elsewhere(tmp_path: Path) -> None:
    done = run_program("--canonical", written(tmp_path, "{}"))
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr.startswith(b"malformed ")


@pytest.mark.exhaustive
def test_a_check_that_would_go_on_for_hours_ends(tmp_path: Path) -> None:
    path = written(tmp_path, write_canonical(changed(lambda m: m["layers"][0]["heads"][0].update(
        temperature="(n+1)^100000"))))
    found = judge(path)
    assert (found.status, found.word) == (3, "unknown") and "more work than" in found.text


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    found = judge(tmp_path / "none.json")
    assert (found.status, found.word) == (2, "malformed") and "No such file" in found.text


def test_the_page_on_coq_shows_what_the_program_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "coq.md").read_text(encoding="utf-8")
    shown, of_some = re.findall(r"^proved +(.*?): (for every n.*)$", page, re.MULTILINE)
    network = compile_formula(parse_formula("ODD(#<[Q_1])", "01"), "01", Regime())
    path = tmp_path / "model.json"
    path.write_text(write_canonical(transformer_to_json(network)), encoding="utf-8")
    assert judge(path).text == shown[1]
    assert judge(ROOT / "examples" / "models" / of_some[0], lengths=ProvedLengths(1, 8)).text == of_some[1]
