"""Running ``coqc``, and the meaning of its answer.

The question is a file of ``proofs.every_n.transformer_file``. It is proved if ``coqc`` accepts the file and the theorem
depends on allowed axioms only. If ``coqc`` rejects it, nothing is decided: the library's checker is incomplete.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constructions.deadline import check_deadline, seconds_left
from constructions.errors import Missing
from proofs.every_n.axioms import NoAxiomList, allowed_axioms, name_of, parse_axioms
from proofs.every_n.library import LOGICAL_NAME, digest_of_files

REFUSED = "the checker of the Coq library does not accept this network, which does not make it wrong"
SMALL_HEAP = {"OCAMLRUNPARAM": "s=256k,o=1000"}
"""For the library's own files, which are small: paging in Coq's first heap of 256 MB costs more than it saves."""

_CHECK_SAYS_NO = re.compile(
    r"check(_for users some_lengths|_graph \S+ \S+)? network meanings (named_formulas )?claim = true")


class CoqMissing(Missing):
    """The error that ``coqc`` is not on the path; the message says what to install."""


@dataclass(frozen=True)
class CoqRun:
    """The result of ``coqc`` on one file."""

    accepted: bool
    printed: str
    complaint: str


@dataclass(frozen=True)
class KernelAnswer:
    """The answer of Coq: whether a theorem is proved; if so the names of its axioms, if not the reason."""

    proved: bool
    axioms: frozenset[str]
    reason: str = ""


@dataclass(frozen=True)
class Coq:
    """A ``coqc``, its version, and a text that identifies its build."""

    program: str
    version: str
    build: str = ""

    def compile(self, source: Path, library: Path, folder: str | None = None) -> CoqRun:
        """Compile one file, with ``library`` as the library; the compiled file is written next to the source.

        Files that are there already have the logical name ``folder``, if one is given.
        """
        beside = [] if folder is None else ["-Q", str(source.parent), folder]
        command = [self.program, "-q", "-Q", str(library), LOGICAL_NAME, *beside, str(source)]
        done = _run(command, source.parent, SMALL_HEAP if source.parent == library else {})
        printed, complaint = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        return CoqRun(done.returncode == 0, printed, one_line(complaint) or f"exit status {done.returncode}")


def find_coq() -> Coq:
    """Return the ``coqc`` on the path.

    Raises:
        CoqMissing: if there is none.
    """
    program = shutil.which("coqc")
    if program is None:
        raise CoqMissing("coqc is not on the path; install Coq (Debian: the package coq)")
    version = _output(program, "--print-version").split()
    standard_library = Path(_output(program, "-where").strip()) / "theories" / "Reals" / "Reals.vo"
    build = digest_of_files([standard_library]) if standard_library.is_file() else ""
    return Coq(program, version[0], " ".join([*version, build]))


def _run(command: list[str], folder: Path, unless_set: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a command with a timeout; set these environment variables unless already set."""
    try:
        return subprocess.run(command, capture_output=True, check=False, cwd=folder,
                              env={**unless_set, **environment()}, timeout=seconds_left())
    except subprocess.TimeoutExpired:
        check_deadline()
        raise


def _output(program: str, option: str) -> str:
    try:
        done = subprocess.run([program, option], capture_output=True, check=False, env=environment())
    except OSError as error:
        raise CoqMissing(f"{program}: {error.strerror}; install Coq (Debian: the package coq)") from None
    if done.returncode or not done.stdout.strip():
        raise CoqMissing(f"{program} {option}: exit status {done.returncode}; install Coq (Debian: the package coq)")
    return done.stdout.decode("utf-8", "replace")


def find_answer(coq: Coq, library: Path, source: Path, folder: str | None = None, *, besides: str
                | None) -> KernelAnswer:
    """Return whether Coq proves the theorem in the file, and its axioms; ``folder`` as for ``Coq.compile``.

    The axioms are those printed by compiling the file. Where these are not all, ``besides`` is Coq's output about
    the others; it is None for a file that prints those of the whole theorem.
    """
    run = coq.compile(source, library, folder)
    if not run.accepted:
        return refused(run)
    try:
        axioms = parse_axioms(run.printed) | (frozenset() if besides is None else parse_axioms(besides))
    except NoAxiomList:
        return KernelAnswer(False, frozenset(), "Coq accepts the theorem, but does not say by which axioms")
    names = frozenset(map(name_of, axioms))
    if foreign := axioms - allowed_axioms():
        return KernelAnswer(False, names, f"it rests on axioms that are not allowed: {'; '.join(sorted(foreign))}")
    return KernelAnswer(True, names)


def refused(run: CoqRun) -> KernelAnswer:
    """Return the answer without a proof: the reason, if the checker refused; else Coq's complaint."""
    if _CHECK_SAYS_NO.search(run.complaint):
        return KernelAnswer(False, frozenset(), REFUSED)
    return KernelAnswer(False, frozenset(), f"Coq does not accept the theorem: {run.complaint}")


def environment() -> dict[str, str]:
    """Return the environment without paths to further libraries, which could replace ours or Coq's own."""
    kept = {name: value for name, value in os.environ.items() if name != "COQPATH"}
    return kept | {"XDG_DATA_HOME": os.devnull, "XDG_DATA_DIRS": os.devnull}


def one_line(complaint: str, limit: int = 400) -> str:
    """Return Coq's complaint, without the place in the file."""
    text = re.sub(r"\s+", " ", complaint.partition("Error:")[2] or complaint).strip()
    return text if len(text) <= limit else text[:limit] + " ..."
