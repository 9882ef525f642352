"""Cases that hold at the positions of a word: formulas by their definition, the automaton by its steps.

[SHA] Definition 14: ``a since b`` holds at i if b holds at some j <= i and a at all of j ... i. So it holds where a
holds, and b holds or ``a since b`` held one position before. ``until`` is its mirror image.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul

from ...kernel.language import Language, Place
from ...kernel.language.truths import COMPARE, CONNECT
from .conditions import Conditions, When

TruthColumn = Sequence[bool]


class TruthsAlongWord:
    """Evaluation of the cases of a claim on words, given as indices of letters."""

    def __init__(self, conditions: Conditions, language: Language) -> None:
        self._conditions, self._language = conditions, language
        self._formulas = list(dict.fromkeys(conditions.formulas))
        self._order = sorted(language.below(self._formulas))
        self._entries = sum(map(self._operands, self._order))
        self._fixed: dict[tuple[Place, int], TruthColumn] = {}

    def cases(self, word: Sequence[int], places: Sequence[int]) -> dict[int, list[int]]:
        """Return, for each of these places 0 ... n of the word, the numbers of the cases that hold there."""
        columns = self._columns(word) if self._formulas and word else {}
        states = self._states(word)
        self._language.budget.spend(1 + (len(places) * len(self._conditions.cases) >> 1) + (len(word) >> 4))
        return {place: [number for number, when in enumerate(self._conditions.cases)
                        if self._holds(when, columns, states, place)] for place in places}

    def _holds(self, when: When, columns: dict[Place, TruthColumn], states: Sequence[int], place: int) -> bool:
        if when.states is not None and states[place] not in when.states:
            return False
        return when.formula is None or (place > 0 and columns[when.formula][place - 1])

    def _states(self, word: Sequence[int]) -> list[int]:
        automaton = self._conditions.automaton
        if automaton is None:
            return []
        steps = automaton.steps
        return list(accumulate(word, lambda state, letter: steps[state][letter], initial=automaton.start))

    def _operands(self, place: Place) -> int:
        """Return how many numbers a position costs: its own and its operands; a long coefficient counts as several."""
        _, operands, data = self._language.nodes[place]
        return 2 + len(operands) + sum(number.bit_length() >> 8 for number in data if isinstance(number, int))

    def _columns(self, word: Sequence[int]) -> dict[Place, TruthColumn]:
        """Return the truths at positions 1 ... n of all formulas, operands first."""
        self._language.budget.spend(1 + self._entries + (self._entries * len(word) >> 3))
        columns: dict[Place, TruthColumn] = {}
        counts: dict[Place, Sequence[int]] = {}
        for place in self._order:
            columns[place] = self._column(place, word, columns, counts)
        return columns

    def _column(self, place: Place, word: Sequence[int], columns: dict[Place, TruthColumn],
                counts: dict[Place, Sequence[int]]) -> TruthColumn:
        name, operands, data = self._language.nodes[place]
        if name == "Q":
            letter = self._conditions.alphabet.index(str(data[0]))
            return [other == letter for other in word]
        if name in ("P", "user"):
            return self._fixed_column(place, len(word))
        if name == "T":
            compare, constant = COMPARE[str(data[0])], int(data[1])
            return [compare(constant + number, 0) for number in self._sums(place, len(word), columns, counts)]
        if name == "on":
            return [self._language.holds_at(operands[0], len(word), number)
                    for number in self._sums(operands[1], len(word), columns, counts)]
        if name in CONNECT:
            return [bool(CONNECT[name](*truths)) for truths in
                    (zip(*(columns[operand] for operand in operands), strict=True) if operands else [()] * len(word))]
        return TEMPORAL[name](*(columns[operand] for operand in operands))

    def _fixed_column(self, place: Place, n: int) -> TruthColumn:
        if (place, n) not in self._fixed:
            self._language.budget.hold(64 * n)
            self._fixed[place, n] = [self._language.holds_at(place, n, i) for i in range(1, n + 1)]
        return self._fixed[place, n]

    def _sums(self, place: Place, n: int, columns: dict[Place, TruthColumn],
              counts: dict[Place, Sequence[int]]) -> Sequence[int]:
        """Return a count, or the sum of the counts that are compared with 0, at each position."""
        operator, operands, data = self._language.nodes[place]
        if operator != "T":
            return self._count(place, columns, counts)
        factors = [*map(int, data[2:])]
        numbers = [self._count(operand, columns, counts) for operand in operands]
        return [sum(map(mul, factors, row)) for row in (zip(*numbers, strict=True) if numbers else [()] * n)]

    def _count(self, count: Place, columns: dict[Place, TruthColumn],
               counts: dict[Place, Sequence[int]]) -> Sequence[int]:
        """Return the number of positions up to each, or from each, where the counted formula holds; memoised."""
        if count not in counts:
            counted = list(map(int, columns[self._language.counted(count)]))
            is_up_to = self._language.nodes[count].operator == "#<"
            counts[count] = list(accumulate(counted)) if is_up_to else list(accumulate(reversed(counted)))[::-1]
        return counts[count]


def since(a: TruthColumn, b: TruthColumn) -> TruthColumn:
    """Return the truths of ``a since b`` at all positions, from those of a and b."""
    found, holds = [], False
    for left, right in zip(a, b, strict=True):
        holds = left and (right or holds)
        found.append(holds)
    return found


TEMPORAL: dict[str, Callable[..., TruthColumn]] = {
    "prev": lambda a: [False, *a[:-1]], "next": lambda a: [*a[1:], False],
    "since": since, "until": lambda a, b: since(a[::-1], b[::-1])[::-1]}
