"""`certify checker --every-n -o DIR`: the checker of the Coq library as an OCaml program that needs no Coq."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from certify.frame.files import check_new_folder, write_folder
from proofs.every_n import compiled_library, find_coq
from proofs.every_n.extracted import PROGRAM, build_checker, checker_sources, find_ocaml


def write_every_n_checker(output: str, progress: Callable[[str], None] = lambda _: None) -> Path:
    """Write the folder with the sources, and the program that is built from them; its place.

    Raises:
        InputError: if the folder is not new or empty, or cannot be written.
        CoqMissing: if there is no ``coqc``.
        OCamlMissing: if there is no OCaml compiler.
    """
    check_new_folder(output)
    coq, compiler = find_coq(), find_ocaml()
    sources = checker_sources(coq, compiled_library(coq, progress))
    progress("OCaml compiles the checker")
    write_folder(output, {**sources, PROGRAM: build_checker(sources, compiler)}, programs=(PROGRAM,))
    return Path(output) / PROGRAM
