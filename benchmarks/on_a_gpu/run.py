"""Measure a GPU against certify's assumptions and certified bounds.

    python benchmarks/on_a_gpu/questions.py questions.pt            here, with certify
    OUT=results python benchmarks/on_a_gpu/run.py questions.pt      there: torch with CUDA, cupy and triton if available
    python benchmarks/on_a_gpu/evaluate.py results questions.pt     here again

Each result is printed at once, and all are in $OUT/results.json; a failed probe reports its error and is skipped.
`--device cpu --step 4099` tries the program without a GPU, on a sample of arguments. After --limit seconds no probe
begins.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.on_a_gpu import functions, networks, sums


class Results:
    """The results; the file is rewritten after each probe."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.start = folder, time.monotonic()
        self.found: dict[str, Any] = {}
        self.logits: dict[str, Any] = {}

    def keep(self, name: str, logits: Any) -> None:
        """Store logits, which are written at the end of all probes."""
        self.logits[name] = logits.cpu().numpy()

    def add(self, name: str, found: Any, seconds: float) -> None:
        """Print a result and write the file."""
        self.found[name] = found
        shown = json.dumps(found)[:600]
        print(f"{time.monotonic() - self.start:6.1f} s, {seconds:5.2f} s: {name}: {shown}", flush=True)
        (self.folder / "results.json").write_text(json.dumps(self.found, indent=1) + "\n", encoding="utf-8")

    def write_logits(self) -> None:
        """Write all logits to one file."""
        np.savez_compressed(self.folder / "logits.npz", **self.logits)


def machine(device: str) -> dict[str, Any]:
    """Return a description of the machine."""
    found = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": device}
    if device == "cuda":
        found |= {"device": torch.cuda.get_device_name(), "capability": torch.cuda.get_device_capability()}
    return found


def probes(questions: Any, device: str, step: int, results: Results) -> Iterator[tuple[str, Any]]:
    """Yield all probes, the most wanted first."""
    yield from sums.probes(device)
    yield from networks.probes(questions, device, results.keep)
    yield "writing logits", results.write_logits
    yield from functions.probes(device, step)
    yield from networks.drawn_pairs(questions, device)


def main() -> None:
    """Run the probes until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--step", type=int, default=1, help="every so many numbers of binary32")
    parser.add_argument("--limit", type=float, default=420)
    parser.add_argument("--some", type=int, default=1, help="of the probes every so many, to see whether they run")
    parser.add_argument("--only", action="append", help="probes whose names begin so")
    given = parser.parse_args()
    results = Results(Path(os.environ.get("OUT", "results")))
    results.add("machine", machine(given.device), 0)
    torch.set_grad_enabled(False)
    questions = torch.load(given.questions, weights_only=True)
    for number, (name, probe) in enumerate(probes(questions, given.device, given.step, results)):
        asked = not given.only or name.startswith(tuple(given.only))
        if (number % given.some or not asked) and name != "writing logits":
            continue
        start = time.monotonic()
        if start - results.start > given.limit:
            print(f"no time is left for {name} and what follows", flush=True)
            break
        try:
            found = probe()
        except Exception as reason:
            found = {"failed": f"{type(reason).__name__}: {str(reason)[:300]}"}
        if given.device == "cuda":
            torch.cuda.synchronize()
        results.add(name, found, time.monotonic() - start)


if __name__ == "__main__":
    main()
