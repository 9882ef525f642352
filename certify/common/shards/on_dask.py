"""The workers of a Dask cluster that is there already; the only file that imports Dask.

The scheduler gives the tasks of a lost worker to another one. A worker that has another version of our code is refused,
since it could compute something else. Dask's protocol runs code on both sides, so the cluster has to be one's own.
"""

import asyncio
import contextlib
import logging
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from certify.common.shards.answers import Do, describe
from certify.common.shards.code_version import code_version
from constructions.errors import InputError, WorkLost, install

SECONDS_TO_CONNECT = 5
SECONDS_WITHOUT_WORKERS = 300
"""So long a cluster may be without a worker: one that grows with its work takes minutes to start the first."""
_LOOK_EVERY = 2
_AHEAD = 2
"""Tasks for each worker, so that the next one is there when one is finished; no more, since tasks may be long texts."""


class Cluster:
    """Workers behind the scheduler at an address."""

    def __init__(self, address: str, do: Do, shared: Sequence[str] = ()):
        """Connect, and give the shared texts to every worker, those that come later, too.

        Raises:
            InputError: if Dask is not installed, or no scheduler answers at this address.
        """
        try:
            import distributed
        except ImportError as error:
            raise InputError(f"--dask: {describe(error)}; expected Dask, which is an extra: "
                             f"{install('dask')}") from None
        self._dask: Any = distributed
        self._address, self._do, self._version = address, do, code_version(do.__module__)
        self._run = uuid.uuid4().hex
        self._numbers: dict[Any, int] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        _silence_logs()
        try:
            asyncio.run(self._greet())
            with warnings.catch_warnings(action="ignore"):
                self._client: Any = self._dask.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
                self._shared = f"certify-shared-{self._run}" if shared else ""
                if shared:
                    self._client.register_plugin(_pack(self._dask.WorkerPlugin, shared), name=self._shared)
        except (OSError, ValueError, TypeError) as error:
            why = "no scheduler answers" if isinstance(error, OSError) else describe(error)
            raise InputError(f"--dask {address}: {why}; expected the address of a Dask scheduler, such as "
                             "tcp://127.0.0.1:8786") from None
        self._workers, self._seen = 0, time.monotonic()
        self._looked = 0.0
        self._look()

    async def _greet(self) -> None:
        """Raise OSError or ValueError if there is no scheduler; a client without one cannot be disposed of."""
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
        future = self._client.submit(_open_door(), self._do.__module__, self._do.__qualname__, task, self._version,
                                     self._shared, pure=False, key=f"certify-shard-{number + 1}-{self._run}")
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
        """Cancel what is not begun yet; a worker finishes its current task."""
        with contextlib.suppress(Exception):  # the connection may be lost, which is then the reason why we are here
            self._client.cancel(list(self._numbers), force=True)
        with contextlib.suppress(Exception):
            if self._shared:
                self._client.unregister_worker_plugin(self._shared)
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)

    def _next(self, future: Any) -> tuple[int, str]:
        number = self._numbers.pop(future)
        return number, self._read(future, number)

    def _read(self, future: Any, number: int) -> str:
        try:
            return str(future.result())
        except self._dask.KilledWorker as error:
            raise WorkLost(f"--dask {self._address}: shard {number + 1}: {error.allowed_failures + 1} workers died at "
                           "it; expected enough memory for every worker") from None
        except (self._dask.CancelledError, OSError):
            raise WorkLost(self._lost("the connection to its scheduler is lost")) from None
        except Exception as error:
            raise InputError(f"--dask {self._address}: a worker cannot begin a task: {describe(error)}; expected "
                             "workers where this version of certify is installed") from None

    def _look(self) -> None:
        """Count the workers, at intervals."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        try:
            self._workers = len(self._client.nthreads())
        except (self._dask.CancelledError, OSError, RuntimeError):
            raise WorkLost(self._lost("the connection to its scheduler is lost")) from None
        if self._workers:
            self._seen = now
        elif now - self._seen > SECONDS_WITHOUT_WORKERS:
            raise WorkLost(self._lost(f"it has had no worker for {SECONDS_WITHOUT_WORKERS} s"))

    def _lost(self, why: str) -> str:
        return f"--dask {self._address}: {why}; finished shards are kept where a folder for them was named"


def _silence_logs() -> None:
    """Silence the logs of Dask, which reports every lost connection at length; what matters is raised here."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _pack(plugin: Any, shared: Sequence[str]) -> Any:
    """Return the texts as a plugin of a worker; it is local so that it travels as code (below)."""
    class Shared(plugin):  # type: ignore[misc]  # Dask has no types
        """The texts that tasks speak of."""

        texts = shared

    return Shared()


def _open_door() -> Callable[[str, str, str, str, str], str]:
    """Build the function that is sent to workers; it mentions names only.

    It is local so that it travels as code. A worker without this file could not decode a function sent by name, and
    would drop its connection.
    """
    def knock(module: str, name: str, task: str, version: str, shared: str) -> str:
        from distributed import get_worker

        from certify.common.shards.answers import do_by_name

        plugins: Any = get_worker().plugins
        return do_by_name(module, name, task, version, plugins[shared].texts if shared else ())

    return knock
