"""What is left out of doctests: files without an example, and those that need torch, where torch is not installed.

A file without an example is not imported for them (``tests/test_house.py`` imports them all, once).

And where Python is told to keep no compiled files, as in many containers, the tests keep them all the same, beside the
files: each of the hundreds of processes that they start would else compile every module again. (In a folder of their
own, the libraries would be compiled once more, too, which pip has done.)
"""

import os
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["tests.noting", "tests.tiers"]

NEED_TORCH = ["constructions/running/torch_network.py",
              *(f"certify/learning/training/{name}.py" for name in ("fitting", "forward", "train"))]
collect_ignore = [] if find_spec("torch") else NEED_TORCH

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Collect the tests and doctests of a file."""
    found = yield
    with_example = file_path.suffix != ".py" or b">>>" in file_path.read_bytes()
    return found if with_example else [one for one in found if type(one) is pytest.Module]
