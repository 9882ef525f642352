"""The command line: parsing and printing only. Exit status 0 certified or accepted, 1 refuted or rejected, 2 bad usage
or input, 3 unknown or unsupported. Imports inside the commands keep ``certify --help`` quick.
"""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from fractions import Fraction

    from certify.outcomes import Outcome
    from constructions.language.syntax import Formula
    from constructions.network.transformer import Transformer
    from constructions.regimes import Regime

BAD_INPUT = 2
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


class SharpenedBy(StrEnum):
    """The values of --regime."""

    TEMPERATURE = "temperature"
    POSITION = "position"


class Style(StrEnum):
    """The values of --style."""

    ASCII = "ascii"
    UNICODE = "unicode"
    LATEX = "latex"


FormulaText = Annotated[str, typer.Argument(metavar="FORMULA", help="a formula, or - for standard input")]
AlphabetOption = Annotated[str | None, typer.Option(
    "--alphabet", help="01 or a,b,c; left out: the symbols of the formula and one more for any other")]
MaxNOption = Annotated[int, typer.Option("--max-n", help="the longest words that are covered")]
RegimeOption = Annotated[SharpenedBy, typer.Option("--regime", help="what sharpens the attention")]
CausalOption = Annotated[bool, typer.Option("--causal", help="future-masked only, independent of n")]
GammaOption = Annotated[str, typer.Option("--gamma", help="the constant in front of the scores; [SHA] prints 3")]
JsonOption = Annotated[bool, typer.Option("--json", help="one JSON object on standard output, nothing else")]
StyleOption = Annotated[Style, typer.Option("--style", help="how formulas are printed")]
ParenthesizeOption = Annotated[bool, typer.Option("--parenthesize", help="print formulas with all parentheses")]
PredicateOption = Annotated[list[str] | None, typer.Option(
    "--predicate", help="define a predicate: 'THIRD(k,n) := k % 3 == 1'")]


def main() -> NoReturn:
    """Run the command line; every complaint is one line on standard error."""
    from constructions.errors import InputError

    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        code = complain(error)
    except USAGE_ERROR as error:
        code = complain(error.format_message())  # type: ignore[attr-defined]
    except (KeyboardInterrupt, typer.Abort):
        code = complain("interrupted", 130)
    except BrokenPipeError:
        sys.stderr.close()
        code = BAD_INPUT
    except RecursionError:
        code = complain("input nested too deeply")
    sys.exit(code if isinstance(code, int) else 0)


def complain(error: object, code: int = BAD_INPUT) -> int:
    """Print one line (two more for a formula: the text and a caret) and return the exit status."""
    lines = [f"certify: {error}"]
    if caret := getattr(error, "caret", None):
        lines.append(caret())
    print("\n".join(lines), file=sys.stderr)
    return code


# -- reading arguments -------------------------------------------------------------------------------------------------


def read_formula(text: str, alphabet: str | None, predicates: list[str] | None) -> tuple[Formula, tuple[str, ...], Any]:
    """The formula, its alphabet, and the user's predicates."""
    from certify.files import read_text
    from constructions.language.parser import alphabet_of, parse_alphabet, parse_formula
    from constructions.language.predicates import parse_predicate_definition

    symbols = parse_alphabet(alphabet) if alphabet is not None else None
    defined = {definition.name: definition for definition in map(parse_predicate_definition, predicates or [])}
    formula = parse_formula(read_text("-") if text == "-" else text, symbols, defined)
    return formula, symbols or alphabet_of(formula), defined


def read_regime(regime: SharpenedBy, causal: bool) -> Regime:
    """The regime that the two options name."""
    from constructions.regimes import Regime, Sharpening

    return Regime(Sharpening(regime.value), causal)


def read_gamma(text: str) -> Fraction:
    """A positive rational."""
    from constructions.errors import InputError
    from constructions.language.expressions import parse_expression

    gamma = parse_expression(text, frozenset()).evaluate()
    if gamma <= 0:
        raise InputError(f"--gamma: {text}, expected a positive rational such as 3 or 1386/1000")
    return gamma


def read_model(path: str) -> Transformer:
    """The transformer of a model file, or the one inside a certificate."""
    from certify.files import read_text
    from constructions.network.json_form import read_json, transformer_from_json

    data = read_json(read_text(path), path)
    if isinstance(data, dict) and data.get("format") == "certify-certificate" and "transformer" in data:
        data = data["transformer"]
    return transformer_from_json(data, path)


def print_json(data: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(data, ensure_ascii=False, indent=1))


def finish(outcome: Outcome, as_json: bool, style: Style, parenthesize: bool, output: str | None) -> NoReturn:
    """Write the certificate if there is one and a place for it, print the outcome, and exit with its status."""
    from certify.files import write_text
    from certify.outcomes import Certified
    from certify.report import console, outcome_to_json, print_outcome

    if output and isinstance(outcome, Certified):
        write_text(output, outcome.certificate)
    if as_json:
        print_json(outcome_to_json(outcome))
    else:
        print_outcome(console(), outcome, style.value, parenthesize)
        if output:
            print(f"certificate in {output}" if isinstance(outcome, Certified) else "no certificate written",
                  file=sys.stderr)
    raise typer.Exit(outcome.exit_code)


# -- commands ----------------------------------------------------------------------------------------------------------


