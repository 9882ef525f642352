"""What a person reads: the table of an outcome, a counterexample, a run, and the same things as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from constructions.language.printer import format_formula
from constructions.network.meanings import Meaning, Near, Position, Truth
from proofs.discharge import Line
from proofs.replay import Counterexample
from proofs.worst_case import Extreme

QUARTER = Fraction(1, 4)
WIDTH = 132
COLOURS = {"certified": "bold green", "refuted": "bold red", "unknown": "bold yellow", "unsupported": "bold yellow"}


def console(width: int | None = None) -> Console:
    """Standard output: the terminal's width, or WIDTH columns where there is no terminal."""
    probe = Console()
    return probe if probe.is_terminal and width is None else Console(width=width or WIDTH, soft_wrap=True)


# -- numbers -----------------------------------------------------------------------------------------------------------


def decimal(x: Fraction, digits: int = 6, up: bool = False) -> str:
    """``x`` to so many significant digits, rounded to nearest or (for bounds) up.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(1, 3), up=True)
    ('0.333333', '0.333334')
    """
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_HALF_EVEN, Emax=10**9, Emin=-10**9)
    return str(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


def enclosed(lower: Fraction, upper: Fraction) -> str:
    """Six digits that both ends share when rounded, or the two ends.

    >>> enclosed(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12))
    '0.333333'
    """
    low, high = decimal(lower), decimal(upper)
    return low if low == high else f"{low} .. {decimal(upper, up=True)}"


# -- words and formulas ------------------------------------------------------------------------------------------------


def show_word(word: Iterable[str]) -> str:
    """The word as users type it: run together if all symbols are single characters, else separated by commas."""
    symbols = list(word)
    return ("" if all(len(symbol) == 1 for symbol in symbols) else ",").join(symbols)


def show_alphabet(alphabet: Iterable[str]) -> str:
    """The alphabet as a set.

    >>> show_alphabet(["0", "1"])
    '{0, 1}'
    """
    return "{" + ", ".join(alphabet) + "}"


# -- outcomes ----------------------------------------------------------------------------------------------------------


def print_outcome(out: Console, outcome: Outcome, style: str = "ascii", parenthesize: bool = False) -> None:
    """The verdict, what it is about, the table of attention obligations, and a summary of the rest."""
    formula = format_formula(outcome.formula, style=style, parenthesize=parenthesize) if outcome.formula else "-"
    out.print(Text("formula   ").append(formula))
    out.print(Text(f"claim     every n <= {outcome.max_n}, every word over {show_alphabet(outcome.alphabet)}, "
                   f"every position; regime {outcome.regime or 'as the model says'}"))
    if outcome.transformer:
        print_shape(out, outcome)
    if outcome.lines:
        print_lines(out, outcome.lines)
    print_verdict(out, outcome)


def print_shape(out: Console, outcome: Outcome) -> None:
    """One line on the size of the network."""
    network = outcome.transformer
    assert network is not None
    units = sum(len(layer.feedforward.units) for layer in network.layers)
    out.print(Text(f"network   {len(network.layers)} layers, {sum(1 for _ in network.heads())} heads, {units} ReLUs, "
                   f"{len(network.directions)} directions, {network.parameter_count()} non-zero parameters"))


def print_lines(out: Console, lines: tuple[Line, ...]) -> None:
    """A row for each distinct attention obligation; the exact parts are counted below it."""
    attention = [line for line in lines if line.kind == "attention"]
    if attention:
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        for name, justify in (("statement", "left"), ("layer", "right"), ("head", "left"), ("approximates", "left"),
                              ("rows (n,i)", "right"), ("worst at n,i", "right"), ("worst error", "left"),
                              ("slack to 1/4", "left")):
            table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for line in attention:
            table.add_row(*(Text(cell) for cell in _attention_cells(line)))
        out.print()
        out.print(table)
    for kind, what in (("uniform", "uniform heads exact"), ("feed-forward", "feed-forward outputs exact"),
                       ("embedding", "embedded directions exact")):
        part = [line for line in lines if line.kind == kind]
        if part:
            proved, distinct = [line for line in part if line.proved], [line for line in part if not line.repeated]
            note = f" ({len(distinct)} distinct)" if len(distinct) < len(part) else ""
            out.print(Text(f"{len(proved)} of {len(part)} {what} at every (n, i){note}"))
    for line in lines:
        if not line.proved:
            out.print(Text(f"not proved: {line.kind} {line.direction}: {line.reason}"))


def _attention_cells(line: Line) -> tuple[str, ...]:
    head = line.obligation.head.name if line.obligation else "-"
    target = format_formula(line.obligation.target.formula) if line.obligation else line.direction
    target = target if len(target) <= 40 else target[:37] + "..."
    place = (line.source, f"{line.layer}.{line.place}", head, target, str(line.rows))
    worst = line.worst.worst if line.worst else None
    if worst is None:
        return (*place, "-", "-" if not line.proved else "0", "-" if not line.proved else "0.25")
    slack = decimal(QUARTER - worst.upper) + ("" if line.proved else " !")
    slack += " (=)" if line.repeated else ""
    return (*place, f"{worst.n},{worst.i}", enclosed(worst.lower, worst.upper), slack)


def print_verdict(out: Console, outcome: Outcome) -> None:
    """The verdict in colour, with its reason or counterexample."""
    text = Text("\n").append(outcome.verdict.upper(), style=COLOURS[outcome.verdict])
    match outcome:
        case Certified():
            text.append(f"  {len(outcome.lines)} obligations, each by two provers or exactly; accepted by the "
                        f"independent checker; {outcome.seconds:.2f} s")
        case Refuted(counterexample=found):
            text.append(f"  {describe_counterexample(found)}; {outcome.seconds:.2f} s")
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            text.append(f"  {reason}")
    out.print(text)


def describe_counterexample(found: Counterexample) -> str:
    """One sentence: word, position, what the direction holds and what it should hold."""
    value = enclosed(found.value.lower, found.value.upper)
    return (f"on the word {show_word(found.word)} (n = {len(found.word)}) at position {found.position}, "
            f"{found.direction} is {value}, expected {describe_expected(found)}")


def describe_expected(found: Counterexample) -> str:
    """The allowed values and why."""
    allowed = found.allowed
    values = str(allowed.lower) if allowed.is_point else f"a number of [{allowed.lower}, {allowed.upper}]"
    match found.meaning:
        case Near(formula) | Truth(formula) if found.expected is not None:
            return f"{values} because {format_formula(formula)} is {str(found.expected).lower()} there"
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
        "max_n": outcome.max_n,
        "regime": outcome.regime.sharpening.value if outcome.regime else None,
        "causal": outcome.regime.causal if outcome.regime else None,
        "obligations": len(outcome.lines),
        "proved": sum(line.proved for line in outcome.lines),
        "worst_error": _extreme_to_json(worst, extreme) if worst and extreme else None,
        "heads": [_line_to_json(line) for line in outcome.lines if line.kind == "attention"],
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
        "upper": decimal(extreme.upper, 12, up=True),
        "lower": decimal(extreme.lower, 12),
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
        "value_lower": decimal(found.value.lower, 12),
        "value_upper": decimal(found.value.upper, 12, up=True),
    }


def _formula_text(meaning: Meaning) -> str | None:
    match meaning:
        case Position():
            return None
        case Truth(formula) | Near(formula):
            return format_formula(formula)
