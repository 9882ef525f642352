"""Write the section of docs/background/formats.md about examples/adders: float executions on inputs in tracks.

`python benchmarks/float_executions.py --adders [NETWORK ...]` asks; see there. The claim is that all answers are right
(a margin of 0). Of each class that is certified some runs are drawn, of drawn inputs; how far a row of logits is off
from the network with rounded weights, over the reals, is compared with what the trusted folder proves of some of these
inputs, one by one.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table
from certify.claims.trained.question import read_any_claim
from certify.claims.trained.track_runs_forms import FormInRuns
from constructions.errors import InputError, Unsupported
from constructions.trained.network import View
from constructions.trained.numbers import numbers
from constructions.trained.tracks import TracksClaim, sampled_inputs
from proofs.check.checker.chapters.trained import find_kind
from proofs.check.checker.chapters.trained.floats.casting import cast_network
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack, make_row_maps
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, apply, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import presets
from proofs.trained.float_executions.casting import Cast
from proofs.trained.float_executions.execution import executions
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.wrong import Margins
from tests.trained.drawn_runs import DrawnRun

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "adders"
NAMES = ("ternary", "reverse", "sort", "sort_trained", "parity", "binary", "brackets", "decimal", "decimal_soft")
DRAWN, BOUNDED = 128, 2
"""Inputs with drawn executions under every model; inputs whose bounds are shown."""
HEAD = """
## Inputs in tracks

The networks of [examples/adders](../../examples/adders/README.md) with one layer, on all their inputs: that every
answer is right (a margin of 0) in every execution under the model. *Wrong on* names an input; the execution was
replayed. `carries` and `binary_trained` were not asked. `int8` has weights of 8
bits (a scale for each output), in `binary32`. {runs:,} executions were drawn under certified models; {wrong}
were wrong. In brackets: the greatest observed error of a row of logits, and the proved bound. The trusted folder proves
the bound for two of these inputs, each run alone. Classes cut their boxes into cells, and may give better bounds.
`python benchmarks/float_executions.py --adders` asks and writes this.

