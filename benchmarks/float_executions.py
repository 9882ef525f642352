"""Write the tables of docs/background/formats.md: networks of the zoo, trained and quantised, under usual float models.

    python benchmarks/float_executions.py [--max-n N] [--most WORDS] [--runs RUNS] [--longer N,...] [NETWORK ...]
    python benchmarks/float_executions.py --reach|--adders|--times [NETWORK ...]
    python benchmarks/float_executions.py --write-only
    python benchmarks/float_executions.py --only binary32 'even, int8'

At offset 0, each network is asked about up to length N, as long as a length has at most so many words. Of each class in
which some length is certified, so many runs are drawn: words of these lengths, orders of sums at random, by size and by
sign, products fused or not, functions off as far as the class allows. None may be wrong; how far one is off from the
network with rounded weights, over the reals, is compared with what the trusted folder proves; where that is more than
100 times as much, runs are pushed: of several orders of each sum the one whose result is greatest, or least, as signs
say that are bred for large errors. `--only MODEL` asks again about one float model. Wrong executions are looked for
at the longer lengths, too, under one model. `--reach` asks how far networks that are kept, not quantised, are proved on
their whole domain: word by word as long as a length has at most 2^10 words, or by classes. What is found is kept in
benchmarks/float_executions.json, which the page is of.
Inputs in tracks have a section of their own (float_executions_of_adders.py), and so have times (float_times.py).
"""

import argparse
import json
import sys
import time
import tomllib
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import float_executions_of_adders, float_times
from benchmarks.markdown import table, wrapped
from certify.claims.trained.decide import decide
from certify.claims.trained.float_decision import MOST_WORDS, certified_lengths, decide_floats
from certify.claims.trained.float_search import WrongRuns
from certify.claims.trained.word_counts import WordCounts
from constructions.errors import InputError, Unsupported
from constructions.importing.importer import import_network
from constructions.importing.names_file import read_names
from constructions.importing.questions import Options
from constructions.trained.claim import WordsClaim, claim_of_lengths, judged
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import Plan, plans
from proofs.check.checker.chapters.trained.floats.form_stack import make_row_maps
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, apply, spread
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.trained.certificate import each_word_text
from proofs.trained.float_executions import casting
from proofs.trained.float_executions.execution import executions
from proofs.trained.forward import FloatNetwork
from tests.importing.quantised_files import weights_of, with_names
from tests.trained.drawn_runs import DrawnRun

ROOT = Path(__file__).resolve().parents[1]
CLASSES = ("binary32", "tf32", "binary16/binary32", "bfloat16/binary32", "flash", "bfloat16")
OF_QUANTISED = ("binary32", "bfloat16/binary32")
SEARCHED = "bfloat16/binary32"
WEIGHTS = {"int8": (8, None), "int4": (4, 16)}
KEPT, PAGE = ROOT / "benchmarks" / "float_executions.json", ROOT / "docs" / "background" / "formats.md"
ADDERS, TIMES = "examples/adders", "times"
OPEN = """
## What is open

Where a cell ends below the lengths that were asked, it shows the first length that is open and what is not proved. It
also shows the smallest margin found there, of the network with rounded weights. The centre of a form that is so wide
("is about") says little.

"""
MARK = "<!-- benchmarks/float_executions.py writes what follows -->\n"
BATCH, POPULATION, GENERATIONS = 256, 64, 12
GPT = Options(kind="nanogpt", attention="causal", heads=1, activation="gelu", epsilon=Fraction(1, 100000))
Cell = dict[str, Any]


VERSIONS = ("", "dynamic", "int8", "int4")


def network_of(plan: Plan, version: str) -> TrainedNetwork | None:
    """Return the network as trained or quantised; None if this kind is not quantised.

    Weights have 8 bits per channel, or 4 bits per 16 entries of a row; ``dynamic`` also gives activations 7 bits, as
    torch's dynamic quantisation does.
    """
    if not version:
        return plan.network()
    if plan.kind != "gpt":
        return None
    arrays = weights_of(plan.folder)
    with TemporaryDirectory() as folder:
        model, names = Path(folder) / "m.safetensors", Path(folder) / "names.toml"
        if version == "dynamic":
            return dynamic(plan, arrays, Path(folder) / "m.pt")
        data, rules = with_names(arrays, *WEIGHTS[version])
        model.write_bytes(data)
        names.write_text(rules, encoding="utf-8")
        return import_network([model], GPT, read_names(names)).network


