"""Tables of the shipped examples: `certify formula` and `certify model` without a subject."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rich.console import Console

from certify.common.files import make_folder, write_text
from certify.common.progress import ProgressLine
from certify.common.terminal_tables import Cell, TableColumn, plain, print_table
from certify.common.verdicts import colour, exit_status, worst

CERTIFICATE = ".cert"
"""The suffix of certificates."""


class Named(Protocol):
    """An example with a name, which is that of its certificate's file."""

    @property
    def name(self) -> str:
        """The name."""


AnExample = TypeVar("AnExample", bound=Named)


@dataclass(frozen=True)
class Shown:
    """One example and its result: ``cells`` of the table by column, and ``facts`` for the JSON object.

    ``remark`` is the reason of the verdict.
    """

    name: str
    about: str
    verdict: str
    seconds: float
    certificate: str | None
    cells: Mapping[str, str]
    facts: Mapping[str, Any]
    remark: str = ""


def show_each(examples: Sequence[AnExample], show: Callable[[AnExample, ProgressLine], Shown],
              folder: str | None) -> list[Shown]:
    """Show each example in turn, and write its certificate into the folder as soon as it is known.

    Raises:
        InputError: if the folder cannot be one, or a file in it not written.
    """
    if folder is not None:
        make_folder(folder, [f"{example.name}{CERTIFICATE}" for example in examples])
    found = []
    with ProgressLine() as progress:
        for example in examples:
            progress(f"example {example.name}")
            shown = show(example, progress)
            keep_certificate(shown, folder)
            found.append(shown)
    return found


def keep_certificate(shown: Shown, folder: str | None) -> None:
    """Write the certificate into the folder, if there are both.

    Raises:
        InputError: if it cannot be written.
    """
    if folder and shown.certificate:
        write_text(str(Path(folder) / f"{shown.name}{CERTIFICATE}"), shown.certificate)


def print_rows(out: Console, found: Sequence[Shown], columns: Sequence[TableColumn]) -> None:
    """Print a row per example, with a coloured verdict and a dimmed description."""
    def cells(shown: Shown) -> dict[str, Cell]:
        coloured = {name: plain(text, style) for name, style in (("verdict", colour(shown.verdict)), ("about", "dim"))
                    if (text := shown.cells.get(name))}
        return {**shown.cells, **coloured}

    print_table(out, columns, map(cells, found), without_empty=True)


def overall_status(found: Iterable[Shown], harmless: Collection[str] = ()) -> int:
    """Return the exit status of the worst verdict, except the ``harmless`` ones; 3 if all are harmless."""
    serious = [shown.verdict for shown in found if shown.verdict not in harmless]
    return exit_status(worst(serious) if serious else "unknown")


def examples_to_json(found: Sequence[Shown], status: int, **facts: Any) -> dict[str, Any]:
    """Return one object: the verdict on all examples, and an entry per example."""
    return {
        "verdict": {0: "certified", 1: "refuted"}.get(status, "unknown"),
        **facts,
        "seconds": round(sum(shown.seconds for shown in found), 3),
        "examples": [{"name": shown.name, "about": shown.about, **shown.facts} for shown in found],
    }
