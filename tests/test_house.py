"""The house keeps its shape: what may import what, the size of files and functions, one stem per statement."""

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from constructions.statements.table import STATEMENTS, Statement

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for folder in ("certify", "constructions", "proofs") for path in (ROOT / folder).rglob("*.py"))
COQ_LAYERS = ("base", "language", "network", "sha", "checker", "compiler", "hahn", "trained")
"""The folders of ``proofs/coq``: a file imports its own layer and those before it."""
CHECKER = sorted((ROOT / "proofs" / "check").rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Each file is read once in all of these tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of its nodes, which are gone through once."""
    return tuple(ast.walk(parsed(path)))


@cache
def imported_modules(path: Path) -> frozenset[str]:
    found = set[str]()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return frozenset(found)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def relative_imports(path: Path) -> set[Path]:
    """Return the files of the trusted package that a file imports."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            candidates = [folder / name.name for name in node.names] if not node.module else [folder]
            found |= {one.with_suffix(".py") if one.with_suffix(".py").is_file() else one / "__init__.py"
                      for one in candidates}
    return found


def test_the_checker_imports_the_standard_library_and_itself() -> None:
    for path in CHECKER:
        absolute = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                    for node in nodes(path)
                    if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)}
        foreign = {name for name in absolute if str(name).partition(".")[0] not in sys.stdlib_module_names}
        assert foreign == ({"checker.command"} if path.name == "__main__.py" else set()), path


def test_the_imports_of_the_checker_have_no_circle() -> None:
    """Removing what imports nothing that is left, again and again, removes everything."""
    package = [path for path in CHECKER if "checker" in path.relative_to(ROOT / "proofs" / "check").parts]
    left = {path: relative_imports(path) for path in package}
    assert all(imported.is_file() for files in left.values() for imported in files)
    while free := [path for path, files in left.items() if not files & left.keys()]:
        for path in free:
            del left[path]
    assert not left


def chapter_of(path: Path) -> str:
    """Return the chapter of a file of the checker, or "kernel", or "" for what is above both."""
    parts = path.relative_to(ROOT / "proofs" / "check" / "checker").parts
    return parts[1] if parts[0] == "chapters" and len(parts) > 2 else "kernel" if parts[0] == "kernel" else ""


BUILDS_ON: dict[str, set[str]] = {
    "sums": {"formula"}, "irrational": {"formula"}, "weightings": {"formula", "sums"},
    "floats": {"formula", "sums", "float_models"}, "margin": {"word_semantics", "formula"},
    "trained": {"word_semantics", "float_models"}}


def test_a_chapter_imports_the_kernel_and_no_other_chapter_but_those_it_builds_on() -> None:
    """The kernel imports only itself, and modules that a chapter builds on never name it, except in one table."""
    for path in (one for one in CHECKER if "checker" in one.relative_to(ROOT / "proofs" / "check").parts):
        chapter = chapter_of(path)
        allowed = {"kernel", chapter} | BUILDS_ON.get(chapter, set())
        imported = {chapter_of(one) for one in relative_imports(path)}
        assert not chapter or imported <= allowed, f"{path}: {imported - allowed}"


def test_each_class_of_the_checker_has_a_name_of_its_own() -> None:
    """No other class has it, and no other type is called so."""
    found: dict[str, list[Path]] = {}
    aliases: dict[str, list[Path]] = {}
    for path in CHECKER:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                aliases.setdefault(node.targets[0].id, []).append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1 or name in aliases} == {}


SAME_OF_OTHER_NUMBERS = {"add", "multiply", "charge"}


def test_each_function_of_the_kernel_has_a_name_of_its_own() -> None:
    """In the kernel, and beside those of chapters; arithmetic on other numbers has the words of arithmetic."""
    found: dict[str, list[Path]] = {}
    for path in CHECKER:
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(path)
    shared = {name for name, paths in found.items() if len(paths) > 1 and "kernel" in map(chapter_of_any, paths)}
    assert shared == SAME_OF_OTHER_NUMBERS


