"""`--to coq`: a folder that is whole, says what it is, and is checked by the one command of its README."""

import hashlib
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from certify.claims.every_n.claim import TheoremClaim, claim_theorem
from certify.common.files import write_folder
from certify.exports.coq import PROGRAMS, coq_folder
from certify.requests.inputs import NetworkSubject
from certify.requests.request import Request, read_request
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.network.json_form import transformer_from_json
from constructions.network.meanings import Near
from constructions.regimes import Regime
from proofs.every_n import ProvedLengths
from proofs.every_n.library import FOLDER_SCRIPT, LIBRARY, imported_files, library_digest, sealed_files
from proofs.every_n.model_file import FOLDER, proof_files
from tests.with_coq import coq_or_skip, library_of

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"```sh\n(.+)\n```")


def since() -> TheoremClaim:
    formula = parse_formula("Q_a since Q_b", "ab")
    return TheoremClaim("since", compile_formula(formula, "ab", Regime()), formula)


def test_the_folder_has_every_file_that_its_files_import() -> None:
    files = coq_folder(since(), checked=True)
    listed = [line for line in files["_CoqProject"].splitlines() if line.endswith(".v")]
    made = "theorem/model_json.v"
    assert sorted(listed) == sorted([made, *(name for name in files if name.endswith(".v"))])
    assert listed[-3:] == [made, "theorem/Theorem_since.v", "theorem/statement.v"]
    for place, name in enumerate(listed):
        if name != made:
            assert {f"library/{other}" for other in imported_files(files[name])} <= set(listed[:place]), name


def test_the_library_in_the_folder_is_that_of_the_project_and_has_one_digest() -> None:
    files = coq_folder(since(), checked=True)
    library = {name: text for name, text in files.items() if name.startswith("library/")}
    assert {"library/network.v", "library/model_text.v", "library/check.v"} <= set(library)
    for name, text in library.items():
        (path,) = LIBRARY.rglob(Path(name).name)
        assert text == path.read_text(encoding="utf-8"), name
    digests = {line[66:]: line[:64] for line in files["SHA256SUMS"].splitlines()}
    assert set(digests) == {*library, "axioms.txt", "check.sh"}
    for name, digest in digests.items():
        assert hashlib.sha256(files[name].encode("utf-8")).hexdigest() == digest, name
    assert hashlib.sha256(files["SHA256SUMS"].encode("utf-8")).hexdigest() == library_digest()
    assert f"```text\n{library_digest()}\n```" in files["README.md"]


def test_the_readme_names_files_of_the_folder_only() -> None:
    files = coq_folder(since(), checked=True)
    named = set(re.findall(r"`([\w/]+\.\w+|_CoqProject|SHA256SUMS)`", files["README.md"]))
    assert named <= set(files)
    assert {"theorem/Theorem_since.v", "theorem/statement.v", "model.json", "axioms.txt", "_CoqProject"} <= named
    assert "over the alphabet {a, b}" in files["README.md"] and "```text\nQ_a since Q_b\n```" in files["README.md"]


def test_a_folder_that_coq_was_not_asked_about_claims_nothing() -> None:
    files = coq_folder(since(), checked=False)
    assert files["README.md"].startswith("# Unchecked\n\nCoq has not checked this folder: nothing is proved until")
    assert not re.search(r"\b(is proved that|A theorem)\b", files["README.md"])
    for name in ("theorem/Theorem_since.v", "theorem/statement.v"):
        assert files[name].startswith("(* UNCHECKED: Coq has not checked this file. *)\n")
    checked = coq_folder(since(), checked=True)
    assert not any("nchecked" in text.casefold() for name, text in checked.items() if not name.startswith("library/"))


def test_the_statement_names_the_letters_and_the_formula() -> None:
    statement = coq_folder(since(), checked=True)["theorem/statement.v"]
    assert '  file_computes Folder.model_json.text ["a"; "b"] []\n    "Q_a since Q_b".\n' in statement


