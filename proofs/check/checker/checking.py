"""Bytes to a verdict: read, compare with the required claim, prove.

The format of a file selects its reader. Any unexpected exception is `incomplete`: nothing is known about the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .kernel.budget import MAX_BYTES, MAX_TIMES, Budget
from .kernel.kind import FileKind
from .kernel.reading.document import read_document
from .kernel.verdicts import Incomplete, Refusal, Unreadable, expect, quote
from .kinds import CHAPTERS, LARGE, find_kind
from .requirements import ANYTHING, RequiredClaim, check_required

if TYPE_CHECKING:
    from .chapters.formula.certificate import Coverage
    from .chapters.formula.records import Certificate
    from .chapters.margin.reading import MarginFile
    from .chapters.softened.reading import Softened
    from .chapters.trained.reading.decision import Decision


@dataclass(frozen=True)
class Accepted:
    """A file whose claim is proved or refuted, the coverage counts of the proof, and the lines that state the claim."""

    given: Certificate | Softened | MarginFile | Decision[Any, Any]
    coverage: Coverage | Mapping[str, int]
    lines: tuple[str, ...]
    is_refutation: bool = False


@dataclass(frozen=True)
class ReadFile:
    """A parsed file and its kind."""

    kind: FileKind
    given: Any


def check_text(data: bytes, required: RequiredClaim = ANYTHING, work: int = 1) -> Accepted:
    """Check the certificate with these bytes within ``work`` times the default budget, and return it.

    Raises:
        Rejected: if the claim is not proved, or not the required one.
        Malformed: if the file is not a certificate.
        Incomplete: if the check ended early.
    """
    with nothing_unexpected():
        return check_within(data, required, Budget(work))


@contextmanager
def nothing_unexpected() -> Iterator[None]:
    """Convert every exception except a `Refusal` to `Incomplete`."""
    try:
        yield
    except Refusal:
        raise
    except Exception as error:
        raise Incomplete(f"the check could not be completed: {type(error).__name__}") from None


def check_within(data: bytes, required: RequiredClaim, budget: Budget) -> Accepted:
    """Check a certificate within a given budget; exceptions other than refusals propagate."""
    file = read_within(data, required, budget)
    coverage = file.kind.prove(file.given)
    budget.expect_kept()
    return Accepted(file.given, coverage, tuple(file.kind.describe(file.given, coverage)), file.kind.is_refutation)


def read_within(data: bytes, required: RequiredClaim, budget: Budget) -> ReadFile:
    """Parse a file, and check that its claim is the required one."""
    document = read_document(data, budget, LARGE)
    name = document.get("format") if isinstance(document, dict) else None
    expect(isinstance(name, str) and name in CHAPTERS, "format: expected {}, got {}",
           " or ".join(map(quote, CHAPTERS)), quote(name))
    kind = find_kind(document)
    budget.grow(*kind.times)
    given = kind.read(document, budget)
    check_required(kind, given, required)
    return ReadFile(kind, given)


def check_file(path: str, required: RequiredClaim = ANYTHING, work: int = 1) -> Accepted:
    """Read a file once (`-` is standard input), and check it as `check_text` does.

    Raises:
        Unreadable: if the file cannot be read.
    """
    return check_text(read_bytes(path), required, work)


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file or of standard input, at most one more than the limit.

    Raises:
        Unreadable: if the file cannot be read.
    """
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            return file.read(MAX_TIMES * MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not the name of a file"
        raise Unreadable(f"cannot be read: {reason}") from None
