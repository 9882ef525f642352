"""`certify formula`: proofs for every word up to a length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import finish, prove_in_time, say_reading
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.common.terminal import check_file
from certify.requests import options as option
from certify.requests.inputs import Options, as_option
from constructions.errors import InputError
from constructions.network.lengths import Lengths

if TYPE_CHECKING:
    from certify.claims.formula.examples import Example

CertificatesOption = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="FILE", parser=option.written_place,
    help="write the certificate here; - is standard output (of several formulas: a folder for all)")]
FormulasOption = Annotated[str | None, typer.Option(
    "-F", "--formulas", metavar="FILE", help="prove every formula of a file, one a line (# begins a comment); "
    "with --json a line of JSON each")]


@option.with_options("text regex dfa formulas alphabet dialect symbol max_n min_n regime causal output gamma predicate "
                     "as_printed temperature delta precision weighting given")
def formula(
    text: Annotated[str | None, typer.Argument(
        metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp, .cr): the formula of its "
        "output; default: every shipped example")] = None,
    formulas: FormulasOption = None,
    max_n: option.MaxN = 64,
    min_n: option.MinN = 1,
    output: CertificatesOption = None,
    floats: option.Float = None,
    effort: option.Effort = 1,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    store: option.Store = None,
    style: option.PrintedStyle = "ascii",
    parenthesize: option.Parenthesize = False,
    **written: Any,
) -> None:
    """Prove that the transformer of FORMULA computes it.

    Builds the transformer, and decides the claim for every word up to length N and every position of it.
    """
    from certify.claims.floats.models import read_model
    from certify.claims.formula.demo import Session, certify_examples, certify_file
    from certify.claims.formula.tasks import FormulaRequests, FormulaRow, request_of
    from certify.common.shards import read_workers
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind

    lengths = Lengths(min_n, max_n)
    options = option.options_of(written)
    runs = None if floats is None else read_model(floats)
    rows = None if formulas is not None or options.is_language else formulas_in_turn(text, options)
    if formulas is not None or rows is not None:
        others = {"--parenthesize": parenthesize, "--min-n": min_n > 1, "--effort": effort != 1}
        refuse_beside_rows(formulas, text, options, others)
        asked = FormulaRequests(options, lengths, runs, effort)
        request_of(FormulaRow("options", "true"), options, lengths)  # a malformed option concerns all formulas
        session = Session(output, store, read_workers(jobs, dask))
        raise typer.Exit(certify_examples(rows or [], asked, session) if formulas is None else
                         certify_file(formulas, asked, session))
    refuse_options("this option is for several formulas, and there is only one",
                   {"--jobs": jobs, "--dask": dask, "--store": store})
    check_file(output)
    request = read_request(text, options, (SubjectKind.FORMULA, SubjectKind.PROGRAM), lengths)
    say_reading(request)
    finish(prove_in_time(request, effort, runs), style, parenthesize, output)


# -- several formulas --------------------------------------------------------------------------------------------------


def formulas_in_turn(text: str | None, options: Options) -> list[Example] | None:
    """Return the shipped examples, or a formula per value of a program's output; None if there is one formula only."""
    if text is None:
        from certify.claims.formula.examples import load_examples

        return load_examples()
    if options.symbol is not None or not text.endswith(SUFFIXES_OF_PROGRAMS):
        return None
    from certify.claims.formula.examples import examples_of
    from certify.requests.programs import read_output_formulas

    output = read_output_formulas(text, options.alphabet)
    return None if output.is_boolean else examples_of(output)


def refuse_beside_rows(formulas: str | None, text: str | None, options: Options, others: dict[str, bool]) -> None:
    """Raise InputError if an option is given that several formulas would ignore."""
    if formulas is not None:
        if text is not None:
            raise InputError("-F: a formula is given, too, expected one of the two")
        refused = [name for name in options.named if name in ("symbol", "regex", "dfa")]
        others = {"--parenthesize": others["--parenthesize"]}
        reason = "formulas of a file (-F) do"
    else:
        taken = {"regime", "causal", "gamma", "precision", *(() if text is None else ("alphabet",))}
        refused = [name for name in options.named if name not in taken]
        reason = ("the shipped examples do" if text is None else
                  "the formulas of all symbols (there is no --symbol) do")
    refuse_options(f"{reason} not take it", dict.fromkeys(map(as_option, refused), True) | others)
