"""The main path of a count: bounds of the number of right inputs in tracks; docs/background/counting.md.

Floats propose right and wrong classes; each part of the count is a claim that the checker accepts, as it does the
certificate of all parts.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from certify.claims.trained.count_patterns import Pattern, find_patterns
from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.proving import WORK, why_refused
from certify.claims.trained.tasks import about, result_from_text, text_of_claim, text_of_network
from certify.claims.trained.tracks_decision import do_form
from certify.claims.trained.tracks_forms import EACH, FormResult
from certify.common.readable import Readable
from certify.common.shards import ShardsProgress, Workers, run_tasks
from certify.common.verdicts import WithExitStatus
from constructions.deadline import TimeIsUp, check_deadline, has_deadline, seconds_left
from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TracksClaim, check_tracks_fit, count_inputs
from constructions.trained.weights import Weights, each_is_one, total_weight
from proofs.checking.verdicts import find_refused_verdicts
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.counting.boxes import BoxSearch, FoundBoxes
from proofs.trained.counting.parts import (
    Part,
    counts_text,
    first_errors_of,
    in_right_parts,
    parts_of_boxes,
    parts_of_inputs,
)
from proofs.trained.counting.verdict_units import verdict_unit
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.exact_numbers import find_obstacle
from proofs.trained.tracks.wrong import Margins, sample_margin

SECONDS = 60
"""Time limit for the splits of a form, in seconds, times the effort."""
OF_TIME_LEFT = 4
"""With a deadline, splits take at most one part in this many of the time left; proofs take longer."""


class ProvedPart(NamedTuple):
    """A part with its unit; without one the reason is that it is not proved. Verdicts are a unit of their own."""

    part: Part
    unit: dict[str, Any] | None
    reason: str = ""


@dataclass(frozen=True)
class FirstErrors:
    """Lower bound of the weight of inputs whose first proved error is at ``place``, where ``token`` is written."""

    place: int
    token: int
    weight: Fraction


@dataclass(frozen=True)
class CountRow:
    """Lower and upper bound of the weight of the right inputs of one form of ``n`` columns, with the total weight."""

    n: int
    total: Fraction
    least: Fraction
    most: Fraction
    errors: tuple[FirstErrors, ...] = ()
    reason: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether both bounds are equal."""
        return self.least == self.most


AClaim = TypeVar("AClaim")


@dataclass(frozen=True, repr=False)
class Count(Readable, WithExitStatus, Generic[AClaim]):
    """The counts of right inputs, by form; the checker accepted the certificate. It ``is_partial`` if time was up.

    The ``patterns`` are those of the certified first errors, heaviest first.
    """

    network: TrainedNetwork
    claim: AClaim
    rows: tuple[CountRow, ...]
    certificate: str
    seconds: float
    weights: tuple[Weights, ...] | None = None
    run: FloatModel | None = None
    question: CountQuestion = field(default_factory=CountQuestion)
    patterns: tuple[Pattern, ...] = ()
    is_partial: bool = False

    @property
    def verdict(self) -> str:
        """The verdict on the statement of the question, or on the distance of the bounds.

        If time was up, and nothing is stated, closer bounds were asked: unknown.
        """
        return "unknown" if self.is_partial and self.question == CountQuestion() else self.question.verdict(
            *self.bounds, self.total)

    @property
    def wrong_certificate(self) -> None:
        """None: a count refutes nothing except a share."""

    @property
    def total(self) -> Fraction:
        """The weight of all inputs."""
        return sum((row.total for row in self.rows), Fraction(0))

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the weight of right inputs."""
        return sum((row.least for row in self.rows), Fraction(0)), sum((row.most for row in self.rows), Fraction(0))

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the share of right inputs."""
        (least, most), total = self.bounds, self.total or Fraction(1)
        return least / total, most / total


class TracksCount(Count[TracksClaim]):
    """The counts of right inputs in tracks."""


