"""`certify formula` and `certify model`: proofs for every word up to a length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    CausalOption,
    CertificateOption,
    DaskOption,
    DeltaOption,
    DfaOption,
    EffortOption,
    FloatOption,
    GammaOption,
    JobsOption,
    JsonOption,
    MaxNOption,
    MinNOption,
    ParenthesizeOption,
    PrecisionOption,
    PredicateOption,
    RegexOption,
    RegimeOption,
    Style,
    StyleOption,
    SymbolOption,
    TemperatureOption,
)
from certify.terminal import check_place, finish

if TYPE_CHECKING:
    from certify.examples import Example
    from certify.request import Options, Request
    from proofs.floats.run_class import RunClass


def formula(
    text: Annotated[str | None, typer.Argument(
        metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp): the formula of its output; "
        "left out: every shipped example")] = None,
    regex: RegexOption = None,
    dfa: DfaOption = None,
    alphabet: AlphabetOption = None,
    symbol: SymbolOption = None,
    max_n: MaxNOption = 64,
    min_n: MinNOption = 1,
    regime: RegimeOption = None,
    causal: CausalOption = False,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE",
        help="write the certificate here; - is standard output (of several formulas: a folder for all)")] = None,
    gamma: GammaOption = None,
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    delta: DeltaOption = None,
    precision: PrecisionOption = None,
    floats: FloatOption = None,
    effort: EffortOption = 1,
    jobs: JobsOption = None,
    dask: DaskOption = None,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Prove that the transformer of FORMULA computes it.

    Builds the transformer, and decides the claim for every word up to length N and every position of it.
    """
    from certify.low_precision import usual_gamma
    from certify.request import Options, read_gamma, read_regime, read_request
    from certify.subjects import Kind
    from constructions.network.lengths import Lengths

    lengths = Lengths(min_n, max_n)
    options = Options(alphabet, symbol, tuple(predicate or ()), regime, causal, as_printed, gamma=gamma,
                      temperature=temperature, allowed_error=delta, precision=precision, regex=regex, dfa=dfa)
    runs = read_runs(floats)
    rows = formulas_in_turn(text, symbol, alphabet) if regex is None and dfa is None else None
    if rows is not None:
        refuse_beside_rows(options, text is None, {"--parenthesize": parenthesize, "--min-n": min_n > 1,
                                                    "--effort": effort != 1})
        from certify.formula_demo import certify_rows
        from certify.formula_tasks import Built
        from certify.shards import read_workers

        built = Built(read_regime(options), read_gamma(options, usual=usual_gamma(precision)), precision, runs)
        raise typer.Exit(certify_rows(rows, built, max_n, output, as_json, read_workers(jobs, dask)))
    refuse_beside_one_formula({"--jobs": jobs, "--dask": dask})
    check_place(output, as_json)
    request = read_request(text, options, (Kind.FORMULA, Kind.PROGRAM), lengths)
    prove_one(request, effort, as_json, style, parenthesize, output, runs)


def model(
    path: Annotated[str, typer.Argument(metavar="FILE", help="a model file or a certificate; - is standard input")],
    max_n: MaxNOption = 64,
    min_n: MinNOption = 1,
    output: CertificateOption = None,
    floats: FloatOption = None,
    effort: EffortOption = 1,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Certify a transformer that somebody wrote.

    Decides whether every named direction holds what its meaning says, at every position of every word up to length N.
    """
    from certify.request import read_request
    from certify.subjects import Kind
    from constructions.network.lengths import Lengths

    lengths = Lengths(min_n, max_n)
    check_place(output, as_json)
    request = read_request(path, taken=(Kind.NETWORK,), lengths=lengths)
    prove_one(request, effort, as_json, style, parenthesize, output, read_runs(floats))


def prove_one(request: Request, effort: int, as_json: bool, style: Style, parenthesize: bool,
              output: str | None, runs: RunClass | None = None) -> None:
    """Decide one request, of float runs of a class, too, if one is given; print what came of it, and exit."""
    from certify.pipeline import certify_request
    from certify.progress import ProgressLine

    with ProgressLine() as progress:
        outcome = certify_request(request, progress=progress, effort=effort)
        if runs is not None:
            from certify.floats.claim import claim_runs

            outcome = claim_runs(outcome, runs, progress, effort)
    finish(outcome, as_json, style, parenthesize, output)


def read_runs(text: str | None) -> RunClass | None:
    """The class of float runs of ``--float``, if it is given."""
    if text is None:
        return None
    from certify.floats.classes import read_class

    return read_class(text)


def refuse_beside_one_formula(given: dict[str, object]) -> None:
    """What only several formulas can have."""
    from constructions.errors import InputError

    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name}: a single formula is not divided, expected several")


# -- several formulas --------------------------------------------------------------------------------------------------


def formulas_in_turn(text: str | None, symbol: str | None, alphabet: str | None) -> list[Example] | None:
    """The shipped examples, or a formula for each value of a program's output; None if there is one formula only."""
    from certify.files import SUFFIX_OF_PROGRAMS

    if text is None:
        from certify.examples import load_examples

        return load_examples()
    if symbol is not None or not text.endswith(SUFFIX_OF_PROGRAMS):
        return None
    from certify.examples import examples_of
    from certify.programs import read_output_formulas

    output = read_output_formulas(text, alphabet)
    return None if output.is_boolean else examples_of(output)


def refuse_beside_rows(options: Options, are_examples: bool, others: dict[str, bool]) -> None:
    """Several formulas have their own alphabets; an option that would be ignored is an error."""
    from certify.request import as_option
    from constructions.errors import InputError

    taken = {"regime", "causal", "gamma", "precision", *(() if are_examples else ("alphabet",))}
    ignored = [as_option(name) for name in options.given if name not in taken]
    ignored += [name for name, given in others.items() if given]
    reason = ("no formula is given, and the shipped examples do" if are_examples else
              "no --symbol is given, and the formulas of all symbols do")
    for name in ignored:
        raise InputError(f"{name}: {reason} not take it")
