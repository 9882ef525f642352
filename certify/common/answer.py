"""The answer about every length: a row for each, and the verdict of all rows."""

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from certify.common.verdicts import WithExitStatus, worst


class RowOfLength(Protocol):
    """The result for one length; kinds of claims add their own fields."""

    @property
    def n(self) -> int:
        """The length."""

    @property
    def verdict(self) -> str:
        """The verdict for all words of that length."""


ARow = TypeVar("ARow", bound=RowOfLength)


class AnswerByLength(WithExitStatus, Generic[ARow]):
    """The results by length, in increasing order, for at least one length."""

    rows: tuple[ARow, ...]

    @property
    def verdict(self) -> str:
        """The worst verdict of all lengths."""
        return worst({row.verdict for row in self.rows})

    @property
    def certified_to(self) -> int | None:
        """The length up to which all are certified, from the shortest on; None if the shortest is not."""
        return certified_to(self.rows)

    def first(self, verdict: str) -> ARow | None:
        """Return the shortest length with this verdict."""
        return next((row for row in self.rows if row.verdict == verdict), None)

    def lengths_that_are(self, verdict: str) -> list[int]:
        """Return the lengths with this verdict."""
        return [row.n for row in self.rows if row.verdict == verdict]

    def telling_rows(self, most: int) -> list[ARow]:
        """Return all rows if there are few; else those where the verdict changes, the ends, and powers of two."""
        if len(self.rows) <= most:
            return list(self.rows)
        places = {0, len(self.rows) - 1}
        for k in range(1, len(self.rows)):
            if self.rows[k].verdict != self.rows[k - 1].verdict:
                places |= {k - 1, k}
        return [row for k, row in enumerate(self.rows) if k in places or row.n & (row.n - 1) == 0]


def certified_to(rows: Iterable[RowOfLength]) -> int | None:
    """Return the length up to which all are certified (or vacuous), from the first on; None if the first is not."""
    last = None
    for row in rows:
        if row.verdict not in ("certified", "vacuous"):
            break
        last = row.n
    return last
