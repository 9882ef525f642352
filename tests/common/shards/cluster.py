"""A Dask cluster on this machine, of processes that can be killed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.processes import ROOT, wait_until

needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is an extra")


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack):
        self.folder, self.stack = folder, stack
        self.workers: list[subprocess.Popen[bytes]] = []
        self.place = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file",
                                     str(self.place))
        wait_until(self.place.is_file, [self.scheduler])
        self.address = json.loads(self.place.read_text())["address"]

    def add_worker(self, code: Path = ROOT) -> subprocess.Popen[bytes]:
        self.workers.append(self._start("dask_worker", self.address, "--nthreads", "2", "--no-nanny",
                                        "--local-directory", str(self.folder), code=code))
        return self.workers[-1]

    def wait_for_all_workers(self) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            wait_until(lambda: len(client.nthreads()) == len(self.workers), [self.scheduler, *self.workers])

    def _start(self, program: str, *arguments: str, code: Path = ROOT) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *arguments], cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(code)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(folder, stack)