def chapter_of_any(path: Path) -> str:
    """Return the chapter of any file of the folder."""
    return chapter_of(path) if "checker" in path.relative_to(ROOT / "proofs" / "check").parts else ""


def test_the_checker_uses_no_floating_point() -> None:
    for path in CHECKER:
        for node in nodes(path):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.Name) and node.id == "float"), path


def test_every_file_of_the_checker_is_in_its_readme_or_its_chapter_and_every_chapter_has_its_files() -> None:
    folder = ROOT / "proofs" / "check"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for path in (one for one in CHECKER if one.name[:2] != "__"):
        chapter = chapter_of(path)
        own = folder / "checker" / "chapters" / chapter / "__init__.py"
        page = readme if chapter in ("", "kernel", "formula") else own.read_text(encoding="utf-8")
        assert re.search(rf"\b{path.stem}\b", page), path
    assert {name for name in os.listdir(folder / "checker" / "chapters") if name[0] != "_"} == set(
        re.findall(r"`chapters/(\w+)/`", readme))
    page = "".join((ROOT / "docs" / name).read_text(encoding="utf-8")
                   for name in ("reference/certificate.md", "background/obligations.md"))
    chapters = {line[3:].strip() for line in page.splitlines() if line.startswith("## ")}
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and ".py`" in line]
    for chapter, files in ((row[0][2:], row[1]) for row in rows):
        is_chapter = any(one.startswith(chapter) for one in chapters)
        assert is_chapter or all(f"**{part.strip()}" in page for part in chapter.split(",")), chapter
        for name in re.findall("`([^`]+)`", files):
            places = (folder / "checker", folder / "checker" / "kernel", folder / "checker" / "chapters")
            assert any((place / name).exists() for place in places), name


def test_every_file_can_be_imported() -> None:
    """Doctests import only files with an example."""
    for path in SOURCES:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        try:
            assert name.endswith(".__main__") or importlib.import_module(name)
        except ModuleNotFoundError as missing:
            assert missing.name == "torch", name  # an extra


def test_only_second_provers_and_what_they_share_import_z3() -> None:
    importers = {path.relative_to(ROOT) for path in SOURCES if "z3" in imported_modules(path)}
    seconds = {path for path in importers if path.stem.startswith("second")}
    others = {path.parent for path in importers - seconds}
    assert others == {Path("proofs/formula/z3")} and {path.parents[1] for path in seconds} == {Path("proofs/formula")}


def test_only_by_cvc5_imports_cvc5_and_it_imports_nothing_of_the_project() -> None:
    assert [path.name for path in SOURCES if "cvc5" in imported_modules(path)] == ["by_cvc5.py"]
    assert imported_modules(ROOT / "proofs" / "formula" / "by_cvc5.py") == {"sys", "cvc5"}


@pytest.mark.parametrize("folder", ["constructions", "proofs"])
def test_no_floating_point_literal_and_no_eval_where_verdicts_are_made(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        for node in nodes(path):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), f"{path}:{node.lineno}"
            assert not (isinstance(node, ast.Name) and node.id in {"float", "eval", "exec", "sympify"}), (
                f"{path}:{node.lineno}")


def test_files_have_at_most_400_lines() -> None:
    assert [path for path in SOURCES if len(path.read_text(encoding="utf-8").splitlines()) > 400] == []


def test_no_function_is_longer_than_60_lines_and_the_median_is_at_most_10() -> None:
    lengths = []
    for path in SOURCES:
        for function in functions(path):
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            assert length <= 60, f"{path.relative_to(ROOT)}:{function.lineno} {function.name} has {length} lines"
            lengths.append(length)
    assert sorted(lengths)[len(lengths) // 2] <= 10


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.stem)
def test_each_statement_has_a_stem_under_which_a_file_is_found(statement: Statement) -> None:
    folders = (("constructions/**", "py"), ("proofs/numbers/instances", "py"), ("proofs/coq/*", "v"))
    assert any(path for folder, ending in folders for path in ROOT.glob(f"{folder}/{statement.stem}.{ending}"))


