"""The scripts: what they are about, that none is missing, and that real words are among their inputs."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
import z3

from certify.claims.formula.sealed import Sealed
from certify.exports.smt2 import scripts_of
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.formula.discharge import discharge
from proofs.formula.transcript import Transcript, TranscriptEntry
from proofs.formula.z3.scripts import logic_of, probe_of, script_of
from proofs.formula.z3.solver import SolverQuery, is_unsat, solver_of

MIXED = "(Q_1 since prev Q_0) & #<[Q_1] > #<[Q_0]"


def entries(formula: str, alphabet: str, max_n: int) -> list[TranscriptEntry]:
    transcript = Transcript()
    lines = discharge(compile_formula(parse_formula(formula), alphabet, Regime()), up_to(max_n), transcript=transcript)
    assert all(line.proved for line in lines)
    return transcript.entries


def manifest(files: dict[str, str]) -> Any:
    return json.loads(files["manifest.json"])


def test_every_direction_has_its_script_or_is_decided_by_evaluation(sealed: Callable[..., Sealed]) -> None:
    """Each written direction occurs exactly once, in the network of a formula with all kinds of obligations."""
    given = sealed(MIXED, "01", 4)
    data = manifest(scripts_of(given))
    scripted = {place for row in data["scripts"] for place in row["directions"]}
    directions = [place.split(", ", 2)[2] for place in scripted]
    directions += [row["direction"] for row in data["decided_by_evaluation"] if row["kind"] != "composition"]
    assert sorted(directions) == sorted(given.transformer.directions)
    assert {row["kind"] for row in data["scripts"]} == {"attention", "lookup", "feed-forward"}
    assert {row["kind"] for row in data["decided_by_evaluation"]} == {"composition", "embedding", "uniform", "mean"}


def test_every_script_states_its_status_logic_claim_and_source_and_has_a_probe(sealed: Callable[..., Sealed]) -> None:
    given = sealed(MIXED, "01", 4)
    files = scripts_of(given)
    rows = manifest(files)["scripts"]
    assert {row["file"] for row in rows} == set(files) - {"manifest.json"}
    assert [row["file"] for row in rows if row["status"] == "unsat"] == [
        row["probe_of"] for row in rows if row["status"] == "sat"]
    for row in rows:
        text = files[row["file"]]
        assert f"(set-info :status {row['status']})" in text and f"(set-logic {row['logic']})" in text
        assert text.startswith(f"; certify: an obligation of certificate sha256 {given.digest}\n")
        assert f"; formula   {given.claim['formula']}" in text and f"; proves    {row['proves']}" in text
        assert (row["kind"] == "feed-forward") != ("; source    Theorem" in text)
        assert text.endswith("(check-sat)\n(exit)\n")


def test_a_probe_is_its_script_without_the_denial(sealed: Callable[..., Sealed]) -> None:
    """And without the condition, if that is never met: over 0 and 1, ``Q_1 since Q_0`` is false at position 1."""
    files = scripts_of(sealed("Q_1 since Q_0", "01", 4))
    for row in manifest(files)["scripts"]:
        if row["status"] == "sat":
            script, probe = ([line for line in files[name].splitlines() if not line.startswith((";", "(set-info"))]
                             for name in (row["probe_of"], row["file"]))
            rest = list(script)
            for line in probe:
                rest.remove(line)
            assert len([line for line in rest if line.startswith("(assert")]) == 1 + row["vacuous"]


def test_logics_are_as_small_as_they_can_be() -> None:
    found = {(entry.places[0].kind, logic_of(question)) for entry in entries(MIXED, "01", 4)
             for question in entry.questions}
    assert found == {("attention", "QF_UF"), ("attention", "QF_LIA"), ("lookup", "QF_LRA"), ("feed-forward", "QF_LRA")}


def test_where_no_input_meets_the_condition_the_probe_leaves_it_out(sealed: Callable[..., Sealed]) -> None:
    """``prev true`` is false at position 1 only, where its heads are not asked."""
    files = scripts_of(sealed("prev true", "01", 4))
    vacuous = {row["probe_of"] for row in manifest(files)["scripts"] if row.get("vacuous")}
    about = {row["proves"] for row in manifest(files)["scripts"] if row["file"] in vacuous}
    assert vacuous and all(text.endswith("on which the target is false") for text in about)
    for row in manifest(files)["scripts"]:
        assert ("there is nothing to prove" in files[row["file"]]) == row.get("vacuous", False)


def test_equal_obligations_share_their_scripts(sealed: Callable[..., Sealed]) -> None:
    data = manifest(scripts_of(sealed("(Q_a since Q_b) & (Q_b since Q_c)", "abc", 4)))
    heads = [row["directions"] for row in data["scripts"] if row["kind"] == "attention"]
    assert heads and all(row == heads[0] and len(row) == 2 for row in heads)


@pytest.mark.parametrize("formula, keeps", [("!Q_0 since Q_1", ""), ("(Q_0 | Q_1) since Q_1", "0"), ("O Q_0", "1"),
                                            ("F Q_1", "0")])
def test_every_word_is_among_the_inputs_of_the_attention_scripts(formula: str, keeps: str) -> None:
    """At each row of each word with a deciding symbol, the script of its truth has the symbols around the last such
    one; symbols that do not change the memory are given."""
    (entry,) = (each for each in entries(formula, "01", 4) if each.places[0].kind == "attention")
    _, *scripts = entry.questions
    past = "F" not in formula
    for n in range(1, 5):
        for word in itertools.product("01", repeat=n):
            for i, truth in enumerate(truth_values(parse_formula(formula), word), start=1):
                seen = list(word[:i] if past else word[i - 1:][::-1])
                if set(seen) - set(keeps):
                    (script,) = (each for each in scripts if each.about.endswith(str(truth).lower()))
                    assert _admits(script, seen, keeps)


def _admits(question: SolverQuery, seen: list[str], keeps: str) -> bool:
    """Return whether an input of the question has exactly these symbols around the last one that decides."""
    atoms = [parse_formula(line.split(": ")[1].removesuffix(" at p")) for line in question.legend
             if line.startswith("atom")]
    pivot = max(k for k, symbol in enumerate(seen) if symbol not in keeps)
    places = {"pivot" if k == pivot else f"before_{pivot - k}" if k < pivot else f"after_{k - pivot}": symbol
              for k, symbol in enumerate(seen)}
    fixed = [z3.Bool(f"atom_{place}_{a}") == truth_values(atom, [symbol])[0]
             for place, symbol in places.items() for a, atom in enumerate(atoms)]
    fixed += [z3.Bool(f"present_{k}") == (f"after_{k}" in places) for k in range(1, 4)]
    return not is_unsat(solver_of(*question.hypotheses, question.condition, *fixed))


def test_what_is_recorded_is_what_was_proved() -> None:
    """Every script read back by Z3 has the stated status."""
    for entry in entries(MIXED, "01", 4):
        for question in entry.questions:
            for text, expected in ((script_of(question, ["comment"]), z3.unsat),
                                   (probe_of(question, question.is_vacuous(), ["comment"]), z3.sat)):
                solver = z3.Solver()
                solver.from_string(text)
                assert solver.check() == expected


def test_names_from_outside_cannot_leave_the_comment(sealed: Callable[..., Sealed]) -> None:
    """A symbol that is a line break and a command stays one line of the head, in ASCII."""
    for text in scripts_of(sealed("O Q['\n(exit)']", ("\n(exit)", "é"), 2)).values():
        assert text.isascii()
        assert [line for line in text.splitlines() if line.startswith("(exit)")] in (["(exit)"], [])
