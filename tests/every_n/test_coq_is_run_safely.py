"""The cache of the compiled library, and what is made of the answers of a ``coqc``, which here is a script."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError, InternalError
from constructions.language.parser import parse_formula
from constructions.regimes import Regime
from proofs.every_n import Coq, CoqMissing, compiled_library, find_coq
from proofs.every_n.axioms import ALLOW_LIST, allowed_axioms, parse_axioms
from proofs.every_n.compiled import cache_folder
from proofs.every_n.kernel import find_answer
from proofs.every_n.library import COMPILED, imported_files, needed_sources
from proofs.every_n.transformer_file import refusal_file, theorem_file
from tests.with_coq import coq_or_skip, library_of, staying_coq_or_skip

COUNTING = 'for last; do :; done; echo "$last" >> "$(dirname "$0")/log"; touch "${last}o"'
"""A ``coqc`` that accepts everything, and notes what."""


def script(folder: Path, body: str, version: str = "8.16.1") -> Coq:
    program = folder / "coqc"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return Coq(str(program), version)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "certify"


def test_the_library_is_compiled_once_for_each_version_of_coq(tmp_path: Path, cache: Path) -> None:
    first = compiled_library(script(tmp_path, COUNTING))
    assert compiled_library(script(tmp_path, COUNTING)) == first
    names = [Path(line).name for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert sorted(names) == sorted(needed_sources(*COMPILED))
    assert all(names.index(other) < names.index(name)
               for name, text in needed_sources(*COMPILED).items() for other in imported_files(text))
    assert compiled_library(script(tmp_path, COUNTING, "8.17.0")) != first
    assert compiled_library(replace(script(tmp_path, COUNTING), build="8.16.1 4.14.0")) != first
    assert len(list(cache.iterdir())) == 3


def test_other_files_are_compiled_beside_those_that_are_there(tmp_path: Path, cache: Path) -> None:
    usual = compiled_library(script(tmp_path, COUNTING))
    before = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    entries = ("soft_for_every_n.v", "user_predicates.v")
    place = compiled_library(script(tmp_path, COUNTING), entries=entries)
    compiled = {Path(line).name for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()[len(before):]}
    assert compiled == needed_sources(*entries).keys() - needed_sources(*COMPILED).keys()
    assert place != usual and all((place / name).with_suffix(".vo").exists() for name in needed_sources(*entries))


def test_what_is_there_but_was_changed_is_not_taken(tmp_path: Path, cache: Path) -> None:
    usual = compiled_library(script(tmp_path, COUNTING))
    (usual / "network.vo").write_text("another", encoding="utf-8")
    place = compiled_library(script(tmp_path, COUNTING), entries=("soft_for_every_n.v",))
    assert (place / "network.vo").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("change", [
    lambda place: (place / "check.vo").write_text("another", encoding="utf-8"),
    lambda place: (place / "check.vo").unlink(),
    lambda place: (place / "more.vo").touch(),
    lambda place: (place / "check.vio").touch(),
    lambda place: (place / "more").symlink_to(place.parent, target_is_directory=True),
    lambda place: (place / "instances.printed").write_text("Closed under the global context", encoding="utf-8"),
    lambda place: (place / "sealed").unlink(),
    lambda place: (place / "sealed").write_bytes(b"\xff"),
])
def test_a_compiled_library_that_was_changed_is_compiled_again(tmp_path: Path, cache: Path,
                                                               change: Callable[[Path], object]) -> None:
    place = compiled_library(script(tmp_path, COUNTING))
    change(place)
    (tmp_path / "log").unlink()
    assert compiled_library(script(tmp_path, COUNTING)) == place
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == len(needed_sources(*COMPILED))
    assert [path.name for path in cache.iterdir()] == [place.name]
    assert compiled_library(script(tmp_path, "exit 1")) == place


def test_what_was_compiled_before_an_interrupt_is_kept(tmp_path: Path, cache: Path) -> None:
    message: list[str] = []

    def interrupt(line: str) -> None:
        message.append(line)
        if len(message) == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compiled_library(script(tmp_path, COUNTING), interrupt)
    (begun,) = cache.iterdir()
    kept = {path.name for path in begun.glob("*.v")}
    assert 4 <= len(kept) < 12 and {path.stem for path in begun.glob("*.vo")} == {Path(name).stem for name in kept}
    place = compiled_library(script(tmp_path, COUNTING))
    names = [Path(line).name for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert sorted({*names}) == sorted(needed_sources(*COMPILED)) and all(names.count(name) == 1 for name in kept)
    assert [*cache.iterdir()] == [place]


def test_what_was_begun_but_was_changed_is_not_taken(tmp_path: Path, cache: Path) -> None:
    def interrupt(line: str) -> None:
        if ", 9 of" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compiled_library(script(tmp_path, COUNTING), interrupt)
    (begun,) = cache.iterdir()
    next(begun.glob("*.vo")).write_text("another", encoding="utf-8")
    place = compiled_library(script(tmp_path, COUNTING))
    assert all(not path.read_bytes() for path in place.glob("*.vo"))


def test_folders_in_which_nobody_compiles_any_more_are_swept(tmp_path: Path, cache: Path) -> None:
    for name in (".coq-old", ".coq-new"):
        (cache / name / "library").mkdir(parents=True, mode=0o700)
    for folder in (cache / ".coq-old" / "library", cache / ".coq-old"):
        os.utime(folder, (0, 0))
    cache.chmod(0o700)
    place = compiled_library(script(tmp_path, COUNTING))
    assert {path.name for path in cache.iterdir()} == {".coq-new", place.name}


def test_a_cache_that_others_may_write_is_refused(tmp_path: Path, cache: Path) -> None:
    place = compiled_library(script(tmp_path, COUNTING))
    for folder in (place, cache):
        folder.chmod(0o777)
        with pytest.raises(InputError, match=f"^{folder}: another user may write in this cache, expected one that is "):
            compiled_library(script(tmp_path, COUNTING))
        folder.chmod(0o700)


def test_the_library_of_another_user_is_refused(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_library(script(tmp_path, COUNTING))
    monkeypatch.setattr("os.geteuid", lambda: cache.stat().st_uid + 1)
    with pytest.raises(InputError, match="another user may write in this cache"):
        compiled_library(script(tmp_path, COUNTING))


def test_files_of_the_library_are_compiled_with_a_small_heap_but_where_another_is_set(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coq, source = script(tmp_path, 'echo "$OCAMLRUNPARAM"'), tmp_path / "a.v"
    monkeypatch.delenv("OCAMLRUNPARAM", raising=False)
    assert coq.compile(source, tmp_path).printed == "s=256k,o=1000\n"
    assert coq.compile(source, tmp_path / "library").printed == "\n"
    monkeypatch.setenv("OCAMLRUNPARAM", "s=1M")
    assert coq.compile(source, tmp_path).printed == "s=1M\n"


def test_a_library_of_another_process_stays_if_it_is_whole(tmp_path: Path, cache: Path) -> None:
    """The script compiles the whole library once more while the first run is at it."""
    place = compiled_library(script(tmp_path, COUNTING))
    kept = tmp_path / "kept"
    place.rename(kept)
    once = f"if mkdir '{tmp_path / 'copied'}' 2>/dev/null; then cp -rp '{kept}' '{place}'; fi"
    assert compiled_library(script(tmp_path, f"{COUNTING}; {once}")) == place
    assert (place / "sealed").stat().st_mtime_ns == (kept / "sealed").stat().st_mtime_ns


def test_a_relative_cache_does_not_count_and_no_home_is_one_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "certify"
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(InputError, match=r"^there is no home folder, and so no cache; XDG_CACHE_HOME names another"):
        cache_folder()


def homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_coq_looks_for_libraries_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COQPATH", "XDG_DATA_HOME", "XDG_DATA_DIRS"):
        monkeypatch.setenv(name, str(tmp_path))
    coq = script(tmp_path, 'echo "$COQPATH,$XDG_DATA_HOME,$XDG_DATA_DIRS"')
    assert coq.compile(tmp_path / "theorem.v", tmp_path).printed == ",/dev/null,/dev/null\n"


def test_a_library_that_coq_rejects_leaves_nothing_behind(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(InternalError, match=r"Coq 8.16.1 does not accept the library: \w+\.v: out of memory"):
        compiled_library(script(tmp_path, "echo 'Error: out of  memory' >&2; exit 1"))
    assert list(cache.iterdir()) == []


def test_a_cache_that_is_a_file_is_one_line(tmp_path: Path, cache: Path) -> None:
    cache.parent.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"the cache cannot be written: .*; XDG_CACHE_HOME names another place"):
        compiled_library(script(tmp_path, COUNTING))


def answer(tmp_path: Path, body: str, besides: str | None = None) -> tuple[bool, str]:
    found = find_answer(script(tmp_path, body), tmp_path, tmp_path / "theorem.v", besides=besides)
    return found.proved, found.reason


def test_a_theorem_is_proved_by_allowed_axioms_and_by_none(tmp_path: Path) -> None:
    assert answer(tmp_path, "echo 'Closed under the global context'") == (True, "")
    assert answer(tmp_path, f"echo Axioms:; sed 's/ : /\\n  : /; s/, /,\\n    /' {ALLOW_LIST}") == (True, "")


@pytest.mark.parametrize("name", ["my_axiom", "Classical_Prop.classics", "Other.classic", "Classical_Prop.classic"])
def test_another_axiom_is_not_allowed_and_neither_is_another_statement_of_that_name(tmp_path: Path, name: str) -> None:
    assert answer(tmp_path, f"echo Axioms:; echo '{name} : False'") == (
        False, f"it rests on axioms that are not allowed: {name} : False")


@pytest.mark.parametrize("printed", [
    "", "Axioms:", "Closed under the global context\nAxioms:", "Axioms: none", "f = g",
])
def test_without_a_list_of_axioms_there_is_no_proof(tmp_path: Path, printed: str) -> None:
    assert answer(tmp_path, f"echo '{printed}'") == (
        False, "Coq accepts the theorem, but does not say by which axioms")


def test_the_axioms_of_what_a_theorem_is_an_instance_of_count(tmp_path: Path) -> None:
    printed = "echo 'Closed under the global context'"
    assert answer(tmp_path, printed, "Closed under the global context\n") == (True, "")
    assert answer(tmp_path, printed, "Axioms:\nmy_axiom : False\n") == (
        False, "it rests on axioms that are not allowed: my_axiom : False")
    assert answer(tmp_path, printed, "") == (False, "Coq accepts the theorem, but does not say by which axioms")


def test_a_crash_is_no_proof(tmp_path: Path) -> None:
    assert answer(tmp_path, "echo 'Closed under the global context'; exit 139") == (
        False, "Coq does not accept the theorem: exit status 139")


def test_what_is_assumed_without_an_axiom_counts() -> None:
    assumed = {"loop is assumed to be guarded.", "large relies on type in type."}
    assert parse_axioms("\n".join(["Axioms:", *assumed])) == assumed
    assert not assumed & allowed_axioms()


def test_without_coqc_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CoqMissing, match=r"^coqc is not on the path; install Coq \(Debian: the package coq\)$"):
        find_coq()


def test_a_coq_that_stays_says_what_coqc_says_and_remembers_nothing(tmp_path: Path) -> None:
    """The same acceptance, print and complaint: proved, refused, no Coq, an axiom, and a name of a file before."""
    coq, staying = coq_or_skip(), staying_coq_or_skip()
    network = compile_formula(parse_formula("Q_a since Q_b"), "ab", Regime())
    right, wrong = (theorem_file(network, parse_formula(text, "ab")) for text in ("Q_a since Q_b", "Q_b since Q_a"))
    refusal = refusal_file(network, parse_formula("Q_b since Q_a", "ab"))
    axiom = "Axiom no : False.\nTheorem all : 1 = 2. Proof. destruct no. Qed.\nPrint Assumptions all.\n"
    open_end, unknown = "Goal True.\nProof. exact I.\n", "Check claim.\n"
    accepted = []
    for number, text in enumerate((right, wrong, refusal, axiom, "Definition a := .\n", unknown, open_end, right)):
        source = tmp_path / f"file{number}.v"
        source.write_text(text, encoding="utf-8")
        expected, found = (one.compile(source, library_of(coq)) for one in (coq, staying))
        assert (found.accepted, found.printed.split()) == (expected.accepted, expected.printed.split()), text
        assert expected.accepted or text == open_end or found.complaint == expected.complaint
        accepted.append(found.accepted)
    assert accepted == [True, False, True, True, False, False, False, True]
