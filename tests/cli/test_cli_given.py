"""``--given``, and the key ``given`` of claims: something is claimed only where a formula holds."""

import json
from pathlib import Path

import pytest

from constructions.errors import InputError
from tests.cli.conftest import Certify
from tests.formula.test_given import FORMULA, WRITTEN, cell
from tests.formula.test_guards_on_words import ALPHABET


def test_the_same_from_the_command_line_and_a_claims_file(certify: Certify, tmp_path: Path) -> None:
    model, seal, claims = tmp_path / "cell.json", tmp_path / "cell.cert", tmp_path / "claims.toml"
    cell(400).save(str(model))
    done = certify("model", str(model), "--max-n", "4", "--given", WRITTEN, "-o", str(seal))
    assert done.code == 0 and f"given     {WRITTEN}" in done.out
    assert certify("model", str(model), "--max-n", "4").code == 1
    assert certify("model", str(seal), "--max-n", "5").code == 0  # a certificate says what it gives
    assert certify("check", str(seal), "--given", WRITTEN, "--alphabet", ",".join(ALPHABET)).code == 0
    assert certify("check", str(seal), "--formula", FORMULA).code == 1
    assert certify("model", str(model), "--given", "Q_z").code == 2
    claims.write_text("".join(
        f'[[claim]]\nname = "{verdict}"\nsays = "it is"\nmodel = "cell.json"\n{key}lengths = "1..4"\n'
        f'expect = "{verdict}"\n'
        for key, verdict in ((f'given = "{WRITTEN}"\n', "certified"), ("", "refuted"))), encoding="utf-8")
    assert certify("audit", str(claims)).code == 0


def test_what_is_given_is_read_over_the_alphabet_of_the_subject(certify: Certify) -> None:
    asked = ("formula", "prev Q_a", "--alphabet", "ab", "--max-n", "3")
    assert certify(*asked, "--given", "!FIRST", "--json").json["given"] == "!FIRST"
    for text, message in (("Q_c", "symbol"), ("Q_a &", "line 1")):
        done = certify(*asked, "--given", text)
        assert done.code == 2 and done.err.startswith("certify: --given: ") and message in done.err
    for text in ("false", "prev prev prev Q_a", "Q_a & !Q_a"):
        done = certify(*asked, "--given", text)
        assert done.code == 2 and "holds at no position of any word with n = 1..3" in done.err
    with pytest.raises(InputError, match=r"given: false holds at no position of any word with n = 1\.\.2"):
        cell(400).certify(max_n=2, given="false")
    done = certify(*asked, "--given", "!FIRST", "--float", "binary32")
    assert done.code == 2 and "a claim about floats" in done.err


@pytest.mark.parametrize(("given", "vacuous", "shown"), [
    ("!FIRST", [1], "1"), ("prev prev prev Q_a", [1, 2, 3], "1..3"), ("LAST & EVEN", [1, 3, 5], "1, 3, 5"),
    ("Q_a", None, None)])
def test_lengths_at_which_nothing_is_asked_are_named(certify: Certify, given: str, vacuous: list[int] | None,
                                                     shown: str | None) -> None:
    asked = ("formula", "prev Q_a", "--alphabet", "ab", "--max-n", "5", "--given", given)
    found = certify(*asked, "--json").json
    assert found["verdict"] == "certified" and found.get("vacuous") == vacuous
    assert [line for line in certify(*asked).out.splitlines() if "nothing is judged" in line] == (
        [f"vacuous   nothing is judged at n = {shown}: what is given holds at no position of any word"]
        if shown else [])


def test_an_audit_names_the_lengths_at_which_nothing_is_asked(certify: Certify) -> None:
    Path("c.toml").write_text('[[claim]]\nname = "prev"\nsays = "it is"\nformula = "prev Q_a"\nalphabet = "ab"\n'
                              'given = "!FIRST"\nlengths = "1..3"\nexpect = "certified"\n', encoding="utf-8")
    reason = "vacuous at n = 1: what is given holds at no position of any word"
    done = certify("audit", "c.toml")
    assert done.code == 0 and reason in " ".join(done.out.split())
    rows = [line.split()[:2] for line in done.out.splitlines()]
    assert all(row in rows for row in (["1", "vacuous"], ["2", "certified"], ["3", "certified"]))
    (claim,) = certify("audit", "c.toml", "--json", "--html", "c.html").json["claims"]
    assert claim["reason"] == reason and claim["verdict"] == "certified"
    assert [row["verdict"] for row in claim["rows"]] == ["vacuous", "certified", "certified"]
    assert reason in Path("c.html").read_text(encoding="utf-8")


def test_runs_pages_and_cards_show_what_is_given_and_other_exports_refuse(certify: Certify) -> None:
    seal = str(Path(__file__).parents[1] / "corpus" / "accepted" / "given_lookup.cert")
    shown = certify("run", seal, "r,w1,r")
    assert [line.split()[-3:] for line in shown.out.splitlines() if line.startswith("given")] == [[".", "T", "T"]]
    assert certify("run", seal, "r,w1,r", "--json").json["given"] == "O (Q_w0 | Q_w1)"
    assert certify("export", seal, "--to", "html", "-o", "page.html").code == 0
    assert "at which what is given holds" in Path("page.html").read_text(encoding="utf-8")
    assert "--given=O (Q_w0 | Q_w1)" in certify("export", seal, "--to", "card").out
    for kind in ("npz", "latex", "tikz", "smt2"):
        done = certify("export", seal, "--to", kind, "-o", f"out.{kind}")
        assert done.code == 3 and "words where O (Q_w0 | Q_w1) holds" in done.err, kind
    assert certify("check", seal, "--json", "--given", "O (Q_w0 | Q_w1)").json["files"][0]["given"] == (
        "true since (Q_w0 | Q_w1)")


def test_several_formulas_are_claimed_where_something_is_given_and_kept(certify: Certify) -> None:
    Path("all.txt").write_text("prev Q_a\nO Q_a\n", encoding="utf-8")
    asked = ("formula", "-F", "all.txt", "--alphabet", "ab", "--max-n", "4", "--given", "!FIRST", "--store", "kept",
             "--json")
    for _ in range(2):
        found = [json.loads(line) for line in certify(*asked).out.splitlines()[:2]]
        assert [(one["given"], one["vacuous"]) for one in found] == [("!FIRST", [1])] * 2
    shown = " ".join(certify(*asked[:-3]).out.split())
    assert shown.startswith("given !FIRST claim for every n <= 4, every word of length n and every position where "
                            "what is given holds: ") and shown.count("nothing is judged at n = 1") == 2
