"""The checkers that are proved in Coq, as JavaScript in a browser: they say what the programs say, and no more.

There `int` has 32 bits and the stack is small: what is too large must be refused, never taken for something smaller.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify as certify_formula
from proofs.every_n.extracted import EVERY_N_IN_PAGES, VERIFIED_IN_PAGES, OcamlProgram, compiled_files
from tests.browser import browser
from tests.processes import ROOT
from tests.with_ocaml import check_verified, run_program, script_of

__all__ = ["browser"]
CORPUS = sorted((ROOT / "tests" / "corpus").glob("*/*.cert"))
MODELS = sorted((ROOT / "examples" / "models").glob("*.json"))
JUDGE = "files => files.map(([name, bytes]) => judge(name, bytes))"
PROGRAMS = (VERIFIED_IN_PAGES, EVERY_N_IN_PAGES)
STATUS = {"accepted": 0, "rejected": 1, "malformed": 2, "incomplete": 3}
PrintedTexts = tuple[int, list[str]]
Judges = Callable[[OcamlProgram, Sequence[Path]], list[PrintedTexts]]


@pytest.fixture(scope="module")
def judges(browser: Browser) -> Judges:
    """Return the verdicts of a script on files, in a page that does not evaluate texts."""
    def judge(program: OcamlProgram, paths: Sequence[Path]) -> list[PrintedTexts]:
        script = script_of(program)
        page = browser.new_page()
        page.set_default_timeout(0)
        page.route("http://page/*", lambda route: route.fulfill(
            headers={"Content-Security-Policy": "default-src 'none'; script-src 'self'"},
            content_type="text/javascript" if route.request.url.endswith(".js") else "text/html",
            body=script if route.request.url.endswith(".js") else '<script src="judge.js"></script>'))
        page.goto("http://page/")
        found = page.evaluate(JUDGE, [[str(path), path.read_bytes().decode("latin-1")] for path in paths])
        page.close()
        return [(status, lines) for status, lines in found]
    return judge


def natively(program: OcamlProgram, paths: Sequence[Path]) -> list[PrintedTexts]:
    """Return the output of the program about the same files."""
    if program is VERIFIED_IN_PAGES:
        return [(STATUS[found.verdict], list(found.lines)) for found in check_verified(paths)]
    done = [run_program(path) for path in paths]
    return [(one.returncode, one.stdout.decode("ascii").splitlines()) for one in done]


def sealed(text: str) -> dict[str, Any]:
    outcome = certify_formula(text, "ab", 2)
    assert isinstance(outcome, Certified)
    document: dict[str, Any] = json.loads(outcome.certificate)
    return document


def written(folder: Path, documents: Sequence[dict[str, Any]]) -> list[Path]:
    paths = [folder / f"{number}.cert" for number in range(len(documents))]
    for path, document in zip(paths, documents, strict=True):
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")
    return paths


# -- what is built -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: str(program.name))
def test_the_makefile_builds_what_is_there(program: OcamlProgram) -> None:
    sources = program.own_sources()
    files = {*compiled_files(sources["Makefile"])}
    assert files == {"checker.mli", "checker.ml", *(name for name in sources if name.endswith(".ml"))}
    assert f"{program.name}: $(SOURCES)" in sources["Makefile"]


def code(source: str) -> str:
    """OCaml without its comments, texts and characters."""
    return re.sub(r"""\(\*.*?\*\)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\[^0-9]|\\\d{3})'""", "", source, flags=re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: str(program.name))
def test_no_integer_that_is_written_in_the_readers_is_near_the_limit_of_32_bits(program: OcamlProgram) -> None:
    text = "".join(code(source) for name, source in program.own_sources().items() if name.endswith(".ml"))
    literals = re.findall(r"(?<![\w.])(0x[\dA-Fa-f]+|\d[\d_]*)(?![.\w])", text)
    numbers = [int(digits.replace("_", ""), 0) for digits in literals]
    shifts = [int(digits) for digits in re.findall(r"lsl (\d+)", text)]
    assert 16_000_000 in numbers and max(numbers) <= 1 << 28 and shifts and max(shifts) <= 28


