"""Sensitivity of a formula to the exchange of one symbol: decided for all words of a length at once.

Method      Two runs of the formula's automaton (formula_runs.py) side by side, on words that differ at one position.
            Each reachable pair of states has the set of positions p at which the exchange may have happened, as
            bits; bit 0 means that the words are equal so far. A pair of equal states after the exchange stays equal,
            and is dropped if the truths must still differ. The formula is sensitive at p, judged at i, if and only if
            a pair of runs with an exchange at p differs in the truth at i and ends as runs do. States from which no
            run ends are removed first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constructions.errors import InternalError
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, symbols_of
from proofs.words.formula_runs import Direction, FormulaRuns, State, Step

Pair = tuple[State, State]
"""Two states in ascending order."""
Layer = dict[Pair, int]
"""Pairs of states after a position, each with the positions of the exchange as bits."""
UNCHANGED = 1
Word = tuple[str, ...]
MOST_WORK = 2_000_000
"""The default budget of one query, in steps of pairs; each takes some microseconds."""


class TooMuchWork(Exception):
    """The budget is spent: nothing is decided."""


@dataclass
class Work:
    """The steps of pairs that may still be visited."""

    left: int = MOST_WORK

    def spend(self, steps: int) -> None:
        """Charge steps; raise TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork("the budget of work is spent")


@dataclass(frozen=True)
class SensitivePositions:
    """The positions p (as bits) at which an exchange changes the truth at i, over words of length n."""

    n: int
    i: int
    bits: int

    def at(self, p: int) -> bool:
        """Return whether some exchange at p changes the truth."""
        return bool(self.bits >> p & 1)


class ExchangedTruths:
    """The sensitivity of one formula over one alphabet, at many lengths and positions."""

    def __init__(self, formula: Formula, alphabet: Sequence[str], work: Work | None = None) -> None:
        self.formula, self.runs = formula, FormulaRuns(formula)
        named = symbols_of(formula)
        others = [symbol for symbol in alphabet if symbol not in named][:1]
        self.letters = [symbol for symbol in alphabet if symbol in named] + others  # all others are equivalent
        self.work = Work() if work is None else work
        self._passes: dict[int, _Pass] = {}

    def judged_at(self, n: int, i: int) -> SensitivePositions:
        """Return the positions of words of length n at which an exchange changes the truth at i.

        Raises:
            TooMuchWork: if that would take too long.
            InputError: if a user's predicate has no value somewhere.
        """
        return SensitivePositions(n, i, self._pass(n, i).found(i))

    def witness(self, n: int, i: int, p: int) -> tuple[Word, Word]:
        """Return two words that differ only at p, and in the truth at i, which is evaluated again.

        Raises:
            InternalError: if the truths are equal.
        """
        words = self._pass(n, i).words(i, p)
        first, second = (word + (self.letters[0],) * (n - len(word)) for word in words)
        if truth_values(self.formula, first)[i - 1] == truth_values(self.formula, second)[i - 1]:
            raise InternalError(f"position {i} of {first} and {second}: the truths are said to differ")
        return first, second

    def _pass(self, n: int, i: int) -> _Pass:
        """Return the pass; one serves all positions of a past formula, and all lengths if it never reads the length."""
        past = self.runs.is_past
        if past and not self.runs.mentions_length:
            longest = max(self._passes, default=0)
            if n > longest:
                self._passes = {n: _Pass(self, n, None)}
            return self._passes[max(n, longest)]
        key = n if past else -(n * (n + 1) + i)
        if key not in self._passes:
            self._passes = {key: _Pass(self, n, None if past else i)}
        return self._passes[key]


