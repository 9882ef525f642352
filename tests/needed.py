"""What some tests need and not every machine has: without it they are skipped, or fail where the variable is set."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import pytest

Found = TypeVar("Found")


def found_or_skipped(find: Callable[[], Found], missing: type[Exception], variable: str) -> Found:
    """What is found on this machine; the message of the exception says what is not there."""
    try:
        return find()
    except missing as reason:
        if os.environ.get(variable):
            pytest.fail(f"{reason}, and {variable} is set")
        pytest.skip(str(reason))
