"""Base of results with a one-line text and a notebook display; the display code is loaded on first use."""

from collections.abc import Callable, Mapping
from typing import Any

Shown = Mapping[type, tuple[Callable[[Any], str], Callable[[Any], str]]]
"""By kind of result: a line, and HTML."""
_SHOWN: list[Callable[[], Shown]] = []
_PAGED: list[Callable[[object], str]] = []


def shown_by(table: Callable[[], Shown], page: Callable[[object], str]) -> None:
    """Register the functions that make the table of results (on first use) and their page."""
    _SHOWN[:], _PAGED[:] = [table], [page]


class HasPage:
    """An answer with a page."""

    def html(self) -> str:
        """Return the page about the answer, as the command's ``--html`` or ``certify export --to html`` writes it.

        Raises:
            Unsupported: if it has no page.
        """
        return _PAGED[0](self)


class Readable:
    """A result that a notebook can show."""

    def __repr__(self) -> str:
        return f"<{_way(self)[0](self)}>"

    def _repr_html_(self) -> str:
        return _way(self)[1](self)


def _way(result: object) -> tuple[Callable[[Any], str], Callable[[Any], str]]:
    table = _SHOWN[0]()
    return next(table[kind] for kind in type(result).__mro__ if kind in table)
