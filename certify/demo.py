"""`certify formula` with several formulas, a row each; `certify list`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from certify.examples import Example, load_examples
from certify.files import make_folder, write_text
from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from certify.pipeline import certify
from certify.progress import ProgressLine
from certify.report import (
    COLOURS,
    NARROW,
    bounded,
    console,
    describe_counterexample,
    open_table,
    outcome_to_json,
    plain,
    show_alphabet,
)
from constructions.language.predicates import BUILTIN
from constructions.regimes import Regime
from constructions.statements import STATEMENTS
from proofs.discharge import Memory
from proofs.instances.registry import EXAMINATIONS

LISTED = 700
"""Of a formula as long as those of programs the listing shows the beginning."""


def certify_rows(examples: Sequence[Example], max_n: int, regime: Regime, gamma: Fraction, folder: str | None,
                 as_json: bool) -> int:
    """Certify every example; return 0 if each is certified or does not fit the regime."""
    if folder is not None:
        make_folder(folder)
    memory = Memory()
    outcomes = []
    with ProgressLine() as progress:
        for example in examples:
            progress(f"example {example.name}")
            outcome = certify(example.formula, example.alphabet, max_n, regime, gamma, memory, progress)
            if folder and isinstance(outcome, Certified):
                write_text(str(Path(folder) / f"{example.name}.cert"), outcome.certificate)
            outcomes.append((example, outcome))
    if as_json:
        print(json.dumps(_demo_to_json(outcomes, max_n, regime), indent=1))
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
    out.print(plain(f"claim     for every n <= {max_n}, every word of length n and every position: the output is "
                    "exactly 1 if the formula holds there, else 0"))
    out.print(plain(f"regime    {regime}"))
    out.print()
    names = ["example", "alphabet", "layers", "heads", "obligations", "worst error", "verdict", "seconds", "about"]
    kept = [name for name in names if out.width >= NARROW or name not in ("alphabet", "obligations", "about")]
    right = ("layers", "heads", "obligations", "seconds")
    table = open_table(((name, "right" if name in right else "left") for name in kept), fold=("about",))
    for example, outcome in outcomes:
        cells = _demo_cells(example, outcome)
        table.add_row(*(cells[name] for name in kept))
    out.print(table)
    out.print()
    out.print(plain(_summary([outcome for _, outcome in outcomes], folder)))


def _summary(outcomes: list[Outcome], folder: str | None) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    parts = [f"{counts['certified']} of {len(outcomes)} certified"]
    parts += [f"{counts[verdict]} {verdict}" for verdict in ("refuted", "unknown") if counts[verdict]]
    parts += [f"{counts['unsupported']} outside the regime's fragment"] if counts["unsupported"] else []
    text = ", ".join(parts) + f", in {sum(outcome.seconds for outcome in outcomes):.1f} s"
    if counts["certified"]:
        text += "; each certificate was accepted by the independent checker"
        text += f" and is in {folder}" if folder else ""
    return text


def _demo_cells(example: Example, outcome: Outcome) -> dict[str, Text]:
    network = outcome.transformer
    extreme = outcome.worst.worst.worst if outcome.worst and outcome.worst.worst else None
    about = example.about
    match outcome:
        case Refuted(counterexample=found):
            about = describe_counterexample(found)
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            about = reason
    return {
        "example": plain(example.name),
        "alphabet": plain(show_alphabet(example.alphabet)),
        "layers": plain(str(len(network.layers)) if network else "-"),
        "heads": plain(str(sum(1 for _ in network.heads())) if network else "-"),
        "obligations": plain(str(len(outcome.lines)) if network else "-"),
        "worst error": plain(bounded(extreme.lower, extreme.upper) if extreme else "0" if network else "-"),
        "verdict": plain(outcome.verdict, style=COLOURS[outcome.verdict]),
        "seconds": plain(f"{outcome.seconds:.2f}"),
        "about": plain(about, style="dim"),
    }


def _demo_to_json(outcomes: list[tuple[Example, Outcome]], max_n: int, regime: Regime) -> dict[str, Any]:
    status = _status([outcome for _, outcome in outcomes])
    return {
        "verdict": {0: "certified", 1: "refuted"}.get(status, "unknown"),
        "max_n": max_n,
        "regime": regime.sharpening.value,
        "causal": regime.causal,
        "seconds": round(sum(outcome.seconds for _, outcome in outcomes), 3),
        "examples": [{"name": example.name, "about": example.about, **outcome_to_json(outcome)}
                     for example, outcome in outcomes],
    }


def print_listing() -> None:
    """Examples, predicates and statements, as three tables."""
    out = console()
    for title, columns, rows in _listing():
        out.print(plain(title, style="bold"))
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for name in columns:
            table.add_column(overflow="fold", no_wrap=name == "name")
        for row in rows:
            table.add_row(*(plain(cell if len(cell) <= LISTED else cell[:LISTED] + "...") for cell in row))
        out.print(table)
        out.print()


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
        ("examinations", ("name", "statement", "claim", "covers"),
         [(e.name, e.statement, e.claim, e.covers) for e in EXAMINATIONS.values()]),
    ]
