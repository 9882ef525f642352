"""Trellis of all words of one length: a layered graph whose edges carry the truths of some formulas.

Claim       The paths from the first layer to the last are the runs of the formulas' automaton (``formula_runs``), one
            for each word. States on no path are removed, and of edges with the same ends and truths all except
            one: so the sequences of truths along paths are the sequences of truths along words.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

from constructions.language.syntax import Formula, symbols_of
from proofs.words.formula_runs import Direction, FormulaRuns, State
from proofs.words.pairs_of_runs import TooMuchWork, Work

MOST_WORK_TO_HOLD = 200_000
MOST_STATES = 1024
"""Greatest number of states before one position, and of announcements that one step chooses among."""
TOO_MANY_STATES = f"automata of what is read have more than {MOST_STATES} states"
Value = TypeVar("Value", bound=Hashable)
Word = tuple[str, ...]


class Edge(NamedTuple):
    """A symbol read between two states; bit k of ``truths`` is the truth of formula k at its position."""

    before: int
    after: int
    truths: int
    symbol: str


class Trellis(NamedTuple):
    """The edges of each position; paths begin in any state before the first."""

    layers: tuple[tuple[Edge, ...], ...]

    def fold(self, start: Value, step: Callable[[Value, int, int], Value | None], work: Work,
             ) -> list[dict[tuple[int, Value], tuple[tuple[int, Value], str]]]:
        """Return the states and values that paths reach, layer by layer, each with one from which it is reached.

        A step gets a value, a position and its truths; None ends a path.

        Raises:
            TooMuchWork: if there are more steps than the work allows.
        """
        begin = {(edge.before, start): ((edge.before, start), "") for edge in self.layers[0]}
        reached = [begin]
        for j, layer in enumerate(self.layers, start=1):
            by_state: dict[int, list[Value]] = {}
            for state, value in reached[-1]:
                by_state.setdefault(state, []).append(value)
            found: dict[tuple[int, Value], tuple[tuple[int, Value], str]] = {}
            for edge in layer:
                values = by_state.get(edge.before, ())
                work.spend(len(values))
                for value in values:
                    if (after := step(value, j, edge.truths)) is not None:
                        found.setdefault((edge.after, after), ((edge.before, value), edge.symbol))
            reached.append(found)
        return reached

    def word(self, start: Value, step: Callable[[Value, int, int], Value | None], work: Work,
             ends: Callable[[Value], bool] = lambda _: True) -> Word | None:
        """Return a word along which the steps lead from the start to an end, or None."""
        reached = self.fold(start, step, work)
        key = next((key for key in reached[-1] if ends(key[1])), None)
        if key is None:
            return None
        symbols: list[str] = []
        for found in reached[:0:-1]:
            key, symbol = found[key]
            symbols.append(symbol)
        return tuple(reversed(symbols))


def holds_nowhere(formula: Formula, alphabet: Sequence[str], lengths: Iterable[int]) -> bool:
    """Return whether the formula is false at every position of every word of these lengths; False if that is much work.

    >>> from constructions.language.parser import parse_formula
    >>> [holds_nowhere(parse_formula(text), "ab", range(1, 3)) for text in ("prev prev Q_a", "prev Q_a")]
    [True, False]
    """
    trellises = Trellises([formula], alphabet, Work(MOST_WORK_TO_HOLD))
    try:
        return not any(edge.truths for n in sorted(lengths, reverse=True) for layer in trellises.of(n).layers
                       for edge in layer)
    except TooMuchWork:
        return False


def lengths_where_nowhere(formula: Formula, alphabet: Sequence[str], lengths: Iterable[int]) -> list[int]:
    """Return the lengths at which the formula is false at every position of every word, within a small budget.

    >>> from constructions.language.parser import parse_formula
    >>> [lengths_where_nowhere(parse_formula(text), "ab", range(1, 6)) for text in ("prev prev Q_a", "LAST & EVEN")]
    [[1, 2], [1, 3, 5]]
    """
    work, found = Work(MOST_WORK_TO_HOLD), list[int]()
    trellises = Trellises([formula], alphabet, work)
    try:
        for n in sorted(lengths):
            work.spend(n)
            if not any(edge.truths for layer in trellises.of(n).layers for edge in layer):
                found.append(n)
            elif trellises.is_free_of_length:
                break  # it holds on prefixes of the longer words as well
    except TooMuchWork:
        pass  # longer words remain undecided
    return found


class Steps(NamedTuple):
    """The steps (state, next state, truths, symbol) from all states before a position, and the next states."""

    taken: tuple[tuple[State, State, int, str], ...]
    after: frozenset[State]


@lru_cache(maxsize=64)
def _runs_of(formulas: tuple[Formula, ...]) -> FormulaRuns:
    """Return the automaton of formulas; its steps are cached for all lengths."""
    return FormulaRuns(*formulas, everywhere=True)


@dataclass(frozen=True)
class _Place:
    """Position j of a word of length n; equal if the steps there are."""

    context: tuple[object, ...]
    j: int = field(compare=False)
    n: int = field(compare=False)


@lru_cache(maxsize=512)
def _steps_from(runs: FormulaRuns, states: frozenset[State], letters: tuple[str, ...], place: _Place) -> Steps:
    """Return all steps from some states, computed once for the words of all lengths."""
    steps = tuple((state, after, truths, letter) for state in states for letter in letters
                  for after, truths in runs.steps(state, letter, place.j, place.n, Direction.BEFORE))
    return Steps(steps, frozenset(after for _, after, _, _ in steps))


class Trellises:
    """The trellis of each length, for the truths of ``formulas`` along words over an alphabet."""

    def __init__(self, formulas: Sequence[Formula], alphabet: Sequence[str], work: Work) -> None:
        """Build the automaton; symbols that no formula names are one. Reading an edge costs one unit of work."""
        self.runs, self.work = _runs_of(tuple(formulas)), work
        named = {symbol for formula in formulas for symbol in symbols_of(formula)}
        self._letters = (*(symbol for symbol in alphabet if symbol in named),
                         *[symbol for symbol in alphabet if symbol not in named][:1])
        self._numbers: dict[State, int] = {}
        self._steps: dict[tuple[object, ...], Steps] = {}
        self._layers: dict[tuple[object, ...], tuple[tuple[Edge, ...], frozenset[State]]] = {}
        self._found: dict[int, Trellis] = {}

    def of(self, n: int) -> Trellis:
        """Return the trellis of words of length n; equal layers are the same object.

        Raises:
            TooMuchWork: if the work is spent, or there are more than MOST_STATES states.
        """
        if n not in self._found:
            self._found[n] = self._build(n)
        return self._found[n]

    @property
    def is_free_of_length(self) -> bool:
        """True if the prefixes of longer words are the words of each length, with equal truths."""
        return self.runs.is_past and not self.runs.mentions_length

    def _build(self, n: int) -> Trellis:
        states = frozenset(islice(self.runs.starts(n), MOST_STATES + 1))
        if self.runs.guesses > MOST_STATES:
            raise TooMuchWork(TOO_MANY_STATES)
        forward, layers = list[Steps](), list[tuple[Edge, ...]]()
        for j in range(1, n + 1):
            key = (states, *self.runs.context(j, n))
            if key not in self._steps:
                self._steps[key] = self._read(states, j, n)
            forward.append(self._steps[key])
            states = forward[-1].after
        live = frozenset(state for state in states if state[1] == self.runs.end)
        for steps in reversed(forward):
            key = (id(steps), live)
            if key not in self._layers:
                self._layers[key] = self._edges(steps, live)
            layer, live = self._layers[key]
            layers.append(layer)
        return Trellis(tuple(reversed(layers)))

    def _read(self, states: frozenset[State], j: int, n: int) -> Steps:
        if len(states) > MOST_STATES:
            raise TooMuchWork(TOO_MANY_STATES)
        self.work.spend(len(states) * len(self._letters) * self.runs.guesses)
        return _steps_from(self.runs, states, self._letters, _Place(self.runs.context(j, n), j, n))

    def _edges(self, steps: Steps, live: frozenset[State]) -> tuple[tuple[Edge, ...], frozenset[State]]:
        """Return the edges that lead to live states, and the states that they leave."""
        found: dict[tuple[int, int, int], Edge] = {}
        kept = [step for step in steps.taken if step[1] in live]
        for state, after, truths, letter in kept:
            edge = Edge(self._number(state), self._number(after), truths, letter)
            found.setdefault(edge[:3], edge)
        self.work.spend(len(kept))
        return tuple(found.values()), frozenset(state for state, _, _, _ in kept)

    def _number(self, state: State) -> int:
        return self._numbers.setdefault(state, len(self._numbers))