# -- what is said ------------------------------------------------------------------------------------------------------


def test_the_proved_checker_says_of_some_files_what_the_program_says(judges: Judges) -> None:
    paths = [path for verdict in STATUS for path in sorted((ROOT / "tests" / "corpus" / verdict).glob("*.cert"))[::40]]
    found = judges(VERIFIED_IN_PAGES, paths)
    assert found == natively(VERIFIED_IN_PAGES, paths)
    assert {status for status, _ in found} >= {0, 2, 3}


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: str(program.name))
def test_both_say_of_every_file_what_the_programs_say(judges: Judges, program: OcamlProgram) -> None:
    paths = [*CORPUS, *MODELS]
    assert judges(program, paths) == natively(program, paths)


def test_a_long_certificate_of_another_kind_is_named_and_not_called_too_large(judges: Judges, tmp_path: Path) -> None:
    """A browser's stack does not hold what the checker would write of all of it."""
    document = {"format": "certify-margin", "rows": [[str(number)] * 8 for number in range(6000)]}
    ((status, lines),) = judges(VERIFIED_IN_PAGES, written(tmp_path, [document]))
    assert status == STATUS["incomplete"] and "those of margins are checked by python -I -S" in lines[-1]


TOO_LARGE = (2**31 + 2, 2**32 + 1, 2**32 + 2, 2**64 + 1)
"""Of the lengths, layers and versions below, some would be right if only the last 32 bits counted."""
PLACES: dict[str, Callable[[dict[str, Any], int], object]] = {
    "greatest length": lambda d, k: d["claim"].update(max_n=k),
    "least length": lambda d, k: d["claim"].update(min_n=k),
    "version": lambda d, k: d.update(version=k),
    "layer": lambda d, k: d["bounds"][0].update(layer=k),
    "error": lambda d, k: d["bounds"][0].update(error_if_true=str(k)),
    "small error": lambda d, k: d["bounds"][0].update(error_if_true=f"{k}/{k * k}"),
    "temperature": lambda d, k: d["transformer"]["layers"][0]["heads"][0].update(temperature=str(k)),
    "formula": lambda d, k: d["claim"].update(formula=f"#<[Q_a] > {k}"),
    "predicate": lambda d, k: d["claim"].update(formula=f"MOD({k},1)"),
    "reference": lambda d, k: d["claim"].update(formula=f"${k}"),
}


def test_a_number_that_does_not_fit_is_no_smaller_one(judges: Judges, tmp_path: Path) -> None:
    documents = []
    for change in PLACES.values():
        for number in TOO_LARGE:
            documents.append(sealed("Q_a since Q_b"))
            change(documents[-1], number)
    paths = written(tmp_path, documents)
    found = judges(VERIFIED_IN_PAGES, paths)
    assert found == natively(VERIFIED_IN_PAGES, paths)
    accepted = {name for k, name in enumerate(PLACES) for status, _ in found[k * len(TOO_LARGE):][:len(TOO_LARGE)]
                if status == 0}
    assert accepted == {"temperature"}  # of a head whose values are 0: no position has two symbols


@pytest.mark.parametrize("text", ["!" * 999 + "Q_a", "(" * 999 + "Q_a" + ")" * 999], ids=["deep", "brackets"])
def test_what_ends_the_stack_is_incomplete(judges: Judges, tmp_path: Path, text: str) -> None:
    document = sealed("Q_a since Q_b")
    document["claim"]["formula"] = text
    ((status, (line,)),) = judges(VERIFIED_IN_PAGES, written(tmp_path, [document]))
    assert status == 3 and line.startswith("incomplete: ")


@pytest.mark.exhaustive
def test_every_n_that_ends_the_stack_is_unknown(judges: Judges, tmp_path: Path) -> None:
    document = sealed("Q_a since Q_b")
    document["claim"]["formula"] = "!" * 999 + "Q_a"
    ((status, (line,)),) = judges(EVERY_N_IN_PAGES, written(tmp_path, [document]))
    assert status == 3 and line.startswith("unknown ")
