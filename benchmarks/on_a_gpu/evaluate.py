"""Compare a GPU's logits with the certified bounds: greatest errors of rows, and their bounds.

    python benchmarks/on_a_gpu/evaluate.py results questions.pt [--bounded WORDS] [--only NAME]

Each execution is judged by the float model that it should satisfy (CLASSES): against the network with that model's
rounded weights, over the reals, no error of a row of logits may exceed the bound of its word. Bounds are computed for
WORDS words of each length up to 8.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.float_executions import BenchmarkCase, Drawn
from benchmarks.float_executions_of_adders import FOLDER, bound
from certify.claims.trained.question import read_any_claim
from certify.claims.trained.track_runs_forms import FormInRuns
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import judged
from constructions.trained.tracks import TracksClaim, sampled_inputs
from examples.trained.zoo import plans
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.trained.tracks.wrong import Margins

BOUNDED_TO = 8
CLASSES = {"binary32": "cuda", "binary32 with TF32": "tf32/tensor-cores", "bfloat16": "bfloat16/tensor-cores",
           "binary16": "binary16/tensor-cores"}


def class_of(variant: str) -> FloatModel:
    """Return the float model of an execution, whatever its attention."""
    return presets()[CLASSES[variant.split(", ", maxsplit=1)[0]]]


class OfPlan:
    """A network of the zoo."""

    def __init__(self, name: str) -> None:
        plan = plans()[name]
        network = plan.network()
        claim = replace(plan.claim(network), offsets=(0, 0))
        self.asked = BenchmarkCase(network, claim, argparse.Namespace(max_n=BOUNDED_TO, most=1 << 20))
        self.judges: dict[FloatModel, Drawn] = {}
        self.bounds: dict[tuple[FloatModel, str], Any] = {}
        """Bounds by word; infinite if unknown."""

    def judge(self, run: FloatModel) -> Drawn:
        """Return the data of a float model."""
        if run not in self.judges:
            self.judges[run] = Drawn(self.asked, run, BOUNDED_TO)
        return self.judges[run]

    def off(self, run: FloatModel, batch: Mapping[str, Any], logits: Any, bounded: int) -> tuple[float, float, int,
                                                                                                 int]:
        """Return the greatest distance from the reals, the greatest share of a bound, rows beyond it, wrong rows."""
        judge, places = self.judge(run), batch["places"]
        alphabet = judge.asked.claim.alphabet
        words = np.array([[alphabet.index(letter) for letter in word] for word in batch["words"]], np.intp)
        inputs = judge.search.judge.inputs(words)
        held = judge.search.judge.cases.hold(words)[:, self.places(batch)]
        exact = judge.search.judge.rows.margins(judge.real.logits(inputs, 0, places), held)
        found = judge.search.judge.rows.margins(logits.astype(np.float64), held)
        asked = np.isfinite(exact)
        away = np.abs(np.where(asked, found, 0) - np.where(asked, exact, 0))
        share, beyond = 0.0, 0
        for word in range(0, len(words) if batch["n"] <= BOUNDED_TO else 0, max(1, len(words) // bounded)):
            key = run, batch["words"][word]
            if key not in self.bounds:
                self.bounds[key] = self.bound(judge, inputs[word:word + 1], places)
            part = away[word][asked[word]] / self.bounds[key][asked[word]]
            share, beyond = max(share, float(part.max(initial=0))), beyond + int((part > 1).sum())
        return float(away.max(initial=0)), share, beyond, int((found[asked] <= 0).sum())

    @staticmethod
    def bound(judge: Drawn, inputs: Any, places: list[int]) -> Any:
        """Return the error bounds of rows of a word."""
        try:
            return judge.bounds(inputs, places)[0]
        except Rejected:
            return np.full((len(places), len(judge.search.judge.rows.rows)), np.inf)

    def places(self, batch: Mapping[str, Any]) -> list[int]:
        """Return the places of the word where its logits are judged."""
        return [place for place, _ in judged(self.asked.whole, batch["n"])]


class OfAdder:
    """A network of examples/adders; its bounds are those of two inputs."""

    def __init__(self, name: str) -> None:
        self.network, found = read_any_claim(str(FOLDER / f"{name}.json"), str(FOLDER / f"{name}.toml"))
        assert isinstance(found, TracksClaim)
        self.claim = replace(found, margin=Fraction(0))
        self.kept: dict[FloatModel, tuple[Any, Any, Any, float]] = {}

    def known(self, run: FloatModel, count: int) -> tuple[Any, Any, Any, float]:
        """Return tokens, margins over the reals, and the bound."""
        if run not in self.kept:
            decider = FormInRuns(self.network, self.claim, run, 1)
            margins = Margins(decider.floats, self.claim, 0)
            columns = margins.inputs.indices(sampled_inputs(self.claim, margins.form, count))
            try:
                most = bound(decider, self.claim, margins, columns[:2])
            except Rejected:
                most = float("inf")
            self.kept[run] = margins, margins.inputs.tokens(columns), margins.of(columns)[0], most
        return self.kept[run]

    def off(self, run: FloatModel, batch: Mapping[str, Any], logits: Any, bounded: int) -> tuple[float, float, int,
                                                                                                 int]:
        """Return the greatest distance, the greatest share of a bound, rows beyond it, wrong rows."""
        margins, tokens, exact, most = self.known(run, len(batch["tokens"]))
        right = tokens[:, list(margins.form.asked), np.newaxis]
        wide = logits.astype(np.float64)
        rest = np.where(margins.among == right, np.inf, np.take_along_axis(wide, right, 2) - wide[..., margins.among])
        found = rest.min(axis=2)
        away = np.abs(found - exact)
        return float(away.max()), float(away[:bounded].max() / most), int((away[:2] > most).sum()), int(
            (found <= 0).sum())


def evaluated(questions: Mapping[str, Any], logits: Any, bounded: int, only: str) -> Iterator[tuple[str, str, Any]]:
    """Yield network, variant, and results: the greatest distance, the greatest share, beyond, wrong."""
    zoo = plans()
    for given in questions["trained"]:
        name = given["name"]
        variants = dict.fromkeys(key.split("/")[1] for key in logits if key.startswith(f"{name}/"))
        network: OfPlan | OfAdder | None = None
        for variant in variants if name.startswith(only) else ():
            network = network or (OfPlan(name) if name in zoo else OfAdder(name))
            try:
                found = [network.off(class_of(variant), batch, logits[key], bounded)
                         for number, batch in enumerate(given["batches"])
                         if (key := f"{name}/{variant}/{number}") in logits]
            except (InputError, Unsupported) as reason:
                yield name, variant, str(reason)
                continue
            yield name, variant, {"off": max(one[0] for one in found), "share": max(one[1] for one in found),
                                  "beyond": sum(one[2] for one in found), "wrong": sum(one[3] for one in found)}


def main() -> None:
    """Print the results, and write them beside the GPU's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--bounded", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    questions, kept = torch.load(given.questions, weights_only=True), dict[str, Any]()
    with np.load(given.results / "logits.npz") as logits:
        for name, variant, found in evaluated(questions, logits, given.bounded, given.only):
            print(f"{name}, {variant}: {found}", flush=True)
            kept[f"{name}: {variant}"] = found
    (given.results / "evaluated.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