def dynamic(plan: Plan, arrays: dict[str, Any], path: Path) -> TrainedNetwork:
    """Quantise the network by torch's quantize_dynamic."""
    import torch

    from examples.trained import networks

    model = networks.GPT(networks.NetworkSizes(len(arrays["transformer.wte.weight"]), plan.rows, plan.layers,
                                               plan.heads))
    model.load_state_dict({key: torch.from_numpy(array.copy()) for key, array in arrays.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.ao.quantization.quantize_dynamic(model.eval(), {torch.nn.Linear}, dtype=torch.qint8)
        torch.save(made.state_dict(), path)
    return import_network([path], GPT).network


class BenchmarkCase:
    """One network and its claim, up to a length."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, given: argparse.Namespace) -> None:
        counts = WordCounts(FloatNetwork(network), claim)
        first, last = claim.lengths
        self.last = max((n for n in range(first, min(given.max_n, last) + 1) if counts.at(n) <= given.most),
                        default=first)
        self.network, self.whole, self.given = network, claim, given
        self.claim = claim_of_lengths(network, claim, first, self.last)

    def reals(self) -> Cell:
        """Decide the claim over the reals."""
        found = decide(self.network, self.claim)
        return {"certified_to": found.certified_to, "wrong_at": len(found.wrong.word) if found.wrong else None}

    def floats(self, name: str) -> Cell:
        """Decide the claim under a float model, and draw executions."""
        run = presets()[name]
        found = decide_floats(self.network, self.claim, run)
        cell: Cell = {"certified_to": found.certified_to, "wrong_at": None}
        if found.wrong is None:
            cell |= self.longer(run) if name == SEARCHED else {}
        else:
            cell |= {"wrong_at": len(found.wrong.word), "word": "".join(found.wrong.word),
                     "accepted": found.wrong_certificate is not None}
        if (open_one := found.first("unknown")) is not None:
            cell["open"] = {"n": open_one.n, "margin": open_one.seen and open_one.seen.value,
                            "reason": open_one.reason}
        if found.certified_to is not None:
            cell |= Drawn(self, run, found.certified_to).measured(self.given.runs)
        return cell

    def reach(self, name: str) -> int | None:
        """Return the length up to which the whole domain is proved in a class."""
        run, (first, last) = presets()[name], self.whole.lengths
        counts = WordCounts(FloatNetwork(self.network), self.whole)
        short = [n for n in range(first, last + 1) if counts.at(n) <= MOST_WORDS]
        found, _, _ = certified_lengths(self.network, casting.cast_network(self.network, run), self.whole, run, short)
        return found if found >= first else None

    def longer(self, run: FloatModel) -> Cell:
        """Return a wrong execution at one of the longer lengths."""
        for n in self.given.longer:
            if self.last < n <= self.whole.lengths[1]:
                wrong = WrongRuns(self.network, claim_of_lengths(self.network, self.whole, n, n), run, 1).row(
                    n, False, True).wrong
                if wrong:
                    return {"wrong_at": n, "word": "".join(wrong.word)}
        return {}


class Pushed(DrawnRun):
    """The order of each sum, of several, whose result is greatest or least: for each call, run and number."""

    signs: list[Any]
    calls = 0

    def total(self, terms: Any, target: Any) -> Any:
        """Return the sum in one of these orders."""
        found = [super(Pushed, self).total(terms, target) for _ in range(6)]
        if self.calls == len(self.signs):
            self.signs.append(self.draw.random(found[0].shape) < 1 / 2)
        self.calls += 1
        return np.where(self.signs[self.calls - 1], np.maximum.reduce(found), np.minimum.reduce(found))


class Drawn:
    """Drawn executions of a class at certified lengths, against the reals and the trusted folder's bounds."""

    def __init__(self, asked: BenchmarkCase, run: FloatModel, last: int) -> None:
        self.asked, self.run, self.lengths = asked, run, range(asked.claim.lengths[0], last + 1)
        self.search = WrongRuns(asked.network, asked.claim, run, 1)
        self.real = FloatNetwork(self.search.cast)
        given, self.stack = float_executions_of_adders.trusted_stack(each_word_text(asked.network, asked.claim, run))
        self.budget = given.language.budget
        rows = [asked.claim.cases[case].above[row] for case, row in self.search.judge.rows.rows]
        self.row_maps = make_row_maps(self.budget, rows, given.network.outputs)

    def bounds(self, inputs: Any, places: list[int]) -> Any:
        """Return the error bounds of rows, [words, places, rows]."""
        walk = CachedExecutions(self.stack, 0)
        return np.array([[spread(self.budget, apply(self.budget, self.row_maps, self.stack.finish(stream))).reaches
                          for _, stream in walk.attended(tokens.tolist(), places)] for tokens in inputs]) / UNIT

    def measured(self, runs: int) -> Cell:
        """Return the number of executions drawn and wrong, their greatest error, and the error bound."""
        draw, seen, bound, wrong = np.random.default_rng(0), 0.0, 0.0, 0
        share = -(-runs // len(self.lengths) // BATCH) * BATCH
        drawn = 0
        for n in self.lengths:
            words = self.search._live(n)[:: max(1, 2**n // 64)]
            pairs = judged(self.asked.claim, n)
            if not len(words) or not pairs:
                continue
            places, at = map(list, zip(*pairs, strict=True))
            inputs, held = self.search.judge.inputs(words), self.search.judge.cases.hold(words)[:, places]
            exact = self.search.judge.rows.margins(self.real.logits(inputs, 0, at), held)
            judged_rows = np.isfinite(exact)
            if not judged_rows.any():
                continue
            bound = max(bound, float(self.bounds(inputs, at)[judged_rows].max()))
            for _ in range(0, share, BATCH):
                some = draw.integers(0, len(words), BATCH)
                execution = executions(self.run)[int(draw.integers(len(executions(self.run))))]
                logits = DrawnRun(self.search.cast, self.run, execution, draw).logits(inputs[some], 0, np.array(at))
                margins = self.search.judge.rows.margins(logits, held[some])
                wrong += int((margins <= 0).any((1, 2)).sum())
                off = np.abs(margins[judged_rows[some]] - exact[some][judged_rows[some]])
                seen, drawn = max(seen, float(off.max())), drawn + BATCH
            if bound > 100 * seen:
                more = [self.pushed(inputs[k:k + 1], at, held[k:k + 1], exact[k:k + 1], draw)
                        for k in range(min(6, len(words)))]
                seen, wrong = max(seen, *(off for off, _ in more)), wrong + sum(count for _, count in more)
                drawn += len(more) * GENERATIONS * POPULATION
        return {"runs": drawn, "wrong_runs": wrong, "seen": seen, "bound": bound}

    def pushed(self, inputs: Any, at: list[int], held: Any, exact: Any, draw: Any) -> tuple[float, int]:
        """Return the greatest error of executions of a word chosen for large errors, and the number of wrong ones."""
        signs, seen, wrong, many = list[Any](), 0.0, 0, np.repeat(inputs, POPULATION, 0)
        judged_rows = np.isfinite(exact)
        for _ in range(GENERATIONS):
            runs = Pushed(self.search.cast, self.run, executions(self.run)[0], draw)
            runs.signs = signs
            margins = self.search.judge.rows.margins(runs.logits(many, 0, np.array(at)), np.repeat(held, POPULATION, 0))
            wrong += int((margins <= 0).any((1, 2)).sum())
            off = np.abs(np.where(judged_rows, margins, 0) - np.where(judged_rows, exact, 0)).max((1, 2))
            best = np.argsort(-off)[:POPULATION // 8]
            seen = max(seen, float(off.max()))
            chosen = np.concatenate([best, draw.choice(best, POPULATION - len(best))])
            signs = [one[chosen] for one in runs.signs]
            for one in signs:
                one[len(best):] ^= draw.random(one[len(best):].shape) < draw.choice([0.02, 0.1])
        return seen, wrong


def ask(name: str, version: str, given: argparse.Namespace, kept: dict[str, Any]) -> None:
    """Fill all cells of one network."""
    plan = plans()[name]
    label = f"{name}, {version}" if version else name
    if given.network and not {label, name} & {*given.network}:
        return
    network = None if label in kept and not (given.again or given.only) else network_of(plan, version)
    if network is None:
        return
    try:
        asked = BenchmarkCase(network, replace(plan.claim(plan.network()), offsets=(0, 0)), given)
        cells = kept[label] if given.only else {"asked_to": asked.last, "reals": asked.reals()}
        for each in given.only or {"": CLASSES, "dynamic": ()}.get(version, OF_QUANTISED):
            start = time.monotonic()
            cells[each] = asked.floats(each)
            print(f"{label}, {each}: {cells[each]}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    except (InputError, Unsupported) as reason:
        print(f"{label}: {reason}", file=sys.stderr)
        return
    kept[label] = cells
    keep(kept)


def ask_reach(name: str, given: argparse.Namespace, kept: dict[str, Any]) -> None:
    """Fill the lengths proved for one network under each model; over the reals as in examples/trained/table.py."""
    plan, cells = plans()[name], kept.get(name)
    if cells is None or (given.network and name not in given.network) or ("domain" in cells and not given.again):
        return
    asked = BenchmarkCase(plan.network(), replace(plan.claim(plan.network()), offsets=(0, 0)), given)
    if (decided_in := plan.folder / "decided.toml").is_file():
        decided = tomllib.loads(decided_in.read_text(encoding="utf-8"))
        cells["reals"]["reach"] = decided.get("certified_to")
        if decided.get("offset") == 0:
            cells["reals"]["wrong_at"] = decided["wrong_at"]
    for each in (each for each in CLASSES if "certified_to" in cells.get(each, {})):
        start = time.monotonic()
        found = cells[each]["reach"] = asked.reach(each)
        print(f"{name}, {each}: n <= {found}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    cells["domain"] = asked.whole.lengths[1]
    keep(kept)


def keep(kept: dict[str, Any]) -> None:
    """Write all that was found."""
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def known(cell: Cell | None, domain: int | None) -> str:
    """Describe the result for one network under one float model."""
    if cell is None:
        return "–"
    last = max(cell["certified_to"] or 0, cell.get("reach") or 0)
    parts = [f"**n ≤ {last}**" if last == domain else f"n ≤ {last}"] if last else []
    if cell["wrong_at"] is not None:
        parts.append(f"wrong at {cell['wrong_at']}")
    return ", ".join(parts) or "open"


def off(cell: Cell | None) -> str:
    """Format the greatest error observed, and its bound."""
    return f"{cell['seen']:.2g} of {cell['bound']:.2g}" if cell and "seen" in cell else "–"


def page(kept: dict[str, Any]) -> str:
    """Return both tables."""
    lines = ["## What holds\n\n", table(["network", "asked to", "over the reals"], CLASSES, (
        [shown(label), str(cells.get("domain", cells["asked_to"])),
         *(known(cells.get(each), cells.get("domain")) for each in ("reals", *CLASSES))]
        for label, cells in kept.items()))]
    drawn = [cell for cells in kept.values() for each in CLASSES if "runs" in (cell := cells.get(each) or {})]
    ratios = sorted(cell["bound"] / cell["seen"] for cell in drawn if cell["seen"])
    lines += ["\n## Errors of executions\n\n",
              f"{sum(cell['runs'] for cell in drawn):,} executions were drawn at certified lengths; "
              f"{sum(cell['wrong_runs'] for cell in drawn)} were wrong. Each cell: the greatest observed error of a "
              f"row of logits, and the proved bound. The bound is {ratios[0]:.2g} to {ratios[-1]:.0f} times the error; "
              f"the median is {ratios[len(ratios) // 2]:.2g} times.\n\n",
              table(["network"], CLASSES, (
                  [shown(label), *(off(cells.get(each)) for each in CLASSES)] for label, cells in kept.items()
                  if any("seen" in (cells.get(each) or {}) for each in CLASSES)))]
    return "".join(lines) + what_is_open(kept)


def what_is_open(kept: dict[str, Any]) -> str:
    """Return the first length that is open, cell by cell."""
    rows = []
    for label, each in product(kept, CLASSES):
        if (one := (kept[label].get(each) or {}).get("open")) is not None:
            margin = "–" if one["margin"] is None else f"{one['margin']:.3g}"
            rows.append([shown(label), f"`{each}`", str(one["n"]), margin, one["reason"]])
    return OPEN + table(["network", "float model", "n", "margin found", "not proved"], (), rows) if rows else ""


def shown(label: str) -> str:
    """Return the name of the network, and how it is quantised."""
    name, _, version = label.partition(", ")
    return f"`{name}`" + (f", {version}" if version else "")


def main() -> None:
    """Ask, keep what is found, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-n", type=int, default=8)
    parser.add_argument("--most", type=int, default=32)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--longer", type=lambda text: [int(n) for n in text.split(",")], default=[22, 29])
    parser.add_argument("--write-only", action="store_true")
    parser.add_argument("--reach", action="store_true", help="ask how far networks that are kept are proved instead")
    parser.add_argument("--adders", action="store_true", help="ask those of examples/adders instead")
    parser.add_argument("--times", action="store_true", help="measure what float executions take instead")
    parser.add_argument("--again", action="store_true", help="also what is kept")
    parser.add_argument("--only", action="append", choices=CLASSES, help="of what is kept, these classes again")
    parser.add_argument("network", nargs="*", help="all versions of it, or one: 'even, int8'")
    given = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    of_adders = kept.setdefault(ADDERS, {})
    if given.adders:
        float_executions_of_adders.ask(given.network, CLASSES, of_adders, given.again, lambda: keep(kept))
    times = kept.setdefault(TIMES, {})
    if given.times:
        float_times.measure(given.network, times, given.again, lambda: keep(kept))
    for name in plans() if given.reach else ():
        ask_reach(name, given, kept)
    instead = given.write_only or given.reach or given.adders or given.times
    for version, name in [] if instead else product(VERSIONS, plans()):
        ask(name, version, given, kept)
    order = {f"{name}, {version}" if version else name: None for name in plans() for version in VERSIONS}
    kept = {label: kept[label] for label in order if label in kept}
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    made = page(kept)
    made += float_executions_of_adders.section(of_adders, CLASSES) if of_adders else ""
    made += float_times.section(times) if times else ""
    PAGE.write_text(f"{text}{MARK}\n{wrapped(made)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
