"""Measure `certify` in whole cold processes, against required times and the physical limit of this machine.

    python benchmarks/run.py                       every row; hours, if a row takes its whole limit
    python benchmarks/run.py --quick               a few rows, smaller: about twenty seconds
    python benchmarks/run.py since-64 growth       these rows; --list names them all
    python benchmarks/run.py --tree PATH           the same of another checkout, by its command line alone
    python benchmarks/run.py since-64 --profile F  also writes where the time of these rows goes to the file F

All figures of one run are from one machine at one time: compare them with each other, not with another run's. On a busy
machine compare processor time, and its ratio to the physical limit (benchmarks/physical_limit.py), which is measured
first in every run. Every process adds a line to benchmarks/history.jsonl, unless `--no-history` is given. Nothing is
asserted here. A row stopped at its limit shows the time until then, after `>`.
"""

import argparse
import json
import math
import pstats
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.measuring import Measured, keep, measure, origin
from constructions.trained.json_form import network_text
from examples.trained.zoo import ZOO, plans

HERE = Path(__file__).resolve().parent
FORMULAS = {"since": "Q_1 S Q_0", "odd": "ODD(#<[Q_1])", "comparison": "#<[Q_1] - #<[Q_0] >= 1", "prev": "prev Q_1",
            "majority": "#<[Q_1] > #<[Q_0]", "first-example": "prev Q_a since (Q_b until next Q_c)"}
GROWING = ("since", "odd", "comparison", "prev")
IN_FLOATS = (("tomita_2", 8, 2, "bfloat16/binary32"), ("majority", 5, 5, "bfloat16/binary32"),
             ("majority", 8, 3, "binary32"), ("tomita_7_deep", 5, 5, "torch-cpu"))
"""Networks, lengths, seconds, and the float model to decide."""
LEARNT = (("tomita_2", 63, 5), ("d_2", 40, 10), ("dyck_1", 20, 45), ("tomita_4_turned", 24, 10), ("flip_flop", 9, 10),
          ("palindromes", 8, 5), ("tomita_1", 20, 40))
"""Networks whose automata are learnt, the longest words, and the most seconds that each may take."""
CERTIFY = ("-m", "certify.cli")
AT_0 = ("--offset", "0")


@dataclass(frozen=True)
class BenchmarkRow:
    """One command: its description, the required seconds of wall time on two cores, and its limit.

    ``certificate`` is the file that it writes, which is then checked.
    """

    name: str
    about: str
    arguments: tuple[str, ...]
    must: float | None = None
    limit: float = 300
    certificate: str | None = None


def formula_row(key: str, n: int, folder: str, must: float | None = None, limit: float = 300) -> BenchmarkRow:
    """Return the row of producing and checking one certificate."""
    path = str(Path(folder) / f"{key}-{n}.cert")
    alphabet = () if key == "first-example" else ("--alphabet", "01")
    return BenchmarkRow(f"{key}-{n}", f"{FORMULAS[key]}, n <= {n}",
               (*CERTIFY, "formula", FORMULAS[key], *alphabet, "--max-n", str(n), "-o", path, "--json"), must, limit,
                        path)


def zoo_row(command: Literal["decide", "learn", "equal"], names: Sequence[str], max_n: int, folder: str, must: float,
            *options: str) -> BenchmarkRow:
    """Return a command about networks of examples/trained, against the claim of the first one.

    Decisions and learnt automata have a certificate, which is checked; equality has a folder of them.
    """
    models = [str(Path(folder) / f"{name}.json") for name in names]
    label = "-".join([command, *names, *(one for one in options if one[:1] != "-")]).replace("/", "-")
    output = str(Path(folder) / label)
    claim = str(ZOO / names[0] / "claim.toml")
    arguments = (*CERTIFY, command, *models, "--claim", claim, "--max-n", str(max_n), "--jobs", "2", *options, "-o",
                 output, "--json")
    return BenchmarkRow(label, f"zoo: {' and '.join(names)}, n <= {max_n}", arguments, must, 900,
                        None if command == "equal" else output)


def write_networks(folder: str) -> None:
    """Write the networks of the zoo as files that every command reads."""
    for name, plan in plans().items():
        (Path(folder) / f"{name}.json").write_text(network_text(plan.network()), encoding="utf-8")


