"""What a person reads of an outcome: verdict, table, counterexample; and the same things as JSON objects."""

from __future__ import annotations

import os
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from constructions.language.printer import Style, format_formula
from constructions.language.syntax import TRUE
from constructions.network.meanings import Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import Transformer
from constructions.text import printable
from proofs.discharge import Line
from proofs.exact.extremes import Extreme
from proofs.obligations.kinds import APPROXIMATING, Kind
from proofs.obligations.lookup import LookupObligation
from proofs.replay import Counterexample

QUARTER = Fraction(1, 4)
WIDTH = 132
NARROW = 112
"""Below this many columns a table leaves out what is not essential."""
SHOWN_SYMBOLS = 40
COLOURS = {"certified": "bold green", "proved": "bold green", "refuted": "bold red", "unknown": "bold yellow",
           "unproved": "bold yellow", "unsupported": "bold yellow"}


def console(file: TextIO | None = None) -> Console:
    """Standard output (or ``file``), as wide as the terminal; without a terminal COLUMNS or else WIDTH columns.

    Lines outside tables are never broken, so that they can be copied.
    """
    out = Console(file=file, soft_wrap=True)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = WIDTH
    return out


def plain(text: str, style: str = "") -> Text:
    """The text without any markup or control characters of its own."""
    return Text(printable(text), style=style)


def open_table(columns: Iterable[tuple[str, str]], fold: Iterable[str] = ()) -> Table:
    """A table without lines; each column has a title and a side; only the columns of ``fold`` may be broken."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title, side in columns:
        table.add_column(title, justify="right" if side == "right" else "left", overflow="fold",
                         no_wrap=title not in fold)
    return table


def counted(number: int, noun: str) -> str:
    """The number and the noun.

    >>> counted(1, "head"), counted(2, "head")
    ('1 head', '2 heads')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# -- numbers -----------------------------------------------------------------------------------------------------------


