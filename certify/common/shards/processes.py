"""Worker processes on this machine.

Each has a pipe of its own and one task at a time, so that the task of a dead process is known and restarted.
"""

import contextlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.resource_tracker
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import ModuleType

from certify.common.shards.answers import Do, answer, held
from constructions.errors import WorkLost

MAX_ATTEMPTS = 3
"""The number of worker deaths after which a task, their likely cause, is given up."""
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that numpy's libraries read when loaded."""
SECONDS_BETWEEN_REPORTS = 1.0
"""Seconds between progress updates while no task finishes."""


@dataclass
class _Worker:
    process: SpawnProcess
    connection: Connection
    number: int | None = None
    task: str = ""


class Processes:
    """A pool of ``jobs`` processes, started on demand."""

    def __init__(self, jobs: int, do: Do, shared: Sequence[str] = ()):
        self.capacity = jobs
        self._do, self._shared = do, shared
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        with _environment():
            multiprocessing.resource_tracker.ensure_running()  # it would allow interrupts again when it starts (below)

    def begin(self, number: int, task: str) -> None:
        """Give the task to a process that has none."""
        while True:
            worker = next((worker for worker in self._workers if worker.number is None), None) or self._start()
            worker.number, worker.task = number, task
            try:
                worker.connection.send_bytes(task.encode("utf-8"))
                return
            except OSError:
                self._bury(worker)

    def collect(self) -> list[tuple[int, str]]:
        """Wait a while for a process to answer or to die; restart the task of a dead one."""
        answers = []
        busy: dict[object, tuple[int, _Worker]] = {
            worker.connection: (worker.number, worker) for worker in self._workers if worker.number is not None}
        waiting = [worker.connection for _, worker in busy.values()]
        for ready in multiprocessing.connection.wait(waiting, SECONDS_BETWEEN_REPORTS):
            number, worker = busy[ready]
            try:
                answers.append((number, worker.connection.recv_bytes().decode("utf-8")))
                worker.number = None
            except (EOFError, OSError):
                self._bury(worker)
                self.begin(number, worker.task)
        return answers

    def close(self) -> None:
        """Kill all processes, and wait until they are gone."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers.clear()

    def _start(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(theirs, self._do, self._shared), daemon=True)
        with _no_interrupts(), _without_main_module(self._do), _environment():
            process.start()
            worker = _Worker(process, ours)
            self._workers.append(worker)
        theirs.close()
        return worker

    def _bury(self, worker: _Worker) -> None:
        """Count a death of a process with this task.

        Raises:
            WorkLost: if there were too many.
        """
        worker.process.kill()  # it may have closed its pipe only
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)
        assert worker.number is not None
        self._deaths[worker.number] += 1
        if self._deaths[worker.number] >= MAX_ATTEMPTS:
            raise WorkLost(f"shard {worker.number + 1}: {MAX_ATTEMPTS} worker processes died at it, the last one "
                           f"{_how(worker.process.exitcode)}; expected enough memory for every process")


def _work(connection: Connection, do: Do, shared: Sequence[str]) -> None:
    """Answer tasks until the other end of the pipe is closed; the main function of a worker process."""
    with contextlib.suppress(EOFError, OSError), held(shared):
        while True:
            task = connection.recv_bytes().decode("utf-8")
            connection.send_bytes(answer(do, task).encode("utf-8"))


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Defer interrupts, and keep them from processes started meanwhile: Ctrl-C reaches all, but we end them."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@contextlib.contextmanager
def _without_main_module(do: Do) -> Iterator[None]:
    """Keep processes started meanwhile from running the program's file again, unless it defines the task function."""
    main = sys.modules["__main__"]
    if do.__module__ != main.__name__:
        sys.modules["__main__"] = ModuleType("__main__")  # one without a file
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Keep processes started meanwhile from importing from the current folder, and give each one thread."""
    given = {"PYTHONSAFEPATH": "1"} | {name: "1" for name in THREADS if name not in os.environ}
    before = {name: os.environ.get(name) for name in given}
    os.environ |= given
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _how(exit_code: int | None) -> str:
    """Describe how a process ended.

    >>> _how(-9), _how(1)
    ('by signal 9', 'with status 1')
    """
    return f"by signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"with status {exit_code}"
