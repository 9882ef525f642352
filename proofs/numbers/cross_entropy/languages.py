"""The two languages of [Hahn] Section 6 as chains over prefixes, and the binary question that is hard about them.

After a prefix the question is asked with some probability, and its answer is yes with another one: PARITY, does the
word end here (asked always); 2DYCK, if a bracket closes here, is it ) and not ]. Everything else that is to be
predicted costs ``base``, whatever is answered, to who predicts it as well as it can be (docs/hahn.md).
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy import brackets, parity
from proofs.numbers.cross_entropy.bounds import bracket_lower_bound, parity_lower_bound
from proofs.numbers.cross_entropy.entropies import one_bit, total

ZERO = Fraction(0)
State = Any
"""What of a prefix matters for what follows: hashable."""
Exchange = tuple[int, str, str]
"""A position, the symbol there, and the one that takes its place."""


@dataclass(frozen=True)
class Levels:
    """Cross-entropies at one length, for predictors that know all, the last symbol, or nothing."""

    optimal: Interval
    last_symbol: Interval
    chance: Interval


class Language(Protocol):
    """A distribution over words, and what is asked after their prefixes."""

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols of words."""

    @property
    def start(self) -> Hashable:
        """The state of the empty prefix."""

    def step(self, state: State, symbol: str) -> Hashable:
        """The state behind one more symbol."""

    def weigh(self, state: State, symbol: str) -> Fraction:
        """The probability that this symbol follows."""

    def question(self, state: State) -> tuple[Fraction, Fraction]:
        """The probability that the question is asked, and that it is asked and the answer is yes."""

    def last(self, state: State) -> str:
        """The last symbol of the prefix."""

    def base(self) -> Interval:
        """What everything but the question costs at least, per prefix."""

    def levels(self, n: int) -> Levels:
        """Three cross-entropies at length n."""

    def exchanges(self, n: int) -> list[Exchange]:
        """The exchanges whose effect on the log-odds bounds the cross-entropy from below."""

    def forced(self, n: int, sensitivity: Fraction) -> Interval:
        """The least cross-entropy if these exchanges change the log-odds by at most so much (``bounds``)."""

    def prefixes(self, n: int) -> int:
        """How many prefixes of length n there are."""

    def states(self, n: int) -> int:
        """How many states prefixes of length n lead to, at most."""


@dataclass(frozen=True)
class Parity:
    """PARITY; a state is (whether the number of 1s is even, the last symbol)."""

    p: Fraction
    alphabet = ("0", "1")
    start = (True, "")

    def step(self, state: tuple[bool, str], symbol: str) -> tuple[bool, str]:
        """See ``Language``."""
        return state[0] != (symbol == "1"), symbol

    def weigh(self, state: tuple[bool, str], symbol: str) -> Fraction:
        """See ``Language``."""
        return (1 - self.p) / 2 if state[0] else parity.HALF

    def question(self, state: tuple[bool, str]) -> tuple[Fraction, Fraction]:
        """See ``Language``."""
        return Fraction(1), self.p if state[0] else ZERO

    def last(self, state: tuple[bool, str]) -> str:
        """See ``Language``."""
        return state[1]

    def base(self) -> Interval:
        """See ``Language``."""
        return parity.cost_of_symbols(self.p)

    def levels(self, n: int) -> Levels:
        """See ``Language``."""
        return Levels(parity.optimal_entropy(self.p), parity.last_symbol_entropy(self.p, n),
                      parity.unigram_entropy(self.p))

    def exchanges(self, n: int) -> list[Exchange]:
        """See ``Language``."""
        return [(n - 1, "0", "1"), (n - 1, "1", "0")] if n > 1 else []

    def forced(self, n: int, sensitivity: Fraction) -> Interval:
        """See ``Language``."""
        return parity_lower_bound(self.p, sensitivity) if n > 1 else parity.optimal_entropy(self.p)

    def prefixes(self, n: int) -> int:
        """See ``Language``."""
        return 1 << n

    def states(self, n: int) -> int:
        """See ``Language``."""
        return 4


TYPES = {"(": "[", "[": "(", ")": "]", "]": ")"}
CLOSES = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Brackets:
    """2DYCK; a state is (the brackets that are open, the last symbol)."""

    p: Fraction
    alphabet = ("(", ")", "[", "]")
    start = ("", "")

    def step(self, state: tuple[str, str], symbol: str) -> tuple[str, str]:
        """See ``Language``."""
        return (state[0] + symbol if symbol in CLOSES else state[0][:-1]), symbol

    def weigh(self, state: tuple[str, str], symbol: str) -> Fraction:
        """See ``Language``."""
        if symbol in CLOSES:
            return self.p / 2
        return 1 - self.p if state[0] and CLOSES[state[0][-1]] == symbol else ZERO

    def question(self, state: tuple[str, str]) -> tuple[Fraction, Fraction]:
        """See ``Language``."""
        if not state[0]:
            return ZERO, ZERO
        return 1 - self.p, 1 - self.p if state[0][-1] == "(" else ZERO

    def last(self, state: tuple[str, str]) -> str:
        """See ``Language``."""
        return state[1]

    def base(self) -> Interval:
        """See ``Language``."""
        return brackets.optimal_entropy(self.p)

    def levels(self, n: int) -> Levels:
        """See ``Language``."""
        unbalanced = 1 - brackets.mass(n, 0, self.p) / brackets.mass_alive(n, self.p)
        optimal, asked = self.base(), brackets.asked_for_type(n, self.p)
        return Levels(optimal, *(total(optimal, one_bit().scaled((1 - self.p) * share))
                                 for share in (asked, unbalanced)))

    def exchanges(self, n: int) -> list[Exchange]:
        """See ``Language``."""
        return [(j, old, new) for j in range(1, n) for old, new in TYPES.items()]

    def forced(self, n: int, sensitivity: Fraction) -> Interval:
        """See ``Language``."""
        return bracket_lower_bound(n, self.p, sensitivity)

    def prefixes(self, n: int) -> int:
        """See ``Language``."""
        return sum(brackets.paths(n, height) << (n + height) // 2 for height in range(n % 2, n + 1, 2))

    def states(self, n: int) -> int:
        """See ``Language``."""
        return 1 << n + 1