@pytest.mark.parametrize(("lengths", "data"), [
    (ProvedLengths(2), "(Lengths 2%nat None)"), (ProvedLengths(1, 8), "(Lengths 1%nat (Some 8%nat))"),
], ids=str)
def test_of_some_lengths_the_files_say_which(lengths: ProvedLengths, data: str) -> None:
    every, some = coq_folder(since(), checked=True), coq_folder(since(), lengths, checked=True)
    changed = {name: text for name, text in some.items() if text != every[name]}
    assert set(changed) == {"README.md", "theorem/Theorem_since.v", "theorem/statement.v"}
    assert f'  file_computes_for {data} Folder.model_json.text ["a"; "b"] []\n    "Q_a since Q_b".\n' in changed[
        "theorem/statement.v"]
    assert changed["README.md"].startswith(f"# A theorem for {lengths}\n")
    assert f"\nFor every {lengths.bounds}, every word of length n" in changed["README.md"]
    assert not any("n >= 1" in text for text in changed.values())


def test_the_model_in_the_folder_is_the_network() -> None:
    claim = since()
    assert transformer_from_json(json.loads(coq_folder(claim, checked=True)["model.json"])) == claim.network


# -- the command, without Coq: what it does before, and what it makes of the answers -----------------------------------

AXIOMS = """    Coq.Logic.FunctionalExtensionality.functional_extensionality_dep
    Coq.Reals.ClassicalDedekindReals.sig_not_dec
    Coq.Reals.ClassicalDedekindReals.sig_forall_dec
    Coq.Logic.Classical_Prop.classic
"""
LENGTHS = """printf '     = "%s"%%string\\n     : string\\n' 'every n' 'a"", ""b' '' 'Q_a since Q_b'"""
SUMMARY = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
{axioms}
* Constants/Inductives relying on type-in-type: {unsafe}

* Constants/Inductives relying on unsafe (co)fixpoints: <none>

