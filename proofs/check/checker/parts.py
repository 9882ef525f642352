"""Decisions about trained networks in parts and samples, and what they take.

Each file is read as `checking` does; what goes wrong is raised as by `check_text` there, but for what is not proved.
"""

from collections.abc import Iterable, Mapping
from typing import cast

from .asking import ANYTHING, Request, RequiredClaim
from .chapters.trained.floats.proof import FloatRuns, find_unproved_floats, find_unproved_units_of_runs
from .chapters.trained.reading.decision import Decision
from .chapters.trained.words.costs import estimate_decision
from .chapters.trained.words.deciding import find_unproved, join_coverage, prove_part, prove_sample
from .chapters.trained.words.describing import describe_decision
from .chapters.trained.words.vacuous import find_vacuous_lengths
from .checking import Accepted, nothing_unexpected, read_bytes, read_within
from .kernel.budget import MAX_N, Budget
from .kernel.verdicts import expect


def read_decision_of(data: bytes, asked: RequiredClaim, work: int) -> Decision:
    """The decision whose bytes these are; a file of another format has no parts."""
    given = read_within(data, asked, Budget(work)).given
    expect(isinstance(given, Decision), "a file of this format has no parts and no samples")
    return cast(Decision, given)


def check_part(data: bytes, part: int, parts: int, asked: RequiredClaim = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """One of so many parts (from 1) of a decision about a trained network: what was proved.

    If every part is proved, so is the claim.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return prove_part(read_decision_of(data, asked, work), part, parts)


def join_parts(data: bytes, proved: Iterable[Mapping[str, int]], asked: RequiredClaim = ANYTHING,
               work: int = 1) -> Accepted:
    """The decision of which every part is proved, as who calls this knows; ``proved`` is what `check_part` returned.
    """
    with nothing_unexpected():
        given = read_decision_of(data, asked, work)
        coverage = join_coverage(given, proved)
        return Accepted(given, coverage, tuple(describe_decision(given, coverage)))


def find_unproved_units(data: bytes, part: int, parts: int, work: int = 1) -> list[tuple[int, str]]:
    """The places in a decision's cover of the units that a part does not prove, each with the reason.

    If there is none in any part, the claim is proved.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return find_unproved(read_decision_of(data, ANYTHING, work), part, parts)


def find_vacuous(data: bytes, work: int = 1) -> list[int]:
    """The lengths of the claim of a decision, or about float runs, on no word of which anything is judged. Nothing is
    proved."""
    with nothing_unexpected():
        given = read_within(data, ANYTHING, Budget(work)).given
        expect(isinstance(given, Decision | FloatRuns), "a file of this format is not about all words of a network")
        return find_vacuous_lengths(given)


def find_unproved_floats_of(data: bytes, work: int = 1) -> list[tuple[int, str] | None]:
    """For each class of a certificate of float runs the first place or length that is not proved, with the reason.

    If that is None for every class, the claim is proved.
    """
    with nothing_unexpected():
        given = read_within(data, ANYTHING, Budget(work)).given
        expect(isinstance(given, FloatRuns), "a file of this format is not about float runs")
        return [find_unproved_floats(given, run) for run in given.floats]


def find_unproved_float_units(data: bytes, work: int = 1) -> list[tuple[int, str]]:
    """The places in the cover of a certificate of float runs of units that are not proved, each with the reason, in the
    first class of runs that has some.

    If there is none, the claim is proved.
    """
    with nothing_unexpected():
        given = read_within(data, ANYTHING, Budget(work)).given
        expect(isinstance(given, FloatRuns), "a file of this format is not about float runs")
        return next(filter(None, (find_unproved_units_of_runs(given, run) for run in given.floats)), [])


def check_sample(data: bytes, number: int, asked: RequiredClaim = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """So many obligations of a decision, drawn by a digest of the file: what was proved, which is not the claim."""
    with nothing_unexpected():
        expect(1 <= number <= MAX_N, "sample: expected 1 to {}, got {}", MAX_N, number)
        return prove_sample(read_decision_of(data, asked, work), number, data)


def estimate(data: bytes, asked: RequiredClaim = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """How many words and nodes a decision has, and about how many seconds it takes. Nothing is proved."""
    with nothing_unexpected():
        return estimate_decision(read_decision_of(data, asked, work))


def split_part(text: str) -> tuple[int, int]:
    """The numbers of ``K/M``.

    Raises:
        Malformed: unless 1 <= K <= M.
    """
    number, _, parts = text.partition("/")
    fits = all(part.isascii() and part.isdigit() and len(part) < 6 for part in (number, parts))
    expect(fits and 1 <= int(number) <= int(parts), "--part: expected K/M, K from 1 to M")
    return int(number), int(parts)


def check_some(path: str, request: Request) -> str:
    """What was proved of a part or a sample, or what an estimate says."""
    data, options = read_bytes(path), (request.asked, request.work)
    if request.part:
        what, found = "part {}/{} is proved".format(*request.part), check_part(data, *request.part, *options)
    elif request.sample:
        what, found = f"a sample of {request.sample} is proved", check_sample(data, request.sample, *options)
    else:
        what, found = "nothing is proved; about", estimate(data, *options)
    return f"{what}: {', '.join(f'{count} {name}' for name, count in found.items())}"