def quick_rows(folder: str) -> list[BenchmarkRow]:
    """Return small rows of each kind."""
    return [BenchmarkRow("start", "certify formula Q_1, n <= 2", (*CERTIFY, "formula", "Q_1", "--max-n", "2")),
            *(formula_row(key, 32, folder) for key in ("since", "odd", "majority")),
            formula_row("first-example", 16, folder),
            BenchmarkRow("subformulas-60", "60 subformulas, n <= 4", (str(HERE / "large_formula.py"), "60", "4"))]


def all_rows(folder: str, tree: Path) -> list[BenchmarkRow]:
    """Return the rows with their requirements."""
    return [
        BenchmarkRow("start", "certify formula Q_1, n <= 2", (*CERTIFY, "formula", "Q_1", "--max-n", "2")),
        BenchmarkRow("examples", "every shipped example, n <= 64",
            (*CERTIFY, "formula", "--max-n", "64", "-o", str(Path(folder) / "examples")), 45, 1800),
        formula_row("since", 64, folder, 1.0), formula_row("odd", 64, folder, 1.5),
        formula_row("majority", 64, folder, 1.5), formula_row("first-example", 64, folder, 3),
        formula_row("since", 1024, folder, 20), formula_row("odd", 1024, folder, 40),
        formula_row("comparison", 1024, folder, 40), formula_row("prev", 1024, folder, 20),
        BenchmarkRow("soften", "DYCK-2 softened, n <= 10",
                     (*CERTIFY, "soften", str(tree / "examples/programs/dyck_2.rasp"),
                                                   "--max-n", "10", "--critical", "none", "--jobs", "2"), 25, 900),
        BenchmarkRow("sha", "certify audit sha.toml, two processes",
            (*CERTIFY, "audit", str(tree / "examples/claims/sha.toml"), "--jobs", "2", "--json"), 120, 1800),
        BenchmarkRow("subformulas-606", "606 subformulas, n <= 4", (str(HERE / "large_formula.py"), "606", "4"), 10),
        BenchmarkRow("subformulas-5000", "5,000 shared subformulas, n <= 8",
            (str(HERE / "large_formula.py"), "5000", "8"), 60, 900),
        zoo_row("decide", ["tomita_2"], 63, folder, 60, "--offset", "all"),
        zoo_row("decide", ["d_2"], 63, folder, 30, *AT_0),
        *(zoo_row("decide", [name], max_n, folder, must, *AT_0, "--float", runs)
          for name, max_n, must, runs in IN_FLOATS),
        *(zoo_row("learn", [name], max_n, folder, must) for name, max_n, must in LEARNT),
        zoo_row("equal", ["tomita_2", "tomita_2"], 20, folder, 3),
        zoo_row("equal", ["tomita_4", "tomita_4_turned"], 20, folder, 30)]


# -- the report --------------------------------------------------------------------------------------------------------


class BenchmarkReport:
    """The rows of one tree, each beside the physical limit."""

    def __init__(self, tree: Path, limit: float | None, kept: bool):
        """Measure the physical limit; ``limit`` replaces every row's own; results are ``kept`` in the history."""
        self.tree = tree
        self.origin = origin(tree) if kept else None
        self.check = ("-I", "-S", str(tree / "proofs" / "check"))
        self.limit = limit
        self.physical = min(float(measure(tree, (str(HERE / "physical_limit.py"), "64"), 60).output.split()[0])
                            for _ in range(3))

    def header(self) -> None:
        """Print the machine, and the columns."""
        start = measure(self.tree, ("-c", "pass"), 60)
        print(f"physical limit: {self.physical:.3f} s of ball arithmetic for the worst case of since, i <= n <= 64; "
              f"Python's start {start.wall:.3f} s")
        print(f"{'row':24} {'what':44} {'wall s':>9} {'must':>5} {'processor s':>12} {'x limit':>9} {'peak MB':>8}")

    def show(self, row: BenchmarkRow) -> tuple[Measured, Measured | None]:
        """Measure a row, and the check of its certificate if there is one."""
        made = self.line(row.name, row.about, row.arguments, row.must, row.limit)
        if row.certificate is None or not made.finished:
            return made, None
        checked = self.line(f"{row.name} check", "", (*self.check, "--work", "1000", row.certificate), None, row.limit)
        return made, checked

    def line(self, name: str, about: str, arguments: Sequence[str], must: float | None, limit: float) -> Measured:
        """Measure one process, and print the result."""
        found = measure(self.tree, arguments, self.limit or limit)
        print(f"{name:24} {about:44} {found.seconds(found.wall):>9} {must or '':>5} "
              f"{found.seconds(found.processor):>12} {found.processor / self.physical:9.0f} {found.peak:8.0f}",
              flush=True)
        if self.origin:
            keep(self.origin, name, found, self.physical)
        return found


