"""The workers of a Dask cluster that is there already; the only file that imports Dask.

The scheduler gives the tasks of a lost worker to another one. A worker that has another version of our code is refused,
since it could compute something else. Dask's protocol runs code on both sides, so the cluster has to be one's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
import warnings
from typing import Any

from certify.shards.answers import Do, WorkLost, answer, describe, refuse
from certify.shards.code_version import code_version
from constructions.errors import InputError

SECONDS_TO_CONNECT = 5
SECONDS_WITHOUT_WORKERS = 300
"""So long a cluster may be without a worker: one that grows with its work takes minutes to start the first."""
_LOOK_EVERY = 2
_AHEAD = 2
"""Tasks for each worker, so that the next one is there when one is finished; no more, since tasks are long texts."""
_one_at_a_time = threading.Lock()


class Cluster:
    """Workers behind the scheduler at an address."""

    def __init__(self, address: str, do: Do):
        """Connect.

        Raises:
            InputError: if Dask is not installed, or no scheduler answers at this address.
        """
        try:
            import distributed
        except ImportError as error:
            raise InputError(f"--dask: {describe(error)}; expected Dask, which is an extra: pip install "
                             "'certify[dask]'") from None
        self._dask: Any = distributed
        self._address, self._do, self._version = address, do, code_version(do.__module__)
        self._numbers: dict[Any, int] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs every lost connection, at length
        try:
            asyncio.run(self._greet())
            with warnings.catch_warnings(action="ignore"):
                self._client: Any = self._dask.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            why = f"no answer in {SECONDS_TO_CONNECT} s" if isinstance(error, TimeoutError) else describe(error)
            raise InputError(f"--dask {address}: {why}; expected the address of a Dask scheduler, such as "
                             "tcp://127.0.0.1:8786") from None
        self._workers, self._seen = 0, time.monotonic()
        self._looked = 0.0
        self._look()

    async def _greet(self) -> None:
        """Raise OSError or ValueError if there is no scheduler; a client that finds none could not be disposed of."""
        security = self._dask.Security().get_connection_args("client")
        async with self._dask.rpc(self._address, timeout=SECONDS_TO_CONNECT, connection_args=security) as scheduler:
            who = await asyncio.wait_for(scheduler.identity(), SECONDS_TO_CONNECT)
        if who.get("type") != "Scheduler":
            raise ValueError(f"found a {str(who.get('type')).lower()}")

    @property
    def capacity(self) -> int:
        """Enough that no worker is idle."""
        return _AHEAD * max(1, self._workers)

    def begin(self, number: int, task: str) -> None:
        """Give the task to the cluster."""
        future = self._client.submit(_do_on_worker, self._do, task, self._version, pure=False,
                                     key=f"certify-shard-{number + 1}-{time.monotonic_ns()}")
        self._numbers[future] = number
        future.add_done_callback(self._done.put)

    def collect(self) -> list[tuple[int, str]]:
        """Wait a while for answers."""
        answers = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._next(self._done.get(timeout=_LOOK_EVERY)))
            while True:
                answers.append(self._next(self._done.get_nowait()))
        self._look()
        return answers

    def close(self) -> None:
        """Withdraw what is not begun yet; a worker finishes the task it is at."""
        with contextlib.suppress(Exception):  # the connection may be lost, which is then the reason why we are here
            self._client.cancel(list(self._numbers), force=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)

    def _next(self, future: Any) -> tuple[int, str]:
        return self._numbers.pop(future), self._read(future)

    def _read(self, future: Any) -> str:
        try:
            return str(future.result(timeout=60))
        except self._dask.KilledWorker as error:
            raise WorkLost(f"--dask {self._address}: {str(error).splitlines()[0]}") from None
        except (self._dask.CancelledError, OSError, TimeoutError):
            raise WorkLost(self._lost("the connection to its scheduler is lost")) from None
        except Exception as error:
            raise InputError(f"--dask {self._address}: a worker cannot begin a task: {describe(error)}; expected "
                             "workers where this version of certify is installed") from None

    def _look(self) -> None:
        """How many workers are there, every now and then."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        try:
            self._workers = len(self._client.nthreads())
        except (self._dask.CancelledError, OSError, TimeoutError, RuntimeError):
            raise WorkLost(self._lost("the connection to its scheduler is lost")) from None
        if self._workers:
            self._seen = now
        elif now - self._seen > SECONDS_WITHOUT_WORKERS:
            raise WorkLost(self._lost(f"it has had no worker for {SECONDS_WITHOUT_WORKERS} s"))

    def _lost(self, why: str) -> str:
        return f"--dask {self._address}: {why}; finished shards are kept where a folder for them was named"


def _do_on_worker(do: Do, task: str, version: str) -> str:
    """What a worker runs: one task at a time, since nothing of ours is made for several threads."""
    if code_version(do.__module__) != version:
        return refuse("InputError", "--dask: a worker has another version of certify or of a library it uses, expected "
                                    "the same on all machines")
    with _one_at_a_time:
        return answer(do, task)
