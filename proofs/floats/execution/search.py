"""The search for an execution of a class whose output is wrong, at one length or at the least at which it finds one.

At one length: words are run as a plain program would, at many positions; then, where an approximate truth or number was
furthest off, adversely: the exponentials of that head's row pushed to where they make it worse, sums in orders that
lose most, fused or not, subnormals flushed. Nothing is reported that was not replayed in integers, and the work is
counted, not timed, so that every search finds the same. A search that finds nothing says nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Others
from constructions.network.transformer import Transformer
from proofs.floats.execution.execution import Execution, Pushed, Sum
from proofs.floats.execution.orders import ASCENDING, Order, Way
from proofs.floats.execution.replay import Refutation, find_fault, held_or_none, truths_made
from proofs.floats.execution.run import FloatRun
from proofs.floats.execution.words import adverse_words
from proofs.floats.run_class import RunClass
from proofs.obligations.composition import Write, writes
from proofs.refutation.plain_words import Word
from proofs.replay import Reading

DEFAULT_WORK = 300_000
"""Scores that may be computed at one length: some 10 seconds on one core of 2024."""
ROWS = 4096
"""So many positions are looked at in one word, over its length: all of a short one, fewer of a long one."""
LEAST_ROWS = 8
SEEDS = 3
DOWNWARD = 4
"""So many shorter lengths are tried before the least one is reported: whether one is wrong is not monotone."""
SMALL = 8
"""Lengths up to this one are tried in turn."""


@dataclass(frozen=True)
class _Candidate:
    """A row where a head was off by ``error``, above (+) or below (-)."""

    error: Fraction
    word: Word
    i: int
    write: Write
    normalised: str


@dataclass
class LengthSearch:
    """Looks for a wrong execution on the words of one length; ``work`` is how many scores may still be computed."""

    transformer: Transformer
    run_class: RunClass
    n: int
    work: int = DEFAULT_WORK
    _candidates: list[_Candidate] = field(default_factory=list)
    _readings: dict[Word, Reading] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._truths = truths_made(self.transformer)
        self._heads = [write for write in writes(self.transformer)
                       if write.place and isinstance(self.transformer.directions[write.direction], Near | Others)]

    def find(self) -> Refutation | None:
        """A wrong execution, if one is found: of the output if possible."""
        return self._run_plainly() or self._run_adversely()

    def _run_plainly(self) -> Refutation | None:
        """Every word in the likeliest executions; half of the work at most."""
        left = self.work // 2
        for word in adverse_words(self.transformer, self.n):
            for execution in plain_executions(self.run_class):
                run = FloatRun(self.transformer, word, self.run_class, execution)
                found = self._look_at_rows(run)
                left -= run.scored
                self.work -= run.scored
                if found:
                    return found
            if left <= 0:
                break
        return None

    def _look_at_rows(self, run: FloatRun) -> Refutation | None:
        found: Refutation | None = None
        for i in rows_looked_at(self.n):
            fault = self._fault_at(run, i)
            if fault and fault.direction == self.transformer.output:
                return fault
            found = found or fault
            if not found and run.execution.order == ASCENDING:
                self._candidates += self._errors_at(run, i)
        return found

    def _fault_at(self, run: FloatRun, i: int) -> Refutation | None:
        faults = (find_fault(run, self._reading(run.word), i, name) for name in self._truths)
        return next(filter(None, faults), None)

    def _reading(self, word: Word) -> Reading:
        if word not in self._readings:
            self._readings[word] = Reading(word)
        return self._readings[word]

    def _errors_at(self, run: FloatRun, i: int) -> Iterator[_Candidate]:
        """How far the heads are off at position i, where their meaning says something."""
        reading = self._reading(run.word)
        for write in self._heads:
            meaning = self.transformer.directions[write.direction]
            if isinstance(meaning, Near):
                aim = Fraction(reading.truth(meaning.formula, i)) if reading.truth(meaning.when, i) else None
            else:
                assert isinstance(meaning, Others)
                aim = Fraction(reading.count(meaning.count, i) - reading.truth(meaning.count.operand, i))
            held = held_or_none(run, write.direction, i)
            if aim is not None and held is not None:
                yield _Candidate(held - aim or -aim, run.word, i, write, run.execution.normalised)

    def _run_adversely(self) -> Refutation | None:
        """The rows that were furthest off, in adverse executions, until the work is done."""
        self._candidates.sort(key=lambda one: -abs(one.error))
        for candidate in self._candidates:
            for execution in self._adverse_executions(candidate):
                run = FloatRun(self.transformer, candidate.word, self.run_class, execution)
                fault = self._fault_at(run, candidate.i)
                self.work -= run.scored
                if fault:
                    return fault
                if self.work <= 0:
                    return None
        return None

    def _adverse_executions(self, candidate: _Candidate) -> Iterator[Execution]:
        pushed = self._push(candidate)
        for execution in adverse_executions(candidate.normalised, candidate.error > 0):
            yield replace(execution, base=_base(self.run_class), pushed=(pushed,))
        for seed in range(1, SEEDS + 1):
            yield replace(_plain(self.run_class, candidate.normalised), order=Order(Way.DRAWN, seed), pushed=(pushed,))
        if self.run_class.exp_base == "either":
            yield replace(_plain(self.run_class, candidate.normalised), base="2", pushed=(pushed,))

    def _push(self, candidate: _Candidate) -> Pushed:
        """The exponentials at greater values up and the others down, if the head is off upward; else the reverse."""
        write, i = candidate.write, candidate.i
        run = FloatRun(self.transformer, candidate.word, self.run_class,
                       _plain(self.run_class, candidate.normalised))
        held = held_or_none(run, write.direction, i) or Fraction(0)
        values = run.values_seen(write.layer, write.place, write.direction, i)
        more, less = "+-" if candidate.error > 0 else "-+"
        return Pushed(write.layer, write.place, i, "".join(more if value > held else less for value in values))


def rows_looked_at(n: int) -> list[int]:
    """All positions of short words; of long ones the first, the last and some between.

    >>> rows_looked_at(3), len(rows_looked_at(64)), rows_looked_at(1024)[:3]
    ([3, 2, 1], 64, [1024, 1023, 896])
    """
    number = max(LEAST_ROWS, ROWS // n)
    if n <= number:
        return list(range(n, 0, -1))
    return sorted({*range(n, 0, -(n // number)), n - 1, 3, 2, 1}, reverse=True)


def plain_executions(run_class: RunClass) -> list[Execution]:
    """What a plain program would do, in one order and in another."""
    return [replace(_plain(run_class, normalised), order=order)
            for normalised in _normalisations(run_class) for order in (ASCENDING, Order(Way.BALANCED))]


def adverse_executions(normalised: str, upward: bool) -> list[Execution]:
    """Orders of the two sums of a head that make its output greater (less), unfused or fused, subnormals flushed.

    To add the largest terms first loses most of a sum whose terms decrease fast; to add them last, least.
    """
    losing, keeping = Order(Way.LARGEST_FIRST), Order(Way.SMALLEST_FIRST)
    likely = (losing, keeping) if upward else (keeping, losing)
    orders: list[Mapping[Sum, Order]] = [{Sum.DENOMINATOR: denominator, Sum.WEIGHTED: weighted}
                                         for denominator, weighted in (likely, likely[:1] * 2, likely[1:] * 2)]
    executions = [Execution(normalised=normalised, orders=each) for each in orders]
    first = executions[0]
    return [*executions, replace(first, flush=True), replace(first, fused=True),
            replace(first, fused=True, order=Order(Way.DESCENDING)), Execution(normalised=normalised)]


def _plain(run_class: RunClass, normalised: str) -> Execution:
    return Execution(normalised=normalised, base=_base(run_class))


def _normalisations(run_class: RunClass) -> tuple[str, ...]:
    return ("before", "after") if run_class.normalised == "either" else (run_class.normalised,)


def _base(run_class: RunClass) -> str:
    return "e" if run_class.exp_base == "either" else run_class.exp_base


def find_wrong(transformer: Transformer, run_class: RunClass, n: int, work: int = DEFAULT_WORK) -> Refutation | None:
    """A wrong execution on some word of length n, if one is found; None says nothing about the class.

    Raises:
        InputError: if the class asks for exponentials that no format has.
        Unsupported: if such networks have no float runs.
    """
    return LengthSearch(transformer, run_class, n, work).find()


def find_first_wrong(transformer: Transformer, run_class: RunClass, lengths: Lengths,
                     work: int = DEFAULT_WORK) -> Refutation | None:
    """The *first refuted length*: the least at which the search finds a wrong execution, and that execution.

    Short lengths are tried in turn, longer ones by growing halves; then the interval is halved, and some lengths below
    are tried. Shorter words may err that the search does not find.

    Raises:
        InputError: if the class asks for exponentials that no format has.
        Unsupported: if such networks have no float runs.
    """
    right, found = lengths.first - 1, None
    for n in growing_lengths(lengths):
        if found := find_wrong(transformer, run_class, n, work):
            break
        right = n
    if found is None:
        return None
    return _descend(transformer, run_class, lengths.first, right, found, work)


def _descend(transformer: Transformer, run_class: RunClass, first: int, right: int, found: Refutation,
             work: int) -> Refutation:
    """From a length at which nothing was found and one that is wrong to the least that is found wrong."""
    while found.n - right > 1:
        middle = (right + found.n) // 2
        shorter = find_wrong(transformer, run_class, middle, work)
        found, right = (shorter, right) if shorter else (found, middle)
    while shorter := next(filter(None, (find_wrong(transformer, run_class, n, work)
                                        for n in range(found.n - 2, max(found.n - 2 - DOWNWARD, first - 1), -1)
                                        if n > SMALL)), None):
        found = shorter
    return found


def growing_lengths(lengths: Lengths) -> Iterator[int]:
    """Short ones in turn, then half as long again each time, and the last.

    >>> list(growing_lengths(Lengths(1, 64)))
    [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64]
    """
    powers = itertools.chain.from_iterable((SMALL << k, (SMALL << k) * 3 // 2) for k in itertools.count())
    longer = itertools.takewhile(lambda n: n < lengths.last, powers)
    small = range(lengths.first, min(SMALL, lengths.last) + 1)
    yield from dict.fromkeys([*small, lengths.first, *(n for n in longer if n > lengths.first), lengths.last])
