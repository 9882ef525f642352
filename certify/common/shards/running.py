"""Running of tasks: results are read from disk if present, else computed by the workers."""

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from certify.common.shards.answers import Do, held, read_answer
from certify.common.shards.progress import ShardsState
from certify.common.shards.store import Store
from certify.common.shards.workers import InProcess, WorkerPool, check_workers


def run_tasks(tasks: Sequence[str], do: Do, *, jobs: int = 1, dask: str | None = None, store: Path | None = None,
              progress: Callable[[ShardsState], None] = lambda _: None, sizes: Sequence[int] | None = None,
              finished: Callable[[str, str], None] = lambda _task, _result: None,
              shared: Sequence[str] = (), apart: bool = False, related: bool = False,
              is_last: Callable[[str], bool] = lambda _: False) -> list[str]:
    """Return the results ``[do(task) for task in tasks]``, byte for byte.

    Tasks and results are texts, canonical JSON by custom; ``do`` is pure and defined at the top level of a module. The
    tasks are done in this process, by ``jobs`` processes, or by the Dask cluster at an address. Equal tasks are done
    once. With ``store``, a folder, results are kept there as they come, and those that it has are not computed again:
    for work whose results are checked afterwards. Premises of a verdict are computed without it.

    ``sizes`` are the work of each task; a free worker takes the largest that is left or, if neighbours are ``related``
    and so share memoised results, the one after its last task. ``progress`` is called with the
    state of the work, ``finished`` with each task and its result as soon as it is known. The ``shared`` texts are
    given to each worker once: a task has their digests (``digest_of``), and ``do`` the texts (``content``). If
    ``apart``, this process does none of them, so that it can end them. The first result, in the order of tasks, that
    ``is_last`` ends the list: later tasks need not be done.

    Raises:
        InputError, Unsupported, InternalError: if a task does; of several the first one in the order of tasks. What is
            neither of the three becomes an InternalError.
        InputError: if the store cannot be written, or the cluster does not exist.
        WorkLost: if workers died repeatedly.
        KeyboardInterrupt: at once; results that were finished are in the store.
    """
    check_workers(jobs, dask)
    run = _TaskRun(tasks, Store(store, do) if store else None, progress, sizes, finished, is_last, related)
    run.look_on_disk()
    if run.waiting:
        with held(shared), contextlib.closing(_hire(do, min(jobs, len(run.waiting)), dask, shared, apart)) as crew:
            run.work(crew)
    end = next((place for place, task in enumerate(tasks, 1) if is_last(run.results[task])), None)
    return [run.results[task] for task in tasks[:end]]


def _hire(do: Do, jobs: int, dask: str | None, shared: Sequence[str], apart: bool) -> WorkerPool:
    if dask is not None:
        from certify.common.shards.on_dask import Cluster

        return Cluster(dask, do, shared)
    if jobs > 1 or apart:
        from certify.common.shards.processes import Processes

        return Processes(jobs, do, shared)
    return InProcess(do)


class _TaskRun:
    """The state of one run; a task's number is its place among the distinct tasks."""

    def __init__(self, tasks: Sequence[str], store: Store | None, progress: Callable[[ShardsState], None],
                 sizes: Sequence[int] | None, finished: Callable[[str, str], None], is_last: Callable[[str], bool],
                 related: bool):
        self.sizes = dict(zip(tasks, sizes or [1] * len(tasks), strict=True))
        self.tasks = list(self.sizes)
        self.store, self.progress, self.finished, self.is_last = store, progress, finished, is_last
        self.results: dict[str, str] = {}
        self.size_total, self.size_done, self.size_kept = sum(self.sizes.values()), 0, 0
        self.kept, self.workers = 0, 1
        self.waiting = deque(range(len(self.tasks)))
        self.under_way: set[int] = set()
        self.related, self.answered = related, -1
        self.failure: tuple[int, Exception] | None = None
        self.end = len(self.tasks)
        """The number from which on tasks are not needed."""

    def look_on_disk(self) -> None:
        """Read the results that are on disk."""
        self.waiting = deque(number for number in self.waiting
                             if number < self.end and not self._is_on_disk(number))
        self._report()

    def work(self, crew: WorkerPool) -> None:
        """Run every waiting task; after a failure only those before it, which could fail as well.

        Several workers begin with the largest tasks, so that none of them has a large one left when the others are
        done.
        """
        self.workers = crew.capacity
        if crew.capacity > 1 and not self.related:
            self.waiting = deque(sorted(self.waiting, key=lambda number: -self.sizes[self.tasks[number]]))
        while self.waiting or self._undecided():
            self._give(crew)
            if self.under_way:
                for number, text in crew.collect():
                    self._take(number, text)
            self._report()
        if self.failure:
            raise self.failure[1]

    def _give(self, crew: WorkerPool) -> None:
        while self.waiting and len(self.under_way) < crew.capacity:
            number = self._after(self.answered) if self.related else self.waiting[0]
            self.waiting.remove(number)
            if not self._is_on_disk(number):  # another run may have finished it meanwhile
                self.under_way.add(number)
                crew.begin(number, self.tasks[number])

    def _after(self, answered: int) -> int:
        """Return the next task if it waits; else the first, or the middle one of the longest stretch that waits."""
        if answered + 1 in self.waiting:
            return answered + 1
        waiting = sorted(self.waiting)
        if not self.under_way:
            return waiting[0]
        stretches = itertools.groupby(enumerate(waiting), lambda pair: pair[1] - pair[0])
        longest = max(([number for _, number in stretch] for _, stretch in stretches), key=len)
        return longest[len(longest) // 2]

    def _take(self, number: int, text: str) -> None:
        self.answered = number
        self.under_way.discard(number)
        found = read_answer(text)
        if isinstance(found, Exception):
            if number < self.end:
                self.failure = number, found
                self._end_at(number)
            return
        if self.store:
            self.store.keep(self.tasks[number], found)
        self._finish(number, found)

    def _end_at(self, number: int) -> None:
        self.end = number
        self.waiting = deque(earlier for earlier in self.waiting if earlier < number)

    def _undecided(self) -> list[int]:
        """Return the tasks under way whose outcome matters."""
        return [number for number in self.under_way if number < self.end]

    def _is_on_disk(self, number: int) -> bool:
        task = self.tasks[number]
        if self.store is None or (result := self.store.find(task)) is None:
            return False
        self.kept += 1
        self.size_kept += self.sizes[task]
        self._finish(number, result)
        return True

    def _finish(self, number: int, result: str) -> None:
        task = self.tasks[number]
        self.results[task] = result
        if number < self.end and self.is_last(result):
            self.failure = None
            self._end_at(number)
        self.size_done += self.sizes[task]
        self.finished(task, result)

    def _report(self) -> None:
        damaged = len(self.store.damaged) if self.store else 0
        self.progress(ShardsState(len(self.results), len(self.tasks), self.kept, damaged,
                               self.size_done, self.size_total, self.size_kept, self.workers))
