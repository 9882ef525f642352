"""The checker of the library as an OCaml program: `check_file` extracted by Coq, built by OCaml with readers beside it.

Coq writes ``checker.ml`` from the definition that the theorem ``check_file_computes`` is about; the readers of files in
``proofs/ocaml`` are written by hand, and that theorem does not rest on them.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from constructions.errors import InternalError
from proofs.every_n.axioms import NoAxiomList, parse_axioms
from proofs.every_n.kernel import Coq

READERS = Path(__file__).resolve().parent.parent / "ocaml"
EXTRACTION = "extraction.v"
EXTRACTED = ("checker.ml", "checker.mli")
PROGRAM = "certify-every-n"


class OCamlMissing(Exception):
    """There is no OCaml compiler on the path; the message says what to install."""


def extract_checker(coq: Coq, library: Path) -> Mapping[str, str]:
    """The OCaml files that Coq makes of `check_file`, by their names.

    Raises:
        InternalError: if Coq makes none, or if `check_file` rests on an axiom, which no OCaml program can have.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        source = Path(folder) / EXTRACTION
        source.write_text((READERS / EXTRACTION).read_text(encoding="utf-8"), encoding="utf-8")
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


def checker_sources(coq: Coq, library: Path) -> Mapping[str, str]:
    """All that the program is built from: what Coq extracts, the readers, and the Makefile.

    Raises:
        InternalError: as ``extract_checker``.
    """
    own = {path.name: path.read_text(encoding="utf-8") for path in sorted(READERS.iterdir())
           if path.suffix in (".ml", ".v", ".md") or path.name == "Makefile"}
    return {**own, **extract_checker(coq, library)}


def find_ocaml() -> tuple[str, ...]:
    """The command that compiles OCaml to machine code: ``ocamlopt``, or the one that ``ocamlfind`` knows.

    Raises:
        OCamlMissing: if there is none.
    """
    if program := shutil.which("ocamlopt"):
        return (program,)
    if program := shutil.which("ocamlfind"):
        return program, "ocamlopt"
    raise OCamlMissing("ocamlopt is not on the path; install OCaml (Debian: the package ocaml-nox)")


def build_checker(sources: Mapping[str, str], compiler: tuple[str, ...]) -> bytes:
    """The program, as the Makefile builds it.

    Raises:
        InternalError: if OCaml does not compile it.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        files = compiled_files(sources["Makefile"])
        done = subprocess.run([*compiler, "-o", PROGRAM, *files], cwd=folder, capture_output=True, check=False)
        if done.returncode:
            raise InternalError(f"OCaml does not compile the checker: {done.stderr.decode('utf-8', 'replace')[:400]}")
        return (Path(folder) / PROGRAM).read_bytes()


def compiled_files(makefile: str) -> list[str]:
    """The files that the Makefile compiles, in its order.

    >>> compiled_files("MODULES = checker main\\n")
    ['checker.mli', 'checker.ml', 'main.ml']
    """
    (modules,) = [line.partition("=")[2].split() for line in makefile.splitlines() if line.startswith("MODULES =")]
    return [EXTRACTED[1], *(f"{module}.ml" for module in modules)]
