"""Formulas as an automaton that reads a word from the left and guesses the future; exactly one guess is right.

State       After position j: of ``prev φ`` the truth of φ at j; of a ``since`` its own truth at j; of a count to the
            left its value. Announced: of ``next φ`` the truth of φ at j + 1; of an ``until`` its own truth there; of a
            count to the right its value from j + 1 on.
Judged      The truth of one formula is needed at one position i. An operator or count that no other one contains is
            tracked only where needed: the announced ones from i on, the remembered ones up to i; elsewhere it is 0.
            Of formulas that are judged ``everywhere`` all is tracked, and no position is THERE or BEHIND.
Claim       Each word has exactly one run that begins in ``starts`` and ends in ``end``, and the truths along it are
            those of the semantics. At each position the remembered values follow from the letter, and the announced
            truth must hold: by induction from the right, where nothing is true and every count is 0, all announced
            values are right; by induction from the left all remembered ones are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from constructions.language import syntax
from constructions.language.positional import connective, mentions_length, positional_truth
from constructions.language.predicates import definition_of
from constructions.language.semantics import RELATIONS

Behind = tuple[int, ...]
"""Remembered values: truths as 0 and 1, and counts."""
Ahead = tuple[int, ...]
"""Announced values: truths as 0 and 1, and counts."""
State = tuple[Behind, Ahead]
Step = tuple[State, int]
"""The next state, and the truths of the formulas at the position that was read; bit 0 is that of the first."""
Remembering = syntax.Previous | syntax.Since | syntax.Count
Announcing = syntax.Next | syntax.Until | syntax.Count
MOST_CACHED = 200_000


class Direction(IntEnum):  # with quick hashes
    """The direction of a position from the judged one."""

    BEFORE = -1
    THERE = 0
    BEHIND = 1


@dataclass(frozen=True)
class _ReadPosition:
    """One position that is read."""

    letter: str
    i: int
    n: int
    side: Direction


class FormulaRuns:
    """The automaton of one formula, or of several that are judged at every position."""

    def __init__(self, *formulas: syntax.Formula, everywhere: bool = False) -> None:
        self.formulas = formulas
        self.parts = syntax.subformulas_of_all(formulas)
        counts = dict.fromkeys(count for part in self.parts for count in syntax.counts_of(part))
        self.behind: tuple[Remembering, ...] = (
            *(part for part in self.parts if isinstance(part, syntax.Previous | syntax.Since)),
            *(count for count in counts if count.side == "left"))
        self.ahead: tuple[Announcing, ...] = (
            *(part for part in self.parts if isinstance(part, syntax.Next | syntax.Until)),
            *(count for count in counts if count.side == "right"))
        inner = dict.fromkeys(_below(self.parts, counts))
        within = {*inner, *(count for part in inner for count in syntax.counts_of(part))}
        self.outer = frozenset(one for one in (*self.behind, *self.ahead) if one not in within and not everywhere)
        self.mentions_length = any(map(mentions_length, formulas))
        self._by_position = [part for part in self.parts if isinstance(part, syntax.Predicate)]
        self._steps: dict[tuple[object, ...], tuple[Step, ...]] = {}
        self._latest: tuple[tuple[int, int], tuple[int, ...]] = (0, 0), ()

    @property
    def is_past(self) -> bool:
        """True if nothing is announced: the truth at a position depends on the letters up to it."""
        return not self.ahead

    @property
    def guesses(self) -> int:
        """The greatest number of announcements that a step chooses among, without counts."""
        return 1 << sum(1 for one in self.ahead if not isinstance(one, syntax.Count))

    def starts(self, n: int) -> Iterator[State]:
        """Yield the states before the first letter: nothing is remembered, anything may be announced."""
        values = [range(1) if one in self.outer else range(n + 1) if isinstance(one, syntax.Count) else range(2)
                  for one in self.ahead]
        behind = (0,) * len(self.behind)
        return ((behind, ahead) for ahead in product(*values))

    def may_differ(self, one: State, other: State) -> bool:
        """Return whether words that differ at one position can have these starts (counts of letters within 1)."""
        return all(abs(x - y) <= 1 for part, x, y in zip(self.ahead, one[1], other[1], strict=True)
                   if isinstance(part, syntax.Count) and syntax.is_symbolic(part.operand))

    @property
    def end(self) -> Ahead:
        """The announced values after the last letter."""
        return (0,) * len(self.ahead)

    def context(self, i: int, n: int) -> tuple[int, ...]:
        """Return the key that determines the steps at a position, besides state, letter and side."""
        if (i, n) != self._latest[0]:
            truths = [positional_truth(part, i, n) for part in self._by_position]
            self._latest = (i, n), (n if self.mentions_length else 0, *truths)
        return self._latest[1]

    def steps(self, state: State, letter: str, i: int, n: int, side: Direction = Direction.THERE) -> tuple[Step, ...]:
        """Return the states after position i that fit the letter and the announced values; few, and often one."""
        counts_left = n - i if side is Direction.THERE and self.ahead else 0
        key = (state, letter, side, counts_left, *self.context(i, n))
        if key not in self._steps:
            if len(self._steps) > MOST_CACHED:
                self._steps.clear()
            self._steps[key] = tuple(self._fitting(state, _ReadPosition(letter, i, n, side)))
        return self._steps[key]

    def _fitting(self, state: State, place: _ReadPosition) -> Iterator[Step]:
        for guess in product(*(self._guesses(one, place) for one in self.ahead)):
            reading = _PositionTruths(self, state, guess, place)
            ahead = tuple(reading.announced(number, one) for number, one in enumerate(self.ahead))
            if reading.fits and min(ahead, default=0) >= 0:
                truths = sum(reading.truths[formula] << k for k, formula in enumerate(self.formulas))
                yield (tuple(map(reading.remembered, self.behind)), ahead), truths

    def _guesses(self, one: Announcing, place: _ReadPosition) -> range:
        """Return the guesses: the value of a count where it begins to be tracked; else the announced truth."""
        if one in self.outer and place.side is Direction.BEFORE:
            return range(1)
        if not isinstance(one, syntax.Count):
            return range(2)
        return range(place.n - place.i + 2) if one in self.outer and place.side is Direction.THERE else range(1)


def _below(parts: Iterable[syntax.Formula], counts: Iterable[syntax.Count]) -> Iterator[syntax.Formula]:
    """Yield the formulas inside temporal operators and counts."""
    for part in parts:
        if isinstance(part, syntax.Previous | syntax.Next | syntax.Since | syntax.Until):
            for operand in syntax.operands(part):
                yield from syntax.subformulas(operand)
    for count in counts:
        yield from syntax.subformulas(count.operand)


class _PositionTruths:
    """All truths at one position, from the letter, the remembered values and the guessed future."""

    def __init__(self, runs: FormulaRuns, state: State, guess: Ahead, place: _ReadPosition) -> None:
        self.place, self.guess = place, guess
        self.unasked = runs.outer if place.side is Direction.BEHIND else frozenset()
        self.unannounced = runs.outer if place.side is not Direction.BEHIND else frozenset()
        self.before = dict(zip(runs.behind, state[0], strict=True))
        self.here = dict(zip(runs.ahead, state[1], strict=True))
        if place.side is Direction.THERE:
            self.here |= {one: value for one, value in zip(runs.ahead, guess, strict=True)
                          if isinstance(one, syntax.Count) and one in runs.outer}
        self.after = dict(zip(runs.ahead, guess, strict=True))
        self.truths: dict[syntax.Formula, bool] = {}
        for part in runs.parts:
            self.truths[part] = self._truth(part)

    @property
    def fits(self) -> bool:
        """True if the announced values of this position hold."""
        return all(self.truths[one.operand if isinstance(one, syntax.Next) else one] == announced
                   for one, announced in self.here.items()
                   if not isinstance(one, syntax.Count) and one not in self.unannounced)

    def remembered(self, one: Remembering) -> int:
        """Return the value that the next state remembers."""
        if one in self.unasked:
            return 0
        match one:
            case syntax.Count():
                return self._count(one)
            case syntax.Previous(operand):
                return int(self.truths[operand])
        return int(self.truths[one])

    def announced(self, number: int, one: Announcing) -> int:
        """Return the value that the next state announces; for a count the rest of it, below 0 if that is impossible."""
        if not isinstance(one, syntax.Count):
            return self.guess[number]
        if one in self.unannounced and self.place.side is Direction.BEFORE:
            return 0
        return self.here[one] - self.truths[one.operand]

    def _truth(self, part: syntax.Formula) -> bool:
        match part:
            case syntax.Symbol(symbol):
                return self.place.letter == symbol
            case syntax.Predicate():
                return positional_truth(part, self.place.i, self.place.n)
            case syntax.Previous():
                return bool(self.before[part])
            case syntax.Next():
                return bool(self.after[part])
            case syntax.Since(left, right):
                return self.truths[left] and (self.truths[right] or bool(self.before[part]))
            case syntax.Until(left, right):
                return self.truths[left] and (self.truths[right] or bool(self.after[part]))
        return self._truth_of_counts(part)

    def _truth_of_counts(self, part: syntax.Formula) -> bool:
        match part:
            case syntax.PredicateOnCount(parameters=parameters, count=count):
                return definition_of(part).holds(self._count(count), self.place.n, parameters)
            case syntax.PredicateOnSum(parameters=parameters, term=term):
                return definition_of(part).holds(self._term(term), self.place.n, parameters)
            case syntax.Comparison(relation, left, right):
                return RELATIONS[relation](self._term(left), self._term(right))
        truth = connective(part, tuple(self.truths[operand] for operand in syntax.operands(part)))
        assert truth is not None, f"not a formula: {type(part).__name__}"
        return truth

    def _count(self, count: syntax.Count) -> int:
        """Return the value of a count here: counted before and here, or announced from here on."""
        return self.here[count] if count.side == "right" else self.before[count] + self.truths[count.operand]

    def _term(self, term: syntax.Term) -> int:
        return sum(number * self._count(count) for number, count in term.coefficients) + term.constant