"""
Cell = dict[str, Any]
INT8 = "int8"
"""The column of weights of 8 bits, in `binary32`."""


class Quantised(Cast):
    """Builder of the network whose matrices have entries of 8 bits, symmetric, with a binary32 scale per output."""

    def cast(self, part: Any) -> Any:
        """Keep other numbers; a program rounds them."""
        return self._new(part, numbers(self.given, part)) if isinstance(part, View) else super().cast(part)

    def _weight(self, view: View) -> View:
        given = numbers(self.given, view)
        scales = (np.abs(given).max(0) / 127).astype(np.float32).astype(np.float64)
        return self._new(view, np.rint(given / np.where(scales, scales, 1)) * scales)


def ask(names: list[str], classes: tuple[str, ...], kept: dict[str, Any], again: bool,
        keep: Callable[[], None]) -> None:
    """Fill all missing cells, and keep each one as soon as it is known."""
    for each, name in product((*classes, INT8), names or NAMES):
        cells: dict[str, Any] = kept.setdefault(name, {})
        if each in cells and not again:
            continue
        network, found = read_any_claim(str(FOLDER / f"{name}.json"), str(FOLDER / f"{name}.toml"))
        assert isinstance(found, TracksClaim)
        claim, start = replace(found, margin=Fraction(0)), time.monotonic()
        try:
            of_8_bits = each == "int8"
            given = Quantised(network, presets()["binary32"]).network() if of_8_bits else network
            cells[each] = asked(FormInRuns(given, claim, presets()["binary32" if of_8_bits else each], 1), claim)
        except (InputError, Unsupported) as reason:
            cells[each] = {"verdict": "unknown", "reason": str(reason)}
        print(f"{name}, {each}: {cells[each]}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        keep()


def asked(decider: FormInRuns, claim: TracksClaim) -> Cell:
    """Decide the first layout, and draw executions."""
    found = decider.result(0)
    row, unit = found.row, found.unit
    cell: Cell = {"verdict": row.verdict, "inputs": str(row.inputs), "reason": row.reason}
    if row.wrong is not None:
        cell["wrong"] = claim.show_input(row.wrong.columns)
    return cell | (drawn(decider, claim) if unit is not None else {})


def drawn(decider: FormInRuns, claim: TracksClaim) -> Cell:
    """Return the number of executions drawn and wrong, their greatest error, and the error bound."""
    margins, draw = Margins(decider.floats, claim, 0), np.random.default_rng(0)
    columns = margins.inputs.indices(sampled_inputs(claim, margins.form, DRAWN))
    exact, seen, wrong, runs = margins.of(columns)[0], 0.0, 0, 0
    for execution in executions(decider.run):
        emulation = DrawnRun(decider.cast, decider.run, execution, draw)
        found = decider.wrong.margins(margins, columns, emulation)[0]
        seen, runs = max(seen, float(np.abs(found - exact).max())), runs + len(columns)
        wrong += int((found <= 0).any(axis=1).sum())
    return {"runs": runs, "wrong_runs": wrong, "seen": seen, "bound": bound(decider, claim, margins, columns[:BOUNDED])}


def bound(decider: FormInRuns, claim: TracksClaim, margins: Margins, columns: Any) -> float:
    """Return the error bound of a row on some inputs, by the affine forms of the trusted folder."""
    given, stack = trusted_stack(tracks_text(decider.network, claim, [{"inputs": 1}] * len(claim.forms), decider.run))
    budget = given.budget
    walk, most = CachedExecutions(stack, claim.offset), 0
    for tokens in margins.inputs.tokens(columns).tolist():
        places = [place - 1 for place in margins.form.asked]
        for place, stream in walk.attended(tokens[:-1], places):
            rows = make_row_maps(budget, given.claim.rows(tokens[place + 1]), given.network.outputs)
            most = max(most, *spread(budget, apply(budget, rows, stack.finish(stream))).reaches)
    return most / UNIT


def trusted_stack(text: str) -> tuple[Any, FloatStack]:
    """Read a certificate with the trusted checker; return it with the layer bounds of its first float model."""
    document = json.loads(text)
    given = find_kind(document).read(document, Budget(8))
    return given, FloatStack(given.budget, cast_network(given.network, given.floats[0]), given.floats[0])


def section(kept: dict[str, Any], classes: tuple[str, ...]) -> str:
    """Return the section."""
    cells = [cell for found in kept.values() for cell in found.values()]
    lines = [HEAD.format(runs=sum(cell.get("runs", 0) for cell in cells),
                         wrong=sum(cell.get("wrong_runs", 0) for cell in cells)),
             table(["network", "inputs"], (*classes, INT8), (cells_of(name, found, (*classes, INT8))
                                                             for name in NAMES if (found := kept.get(name))))]
    lines += ["\nWhat is not proved where a cell is open:\n\n"]
    for name, each in product(NAMES, (*classes, INT8)):
        if reason := (kept.get(name) or {}).get(each, {}).get("reason"):
            said = reason.removeprefix(f"'{'binary32' if each == INT8 else each}': form 1: ")
            lines.append(f"- `{name}`, `{each}`: {said}\n")
    return "".join(lines)


def cells_of(name: str, found: dict[str, Cell], classes: Iterable[str]) -> list[str]:
    """Return the row of a network."""
    inputs = next((int(cell["inputs"]) for cell in found.values() if "inputs" in cell), 0)
    return [f"`{name}`", f"{inputs:,}", *(known(found.get(each)) for each in classes)]


def known(cell: Cell | None) -> str:
    """Describe the result for one network under one float model."""
    if cell is None:
        return "–"
    if "wrong" in cell:
        return f"wrong on `{cell['wrong']}`"
    return f"certified ({cell['seen']:.2g} of {cell['bound']:.2g})" if "seen" in cell else "open"
