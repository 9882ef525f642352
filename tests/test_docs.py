"""Documents are tests: what README and docs/ show is what the program prints, and what they name exists."""

import doctest
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import certify
from certify.claims.formula.examples import load_examples
from certify.common.shipped import pages
from certify.exports.site.guides import slug_of
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.regimes import ALL_REGIMES, Regime
from tests.in_process import run_certify
from tests.with_coq import coq_or_skip

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {name: path.read_text(encoding="utf-8") for name, path in pages().items()}
"""README, DIVERGENCES, CHANGELOG and every page of docs/, by the names of `certify docs`."""
SECONDS = re.compile(r"\b\d+\.\d\d s\b|(?<=certified) +\d+\.\d\d\b|\b\d+\.\d s of work")

ONLY_CERTIFY = re.compile(r"certify ((?:'[^']*'|[^'|&;<>$`\n])*)(?: \| ([^&;]*))?")
"""A command, and what reads its output."""


def console_blocks(text: str) -> list[tuple[str, str]]:
    """Every ```text block that begins with a $ command: the command and the output shown."""
    blocks = re.findall(r"```text\n\$ (.+?)\n(.*?)```", text, re.DOTALL)
    return [(command, output.strip()) for command, output in blocks]


def printed_by(command: str, folder: Path, path: str) -> str:
    """Return the output of a command of a document; ``certify`` commands run in this process."""
    variables = {"PYTHONPATH": str(ROOT), "PATH": path, "PYTHONIOENCODING": "utf-8"}
    steps = [ONLY_CERTIFY.fullmatch(step) for step in re.split(r" && (?=certify )", command)]
    if all(steps):
        printed = ""
        for arguments, pipe in (step.groups() for step in steps if step):
            out = run_certify(*shlex.split(arguments), folder=folder, environment=variables).stdout
            printed += out if pipe is None else subprocess.run(pipe, input=out, shell=True, capture_output=True,
                                                               text=True, check=False).stdout
        return printed
    script = re.sub("(^|&& )certify ", rf"\1{sys.executable} -m certify.cli ", command)
    script = re.sub("(^|&& )python -", rf"\1{sys.executable} -", script)
    script = script.replace("-S proofs/check ", f"-S {ROOT / 'proofs' / 'check'} ")
    return subprocess.run(script, shell=True, cwd=folder, capture_output=True, text=True, check=False,
                          env=variables).stdout


def check_run(command: str, shown: str, folder: Path, path: str = "") -> None:
    """Check that the command prints the shown text, except for times."""
    printed = "\n".join(line.rstrip() for line in printed_by(command, folder, path).splitlines()).strip()
    assert SECONDS.sub("? s", printed) == SECONDS.sub("? s", shown)