* Inductives whose positivity is assumed: <none>
"""


@dataclass(frozen=True)
class Folder:
    """An exported folder, and programs that replace those of Coq."""

    path: Path
    programs: Path

    def run(self, axioms: str = AXIOMS, unsafe: str = "<none>", lengths: str = LENGTHS) -> tuple[int, str]:
        """Return the exit status of the command, and the last line of what it says."""
        summary = SUMMARY.format(axioms=axioms, unsafe=unsafe) if axioms else ""
        coqc = f"case \"$*\" in *lengths.v) {lengths};; *) echo 8.16.1 4.14.1;; esac"
        answers = {"coqc": coqc, "coqchk": f"cat >&2 <<'E'\n{summary}E"}
        for name, answer in answers.items():
            (self.programs / name).write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
            (self.programs / name).chmod(0o755)
        done = run_command(self.path, f"{self.programs}:/usr/bin:/bin")
        return done.returncode, (done.stdout + done.stderr).splitlines()[-1]

    def change(self, name: str, place: int) -> Callable[[], object]:
        """Change one byte of a file; what changes it back."""
        path = self.path / name
        data = path.read_bytes()
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1:])
        return lambda: path.write_bytes(data)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    write_folder(str(tmp_path / "folder"), coq_folder(since(), checked=True), PROGRAMS)
    (tmp_path / "programs").mkdir()
    return Folder(tmp_path / "folder", tmp_path / "programs")


def test_the_command_says_in_one_line_what_was_checked(folder: Folder) -> None:
    size = len((folder.path / "model.json").read_bytes())
    assert folder.run() == (0, f"PROVED: theorem/statement.v about model.json ({size} bytes), by coqc and coqchk "
                               f"8.16.1, from the library {library_digest()}")


def test_the_command_says_which_letters_and_which_formula_coq_names(folder: Folder) -> None:
    folder.run()
    message = run_command(folder.path, f"{folder.programs}:/usr/bin:/bin").stdout.splitlines()
    assert message[:-1] == ['letters: ["a", "b"]', "formula: Q_a since Q_b"]


def test_the_command_says_what_the_predicates_mean(folder: Folder) -> None:
    folder.run(lengths=LENGTHS.replace("'' 'Q_a since Q_b'", "'PRlME(k) := k%2 == 0; R(k,n) := k > n' 'PRlME & R'"))
    message = run_command(folder.path, f"{folder.programs}:/usr/bin:/bin").stdout.splitlines()
    assert message[:-1] == ['letters: ["a", "b"]', "formula: PRlME & R", "where: PRlME(k) := k%2 == 0; R(k,n) := k > n"]


def test_the_command_says_for_which_lengths_if_not_for_all(folder: Folder) -> None:
    code, message = folder.run(lengths=LENGTHS.replace("every n", "every n from 1 to 8"))
    assert code == 0 and message.startswith("PROVED for every n from 1 to 8: theorem/statement.v about model.json (")


@pytest.mark.parametrize(("lengths", "complaint"), [
    ("exit 1", "the theorem is not about model.json"), ("true", "Coq does not say what the theorem is about"),
    (LENGTHS.replace("every n", "some n"), "Coq does not say what the theorem is about"),
    (f"echo Debug:; {LENGTHS}", "Coq does not say what the theorem is about"),
])
def test_a_theorem_whose_lengths_coq_does_not_say_is_no_proof(folder: Folder, lengths: str, complaint: str) -> None:
    assert folder.run(lengths=lengths) == (1, f"NOT PROVED: {complaint}")


def test_coq_is_given_the_bytes_of_the_model(folder: Folder) -> None:
    files = proof_files(since().network, since().formula, "Theorem_since")
    assert folder.run()[0] == 0
    assert (folder.path / "theorem/model_json.v").read_text(encoding="utf-8") == files["model_json.v"]


@pytest.mark.parametrize(("axioms", "unsafe"), [
    (AXIOMS + "    Folder.Theorem_since.cheat\n", "<none>"),
    (AXIOMS + "    Folder.Theorem_since.Classical_Prop.classic\n", "<none>"),
    (AXIOMS + "    Coq.Logic.ClassicalEpsilon.constructive_indefinite_description\n", "<none>"),
    (AXIOMS, "Folder.Theorem_since.cheat"),
])
def test_another_axiom_is_no_proof(folder: Folder, axioms: str, unsafe: str) -> None:
    assert folder.run(axioms, unsafe) == (1, "NOT PROVED: it rests on more than the axioms of axioms.txt")


def test_no_list_of_axioms_is_no_proof(folder: Folder) -> None:
    assert folder.run("") == (1, "NOT PROVED: coqchk lists no axioms")


def test_fewer_axioms_are_a_proof(folder: Folder) -> None:
    assert folder.run("".join(AXIOMS.splitlines(keepends=True)[:2]))[0] == 0


@pytest.mark.parametrize(("change", "complaint"), [
    (lambda data: data[:-1], "does not end with a line break"),
    (lambda data: data.replace(b"\n", b"\r\n", 1), "has a byte that no model file has"),
    (lambda data: data.replace(b"{", b"{\x00", 1), "has a byte that no model file has"),
    (lambda data: data.replace(b"Q_a", b"Q_\xe9", 1), "has a byte that no model file has"),
    (lambda data: data + b"\x00", "has a byte that no model file has"),
    (lambda data: b"", "does not end with a line break"),
])
def test_a_model_with_bytes_that_none_has_is_refused(folder: Folder, change: Callable[[bytes], bytes],
                                                     complaint: str) -> None:
    model = folder.path / "model.json"
    model.write_bytes(change(model.read_bytes()))
    assert folder.run() == (1, f"NOT PROVED: model.json {complaint}")


def check_changed_libraries(folder: Folder, number: int, seed: int) -> None:
    """Check that the command detects a changed byte in any file that all folders share."""
    rng = random.Random(seed)
    names = sorted(name for name in sealed_files() if name != "check.sh")
    for _ in range(number):
        name = rng.choice(names)
        restore = folder.change(name, rng.randrange((folder.path / name).stat().st_size))
        assert folder.run() == (1, "NOT PROVED: a file is not as SHA256SUMS has it"), name
        restore()
    assert folder.run()[0] == 0


def test_a_changed_byte_of_the_library_or_the_axioms_is_seen(folder: Folder) -> None:
    check_changed_libraries(folder, 6, 1)


@pytest.mark.exhaustive
def test_two_hundred_changed_bytes_of_the_library_or_the_axioms_are_seen(folder: Folder) -> None:
    check_changed_libraries(folder, 200, 2)


@pytest.mark.parametrize("name", ["library/a.v", "theorem/a.cmxs", "theorem/META", "a.v", "check.sh\ntheorem/a.cmxs"])
def test_another_file_in_the_folder_is_seen(folder: Folder, name: str) -> None:
    (folder.path / name).parent.mkdir(exist_ok=True)
    (folder.path / name).touch()
    assert folder.run() == (1, "NOT PROVED: there is a file that no such folder has")


@pytest.mark.parametrize("name", ["axioms.txt", "model.json", "library/network.v", "theorem/statement.v"])
def test_a_link_which_a_theorem_could_write_through_is_no_file(folder: Folder, name: str) -> None:
    """`Redirect` of Coq writes any file whose name ends with `.out`."""
    (folder.path / name).rename(folder.path.parent / "more.out")
    (folder.path / name).symlink_to("../" * name.count("/") + "../more.out")
    assert folder.run() == (1, "NOT PROVED: there is a link, or what is no plain file")


@pytest.mark.parametrize(("name", "complaint"), [
    *((name, "a file is not as SHA256SUMS has it") for name in ("axioms.txt", "check.sh")),
    *((name, "model.json or SHA256SUMS is another than before") for name in ("model.json", "SHA256SUMS")),
])
def test_a_file_that_is_changed_while_coq_compiles_is_seen(folder: Folder, name: str, complaint: str) -> None:
    assert folder.run(lengths=f"{LENGTHS}; tail -n 1 {name} >> {name}") == (1, f"NOT PROVED: {complaint}")


def test_what_lay_there_compiled_is_not_used(folder: Folder) -> None:
    for name in ("library/network.vo", "theorem/statement.vo", "theorem/statement.vio", ".lia.cache"):
        (folder.path / name).touch()
    assert folder.run()[0] == 0
    assert [path for path in folder.path.rglob("*") if path.suffix in {".vo", ".vio", ".cache"}] == []


def test_what_an_earlier_run_left_is_no_other_file(folder: Folder) -> None:
    for name in ("library/network.glob", "library/.network.aux", "library/network.vok", "theorem/statement.glob"):
        (folder.path / name).touch()
    assert folder.run()[0] == 0


# -- with Coq ----------------------------------------------------------------------------------------------------------


OPTIONS = "-q -Q library Certify -Q theorem Folder"
SPARING = """#!/bin/sh
echo "$*" >> {message}
for file; do :; done
case $file in
library/*) cmp "$file" "{compiled}/${{file#library/}}" && cp "{compiled}/${{file#library/}}o" "${{file}}o";;
*) exec {coqc} "$@";;
esac
"""
"""A `coqc` that has compiled the files of the library already, where they are, byte for byte, those of the folder."""


@pytest.mark.exhaustive
def test_the_command_of_the_readme_checks_the_folder_in_an_empty_environment(tmp_path: Path) -> None:
    """Compile from scratch; before a release. The files are those that `.ci/check-coq-library` compiles."""
    coq_or_skip()
    check_right_folder(tmp_path / "right", "/usr/bin:/bin")


@pytest.mark.exhaustive
def test_the_command_of_the_readme_accepts_what_is_right_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    """`.ci/run` runs this one: Coq and its second checker, in an empty environment, with a library that is compiled."""
    coq = coq_or_skip()
    message, sparing = tmp_path / "said.txt", tmp_path / "programs" / "coqc"
    sparing.parent.mkdir()
    sparing.write_text(SPARING.format(message=message, compiled=library_of(coq), coqc=coq.program), encoding="utf-8")
    sparing.chmod(0o755)
    programs = f"{sparing.parent}:/usr/bin:/bin"
    check_right_folder(tmp_path / "right", programs)
    listed = (tmp_path / "right" / "_CoqProject").read_text(encoding="utf-8").splitlines()
    compiled = [line for line in listed if line.endswith(".v")]
    assert message.read_text(encoding="utf-8").splitlines() == [
        *(f"{OPTIONS} {name}" for name in (*compiled, "theorem/lengths.v")), "--print-version"]
    wrong = tmp_path / "wrong"
    write_folder(str(wrong), coq_folder(since(), checked=True), PROGRAMS)
    model = wrong / "model.json"
    model.write_text(model.read_text(encoding="utf-8").replace('"-1/4"', '"-1/5"'), encoding="utf-8")
    done = run_command(wrong, programs)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "NOT PROVED: Coq does not accept theorem/statement.v")


def check_right_folder(folder: Path, programs: str) -> None:
    write_folder(str(folder), coq_folder(since(), checked=True), PROGRAMS)
    done = run_command(folder, programs)
    assert done.returncode == 0 and "\nPROVED: " in done.stdout, done.stderr
    assert done.stdout.startswith('letters: ["a", "b"]\nformula: Q_a since Q_b\n')


def recent_write() -> TheoremClaim:
    """Return a model that is right up to n = 8."""
    return claim_theorem(read_request(str(ROOT / "examples" / "models" / "recent_write.json")), "recent_write")


@pytest.mark.exhaustive
def test_the_command_checks_a_folder_about_some_lengths_and_says_which(tmp_path: Path) -> None:
    coq_or_skip()
    write_folder(str(tmp_path / "right"), coq_folder(recent_write(), ProvedLengths(1, 8), checked=True), PROGRAMS)
    done = run_command(tmp_path / "right")
    assert done.returncode == 0 and "\nPROVED for every n from 1 to 8: " in done.stdout, done.stderr


def with_more_claims(statement: str) -> str:
    """Return the statement with a length more, from the same network and the same proof."""
    return statement.replace("(Some 8%nat)", "(Some 9%nat)")


def about_nothing(statement: str) -> str:
    """Return a statement that reads the same, after a definition by which it says nothing."""
    before, _, after = statement.partition("Theorem ")
    return (f"{before}Definition file_computes_for (_ : lengths) (_ : string) (_ _ : list string) (_ : string) :="
            " True.\n"
            f"Theorem {after.partition('Proof.')[0]}Proof. exact I. Qed.\n")


def in_other_words(statement: str) -> str:
    """Return a statement that looks like one about another formula, and prints more than needed."""
    notation = """Notation "'good'" := "!Q_w0 S Q_w1".\n"""
    return (statement.replace("Theorem ", f"{notation}Theorem ", 1).replace('"!Q_w0 S Q_w1".\nProof', "good.\nProof")
            + "Global Set Printing Width 20.\n")


@pytest.mark.parametrize(("change", "refused"), [
    (str, None), (in_other_words, None), (with_more_claims, "statement.v"), (about_nothing, "lengths.v"),
], ids=["as it is", "in other words", "a longer range", "about nothing"])
def test_coq_refuses_a_statement_that_is_not_proved_or_not_about_the_model(
        tmp_path: Path, change: Callable[[str], str], refused: str | None) -> None:
    claim = recent_write()
    files = proof_files(claim.network, claim.formula, "Theorem_recent_write", ProvedLengths(1, 8))
    changed = change(files["statement.v"])
    assert (changed == files["statement.v"]) == (change is str)
    message = asked_of_coq({**files, "statement.v": changed}, tmp_path, refused)
    assert message == ([] if refused else ["every n from 1 to 8", 'w0"", ""w1"", ""i', "", "!Q_w0 S Q_w1"])


def asked_of_coq(files: Mapping[str, str], folder: Path, refused: str | None = None) -> list[str]:
    """Return Coq's statement of the theorem by the command's query; nothing if it refuses ``refused``.

    It refuses no other. The files before the statement are compiled once for all tests.
    """
    coq = coq_or_skip()
    *before, _ = files
    shutil.copytree(compiled(tuple((name, files[name]) for name in before)).name, folder, dirs_exist_ok=True)
    (question,) = re.findall(r"<<'END'\n(.*?)END\n", FOLDER_SCRIPT.read_text(encoding="utf-8"), re.DOTALL)
    for name, text in {"statement.v": files["statement.v"], "lengths.v": question}.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        run = coq.compile(path, library_of(coq), FOLDER)
        assert run.accepted == (name != refused), run.complaint
        if name == refused:
            return []
    return re.findall(r'     = "(.*)"\n     : string\n', run.printed)


@cache
def compiled(files: tuple[tuple[str, str], ...]) -> TemporaryDirectory[str]:
    """Return a folder with these files, which Coq accepts in their order."""
    coq, folder = coq_or_skip(), TemporaryDirectory()
    for name, text in files:
        path = Path(folder.name) / name
        path.write_text(text, encoding="utf-8")
        run = coq.compile(path, library_of(coq), FOLDER)
        assert run.accepted, run.complaint
    return folder


def lookalike() -> TheoremClaim:
    """Return a formula with a predicate that looks like another one."""
    formula = parse_formula("PRlME(#<[Q_a])", "ab", predicates=parse_predicate_definitions(["PRlME(k) := k % 2 == 0"]))
    return TheoremClaim("lookalike", compile_formula(formula, "ab", Regime()), formula)


def test_what_a_predicate_means_is_part_of_the_theorem_and_coq_says_it(tmp_path: Path) -> None:
    claim = lookalike()
    files = proof_files(claim.network, claim.formula, "Theorem_lookalike")
    assert '["PRlME(k) := k%2 == 0"]\n    "PRlME(#<[Q_a])".\n' in files["statement.v"]
    assert asked_of_coq(files, tmp_path) == ["every n", 'a"", ""b', "PRlME(k) := k%2 == 0", "PRlME(#<[Q_a])"]


@pytest.mark.parametrize("hidden", ['[]', '["PRIME(k) := k%2 == 0"]', '["PRlME(k) := k%2 == 1"]'])
def test_a_statement_that_hides_what_a_predicate_means_is_refused(hidden: str, tmp_path: Path) -> None:
    claim = lookalike()
    files = proof_files(claim.network, claim.formula, "Theorem_lookalike")
    changed = files["statement.v"].replace('["PRlME(k) := k%2 == 0"]', hidden)
    assert changed != files["statement.v"]
    assert asked_of_coq({**files, "statement.v": changed}, tmp_path, "statement.v") == []


def run_command(folder: Path, path: str = "/usr/bin:/bin") -> subprocess.CompletedProcess[str]:
    """Return the command, with nothing but the programs of the system, or of a path."""
    (command,) = COMMAND.findall((folder / "README.md").read_text(encoding="utf-8"))
    return subprocess.run(["env", "-i", f"PATH={path}", "sh", "-c", command], cwd=folder, capture_output=True,
                          text=True, check=False)


# -- what can be exported, and where to --------------------------------------------------------------------------------


def test_a_network_whose_output_is_no_truth_has_no_theorem() -> None:
    network = since().network
    near = next(name for name, meaning in network.directions.items() if isinstance(meaning, Near))
    changed = type(network)(network.alphabet, network.directions, network.token_embedding, network.position_embedding,
                            network.layers, near)
    with pytest.raises(InputError, match="its meaning is not a truth, expected the truth of a formula"):
        claim_theorem(Request(NetworkSubject("changed", changed)), "changed")


def test_the_network_of_a_certificate_is_read_with_the_formula_that_its_output_means(tmp_path: Path) -> None:
    model = json.loads(coq_folder(since(), checked=True)["model.json"])
    certificate = {"format": "certify-certificate", "claim": {"max_n": 9}, "transformer": model}
    path = tmp_path / "since-1.cert"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    claim = claim_theorem(read_request(str(path)), path.stem)
    assert (claim.name, claim.formula, claim.regime) == ("since_1", since().formula, None)
    certificate["claim"] = {"max_n": 9, "formula": "Q_b since Q_a"}
    path.write_text(json.dumps(certificate), encoding="utf-8")
    with pytest.raises(InputError, match="claim: its formula is not Q_a since Q_b, which is what the output means"):
        read_request(str(path))


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(str(tmp_path / "new"), {"a": "text", "a/b": "a file cannot be in a file"})
    assert list(tmp_path.iterdir()) == []
    write_folder(str(tmp_path / "new"), {"a/b": "text", "c": b"\x00"})
    assert (tmp_path / "new" / "a" / "b").read_text(encoding="utf-8") == "text"
    assert (tmp_path / "new" / "c").read_bytes() == b"\x00"
    with pytest.raises(InputError, match="the folder is not empty"):
        write_folder(str(tmp_path / "new"), {"d": ""})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "c", "new"]
