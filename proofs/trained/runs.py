"""Runs of consecutive numbers."""

from collections.abc import Iterable


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of consecutive numbers, ascending.

    >>> runs([1, 2, 3, 10, 9, 7])
    [(1, 3), (7, 7), (9, 10)]
    >>> runs([])
    []
    """
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found
