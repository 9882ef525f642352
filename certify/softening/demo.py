"""`certify soften` without a subject: the shipped examples, a row each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from certify.files import make_folder, write_text
from certify.progress import ProgressLine
from certify.report import COLOURS, NARROW, WIDTH, console, decimal_lower, open_table, plain
from certify.softening.pipeline import soften_model
from certify.softening.results import SoftenedLength, Softening
from certify.softening.shards import Workers
from certify.softening.show import describe_outcome, show_bracket, show_ratio, softening_to_json
from certify.softening.subjects import Example
from certify.terminal import print_json

COLUMNS = ("example", "size", "n <=", "words", "gap", "theorem", "claimed", "critical", "ratio", "verdict", "seconds",
           "about")
NEEDED = {"size": NARROW, "words": NARROW, "critical": NARROW, "claimed": WIDTH, "seconds": WIDTH, "about": 170}
"""How wide the output must be for what is not essential."""
Found = list[tuple[Example, Softening]]


def soften_examples(examples: Sequence[Example], workers: Workers, folder: str | None, is_critical: bool,
                    as_json: bool) -> int:
    """Soften every example; return 0 if all are certified, else the status of the worst verdict."""
    if folder is not None:
        make_folder(folder)
    found: Found = []
    with ProgressLine() as progress:
        for example in examples:
            progress(f"example {example.name}")
            outcome = soften_model(example.build(), example.max_n, example.temperature,
                                   [example.max_n] if is_critical else [], workers, progress)
            if folder and outcome.certificate:
                write_text(str(Path(folder) / f"{example.name}.cert"), outcome.certificate)
            found.append((example, outcome))
    if as_json:
        print_json(_to_json(found))
    else:
        _print(found)
        if folder:
            print(f"certificates in {folder}", file=sys.stderr)
    return _status(found)


def _status(found: Found) -> int:
    codes = {outcome.exit_code for _, outcome in found}
    return next((code for code in (1, 3) if code in codes), 0)


def _print(found: Found) -> None:
    out = console()
    out.print(plain("claim     for every n up to the one stated, every word of length n and every position: softmax "
                    "moves the result of hard attention by at most 1/4"))
    out.print(plain("columns   size: layers, heads, directions; at the greatest n: gap, the temperature of Theorem 26, "
                    "the critical one, and its ratio to the theorem's"))
    rows = [_cells(example, outcome) for example, outcome in found]
    kept = [name for name in COLUMNS if any(row.get(name) for row in rows) and out.width >= NEEDED.get(name, 0)]
    left = ("example", "size", "gap", "claimed", "verdict", "about")
    table = open_table(((name, "left" if name in left else "right") for name in kept), fold=("about",))
    for (_, outcome), row in zip(found, rows, strict=True):
        table.add_row(*(plain(row.get(name, ""), style=COLOURS[outcome.verdict] if name == "verdict" else "")
                        for name in kept))
    out.print()
    out.print(table)
    out.print()
    for example, outcome in found:
        if outcome.verdict != "certified":
            out.print(plain(f"{outcome.verdict:<10}{example.name}: {describe_outcome(outcome)}"))
    certified = sum(outcome.verdict == "certified" for _, outcome in found)
    seconds = sum(outcome.seconds for _, outcome in found)
    out.print(plain(f"{certified} of {len(found)} certified, in {seconds:.1f} s; each certificate was accepted by "
                    "the independent checker, which ran every word again"))


def _cells(example: Example, outcome: Softening) -> dict[str, str]:
    network = outcome.transformer
    cells = {
        "example": example.name,
        "size": f"{len(network.layers)}, {sum(1 for _ in network.heads())}, {len(network.directions)}",
        "n <=": str(outcome.max_n),
        "words": str(sum(survey.words for survey in outcome.surveys)),
        "verdict": outcome.verdict,
        "seconds": f"{outcome.seconds:.2f}",
        "about": example.about,
    }
    return cells | (_cells_at(outcome.lengths[-1], outcome) if outcome.lengths else {})


def _cells_at(row: SoftenedLength, outcome: Softening) -> dict[str, str]:
    """What there is to say of the greatest length."""
    gap = row.survey.gap
    cells = {"gap": str(gap.value) if gap else "none", "theorem": decimal_lower(row.theorem, 6),
             "claimed": str(outcome.temperature) if outcome.stated else ""}
    return cells | ({"critical": show_bracket(row.critical), "ratio": show_ratio(row)} if row.critical else {})


def _to_json(found: Found) -> dict[str, Any]:
    return {
        "verdict": {0: "certified", 1: "refuted"}.get(_status(found), "unknown"),
        "seconds": round(sum(outcome.seconds for _, outcome in found), 3),
        "examples": [{"name": example.name, "about": example.about, **softening_to_json(outcome)}
                     for example, outcome in found],
    }
