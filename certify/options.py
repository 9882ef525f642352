"""The options of the command line, and what their texts denote."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from constructions.language.expressions import Expression
    from constructions.language.syntax import Formula
    from constructions.network.transformer import Transformer
    from constructions.regimes import Regime


SharpenedBy = Literal["temperature", "position"]
Style = Literal["ascii", "unicode", "latex"]
Attention = Literal["soft", "hard"]


def whole_number(text: str) -> int:
    """The value of --max-n, --min-n and the like."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected a whole number") from None


FormulaText = Annotated[str, typer.Argument(
    metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp): the formula of its output")]
AlphabetOption = Annotated[str | None, typer.Option(
    "--alphabet", metavar="SYMBOLS", help="01, or a,b,c; left out: the symbols of the formula and one for any other")]
MaxNOption = Annotated[int, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="cover all words up to this length")]
MinNOption = Annotated[int, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="cover words from this length on")]
RegimeOption = Annotated[SharpenedBy, typer.Option("--regime", help="what sharpens the attention: cases a, b of [SHA]")]
CausalOption = Annotated[bool, typer.Option("--causal", help="future-masked only, and independent of n")]
GammaOption = Annotated[str, typer.Option(
    "--gamma", metavar="RATIONAL", help="the constant in front of the scores; [SHA] prints 3")]
TemperatureOption = Annotated[str | None, typer.Option(
    "--temperature", metavar="EXPRESSION", help="in place of the regime's, in n and i: 1/n, 1/(3*n*log2ceil(n)), ...")]
DeltaOption = Annotated[str | None, typer.Option(
    "--delta", metavar="RATIONAL", help="the largest error that every head is allowed, at most 1/4")]
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]
StyleOption = Annotated[Style, typer.Option("--style", help="how formulas are printed")]
ParenthesizeOption = Annotated[bool, typer.Option("--parenthesize", help="print formulas with all parentheses")]
PredicateOption = Annotated[list[str] | None, typer.Option(
    "--predicate", metavar="DEFINITION", help="define a predicate, as in 'THIRD(k,n) := k % 3 == 1'")]
AsPrintedOption = Annotated[bool, typer.Option(
    "--as-printed", help="count to the letter of [SHA] Theorems 20 and 21, which is not always right")]
JobsOption = Annotated[int, typer.Option(
    "--jobs", metavar="K", parser=whole_number, help="so many processes; the results do not depend on it")]
SymbolOption = Annotated[str | None, typer.Option(
    "--symbol", metavar="SYMBOL", help="of a program whose output is a symbol: when it is this one")]
AttentionOption = Annotated[Attention, typer.Option(
    "--attention", help="hard: average-hardmax in place of softmax, tieless on every word")]
CertificateOption = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="FILE", help="write the certificate here; - is standard output")]


def read_formula(text: str, alphabet: str | None, predicates: list[str] | None,
                 symbol: str | None = None) -> tuple[Formula, tuple[str, ...]]:
    """The formula, which may mention the user's predicates, and its alphabet.

    A program (a file named *.rasp) denotes the formula of its output, or of its output being ``symbol``.
    """
    from certify.files import check_unicode, read_text
    from certify.program_formulas import SUFFIX, read_program_formula
    from constructions.errors import InputError
    from constructions.language.parser import alphabet_of, parse_alphabet, parse_formula
    from constructions.language.predicates import parse_predicate_definitions

    check_unicode(text, *([alphabet] if alphabet else []), *(predicates or []))
    if text.endswith(SUFFIX):
        if predicates:
            raise InputError("--predicate: a program has none, expected a formula beside it")
        return read_program_formula(text, alphabet, symbol)
    if symbol is not None:
        raise InputError("--symbol: a formula has no output of symbols, expected a program (.rasp) beside it")
    symbols = parse_alphabet(alphabet) if alphabet is not None else None
    defined = parse_predicate_definitions(predicates or [])
    formula = parse_formula(read_text("-") if text == "-" else text, symbols, defined)
    return formula, symbols or alphabet_of(formula)


def read_regime(regime: SharpenedBy, causal: bool) -> Regime:
    """The regime that the two options name."""
    from constructions.regimes import Regime, Sharpening

    return Regime(Sharpening(regime), causal)


def read_gamma(text: str, option: str = "--gamma") -> Fraction:
    """A positive rational."""
    from constructions.errors import InputError
    from constructions.language.expressions import parse_expression

    try:
        gamma = parse_expression(text, frozenset()).evaluate()
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
    if gamma <= 0:
        raise InputError(f"{option}: found {text}, expected a positive rational such as 3 or 1386/1000")
    return gamma


def read_temperature(text: str | None) -> Expression | None:
    """A temperature in n and i."""
    from constructions.errors import InputError
    from constructions.language.expressions import parse_expression

    try:
        return None if text is None else parse_expression(text)
    except InputError as error:
        raise InputError(f"--temperature: {error}") from None


def read_delta(text: str | None, option: str = "--delta") -> Fraction | None:
    """A positive rational up to 1/4, where the feed-forward layers round."""
    from constructions.errors import InputError

    delta = None if text is None else read_gamma(text, option)
    if delta is not None and delta > Fraction(1, 4):
        raise InputError(f"{option}: found {text}, expected at most 1/4: the feed-forward layers round there (Lemma 9)")
    return delta


def read_model(path: str) -> Transformer:
    """The transformer of a model file, or the one inside a certificate."""
    from certify.files import read_text
    from constructions.network.json_form import read_json, transformer_from_json

    data = read_json(read_text(path), path)
    sealed = ("certify-certificate", "certify-softened")
    if isinstance(data, dict) and data.get("format") in sealed and "transformer" in data:
        data = data["transformer"]
    return transformer_from_json(data, path)
