"""The extracted checker as a program, for tests.

Without OCaml they are skipped, or fail if CERTIFY_NEEDS_OCAML is set.
"""

import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import IO

from proofs.every_n import EVERY_LENGTH, ProvedLengths
from proofs.every_n.extracted import (
    EVERY_N,
    EXTRACTED,
    EXTRACTION,
    VERIFIED,
    VERIFIED_WITH_ZARITH,
    OCamlMissing,
    OcamlProgram,
    build_checker,
    extract_checker,
    find_compiler,
    find_ocaml,
)
from tests.needed import found_or_skipped
from tests.with_coq import coq_or_skip, library_of, one_at_a_time

REFUSED = "the checker does not accept this network, which does not make it wrong: "
NOT_PROVED = "the file states smaller errors of some directions, which this checker does not prove"
PRINTED_ERROR = re.compile(r"(\d+\.\d+) of a (truth|number)")


def ocaml_or_skip() -> tuple[str, ...]:
    """Return the OCaml compiler of this machine."""
    return found_or_skipped(find_ocaml, OCamlMissing, "CERTIFY_NEEDS_OCAML")


def compiler_or_skip(program: OcamlProgram) -> tuple[str, ...]:
    """Return the compiler of the program on this machine, or skip."""
    return found_or_skipped(partial(find_compiler, program), OCamlMissing, "CERTIFY_NEEDS_OCAML")


@dataclass
class Shared:
    """The folder of programs for all processes of a test run; ``tests/conftest.py`` sets it."""

    folder: Path | None = None


SHARED = Shared()


@cache
def extracted(program: OcamlProgram) -> Mapping[str, str]:
    """Return Coq's extraction of the checker, made once for all test processes."""
    library = library_of(coq_or_skip())
    folder = _shared(str(library), program.own_sources()[EXTRACTION])
    with one_at_a_time("extraction"):
        if not folder.exists():
            made = folder.with_suffix(".made")
            made.mkdir()
            for name, text in extract_checker(coq_or_skip(), library, program).items():
                (made / name).write_text(text, encoding="utf-8")
            made.rename(folder)
    return {name: (folder / name).read_text(encoding="utf-8") for name in EXTRACTED}


@cache
def _built(program: OcamlProgram, main: Path | None = None) -> Path:
    """The program, built once for all processes that test; with another ``main`` the one that has that instead."""
    compiler = compiler_or_skip(program)
    own = program.own_sources() | ({} if main is None else {"main.ml": main.read_text(encoding="utf-8")})
    sources = {**own, **extracted(program)}
    place = _shared(*(part for pair in sorted(sources.items()) for part in pair)) / program.name
    with one_at_a_time(program.name):
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            made = place.with_suffix(".made")
            made.write_bytes(build_checker(sources, compiler, program))
            made.chmod(0o755)
            made.rename(place)
    return place


def _shared(*parts: str) -> Path:
    """Return a place for what is made of these texts."""
    assert SHARED.folder is not None
    return SHARED.folder / hashlib.sha256("\0".join(parts).encode()).hexdigest()


def script_of(program: OcamlProgram) -> str:
    """Return the program as JavaScript."""
    return _built(program).read_text(encoding="utf-8")


def program_place(main: Path | None = None) -> Path:
    """Return the location of the program."""
    return _built(EVERY_N, main)


def verified_place(with_zarith: bool = False) -> Path:
    """Return the location of the proved checker of certificates, with Coq's numbers or those of Zarith."""
    return _built(VERIFIED_WITH_ZARITH if with_zarith else VERIFIED)


def run_program(*arguments: str | Path, main: Path | None = None,
                stdout: IO[bytes] | int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """Return the program, run once; with another ``main`` the one that is built of it and the same readers."""
    return subprocess.run([program_place(main), *arguments], stdout=stdout, stderr=subprocess.PIPE,
                          check=False)


@dataclass(frozen=True)
class Judged:
    """The output of the program about one file."""

    status: int
    word: str
    text: str

    @property
    def place(self) -> str:
        """The location of the checker's refusal."""
        return self.text.partition(REFUSED)[2]


def answer(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the program with a command line."""
    return subprocess.run([program_place(), *arguments], capture_output=True, check=False)


def judge(path: Path, formula: str | None = None, lengths: ProvedLengths = EVERY_LENGTH) -> Judged:
    """Return the one line that the program prints about a file, taken apart."""
    asked = () if formula is None else ("--formula", formula)
    least = () if lengths.least == 1 else ("--min-n", str(lengths.least))
    greatest = () if lengths.greatest is None else ("--max-n", str(lengths.greatest))
    done = run_program(*asked, *least, *greatest, path)
    (line,) = done.stdout.decode("ascii").splitlines()
    word, _, text = line.partition(f" {path}: ")
    assert text and not done.stderr, (line, done.stderr)
    return Judged(done.returncode, word.strip(), text)


def canonical(path: Path) -> str | None:
    """Return the text that the program writes of the model that it reads in a file; None if it reads none."""
    done = run_program("--canonical", path)
    return done.stdout.decode("ascii") if done.returncode == 0 else None


@dataclass(frozen=True)
class Checked:
    """The verdict of the proved checker on one file, and the printed lines."""

    verdict: str
    lines: tuple[str, ...]

    @property
    def reason(self) -> str:
        """The reason why the file is not accepted."""
        return self.lines[-1].partition(": ")[2].partition(": ")[2]

    @property
    def leaves_errors_unproved(self) -> bool:
        """True if the output says that the file states smaller errors than are proved."""
        return any(NOT_PROVED in line for line in self.lines)

    @property
    def errors(self) -> tuple[Fraction, Fraction]:
        """The greatest errors of a truth and of a number, as printed; 0 without any."""
        found = PRINTED_ERROR.findall("\n".join(self.lines).partition("error bound")[2])
        error_of = {kind: Fraction(error) for error, kind in found}
        return error_of.get("truth", Fraction(0)), error_of.get("number", Fraction(0))


VERDICTS = ("accepted", "rejected", "malformed", "incomplete")


def check_verified(paths: Sequence[Path], *options: str, with_zarith: bool = False) -> list[Checked]:
    """Return the answers of the proved checker about files, from one call."""
    done = subprocess.run([verified_place(with_zarith), *options, "--", *paths], capture_output=True, check=False)
    assert not done.stderr, done.stderr
    answers, lines = list[Checked](), list[str]()
    for line in done.stdout.decode("ascii").splitlines():
        lines.append(line)
        word, _, rest = line.partition(": ")
        if word in VERDICTS and rest.startswith(str(paths[len(answers)])):
            answers.append(Checked(word, tuple(lines)))
            lines = []
    assert len(answers) == len(paths) and not lines, lines
    statuses = {"accepted": 0, "rejected": 1, "malformed": 2, "incomplete": 3}
    gravest = ("rejected", "malformed", "incomplete", "accepted")
    found = {answer.verdict for answer in answers}
    assert done.returncode == statuses[next(word for word in gravest if word in found)]
    return answers
