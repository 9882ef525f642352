"""Every word of a claim in every run of each class: each row of stored logits is above the margin.

docs/floats.md, section 7. Words are run one by one, on balls and, where these are too coarse, on forms; or there is a
cover, some units of which are proved by classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

from ....kernel.budget import Budget
from ....kernel.language import Language
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, read_heading
from ....kernel.verdicts import Rejected, quote, require, within
from ...run_classes.reading import FloatClaim, Format, read_floats
from ..classes import Classes
from ..forms import FRACTION, AffineForm, apply, spread
from ..obligations import expect_covered, obligations
from ..reading.decision import (
    KEYS_OF_COVER,
    CoverPart,
    Decision,
    LogitRow,
    TrainedClaim,
    WordsUnit,
    read_claim,
    read_cover,
)
from ..reading.network import Network, read_network
from ..words import ALL, Judge, Runner, tokens_at_places
from .ball_words import BallsOfInputs
from .casting import cast_network
from .classes import Runs
from .rounding import unit_roundoff
from .stack import Asking, FloatStack, Seen, make_row_maps

FORMAT_OF_FLOAT_RUNS = "certify-float-runs"
PATIENCE = 8  # how many more words than not may need forms before balls are tried for one word of so many only


@dataclass(frozen=True)
class FloatRuns:
    """A claim about a network, and the classes of runs in each of which it holds; with a cover, if there is one."""

    network: Network
    claim: TrainedClaim
    floats: tuple[FloatClaim, ...]
    language: Language
    decision: Decision | None


def read_float_runs(document: Json, budget: Budget) -> FloatRuns:
    """The certificate that a document holds."""
    has_cover = isinstance(document, dict) and "cover" in document
    fields = Fields(document, "format", "version", "network", "claim", "floats", *(KEYS_OF_COVER if has_cover else ()))
    read_heading(fields, FORMAT_OF_FLOAT_RUNS)
    language = Language(budget)
    network = fields.read("network", partial(read_network, budget=budget))
    claim = fields.read("claim", partial(read_claim, network=network, language=language))
    floats = fields.read("floats", partial(read_floats, lengths=range(claim.max_n, claim.max_n + 1)))
    decision = read_cover(fields, network, claim, language) if has_cover else None
    return FloatRuns(network, claim, floats, language, decision)


def prove_float_runs(given: FloatRuns) -> Mapping[str, int]:
    """All words of the claim, in every run of every class of runs.

    Raises:
        Rejected: if a row is not known to be above the margin, or there is no rule for what the network does.
    """
    def prove(run: FloatClaim) -> Mapping[str, int]:
        prover, proved = ProverOfRuns(given, run), Counter[str]()
        for unit in cover_of(given):
            proved["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove_unit(unit)
        return proved

    return prove_in_each(given.floats, prove)


def prove_in_each(floats: Sequence[FloatClaim], prove: Callable[[FloatClaim], Mapping[str, int]]) -> Mapping[str, int]:
    """What is proved in every class of runs, and how many there are.

    Raises:
        Rejected: if it is not proved in one.
    """
    proved = Counter[str]()
    for run in floats:
        with within(quote(run.name)):
            expect_sensible(run)
            proved.update(prove(run))
    return {"class of runs" if len(floats) == 1 else "classes of runs": len(floats), **proved}


def expect_sensible(run: FloatClaim) -> None:
    """Formats are within those that take their numbers up, and functions are near the true ones."""
    for inner, outer in (("inputs", "storage"), ("storage", "sums"), ("scores", "sums"), ("scores", "softmax"),
                         ("weights", "softmax"), ("storage", "softmax")):
        require(is_within(run.formats[inner], run.formats[outer]), "{} is not within {}", inner, outer)
    require(run.inputs.precision >= 3, "inputs of fewer than 3 bits")
    require(run.exp_ulp >= 0 and 8 * run.exp_ulp * unit_roundoff(run.softmax) <= 1, "exp_ulp is out of range")


def cover_of(given: FloatRuns) -> Sequence[CoverPart]:
    """The units that prove all obligations: without a cover all words of each.

    Raises:
        Rejected: if an obligation is left out.
    """
    if given.decision is None:
        return [WordsUnit(one.offset, one.first, one.last)
                for one in obligations(given.network, given.claim, given.language)]
    expect_covered(given.decision)
    return given.decision.cover


def is_within(inner: Format, outer: Format) -> bool:
    """Whether all numbers of the one are numbers of the other."""
    return inner.precision <= outer.precision and inner.least >= outer.least and inner.greatest <= outer.greatest


class RowsInRuns:
    """Rows at places of inputs of at most so many of these tokens, in every run of a class."""

    def __init__(self, stack: FloatStack, rows: Sequence[LogitRow], margin: Fraction, tokens: Collection[int],
                 length: int) -> None:
        self._stack, self._budget = stack, stack.budget
        self._rows, self._inputs = rows, (rows, margin, tokens, length)
        self._words, self._failed = 0, 0
        self._margin = -(-(margin.numerator << FRACTION) // margin.denominator)

    @cached_property
    def balls(self) -> BallsOfInputs:
        """Those for which balls are enough."""
        return BallsOfInputs(self._budget, self._stack.network, self._stack.operations.run, *self._inputs)

    def prove(self, walk: WalkOfRuns, runner: Runner, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]
              ) -> None:
        """The needed rows of an input, on balls, or on forms, or on balls behind the last attention.

        Raises:
            Rejected: if one is not above the margin in every run, as far as is known.
        """
        self._words += 1
        if self._failed < PATIENCE or self._words % PATIENCE == 0:
            is_proved = self.balls.prove(runner, tokens, needed)
            self._failed = max(0, self._failed - 1) if is_proved else min(PATIENCE, self._failed + 1)
            if is_proved:
                return
        for place, stream in walk.attended(tokens, [*needed]):
            if not self.balls.prove_behind(stream, needed[place]):
                logits = self._stack.finish(stream)
                for row in needed[place]:
                    self._prove_row(row, logits)

    def _prove_row(self, row: int, logits: AffineForm) -> None:
        value = make_row_maps(self._budget, [self._rows[row]], self._stack.network.outputs)
        (centre,), (reach,) = spread(self._budget, apply(self._budget, value, logits))
        require(centre - reach > self._margin, "row {} is about {}, and may be off by {} in a run", row + 1,
                shown(centre), shown(reach))


class ProverOfRuns:
    """Proves the words of one class of runs."""

    def __init__(self, given: FloatRuns, run: FloatClaim) -> None:
        claim, self._judge = given.claim, Judge(given.network, given.claim, given.language)
        self._budget = given.language.budget
        self._stack = FloatStack(self._budget, cast_network(given.network, run), run)
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)
        self._rows = RowsInRuns(self._stack, self._judge.rows, claim.margin, tokens, length)
        self._runners: dict[WordsUnit, Runner] = {}
        self._walks: dict[int, WalkOfRuns] = {}
        self._given = given
        self._classes: Classes | None = None

    def prove_unit(self, unit: CoverPart) -> int:
        """The unit; how many words or classes that are.

        Raises:
            Rejected: if it is not proved.
        """
        if isinstance(unit, WordsUnit):
            return self.prove(unit.offset, unit.first, unit.last)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            if self._classes is None:
                assert self._given.decision is not None
                decision = replace(self._given.decision, network=self._stack.network)
                self._classes = Classes(decision, Runs(self._stack))
            return self._classes.prove(unit)

    def prove(self, offset: int, first: int, last: int) -> int:
        """All words of these places or lengths at an offset; how many there are.

        Raises:
            Rejected: if a row is not above the margin in every run, as far as is known; the word is named.
        """
        words = 0
        for _, reason in self.tried(offset, first, last):
            words += 1
            if reason:
                raise Rejected(reason)
        return words

    def tried(self, offset: int, first: int, last: int) -> Iterator[tuple[int, str]]:
        """The length of each of these words, and why it is not proved, if it is not; then only shorter ones follow."""
        judge = self._judge
        walk = self._walks.setdefault(offset, WalkOfRuns(self._stack, offset))
        runner = self._runner(offset, first, last)
        for word, cases in judge.words(first, last, ALL):
            if len(word) > last:
                continue
            reason = ""
            if needed := judge.needed(len(word), cases):
                try:
                    self._rows.prove(walk, runner, judge.tokens(word), needed)
                except Rejected as refusal:
                    shown = " ".join(judge.claim.alphabet[letter] for letter in word)
                    reason, last = f"offset {offset}, word {quote(shown)}: {refusal}", len(word) - 1
            yield len(word), reason

    def _runner(self, offset: int, first: int, last: int) -> Runner:
        """What runs words of these lengths on balls; in causal networks it keeps what it has found of shorter words."""
        unit = WordsUnit(offset, 1, self._judge.claim.max_n) if self._stack.network.causal else WordsUnit(
            offset, first, last)
        if unit not in self._runners:
            stacks = self._rows.balls.stacks
            self._runners = {unit: Runner(stacks, offset, tokens_at_places(self._judge, unit))}
        return self._runners[unit]


def shown(x: int) -> str:
    """Some digits of a number in units, or the power of two above it if it is small."""
    thousandths = abs(x) * 1000 >> FRACTION
    if thousandths < 10:
        return f"{'-' if x < 0 else ''}2^{x.bit_length() - FRACTION}"
    return f"{'-' if x < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03}"


def find_unproved_floats(given: FloatRuns, run: FloatClaim) -> tuple[int, str] | None:
    """The first place or length at which a class of runs is not proved, with the reason; None if all are.

    Raises:
        Rejected: if there is no rule for the class, or for what the network does.
    """
    expect_sensible(run)
    prover, found = ProverOfRuns(given, run), list[tuple[int, str]]()
    for one in obligations(given.network, given.claim, given.language):
        last = min(one.last, found[-1][0] - 1) if found else one.last
        found += [(n, reason) for n, reason in prover.tried(one.offset, one.first, last) if reason]
    return found[-1] if found else None


def find_unproved_units_of_runs(given: FloatRuns, run: FloatClaim) -> list[tuple[int, str]]:
    """The places in the cover of units that are not proved in a class of runs, each with the reason.

    Raises:
        Rejected: if there is no rule for the class, or an obligation is left out of the cover.
    """
    expect_sensible(run)
    prover, unproved = ProverOfRuns(given, run), []
    for place, unit in enumerate(cover_of(given)):
        try:
            prover.prove_unit(unit)
        except Rejected as reason:
            unproved.append((place, str(reason)))
    return unproved


class WalkOfRuns:
    """The streams of the tokens of a word; of causal networks those of a common beginning with the word before."""

    def __init__(self, stack: FloatStack, offset: int) -> None:
        self._stack, self._offset = stack, offset
        self._tokens: list[int] = []
        self._seen: list[list[Seen]] = [[] for _ in stack.stages]
        self._last: list[Asking | AffineForm] = []
        self._starts: dict[tuple[int, int], tuple[Asking, Seen]] = {}

    def logits(self, tokens: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, AffineForm]]:
        """The logits at these places of the input."""
        for place, stream in self.attended(tokens, places):
            yield place, self._stack.finish(stream)

    def attended(self, tokens: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, AffineForm]]:
        """The streams at these places behind the last attention step; or before the first step, if there is none."""
        if not self._stack.network.causal:
            yield from self._all_attended(tokens, places)
            return
        common = next((k for k, (a, b) in enumerate(zip(tokens, self._tokens, strict=False)) if a != b),
                      min(len(tokens), len(self._tokens)))
        del self._tokens[common:], self._last[common:]
        for kept in self._seen:
            self._stack.budget.release(self._stack.bits_of_a_token * len(kept[common:]))
            del kept[common:]
        for token in tokens[common:]:
            self._add(token)
        for place in places:
            last = self._last[place]
            yield place, last if isinstance(last, AffineForm) else self._stack.attend(
                self._stack.stages[-1], last, self._seen[-1][:place + 1])

    def _add(self, token: int) -> None:
        """One more token, up to the last attention step, which only places that are judged need."""
        stack, place = self._stack, len(self._tokens)
        found = stack.embed(token, self._offset + place)
        last: Asking | AffineForm = found
        for number, stage in enumerate(stack.stages):
            last, seen = stack.ask(stage, found) if number else self._start(place, token, found)
            stack.budget.hold(stack.bits_of_a_token)
            self._seen[number].append(seen)
            if number + 1 < len(stack.stages):
                found = stack.answer(stage, last, self._seen[number])
        self._tokens.append(token)
        self._last.append(last)

    def _start(self, place: int, token: int, embedded: AffineForm) -> tuple[Asking, Seen]:
        """A token at the first attention step, and what others see of it: the same in all inputs."""
        found, stack = self._starts.get((place, token)), self._stack
        if found is None:
            stack.budget.hold(2 * stack.bits_of_a_token)
            found = self._starts[place, token] = stack.ask(stack.stages[0], embedded)
        return found

    def _all_attended(self, tokens: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, AffineForm]]:
        stack = self._stack
        stack.budget.spend(len(tokens) ** 2)
        streams = [stack.embed(token, self._offset + place) for place, token in enumerate(tokens)]
        for stage in stack.stages[:-1]:
            asked = [stack.ask(stage, stream) for stream in streams]
            seen = [one for _, one in asked]
            streams = [stack.answer(stage, asking, seen) for asking, _ in asked]
        for stage in stack.stages[-1:]:
            asked = [stack.ask(stage, stream) for stream in streams]
            seen = [one for _, one in asked]
            streams = [stack.attend(stage, asking, seen) if place in places else asking.stream
                       for place, (asking, _) in enumerate(asked)]
        for place in places:
            yield place, streams[place]
