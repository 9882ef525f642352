"""Kinds of claims: each gives the answer of its command, says what it was asked, and refuses bad input in one line."""

import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify import decide
from certify.auditing.api import audit
from certify.auditing.claims_file import parse_claims, read_claim
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.auditing.kinds.kind import OF_FORMULAS
from certify.auditing.kinds.registry import KINDS
from certify.auditing.session import Session
from constructions.errors import InputError
from tests.with_coq import coq_or_skip

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PUBLISHED, MARKER = str(EXAMPLES / "published"), str(EXAMPLES / "models" / "first_by_marker.json")
PAGE = (ROOT / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")
SHOWN = next(block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if 'kind = "prove"' in block)
AUTOMATON = """alphabet = "ab"
start = "even"
accepting = ["even"]

[steps]
even = { a = "odd", b = "wrong" }
odd = { a = "wrong", b = "even" }
wrong = { a = "wrong", b = "wrong" }
"""
FIRST = ("--kind", "nanogpt", "--attention", "causal", "--heads", "1", "--activation", "gelu", "--epsilon", "1e-5")


def import_first(certify: Any) -> Path:
    """Return the trained network FIRST of the examples, as a file in the current folder."""
    assert certify("import", str(EXAMPLES / "trained" / "first"), *FIRST, "-o", "first.json").code == 0
    return Path("first.json").resolve()


def test_the_page_has_one_claim_of_each_kind_and_all_of_its_keys() -> None:
    assert [claim["kind"] for claim in tomllib.loads(SHOWN)["claim"]] == list(KINDS)
    for name, kind in KINDS.items():
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
        told = set(re.findall(r"`([A-Za-z_]+)`", row)) | set(OF_FORMULAS) | {"gamma", "temperature"}
        assert set(kind.keys) <= told, (name, set(kind.keys) - told)


def test_the_claims_of_the_page_come_out_as_they_say(certify: Any) -> None:
    """But the theorem by Coq, which the next test proves."""
    text = SHOWN.replace('model = "first.json"', f'model = "{import_first(certify)}"')
    before, _, behind = text.partition('[[claim]]\nname = "prove"')
    text = before + behind[behind.index("[[claim]]"):]
    session = Session(parse_claims(text, str(EXAMPLES / "claims" / "page.toml")), keeping=False)
    session.run()
    assert {claim.name: (claim.verdict, claim.mismatch) for claim in session.report.claims} == {
        **{name: ("certified", "") for name in KINDS if name not in ("prove", "cross-entropy")},
        "cross-entropy": ("refuted", "")}
    assert [claim.lengths for claim in session.report.claims] == [
        *["1..4"] * 7, "10", "1..4", "every n"]


def test_a_theorem_for_every_n_is_a_claim_with_a_verdict_of_its_own() -> None:
    coq_or_skip()
    found = judge(read_claim({"name": "x", "kind": "prove", "formula": "Q_1 since Q_1", "alphabet": "01",
                              "expect": "proved"}), AuditSearch())
    assert (found.verdict, found.lengths, found.mismatch) == ("proved", "every n", "")


def audited(certify: Any, text: str) -> dict[str, Any]:
    Path("c.toml").write_text(f'[[claim]]\nname = "x"\n{text}', encoding="utf-8")
    (claim,) = certify("audit", "c.toml", "--json").json["claims"]
    return dict(claim)


@pytest.mark.parametrize("margin", ["1/10", "1/20", "1/(2*(n+1))"])
def test_a_claim_by_margins_has_the_verdict_and_the_word_of_the_command(certify: Any, margin: str) -> None:
    model = f"{PUBLISHED}/first.json"
    command = certify("model", model, "--formula", "Q_1", "--at", "first", "--before", "$", "--margin", margin,
                      "--max-n", "12", "--json").json
    claim = audited(certify, f'kind = "margin"\nmodel = "{model}"\nformula = "Q_1"\nat = "first"\nbefore = "$"\n'
                             f'margin = "{margin}"\nlengths = 12')
    assert claim["verdict"] == command["verdict"]
    assert [row["verdict"] for row in claim["rows"]] == [row["verdict"] for row in command["lengths"]]
    if claim["verdict"] == "refuted":
        first = next(row for row in command["lengths"] if row["verdict"] == "refuted")
        assert claim["witness"]["word"] == "".join(first["word"]) and claim["witness"]["side"] == "less than"


@pytest.mark.parametrize(("bounds", "verdict"), [
    ('at_least = "1"', "certified"), ('at_most = "1/n"', "refuted"), ('at_most = "1"\nat_least = "1/2"', "certified"),
    ('at_least = "2"', "refuted"),
])
def test_a_claim_about_sensitivity_is_held_against_what_the_command_measures(certify: Any, bounds: str,
                                                                            verdict: str) -> None:
    claim = audited(certify, f'kind = "sensitivity"\nformula = "Q_1"\nalphabet = "01"\nlengths = "2..3"\n{bounds}')
    assert claim["verdict"] == verdict
    command = certify("sensitivity", "Q_1", "--alphabet", "01", "--min-n", "2", "--max-n", "3", "--json").json
    assert command["verdict"] == "measured" and [row["error"]["upper"] for row in claim["rows"][:1]] == ["1"]


def test_a_cross_entropy_is_that_of_the_best_map_that_is_admitted(certify: Any) -> None:
    """A map that is given in full has its own; if any may be chosen, that of the map found is more than the least."""
    options = ("--alphabet", "01", "--language", "parity", "--min-n", "3", "--max-n", "3", "--json")
    text = 'kind = "cross-entropy"\nformula = "Q_1"\nalphabet = "01"\nlengths = "3..3"\n'
    (own,) = certify("cross-entropy", "Q_1", *options, "--slope", "0", "--intercept", "0").json["lengths"]
    (best,) = certify("cross-entropy", "Q_1", *options).json["lengths"]
    given, least = 'slope = "0"\nintercept = "0"\n', Fraction(best["optimal"]["lower"])
    above, below = (Fraction(own["network"]["upper"]) + Fraction(1, 1000), Fraction(own["network"]["lower"]) - Fraction(
        1, 1000))
    assert audited(certify, f'{text}{given}at_most = "{above}"\nat_least = "{below}"')["verdict"] == "certified"
    assert audited(certify, f'{text}{given}at_most = "{below}"')["verdict"] == "refuted"
    assert audited(certify, f'{text}at_least = "{above}"')["verdict"] == "refuted"
    assert audited(certify, f'{text}at_most = "{least / 2}"')["verdict"] == "refuted"


@pytest.mark.parametrize(("temperature", "verdict"), [("1/64", "certified"), ("4", "refuted")])
def test_a_softened_network_has_the_verdict_of_the_command(certify: Any, temperature: str, verdict: str) -> None:
    model = str(EXAMPLES / "hard" / "flip_flop.json")
    command = certify("model", model, "--max-n", "3", "--temperature", temperature, "--critical", "none",
                      "--json").json
    claim = audited(certify, f'kind = "soften"\nmodel = "{model}"\ntemperature = "{temperature}"\nlengths = 3')
    assert claim["verdict"] == command["verdict"] == verdict
    assert (claim["witness"] is not None) == (verdict == "refuted")


def test_a_trained_network_has_the_verdict_of_the_command(certify: Any) -> None:
    model, claim_file = import_first(certify), EXAMPLES / "trained" / "first" / "claim.toml"
    text = f'kind = "decide"\nmodel = "{model}"\nclaim = "{claim_file}"\n'
    command = certify("decide", str(model), "--claim", str(claim_file), "--max-n", "3", "--json").json
    assert audited(certify, text + "lengths = 3")["verdict"] == command["verdict"] == "certified"


@pytest.mark.parametrize(("stated", "verdict", "measured"), [
    ("exactly = 20", "certified", "20"), ('at_least = "18 %"\nat_most = 19', "refuted", "20"),
    ('at_most = "100 %"', "vacuous", "2/11"), ('at_least = "2/11"\nwithin = "1 %"', "certified", "2/11"),
    ('exactly = "55 %"\nweights = "w.toml"', "certified", "11/20")])
def test_right_inputs_have_the_verdict_of_the_command(certify: Any, stated: str, verdict: str, measured: str) -> None:
    """This network is right on all 10 inputs of one column, and on 10 of 100 of two, as it was made for ten."""
    reverse = EXAMPLES / "adders" / "reverse.toml"
    Path("two.toml").write_text(re.sub("columns = .*", "columns = [1, 3]", reverse.read_text(encoding="utf-8")),
                                encoding="utf-8")
    Path("w.toml").write_text('lengths = "alike"', encoding="utf-8")
    model, keys = reverse.with_suffix(".json"), tomllib.loads(stated)
    claim = audited(certify, f'kind = "count"\nmodel = "{model}"\nclaim = "two.toml"\nmax_n = 2\n{stated}')
    options = [f"--{key.replace('_', '-')}={value}" for key, value in keys.items()]
    command = certify("decide", str(model), "--claim", "two.toml", "--max-n", "2", "--count", *options, "--json").json
    assert (claim["verdict"], command["verdict"], claim["lengths"]) == (verdict, verdict, "1..2")
    assert claim["error"] == {"lower": measured, "upper": measured}
    if "weights" not in keys:
        found = audit(kind="count", model=model, claim="two.toml", max_n=2, **keys)
        assert (found.verdict, found.error and found.error.lower) == (verdict, Fraction(measured))
    assert command["share"] == ["2/11" if measured == "20" else measured] * 2


@pytest.mark.parametrize(("option", "message"), [
    ("--effort=0", "'--effort': found '0', expected a number from 1 to 1000000000"),
    ("--effort=-1", "expected a number from 1"), ("--effort=" + "9" * 400, "expected a number from 1"),
    ("--errors=-1", "'--errors': found '-1', expected a number from 0 to 1000000000"),
    ("--at-least=1.1", "--at-least: found 1.1, expected a share"), ("--exactly=1", "--exactly: found 1, expected 100%"),
    ("--at-most=", "--at-most: found nothing, expected a share"), ("--within=nan", "--within: found nan, expected"),
    ("--weights=", "certify: '': "), ("--weights=no.toml", "certify: no.toml: No such file"),
    ("--weights=w.toml", "certify: w.toml: the inputs of a form weigh nothing, expected weights above 0"),
    ("--weights=w.toml --at-least=5", "certify: --at-least: found 5 inputs, expected a share such")])
def test_malformed_options_of_a_count_are_refused_in_one_line(certify: Any, option: str, message: str) -> None:
    Path("w.toml").write_text("tracks.a = { 0 = 0, 1 = 0, 2 = 0 }", encoding="utf-8")
    ternary = EXAMPLES / "adders" / "ternary"
    result = certify("decide", f"{ternary}.json", "--claim", f"{ternary}.toml", "--count", *option.split())
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1) and message in result.err
    with pytest.raises(InputError, match="effort: 0, expected a number from 1 to"):
        decide(f"{ternary}.json", f"{ternary}.toml", count=True, effort=0)


