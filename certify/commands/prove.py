"""`certify prove`: theorems about words of every length, decided by Coq."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.finish import say_reading
from certify.common.files import write_folder
from certify.common.progress import ProgressLine
from certify.common.terminal import Json, complain, print_json, show_found, tell
from certify.requests import options as option
from certify.requests.inputs import FormulaSubject, Options
from constructions.errors import Missing, Unsupported

if TYPE_CHECKING:
    from certify.claims.every_n.claim import TheoremClaim


@option.with_options("text regex dfa alphabet dialect symbol regime causal output gamma predicate precision",
                     gamma=option.Factor)
def prove(
    text: Annotated[str | None, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a program (.rasp, .cr), a model file (.json) or a certificate (.cert)")]
    = None,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="DIR", parser=option.written_folder,
        help="write the proof here, as a folder that needs only Coq to be checked")] = None,
    min_n: option.ProvedFrom = 1,
    max_n: option.ProvedUpTo = None,
    style: option.PrintedStyle = "ascii",
    **written: Any,
) -> None:
    """Prove FORMULA for words of every length, by Coq.

    Builds the transformer of FORMULA, or reads one; Coq's kernel decides whether it computes the formula. Needs coqc
    (Debian: the package coq).
    """
    from certify.claims.every_n.theorems import print_theorem, prove, theorem_to_json
    from certify.exports.coq import PROGRAMS, coq_folder
    from proofs.every_n import CoqMissing, ProvedLengths

    lengths = ProvedLengths(min_n, max_n)
    try:
        claim = read_claim(text, option.options_of(written), output)
        with ProgressLine() as progress:
            theorem = prove(claim, progress, lengths, of_file=output is not None)
    except (CoqMissing, Unsupported) as reason:
        raise typer.Exit(give_up(reason)) from None
    if output is not None and theorem.verdict == "proved":
        write_folder(output, coq_folder(claim, lengths, checked=True), PROGRAMS)
    show_found(theorem, theorem_to_json, lambda out, found: print_theorem(out, found, style))
    if output is not None and theorem.verdict != "proved":
        tell(f"certify: {theorem.verdict}, so no folder was written")
    elif output is not None and not Json.wanted:
        tell(f"proof in {output}")
    raise typer.Exit(theorem.exit_code)


def read_claim(text: str | None, options: Options, output: str | None) -> TheoremClaim:
    """Build the claim, named after the output folder (for a formula) or after the file (for a network)."""
    from certify.claims.every_n.claim import claim_theorem
    from certify.requests.request import read_request

    request = read_request(text, options)
    say_reading(request)
    of_a_formula = isinstance(request.subject, FormulaSubject)
    return claim_theorem(request, os.path.basename(output or "formula") if of_a_formula else Path(text or "").stem)


def give_up(reason: Missing | Unsupported, **known: object) -> int:
    """Report why there is no network or no Coq, with what is ``known``, and return the exit status."""
    if Json.wanted:
        print_json({"verdict": reason.verdict, **known, "reason": str(reason)})
    return complain(reason, reason.verdict)
