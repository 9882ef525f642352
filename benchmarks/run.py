"""What `certify formula` and `check` cost: cold start, share of each stage, growth with N and with the formula.

    python benchmarks/run.py            about two minutes
    python benchmarks/run.py --quick    about twenty seconds

All figures of one run come from one machine in one go: compare them with each other, not with another run's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from certify.outcomes import Outcome
from certify.pipeline import certify
from constructions.language.parser import parse_formula
from constructions.regimes import ALL_REGIMES, Regime
from proofs.check import check_file

ROOT = Path(__file__).resolve().parent.parent
FORMULA = "Q_1 S Q_0"
PARITY = "ODD(#<[Q_1])"
COUNTING = {"PARITY": PARITY, "PARITY without predicates": "#<[#<[prev Q_1] == #>[Q_1]] == 0",
            "MAJORITY": "#<[Q_1] > #<[Q_0]"}


def cold(*command: str, repeats: int = 3) -> float:
    """The median wall time of a whole process."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row(name: str, seconds: float, note: str = "") -> None:
    """One line of the report."""
    print(f"  {name:58} {seconds:8.3f} s  {note}")


def cold_starts(max_n: int) -> None:
    """Whole processes, imports included."""
    print(f"cold processes, max-n {max_n}")
    row("python -c pass", base := cold("-c", "pass"))
    row("certify --help", cold("-m", "certify.cli", "--help"))
    with tempfile.TemporaryDirectory() as folder:
        certificate = str(Path(folder) / "c.cert")
        produce = cold("-m", "certify.cli", "formula", FORMULA, "--alphabet", "01", "--max-n", str(max_n),
                       "-o", certificate)
        row(f"certify formula '{FORMULA}'", produce)
        row("python -I -S proofs/check", check := cold("-I", "-S", "proofs/check", certificate),
            f"{(check - base) / (produce - base):.2f} of producing")
        for name, formula in COUNTING.items():
            command = ("-m", "certify.cli", "formula", formula, "--alphabet", "01", "--max-n", str(max_n))
            row(f"{name}: certify formula", cold(*command, "-o", certificate, repeats=1))
            row(f"{name}: check", cold("-I", "-S", "proofs/check", certificate, repeats=1))


def stages(max_n: int) -> None:
    """Where the time goes, regime by regime."""
    print(f"stages of '{FORMULA}', max-n {max_n}")
    for regime in ALL_REGIMES:
        outcome = certify(FORMULA, "01", max_n, regime)
        shares = ", ".join(f"{name} {seconds / outcome.seconds:.0%}" for name, seconds in outcome.stages.items())
        row(str(regime), outcome.seconds, shares)


def growth_with_n(formula: str, sizes: list[int]) -> None:
    """The exponent e of cost ~ N^e between the two largest sizes."""
    print(f"growth with N, '{formula}'")
    for regime in (Regime(), Regime(causal=True)):
        measured = [(n, timed(formula, n, regime)) for n in sizes]
        (n, (produce, check)), (m, (produce_2, check_2)) = measured[-2:]
        for size, (seconds, checking) in measured:
            row(f"{regime}, N = {size}", seconds, f"check {checking:.3f} s")
        ratio = math.log(m / n)
        print(f"    exponent: produce {math.log(produce_2 / produce) / ratio:.2f}, "
              f"check {math.log(check_2 / check) / ratio:.2f}")


def timed(formula: str, n: int, regime: Regime) -> tuple[float, float]:
    """Seconds to produce and to check one certificate."""
    outcome = certify(formula, "01", n, regime)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.cert"
        path.write_text(certificate_of(outcome))
        start = time.perf_counter()
        check_file(str(path))
        return outcome.seconds - outcome.stages["seal and check"], time.perf_counter() - start


def certificate_of(outcome: Outcome) -> str:
    """The certificate of a certified outcome."""
    certificate: str = outcome.certificate  # type: ignore[attr-defined]
    return certificate


def growth_with_formula(max_n: int) -> None:
    """More operators, the same distinct obligations."""
    print(f"growth with the formula, max-n {max_n}: nested since, all heads the same obligation")
    first = None
    for depth in (1, 4, 16):
        text = " since ".join(["Q_1", "Q_0"] * ((depth + 1) // 2) + ["Q_1"] * (1 + (depth + 1) % 2))
        outcome = certify(parse_formula(text), "01", max_n)
        first = first or outcome.seconds
        ratio = f"{outcome.seconds / first:.1f} times"
        row(f"{depth} operators, {len(outcome.lines)} obligations", outcome.seconds, ratio)


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    max_n = 32 if quick else 64
    cold_starts(max_n)
    stages(max_n)
    for formula in (FORMULA, PARITY):
        growth_with_n(formula, [8, 16, 32] if quick else [16, 32, 64, 128])
    growth_with_formula(max_n)


if __name__ == "__main__":
    main()
