"""The two languages of [Hahn] Section 6 as chains over prefixes, and the binary question that is hard for each.

After a prefix the question occurs with some probability, and its answer is yes with another one: PARITY, does the word
end here (always); 2DYCK, if a bracket closes here, is it ) and not ]. All other predictions cost ``base`` at best,
independent of the answer (docs/background/hahn.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy import brackets, parity
from proofs.numbers.cross_entropy.bounds import bracket_lower_bound, parity_lower_bound
from proofs.numbers.cross_entropy.entropies import one_bit, total

ZERO = Fraction(0)
State = tuple[Any, str]
"""The part of a prefix that determines what follows, and its last symbol."""
Exchange = tuple[int, str, str]
"""A position, the symbol there, and its replacement."""


@dataclass(frozen=True)
class Levels:
    """Cross-entropies at one length, for predictors that use everything, the last symbol, or nothing."""

    optimal: Interval
    last_symbol: Interval
    chance: Interval


@dataclass(frozen=True)
class PrefixQuestions:
    """A distribution over words, and a question after their prefixes.

    A prefix has a state: ``start``, or the ``step`` of a state by one more symbol. ``weigh`` is the probability that a
    symbol follows a state. ``question`` is the probability that the question occurs there, and that it occurs with the
    answer yes.

    For a length, ``levels`` are three cross-entropies, and ``exchanges`` those whose effect on the log-odds bounds the
    cross-entropy from below. ``forced`` is the least cross-entropy for a bound of that effect (``bounds``);
    ``prefixes`` is the number of prefixes, and ``states`` a bound of the number of their states.
    """

    alphabet: tuple[str, ...]
    start: State
    step: Callable[[State, str], State]
    weigh: Callable[[State, str], Fraction]
    question: Callable[[State], tuple[Fraction, Fraction]]
    base: Interval
    levels: Callable[[int], Levels]
    exchanges: Callable[[int], list[Exchange]]
    forced: Callable[[int, Fraction], Interval]
    prefixes: Callable[[int], int]
    states: Callable[[int], int]


def parity_language(p: Fraction) -> PrefixQuestions:
    """Return PARITY; the first part of a state is whether the number of 1s is even."""
    optimal, chance = parity.optimal_entropy(p), parity.unigram_entropy(p)
    return PrefixQuestions(
        alphabet=("0", "1"),
        start=(True, ""),
        step=lambda state, symbol: (state[0] != (symbol == "1"), symbol),
        weigh=lambda state, symbol: (1 - p) / 2 if state[0] else parity.HALF,
        question=lambda state: (Fraction(1), p if state[0] else ZERO),
        base=parity.cost_of_symbols(p),
        levels=lambda n: Levels(optimal, parity.last_symbol_entropy(p, n), chance),
        exchanges=lambda n: [(n - 1, "0", "1"), (n - 1, "1", "0")] if n > 1 else [],
        forced=lambda n, sensitivity: parity_lower_bound(p, sensitivity) if n > 1 else optimal,
        prefixes=lambda n: 1 << n,
        states=lambda n: 4,
    )


TYPES = {"(": "[", "[": "(", ")": "]", "]": ")"}
CLOSES = {"(": ")", "[": "]"}


def bracket_language(p: Fraction) -> PrefixQuestions:
    """Return 2DYCK; the first part of a state is the string of open brackets."""
    optimal = brackets.optimal_entropy(p)

    def weigh(state: State, symbol: str) -> Fraction:
        if symbol in CLOSES:
            return p / 2
        return 1 - p if state[0] and CLOSES[state[0][-1]] == symbol else ZERO

    def levels(n: int) -> Levels:
        unbalanced = 1 - brackets.mass(n, 0, p) / brackets.mass_alive(n, p)
        return Levels(optimal, *(total(optimal, one_bit().scaled((1 - p) * share))
                                 for share in (brackets.asked_for_type(n, p), unbalanced)))

    return PrefixQuestions(
        alphabet=("(", ")", "[", "]"),
        start=("", ""),
        step=lambda state, symbol: ((state[0] + symbol if symbol in CLOSES else state[0][:-1]), symbol),
        weigh=weigh,
        question=lambda state: (1 - p if state[0] else ZERO, 1 - p if state[0][-1:] == "(" else ZERO),
        base=optimal,
        levels=levels,
        exchanges=lambda n: [(j, old, new) for j in range(1, n) for old, new in TYPES.items()],
        forced=lambda n, sensitivity: bracket_lower_bound(n, p, sensitivity),
        prefixes=lambda n: sum(brackets.paths(n, height) << (n + height) // 2 for height in range(n % 2, n + 1, 2)),
        states=lambda n: 1 << n + 1,
    )


LANGUAGES = {"parity": parity_language, "2dyck": bracket_language}