def count_tracks(network: TrainedNetwork, claim: TracksClaim, question: CountQuestion = CountQuestion(),
                 effort: int = 1, workers: Workers = Workers(), weights: Sequence[Weights] | None = None,
                 run: FloatModel | None = None) -> TracksCount:
    """Return bounds of the weight of right inputs, form by form, with their certificate.

    At most the share ``within`` of the question is left open, if the search succeeds.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if the checker does not accept the certificate.
    """
    counter = _Counter(network, claim, question, effort, workers, None if weights is None else tuple(weights), run,
                       time.perf_counter())
    check_tracks_fit(network, claim)
    reasons, proved, known, checked = dict[int, str](), list[ProvedPart](), None, 0
    try:
        if has_deadline():
            known = counter.count([], reasons)
        for more in counter.proved_parts(reasons):
            proved += more
            if has_deadline() and len(proved) > 2 * checked:
                known, checked = counter.count(proved, reasons), len(proved)
                check_deadline()  # patterns end early
        return counter.count(proved, reasons)
    except TimeIsUp as up:
        if known is None:
            raise
        return replace(known, is_partial=True, rows=tuple(
            row if row.is_exact else replace(row, reason="; ".join(filter(None, (row.reason, str(up)))))
            for row in known.rows))


@dataclass(frozen=True)
class _Counter:
    """The stages of a count: parts are found and proved, then their weights are summed and the certificate checked.

    With a deadline parts are proved in growing batches, heavy ones first, so that something is known when it expires.
    """

    network: TrainedNetwork
    claim: TracksClaim
    question: CountQuestion
    effort: int
    workers: Workers
    weights: tuple[Weights, ...] | None
    run: FloatModel | None
    start: float

    def proved_parts(self, reasons: dict[int, str]) -> Iterator[list[ProvedPart]]:
        """Yield parts with their proofs; add to ``reasons`` why a form has no parts."""
        floats, is_done = FloatNetwork(self.network), set[int]()
        forms = range(len(self.claim.forms))
        those = [whole(self.claim, number) for number in forms if seems_right(floats, self.claim, number, self.effort)]
        for batch in batches(those):
            proved = [one for one in self._prove(batch) if one.unit is not None]
            is_done |= {one.part.form for one in proved}
            yield proved
        found = (self._find(floats, number, reasons) for number in forms if number not in is_done)
        for parts in found if has_deadline() else [list(chain.from_iterable(found))]:
            for batch in batches(parts):
                yield self._prove(batch)

    def _prove(self, parts: Sequence[Part]) -> list[ProvedPart]:
        """Return the parts with their proofs; a part without one is proved token by token."""
        left = [part for part in parts if part.verdicts is None]
        found = [ProvedPart(part, one.unit, one.row.reason) for part, one in zip(
            left, prove_parts(self.network, left, self.effort, self.workers, self.run), strict=True)]
        split = {id(part): part.by_token(self.claim.forms[part.form]) for part, unit, _ in found if unit is None}
        again = [one for those in split.values() if len(those) > 1 for one in those]
        return [*(ProvedPart(part, part.verdicts) for part in parts if part.verdicts is not None),
                *(one for one in found if len(split.get(id(one.part), ())) < 2), *(self._prove(again) if again else [])]

    def _find(self, floats: FloatNetwork, number: int, reasons: dict[int, str]) -> list[Part]:
        """Return the parts of a form, right ones first, then the heaviest."""
        try:
            parts = [*find_parts(floats, self.claim, number, self.question.within or Fraction(0), self.effort,
                                 self.run is None)]
        except Unsupported as why:
            reasons[number] = str(why)
            return []
        return sorted(parts, key=lambda part: (part.is_wrong, -count_inputs(part.claim, part.claim.forms[0])))

    def count(self, proved: Sequence[ProvedPart], reasons: Mapping[int, str]) -> TracksCount:
        """Return the count by the proved parts, with a certificate that the checker accepts.

        Raises:
            Unsupported: if it does not.
        """
        claim, weights = self.claim, self.weights or [each_is_one(self.claim, form) for form in self.claim.forms]
        rows = tuple(row_of(claim, number, weights[number], [one for one in proved if one.part.form == number],
                            reasons.get(number, "")) for number in range(len(claim.forms)))
        text = counts_text(self.network, claim, in_order(proved), [(row.least, row.most) for row in rows], self.weights,
                           self.run)
        if refusal := why_refused(text):
            raise Unsupported(f"the checker: {refusal}")
        patterns = tuple(find_patterns(claim, text, self.weights))
        return TracksCount(self.network, claim, rows, text, time.perf_counter() - self.start, self.weights, self.run,
                           self.question, patterns)