class _Pass:
    """All pairs of runs over words of one length; ``judged`` is None if each position is judged separately."""

    def __init__(self, question: ExchangedTruths, n: int, judged: int | None) -> None:
        self.question, self.n, self.judged = question, n, judged
        self.live = None if question.runs.is_past else self._live_states()
        starts = sorted(question.runs.starts(n) if self.live is None else self.live[0])
        self.layers: list[Layer] = [{(a, b): UNCHANGED for a in starts for b in starts
                                     if a <= b and question.runs.may_differ(a, b)}]
        self.changed = [0]
        for j in range(1, n + 1):
            self._read(j)

    def _live_states(self) -> list[set[State]]:
        """Return, for each position, the states after it that are reachable and from which a run ends."""
        runs, letters, work = self.question.runs, self.question.letters, self.question.work
        reached, steps = [set[State]()], list[dict[State, set[State]]]()
        for start in runs.starts(self.n):
            work.spend(1)
            reached[0].add(start)
        for j in range(1, self.n + 1):
            work.spend(len(reached[-1]) * len(letters) * runs.guesses)
            steps.append({state: {after for letter in letters for after, _ in self._announced(state, letter, j)}
                          for state in reached[-1]})
            reached.append(set().union(*steps[-1].values()))
        live = [{state for state in reached[-1] if state[1] == runs.end}]
        for into in reversed(steps):
            live.append({state for state, after in into.items() if not after.isdisjoint(live[-1])})
        return live[::-1]

    def found(self, i: int) -> int:
        """Return the bits of positions where an exchange changes the truth at i."""
        if self.judged is None:
            return self.changed[i]
        bits = 0
        for mask in self.layers[-1].values():
            bits |= mask
        return bits & ~UNCHANGED

    def _read(self, j: int) -> None:
        layer, changed = Layer(), 0
        for pair, mask in self.layers[-1].items():
            for one, other, bits, differ in self._steps(pair, mask, j):
                changed |= bits if differ else 0
                if self._is_kept(one, other, bits, j, differ):
                    key = (one, other) if one <= other else (other, one)
                    layer[key] = layer.get(key, 0) | bits
        self.layers.append(layer)
        self.changed.append(changed & ~UNCHANGED)

    def _is_kept(self, one: State, other: State, bits: int, j: int, differ: bool) -> bool:
        if self.judged is not None and j >= self.judged:
            return differ or j > self.judged
        return one != other or bool(bits & UNCHANGED)

    def _steps(self, pair: Pair, mask: int, j: int) -> Iterator[tuple[State, State, int, bool]]:
        """Yield the successors of the pair at position j, with their bits, and whether the truths differ there."""
        a, b = pair
        letters = self.question.letters
        ones = [self._after(a, letter, j) for letter in letters]
        others = ones if a == b else [self._after(b, letter, j) for letter in letters]
        self.question.work.spend(len(letters) ** 2 if mask & UNCHANGED else len(letters))
        for x, after_one in enumerate(ones):
            for y, after_other in enumerate(others):
                bits = mask if x == y else 1 << j if mask & UNCHANGED else 0
                if bits:
                    yield from ((one, other, bits, truth != truth_of_other)
                                for one, truth in after_one for other, truth_of_other in after_other)

    def _after(self, state: State, letter: str, j: int) -> tuple[Step, ...]:
        """Return the steps that some run takes."""
        steps = self._announced(state, letter, j)
        return steps if self.live is None else tuple(step for step in steps if step[0] in self.live[j])

    def _announced(self, state: State, letter: str, j: int) -> tuple[Step, ...]:
        side = (Direction.THERE if self.judged in (None, j) else
                Direction.BEFORE if self.judged is not None and j < self.judged else Direction.BEHIND)
        return self.question.runs.steps(state, letter, j, self.n, side)

    def words(self, i: int, p: int) -> tuple[Word, Word]:
        """Return a pair of words (up to i, if each position is judged separately), found backwards."""
        last = i if self.judged is None else self.n
        letters: list[tuple[str, str]] = []
        target: Pair | None = None
        for j in range(last, 0, -1):
            step = next(self._steps_into(target, j, i, p))
            letters.append(step[1])
            target = step[0]
        first, second = zip(*reversed(letters), strict=True)
        return first, second

    def _steps_into(self, target: Pair | None, j: int, i: int, p: int) -> Iterator[tuple[Pair, tuple[str, str]]]:
        """Yield pairs (in the order of the words) after j - 1, and letters, that lead to the target pair after j."""
        bit = UNCHANGED if j <= p else 1 << p
        names = self.question.letters
        for pair, mask in self.layers[j - 1].items():
            if not mask & bit:
                continue
            for (a, b), x, y in ((order, x, y) for order in (pair, pair[::-1]) for x in names for y in names):
                if (x == y) == (j == p):
                    continue
                for one, truth in self._after(a, x, j):
                    for other, truth_of_other in self._after(b, y, j):
                        fits = target is None or (one, other) == target
                        if fits and (j != i or truth != truth_of_other):
                            yield (a, b), (x, y)
