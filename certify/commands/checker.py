"""`certify checker`: the trusted checker as one file, and the one for every n as an OCaml program."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from certify.asking import options as option
from certify.frame.terminal import complain


def checker(
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE|DIR", parser=option.written_place,
        help="where to write it (left out: check.pyz; with --every-n: certify-every-n)")]
    = None,
    every_n: Annotated[bool, typer.Option(
        "--every-n", help="write the checker of the Coq library instead, as an OCaml program in a folder")] = False,
    quiet: option.Quiet = False,
) -> None:
    """Write the independent checker as one file.

    For somebody who has Python and nothing else: it runs as python -I -S check.pyz CERTIFICATE... and is the same, byte
    for byte, whoever writes it.

    With --every-n: the checker that certify prove runs in Coq, extracted to OCaml: a folder with its sources and the
    program certify-every-n, which reads models and certificates without Coq or Python. Needs coqc and ocamlopt.
    """
    from certify.exports.checker import write_checker
    from certify.frame.places import note_output

    if output is None:
        output = "certify-every-n" if every_n else "check.pyz"
        note_output("-o", output)
    if every_n:
        raise typer.Exit(write_for_every_n(output))
    write_checker(output)


def write_for_every_n(output: str) -> int:
    """Write the folder; the exit status."""
    from certify.exports.every_n_checker import write_every_n_checker
    from certify.frame.progress import ProgressLine
    from proofs.every_n import CoqMissing
    from proofs.every_n.extracted import OCamlMissing

    try:
        with ProgressLine() as progress:
            place = write_every_n_checker(output, progress)
    except (CoqMissing, OCamlMissing) as missing:
        return complain(f"unknown: {missing}", "unknown")
    print(f"checker in {place}", file=sys.stderr)
    return 0
