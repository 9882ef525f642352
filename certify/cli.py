"""The command line: parsing and printing only. Exit status 0 certified or accepted, 1 refuted or rejected, 2 bad usage
or input, 3 unknown or unsupported. Imports inside the commands keep ``certify --help`` quick.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from certify.audit_command import audit
from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    CausalOption,
    CertificateOption,
    DeltaOption,
    FormulaText,
    GammaOption,
    JsonOption,
    MaxNOption,
    MinNOption,
    ParenthesizeOption,
    PredicateOption,
    RegimeOption,
    SharpenedBy,
    Style,
    StyleOption,
    TemperatureOption,
    read_delta,
    read_formula,
    read_gamma,
    read_model,
    read_regime,
    read_temperature,
    whole_number,
)

if TYPE_CHECKING:
    from certify.outcomes import Outcome

BAD_INPUT = 2
INTERRUPTED = 130
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""The base class of every complaint of the option parser."""

app = typer.Typer(
    name="certify",
    help="Proofs about concrete transformers: the weights compute the formula on every word up to length n, exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> NoReturn:
    """Run the command line; every complaint is one line on standard error."""
    from constructions.errors import InputError, InternalError, Unsupported

    prepare_output()
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="certify", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        code = complain(error)
    except Unsupported as construct:
        code = complain(f"unsupported: {construct}", 3)
    except InternalError as contradiction:
        code = complain(f"internal error, no verdict: {contradiction}", 3)
    except USAGE_ERROR as error:
        code = complain(describe_misuse(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):  # typer and rich turn the first into the second
        discard_output()
        code = BAD_INPUT
    except OSError as error:
        discard_output()
        code = complain(f"standard output: {error.strerror}")
    except RecursionError:
        code = complain("input nested too deeply")
    if code == INTERRUPTED:
        complain("interrupted")
    sys.exit(code if isinstance(code, int) else 0)


def complain(error: object, code: int = BAD_INPUT) -> int:
    """Print one line (two more for a formula: the text and a caret) and return the exit status."""
    from certify.files import printable

    lines = [f"certify: {printable(str(error))}"]
    if caret := getattr(error, "caret", None):
        lines.append(caret())
    print("\n".join(lines), file=sys.stderr)
    return code


def describe_misuse(error: Any) -> str:
    """The complaint of the option parser, and where the usage is explained."""
    context = getattr(error, "ctx", None)
    message = str(error.format_message()).removesuffix(".")
    return f"{message}; {context.command_path if context else 'certify'} --help explains the usage"


def prepare_output() -> None:
    """What standard output cannot encode is escaped; if it is closed, the exit status still says what came out."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Nobody reads standard output any more: what is still buffered must not raise a second error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# -- writing results ---------------------------------------------------------------------------------------------------


def print_json(data: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(data, indent=1))


def check_place(output: str | None, as_json: bool) -> None:
    """Refuse a place that cannot take the certificate before the work begins, not after it."""
    from certify.files import check_writable
    from constructions.errors import InputError

    if output == "-" and as_json:
        raise InputError("-o -: the certificate and the JSON object cannot share standard output, expected a file")
    if output is not None:
        check_writable(output)


def finish(outcome: Outcome, as_json: bool, style: Style, parenthesize: bool, output: str | None) -> NoReturn:
    """Write the certificate if there is one and a place for it, print the outcome, and exit with its status.

    With ``-o -`` the certificate goes to standard output and the outcome to standard error.
    """
    from certify.files import write_text
    from certify.outcomes import Certified
    from certify.report import console, outcome_to_json, print_outcome

    if output is not None and isinstance(outcome, Certified):
        write_text(output, outcome.certificate)
    if as_json:
        print_json(outcome_to_json(outcome))
    else:
        print_outcome(console(sys.stderr if output == "-" else None), outcome, style, parenthesize)
    if output is not None and not isinstance(outcome, Certified):
        print(f"certify: {outcome.verdict}, so no certificate was written", file=sys.stderr)
    elif output is not None and output != "-" and not as_json:
        print(f"certificate in {output}", file=sys.stderr)
    raise typer.Exit(outcome.exit_code)


# -- commands ----------------------------------------------------------------------------------------------------------


@app.command()
def formula(
    text: Annotated[str | None, typer.Argument(
        metavar="FORMULA", help="a formula, or - for standard input; left out: every shipped example")] = None,
    alphabet: AlphabetOption = None,
    max_n: MaxNOption = 64,
    min_n: MinNOption = 1,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE",
        help="write the certificate here; - is standard output (without FORMULA: a folder for all)")] = None,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    delta: DeltaOption = None,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Prove that the transformer of FORMULA computes it.

    Builds the transformer, and decides the claim for every word up to length N and every position of it.
    """
    from certify.pipeline import certify
    from certify.progress import ProgressLine
    from constructions.network.lengths import Lengths

    lengths = Lengths(min_n, max_n)
    if text is None:
        from certify.demo import run_demo

        refuse_without_formula({"--alphabet": alphabet, "--predicate": predicate, "--parenthesize": parenthesize,
                                "--as-printed": as_printed, "--min-n": min_n > 1, "--temperature": temperature,
                                "--delta": delta})
        raise typer.Exit(run_demo(max_n, read_regime(regime, causal), read_gamma(gamma), output, as_json))
    check_place(output, as_json)
    parsed, symbols = read_formula(text, alphabet, predicate)
    with ProgressLine() as progress:
        outcome = certify(parsed, symbols, lengths.last, read_regime(regime, causal), read_gamma(gamma),
                          progress=progress, as_printed=as_printed, min_n=lengths.first,
                          temperature=read_temperature(temperature), tolerance=read_delta(delta))
    finish(outcome, as_json, style, parenthesize, output)


def refuse_without_formula(options: dict[str, Any]) -> None:
    """The shipped examples have their own alphabets; an option that would be ignored is an error."""
    from constructions.errors import InputError

    for name, value in options.items():
        if value:
            raise InputError(f"{name}: no formula is given, and the shipped examples do not take it")


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates; - is standard input")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="reject a certificate of another formula")] = None,
    predicate: PredicateOption = None,
    alphabet: Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="reject one over another alphabet")] = None,
    min_n: Annotated[int | None, typer.Option(
        "--min-n", metavar="N", parser=whole_number,
        help="reject one for another least length (with --max-n: 1, if it is not given)")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=whole_number, help="reject one for another length")] = None,
    regime: Annotated[SharpenedBy | None, typer.Option("--regime", help="reject one of another regime")] = None,
    causal: Annotated[bool, typer.Option("--causal", help="reject one that is not causal")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check certificates with the independent checker.

    The same as python -I -S proofs/check.py FILE..., which needs nothing but the standard library.
    """
    from certify.checking import check_files
    from proofs.check import main as check_main

    wanted = {"--formula": formula, "--alphabet": alphabet, "--min-n": min_n, "--max-n": max_n, "--regime": regime}
    options = [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    options += [part for definition in predicate or [] for part in ("--predicate", definition)]
    arguments = [*options, *(["--causal"] if causal else []), "--", *files]
    if not as_json:
        raise typer.Exit(check_main(arguments))
    report, code = check_files(arguments)
    print_json(report)
    raise typer.Exit(code)


@app.command()
def build(
    text: FormulaText,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", help="write the model here; - is standard output")] = "-",
    alphabet: AlphabetOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
) -> None:
    """Write the transformer of FORMULA as JSON."""
    from certify.files import check_writable, write_text
    from constructions.compiler import compile_formula
    from constructions.errors import Unsupported
    from constructions.network.json_form import transformer_to_json, write_canonical

    check_writable(output)
    parsed, symbols = read_formula(text, alphabet, predicate)
    try:
        network = compile_formula(parsed, symbols, read_regime(regime, causal), read_gamma(gamma), as_printed,
                                  read_temperature(temperature))
    except Unsupported as construct:
        raise typer.Exit(complain(f"unsupported: {construct}", 3)) from None
    write_text(output, write_canonical(transformer_to_json(network)))


@app.command()
def model(
    path: Annotated[str, typer.Argument(metavar="FILE", help="a model file; - is standard input")],
    max_n: MaxNOption = 64,
    min_n: MinNOption = 1,
    output: CertificateOption = None,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Certify a transformer that somebody wrote.

    Decides whether every named direction holds what its meaning says, at every position of every word up to length N.
    """
    from certify.pipeline import certify_transformer
    from certify.progress import ProgressLine
    from constructions.network.lengths import Lengths

    lengths = Lengths(min_n, max_n)
    check_place(output, as_json)
    network = read_model(path)
    with ProgressLine() as progress:
        outcome = certify_transformer(network, lengths.last, progress=progress, min_n=lengths.first)
    finish(outcome, as_json, style, parenthesize, output)


@app.command()
def run(
    subject: Annotated[str, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a model file (.json), a certificate (.cert) or a program (.rasp)")],
    word: Annotated[str, typer.Argument(metavar="WORD", help="symbols run together, or separated by commas")],
    alphabet: AlphabetOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    style: StyleOption = "ascii",
    as_json: JsonOption = False,
) -> None:
    """Show all truths and attention values on one word.

    The truth of every subformula at every position of WORD, beside its value under soft and under hard attention; of a
    program, what every vector holds.
    """
    from certify.files import check_unicode
    from certify.program_runs import print_program_run, program_run_to_json, run_program_file
    from certify.report import console
    from certify.runs import print_run, run_formula, run_to_json, run_transformer
    from constructions.compiler import compile_formula
    from constructions.errors import Unsupported
    from constructions.language.parser import parse_word

    check_unicode(word)
    if subject.endswith(".rasp"):
        traced = run_program_file(subject, word, alphabet)
        if as_json:
            print_json(program_run_to_json(traced))
        else:
            print_program_run(console(), traced)
        return
    if os.path.isfile(subject) or subject.endswith((".json", ".cert")):
        network = read_model(subject)
        result = run_transformer(network, parse_word(word, network.alphabet))
    else:
        parsed, symbols = read_formula(subject, alphabet, predicate)
        letters = parse_word(word, symbols)
        try:
            network = compile_formula(parsed, symbols, read_regime(regime, causal), read_gamma(gamma), as_printed,
                                      read_temperature(temperature))
            result = run_transformer(network, letters)
        except Unsupported as construct:
            result = run_formula(parsed, letters, f"truth only, no network: {construct}")
    if as_json:
        print_json(run_to_json(result))
    else:
        print_run(console(), result, style)


@app.command()
def explain(
    text: FormulaText,
    alphabet: AlphabetOption = None,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how FORMULA would be compiled.

    Its fragment, and for each regime the statements used, sizes, temperatures and position embeddings.
    """
    from certify.explanation import explain_formula, explanation_to_json, print_explanation
    from certify.report import console

    parsed, symbols = read_formula(text, alphabet, predicate)
    explanation = explain_formula(parsed, symbols, read_gamma(gamma), as_printed)
    if as_json:
        print_json(explanation_to_json(explanation))
    else:
        print_explanation(console(), explanation, style, parenthesize)


@app.command(name="list")
def list_all(as_json: JsonOption = False) -> None:
    """List examples, predicates and statements of [SHA]."""
    from certify.demo import listing_to_json, print_listing

    if as_json:
        print_json(listing_to_json())
    else:
        print_listing()


app.command()(audit)


if __name__ == "__main__":
    main()
