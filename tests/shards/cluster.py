"""A Dask cluster on this machine, of processes that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is an extra")


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack):
        self.folder, self.stack = folder, stack
        self.place = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file",
                                     str(self.place))
        while not self.place.is_file():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.place.read_text())["address"]

    def add_worker(self, code: Path = ROOT) -> subprocess.Popen[bytes]:
        return self._start("dask_worker", self.address, "--nthreads", "2", "--no-nanny", "--local-directory",
                           str(self.folder), code=code)

    def wait_for_workers(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)

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