def test_float_executions_and_resources_are_those_of_their_commands(certify: Any) -> None:
    command = certify("floats", MARKER, "--format", "binary32", "--max-n", "6", "--json").json
    claim = audited(certify, f'kind = "floats"\nmodel = "{MARKER}"\nformat = "binary32"\nlengths = 6')
    assert claim["verdict"] == command["verdict"] == "certified"
    text = 'kind = "resources"\nformula = "Q_1 since Q_1"\nalphabet = "01"\n'
    assert audited(certify, text + "heads = 1")["verdict"] == "certified"
    found = audited(certify, text + "heads = 0\nlayers = 1")
    assert (found["verdict"], found["reason"]) == ("refuted", "1 heads, claimed at most 0")


@pytest.mark.parametrize(("keys", "message"), [
    ({"kind": "magic"}, "kind 'magic', expected one of margin, sensitivity"),
    ({"kind": "margin"}, "no key model, which a claim of this kind needs"),
    ({"kind": "margin", "model": "none.json"}, "none.json: No such file"),
    ({"kind": "margin", "model": MARKER, "at": "middle"}, "at 'middle', expected last or first or every"),
    ({"kind": "margin", "model": MARKER, "gap": "1"}, "margin: key 'gap', expected one of"),
    ({"kind": "sensitivity", "formula": "Q_1"}, "the claim states neither at_most nor at_least, so it is vacuous"),
    ({"kind": "sensitivity", "at_most": "1"}, "keys for the subject: none"),
    ({"kind": "sensitivity", "formula": "Q_1", "at_most": "1/(n-2)", "lengths": 3}, "divides by zero"),
    ({"kind": "cross-entropy", "formula": "Q_1", "at_most": "1", "p": "2"}, "p: found 2, expected a rational between"),
    ({"kind": "soften"}, "expected exactly one of model, program"),
    ({"kind": "decide", "model": MARKER}, "first_by_marker.json"),
    ({"kind": "count", "model": MARKER}, "the claim states no number of right inputs, so it is vacuous; expected one"),
    ({"kind": "count", "model": MARKER, "at_most": -1}, "at_most: found -1, expected a share such as 99.9% or"),
    ({"kind": "count", "model": MARKER, "at_least": "1.1"}, "at_least: found 1.1, expected a share such as 99.9%"),
    ({"kind": "count", "model": MARKER, "at_least": "1"}, "at_least: found 1, expected 100% for all inputs, or a num"),
    ({"kind": "count", "model": MARKER, "exactly": 5, "effort": 0}, "effort: 0, expected a number from 1 to"),
    ({"kind": "count", "model": MARKER, "at_most": "101 %"}, "at_most: found 101 %, expected a share such as 99.9%"),
    ({"kind": "floats", "model": MARKER}, "no key format"),
    ({"kind": "floats", "model": MARKER, "format": "float3"}, "float3"),
    ({"kind": "prove", "formula": "Q_1", "lengths": 3}, "prove: key 'lengths', expected one of"),
    ({"kind": "resources", "formula": "Q_1"}, "the claim states no bound, so it is vacuous"),
])
def test_bad_claims_are_refused_in_one_line(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_claim({"name": "x", **keys})
    assert message in str(error.value) and len(str(error.value).splitlines()) == 1


DYCK = str(EXAMPLES / "programs" / "dyck_1.cr")


@pytest.mark.parametrize(("program", "keys", "verdict"), [
    ("dyck_1.cr", {"alphabet": "()", "oracle": "dyck"}, "certified"),
    ("ab_star.cr", {"alphabet": "ab", "oracle": {"regex": "(ab)*"}}, "certified"),
    ("ab_star.cr", {"alphabet": "ab", "oracle": {"regex": "(ab)+"}}, "certified"),
    ("ab_star.cr", {"alphabet": "ab", "oracle": {"regex": "(a|b)*b"}}, "refuted"),
    ("majority.cr", {"oracle": "#<[Q_1] > #<[Q_0]"}, "certified"),
    ("dyck_1.rasp", {"oracle": {"program": DYCK}}, "certified"),
])
def test_programs_are_held_against_languages_formulas_and_programs(program: str, keys: dict[str, Any],
                                                                   verdict: str) -> None:
    claim = read_claim({"name": "x", "program": str(EXAMPLES / "programs" / program), "lengths": 4, **keys})
    assert judge(claim, AuditSearch()).verdict == verdict


def test_an_automaton_is_an_oracle(tmp_path: Path) -> None:
    (tmp_path / "even.toml").write_text(AUTOMATON, encoding="utf-8")
    entry = {"name": "x", "program": str(EXAMPLES / "programs" / "ab_star.cr"), "alphabet": "ab", "lengths": 4}
    oracle = {"dfa": str(tmp_path / "even.toml")}
    assert judge(read_claim({**entry, "oracle": oracle}), AuditSearch()).verdict == "certified"


@pytest.mark.parametrize(("keys", "message"), [
    ({"oracle": "dyck"}, "symbol '?' is not a bracket, expected an alphabet of brackets"),
    ({"oracle": {"regex": "("}, "alphabet": "()"}, "oracle regex: "), ({"oracle": {}}, "oracle an empty table: "),
    ({"oracle": {"program": "none.cr"}}, "none.cr: No such file"), ({"oracle": "Q_"}, "oracle 'Q_': "),
])
def test_an_oracle_that_does_not_fit_is_refused_in_one_line(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        judge(read_claim({"name": "x", "program": DYCK, "lengths": 2, **keys}), AuditSearch())
    assert message in str(error.value) and len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["chiang_cholak", "yang_chiang"])
def test_the_audits_of_other_papers_come_out_as_expected_and_say_what_was_read(certify: Any, name: str) -> None:
    result = certify("audit", str(EXAMPLES / "claims" / f"{name}.toml"), "--json")
    assert result.code == 0, result.err
    assert [claim["mismatch"] for claim in result.json["claims"] if claim["mismatch"]] == []
    assert all(claim["expected"] for claim in result.json["claims"])
    assert result.json["paper"]["version"].startswith("none: ")


@pytest.mark.parametrize(("stated", "options"), [
    ('on = "first"\nat_least = "0.9969"', ("--on", "first", "--at-least", "0.9969")),
    ('on = "first"\nat_least = "0.996"', ("--on", "first", "--at-least", "0.996")),
    ('near = "uniform"\nwithin = "4"', ("--near", "uniform", "--within", "4")),
    ('near = "hard"\nwithin = "1/1000"\ngiven = "Q_1"', ("--near", "hard", "--within", "1/1000", "--given", "Q_1"))])
def test_a_claim_about_a_head_has_the_verdict_and_the_word_of_the_command(certify: Any, stated: str,
                                                                          options: tuple[str, ...]) -> None:
    model, claim = import_first(certify), str(EXAMPLES / "trained" / "first" / "claim.toml")
    found = audited(certify, f'kind = "head"\nmodel = "{model}"\nclaim = "{claim}"\nhead = "1.1"\n{stated}\n'
                             "lengths = 4")
    command = certify("heads", str(model), "--claim", claim, "--max-n", "4", "--head", "1.1", *options, "--json").json
    assert found["verdict"] == command["verdict"]
    assert [row["verdict"] for row in found["rows"]] == [row["verdict"] for row in command["lengths"]]
    if found["verdict"] == "refuted":
        assert certify(*shlex.split(found["witness"]["command"])[1:]).code == 1


@pytest.mark.parametrize(("parts", "verdict"), [
    ('kept_heads = "1.1"', "certified"), ('kept_neurons = "1.1-64"', "refuted"),
    ('cut_edges = "block 1 -> logits,tokens->logits"', "certified"), ('cut_edges = "tokens -> head 1.1"', "refuted")])
def test_a_claim_about_a_circuit_has_the_verdict_of_the_command(certify: Any, parts: str, verdict: str) -> None:
    model, claim = import_first(certify), str(EXAMPLES / "trained" / "first" / "claim.toml")
    found = audited(certify, f'kind = "circuit"\nmodel = "{model}"\nclaim = "{claim}"\n{parts}\nlengths = 4')
    gone = ("--edges", parts.split('"')[1]) if "edges" in parts else (
        ("--neurons", "1.1-64") if verdict == "certified" else ("--heads", "1.1"))
    command = certify("ablate", str(model), "--claim", claim, "--max-n", "4", *gone, "--json").json
    assert found["verdict"] == command["verdict"] == verdict


def test_a_claim_about_parts_without_a_bound_or_parts_is_refused(certify: Any) -> None:
    model, claim = import_first(certify), str(EXAMPLES / "trained" / "first" / "claim.toml")
    for text, complaint in [('kind = "head"\nhead = "1.1"', "the claim states neither at_least, at_most nor within"),
                            ('kind = "head"', "no key head"),
                            ('kind = "circuit"', "no key kept_heads, kept_neurons or cut_edges"),
                            ('kind = "circuit"\ncut_edges = "head 1.1 -> tokens"',
                             "--edges: the network has no edge head 1.1 -> tokens, expected one such as tokens -> "),
                            ('kind = "circuit"\nkept_heads = "2.1"', "--heads: the network has no head 2.1")]:
        Path("c.toml").write_text(f'[[claim]]\nname = "x"\nmodel = "{model}"\nclaim = "{claim}"\n{text}\n'
                                  "lengths = 4", encoding="utf-8")
        found = certify("audit", "c.toml")
        assert found.code == 2 and complaint in found.err
