"""Compare the checker proved in Coq with the Python checker, in processor seconds.

    python benchmarks/verified.py DIR              every certificate (*.cert) of a folder: in all, and the slowest
    python benchmarks/verified.py --lengths        since, prev, ODD and a comparison at n <= 64 and 1024, made first

`certify formula --max-n 64 -o DIR` makes the certificates of all examples. Both builds of the proved checker are
compiled first, which needs coqc, ocamlopt and Zarith; `--only zarith` builds the faster one only. Nothing is asserted.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.exports.extracted_checkers import write_extracted_checker
from constructions.regimes import Regime
from proofs.every_n.extracted import VERIFIED, VERIFIED_WITH_ZARITH

HERE = Path(__file__).resolve().parent
FORMULAS = {"since": "Q_1 since Q_0", "prev": "prev Q_1", "odd": "ODD(#<[Q_1])", "comparison": "#<[Q_1] > #<[Q_0]"}
LENGTHS = (64, 1024)
BUILDS = {"coq": VERIFIED, "zarith": VERIFIED_WITH_ZARITH}


def seconds_and_status(command: Sequence[str]) -> tuple[float, int]:
    """Return the processor seconds of a command and its children, and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def compare(paths: Sequence[Path], checkers: dict[str, list[str]], shown: int) -> None:
    """Print a row for each of the slowest certificates, and one for all."""
    rows = [(path.stem, [seconds_and_status([*command, str(path)]) for command in checkers.values()]) for path in paths]
    print("certificate".ljust(28), *(f"{name:>14}" for name in checkers))
    for name, found in sorted(rows, key=lambda row: -max(time for time, _ in row[1]))[:shown]:
        print(name.ljust(28), *(f"{time:>11.2f}{'' if status == 0 else f' ={status}':>3}" for time, status in found))
    sums = [sum(found[k][0] for _, found in rows) for k in range(len(checkers))]
    print(f"all {len(rows)}".ljust(28), *(f"{time:>11.2f}   " for time in sums))


def made(folder: Path) -> list[Path]:
    """Write certificates of the formulas at both lengths."""
    paths = []
    for n in LENGTHS:
        for name, text in FORMULAS.items():
            outcome = certify(text, "01", n, Regime())
            assert isinstance(outcome, Certified)
            paths.append(folder / f"{name}-{n}.cert")
            paths[-1].write_text(outcome.certificate, encoding="ascii")
    return paths


def main() -> None:
    """Build the checkers, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--lengths", action="store_true")
    parser.add_argument("--only", choices=BUILDS)
    parser.add_argument("--shown", type=int, default=10, help="rows of the slowest certificates")
    asked = parser.parse_args()
    if (asked.folder is None) is not asked.lengths:
        parser.error("expected a folder of certificates, or --lengths")
    with tempfile.TemporaryDirectory() as scratch:
        checkers = {"python": [sys.executable, "-I", "-S", str(HERE.parent / "proofs" / "check"), "--work", "8"]}
        for name, program in BUILDS.items():
            if asked.only in (None, name):
                place = write_extracted_checker(str(Path(scratch) / name), program)
                checkers[name] = [str(place), "--work", "8"]
        compare(made(Path(scratch)) if asked.lengths else sorted(asked.folder.glob("*.cert")), checkers, asked.shown)


if __name__ == "__main__":
    main()
