"""Processes that tests start, and waits that end when something has happened, however long it takes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
_LOOK_EVERY = 0.02
"""Seconds; how often we look decides nothing."""


def start_python(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Python on our code, with pipes; an interrupt reaches it even if the one who runs the tests ignores interrupts."""
    return subprocess.Popen(
        [sys.executable, *arguments], text=True, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  there are no threads
        **options)


def wait_until(happened: Callable[[], object], needed: Iterable[subprocess.Popen[Any]] = ()) -> None:
    """Wait for an event; a needed process that ends before it happens is an error, so that no wait is in vain."""
    processes = list(needed)
    while not happened():
        ended = [process.args for process in processes if process.poll() is not None]
        assert not ended or happened(), f"ended too early: {ended}"
        time.sleep(_LOOK_EVERY)
