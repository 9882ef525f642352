"""Which tests could come out otherwise on a machine with Python alone: those that are run once more without the tools.

``--note-tools FILE`` records tests that start a process, look up one of ``PROGRAMS``, or import ``PACKAGE``. No process
here is a shell with ``FILTERS`` alone, nor a Python without packages that runs the ``CHECKER`` or a short program that
``MAY_LOOK`` nowhere: these look for nothing. Every test that shares a fixture which did is recorded, too. With
``--only-noted FILE`` only the recorded tests run. No other test can tell whether a tool is there, so nothing is lost if
`.ci/run` leaves it out where the tools are hidden.

This applies to look-ups while a test or a fixture runs. Imports of modules during collection are not recorded: a test
that then uses torch imports it again, itself or in a function that it calls.
"""

import builtins
import importlib.util
import multiprocessing.process
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = frozenset({"coqc", "ocamlopt", "ocamlfind", "chromium", "chromium-browser"})
PACKAGE = "torch"
STARTS = frozenset({"subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"})
"""Events of Python's audit that start a process."""
FILTERS = re.compile(r"(?:(?:^| \| )(?:grep|head|tail)(?: (?:'[^']*'|[\w=-]+))*)+")
"""A command line of programs that read a text and start none, as documents have behind a command."""

ALONE = re.compile(r".*/python[\d.]*|python[\d.]*")
CHECKER = re.compile(r".*/proofs/check|(?:.*/)?check\.pyz")
"""What is run of the trusted folder: it imports nothing that starts a program (tests/test_noting.py)."""
MAY_LOOK = re.compile(r"\b(?:subprocess|shutil|os|multiprocessing|importlib|runpy|exec|eval)\b|__|sys\.path")
"""What a program may use to look for a tool, or to run another program."""


class Noting:
    """The notes of this process so far; each line of the file is a test."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.fixtures: set[Any] = set()
        self.looked = False

    def note(self) -> None:
        """Somebody looks, or starts something, now."""
        self.looked = True

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        before, self.looked = self.looked, False
        try:
            return (yield)
        finally:
            if self.looked:
                self.fixtures.add(fixturedef)
            self.looked |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[Any]:
        self.looked = False
        result = yield
        shared = {one for found in item._fixtureinfo.name2fixturedefs.values() for one in found}
        if self.looked or shared & self.fixtures:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(item.nodeid + "\n")
        return result


def watch(note: Callable[[], None]) -> None:
    """Call ``note`` whenever this process starts another or looks for a tool, from now on."""

    def before(place: Any, name: str, looks: Callable[..., bool]) -> None:
        original = getattr(place, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            if looks(*arguments, **named):
                note()
            return original(*arguments, **named)

        setattr(place, name, watched)

    before(shutil, "which", lambda program, *_, **__: program in PROGRAMS)
    before(importlib.util, "find_spec", lambda name, *_: name.partition(".")[0] == PACKAGE)
    before(builtins, "__import__", lambda name, *_, **__: PACKAGE in name.split("."))
    before(multiprocessing.process.BaseProcess, "start", lambda _: True)
    sys.addaudithook(lambda event, given: note() if event in STARTS and not looks_for_nothing(event, given) else None)


def looks_for_nothing(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether the started process cannot look for tools."""
    return only_filters(event, arguments) or python_alone(event, arguments)


def python_alone(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether it is a Python without packages, with the checker or a short program."""
    if event != "subprocess.Popen" or not isinstance(arguments[1], list) or len(arguments[1]) < 4:
        return False
    program, isolated, without_site, *rest = map(str, arguments[1])
    if rest[:2] == ["-W", "error"]:
        del rest[:2]
    is_clear = CHECKER.fullmatch(rest[0]) or (rest[0] == "-c" and not MAY_LOOK.search(rest[1]))
    return ALONE.fullmatch(program) is not None and (isolated, without_site) == ("-I", "-S") and bool(is_clear)


def only_filters(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether the started process is a shell for a line of filters."""
    if event != "subprocess.Popen" or not isinstance(arguments[1], list):
        return False
    shell, *words = arguments[1]
    return shell == "/bin/sh" and len(words) == 2 and words[0] == "-c" and FILTERS.fullmatch(words[1]) is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-tools", metavar="FILE", help="note tests that may differ on a machine without the tools")
    parser.addoption("--only-noted", metavar="FILE", help="run the tests that were noted, and no others")


def pytest_configure(config: pytest.Config) -> None:
    file, is_worker = config.getoption("note_tools"), hasattr(config, "workerinput")
    if file and (is_worker or not config.getoption("numprocesses", None)):
        noting = Noting(Path(file))
        watch(noting.note)
        config.pluginmanager.register(noting)


@lru_cache
def _files(noted: str) -> frozenset[str]:
    """Return the files of the tests that were noted."""
    return frozenset(line.partition("::")[0] for line in Path(noted).read_text(encoding="utf-8").splitlines())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a noted test are not even read."""
    file = config.getoption("only_noted")
    if not file or collection_path.suffix != ".py" or not collection_path.is_relative_to(config.rootpath):
        return None
    return None if collection_path.relative_to(config.rootpath).as_posix() in _files(file) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if file := config.getoption("only_noted"):
        noted = frozenset(Path(file).read_text(encoding="utf-8").splitlines())
        left_out = [item for item in items if item.nodeid not in noted]
        items[:] = [item for item in items if item.nodeid in noted]
        config.hook.pytest_deselected(items=left_out)
