"""Evidence for a count: sub-machines with the proofs of their claims; docs/background/counting.md, section 4."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of
from ....kernel.verdicts import expect
from .decision import Decision
from .tracks import EachInput, ExactUnit, Unit, read_unit
from .tracks_claim import TracksClaim, Transducer, read_machine, written_tokens


@dataclass(frozen=True)
class CountedPart:
    """Inputs that ``machine`` allows: at the places from ``first`` to ``last`` what it writes has the greatest logit.

    So they are right there; or right before ``last``, and wrong there. An integer for ``unit`` refers to verdicts.
    """

    form: int
    is_wrong: bool
    first: int
    last: int
    machine: Transducer
    unit: Unit | EachInput | ExactUnit | int


@dataclass(frozen=True)
class CountedParts:
    """Sets of inputs, each with the proof of its claim; and verdicts about all inputs, which prove several of these."""

    parts: tuple[CountedPart, ...]
    verdicts: tuple[CountedPart, ...] = ()


def read_parts(value: Json, about: Decision[TracksClaim, None]) -> CountedParts:
    """Return the parts."""
    fields = Fields(value, "parts", "verdicts", optional=("verdicts",))
    verdicts = fields.read("verdicts", list_of(partial(read_verdicts, about=about))) if "verdicts" in fields else ()
    return CountedParts(fields.read("parts", list_of(partial(read_part, about=about, verdicts=verdicts))), verdicts)


def read_verdicts(value: Json, about: Decision[TracksClaim, None]) -> CountedPart:
    """Return verdicts about one place."""
    fields, claim = Fields(value, "form", "place", "unit"), about.claim
    number = fields.read("form", integer_within(range(len(claim.forms))))
    form = claim.forms[number]
    place = fields.read("place", integer_within(range(form.first_answer, len(form.layout))))
    return CountedPart(number, False, place, place, claim.machine.unrolled(form), fields.read("unit", partial(
        read_unit, network=about.network, of_verdicts=True)))


def read_part(value: Json, about: Decision[TracksClaim, None], verdicts: Sequence[CountedPart]) -> CountedPart:
    """Return one part."""
    claim = about.claim
    fields = Fields(value, "form", "verdict", "first", "last", "machine", "unit")
    number = fields.read("form", integer_within(range(len(claim.forms))))
    form = claim.forms[number]
    first = fields.read("first", integer_within(range(form.first_answer, len(form.layout))))
    last = fields.read("last", integer_within(range(first, len(form.layout))))
    verdict = fields.read("verdict", one_of("right", "wrong"))
    machine = fields.read("machine", partial(
        read_machine, tracks=claim.tracks, token=integer_within(range(len(about.network.tokens.rows)))))
    expect(len(machine.tables) == len(form.columns), "machine: expected a table for each of {} columns",
           len(form.columns))
    expect(widths(machine) == widths(claim.machine), "machine: expected as many answers as the claim's writes")
    expect(written_tokens(machine) <= {*claim.among}, "machine: it writes a token that is not compared")
    unit: Unit | EachInput | ExactUnit | int
    if isinstance(value, dict) and isinstance(value["unit"], int):
        unit = fields.read("unit", integer_within(range(len(verdicts))))
        known = verdicts[unit]
        expect((known.form, known.first, known.last) == (number, first, last), "unit: verdicts about another place")
    else:
        unit = fields.read("unit", partial(read_unit, network=about.network))
    return CountedPart(number, verdict == "wrong", first, last, machine, unit)


def widths(machine: Transducer) -> tuple[set[int], set[int]]:
    """Return how many answers the steps of a machine write, and how many its ends do."""
    return ({len(step) - 1 for table in machine.tables for row in table for step in row if step is not None},
            {len(end) for end in machine.end if end is not None})
