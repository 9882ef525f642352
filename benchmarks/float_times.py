"""The section of docs/formats.md about what float runs take: `python benchmarks/float_runs.py --times [NETWORK ...]`.

Seconds of processor for the decision of all words of some lengths of a network of the zoo, at offset 0, and for the
check of its certificate; over the real numbers, and in every run of a class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.deciding import times_of_float_runs
from examples.trained.zoo import plans

TIMED = {"tomita_2": 10, "even": 10, "majority": 10, "dyck_1": 7, "tomita_4": 10, "tomita_7_deep": 5}
CLASSES = ("binary32", "binary16/binary32", "bfloat16/binary32")
HEAD = """
## What it takes

How many times as long as the decision over the real numbers that of a class takes, and in brackets the check of its
certificate as that of the decision, word by word, in seconds of processor. `python benchmarks/float_runs.py --times`
measures and writes this. Words for which balls are enough cost little more than over the reals; up to n, all are
certified.

"""


def measure(names: list[str], kept: dict[str, Any], again: bool, keep: Callable[[], None]) -> None:
    """All that is not kept, and what is found is kept."""
    for name in names or TIMED:
        for each in CLASSES:
            cells = kept.setdefault(name, {})
            if each in cells and not again:
                continue
            plan = plans()[name]
            network = plan.network()
            claim = replace(plan.claim(network), lengths=(1, TIMED[name]), offsets=(0, 0))
            (real, checked), (floats, floats_checked) = times_of_float_runs(network, claim, each)[1]
            cells[each] = {"reals": [round(real, 2), round(checked, 2)],
                           "times": [round(floats / real, 1), round(floats_checked / checked, 1)]}
            print(f"{name}, {each}: {cells[each]}", file=sys.stderr, flush=True)
            keep()


def section(kept: dict[str, Any]) -> str:
    """The section."""
    lines = [HEAD, "| network | to n | over the reals | " + " | ".join(f"`{each}`" for each in CLASSES) + " |\n",
             "|---" * (3 + len(CLASSES)) + "|\n"]
    for name, last in TIMED.items():
        if cells := kept.get(name):
            real, checked = next(iter(cells.values()))["reals"]
            found = [cells[each]["times"] if each in cells else None for each in CLASSES]
            shown = " | ".join(f"{one[0]:g} ({one[1]:g})" if one else "–" for one in found)
            lines.append(f"| `{name}` | {last} | {real:g} s ({checked:g} s) | {shown} |\n")
    return "".join(lines)