@app.command()
def formula(
    text: Annotated[str | None, typer.Argument(
        metavar="[FORMULA]", help="a formula, or - for standard input; left out: every shipped example")] = None,
    alphabet: AlphabetOption = None,
    max_n: MaxNOption = 64,
    regime: RegimeOption = SharpenedBy.TEMPERATURE,
    causal: CausalOption = False,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", help="where the certificate goes (a folder if no formula is given)")] = None,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    style: StyleOption = Style.ASCII,
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Build the transformer of FORMULA and prove that it computes it on every word up to length --max-n."""
    from certify.pipeline import certify, check_max_n
    from certify.progress import ProgressLine

    check_max_n(max_n)
    if text is None:
        from certify.demo import run_demo

        raise typer.Exit(run_demo(max_n, read_regime(regime, causal), read_gamma(gamma), output, as_json))
    parsed, symbols, _ = read_formula(text, alphabet, predicate)
    with ProgressLine() as progress:
        outcome = certify(parsed, symbols, max_n, read_regime(regime, causal), read_gamma(gamma), progress=progress)
    finish(outcome, as_json, style, parenthesize, output)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates, or - for standard input")],
    formula: Annotated[str | None, typer.Option("--formula", help="reject a certificate of another formula")] = None,
    alphabet: Annotated[str | None, typer.Option("--alphabet", help="reject one over another alphabet")] = None,
    max_n: Annotated[int | None, typer.Option("--max-n", help="reject one for another length")] = None,
    regime: Annotated[SharpenedBy | None, typer.Option("--regime", help="reject one of another regime")] = None,
    causal: Annotated[bool, typer.Option("--causal", help="reject one that is not causal")] = False,
) -> None:
    """Check certificates with the independent checker; the same as python -I -S proofs/check.py FILE..."""
    from proofs.check import main as check_main

    wanted = {"--formula": formula, "--alphabet": alphabet, "--max-n": max_n, "--regime": regime and regime.value}
    options = [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    raise typer.Exit(check_main([*options, *(["--causal"] if causal else []), "--", *files]))


@app.command()
def build(
    text: FormulaText,
    output: Annotated[str, typer.Option("-o", "--output", help="the model file, or - for standard output")] = "-",
    alphabet: AlphabetOption = None,
    regime: RegimeOption = SharpenedBy.TEMPERATURE,
    causal: CausalOption = False,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
) -> None:
    """Write the concrete transformer of FORMULA as JSON."""
    from certify.files import write_text
    from constructions.compiler import compile_formula
    from constructions.errors import Unsupported
    from constructions.network.json_form import transformer_to_json, write_canonical

    parsed, symbols, _ = read_formula(text, alphabet, predicate)
    try:
        network = compile_formula(parsed, symbols, read_regime(regime, causal), read_gamma(gamma))
    except Unsupported as construct:
        raise typer.Exit(complain(f"unsupported: {construct}", 3)) from None
    write_text(output, write_canonical(transformer_to_json(network)))


@app.command()
def model(
    path: Annotated[str, typer.Argument(metavar="FILE", help="a model file, or - for standard input")],
    max_n: MaxNOption = 64,
    output: Annotated[str | None, typer.Option("-o", "--output", help="where the certificate goes")] = None,
    style: StyleOption = Style.ASCII,
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Certify a transformer that somebody wrote: every direction holds what its meaning says, on every word."""
    from certify.pipeline import certify_transformer, check_max_n
    from certify.progress import ProgressLine

    check_max_n(max_n)
    network = read_model(path)
    with ProgressLine() as progress:
        outcome = certify_transformer(network, max_n, progress=progress)
    finish(outcome, as_json, style, parenthesize, output)


@app.command()
def run(
    subject: Annotated[str, typer.Argument(metavar="FORMULA|FILE", help="a formula, a model file or a certificate")],
    word: Annotated[str, typer.Argument(metavar="WORD", help="symbols run together, or separated by commas")],
    alphabet: AlphabetOption = None,
    regime: RegimeOption = SharpenedBy.TEMPERATURE,
    causal: CausalOption = False,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    style: StyleOption = Style.ASCII,
    as_json: JsonOption = False,
) -> None:
    """Show truth, soft and hard value of every subformula at every position of WORD."""
    from certify.report import console
    from certify.runs import print_run, run_formula, run_to_json, run_transformer
    from constructions.compiler import compile_formula
    from constructions.errors import Unsupported
    from constructions.language.parser import parse_word

    if Path(subject).is_file():
        network = read_model(subject)
        result = run_transformer(network, parse_word(word, network.alphabet))
    else:
        parsed, symbols, defined = read_formula(subject, alphabet, predicate)
        letters = parse_word(word, symbols)
        try:
            network = compile_formula(parsed, symbols, read_regime(regime, causal), read_gamma(gamma))
            result = run_transformer(network, letters)
        except Unsupported as construct:
            result = run_formula(parsed, letters, f"truth only, no network: {construct}", defined)
    if as_json:
        print_json(run_to_json(result))
    else:
        print_run(console(), result, style.value)


@app.command()
def explain(
    text: FormulaText,
    alphabet: AlphabetOption = None,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    style: StyleOption = Style.ASCII,
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the fragment of FORMULA, and for each regime the statements used, layers, constants and embeddings."""
    from certify.explanation import explain_formula, explanation_to_json, print_explanation
    from certify.report import console

    parsed, symbols, _ = read_formula(text, alphabet, predicate)
    explanation = explain_formula(parsed, symbols, read_gamma(gamma))
    if as_json:
        print_json(explanation_to_json(explanation))
    else:
        print_explanation(console(), explanation, style.value, parenthesize)


@app.command(name="list")
def list_all(as_json: JsonOption = False) -> None:
    """List the shipped examples, the numerical predicates and the statements of [SHA]."""
    from certify.demo import listing_to_json, print_listing

    if as_json:
        print_json(listing_to_json())
    else:
        print_listing()


if __name__ == "__main__":
    main()
