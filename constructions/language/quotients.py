"""The quotient of a sum of multiples of counts, rounded down, as a difference of two counts.

Setting     S = Σ c_k κ_k, all counts of one side; d = Σ c_k [φ_k] at one position is its contribution to S. So S at a
            position is S at the one before (after, for counts to the right) plus d there, and 0 before the first.
Claim       Let K >= |d| at every position. Then floor(S/K) = #[up] - #[down], where up holds at a position if d > r for
            the remainder r of S there, and down if d <= r - K.
Proof       Let r be the remainder of S at a position, and S' = S - d the sum at the one before: S = K q + r, S' = K q +
            r - d, so floor(S'/K) = q + floor((r - d)/K). As -K <= r - d <= 2K - 1, that is q - 1 if d > r, q + 1 if r -
            d >= K, and else q. So the quotient grows by 1, falls by 1, or stays; and floor(0/K) = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from constructions.language.remainders import remainder_is
from constructions.language.semantics import satisfies
from constructions.language.simplified import conjunction, disjunction, disjunction_of, negation
from constructions.language.syntax import FALSE, TRUE, Count, Formula, Side, Term, is_symbolic, symbols_of

Summand = tuple[int, Count]
_OTHER = ""
"""Represents all symbols that formulas do not mention; not itself a symbol."""


@dataclass(frozen=True)
class CountQuotient:
    """floor(S/K) = #[up] - #[down] for the sum S of some multiples of counts of one side."""

    side: Side
    up: Formula
    down: Formula

    def summands(self) -> list[Summand]:
        """Return the counts of the difference that are not 0 on every word."""
        return [(sign, Count(self.side, formula)) for sign, formula in ((1, self.up), (-1, self.down))
                if formula is not FALSE]


def greatest_step(summands: Sequence[Summand]) -> int:
    """Bound |d| at all positions; exact, by symbols, if the operands are formulas over symbols."""
    if all(is_symbolic(count.operand) for _, count in summands):
        symbols = {symbol for _, count in summands for symbol in symbols_of(count.operand)}
        return max(abs(sum(number for number, count in summands if satisfies(count.operand, (symbol,), 1)))
                   for symbol in [*symbols, _OTHER])
    positive = sum(number for number, _ in summands if number > 0)
    return max(positive, positive - sum(number for number, _ in summands))


def quotient(summands: Sequence[Summand], divisor: int) -> CountQuotient:
    """Return floor(S/divisor), where divisor >= |d|; all counts are of one side, and different.

    >>> from constructions.language.syntax import Symbol
    >>> a, b = Count("left", Symbol("a")), Count("left", Symbol("b"))
    >>> quotient([(2, a), (1, b)], 2).up
    parse_formula('EVEN(#<[Q_b]) & (Q_a | Q_b) | ODD(#<[Q_b]) & Q_a')
    """
    term = Term(tuple(summands), 0)
    steps = _Steps([(number, count.operand) for number, count in summands])
    remainders = [remainder_is(term, divisor, remainder) for remainder in range(divisor)]
    up = disjunction_of(conjunction(here, steps.exceeds(remainder)) for remainder, here in enumerate(remainders))
    down = disjunction_of(conjunction(here, negation(steps.exceeds(remainder - divisor)))
                          for remainder, here in enumerate(remainders))
    return CountQuotient(summands[0][1].side, up, down)


@dataclass
class _Steps:
    """The contribution d = Σ number · [formula] of a position."""

    parts: Sequence[tuple[int, Formula]]
    _found: dict[tuple[int, int], Formula] = field(default_factory=dict)

    def exceeds(self, bound: int, first: int = 0) -> Formula:
        """Return the formula that holds where the sum of the parts from ``first`` on exceeds the bound."""
        rest = [number for number, _ in self.parts[first:]]
        if sum(number for number in rest if number < 0) > bound:
            return TRUE
        if sum(number for number in rest if number > 0) <= bound:
            return FALSE
        if (first, bound) not in self._found:
            number, formula = self.parts[first]
            with_it, without = self.exceeds(bound - number, first + 1), self.exceeds(bound, first + 1)
            self._found[first, bound] = (disjunction(conjunction(formula, with_it), without) if number > 0
                                         else disjunction(with_it, conjunction(negation(formula), without)))
        return self._found[first, bound]
