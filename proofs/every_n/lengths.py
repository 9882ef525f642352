"""Lengths of a theorem in Coq: every n, or those from one number on, up to another."""

from dataclasses import dataclass

from constructions.errors import InputError

GREATEST = 100_000
"""Coq writes lengths in unary."""


@dataclass(frozen=True)
class ProvedLengths:
    """Lengths from ``least`` to ``greatest``, which is None if there is no greatest."""

    least: int = 1
    greatest: int | None = None

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            InputError: if it is empty, begins below 1 or is too long.
        """
        if not 1 <= self.least <= GREATEST:
            raise InputError(f"min_n: {self.least}, expected 1 to {GREATEST}")
        if self.greatest is not None and not self.least <= self.greatest <= GREATEST:
            raise InputError(f"max_n: {self.greatest}, expected {self.least} to {GREATEST}")

    def __contains__(self, n: int) -> bool:
        """Return whether the theorem is about this length."""
        return self.least <= n and (self.greatest is None or n <= self.greatest)

    @property
    def all(self) -> bool:
        """Whether these are all lengths."""
        return self.least == 1 and self.greatest is None

    def __str__(self) -> str:
        """Write the lengths in words.

        >>> [str(lengths) for lengths in (ProvedLengths(), ProvedLengths(2), ProvedLengths(1, 8))]
        ['every n', 'every n >= 2', 'every n from 1 to 8']
        """
        if self.greatest is not None:
            return f"every n from {self.least} to {self.greatest}"
        return "every n" if self.all else f"every n >= {self.least}"

    @property
    def bounds(self) -> str:
        """The bounds of n in words.

        >>> [lengths.bounds for lengths in (ProvedLengths(), ProvedLengths(2), ProvedLengths(1, 8))]
        ['n >= 1', 'n >= 2', 'n from 1 to 8']
        """
        return "n >= 1" if self.all else str(self).removeprefix("every ")

    def data(self) -> str:
        """Return the lengths as data of ``proofs/coq/network/network.v``.

        >>> ProvedLengths(2).data(), ProvedLengths(1, 8).data()
        ('(Lengths 2%nat None)', '(Lengths 1%nat (Some 8%nat))')
        """
        greatest = "None" if self.greatest is None else f"(Some {self.greatest}%nat)"
        return f"(Lengths {self.least}%nat {greatest})"


EVERY_LENGTH = ProvedLengths()
