"""`certify run`: truth, soft and hard value of every subformula at every position of one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from certify.report import decimal, enclosed, show_word
from constructions.errors import InputError
from constructions.language.predicates import PredicateDefinition
from constructions.language.printer import format_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, subformulas
from constructions.network.meanings import Near, Truth
from constructions.network.run import Residual, run_hard
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from proofs.enclosures.intervals import Interval, point
from proofs.replay import Residual as SoftResidual
from proofs.replay import run_soft

BITS = 192
Predicates = Mapping[str, PredicateDefinition]
MAX_LENGTH = 1024


@dataclass(frozen=True)
class Trace:
    """What one direction holds along the word, beside the truth of its formula."""

    direction: str
    formula: Formula
    exact: bool
    truth: tuple[bool, ...]
    soft: tuple[Interval, ...]
    hard: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """A word, the truth of the formula at its positions, and the traces of a network that computes it."""

    word: tuple[str, ...]
    formula: Formula
    truth: tuple[bool, ...]
    traces: tuple[Trace, ...]
    note: str = ""
    predicates: Predicates = field(default_factory=dict)


def run_formula(formula: Formula, word: tuple[str, ...], note: str, predicates: Predicates) -> Run:
    """The truths alone, for formulas without a network."""
    return Run(word, formula, truth_values(formula, word, predicates), (), note, predicates)


def run_transformer(transformer: Transformer, word: tuple[str, ...]) -> Run:
    """All truth and near directions of the network along the word.

    Raises:
        InputError: if the word is too long, has a symbol outside the alphabet, or the network is not defined on it.
    """
    if len(word) > MAX_LENGTH:
        raise InputError(f"word: {len(word)} symbols, expected at most {MAX_LENGTH}")
    for place, symbol in enumerate(word, start=1):
        if symbol not in transformer.alphabet:
            raise InputError(f"word: symbol {symbol!r} at position {place}, expected one of "
                             f"{', '.join(transformer.alphabet)}")
    check_defined(transformer, len(word))
    output = transformer.directions[transformer.output]
    if not isinstance(output, Truth | Near):
        raise InputError(f"output {transformer.output}: {output}, expected a direction that means a formula")
    soft, hard = run_soft(transformer, word, BITS), run_hard(transformer, word)
    shown = set(subformulas(output.formula))
    traces = [
        _trace(name, meaning, word, soft, hard)
        for name, meaning in transformer.directions.items()
        if isinstance(meaning, Truth | Near) and meaning.formula in shown
    ]
    return Run(word, output.formula, truth_values(output.formula, word), tuple(traces))


def _trace(name: str, meaning: Truth | Near, word: Sequence[str], soft: list[SoftResidual],
           hard: list[Residual]) -> Trace:
    return Trace(
        direction=name,
        formula=meaning.formula,
        exact=isinstance(meaning, Truth),
        truth=truth_values(meaning.formula, word),
        soft=tuple(vector.get(name, point(Fraction(0))) for vector in soft),
        hard=tuple(str(vector.get(name, 0)) for vector in hard),
    )


def print_run(out: Console, run: Run, style: str) -> None:
    """A table with a column per position; soft values to four digits."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("subformula", overflow="fold")
    table.add_column("")
    for place, symbol in enumerate(run.word, start=1):
        table.add_column(f"{symbol}\n{place}", justify="right", no_wrap=True)
    by_formula: dict[Formula, list[Trace]] = {}
    for trace in run.traces:
        by_formula.setdefault(trace.formula, []).append(trace)
    for formula in subformulas(run.formula):
        name = Text(format_formula(formula, style=style))
        truth = truth_values(formula, run.word, run.predicates)
        table.add_row(name, "truth", *("T" if holds else "." for holds in truth))
        for trace in by_formula.get(formula, []):
            if not trace.exact:
                table.add_row("", Text(f"soft{_note(trace.direction)}", style="dim"),
                              *(decimal(value.upper, 4) for value in trace.soft))
                table.add_row("", Text(f"hard{_note(trace.direction)}", style="dim"), *trace.hard)
        for trace in by_formula.get(formula, []):
            if trace.exact:
                table.add_row("", Text("exact", style="dim"), *(_exact(value) for value in trace.soft))
    out.print(Text(f"word      {show_word(run.word)}"))
    out.print(table)
    if run.note:
        out.print(Text(run.note))
    out.print(Text(f"the word {'satisfies' if run.truth[-1] else 'does not satisfy'} "
                   f"{format_formula(run.formula, style=style)}"))


def _note(direction: str) -> str:
    _, bracket, note = direction.rpartition("]")
    return note if bracket else ""


def _exact(value: Interval) -> str:
    return str(value.lower) if value.is_point else enclosed(value.lower, value.upper)


def run_to_json(run: Run) -> dict[str, Any]:
    """``truth`` is a list of Booleans by position; each trace has its soft bounds and hard values."""
    return {
        "formula": format_formula(run.formula),
        "word": list(run.word),
        "truth": list(run.truth),
        "satisfied": run.truth[-1],
        "note": run.note,
        "directions": [
            {
                "direction": trace.direction,
                "formula": format_formula(trace.formula),
                "truth": list(trace.truth),
                "soft_lower": [decimal(value.lower, 12) for value in trace.soft],
                "soft_upper": [decimal(value.upper, 12, up=True) for value in trace.soft],
                "hard": list(trace.hard),
            }
            for trace in run.traces
        ],
    }
