"""Who does independent parts: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Workers:
    """So many processes (1: this one itself), or the Dask cluster at an address."""

    jobs: int = 1
    dask: str | None = None


def read_workers(jobs: int | None, dask: str | None = None) -> Workers:
    """What ``--jobs`` and ``--dask`` say: if neither is given, a process for each core that this one may use.

    >>> read_workers(3), read_workers(None, "tcp://127.0.0.1:8786").jobs
    (Workers(jobs=3, dask=None), 1)
    """
    if jobs is None:
        jobs = 1 if dask is not None else usable_cores()
    return Workers(jobs, dask)


def usable_cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