def check_python_session(text: str, name: str) -> None:
    """Every >>> example of the document is true, in order."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_runs_in_the_readme_print_what_it_shows_and_its_picture_is_drawn_from_a_certificate(tmp_path: Path) -> None:
    """In order, and in one test: a later block reads the file that an earlier one wrote."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, shown in console_blocks(README):
        check_run(command, shown, tmp_path, os.environ["PATH"])
    run_certify("formula", "#<[Q_1] > #<[Q_0]", "--alphabet", "01", "-o", "ones.cert", folder=tmp_path, environment={})
    draw = [sys.executable, str(ROOT / "docs" / "tools" / "draw_picture.py"), "ones.cert"]
    drawn = subprocess.run(draw, cwd=tmp_path, capture_output=True, text=True, check=True,
                           env={"PYTHONPATH": str(ROOT)})
    assert "](docs/picture.svg)" in README
    assert drawn.stdout == (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_the_version_is_the_same_everywhere() -> None:
    assert f"version: {certify.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (date,) = re.findall(rf"^## {certify.__version__} \((\d+-\d\d-\d\d)\)$", PAGES["CHANGELOG"], re.MULTILINE)
    assert f"date-released: {date}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_page_of_commands_is_what_the_commands_say_of_themselves() -> None:
    """Written by ``python docs/tools/write_commands.py > docs/reference/commands.md``."""
    written = subprocess.run([sys.executable, str(ROOT / "docs" / "tools" / "write_commands.py")], capture_output=True,
                             text=True, check=True, env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"})
    assert written.stdout == PAGES["commands"]


def test_the_python_session_in_the_readme_is_true() -> None:
    check_python_session(README, "README.md")


def test_the_page_on_python_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_python_session(PAGES["python"], "python.md")


def test_the_page_on_models_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sessions and its JSON file write what its runs read."""
    text = PAGES["models"]
    monkeypatch.chdir(tmp_path)
    ((name, model),) = re.findall(r"`([\w.]+\.json)`[^`]*```json\n(.*?)```", text, re.DOTALL)
    (tmp_path / name).write_text(model, encoding="utf-8")
    check_python_session(text, "models.md")
    assert len(console_blocks(text)) == 3
    for command, shown in console_blocks(text):
        check_run(command, shown, tmp_path, os.environ["PATH"])


RUNS = {
    "first_certificate": 6, "first_verdict": 7, "decide": 2, "aligned": 2, "any_length": 3, "counts": 3, "learning": 2,
    "signs": 1, "compiled_machines": 1, "floats_rules": 1, "hahn": 2, "lengths": 1, "margins_rules": 2,
    "sensitivity": 4, "weightings": 4,
}  # fmt: skip
"""Pages whose blocks are run, and how many they have."""


@pytest.mark.parametrize("page", [*RUNS, pytest.param("repairing", marks=pytest.mark.exhaustive)])
def test_the_runs_of_a_page_are_true(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = PAGES[page]
    assert len(console_blocks(text)) == RUNS.get(page, 2)
    for command, shown in console_blocks(text):
        check_run(command, shown, tmp_path, os.environ["PATH"])


def test_the_session_on_the_page_on_counts_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    check_python_session(PAGES["counts"], "counts.md")


def test_the_run_on_the_first_page_of_the_book_is_true(tmp_path: Path) -> None:
    ((command, shown),) = console_blocks((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    check_run(command, shown, tmp_path, os.environ["PATH"])


def test_the_session_on_the_page_on_hahn_is_true() -> None:
    check_python_session(PAGES["hahn"], "hahn.md")


def test_the_page_on_hahn_shows_theorems_as_they_stand_in_coq() -> None:
    shown = re.findall(r"^```coq\n(.*?)^```$", PAGES["hahn"], re.M | re.S)
    library = [path.read_text(encoding="utf-8") for path in (ROOT / "proofs" / "coq").rglob("*.v")]
    assert shown and all(any(theorem in text for text in library) for theorem in shown)


def test_the_page_on_coq_is_true(tmp_path: Path) -> None:
    program = coq_or_skip().program
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = PAGES["coq"]
    assert len(console_blocks(text)) == 5
    for command, shown in console_blocks(text):
        check_run(command, shown, tmp_path, str(Path(program).parent))
    assert (tmp_path / "parity" / "theorem" / "Theorem_parity.v").is_file()


def make_certificates(text: str, folder: Path) -> None:
    """Run the commands that a page names as those of its certificates."""
    for command in re.findall(r"^(?:For|Of) the certificate of `certify (formula .+)`:$", text, re.MULTILINE):
        assert run_certify(*shlex.split(command), folder=folder, environment={}).returncode == 0


def test_the_runs_in_the_page_on_floats_print_what_it_shows(tmp_path: Path) -> None:
    text = PAGES["floats"]
    make_certificates(text, tmp_path)
    assert len(console_blocks(text)) == 1
    for block in console_blocks(text):
        check_run(*block, tmp_path)


def test_the_runs_in_the_page_on_exports_print_what_it_shows(tmp_path: Path) -> None:
    text = PAGES["exports"]
    make_certificates(text, tmp_path)
    assert len(console_blocks(text)) == 3
    for shown in console_blocks(text):
        check_run(*shown, tmp_path, os.environ["PATH"])
    ((program, shown_rows),) = re.findall(r"```python\n(import numpy[^`]*?onnxruntime.*?)```\n\nprints (.*?)\.\n", text,
                                          re.DOTALL)
    printed = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert printed.stdout.split("\n")[:2] == [f"{' ' * (place > 0)}{row}" for place, row in enumerate(
        re.findall("`(.+?)`", shown_rows))]


def test_the_python_session_in_the_page_on_exports_is_true() -> None:
    check_python_session(PAGES["exports"], "exports.md")


def test_the_page_on_softening_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its models are those of examples/hard, and a program."""
    text = PAGES["soften"]
    monkeypatch.chdir(tmp_path)
    for path in (*(ROOT / "examples" / "hard").glob("*.json"), ROOT / "examples" / "programs" / "dyck_2.rasp"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    check_python_session(text, "soften.md")
    assert len(console_blocks(text)) == 8
    for command, shown in console_blocks(text):
        check_run(command, shown, tmp_path, os.environ["PATH"])


def test_the_page_on_importing_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first session writes the file that its runs read, and its second one reads what they wrote."""
    text = PAGES["importing"]
    monkeypatch.chdir(tmp_path)
    before, after = text.split("## From Python")
    check_python_session(before, "importing.md")
    assert len(console_blocks(text)) == 2
    for command, shown in console_blocks(text):
        check_run(command, shown, tmp_path)
    check_python_session(after, "importing.md")


@pytest.mark.parametrize("name", ["claims", "crasp", "critical", "rasp", "scale"])
def test_the_runs_in_the_page_print_what_it_shows(name: str) -> None:
    blocks = console_blocks(PAGES[name])
    assert blocks
    for command, shown in blocks:
        check_run(command, shown, ROOT, os.environ["PATH"])


WIDTH = 100
WRITTEN = "writes what follows -->"
"""Behind this mark a page is written by a script."""


@pytest.mark.parametrize("name", sorted(path.relative_to(ROOT / "docs").as_posix()
                                        for path in (ROOT / "docs").rglob("*.md")))
def test_lines_of_a_page_have_at_most_100_columns_except_in_tables_and_blocks(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8").partition(WRITTEN)[0]
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    exempt = re.compile(r"\|.*\|$|!\[|       |(For|Of) the certificate of `")
    assert [line for line in prose.splitlines() if len(line) > WIDTH and not exempt.match(line)] == []


def test_the_table_of_contents_has_every_page_and_every_package() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^([a-z]+/\S+)$", text, re.MULTILINE)
    assert sorted(one for one in listed if not one.startswith("api/")) == sorted(
        f"{path.parent.name}/{name}" for name, path in pages().items() if not name.isupper())
    assert [one for one in listed if one.startswith("api/")] == [
        f"api/{package}/index" for package in ("certify", "constructions", "proofs")]


def test_the_reference_of_python_has_every_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each package in docs/conf.py has the docstring of each of its folders, and some modules in full."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    found = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    left_out = {Path(path) for path in found["autoapi_ignore"]}
    assert {Path(path).name for path in found["autoapi_dirs"]} == {"certify", "constructions", "proofs"}
    rooms = [path for package in found["PACKAGES"] for path in (ROOT / package).rglob("__init__.py")]
    assert len(rooms) > 90 and not left_out & {*rooms, ROOT / "certify" / "api.py"}
    assert not left_out & {*(ROOT / "proofs" / "check").rglob("*.py")}


DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_that_a_document_names_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:certify|constructions|proofs|tests|docs|examples)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path
    for path, part in re.findall(r"\]\(([\w/.]*)(?:#([\w-]+))?\)", re.sub("`[^`]*`", "", text)):
        target = (ROOT / document).parent / path if path else ROOT / document
        assert target.exists(), path
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE) if part else []
        assert not part or part in map(slug_of, headings), f"{path}#{part}"


@pytest.mark.parametrize("document", [*DOCUMENTS, "proofs/coq/README.md", "proofs/ocaml/README.md"])
def test_every_row_belongs_to_a_table_with_a_head(document: str) -> None:
    """A blank line ends a table, and rows behind it are shown as text."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for table in re.findall(r"(?:^\|[ -].*\|\n)+", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        assert re.fullmatch(r"\|[-|: ]+\|", table.splitlines()[1]), table[:80]


def test_the_map_names_everything_at_the_top_of_each_package() -> None:
    text = PAGES["map"]
    for package in ("constructions", "proofs", "certify"):
        for path in sorted((ROOT / package).iterdir()):
            if path.name.startswith(("_", ".")) or not (path.is_dir() or path.suffix == ".py"):
                continue
            named = f"`{package}/{path.name}{'/' if path.is_dir() else ''}`"
            assert named in text, f"{named} has no row in docs/reference/map.md"


def test_the_roads_in_the_map_lead_to_files_that_exist() -> None:
    """A name without a folder is in the folder that is named before it."""
    (table,) = re.findall(r"^\| road \| where \|\n(.*?)\n\n", PAGES["map"], re.MULTILINE | re.DOTALL)
    for row in table.splitlines()[1:]:
        folder = ROOT
        for name in re.findall(r"`([\w./]+)`", row):
            place = ROOT / name if "/" in name else folder / name
            assert place.exists(), f"{name} in: {row}"
            folder = place if place.is_dir() else place.parent


def test_the_table_of_programs_is_that_of_the_examples() -> None:
    rows = re.findall(r"^\| .+? \| `(\w+\.rasp)` \| `(\w+)` \| (\d+) \| (\d+) \|$", PAGES["rasp"], re.MULTILINE)
    examples = {example.name: example for example in load_examples()}
    entries = tomllib.loads((ROOT / "examples" / "section_6.toml").read_text(encoding="utf-8"))
    assert [name for _, name, _, _ in rows] == list(entries)
    for program, name, layers, heads in rows:
        assert entries[name]["program"] == f"programs/{program}"
        network = compile_formula(examples[name].formula, examples[name].alphabet, Regime())
        assert (len(network.layers), len(list(network.heads()))) == (int(layers), int(heads)), name


def test_readme_contributing_ci_and_makefile_name_the_same_commands() -> None:
    contributing, run, makefile = ((ROOT / name).read_text(encoding="utf-8")
                                   for name in ("CONTRIBUTING.md", ".ci/run", "Makefile"))
    targets = set(re.findall(r"^(\w+): ", makefile, re.MULTILINE))
    assert "make lint types architecture\n" in run
    named = re.findall(r"(?:^|`)make ((?: ?[a-z]+\b(?!=))+)", f"{contributing}\n{run}", re.MULTILINE)
    assert {target for words in named for target in words.split()} <= targets
    assert all(".venv/bin/python -m pytest\n" in text for text in (README, run, makefile))


def test_recipes_are_of_at_most_five_places_all_of_which_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^## (A new [^\n]+)\n(.*?)(?=^## )", page, re.MULTILINE | re.DOTALL)
    assert len(recipes) >= 10
    for title, recipe in recipes:
        assert len(re.findall(r"^\d\. ", recipe, re.MULTILINE)) <= 5, title
    named = {name for _, recipe in recipes for name in re.findall(r"`([a-z_]+/[\w./-]+)`|\b(docs/[\w/]+\.md)", recipe)}
    places = {name for pair in named for name in pair if name}
    assert len(places) > 30 and {name for name in places if not (ROOT / name).exists()} == set()


def test_the_abbreviations_in_the_certificate_page_are_those_of_the_parser() -> None:
    table = PAGES["certificate"]
    rows = re.findall(r"^\| (`.+?`) \| (`.+?`) \|$", table, re.MULTILINE)
    assert len(rows) == 3
    for written, meant in rows:
        for short, long in zip(re.findall("`(.+?)`", written), re.findall("`(.+?)`", meant), strict=True):
            assert parse_formula(letters(short)) is parse_formula(letters(long))


def cells(row: str) -> list[str]:
    """Return the cells of a row of a table, without the escapes of bars."""
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def test_every_spelling_in_the_page_on_formulas_means_what_stands_beside_it() -> None:
    text = PAGES["formulas"]
    rows = [cells(row) for row in re.findall(r"^\| `.*\|$", text, re.MULTILINE)]
    compared = 0
    for written, core in ([re.findall("`(.+?)`", cell) for cell in row[:2]] for row in rows if len(row) == 3):
        for place, spelling in enumerate(written):
            meant = core[place if len(core) > 1 else 0]
            assert parse_formula(spelling, "ab") is parse_formula(meant, "ab"), spelling
            compared += 1
    assert compared > 100


def test_the_runs_in_the_page_on_formulas_print_what_it_shows(tmp_path: Path) -> None:
    blocks = console_blocks(PAGES["formulas"])
    assert blocks
    for command, shown in blocks:
        check_run(command, shown, tmp_path, os.environ["PATH"])


def letters(text: str) -> str:
    """Return the formula letters a and b of a table, as symbols."""
    return re.sub(r"\b([ab])\b", r"Q_\1", text.replace("\\|", "|"))


def test_every_regime_is_in_the_table_of_regimes() -> None:
    text = (ROOT / "constructions" / "regimes.py").read_text(encoding="utf-8")
    assert all(f"| {str(regime).replace(',', '')} " in text for regime in ALL_REGIMES)
