"""The tracker of a claim: a state of prefixes that determines which cases hold, now and after more letters.

Source      docs/reference/trained.md, section 4: the automaton's state, and the memory of past formulas. That is the
            truths of the operands of ``prev`` and of ``since`` one position ago, and for comparisons and predicates one
            *counter* for each combination of counts that they read; the position itself is the count of ``true``.
Smaller     A counter that never decreases is reduced modulo what its readers distinguish (ODD: modulo 2; a comparison
            with 7: all values above 7 are equal). Prefixes with equal states have the same cases now and ever after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, lcm
from typing import NamedTuple

from constructions.errors import Unsupported
from constructions.language import syntax
from constructions.language.positional import connective
from constructions.language.predicates import definition_of
from constructions.language.semantics import RELATIONS, satisfies
from constructions.trained.claim import WordsClaim, find_what_is_not_past_only

_PERIODS = {"ODD": (0, 2), "EVEN": (0, 2), "FIRST": (2, 1)}
_ANY_LENGTH = 1  # the predicates of past-only formulas do not depend on n
Combination = tuple[tuple[int, syntax.Count], ...]


class State(NamedTuple):
    """The state of a tracker; equal states have the same future, and the same cases hold in them.

    ``automaton`` is the state of the claim's automaton (0 without one), ``truths`` those of the remembered formulas.
    ``counters`` are the reduced combinations of counts, ``cases`` the indices of the cases that hold, ascending.
    """

    automaton: int
    truths: tuple[bool, ...]
    counters: tuple[int, ...]
    cases: tuple[int, ...]


@dataclass(frozen=True)
class Counter:
    """A counter Σ coefficient · count, exact below ``exact_below``, from there on modulo ``modulus``."""

    combination: Combination
    exact_below: int = 0
    modulus: int | None = None

    def reduced(self, value: int) -> int:
        """Return the representative of the value."""
        if self.modulus is None or value < self.exact_below:
            return value
        return self.exact_below + (value - self.exact_below) % self.modulus


def track(claim: WordsClaim) -> Tracker:
    """Return the tracker of a claim.

    Raises:
        Unsupported: if a formula looks ahead, counts to the right or mentions n.
    """
    found = find_what_is_not_past_only(claim)
    if found is not None:
        raise Unsupported(f"{found} looks ahead or depends on the length: prefixes do not decide it")
    return Tracker(claim)


class Tracker:
    """A reader of words letter by letter; ``track`` makes one."""

    def __init__(self, claim: WordsClaim) -> None:
        self.claim = claim
        self.formulas = claim.formulas
        self.parts = _parts_of(self.formulas)
        self.remembered = list(_read_later(self.parts))
        self.reads = {part: reading for part in self.parts if (reading := _reading_of(part)).combination}
        self.counters = _counters_of(self.reads)
        self.place_of = {counter.combination: place for place, counter in enumerate(self.counters)}
        self.steps: dict[tuple[State, int], State] = {}
        self.cached_cases: dict[tuple[int, tuple[bool, ...]], tuple[int, ...]] = {}
        automaton = claim.automaton.start if claim.automaton else 0
        self.start = State(automaton, (False,) * len(self.remembered), (0,) * len(self.counters),
                           self._holding(automaton, {}))

    def step(self, state: State, letter: int) -> State:
        """Return the state after one more letter, an index into the alphabet."""
        after = self.steps.get((state, letter))
        if after is None:
            after = self.steps[state, letter] = self._step(state, letter)
        return after

    def cases(self, state: State) -> tuple[int, ...]:
        """Return the indices of the cases that hold in a state, ascending."""
        return state.cases

    def _step(self, state: State, letter: int) -> State:
        automaton = self.claim.automaton.steps[state.automaton][letter] if self.claim.automaton else 0
        reading = _LetterStep(self, state, self.claim.alphabet[letter])
        for part in self.parts:
            reading.truths[part] = reading.truth(part)
        return State(automaton, tuple(reading.truths[part] for part in self.remembered),
                     tuple(map(reading.counter, range(len(self.counters)))), self._holding(automaton, reading.truths))

    def _holding(self, automaton: int, truths: Mapping[syntax.Formula, bool]) -> tuple[int, ...]:
        """Return the cases that hold; a formula without a truth, before the first letter, does not."""
        key = automaton, tuple(truths.get(formula, False) for formula in self.formulas)
        if key not in self.cached_cases:
            whens = [case.when for case in self.claim.cases]
            self.cached_cases[key] = tuple(index for index, when in enumerate(whens)
                                   if (when.formula is None or truths.get(when.formula, False))
                                   and (when.states is None or automaton in when.states))
        return self.cached_cases[key]


class _LetterStep:
    """One letter being read: the truths so far of this position, in the order of the parts."""

    def __init__(self, tracker: Tracker, state: State, symbol: str) -> None:
        self.tracker = tracker
        self.before = dict(zip(tracker.remembered, state.truths, strict=True))
        self.counted = state.counters
        self.symbol = symbol
        self.truths: dict[syntax.Formula, bool] = {}

    def truth(self, part: syntax.Formula) -> bool:
        """Return the truth of a part whose operands have their truths."""
        match part:
            case syntax.Symbol(symbol):
                return symbol == self.symbol
            case syntax.Previous(operand):
                return self.before[operand]
            case syntax.Since(left, right):
                return self.truths[left] and (self.truths[right] or self.before[part])
            case (syntax.Predicate(_, parameters) | syntax.PredicateOnCount(_, parameters)
                  | syntax.PredicateOnSum(_, parameters)):
                return definition_of(part).holds(self.value(part), _ANY_LENGTH, parameters)
            case syntax.Comparison(relation):
                return RELATIONS[relation](self.value(part) + syntax.difference(part).constant, 0)
        truth = connective(part, tuple(self.truths[operand] for operand in syntax.operands(part)))
        assert truth is not None, f"not past-only: {part!r}"
        return truth

    def value(self, part: syntax.Formula) -> int:
        """Return the number that a comparison (without its constant) or a predicate reads."""
        reads = self.tracker.reads.get(part)
        return reads.factor * self.counter(self.tracker.place_of[reads.combination]) if reads else 0

    def counter(self, place: int) -> int:
        """Return a counter with this position counted, once the operands of its counts have their truths."""
        counter = self.tracker.counters[place]
        added = sum(number for number, count in counter.combination
                    if count.operand is syntax.TRUE or self.truths[count.operand])
        return counter.reduced(self.counted[place] + added)


def cases_at(claim: WordsClaim, word: Sequence[str], place: int) -> tuple[int, ...]:
    """Return the indices of the cases that hold at a place (0 … n) of a word, by the language's own evaluation.

    Raises:
        InputError: if a symbol is not in the alphabet.
    """
    letters = claim.letters(word)
    state = claim.automaton.read(letters[:place]) if claim.automaton else 0
    truths = {formula: satisfies(formula, word, place) for formula in claim.formulas} if place else {}
    return tuple(index for index, case in enumerate(claim.cases)
                 if (case.when.formula is None or truths.get(case.when.formula, False))
                 and (case.when.states is None or state in case.when.states))


def _parts_of(formulas: Iterable[syntax.Formula]) -> list[syntax.Formula]:
    """Return all subformulas, each once and after its own."""
    return list(dict.fromkeys(part for formula in formulas for part in syntax.subformulas(formula)))


def _read_later(parts: Iterable[syntax.Formula]) -> dict[syntax.Formula, None]:
    """Return the formulas whose truth at one position is read at the next."""
    later: dict[syntax.Formula, None] = {}
    for part in parts:
        if isinstance(part, syntax.Previous):
            later[part.operand] = None
        elif isinstance(part, syntax.Since):
            later[part] = None
    return later


class _Reads(NamedTuple):
    """A combination of counts in lowest terms, its first coefficient positive, and its factor."""

    factor: int
    combination: Combination


def _reading_of(part: syntax.Formula) -> _Reads:
    """Return the counts that decide the part; no combination if it reads none."""
    if isinstance(part, syntax.Predicate):
        return _Reads(1, ((1, syntax.Count("left", syntax.TRUE)),))
    if isinstance(part, syntax.PredicateOnCount):
        return _Reads(1, ((1, part.count),))
    summed = part.term if isinstance(part, syntax.PredicateOnSum) else None
    term = syntax.difference(part) if isinstance(part, syntax.Comparison) else summed
    if term is None or not term.coefficients:
        return _Reads(0, ())
    coefficients = sorted(term.coefficients, key=lambda pair: str(pair[1].operand))
    factor = gcd(*(number for number, _ in coefficients))
    factor = factor if coefficients[0][0] > 0 else -factor
    return _Reads(factor, tuple((number // factor, count) for number, count in coefficients))


def _counters_of(reads: Mapping[syntax.Formula, _Reads]) -> list[Counter]:
    readers: dict[Combination, list[syntax.Formula]] = {}
    for part, reading in reads.items():
        readers.setdefault(reading.combination, []).append(part)
    return [_counter(combination, its_readers) for combination, its_readers in readers.items()]


def _counter(combination: Combination, readers: Sequence[syntax.Formula]) -> Counter:
    """Build a counter; it is reduced only if it never decreases and each reader has a period."""
    if min(number for number, _ in combination) < 0:
        return Counter(combination)
    exact_below, modulus = 0, 1
    for reader in readers:
        period = _period(reader)
        if period is None:
            return Counter(combination)
        exact_below, modulus = max(exact_below, period[0]), lcm(modulus, period[1])
    return Counter(combination, exact_below, modulus)


def _period(reader: syntax.Formula) -> tuple[int, int] | None:
    """Return the value from which on the truth of the reader repeats, and its period; None if unknown."""
    if isinstance(reader, syntax.Comparison):
        return _last_change(reader), 1
    if not isinstance(reader, syntax.Predicate | syntax.PredicateOnCount) or reader.definition is not None:
        return None
    if reader.name == "MOD":
        return 0, reader.parameters[0]
    return _PERIODS.get(reader.name)


def _last_change(comparison: syntax.Comparison) -> int:
    """Return a value of the comparison's combination, which is 0 or more, from which on its truth is constant."""
    constant, factor = syntax.difference(comparison).constant, _reading_of(comparison).factor

    def truth(value: int) -> bool:
        return RELATIONS[comparison.relation](factor * value + constant, 0)

    beyond = max(0, -constant // factor + 1)
    return beyond - 1 if beyond and truth(beyond - 1) == truth(beyond) else beyond
