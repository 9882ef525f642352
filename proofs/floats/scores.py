"""The scores of a head in floating point: how far they may be off, row by row (rule 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from constructions.network.transformer import Coefficients, Head, Mask
from proofs.floats.forms import bound_form
from proofs.floats.held import Held, check_finite, join_all, stored
from proofs.floats.numbers import HeldNumbers

ONE = Fraction(1)


@dataclass(frozen=True)
class ScoreBound:
    """What the scores of some rows hold; the worst of them is row i of words of length n."""

    held: Held
    n: int
    i: int

    @property
    def delta(self) -> Fraction:
        """How far a score may be off."""
        return self.held.error

    @property
    def spread(self) -> Fraction:
        """At least the difference of two scores of one row."""
        return self.held.upper - self.held.lower

    def join(self, other: ScoreBound) -> ScoreBound:
        """The bound of both, with the row where scores may be off the most."""
        worse = max(self, other, key=lambda each: (each.delta, each.held.size))
        return ScoreBound(self.held.join(other.held), worse.n, worse.i)


class HeadScores:
    """The scores of one head, all lengths worked out once."""

    def __init__(self, numbers: HeldNumbers, head: Head):
        """Nothing is worked out before it is asked for."""
        self.numbers, self.head = numbers, head
        self._by_length: dict[int, ScoreBound] = {}
        self._up_to: dict[int, ScoreBound] = {}
        self._keys: dict[tuple[int, int], list[Held]] = {}

    def at(self, n: int, i: int) -> ScoreBound:
        """The scores of row i of words of length n.

        Raises:
            NotDerived: if they may be too large, or read what is not known.
        """
        run = self.numbers.run
        last = i if self.head.mask is Mask.FUTURE else n
        queries = [self._query(row, n, i) for row in self.head.queries]
        score = bound_form(list(zip(queries, self._key_forms(n, last), strict=True)), run, run.scores)
        check_finite(2 * score.computed_size, run.softmax)
        return ScoreBound(score, n, i)

    def _query(self, row: Coefficients, n: int, i: int) -> Held:
        run = self.numbers.run
        query = bound_form([(self.numbers.weight(weight), self.numbers.at(name, n, i))
                            for name, weight in row.items()], run, run.storage)
        temperature = self.head.temperature.evaluate(i=i, n=n)
        if temperature == ONE:
            return query
        return bound_form([(query, stored(1 / temperature, run.storage))], run, run.storage)

    def _key_forms(self, n: int, last: int) -> list[Held]:
        key = (n if self._keys_mention_n else 0, last)
        if key not in self._keys:
            numbers = self.numbers
            self._keys[key] = [bound_form([(numbers.weight(weight), numbers.span(name, n, last))
                                           for name, weight in row.items()], numbers.run, numbers.run.storage)
                               for row in self.head.keys]
        return self._keys[key]

    @cached_property
    def _keys_mention_n(self) -> bool:
        return self._mention_n(self.head.keys)

    def _mention_n(self, rows: Iterable[Coefficients]) -> bool:
        known = self.numbers.known
        return any(known.mentions_n({name: weight for name, weight in row.items() if name in known}) for row in rows)

    @cached_property
    def is_free_of_length(self) -> bool:
        """Whether row i is the same in words of all lengths."""
        known = self.numbers.known
        return (self.head.mask is Mask.FUTURE and not self.head.temperature.mentions_n
                and not self._mention_n((*self.head.queries, *self.head.keys))
                and all(name in known for row in self.head.queries for name in row))

    def rows_of(self, n: int) -> Sequence[int]:
        """Rows of words of length n that stand for all of them, beside those of shorter words."""
        if self.is_free_of_length:
            return [n]
        known = self.numbers.known
        read = [name for row in self.head.queries for name in row]
        if self.head.temperature.mentions_i or any(
                name not in known or len(set(known.column(name, n))) > 1 for name in read):
            return range(1, n + 1)
        return [n if self.head.mask is Mask.FUTURE else 1]

    def of_length(self, n: int) -> ScoreBound:
        """The scores of all rows of words of length n; of heads that do not see n, of row n."""
        if n not in self._by_length:
            bounds = [self.at(n, i) for i in self.rows_of(n)]
            worst = max(bounds, key=lambda each: (each.delta, each.held.size))
            self._by_length[n] = ScoreBound(join_all(each.held for each in bounds), worst.n, worst.i)
        return self._by_length[n]

    def up_to(self, first: int, last: int) -> ScoreBound:
        """The scores of all rows of words of lengths ``first`` to ``last``."""
        start = 1 if self.is_free_of_length else first
        reached = max((n for n in self._up_to if n <= last), default=None)
        if reached is None:
            self._up_to[start], reached = self.of_length(start), start
        for n in range(reached + 1, last + 1):
            self._up_to[n] = self._up_to[n - 1].join(self.of_length(n))
        return self._up_to[last]


def describe_row(bound: ScoreBound) -> str:
    """Where the scores may be off the most."""
    return f"at i = {bound.i}, n = {bound.n}"


