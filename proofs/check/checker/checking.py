"""Bytes to a verdict: read, compare with what was asked for, prove.

The format of a file says who reads it. Whatever else goes wrong, of which nothing is known, is `incomplete`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .asking import ANYTHING, RequiredClaim, check_asked
from .kernel.budget import MAX_BYTES, MAX_TIMES, Budget
from .kernel.kind import FileKind
from .kernel.reading.document import read_document
from .kernel.verdicts import Incomplete, Refusal, Unreadable, expect, quote
from .kinds import CHAPTERS, LARGE, find_kind

if TYPE_CHECKING:
    from .chapters.formula.certificate import Coverage
    from .chapters.formula.records import Certificate
    from .chapters.margin.reading import MarginFile
    from .chapters.softened.reading import Softened
    from .chapters.trained.reading.decision import Decision


@dataclass(frozen=True)
class Accepted:
    """A file whose claim is proved, or refuted; what was covered to that end, and the claim in words."""

    given: Certificate | Softened | MarginFile | Decision[Any, Any]
    coverage: Coverage | Mapping[str, int]
    lines: tuple[str, ...]
    is_refutation: bool = False


@dataclass(frozen=True)
class ReadFile:
    """What a file says, and who knows the rest about it."""

    kind: FileKind
    given: Any


def check_text(data: bytes, asked: RequiredClaim = ANYTHING, work: int = 1) -> Accepted:
    """Return the file whose bytes these are, its claim proved within ``work`` times the default budget.

    Raises:
        Rejected: if the claim is not proved, or not the one asked for.
        Malformed: if it is no certificate.
        Incomplete: if the check ended before it was done.
    """
    with nothing_unexpected():
        return check_within(data, asked, Budget(work))


@contextmanager
def nothing_unexpected() -> Iterator[None]:
    """Whatever else goes wrong, nothing is known about the claim."""
    try:
        yield
    except Refusal:
        raise
    except Exception as error:
        raise Incomplete(f"the check could not be completed: {type(error).__name__}") from None


def check_within(data: bytes, asked: RequiredClaim, budget: Budget) -> Accepted:
    """Return the same, with a budget of one's own, and with other exceptions passed on."""
    file = read_within(data, asked, budget)
    coverage = file.kind.prove(file.given)
    budget.expect_kept()
    return Accepted(file.given, coverage, tuple(file.kind.describe(file.given, coverage)), file.kind.is_refutation)


def read_within(data: bytes, asked: RequiredClaim, budget: Budget) -> ReadFile:
    """What a file says; its claim is the one asked for."""
    document = read_document(data, budget, LARGE)
    name = document.get("format") if isinstance(document, dict) else None
    expect(isinstance(name, str) and name in CHAPTERS, "format: expected {}, got {}",
           " or ".join(map(quote, CHAPTERS)), quote(name))
    kind = find_kind(document)
    budget.grow(*kind.times)
    given = kind.read(document, budget)
    check_asked(kind, given, asked)
    return ReadFile(kind, given)


def check_file(path: str, asked: RequiredClaim = ANYTHING, work: int = 1) -> Accepted:
    """As `check_text`, of a file, which is read once; `-` is standard input.

    Raises:
        Unreadable: if the file cannot be read.
    """
    return check_text(read_bytes(path), asked, work)


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input, up to one more than the limit.

    Raises:
        Unreadable: if there are none.
    """
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            return file.read(MAX_TIMES * MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not the name of a file"
        raise Unreadable(f"cannot be read: {reason}") from None