@pytest.mark.parametrize(("folder", "tests"), [("constructions/statements", "statements"),
                                               ("proofs/numbers/instances", "numbers/instances")])
def test_each_statement_is_tested_under_its_stem(folder: str, tests: str) -> None:
    stems = {path.stem for path in (ROOT / folder).glob("*_[0-9]*_*.py")}
    named = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / tests).glob("test_*_[0-9]*_*.py")}
    assert stems == named


def test_each_construction_for_low_precision_is_tested() -> None:
    named = {path.stem for path in (ROOT / "constructions" / "statements").glob("low_precision_*.py")}
    assert {f"test_{stem}" for stem in named} <= {path.stem for path in (ROOT / "tests/statements").glob("*.py")}


def test_each_file_named_for_a_statement_is_listed() -> None:
    named = {path.stem for folder in ("constructions/statements", "proofs/numbers/instances", "proofs/coq/*")
             for path in ROOT.glob(f"{folder}/*_[0-9]*_*") if path.suffix in (".py", ".v")}
    listed = (ROOT / "docs" / "reference" / "statements.toml").read_text(encoding="utf-8")
    assert {stem for stem in named if not re.search(rf"\b(test_)?{stem}\.(py|v)\b", listed)} == set()


def test_each_file_of_the_coq_library_imports_its_own_layer_and_lower_ones() -> None:
    files = sorted((ROOT / "proofs" / "coq").glob("*/*.v"))
    layers = {path.stem: COQ_LAYERS.index(path.parent.name) for path in files}
    assert len(layers) == len(files)
    for path in files:
        text = path.read_text(encoding="utf-8")
        imported = " ".join(re.findall(r"From Certify Require Import ([^.]*)\.\s", text)).split()
        assert [name for name in imported if layers[name] > layers[path.stem]] == [], path
        assert {"Coq", "Coq.Init", "Certify"} >= set(re.findall(r"(?:From (\S+) )?Require", text)), path


def test_the_repository_names_no_absolute_path_and_no_package_host() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked or [str(path.relative_to(ROOT)) for path in SOURCES]:
        text = (ROOT / name).read_text(encoding="utf-8", errors="ignore")
        for word in ("/" + "root/", "/" + "home/", "py" + "pi.org", "python" + "hosted"):
            assert word not in text, f"{name} mentions {word}"


def room_of(module: str) -> str:
    """Return the folder of a module in a package; a file next to the folders is its own room."""
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("package", ["certify", "proofs"])
def test_the_rooms_of_a_package_import_each_other_in_no_circle(package: str) -> None:
    """Repeatedly removing the packages that import no remaining one removes everything."""
    left: dict[str, set[str]] = {}
    for path in (ROOT / package).rglob("*.py"):
        if path != ROOT / package / "__init__.py":
            room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            imported = {room_of(name) for name in imported_modules(path) if name.startswith(f"{package}.")}
            left[room] = left.get(room, set()) | (imported - {room})
    while free := [room for room, rooms in left.items() if not rooms & left.keys()]:
        for room in free:
            del left[room]
    assert not left


def test_no_file_imports_one_that_imports_it() -> None:
    """Not even by way of others: the files of all three packages stand in an order."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
               for path in SOURCES if "check" not in path.relative_to(ROOT).parts}
    left = {name: {found for found in imports_of(path) if found in modules} - {name}
            for name, path in modules.items() if path.name != "__init__.py"}
    while free := [name for name, imported in left.items() if not imported & left.keys()]:
        for name in free:
            del left[name]
    assert not left


def imports_of(path: Path) -> set[str]:
    """Return the modules that a file names: of ``from package import name``, the module package.name as well."""
    found = set(imported_modules(path))
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_the_tier_of_a_minute_touches_every_room() -> None:
    listed = [Path(line) for line in (ROOT / "tests" / "minute.txt").read_text(encoding="utf-8").splitlines()]
    assert listed == sorted(listed, key=Path.as_posix) and all((ROOT / path).is_file() for path in listed)
    rooms = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert rooms == {path.parts[1] for path in listed if len(path.parts) > 2}
