"""Sessions at the command line, written as text: what is typed, and what must be there after it.

A file of ``sessions/`` has sessions; ``# A sentence`` begins one, and names the property. Each runs in a folder of its
own. ``let NAME = text`` stands for text in all later lines, as ``<NAME>``, and a backslash joins lines. The steps:

- ``file NAME``, ``copy PATH [NAME]``, ``made NAMES`` (tests/cli/made.py), ``folder NAME``, ``edit FILE: old => new``,
  ``needs torch``;
- ``files NAMES``: the folder holds these and no other; ``read FILE`` and ``same FILE FILE``: what is in files;
- ``$ command`` ends with status 0, ``$2 command`` with 2; ``$= command`` prints the lines below it and no other;
  ``$ run {this|that}`` are two commands, and ``{1}`` below them is what was chosen.

Below a step, with two blanks, or behind ``==>``, stand lines that must be there, in their order: in what is printed; in
the JSON object, as ``key.key = value && key < value``, if the command has ``--json``; on standard error if it ends with
2. An ellipsis stands for any text. ``! line`` is all of standard error, ``err: line`` there, ``not: line`` nowhere,
``< line`` is standard input, ``<< FILE`` a file as that, and ``> FILE`` keeps what is printed. Lines that begin with a
semicolon are comments.
"""

import itertools
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.cli import command_line
from tests.cli.made import make
from tests.processes import ROOT
from tests.with_torch import torch_or_skip

PLACES = {"examples": str(ROOT / "examples"), "corpus": str(ROOT / "tests" / "corpus" / "accepted")}
ANY, CHOICE = "…", r"\{([^{}]*\|[^{}]*)\}"


@dataclass
class Step:
    """A line, its location, the lines under it, and the chosen text."""

    place: str
    line: str
    lines: list[str]
    chosen: tuple[str, ...] = ()

    @property
    def below(self) -> list[str]:
        """Return the lines under it; ``{1}`` is the first word of the first choice."""
        return [re.sub(r"\{(\d)\}", lambda found: self.chosen[int(found[1]) - 1].split()[0], line)
                for line in self.lines]

    def __str__(self) -> str:
        return f"{self.place}: {self.line}"


@dataclass(frozen=True)
class Session:
    title: str
    steps: list[Step] = field(default_factory=list)


def sessions_of(path: Path) -> Iterator[Session]:
    """Each session of a file."""
    known, session = dict(PLACES), None
    text = path.read_text(encoding="utf-8").replace("\\\n", "\0")
    for number, raw in enumerate(text.splitlines(), start=1):
        line = re.sub("\0 *", "", raw)
        line = re.sub(r"<(\w+)>", lambda found: known.get(found[1], found[0]), line)
        if line.startswith("let "):
            name, _, value = line.removeprefix("let ").partition(" = ")
            known[name] = value
        elif line.startswith("# "):
            if session:
                yield session
            session = Session(line.removeprefix("# "))
        elif session and line.startswith("  "):
            session.steps[-1].lines.append(line[2:])
        elif session and line and not line.startswith(";"):
            line, *inline = line.split(" ==> ", maxsplit=1)
            place = f"{path.name}, line {number + text[:text.find(raw)].count(chr(0))}"
            session.steps.extend(Step(place, one, inline, chosen) for one, chosen in choices(line))
    if session:
        yield session