def decimal(x: Fraction, digits: int = 6, rounding: str = ROUND_HALF_EVEN) -> str:
    """``x`` to so many significant digits, rounded to nearest or (for bounds) as told.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(1, 3), rounding=ROUND_CEILING)
    ('0.333333', '0.333334')
    """
    context = Context(prec=digits, rounding=rounding, Emax=10**9, Emin=-10**9)
    return str(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


def decimal_lower(x: Fraction, digits: int = 12) -> str:
    """A decimal at or below ``x``."""
    return decimal(x, digits, ROUND_FLOOR)


def decimal_upper(x: Fraction, digits: int = 12) -> str:
    """A decimal at or above ``x``."""
    return decimal(x, digits, ROUND_CEILING)


def enclosed(lower: Fraction, upper: Fraction) -> str:
    """Six digits that both ends share when rounded, or the two ends, rounded outward.

    >>> enclosed(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12))
    '0.333333'
    """
    low, high = decimal(lower), decimal(upper)
    return low if low == high else f"{decimal_lower(lower, 6)} .. {decimal_upper(upper, 6)}"


def bounded(lower: Fraction, upper: Fraction) -> str:
    """Six digits that an attained value and its bound share when rounded, or the bound alone, rounded up.

    >>> bounded(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12)), bounded(Fraction(1, 3), Fraction(2, 3))
    ('0.333333', '0.666667')
    """
    low, high = decimal(lower), decimal(upper)
    return low if low == high else decimal_upper(upper, 6)


# -- words and formulas ------------------------------------------------------------------------------------------------


def show_word(word: Iterable[str]) -> str:
    """The word as users type it: run together if all symbols are single characters, else separated by commas."""
    symbols = list(word)
    return ("" if all(len(symbol) == 1 for symbol in symbols) else ",").join(symbols)


def show_alphabet(alphabet: Iterable[str]) -> str:
    """The alphabet as a set; of a large one, the beginning and the size.

    >>> show_alphabet(["0", "1"])
    '{0, 1}'
    """
    symbols = list(alphabet)
    shown = ", ".join(symbols[:SHOWN_SYMBOLS])
    return f"{{{shown}}}" if len(symbols) <= SHOWN_SYMBOLS else f"{{{shown}, ...}} ({len(symbols)} symbols)"


# -- outcomes ----------------------------------------------------------------------------------------------------------


def print_outcome(out: Console, outcome: Outcome, style: Style = "ascii", parenthesize: bool = False) -> None:
    """The verdict, what it is about, the table of attention obligations, and a summary of the rest."""
    formula = format_formula(outcome.formula, style=style, parenthesize=parenthesize) if outcome.formula else "none"
    out.print(plain(f"formula   {formula}"))
    out.print(plain(f"alphabet  {show_alphabet(outcome.alphabet)}"))
    out.print(plain(f"regime    {outcome.regime or 'none claimed'}"))
    out.print(plain(f"claim     for {outcome.lengths.claim}, every word of length n and every position: "
                    "the output is exactly 1 if the formula holds there, else 0"))
    if outcome.transformer:
        print_shape(out, outcome.transformer)
    if outcome.lines:
        print_attention(out, outcome.lines)
        print_exact(out, outcome.lines)
    print_verdict(out, outcome)


def print_shape(out: Console, network: Transformer) -> None:
    """One line on the size of the network."""
    units = sum(len(layer.feedforward.units) for layer in network.layers)
    sizes = [(len(network.layers), "layer"), (sum(1 for _ in network.heads()), "head"), (units, "ReLU"),
             (len(network.directions), "direction"), (network.parameter_count(), "non-zero parameter")]
    out.print(plain("network   " + ", ".join(counted(number, noun) for number, noun in sizes)))


def print_attention(out: Console, lines: tuple[Line, ...]) -> None:
    """A row for each obligation of a head that approximates: the worst case over all inputs, and where it is."""
    attention = [line for line in lines if line.kind in APPROXIMATING]
    if not attention:
        return
    names = ["statement", "head", "attends to", "approximates", "rows", "worst at n, i", "worst error", "slack to 1/4"]
    kept = [name for name in names if out.width >= NARROW or name not in ("attends to", "rows")]
    sides = {"head": "right", "rows": "right", "worst at n, i": "right"}
    table = open_table(((name, sides.get(name, "left")) for name in kept), fold=("attends to", "approximates"))
    for line in attention:
        cells = _attention_cells(line)
        table.add_row(*(plain(cells[name]) for name in kept))
    out.print()
    out.print(table)
    if any(line.repeated for line in attention):
        out.print(plain("=  the same obligation as one before it, proved once"))
    if not all(line.proved for line in attention):
        out.print(plain("!  not proved"))


def _attention_cells(line: Line) -> dict[str, str]:
    worst = line.worst.worst if line.worst else None
    mark = (" =" if line.repeated else "") + ("" if line.proved else " !")
    error, slack = (bounded(worst.lower, worst.upper), decimal(QUARTER - worst.upper)) if worst else (
        ("0", "0.25") if line.proved else ("-", "-"))
    if _is_about_a_number(line):
        slack = "-"
    return {
        "statement": line.source,
        "head": f"{line.layer}.{line.place}",
        "attends to": line.obligation.head.name if line.obligation else "-",
        "approximates": _shortened(line.obligation.aim if line.obligation else line.direction) + _guard(line),
        "rows": str(line.rows),
        "worst at n, i": f"{worst.n}, {worst.i}" if worst else "-",
        "worst error": error,
        "slack to 1/4": slack + mark,
    }


def _guard(line: Line) -> str:
    """Under which condition on the word a lookup is claimed, if under one."""
    meaning = line.obligation.meaning if isinstance(line.obligation, LookupObligation) else None
    if not isinstance(meaning, Near) or meaning.when is TRUE:
        return ""
    return f" if {_shortened(format_formula(meaning.when), 20)}"


def _is_about_a_number(line: Line) -> bool:
    """Whether the head approximates a number: then a comparison bounds the error, after weighting it."""
    return isinstance(line.obligation, LookupObligation) and isinstance(line.obligation.meaning, Others)


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def print_exact(out: Console, lines: tuple[Line, ...]) -> None:
    """What else had to be proved, counted, and a line for each failure."""
    out.print()
    parts = []
    for kind, noun in ((Kind.EMBEDDING, "embedded direction"), (Kind.UNIFORM, "uniform head"), (Kind.MEAN, "mean head"),
                       (Kind.FEED_FORWARD, "feed-forward output")):
        part = [line for line in lines if line.kind is kind]
        if part:
            proved, distinct = sum(line.proved for line in part), sum(not line.repeated for line in part)
            note = f" ({distinct} distinct)" if distinct < len(part) else ""
            parts.append((f"{proved} of " if proved < len(part) else "") + counted(len(part), noun) + note)
    if parts:
        out.print(plain(f"exact     at every (n, i): {', '.join(parts)}"))
    if any(line.kind is Kind.COMPOSITION and line.proved for line in lines):
        out.print(plain("composed  every direction is written once, and read only after it is written"))
    for line in lines:
        if not line.proved:
            out.print(plain(f"failed    {describe_place(line)}: {line.reason}"))


def describe_place(line: Line) -> str:
    """Layer, kind and direction of an obligation."""
    where = f"layer {line.layer}, head {line.place}" if line.place else f"layer {line.layer}, {line.kind}"
    return f"{where if line.layer else line.kind}, {line.direction}"


def print_verdict(out: Console, outcome: Outcome) -> None:
    """The verdict in colour, with its reason or counterexample."""
    text = Text("\n").append(outcome.verdict.upper(), style=COLOURS[outcome.verdict]).append("  ")
    match outcome:
        case Certified():
            text.append(f"{counted(len(outcome.lines), 'obligation')}, each proved by two methods or exactly; "
                        f"accepted by the independent checker; {outcome.seconds:.2f} s")
        case Refuted(counterexample=found):
            text.append_text(plain(f"{describe_counterexample(found)}; {outcome.seconds:.2f} s"))
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            text.append_text(plain(reason))
    out.print(text)


def describe_counterexample(found: Counterexample) -> str:
    """One sentence: word, position, what the direction holds and what it should hold."""
    value = enclosed(found.value.lower, found.value.upper)
    return (f"on the word {show_word(found.word)} (n = {len(found.word)}) at position {found.position}, "
            f"{found.direction} is {value}, expected {describe_expected(found)}")


def describe_expected(found: Counterexample) -> str:
    """The allowed values and why."""
    allowed = found.allowed
    values = str(allowed.lower) if allowed.is_point else f"a number in [{allowed.lower}, {allowed.upper}]"
    match found.meaning:
        case Near(formula) | Truth(formula) | Product(_, formula) if found.expected is not None:
            return f"{values} because {format_formula(formula)} is {str(found.expected).lower()} there"
        case Mean() | Others():
            return f"{values}, {found.meaning}"
        case Position(value):
            return f"{values}, the value of {value}"
    return values


# -- JSON --------------------------------------------------------------------------------------------------------------


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """The JSON object of an outcome: the keys of DESIGN section 6, and what the verdict adds."""
    worst = outcome.worst
    extreme = worst.worst.worst if worst and worst.worst else None
    result: dict[str, Any] = {
        "verdict": outcome.verdict,
        "formula": format_formula(outcome.formula) if outcome.formula else None,
        "alphabet": list(outcome.alphabet),
        "min_n": outcome.lengths.first,
        "max_n": outcome.max_n,
        "regime": outcome.regime.sharpening.value if outcome.regime else None,
        "causal": outcome.regime.causal if outcome.regime else None,
        "obligations": len(outcome.lines),
        "proved": sum(line.proved for line in outcome.lines),
        "worst_error": _extreme_to_json(worst, extreme) if worst and extreme else None,
        "heads": [_line_to_json(line) for line in outcome.lines if line.kind in APPROXIMATING],
        "seconds": round(outcome.seconds, 3),
        "stages": {name: round(seconds, 3) for name, seconds in outcome.stages.items()},
    }
    match outcome:
        case Refuted(counterexample=found):
            result["counterexample"] = counterexample_to_json(found)
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            result["reason"] = reason
    return result


def _extreme_to_json(line: Line, extreme: Extreme) -> dict[str, Any]:
    return {
        "upper": decimal_upper(extreme.upper),
        "lower": decimal_lower(extreme.lower),
        "head": f"{line.layer}.{line.place}",
        "direction": line.direction,
        "n": extreme.n,
        "i": extreme.i,
    }


def _line_to_json(line: Line) -> dict[str, Any]:
    extreme = line.worst.worst if line.worst else None
    return {
        "statement": line.source,
        "layer": line.layer,
        "head": line.place,
        "direction": line.direction,
        "rows": line.rows,
        "proved": line.proved,
        "worst_error": _extreme_to_json(line, extreme) if extreme else None,
    }


def counterexample_to_json(found: Counterexample) -> dict[str, Any]:
    """Word, position, direction, what was expected and the enclosed value."""
    return {
        "word": list(found.word),
        "position": found.position,
        "direction": found.direction,
        "subformula": _formula_text(found.meaning),
        "expected": found.expected,
        "allowed": [str(found.allowed.lower), str(found.allowed.upper)],
        "value_lower": decimal_lower(found.value.lower),
        "value_upper": decimal_upper(found.value.upper),
    }


def _formula_text(meaning: Meaning) -> str | None:
    match meaning:
        case Truth(formula) | Near(formula) | Product(_, formula):
            return format_formula(formula)
    return None
