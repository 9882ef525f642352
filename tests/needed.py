"""Tools that tests need and not every machine has: without them tests are skipped, or fail if a variable is set."""

import os
from collections.abc import Callable
from typing import TypeVar

import pytest

Found = TypeVar("Found")


def found_or_skipped(find: Callable[[], Found], missing: type[Exception], variable: str) -> Found:
    """Return the tool on this machine, or skip; the message of the exception names what is absent."""
    try:
        return find()
    except missing as reason:
        if os.environ.get(variable):
            pytest.fail(f"{reason}, and {variable} is set")
        pytest.skip(str(reason))