def choices(line: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a line with each choice ``{this|that}`` made in every way."""
    for chosen in itertools.product(*(found.split("|") for found in re.findall(CHOICE, line))):
        rest = iter(chosen)
        yield re.sub(CHOICE, lambda _, rest=rest: next(rest), line), chosen  # type: ignore[misc]


def fits(pattern: str, line: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split(ANY))), line.rstrip(), re.DOTALL) is not None


def have(lines: list[str], patterns: list[str], step: Step) -> None:
    """The lines are there, in their order."""
    rest = iter(lines)
    for pattern in patterns:
        assert any(fits(pattern, line) for line in rest), f"{step}\nexpected {pattern!r} in\n" + "\n".join(lines[:60])


def absent(lines: list[str], patterns: list[str], step: Step) -> None:
    """No line is like these."""
    for pattern in patterns:
        assert not any(fits(pattern.removeprefix("not: "), line) for line in lines), f"{step}\n{pattern}"


def value_at(data: Any, path: list[str]) -> Any:
    """Return the value at keys and indices; ``*`` is each item of a list, ``#`` its length."""
    if not path:
        return data
    key, *rest = path
    if key == "*":
        return [value_at(each, rest) for each in data]
    if key == "#":
        return len(data)
    return value_at(data[int(key) if isinstance(data, list) else key], rest)


def has(data: Any, wanted: list[str], step: Step) -> None:
    """The values are in a JSON object."""
    for line in " && ".join(wanted).split(" && ") if wanted else ():
        if line.startswith("keys: "):
            assert set(line.split()[1:]) <= data.keys(), f"{step}\n{line}\n{list(data)}"
            continue
        path, relation, text = re.fullmatch(r"(.*?) ([<=>]) (.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        found = value_at(data, path.split("."))
        if relation != "=":
            assert (Fraction(found) < Fraction(text)) == (relation == "<"), f"{step}\nexpected {line}\nfound {found!r}"
            continue
        plain = isinstance(found, str) and not text.startswith('"')
        each = isinstance(found, list) and found and text[0] not in '["{'  # all of them are like this
        right = fits(text, found) if plain else all(fits(text, str(one)) for one in found) if each else (
            found == json.loads(text))
        assert right, f"{step}\nexpected {line}\nfound {found!r}"


def contents() -> Mapping[str, bytes]:
    """Every file below the current folder."""
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def json_of(out: str) -> Any:
    """One object; or several, a line each."""
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return [json.loads(line) for line in out.splitlines()]


def run(certify: Callable[..., Any], step: Step) -> None:
    """Run a command, and hold all that it leaves against what is expected, and against what holds of every command."""
    status, typed = re.fullmatch(r"\$([0-9=]*) (.*)", step.line, re.DOTALL).groups()  # type: ignore[union-attr]
    code, given = int(status.replace("=", "") or 0), shlex.split(typed)
    kinds: dict[str, list[str]] = {"<< ": [], "< ": [], "> ": [], "! ": [], "err: ": [], "not: ": [], "": []}
    for line in step.below:
        kind = next(kind for kind in kinds if line.startswith(kind) or line == kind.rstrip() != "")
        kinds[kind].append(line.removeprefix(kind.rstrip()).removeprefix(" ") if kind.strip() else line)
    stdin, before = "".join(f"{line}\n" for line in kinds["< "]).encode(), contents()
    for name in kinds["<< "]:
        stdin = Path(name).read_bytes()
    result = certify(*given, stdin=stdin)
    assert result.code == code, f"{step}\nstatus {result.code}\n{result.out}{result.err}"
    assert "Traceback" not in result.err and "\x1b" not in result.out + result.err, step
    for name in kinds["> "]:
        Path(name).write_text(result.out, encoding="utf-8")
    if kinds["! "]:
        lines = result.err.splitlines() or [""]
        assert len(lines) == len(kinds["! "]), f"{step}\n{result.err}"
        have(lines, kinds["! "], step)
    have(result.err.splitlines(), kinds["err: "], step)
    absent((result.out + result.err).splitlines(), kinds["not: "], step)
    if code == 2 and given[0] != "check" and "--json" not in given:
        refused(certify, step, result, kinds, stdin)
        assert contents() == before, f"{step}\nfiles changed"
    elif "--json" in given:
        has(json_of(result.out), kinds[""], step)
    elif "=" in status:
        assert len(result.out.splitlines()) == len(kinds[""]), f"{step}\n{result.out}"
        have(result.out.splitlines(), kinds[""], step)
    else:
        have(result.out.splitlines(), kinds[""], step)


def refused(certify: Callable[..., Any], step: Step, result: Any, kinds: Mapping[str, list[str]], stdin: bytes) -> None:
    """One line says what is wrong, where, and what is expected; with ``--json`` it is in one object, as well.

    Below the line, a place in a text may be shown with a caret; above it is nothing but what is expected there.
    """
    assert result.out == "", f"{step}\n{result.out}"
    above, expected, lines = kinds["err: "], kinds[""], result.err.splitlines()
    first, *caret = [line for line in lines if line.startswith("certify: ")][-1:] if above else lines
    assert expected and first.startswith("certify: ") and result.err.endswith("\n"), f"{step}\n{result.err}"
    assert fits(expected[0], first.removeprefix("certify: ")), f"{step}\nexpected {expected[0]}\nfound {first}"
    assert len(caret) == len(expected[1:]) and all(map(fits, expected[1:], caret)), f"{step}\n{result.err}"
    name, *more = shlex.split(step.line.partition(" ")[2])
    options = getattr(command_line().commands.get(name), "params", ())
    if "-" not in more and any("--json" in each.opts for each in options):
        again = certify(name, "--json", *more, stdin=stdin)
        verdict = "unreadable" if ": No such file or directory" in first else "malformed"
        assert again.code == 2 and again.json == {"verdict": verdict, "error": first.removeprefix("certify: ")}, (
            f"{step}\n{again.out}")


def play(certify: Callable[..., Any], session: Session) -> None:
    """Take each step of a session, in the current folder; all commands that come out otherwise are named."""
    wrong = list[str]()
    for step in session.steps:
        word, _, rest = step.line.partition(" ")
        if word.startswith("$"):
            try:
                run(certify, step)
            except AssertionError as error:
                wrong.append(str(error))
        elif word == "file":
            Path(rest).write_text("".join(f"{line}\n" for line in step.below), encoding="utf-8")
        elif word == "copy":
            source, *target = shlex.split(rest)
            shutil.copy(source, *(target or ["."]))
        elif word == "made":
            for place in shlex.split(rest):
                make(place)
        elif step.line == "needs torch":
            torch_or_skip()
        elif word == "folder":
            Path(rest).mkdir()
        elif word == "edit":
            name, old, new = re.fullmatch(r"(\S+): (.*) => (.*)", rest).groups()  # type: ignore[union-attr]
            text = Path(name).read_text(encoding="utf-8")
            assert old in text, step
            Path(name).write_text(text.replace(old, new), encoding="utf-8")
        elif word == "files":
            assert sorted(path.name for path in Path().iterdir()) == sorted(shlex.split(rest)), step
        elif word == "same":
            one, other = (Path(name).read_bytes() for name in shlex.split(rest))
            assert one == other, step
        elif word == "read":
            text = Path(rest).read_text(encoding="utf-8")
            if text.startswith("{"):
                has(json.loads(text), step.below, step)
            else:
                have(text.splitlines(), [line for line in step.below if not line.startswith("not: ")], step)
                absent(text.splitlines(), [line for line in step.below if line.startswith("not: ")], step)
        else:
            raise ValueError(f"{step}: no such step")
    assert not wrong, "\n".join(wrong)
