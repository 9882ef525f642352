"""The two languages of [Hahn] Section 6 as chains over prefixes, and the binary question that is hard about them.

After a prefix the question is asked with some probability, and its answer is yes with another one: PARITY, does the
word end here (asked always); 2DYCK, if a bracket closes here, is it ) and not ]. Everything else that is to be
predicted costs ``base``, whatever is answered, to who predicts it as well as it can be (docs/hahn.md).
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
"""What of a prefix matters for what follows, and its last symbol."""
Exchange = tuple[int, str, str]
"""A position, the symbol there, and the one that takes its place."""


@dataclass(frozen=True)
class Levels:
    """Cross-entropies at one length, for predictors that know all, the last symbol, or nothing."""

    optimal: Interval
    last_symbol: Interval
    chance: Interval


@dataclass(frozen=True)
class PrefixQuestions:
    """A distribution over words, and what is asked after their prefixes.

    A prefix has a state: ``start``, and the ``step`` of a state and one more symbol. ``weigh`` is the probability that
    a symbol follows a state; ``question`` that the question is asked there, and that it is asked and the answer is yes.

    For a length, ``levels`` are three cross-entropies; ``exchanges`` those whose effect on the log-odds bounds the
    cross-entropy from below; ``forced`` the least cross-entropy if these change the log-odds by at most so much
    (``bounds``); ``prefixes`` how many there are, and ``states`` how many states they lead to, at most.
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
    """PARITY; a state begins with whether the number of 1s is even."""
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
    """2DYCK; a state begins with the brackets that are open."""
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
