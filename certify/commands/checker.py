"""`certify checker`: the trusted checker as one file, and those that are proved in Coq as OCaml programs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from certify.asking import options as option
from certify.frame.terminal import tell
from constructions.errors import InputError

if TYPE_CHECKING:
    from proofs.every_n.extracted import Program


class Numbers(StrEnum):
    """What the numbers of a checker are in OCaml."""

    COQ = "coq"
    ZARITH = "zarith"


def checker(
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE|DIR", parser=option.written_place,
        help="where to write it (left out: check.pyz, certify-every-n with --every-n, certify-check with --verified)")]
    = None,
    every_n: Annotated[bool, typer.Option(
        "--every-n", help="write the checker of the Coq library instead, as an OCaml program in a folder")] = False,
    verified: Annotated[bool, typer.Option(
        "--verified", help="write the checker of certificates that is proved in Coq, as such a program")] = False,
    numbers: Annotated[Numbers | None, typer.Option(
        "--numbers", help="with --verified: numbers as Coq has them (left out: these), or, faster, of Zarith")] = None,
    javascript: Annotated[bool, typer.Option(
        "--javascript", help="with --every-n or --verified: as JavaScript, for the page of a site")] = False,
) -> None:
    """Write the independent checker as one file.

    For somebody who has Python and nothing else: it runs as python -I -S check.pyz CERTIFICATE... and is the same, byte
    for byte, whoever writes it.

    With --every-n: the checker that certify prove runs in Coq, extracted to OCaml: a folder with its sources and the
    program certify-every-n, which reads models and certificates without Coq or Python. With --verified: a checker of
    certificates that is proved in Coq, the program certify-check. Both need coqc and ocamlopt. With --javascript
    the program is a script for the page of a site, certify-every-n.js or certify-check.js, which js_of_ocaml makes.
    """
    from certify.exports.checker import write_checker
    from certify.frame.places import note_output

    if every_n and verified:
        raise InputError("--every-n and --verified are two programs, expected one of them")
    if numbers is not None and not verified:
        raise InputError("--numbers: says what the numbers of --verified are, which is missing")
    if javascript and not (every_n or verified):
        raise InputError("--javascript: expected --every-n or --verified, the programs that there are")
    if javascript and numbers is Numbers.ZARITH:
        raise InputError("--javascript: Zarith is no JavaScript, expected --numbers coq")
    if not every_n and not verified:
        if output is None:
            output = "check.pyz"
            note_output("-o", output)
        return write_checker(output)
    program = chosen_program(verified, numbers, javascript)
    if output is None:
        output = program.name.removesuffix(".js")
        note_output("-o", output)
    write_program(output, program)


def chosen_program(verified: bool, numbers: Numbers | None, javascript: bool) -> Program:
    """The OCaml program that is asked for."""
    from proofs.every_n.extracted import EVERY_N, EVERY_N_IN_PAGES, VERIFIED, VERIFIED_IN_PAGES, VERIFIED_WITH_ZARITH

    if javascript:
        return VERIFIED_IN_PAGES if verified else EVERY_N_IN_PAGES
    if not verified:
        return EVERY_N
    return VERIFIED_WITH_ZARITH if numbers is Numbers.ZARITH else VERIFIED


def write_program(output: str, program: Program) -> None:
    """Write the folder."""
    from certify.exports.extracted_checkers import write_extracted_checker
    from certify.frame.progress import ProgressLine

    with ProgressLine() as progress:
        place = write_extracted_checker(output, program, progress)
    tell(f"checker in {place}")
