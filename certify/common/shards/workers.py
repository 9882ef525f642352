"""Executors of independent tasks: processes of this machine, or a Dask cluster."""

import os
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from certify.common.shards.answers import Do, answer
from constructions.errors import InputError

MAX_JOBS = 1024


@dataclass(frozen=True)
class Workers:
    """The number of processes (1: this process), or the address of a Dask cluster."""

    jobs: int = 1
    dask: str | None = None


def read_workers(jobs: int | None, dask: str | None = None) -> Workers:
    """Return the workers of ``--jobs`` and ``--dask``; by default a process for each core usable here.

    Raises:
        InputError: if they say both, or a number out of range.

    >>> read_workers(3), read_workers(None, "tcp://127.0.0.1:8786").jobs
    (Workers(jobs=3, dask=None), 1)
    """
    if jobs is None:
        jobs = 1 if dask is not None else min(usable_cores(), MAX_JOBS)
    check_workers(jobs, dask)
    return Workers(jobs, dask)


def check_workers(jobs: int, dask: str | None) -> None:
    """Raise InputError if the number of processes is out of range, or given beside a cluster."""
    if not 1 <= jobs <= MAX_JOBS:
        raise InputError(f"--jobs: {jobs}, expected a number of processes from 1 to {MAX_JOBS}")
    if dask is not None and jobs != 1:
        raise InputError("--jobs and --dask: expected only one of them; a cluster has its own processes")


def usable_cores() -> int:
    """Return the number of cores usable by this process, at most that of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# -- interface ---------------------------------------------------------------------------------------------------------


class WorkerPool(Protocol):
    """Workers that receive tasks by number, and return their answers."""

    @property
    def capacity(self) -> int:
        """The number of tasks to have in progress at a time."""

    def begin(self, number: int, task: str) -> None:
        """Give them a task."""

    def collect(self) -> list[tuple[int, str]]:
        """Wait, and return the answers that are new, if any; there must be a task that was not answered yet.

        Raises:
            WorkLost: if workers died too often.
        """

    def close(self) -> None:
        """Stop at once, whatever is under way."""


class InProcess:
    """This process itself, a task at a time."""

    capacity = 1

    def __init__(self, do: Do):
        self._do = do
        self._tasks: deque[tuple[int, str]] = deque()

    def begin(self, number: int, task: str) -> None:
        """Store the task until ``collect``."""
        self._tasks.append((number, task))

    def collect(self) -> list[tuple[int, str]]:
        """Do the waiting task."""
        number, task = self._tasks.popleft()
        return [(number, answer(self._do, task))]

    def close(self) -> None:
        """Do nothing: there is nothing to stop."""
