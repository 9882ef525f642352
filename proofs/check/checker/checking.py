"""Bytes to a verdict: read, compare with what was asked for, prove.

The format of a file says who reads it. Whatever else goes wrong, of which nothing is known, is `incomplete`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from .asking import ANYTHING, Asked, check_asked
from .budget import MAX_BYTES, MAX_N, MAX_TIMES, TRAINED_HELD, TRAINED_TIMES, Budget
from .describing import describe_certificate
from .floats import prove_floats
from .margins import describe_margin, prove_margin
from .proving.certificate import Coverage, prove_certificate
from .reading.certificate import FORMAT, read_certificate
from .reading.document import Json, read_document
from .reading.margin import FORMAT_OF_MARGIN, MarginFile, read_margin
from .reading.records import Certificate
from .reading.softened import FORMAT as FORMAT_OF_SOFTENED
from .reading.softened import Softened, read_softened
from .reading.trained import (
    FORMAT_OF_DECISION,
    FORMAT_OF_WRONG_WORD,
    Decision,
    WrongWord,
    read_decision,
    read_wrong_word,
)
from .softening import check_softened, describe_softened
from .trained import (
    describe_decision,
    describe_wrong_word,
    estimate_decision,
    find_unproved,
    find_vacuous_lengths,
    join_coverage,
    prove_decision,
    prove_part,
    prove_sample,
    prove_wrong_word,
)
from .verdicts import Incomplete, Malformed, Refusal, expect, quote


@dataclass(frozen=True)
class Format:
    """Who reads, proves and describes the files of a format."""

    read: Callable[[Json, Budget], Any]
    prove: Callable[[Any], Any]
    describe: Callable[[Any, Any], list[str]]
    times: tuple[int, int] = (1, 1)  # the default work and memory that it may take


def prove_all(given: Certificate) -> Coverage:
    """The claim over the reals, and then those about float runs."""
    coverage = prove_certificate(given)
    prove_floats(given)
    return coverage


FORMATS: Mapping[str, Format] = {
    FORMAT: Format(read_certificate, prove_all, describe_certificate),
    FORMAT_OF_SOFTENED: Format(read_softened, check_softened, describe_softened),
    FORMAT_OF_MARGIN: Format(read_margin, prove_margin, describe_margin),
    FORMAT_OF_DECISION: Format(read_decision, prove_decision, describe_decision, (TRAINED_TIMES, TRAINED_HELD)),
    FORMAT_OF_WRONG_WORD: Format(read_wrong_word, prove_wrong_word, describe_wrong_word, (1, TRAINED_HELD))}


@dataclass(frozen=True)
class Accepted:
    """A file whose claim is proved, what was covered to prove it, and the claim in words."""

    given: Certificate | Softened | MarginFile | Decision | WrongWord
    coverage: Coverage | Mapping[str, int]
    lines: tuple[str, ...]


def check_text(data: bytes, asked: Asked = ANYTHING, work: int = 1) -> Accepted:
    """The file whose bytes these are, its claim proved within ``work`` times the default budget.

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


def read_decision_of(data: bytes, asked: Asked, work: int) -> Decision:
    """The decision whose bytes these are.

    Raises:
        Malformed: also if the file is of another format, which has no parts.
    """
    _, given = read_within(data, asked, Budget(work))
    expect(isinstance(given, Decision), "a file of this format has no parts and no samples")
    return cast(Decision, given)


def check_part(data: bytes, part: int, parts: int, asked: Asked = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """One of so many parts (from 1) of a decision about a trained network: what was proved.

    If every part is proved, so is the claim.

    Raises:
        Rejected, Malformed, Incomplete: as `check_text`.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return prove_part(read_decision_of(data, asked, work), part, parts)


def join_parts(data: bytes, proved: Iterable[Mapping[str, int]], asked: Asked = ANYTHING, work: int = 1) -> Accepted:
    """The decision of which every part is proved, as who calls this knows; ``proved`` is what `check_part` returned.

    Raises:
        Rejected, Malformed, Incomplete: as `check_text`, but for what is not proved.
    """
    with nothing_unexpected():
        given = read_decision_of(data, asked, work)
        coverage = join_coverage(given, proved)
        return Accepted(given, coverage, tuple(describe_decision(given, coverage)))


def find_unproved_units(data: bytes, part: int, parts: int, work: int = 1) -> list[tuple[int, str]]:
    """The places in a decision's cover of the units that a part does not prove, each with the reason.

    If there is none in any part, the claim is proved.

    Raises:
        Rejected, Malformed, Incomplete: as `check_text`, but for what is not proved.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return find_unproved(read_decision_of(data, ANYTHING, work), part, parts)


def find_vacuous(data: bytes, work: int = 1) -> list[int]:
    """The lengths of a decision's claim on no word of which anything is judged. Nothing is proved.

    Raises:
        Malformed, Incomplete: as `check_text`.
    """
    with nothing_unexpected():
        return find_vacuous_lengths(read_decision_of(data, ANYTHING, work))


def check_sample(data: bytes, number: int, asked: Asked = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """So many obligations of a decision, drawn by a digest of the file: what was proved, which is not the claim.

    Raises:
        Rejected, Malformed, Incomplete: as `check_text`.
    """
    with nothing_unexpected():
        expect(1 <= number <= MAX_N, "sample: expected 1 to {}, got {}", MAX_N, number)
        return prove_sample(read_decision_of(data, asked, work), number, data)


def estimate(data: bytes, asked: Asked = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """How many words and nodes a decision has, and about how many seconds it takes. Nothing is proved.

    Raises:
        Rejected, Malformed, Incomplete: as `check_text`.
    """
    with nothing_unexpected():
        return estimate_decision(read_decision_of(data, asked, work))


def check_within(data: bytes, asked: Asked, budget: Budget) -> Accepted:
    """The same, with a budget of one's own, and with other exceptions passed on."""
    form, given = read_within(data, asked, budget)
    coverage = form.prove(given)
    budget.expect_kept()
    return Accepted(given, coverage, tuple(form.describe(given, coverage)))


def read_within(data: bytes, asked: Asked, budget: Budget) -> tuple[Format, Any]:
    """The format of a file, and what it says; its claim is the one asked for."""
    document = read_document(data, budget)
    name = document.get("format") if isinstance(document, dict) else None
    expect(isinstance(name, str) and name in FORMATS, "format: expected {}, got {}",
           " or ".join(map(quote, FORMATS)), quote(name))
    form = FORMATS[str(name)]
    budget.grow(*form.times)
    given = form.read(document, budget)
    check_asked(given, asked)
    return form, given


def check_file(path: str, asked: Asked = ANYTHING, work: int = 1) -> Accepted:
    """As `check_text`, of a file, which is read once; `-` is standard input.

    Raises:
        Malformed: also if the file cannot be read.
    """
    return check_text(read_bytes(path), asked, work)


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input, up to one more than the limit.

    Raises:
        Malformed: if it cannot be read.
    """
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            return file.read(MAX_TIMES * MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not the name of a file"
        raise Malformed(f"cannot be read: {reason}") from None
