"""The options of the command line: names, help, and nothing of what their texts denote (that is in request.py)."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

SharpenedBy = Literal["temperature", "position"]
Style = Literal["ascii", "unicode", "latex"]
Attention = Literal["soft", "hard"]


def whole_number(text: str) -> int:
    """The value of --max-n, --min-n and the like."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected a whole number") from None


# -- what a command writes: each option says so by one of these, and the command line looks after the place ------------


def written_file(name: str) -> str:
    """The value of an option that names a file to be written; - is standard output."""
    return name


def written_folder(name: str) -> str:
    """The value of an option that names a folder to be written: a new one, or an empty one."""
    return name


def written_place(name: str) -> str:
    """The value of an option that names a file or a folder, as other options say; the command looks which."""
    return name


FormulaText = Annotated[str | None, typer.Argument(
    metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp, .cr): the formula of its output")]
RegexOption = Annotated[str | None, typer.Option(
    "--regex", metavar="REGEX", help="in place of FORMULA: where the word so far matches, as in '(ab)*'")]
DfaOption = Annotated[str | None, typer.Option(
    "--dfa", metavar="FILE", help="in place of FORMULA: where this automaton (TOML, JSON, AT&T, HOA) accepts the word "
    "so far")]
AlphabetOption = Annotated[str | None, typer.Option(
    "--alphabet", metavar="SYMBOLS", help="01, or a,b,c; left out: the symbols of the formula and one for any other")]
MaxNOption = Annotated[int, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="cover all words up to this length")]
MinNOption = Annotated[int, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="cover words from this length on")]
ProvedFromOption = Annotated[int, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="state it of words from this length on")]
ProvedUpToOption = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="state it of words up to this length (left out: of all)")]
RegimeOption = Annotated[SharpenedBy | None, typer.Option(
    "--regime", help="what sharpens the attention: cases a, b of [SHA] (left out: temperature; with --for: position)")]
PrecisionOption = Annotated[str | None, typer.Option(
    "--for", metavar="FORMAT", help="constructions for low precision: bfloat16, binary16, tf32 or binary32")]
LongestOption = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="beside --for: the longest words that it counts in (64)")]
CausalOption = Annotated[bool, typer.Option("--causal", help="future-masked only, and independent of n")]
GammaOption = Annotated[str | None, typer.Option(
    "--gamma", metavar="RATIONAL",
    help="the constant in front of the scores (left out: 3, as [SHA] prints; with --for: 4)")]
FactorOption = Annotated[str | None, typer.Option(
    "--gamma", metavar="RATIONAL", help="the constant in front of the scores (3; of a model, a factor: 1)")]
TemperatureOption = Annotated[str | None, typer.Option(
    "--temperature", metavar="EXPRESSION", help="in place of the regime's, in n and i: 1/n, 1/(3*n*log2ceil(n)), ...")]
DeltaOption = Annotated[str | None, typer.Option(
    "--delta", metavar="RATIONAL", help="the largest error that every head is allowed, at most 1/4")]
FloatOption = Annotated[str | None, typer.Option(
    "--float", metavar="NAME|FILE", help="claim it of every float run of this class, too: bfloat16/binary32, ... "
    "(certify floats --presets lists them)")]
EffortOption = Annotated[int, typer.Option(
    "--effort", metavar="K", parser=whole_number, help="look for a counterexample K times as long, if one is needed")]
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="say nothing of how far long work is")]
"""Of every command that shows progress; certify/commands/command.py sees to it."""
StyleOption = Annotated[Style, typer.Option("--style", help="how formulas are printed")]
ParenthesizeOption = Annotated[bool, typer.Option("--parenthesize", help="print formulas with all parentheses")]
PredicateOption = Annotated[list[str] | None, typer.Option(
    "--predicate", metavar="DEFINITION", help="define a predicate, as in 'THIRD(k,n) := k % 3 == 1'")]
AsPrintedOption = Annotated[bool, typer.Option(
    "--as-printed", help="count to the letter of [SHA] Theorems 20 and 21, which is not always right")]
JobsOption = Annotated[int | None, typer.Option(
    "--jobs", metavar="K", parser=whole_number,
    help="so many processes; the results do not depend on it (left out: one for each core)")]
DaskOption = Annotated[str | None, typer.Option("--dask", metavar="ADDRESS", help="work on this Dask cluster")]
StoreOption = Annotated[str | None, typer.Option(
    "--store", metavar="DIR", parser=written_place, help="of several formulas: keep finished ones here, and take those "
    "that are there")]
At = Literal["first", "last", "every"]
AtOption = Annotated[At, typer.Option("--at", help="where the word must satisfy the formula")]
DialectOption = Annotated[str | None, typer.Option(
    "--dialect", metavar="NAME", help="whose X, since and until are meant: sha (left out), spot, black or lydia")]
SymbolOption = Annotated[str | None, typer.Option(
    "--symbol", metavar="SYMBOL", help="of a program whose output is a symbol: when it is this one")]
AttentionOption = Annotated[Attention, typer.Option(
    "--attention", help="hard: average-hardmax in place of softmax, tieless on every word")]
WeightingOption = Annotated[str | None, typer.Option(
    "--weighting", metavar="NAME", help="of all heads, in place of softmax: sparsemax, entmax-1.5, ... "
    "(docs/weightings.md)")]
CertificateOption = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="FILE", parser=written_file, help="write the certificate here; - is standard output")]
ClaimOption = Annotated[str | None, typer.Option(
    "--claim", metavar="FILE", help="what a trained network is claimed to do (.toml; docs/deciding.md)")]
