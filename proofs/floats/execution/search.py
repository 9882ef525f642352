"""Search for an execution with a wrong output, at one length or at the least one at which it finds one.

At one length, the worst words of the heads are run adversely at the position where they are worst: exponentials of that
head's row pushed to the worse ends, sums in the orders with the greatest errors, fused or not, subnormals flushed. Then
many words are run in plain executions, at many positions, and adversely where an approximate truth or number had the
greatest error. Every result was replayed in integers. Work is counted, not timed, so that every search finds the same.
A search that finds nothing proves nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import Meaning, Near, Others
from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.exponentials import LEAST_ULP
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.execution.execution import Execution, OrderedSum, Pushed
from proofs.floats.execution.orders import ASCENDING, Order, OrderKind
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.replay import Refutation, find_fault, find_number, truths_made
from proofs.floats.execution.run import FloatRun
from proofs.floats.execution.words import block_words, likely_words
from proofs.floats.execution.worst_words import find_worst_words
from proofs.formula.composition import Write, writes
from proofs.formula.refutation.plain_words import Word
from proofs.words.replay import WordMeanings

DEFAULT_WORK = 300_000
"""Work at one length, in scores computed; an execution costs some more. Some 20 seconds on a core of 2024."""
WORK_OF_A_RUN = 30
ROWS = 4096
"""Positions checked in one word, times its length: all of a short one, fewer of a long one."""
LEAST_ROWS = 8
WORST_ROWS = 6
"""Rows of each head that are run adversely."""
SEEDS = 3
WORK_ON_BLOCKS = 8
"""Work for words of two blocks, of all lengths together, in units of the work at one length."""
DOWNWARD = 4
"""Shorter lengths that are tried before the least one is reported: wrongness is not monotone in length."""


@dataclass(frozen=True)
class _Candidate:
    """A row where a head had this signed ``error``."""

    error: Fraction
    word: Word
    i: int
    write: Write
    normalised: str


@dataclass
class LengthSearch:
    """Search for a wrong execution on words of one length; ``work`` is the remaining work."""

    program: FloatProgram
    n: int
    work: int = DEFAULT_WORK
    _candidates: dict[object, _Candidate] = field(default_factory=dict)
    _readings: dict[Word, WordMeanings] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.transformer, self.run_class = self.program.transformer, self.program.run_class
        self._truths = truths_made(self.transformer)
        self._heads = [write for write in writes(self.transformer)
                       if write.place and isinstance(self.transformer.directions[write.direction], Near | Others)]

    def find(self) -> Refutation | None:
        """Return a wrong execution, if one is found: of the output if possible."""
        if self.run_class.exp_ulp < LEAST_ULP:
            return None
        return (self._run_adversely(self._worst_words(), self.work // 3) or self._run_plainly(self.work // 3)
                or self._run_adversely(self._worst_rows(), 0))

    def find_in_blocks(self) -> Refutation | None:
        """Return a wrong plain execution on a word of two blocks, while there is work left.

        Positions are the first one, and the beginning of the second block, where truths change.
        """
        if self.run_class.exp_ulp < LEAST_ULP:
            return None
        for word, first in block_words(self.transformer.alphabet, self.n):
            run = FloatRun(self.program, word, plain_executions(self.run_class)[0])
            fault = self._fault_at(run, 1) or self._fault_at(run, first + 1)
            self._charge(run)
            if fault or self.work <= 0:
                return fault
        return None

    def _worst_words(self) -> Iterator[_Candidate]:
        """Yield the worst words of every head, and the rows and truths for which they are made."""
        of_head: Counter[Write] = Counter()
        for one in find_worst_words(self.program, self.n, plain_executions(self.run_class)[0]):
            of_head[one.write] += 1
            if of_head[one.write] <= WORST_ROWS:
                for normalised in _normalisations(self.run_class):
                    yield _Candidate(one.margin - 1 if one.truth else 1 - one.margin, one.word, one.i, one.write,
                                     normalised)

    def _run_plainly(self, kept: int) -> Refutation | None:
        """Run every word in the likeliest executions, while more than ``kept`` of the work is left."""
        for word in likely_words(self.transformer.alphabet, self.n):
            for execution in plain_executions(self.run_class):
                run = FloatRun(self.program, word, execution)
                found = self._check_rows(run)
                self._charge(run)
                if found:
                    return found
            if self.work <= kept:
                break
        return None

    def _charge(self, run: FloatRun) -> None:
        self.work -= run.scored + WORK_OF_A_RUN

    def _check_rows(self, run: FloatRun) -> Refutation | None:
        found: Refutation | None = None
        for i in checked_rows(self.n):
            fault = self._fault_at(run, i)
            if fault and fault.direction == self.transformer.output:
                return fault
            found = found or fault
            if not found and run.execution.order == ASCENDING:
                for one in self._errors_at(run, i):
                    self._candidates.setdefault((one.write, one.normalised, one.i, one.error), one)
        return found

    def _fault_at(self, run: FloatRun, i: int) -> Refutation | None:
        faults = (find_fault(run, self._reading(run.word), i, name) for name in self._truths)
        return next(filter(None, faults), None)

    def _reading(self, word: Word) -> WordMeanings:
        if word not in self._readings:
            self._readings[word] = WordMeanings(word)
        return self._readings[word]

    def _errors_at(self, run: FloatRun, i: int) -> Iterator[_Candidate]:
        """Yield the errors of the heads at position i, where their meaning determines a value."""
        reading = self._reading(run.word)
        for write in self._heads:
            aim = _aim(self.transformer.directions[write.direction], reading, i)
            number = find_number(run, write.direction, i)
            if aim is not None and number is not None:
                # Without an error, a false truth can only err upward, and a true one downward.
                error = number - aim or (Fraction(-aim, 10**9) if aim else Fraction(1, 10**9))
                yield _Candidate(error, run.word, i, write, run.execution.normalised)

    def _run_adversely(self, candidates: Iterable[_Candidate], kept: int) -> Refutation | None:
        """Run rows in adverse executions, while more than ``kept`` of the work is left."""
        for candidate in candidates:
            for execution in self._adverse_executions(candidate):
                run = FloatRun(self.program, candidate.word, execution)
                fault = self._fault_at(run, candidate.i)
                self._charge(run)
                if fault:
                    return fault
                if self.work <= kept:
                    return None
        return None

    def _worst_rows(self) -> list[_Candidate]:
        """Return the worst rows of every head, the worst of all first."""
        ranked = sorted(self._candidates.values(), key=lambda one: -abs(one.error))
        by_head: dict[object, list[_Candidate]] = {}
        for one in ranked:
            by_head.setdefault((one.write, one.normalised), []).append(one)
        chosen = [one for candidates in by_head.values() for one in candidates[:WORST_ROWS]]
        return sorted(chosen, key=lambda one: -abs(one.error))

    def _adverse_executions(self, candidate: _Candidate) -> Iterator[Execution]:
        plain = Execution(normalised=candidate.normalised, base=_base(self.run_class))
        pushed = self._push(candidate, plain)
        for orders in adverse_orders(candidate.error > 0):
            yield replace(plain, orders=orders, pushed=(pushed,))
            if self.run_class.exp_base == "either":
                yield replace(plain, base="2", orders=orders, pushed=(pushed,))
        likely = replace(plain, orders=adverse_orders(candidate.error > 0)[0], pushed=(pushed,))
        yield replace(likely, flush=True)
        yield replace(likely, fused=True)
        yield replace(likely, fused=True, order=Order(OrderKind.DESCENDING))
        for seed in range(1, SEEDS + 1):
            yield replace(plain, order=Order(OrderKind.DRAWN, seed), pushed=(pushed,))

    def _push(self, candidate: _Candidate, plain: Execution) -> Pushed:
        """Push exponentials at greater values up and the others down, if the error is positive; else the reverse."""
        write, i = candidate.write, candidate.i
        run = FloatRun(self.program, candidate.word, plain)
        number = find_number(run, write.direction, i) or Fraction(0)
        values = run.values_seen(write.layer, write.place, write.direction, i)
        more, less = "+-" if candidate.error > 0 else "-+"
        return Pushed(write.layer, write.place, i, "".join(more if value > number else less for value in values))


def _aim(meaning: Meaning, reading: WordMeanings, i: int) -> Fraction | None:
    """Return the truth or the number that a direction approximates at position i; None where it may be anything."""
    if isinstance(meaning, Near):
        return Fraction(reading.truth(meaning.formula, i)) if reading.truth(meaning.when, i) else None
    assert isinstance(meaning, Others)
    return Fraction(reading.count(meaning.count, i) - reading.truth(meaning.count.operand, i))


def checked_rows(n: int) -> list[int]:
    """Return all positions of short words; for long ones the first, the last and some between.

    >>> checked_rows(3), len(checked_rows(64)), checked_rows(1024)[:3]
    ([3, 2, 1], 64, [1024, 1023, 896])
    """
    number = max(LEAST_ROWS, ROWS // n)
    if n <= number:
        return list(range(n, 0, -1))
    return sorted({*range(n, 0, -(n // number)), n - 1, 3, 2, 1}, reverse=True)


def plain_executions(run_class: FloatModel) -> list[Execution]:
    """Return the executions of a plain program, in two orders."""
    return [Execution(order, normalised=normalised, base=_base(run_class))
            for normalised in _normalisations(run_class) for order in (ASCENDING, Order(OrderKind.BALANCED))]


def adverse_orders(upward: bool) -> list[Mapping[OrderedSum, Order]]:
    """Return orders of the two sums of a head that make its output greater (or less), the likeliest first.

    Sums whose terms decrease fast lose most if the largest terms are added first, and least if last.
    """
    losing, keeping = Order(OrderKind.LARGEST_FIRST), Order(OrderKind.SMALLEST_FIRST)
    likely = (losing, keeping) if upward else (keeping, losing)
    return [{OrderedSum.DENOMINATOR: denominator, OrderedSum.WEIGHTED: weighted}
            for denominator, weighted in (likely, likely[:1] * 2, likely[1:] * 2)]


def _normalisations(run_class: FloatModel) -> tuple[str, ...]:
    return ("before", "after") if run_class.normalised == "either" else (str(run_class.normalised),)


def _base(run_class: FloatModel) -> str:
    return "e" if run_class.exp_base == "either" else str(run_class.exp_base)


def find_first_wrong(transformer: Transformer, run_class: FloatModel, lengths: Lengths,
                     work: int = DEFAULT_WORK) -> Refutation | None:
    """Return a wrong execution on words as short as the search finds one; shorter ones may exist.

    The longest words are tried first, since their errors are greatest, then some shorter ones; then all words of
    two blocks, the shortest first. From a wrong length the interval down to the first length is bisected, and at
    last some lengths below are tried.

    Raises:
        Unsupported: if no rule covers such networks.
    """
    program = FloatProgram(transformer, run_class)

    def find(n: int) -> Refutation | None:
        return LengthSearch(program, n, work).find()

    found = next(filter(None, map(find, likely_lengths(lengths))), None)
    open_ones = range(lengths.first, found.n if found else lengths.last + 1)
    found = _find_in_blocks(program, open_ones, WORK_ON_BLOCKS * work) or found
    return _descend(find, lengths.first, found) if found else None


def _find_in_blocks(program: FloatProgram, lengths: range, work: int) -> Refutation | None:
    """Return a wrong execution on a word of two blocks at the least length with one, if the work suffices."""
    for n in lengths:
        search = LengthSearch(program, n, work)
        if (found := search.find_in_blocks()) or search.work <= 0:
            return found
        work = search.work
    return None


def likely_lengths(lengths: Lengths) -> list[int]:
    """Return the last length, the one before it, and those at three quarters and half of the way.

    >>> likely_lengths(Lengths(1, 64)), likely_lengths(Lengths(3, 4))
    ([64, 63, 48, 33], [4, 3])
    """
    reach = lengths.last - lengths.first
    places = (0, 1, (reach + 3) // 4, reach // 2)
    return list(dict.fromkeys(max(lengths.last - place, lengths.first) for place in places))


def _descend(find: Callable[[int], Refutation | None], first: int, found: Refutation) -> Refutation:
    """Descend from a wrong length to the least length found wrong."""
    right = first - 1
    while found.n - right > 1:
        middle = (right + found.n) // 2
        shorter = find(middle)
        found, right = (shorter, right) if shorter else (found, middle)
    while shorter := next(filter(None, map(find, _lengths_below(found.n, first))), None):
        found = shorter
    return found


def _lengths_below(n: int, first: int) -> range:
    """Return the next lengths below n except n - 1, at which nothing was found."""
    return range(n - 2, max(n - 2 - DOWNWARD, first - 1), -1)
