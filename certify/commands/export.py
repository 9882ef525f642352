"""`certify export` and `certify card`: a certificate for other tools, and for the card of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from certify.exports.formats import RUNNABLE, Format, load_exporter
from certify.requests.options import whole_number, written_file, written_place

if TYPE_CHECKING:
    from proofs.every_n import ProvedLengths


Precision = Literal["binary32", "binary16", "bfloat16"]


def read_precision(text: str) -> str:
    """Return the value of --precision; fp16 and other names of libraries are read, too."""
    from constructions.network.float_formats import format_name

    if (name := format_name(text)) not in get_args(Precision):
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected one of {', '.join(get_args(Precision))}")
    return name


def export(
    path: Annotated[str, typer.Argument(
        metavar="CERT|MODEL", help="a certificate (for coq, a model file will do); - is standard input")],
    to: Annotated[Format, typer.Option(
        "--to", help="coq: a theorem for every n; smt2: scripts for solvers; latex: tables; tikz: the "
                     "network as a picture; figures: PDF and SVG for papers; proof: for people; html: a page; "
                     "npz: matrices; onnx: a model; torch: a module; safetensors: its weights")],
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="PLACE", parser=written_place,
        help="a new folder for coq, smt2, figures and torch; else a file (latex, tikz, proof, html: - is standard "
             "output)")],
    precision: Annotated[str | None, typer.Option(
        "--precision", metavar="<binary32|binary16|bfloat16>", parser=read_precision,
        help="the precision of the weights in onnx, torch and safetensors (left out: binary32)")] = None,
    unchecked: Annotated[bool, typer.Option(
        "--unchecked", help="for coq: do not run Coq; the folder then says that nothing is proved yet")] = False,
    min_n: Annotated[int, typer.Option(
        "--min-n", metavar="N", parser=whole_number, help="for coq: state it for words of at least this length")] = 1,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=whole_number,
        help="for coq: state it for words of at most this length (left out: all words)")] = None,
) -> None:
    """Write a network and what is proved of it for other tools.

    A certificate is checked first; one that is rejected is not exported. A theorem for Coq is exported only if Coq
    accepts it, or with --unchecked. docs/exports.md has the formats.
    """
    from proofs.every_n import ProvedLengths

    load_exporter(to)(path, output, **_options(to, precision, unchecked, ProvedLengths(min_n, max_n)))


def _options(to: Format, precision: str | None, unchecked: bool, lengths: ProvedLengths) -> dict[str, Any]:
    """What the function of the format takes beside two places."""
    from constructions.errors import InputError

    for option, given in (("--unchecked", unchecked), ("--min-n or --max-n", not lengths.all)):
        if given and to != "coq":
            raise InputError(f"{option}: found --to {to}, expected --to coq")
    if precision is not None and to not in RUNNABLE:
        raise InputError(f"--precision: {to} has none, expected --to {', '.join(RUNNABLE[:-1])} or {RUNNABLE[-1]}")
    if to == "coq":
        return {"unchecked": unchecked, "lengths": lengths}
    return {} if precision is None else {"precision": precision}


# -- a card ------------------------------------------------------------------------------------------------------------


def card(
    path: Annotated[str, typer.Argument(metavar="CERT", help="a certificate; - is standard input")],
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", parser=written_file,
        help="write it here (left out: to standard output)")] = "-",
) -> None:
    """Write what is proved, as Markdown for a model card.

    The claim in the checker's words, of which weights, digests, and the command that checks it. The certificate is
    checked first; of one that is rejected nothing is written.
    """
    from certify.exports.card import write_card

    write_card(path, output)
