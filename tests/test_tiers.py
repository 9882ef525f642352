"""Which rows of a grid run always."""

from types import SimpleNamespace
from typing import Any

from tests.tiers import rows_left_out

ROWS: Any = [SimpleNamespace(nodeid=f"test_a[{a}-{b}]", callspec=SimpleNamespace(indices={"a": a, "b": b}))
             for a in range(3) for b in range(16)]


def kept(rows: Any, one_in: int) -> list[str]:
    left_out = list(rows_left_out(rows, one_in))
    return [row.nodeid for row in rows if row not in left_out]


def test_one_in_so_many_rows_is_kept_whatever_their_order() -> None:
    assert len(kept(ROWS, 4)) == 12 and len(kept(ROWS, 5)) == 10
    assert sorted(kept(ROWS[::-1], 4)) == sorted(kept(ROWS, 4))
    assert kept(ROWS, 1) == [row.nodeid for row in ROWS]


def test_each_value_of_a_parameter_with_few_values_is_met() -> None:
    """Three rows of 48: one for each of the three values of a; of the sixteen of b not each can be met."""
    assert sorted(row.partition("-")[0] for row in kept(ROWS, 16)) == ["test_a[0", "test_a[1", "test_a[2"]


def test_a_row_that_is_asked_for_alone_runs() -> None:
    assert kept(ROWS[5:6], 4) == [ROWS[5].nodeid]
