"""Checkers of the Coq library as OCaml programs, which need no Coq: `certify export --to certify-check` and others."""

from collections.abc import Callable
from pathlib import Path

from certify.common.files import check_new_folder, write_folder
from proofs.every_n import compiled_library, find_coq
from proofs.every_n.extracted import EVERY_N, OcamlProgram, build_checker, checker_sources, find_compiler


def write_extracted_checker(output: str, program: OcamlProgram = EVERY_N,
                            progress: Callable[[str], None] = lambda _: None) -> Path:
    """Write the folder with the sources, and the program that is built from them; return the program's path.

    Raises:
        InputError: if the folder is not new or empty, or cannot be written.
        CoqMissing: if there is no ``coqc``.
        OCamlMissing: if there is no OCaml compiler, or another requirement of the program is missing.
    """
    check_new_folder(output)
    coq, compiler = find_coq(), find_compiler(program)
    sources = checker_sources(coq, compiled_library(coq, progress), program)
    progress("OCaml compiles the checker")
    write_folder(output, {**sources, program.name: build_checker(sources, compiler, program)},
                 programs=() if program.is_javascript else (program.name,))
    return Path(output) / program.name