def print_stages(row: BenchmarkRow, made: Measured) -> None:
    """Print the share of each stage of one formula, as the command reports it."""
    if made.finished and row.arguments[:3] == (*CERTIFY, "formula") and "--json" in row.arguments:
        answer = json.loads(made.output)
        shares = ", ".join(f"{name} {seconds / answer['seconds']:.0%}" for name, seconds in answer["stages"].items())
        print(f"{'':24} {shares}; the rest of the process is its start")


def print_growth(report: BenchmarkReport, keys: Sequence[str], sizes: tuple[int, int], folder: str) -> None:
    """Print the exponents e of processor time ~ N^e between two sizes."""
    print(f"growth from N = {sizes[0]} to {sizes[1]}: exponents of processor time")
    for key in keys:
        (made, checked), (made_2, checked_2) = (report.show(formula_row(key, n, folder, limit=600)) for n in sizes)
        exponents = (f"produce {exponent(made, made_2, sizes)}", f"check {exponent(checked, checked_2, sizes)}")
        print(f"{key:24} {', '.join(exponents)}", flush=True)


def exponent(small: Measured | None, large: Measured | None, sizes: tuple[int, int]) -> str:
    """Return the exponent of processor time; a lower bound if the larger one was stopped."""
    if small is None or large is None or not small.finished:
        return "not measured"
    found = math.log(large.processor / small.processor) / math.log(sizes[1] / sizes[0])
    return f"{'' if large.finished else '> '}{found:.2f}"


def write_profile(report: BenchmarkReport, rows: Sequence[BenchmarkRow], place: str) -> None:
    """Write the time of these rows by function, in one process."""
    with Path(place).open("w", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for row in rows:
            data = str(Path(folder) / "profile")
            measure(report.tree, ("-m", "cProfile", "-o", data, *_alone(row.arguments, report)), 20 * row.limit)
            file.write(f"== {row.name}: {row.about}\n")
            for order in ("tottime", "cumtime"):
                pstats.Stats(data, stream=file).sort_stats(order).print_stats(40)


def _alone(arguments: tuple[str, ...], report: BenchmarkReport) -> tuple[str, ...]:
    """Return the arguments for one process, which is profiled."""
    if "--jobs" in arguments:
        place = arguments.index("--jobs") + 1
        return (*arguments[:place], "1", *arguments[place + 1 :])
    several = "-o" in arguments and "--json" not in arguments
    divides = "--jobs" in measure(report.tree, (*CERTIFY, "formula", "--help"), 60).output
    return (*arguments, "--jobs", "1") if several and divides else arguments


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these; growth is one of them")
    parser.add_argument("--quick", action="store_true", help="a few rows, smaller")
    parser.add_argument("--list", action="store_true", help="name the rows")
    parser.add_argument("--tree", type=Path, default=HERE.parent, help="the checkout to measure")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="stop every row there")
    parser.add_argument("--profile", metavar="FILE", help="write where the time goes")
    parser.add_argument("--no-history", action="store_true", help="leave benchmarks/history.jsonl as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = options.tree.resolve()
        rows = quick_rows(folder) if options.quick else all_rows(folder, tree)
        names = [*(row.name for row in rows), "growth"]
        if unknown := [name for name in options.rows if name not in names]:
            parser.error(f"no row {', '.join(unknown)}; there are {', '.join(names)}")
        if options.list:
            print(*names, sep="\n")
            return
        wanted = [row for row in rows if row.name in (options.rows or names)]
        if any(row.about.startswith("zoo:") for row in wanted):
            write_networks(folder)
        report = BenchmarkReport(tree, options.limit, not options.no_history)
        report.header()
        for row in wanted:
            print_stages(row, report.show(row)[0])
        if not options.rows or "growth" in options.rows:
            keys, sizes = (("since", "odd"), (16, 32)) if options.quick else (GROWING, (256, 1024))
            print_growth(report, keys, sizes, folder)
        if options.profile:
            write_profile(report, wanted, options.profile)


if __name__ == "__main__":
    main()
