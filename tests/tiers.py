"""The tier of a minute: the test files that ``tests/minute.txt`` lists, some of every room. All others are slow.

``-m "not slow"`` leaves them out before they are read, and whatever is exhaustive with them.

``one_in(4)`` always runs a quarter of the rows of a grid of similar (say, random) ones, so that each value of a
parameter with few values occurs, and the others with the exhaustive tests.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
MINUTE = frozenset((ROOT / "tests" / "minute.txt").read_text(encoding="utf-8").split())


def few_and_all(few: Any, many: Any) -> list[Any]:
    """The values of a parameter that says how much is tried: ``few`` always, ``many`` with what is exhaustive."""
    return [few, pytest.param(many, marks=pytest.mark.exhaustive)]


def ends_and_all(values: Sequence[Any]) -> list[Any]:
    """Return the first and the last of these values always, and those between them with what is exhaustive."""
    return [value if value in (values[0], values[-1]) else pytest.param(value, marks=pytest.mark.exhaustive)
            for value in values]


def drawn(few: int) -> settings:
    """Return settings with ``few`` random examples, and four times as many with ``--hypothesis-seed``."""
    return settings(max_examples=few if settings().derandomize else 4 * few)


def is_of_the_minute(path: Path) -> bool:
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).as_posix() in MINUTE


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    leaves_out = "not slow" in config.getoption("markexpr") and collection_path.suffix == ".py"
    return True if leaves_out and not is_of_the_minute(collection_path) else None


def is_exhaustive(item: pytest.Item) -> bool:
    return item.get_closest_marker("exhaustive") is not None


def rows_left_out(rows: Sequence[pytest.Function], one_in: int) -> Iterator[pytest.Function]:
    """Yield random rows of a test to skip, except one in ``one_in``, and one for each value of a parameter.

    A parameter counts if it has no more values than rows are kept.
    """
    kept = -(-len(rows) // one_in)
    values = defaultdict[str, set[int]](set)
    for row in rows:
        for name, value in row.callspec.indices.items():
            values[name].add(value)
    few = {name for name, found in values.items() if len(found) <= kept}
    drawn = sorted(rows, key=lambda row: crc32(row.nodeid.encode()))
    chosen, met = list[pytest.Function](), set[tuple[str, int]]()
    for row in drawn:
        new = {pair for pair in row.callspec.indices.items() if pair[0] in few} - met
        if new:
            chosen.append(row)
            met |= new
    for row in drawn:
        if row not in chosen:
            if len(chosen) >= kept:
                yield row
            else:
                chosen.append(row)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    grids = defaultdict[tuple[Path, str, int], list[pytest.Function]](list)
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark and isinstance(item, pytest.Function) and not is_exhaustive(item):
            grids[item.path, item.originalname, mark.args[0]].append(item)
    for (_, _, one_in), rows in grids.items():
        for row in rows_left_out(rows, one_in):
            row.add_marker("exhaustive")
    for item in items:
        if is_exhaustive(item) or not is_of_the_minute(item.path):
            item.add_marker("slow")
