"""The tier of a minute: the test files that ``tests/minute.txt`` lists, some of every room. All others are slow.

``-m "not slow"`` leaves them out before they are read, and whatever is exhaustive with them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MINUTE = frozenset((ROOT / "tests" / "minute.txt").read_text(encoding="utf-8").split())


def is_of_the_minute(path: Path) -> bool:
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).as_posix() in MINUTE


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    leaves_out = "not slow" in config.getoption("markexpr") and collection_path.suffix == ".py"
    return True if leaves_out and not is_of_the_minute(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("exhaustive") or not is_of_the_minute(item.path):
            item.add_marker("slow")
