"""The checkers of the library as OCaml programs: extracted by Coq, built by OCaml with readers beside them.

Coq writes ``checker.ml`` from the definition that a theorem is about: `check_file` of models for every n, whose theorem
is ``check_file_computes``, and `judge_certificate` of certificates, whose theorem is ``judge_certificate_holds``. The
readers of files in ``proofs/ocaml`` are written by hand, and those theorems do not rest on them.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constructions.errors import InternalError, Missing
from proofs.every_n.axioms import NoAxiomList, parse_axioms
from proofs.every_n.kernel import Coq

READERS = Path(__file__).resolve().parent.parent / "ocaml"
EXTRACTION = "extraction.v"
EXTRACTED = ("checker.ml", "checker.mli")
JAVASCRIPT = "js_of_ocaml"


@dataclass(frozen=True)
class OcamlProgram:
    """An OCaml program around extracted code; a file in a later folder replaces its namesake in an earlier one."""

    name: str
    folders: tuple[Path, ...]
    needs_zarith: bool = False
    is_javascript: bool = False

    def own_sources(self) -> dict[str, str]:
        """Return its handwritten files."""
        return {path.name: path.read_text(encoding="utf-8") for folder in self.folders
                for path in sorted(folder.iterdir()) if path.suffix in (".ml", ".v", ".md") or path.name == "Makefile"}


EVERY_N = OcamlProgram("certify-every-n", (READERS,))
"""Whether a network computes its formula for every n."""
VERIFIED = OcamlProgram("certify-check", (READERS, READERS / "verified"))
"""Whether the claim of a certificate holds; with numbers as they are in Coq."""
VERIFIED_WITH_ZARITH = OcamlProgram("certify-check", (*VERIFIED.folders, READERS / "verified" / "zarith"),
                                    needs_zarith=True)
"""`VERIFIED`, faster, with numbers of the library Zarith."""
EVERY_N_IN_PAGES = OcamlProgram(f"{EVERY_N.name}.js", (READERS, READERS / "javascript"), is_javascript=True)
VERIFIED_IN_PAGES = OcamlProgram(f"{VERIFIED.name}.js", (*VERIFIED.folders, READERS / "javascript",
                                                         READERS / "verified" / "javascript"), is_javascript=True)
"""Both as JavaScript: a function of a file's name and bytes."""


class OCamlMissing(Missing):
    """The error that no OCaml compiler is on the path; the message says what to install."""


def extract_checker(coq: Coq, library: Path, program: OcamlProgram = EVERY_N) -> Mapping[str, str]:
    """Return the OCaml files that Coq extracts from the checker, by their names.

    Raises:
        InternalError: if Coq extracts none, or if the checker depends on an axiom, which no OCaml program can have.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        source = Path(folder) / EXTRACTION
        source.write_text(program.own_sources()[EXTRACTION], encoding="utf-8")
        run = coq.compile(source, library)
        if not run.accepted:
            raise InternalError(f"Coq {coq.version} does not extract the checker: {run.complaint}")
        _check_no_axioms(run.printed)
        return {name: (Path(folder) / name).read_text(encoding="utf-8") for name in EXTRACTED}


def _check_no_axioms(printed: str) -> None:
    try:
        axioms = parse_axioms(printed)
    except NoAxiomList:
        raise InternalError("Coq does not say whether the checker that it extracts rests on axioms") from None
    if axioms:
        raise InternalError(f"the checker that Coq extracts rests on axioms: {'; '.join(sorted(axioms))}")


def checker_sources(coq: Coq, library: Path, program: OcamlProgram = EVERY_N) -> Mapping[str, str]:
    """Return all sources of a program: extracted code, readers, and the Makefile.

    Raises:
        InternalError: as ``extract_checker``.
    """
    return {**program.own_sources(), **extract_checker(coq, library, program)}


def find_ocaml() -> tuple[str, ...]:
    """Return the command that compiles OCaml to machine code: ``ocamlopt``, or that of ``ocamlfind``.

    Raises:
        OCamlMissing: if there is none.
    """
    if program := shutil.which("ocamlopt"):
        return (program,)
    if program := shutil.which("ocamlfind"):
        return program, "ocamlopt"
    raise OCamlMissing("ocamlopt is not on the path; install OCaml (Debian: the package ocaml-nox)")


def find_zarith() -> tuple[str, ...]:
    """Return the command that compiles OCaml with Zarith.

    Raises:
        OCamlMissing: if there is no OCaml, or no Zarith.
    """
    find_ocaml()
    finder = shutil.which("ocamlfind")
    found = finder and subprocess.run([finder, "query", "zarith"], capture_output=True, text=True, check=False).stdout
    if finder and found and (Path(found.strip()) / "z.cmi").is_file():  # the development files, not the runtime only
        return finder, "ocamlopt"
    raise OCamlMissing("ocamlfind does not find Zarith; install it (Debian: the package libzarith-ocaml-dev), "
                       "or build with --numbers coq")


def find_js_of_ocaml() -> tuple[str, ...]:
    """Return the command that compiles OCaml to the input of js_of_ocaml.

    Raises:
        OCamlMissing: if there is no OCaml, or no js_of_ocaml.
    """
    find_ocaml()
    finder = shutil.which("ocamlfind")
    if finder and shutil.which(JAVASCRIPT):
        return finder, "ocamlc"
    raise OCamlMissing("js_of_ocaml or ocamlfind is not on the path; install them (Debian: the packages js-of-ocaml "
                       "and ocaml-findlib)")


def find_compiler(program: OcamlProgram) -> tuple[str, ...]:
    """Return the command that compiles the program.

    Raises:
        OCamlMissing: if a tool is missing.
    """
    if program.is_javascript:
        return find_js_of_ocaml()
    return find_zarith() if program.needs_zarith else find_ocaml()


def build_checker(sources: Mapping[str, str], compiler: tuple[str, ...], program: OcamlProgram = EVERY_N) -> bytes:
    """Return the program, as the Makefile builds it.

    Raises:
        InternalError: if OCaml does not compile it.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        makefile = sources["Makefile"]
        built = f"{program.name}.byte" if program.is_javascript else program.name
        commands = [[*compiler, *makefile_words(makefile, "OPTIONS"), "-o", built, *compiled_files(makefile)]]
        if program.is_javascript:
            commands.append([JAVASCRIPT, *makefile_words(makefile, "JAVASCRIPT"), "-o", program.name, built])
        for command in commands:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            if done.returncode:
                raise InternalError(
                    f"OCaml does not compile the checker: {done.stderr.decode('utf-8', 'replace')[:400]}")
        return (Path(folder) / program.name).read_bytes()


def compiled_files(makefile: str) -> list[str]:
    r"""Return the files that the Makefile compiles, in its order.

    >>> compiled_files("MODULES = checker main\n")
    ['checker.mli', 'checker.ml', 'main.ml']
    """
    return [EXTRACTED[1], *(f"{module}.ml" for module in makefile_words(makefile, "MODULES"))]


def makefile_words(makefile: str, name: str) -> list[str]:
    r"""Return the words of a variable of the Makefile; none if it is not defined.

    >>> makefile_words("OPTIONS = -I +unix\n", "OPTIONS")
    ['-I', '+unix']
    """
    return [word for line in makefile.splitlines() if line.startswith(f"{name} =")
            for word in line.partition("=")[2].split()]
