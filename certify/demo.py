"""`certify formula` without a formula, and `certify list`: the shipped examples, a row each."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from certify.examples import Example, load_examples
from certify.files import write_text
from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from certify.pipeline import certify
from certify.progress import ProgressLine
from certify.report import COLOURS, console, describe_counterexample, enclosed, outcome_to_json, show_alphabet
from constructions.errors import InputError
from constructions.language.predicates import BUILTIN
from constructions.regimes import Regime
from constructions.statements import STATEMENTS
from proofs.discharge import Memory


def run_demo(max_n: int, regime: Regime, gamma: Fraction, folder: str | None, as_json: bool) -> int:
    """Certify every shipped example; return 0 if each is certified or does not fit the regime."""
    if folder:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be a folder of certificates: {error.strerror}") from None
    memory = Memory()
    outcomes = []
    with ProgressLine() as progress:
        for example in load_examples():
            progress(f"example {example.name}")
            outcome = certify(example.formula, example.alphabet, max_n, regime, gamma, memory, progress)
            if folder and isinstance(outcome, Certified):
                write_text(str(Path(folder) / f"{example.name}.cert"), outcome.certificate)
            outcomes.append((example, outcome))
    if as_json:
        print(json.dumps(_demo_to_json(outcomes, max_n, regime), ensure_ascii=False, indent=1))
    else:
        _print_demo(outcomes, max_n, regime, folder)
    return _status([outcome for _, outcome in outcomes])


def _status(outcomes: list[Outcome]) -> int:
    """The status of the worst verdict; a formula outside the regime's fragment is no failure."""
    serious = [outcome for outcome in outcomes if not isinstance(outcome, UnsupportedClaim)]
    if any(isinstance(outcome, Refuted) for outcome in serious):
        return 1
    return 0 if serious and all(isinstance(outcome, Certified) for outcome in serious) else 3


def _print_demo(outcomes: list[tuple[Example, Outcome]], max_n: int, regime: Regime, folder: str | None) -> None:
    out = console()
    out.print(Text(f"every n <= {max_n}, every word, every position; regime {regime}\n"))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name, justify in (("example", "left"), ("alphabet", "left"), ("layers", "right"), ("heads", "right"),
                          ("obligations", "right"), ("worst error", "left"), ("verdict", "left"),
                          ("seconds", "right"), ("about", "left")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for example, outcome in outcomes:
        table.add_row(*_demo_cells(example, outcome))
    out.print(table)
    certified = sum(isinstance(outcome, Certified) for _, outcome in outcomes)
    outside = sum(isinstance(outcome, UnsupportedClaim) for _, outcome in outcomes)
    seconds = sum(outcome.seconds for _, outcome in outcomes)
    summary = f"\n{certified} of {len(outcomes)} certified"
    summary += f", {outside} outside the regime's fragment" if outside else ""
    summary += f", in {seconds:.1f} s; each certificate was accepted by the independent checker"
    out.print(Text(summary + (f" and is in {folder}" if folder else "")))


def _demo_cells(example: Example, outcome: Outcome) -> list[Text]:
    network = outcome.transformer
    extreme = outcome.worst.worst.worst if outcome.worst and outcome.worst.worst else None
    about = example.about
    match outcome:
        case Refuted(counterexample=found):
            about = describe_counterexample(found)
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            about = reason
    return [
        Text(example.name),
        Text(show_alphabet(example.alphabet)),
        Text(str(len(network.layers)) if network else "-"),
        Text(str(sum(1 for _ in network.heads())) if network else "-"),
        Text(str(len(outcome.lines)) if network else "-"),
        Text(enclosed(extreme.lower, extreme.upper) if extreme else "-" if not network else "0"),
        Text(outcome.verdict, style=COLOURS[outcome.verdict]),
        Text(f"{outcome.seconds:.2f}"),
        Text(about, style="dim"),
    ]


def _demo_to_json(outcomes: list[tuple[Example, Outcome]], max_n: int, regime: Regime) -> dict[str, Any]:
    status = _status([outcome for _, outcome in outcomes])
    return {
        "verdict": {0: "certified", 1: "refuted"}.get(status, "unknown"),
        "max_n": max_n,
        "regime": regime.sharpening.value,
        "causal": regime.causal,
        "examples": [{"name": example.name, "about": example.about, **outcome_to_json(outcome)}
                     for example, outcome in outcomes],
    }


def print_listing() -> None:
    """Examples, predicates and statements, as three tables."""
    out = console()
    for title, columns, rows in _listing():
        out.print(Text(title, style="bold"))
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 2))
        for _ in columns:
            table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        out.print(table)


def listing_to_json() -> dict[str, Any]:
    """The same three tables as lists of objects."""
    return {title: [dict(zip(columns, row, strict=True)) for row in rows] for title, columns, rows in _listing()}


def _listing() -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    return [
        ("examples", ("name", "formula", "alphabet", "about"),
         [(e.name, e.text, show_alphabet(e.alphabet), e.about) for e in load_examples()]),
        ("predicates", ("name", "about"),
         [(name, definition.description) for name, definition in BUILTIN.items()]),
        ("statements", ("name", "builds", "regimes"), [(s.name, s.builds, s.regimes) for s in STATEMENTS]),
    ]
