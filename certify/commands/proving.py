"""`certify formula`, `model` and `prove`: the commands that prove; `certify check`: the one that checks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    CausalOption,
    CertificateOption,
    DeltaOption,
    GammaOption,
    JsonOption,
    MaxNOption,
    MinNOption,
    ParenthesizeOption,
    PredicateOption,
    RegimeOption,
    SharpenedBy,
    StyleOption,
    SymbolOption,
    TemperatureOption,
    read_delta,
    read_formula,
    read_gamma,
    read_model,
    read_regime,
    read_temperature,
    whole_number,
)
from certify.terminal import check_place, complain, finish, print_json

if TYPE_CHECKING:
    from certify.examples import Example
    from certify.exports.subject import Subject
    from constructions.regimes import Regime


def formula(
    text: Annotated[str | None, typer.Argument(
        metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp): the formula of its output; "
        "left out: every shipped example")] = None,
    alphabet: AlphabetOption = None,
    symbol: SymbolOption = None,
    max_n: MaxNOption = 64,
    min_n: MinNOption = 1,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE",
        help="write the certificate here; - is standard output (of several formulas: a folder for all)")] = None,
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
    rows = formulas_in_turn(text, symbol, alphabet)
    if rows is not None:
        from certify.demo import certify_rows

        given = {"--alphabet": text is None and alphabet, "--symbol": symbol, "--predicate": predicate,
                 "--parenthesize": parenthesize, "--as-printed": as_printed, "--min-n": min_n > 1,
                 "--temperature": temperature, "--delta": delta}
        refuse_beside_rows(given, "no formula is given, and the shipped examples do" if text is None else
                           "no --symbol is given, and the formulas of all symbols do")
        raise typer.Exit(certify_rows(rows, max_n, read_regime(regime, causal), read_gamma(gamma), output, as_json))
    check_place(output, as_json)
    assert text is not None, "without a formula there are rows"
    parsed, symbols = read_formula(text, alphabet, predicate, symbol)
    with ProgressLine() as progress:
        outcome = certify(parsed, symbols, lengths.last, read_regime(regime, causal), read_gamma(gamma),
                          progress=progress, as_printed=as_printed, min_n=lengths.first,
                          temperature=read_temperature(temperature), tolerance=read_delta(delta))
    finish(outcome, as_json, style, parenthesize, output)


def formulas_in_turn(text: str | None, symbol: str | None, alphabet: str | None) -> list[Example] | None:
    """The shipped examples, or a formula for each value of a program's output; None if there is one formula only."""
    from certify.examples import examples_of, load_examples
    from certify.program_formulas import SUFFIX, read_output_formulas

    if text is None:
        return load_examples()
    if symbol is not None or not text.endswith(SUFFIX):
        return None
    output = read_output_formulas(text, alphabet)
    return None if output.is_boolean else examples_of(output)


def refuse_beside_rows(options: dict[str, Any], reason: str) -> None:
    """Several formulas have their own alphabets; an option that would be ignored is an error."""
    from constructions.errors import InputError

    for name, value in options.items():
        if value:
            raise InputError(f"{name}: {reason} not take it")


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates; - is standard input")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="reject a certificate of another formula (or program, .rasp)")] = None,
    symbol: SymbolOption = None,
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
    work: Annotated[int | None, typer.Option(
        "--work", metavar="N", parser=whole_number, help="allow N times the default work and memory")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check certificates with the independent checker.

    The same as python -I -S proofs/check FILE..., which needs nothing but the standard library.
    """
    from certify.checking import check_files
    from proofs.check import main as check_main

    if symbol is not None or (formula or "").endswith(".rasp"):
        from constructions.language.printer import format_formula

        formula = format_formula(read_formula(formula or "", alphabet, predicate, symbol)[0])
    wanted = {"--formula": formula, "--alphabet": alphabet, "--min-n": min_n, "--max-n": max_n, "--regime": regime,
              "--work": work}
    options = [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    options += [part for definition in predicate or [] for part in ("--predicate", definition)]
    arguments = [*options, *(["--causal"] if causal else []), "--", *files]
    if not as_json:
        raise typer.Exit(check_main(arguments))
    report, code = check_files(arguments)
    print_json(report)
    raise typer.Exit(code)


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


def prove(
    text: Annotated[str, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a program (.rasp), a model file (.json) or a certificate (.cert)")],
    alphabet: AlphabetOption = None,
    symbol: SymbolOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="DIR", help="write the proof here, as a folder that Coq alone can check")] = None,
    gamma: Annotated[str | None, typer.Option(
        "--gamma", metavar="RATIONAL", help="the constant in front of the scores (left out: 3)")] = None,
    predicate: PredicateOption = None,
    style: StyleOption = "ascii",
    as_json: JsonOption = False,
) -> None:
    """Prove FORMULA for words of every length, by Coq.

    Builds the transformer of FORMULA, or reads one; Coq's kernel decides whether it computes the formula. Needs coqc
    (Debian: the package coq).
    """
    from certify.exports.coq import coq_folder
    from certify.files import check_new_folder, write_folder
    from certify.progress import ProgressLine
    from certify.report import console
    from certify.theorems import print_theorem, prove, theorem_to_json
    from constructions.errors import Unsupported
    from proofs.by_coq import CoqMissing

    if output is not None:
        check_new_folder(output)
    options = {"--alphabet": alphabet, "--symbol": symbol, "--predicate": predicate, "--gamma": gamma,
               "--causal": causal}
    try:
        subject, stated = _subject(text, options, regime, output)
        with ProgressLine() as progress:
            theorem = prove(subject, stated, progress)
    except CoqMissing as missing:
        raise typer.Exit(_give_up("unknown", missing, as_json)) from None
    except Unsupported as construct:
        raise typer.Exit(_give_up("unsupported", construct, as_json)) from None
    if output is not None and theorem.verdict == "proved":
        write_folder(output, coq_folder(subject))
    if as_json:
        print_json(theorem_to_json(theorem))
    else:
        print_theorem(console(), theorem, style)
    if output is not None and theorem.verdict != "proved":
        print(f"certify: {theorem.verdict}, so no folder was written", file=sys.stderr)
    elif output is not None and not as_json:
        print(f"proof in {output}", file=sys.stderr)
    raise typer.Exit(theorem.exit_code)


def _subject(text: str, options: dict[str, Any], regime: SharpenedBy,
             output: str | None) -> tuple[Subject, Regime | None]:
    """The network of a formula with its regime, or the one in a file, which says the rest itself."""
    from certify.exports.subject import Subject, identifier, read_subject
    from constructions.compiler import compile_formula
    from constructions.errors import InputError

    if not text.endswith(".rasp") and (os.path.isfile(text) or text.endswith((".json", ".cert"))):
        for name, value in (options | {"--regime": regime != "temperature"}).items():
            if value:
                raise InputError(f"{name}: {text} says this itself, expected a formula beside it")
        return read_subject(text), None
    formula, symbols = read_formula(text, options["--alphabet"], options["--predicate"], options["--symbol"])
    stated = read_regime(regime, options["--causal"])
    network = compile_formula(formula, symbols, stated, read_gamma(options["--gamma"] or "3"))
    return Subject(identifier(os.path.basename(output or "formula")), network, formula), stated


def _give_up(verdict: str, reason: Exception, as_json: bool) -> int:
    """There is no network or no Coq, so nothing to say but why."""
    if as_json:
        print_json({"verdict": verdict, "reason": str(reason)})
    return complain(f"{verdict}: {reason}", 3)