def in_order(proved: Sequence[ProvedPart]) -> list[tuple[Part, dict[str, Any]]]:
    """Return the parts that are proved, with their units, in the order of a certificate."""
    return sorted(((one.part, one.unit) for one in proved if one.unit is not None), key=lambda one: one[0].order)


def batches(parts: Sequence[Part]) -> Iterator[Sequence[Part]]:
    """Yield all parts at once, or with a deadline in batches that grow."""
    first, size = 0, 1 if has_deadline() else len(parts)
    while first < len(parts):
        yield parts[first:first + size]
        first, size = first + size, 2 * size


def whole(claim: TracksClaim, number: int) -> Part:
    """Return the part of all inputs of a form, as right ones."""
    form = claim.forms[number]
    machine = replace(claim.machine, tables=tuple(claim.machine.tables[table] for table in form.columns))
    form = replace(form, columns=tuple(range(len(form.columns))))
    return Part(number, False, form.asked[0], form.asked[-1], replace(claim, machine=machine, forms=(form,)))


def seems_right(floats: FloatNetwork, claim: TracksClaim, number: int, effort: int) -> bool:
    """Return whether the inputs of a form are many, and a sample of them is right in floats."""
    return (count_inputs(claim, claim.forms[number]) > EACH * effort
            and bool(sample_margin(Margins(floats, claim, number)).margin > 0))


def find_parts(floats: FloatNetwork, claim: TracksClaim, number: int, within: Fraction, effort: int, is_exact: bool
               ) -> Iterator[Part]:
    """Yield the parts of a form that floats find: input by input where these are few, else by boxes.

    Verdicts on boxes prove those of networks of one attention step that do not have exact numbers.

    Raises:
        Unsupported: if inputs are many and the network has no boxes, or a machine is too large.
    """
    inputs = count_inputs(claim, claim.forms[number])
    if inputs <= EACH * effort:
        margins = Margins(floats, claim, number)
        yield from parts_of_inputs(margins, margins.inputs.every())
        return
    search, found = find_boxes(floats, claim, number, within, effort)
    by_verdicts = is_exact and len(floats.network.attention_steps) == 1 and find_obstacle(floats.network) is not None
    verdicts = accepted_verdicts(floats.network, claim, number, search, found) if by_verdicts else {}
    yield from heavy([*parts_of_boxes(search, found, number, verdicts)], within * inputs - found.open_weight)


def accepted_verdicts(network: TrainedNetwork, claim: TracksClaim, number: int, search: BoxSearch, found: FoundBoxes
                      ) -> dict[int, dict[str, Any]]:
    """Return the evidence about places with proved ranges; boxes whose verdict the checker refuses are open."""
    made = {place: verdict_unit(search, place) for place in claim.forms[number].asked}
    tried = [Part(number, False, place, place, claim, unit) for place, (unit, _) in made.items()]
    nothing = [(Fraction(0), Fraction(0)) for _ in claim.forms]
    text = counts_text(network, claim, [(part, {}) for part in tried], nothing, None, only_verdicts=True)
    refused = dict(zip(made, find_refused_verdicts(text.encode(), WORK), strict=True))
    for place, numbers in refused.items():
        found.reopen([made[place][1][one] for one in numbers or ()])
    return {place: verdict_unit(search, place)[0] for place, numbers in refused.items() if numbers is not None}


