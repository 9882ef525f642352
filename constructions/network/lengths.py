"""The lengths of words in a claim: all n from a least to a greatest one."""

from collections.abc import Iterator
from dataclasses import dataclass

from constructions.deadline import check_deadline
from constructions.errors import InputError

MAX_N_LIMIT = 1024


@dataclass(frozen=True)
class Lengths:
    """The lengths n with first <= n <= last.

    >>> list(Lengths(2, 4)), str(Lengths(2, 4)), Lengths(2, 4).cells
    ([2, 3, 4], '2..4', 9)

    Raises:
        InputError: unless 1 <= first <= last <= MAX_N_LIMIT.
    """

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.last <= MAX_N_LIMIT:
            raise InputError(f"max-n: {self.last}, expected a number from 1 to {MAX_N_LIMIT}")
        if not 1 <= self.first <= self.last:
            raise InputError(f"min-n: {self.first}, expected a number from 1 to {self.last}")

    def __iter__(self) -> Iterator[int]:
        for n in range(self.first, self.last + 1):
            check_deadline()  # loops by length can take long
            yield n

    def __str__(self) -> str:
        return f"{self.first}..{self.last}"

    def rows(self) -> Iterator[tuple[int, int]]:
        """Return every (n, i) with n one of the lengths and 1 <= i <= n."""
        return ((n, i) for n in self for i in range(1, n + 1))

    @property
    def cells(self) -> int:
        """The number of ``rows``."""
        return (self.last * (self.last + 1) - self.first * (self.first - 1)) // 2

    @property
    def claim(self) -> str:
        """The beginning of a claim: the n that it is about."""
        return f"every n <= {self.last}" if self.first == 1 else f"every n from {self.first} to {self.last}"


def up_to(last: int) -> Lengths:
    """Return all lengths from 1 to ``last``.

    >>> up_to(4)
    Lengths(first=1, last=4)
    """
    return Lengths(1, last)
