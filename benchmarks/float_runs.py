"""The table of docs/floats.md, section 7: networks of the zoo in float runs of usual classes, word by word.

    python benchmarks/float_runs.py [--max-n N] [--most WORDS] [NETWORK ...]

At offset 0, up to length N as long as a length has at most so many words. A cell says up to which length every run is
certified, or on which length a wrong run was found; n, if nothing is asked of shorter words, begins where something is.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from certify.trained.float_decision import FloatDecision, decide_floats
from certify.trained.word_counts import WordCounts
from constructions.errors import Unsupported
from examples.trained.zoo import plans
from proofs.enclosures.float_runs.run_class import presets
from proofs.trained.forward import FloatNetwork

CLASSES = ("binary32", "tf32", "binary16/binary32", "bfloat16/binary32", "flash", "bfloat16")


def cell(decision: FloatDecision) -> str:
    """What is known of one network in one class."""
    parts = [] if decision.certified_to is None else [f"n ≤ {decision.certified_to}"]
    if decision.wrong:
        parts.append(f"wrong at {len(decision.wrong.word)}")
    return ", ".join(parts) or "open"


def line(name: str, longest: int, most: int) -> str | None:
    """The row of one network; None if there is no rule for it in float runs."""
    plan = plans()[name]
    network = plan.network()
    claim = replace(plan.claim(network), offsets=(0, 0))
    counts = WordCounts(FloatNetwork(network), claim)
    first = claim.lengths[0]
    last = max((n for n in range(first, min(longest, claim.lengths[1]) + 1) if counts.at(n) <= most), default=first)
    claim = replace(claim, lengths=(first, last))
    cells = []
    for each in CLASSES:
        start = time.monotonic()
        try:
            cells.append(cell(decide_floats(network, claim, presets()[each])))
        except Unsupported as reason:
            print(f"{name}: {reason}", file=sys.stderr)
            return None
        print(f"{name}, {each}: {cells[-1]}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return f"| `{name}` | {last} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-n", type=int, default=10)
    parser.add_argument("--most", type=int, default=64)
    parser.add_argument("network", nargs="*")
    given = parser.parse_args()
    print("| network | asked to | " + " | ".join(f"`{each}`" for each in CLASSES) + " |")
    print("|---" * (2 + len(CLASSES)) + "|")
    for name in given.network or plans():
        if row := line(name, given.max_n, given.most):
            print(row, flush=True)


if __name__ == "__main__":
    main()