def find_boxes(floats: FloatNetwork, claim: TracksClaim, number: int, within: Fraction, effort: int
               ) -> tuple[BoxSearch, FoundBoxes]:
    """Return the boxes of a form with the least open weight; for several layers by windows of up to ``effort`` columns.

    Raises:
        Unsupported: if the network has no boxes.
    """
    best: tuple[BoxSearch, FoundBoxes] | None = None
    for window in range(1, effort + 1 if len(floats.network.attention_steps) > 1 else 2):
        left = seconds_left()
        try:
            search = BoxSearch(floats, claim, number, window)
        except Unsupported:
            if best is None:
                raise
            break
        found = search.run(within, min(SECONDS * effort, SECONDS * effort if left is None else left // OF_TIME_LEFT))
        if best is None or found.open_weight < best[1].open_weight:
            best = search, found
        if not found.open:
            break
    assert best is not None, "there is a window"
    return best


def heavy(parts: Sequence[Part], spared: Fraction) -> list[Part]:
    """Return the parts without the lightest wrong ones, which have at most ``spared`` inputs together."""
    inputs = {id(part): count_inputs(part.claim, part.claim.forms[0]) for part in parts}
    left = list(parts)
    for part in sorted((part for part in parts if part.is_wrong), key=lambda part: inputs[id(part)]):
        spared -= inputs[id(part)]
        if spared < 0:
            break
        left.remove(part)
    return left


def prove_parts(network: TrainedNetwork, parts: Sequence[Part], effort: int, workers: Workers, run: FloatModel | None
                ) -> list[FormResult]:
    """Return what is proved of each part."""
    of_network = text_of_network(network)
    claims = [text_of_claim(part.claim) for part in parts]
    tasks = [json.dumps(about([of_network, claim], run, form=0, effort=effort, expected=True)) for claim in claims]
    with ShardsProgress("proving", "parts", "parts") as progress:
        found = run_tasks(tasks, do_form, jobs=workers.jobs, dask=workers.dask, progress=progress,
                          shared=[of_network, *claims], sizes=[len(claim) for claim in claims])
    return [result_from_text(FormResult, text) for text in found]


def row_of(claim: TracksClaim, number: int, weights: Weights, proved: Sequence[ProvedPart], reason: str
           ) -> CountRow:
    """Return the bounds that the proved parts of a form give."""
    form = claim.forms[number]
    total = total_weight(claim, form, weights)
    reasons = [*([reason] if reason else []), *(one.reason or "a part is not proved" for one in proved
                                                if one.unit is None)]
    parts = [one.part for one in proved if one.unit is not None]
    errors = [error for place, machine in first_errors_of(parts, form)
              for error in first_errors(replace(claim, machine=machine), form, place, weights)]
    right = in_right_parts(parts, form, [], len(form.layout))
    of_right = Layout(tuple(range(len(form.columns))), ())
    least = Fraction(0) if right is None else total_weight(replace(claim, machine=right), of_right, weights)
    most = total - sum((one.weight for one in errors), Fraction(0))
    return CountRow(len(form.columns), total, least, most, tuple(errors), "; ".join(reasons))


def first_errors(part: TracksClaim, form: Layout, place: int, weights: Weights) -> list[FirstErrors]:
    """Return the weights of the inputs of a part about errors at ``place``, by token."""
    of_part = Layout(tuple(range(len(part.machine.tables))), ())
    return [FirstErrors(place, token, total_weight(replace(part, machine=machine, forms=(of_part,)), of_part, weights))
            for token, machine in part.machine.by_token(form.layout[place]).items()]
