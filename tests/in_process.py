"""The command line inside this process, where it does not matter whether a process of its own runs it."""

import contextlib
import io
import os
import sys
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import pytest

from certify.cli import main


def run_certify(*arguments: str, folder: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """Return the results of ``certify`` with these arguments in a folder, with only these variables, on one core."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with (patch.dict(os.environ, environment, clear=True), patch.object(sys, "argv", ["certify", *arguments]),
          patch("certify.common.shards.workers.usable_cores", lambda: 1), contextlib.chdir(folder),
          contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop):
        main()
    for stream in (out, err):
        stream.seek(0)
    assert isinstance(stop.value.code, int)
    return CompletedProcess(arguments, stop.value.code, out.read(), err.read())
