"""The largest error of several sweeps, one after the other, without windows."""

from collections.abc import Iterable

from proofs.formula.attention.worst_case import SweepExtreme, WeighedSweep, larger_extreme


def find_extreme(sweeps: Iterable[WeighedSweep], truth: bool) -> SweepExtreme | None:
    """Return the largest error over all rows of all sweeps; None if no input has this truth."""
    best: SweepExtreme | None = None
    for weighed in sorted(sweeps, key=lambda weighed: -weighed.sweep.n):
        best = larger_extreme(best, weighed, truth)
    return best
