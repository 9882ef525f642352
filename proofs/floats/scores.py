"""The scores of a head in floating point, with error bounds, row by row (rule 2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from constructions.network.transformer import Coefficients, Head, Mask
from proofs.enclosures.float_models.model import ExpBase
from proofs.floats.float_enclosure import ONE, FloatEnclosure, check_finite, stored
from proofs.floats.forms import bound_form
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.spans import enclose_column
from proofs.formula.failures import NotDerived


@dataclass(frozen=True)
class ScoreBound:
    """The enclosure of the scores of some rows of words of length n."""

    enclosure: FloatEnclosure
    n: int
    rows: range

    @property
    def delta(self) -> Fraction:
        """The error bound of a score."""
        return self.enclosure.error

    @property
    def spread(self) -> Fraction:
        """A bound of the difference of two scores of one row."""
        return self.enclosure.upper - self.enclosure.lower

    def __str__(self) -> str:
        """Return where these rows are."""
        first, last = self.rows[0], self.rows[-1]
        return f"at i = {first}{f' to {last}' if last > first else ''}, n = {self.n}"


class HeadScores:
    """Enclosures of the scores of one head: all rows of a length together, or parts where that is too coarse."""

    def __init__(self, numbers: EnclosedNumbers, head: Head):
        """Store the head; scores are enclosed on demand."""
        self.numbers, self.head = numbers, head
        self._over: dict[tuple[int, range], ScoreBound] = {}
        self._bounds: dict[int, list[ScoreBound]] = {}
        self._keys: dict[tuple[int, int], list[FloatEnclosure]] = {}

    def over(self, n: int, rows: range) -> ScoreBound:
        """Return the scores of these rows of words of length n.

        Raises:
            NotDerived: if they may be too large, or depend on unknown numbers.
        """
        if (n, rows) not in self._over:
            self._over[n, rows] = self._bound(n, rows)
        return self._over[n, rows]

    def _bound(self, n: int, rows: range) -> ScoreBound:
        run = self.numbers.run
        last = rows[-1] if self.head.mask is Mask.FUTURE else n
        queries = [self._query(row, n, rows) for row in self.head.queries]
        score = bound_form(list(zip(queries, self._key_forms(n, last), strict=True)), run, run.scores)
        # The difference of two scores; in base 2 it is multiplied by log2(e), which is less than 3/2.
        check_finite((2 if run.exp_base is ExpBase.E else 4) * score.computed_size, run.softmax)
        return ScoreBound(score, n, rows)

    def _query(self, row: Coefficients, n: int, rows: range) -> FloatEnclosure:
        run = self.numbers.run
        query = bound_form([(self.numbers.weight(weight), self.numbers.over(name, n, rows))
                            for name, weight in row.items()], run, run.storage)
        scales = self._scales(n, rows)
        return query if scales is None else bound_form([(query, scales)], run, run.storage)

    def _scales(self, n: int, rows: range) -> FloatEnclosure | None:
        """Enclose the factor of the queries of these rows; None if the temperature is 1 everywhere."""
        temperature, storage = self.head.temperature, self.numbers.run.storage
        if not temperature.mentions_i:
            rows = rows[:1]
        values = [1 / temperature.evaluate(i=i, n=n) for i in rows]
        if values == [ONE] and not (temperature.mentions_i or temperature.mentions_n):
            return None
        return stored(values[0], storage) if len(values) == 1 else enclose_column(values, storage)

    def _key_forms(self, n: int, last: int) -> list[FloatEnclosure]:
        key = (n if self._keys_differ else 0, last)
        if key not in self._keys:
            numbers = self.numbers
            self._keys[key] = [bound_form([(numbers.weight(weight), numbers.span(name, n, last))
                                           for name, weight in row.items()], numbers.run, numbers.run.storage)
                               for row in self.head.keys]
        return self._keys[key]

    @cached_property
    def _keys_differ(self) -> bool:
        return self.numbers.differs_by_length(name for row in self.head.keys for name in row)

    @cached_property
    def _is_free_of_length(self) -> bool:
        """Whether row i is equal in words of all lengths."""
        read = [name for row in self.head.queries for name in row]
        return (self.head.mask is Mask.FUTURE and not self.head.temperature.mentions_n and not self._keys_differ
                and all(name in self.numbers.known for name in read) and not self.numbers.differs_by_length(read))

    def up_to(self, first: int, last: int) -> list[ScoreBound]:
        """Return the scores of all rows of words of lengths ``first`` to ``last``, in the parts made so far.

        Raises:
            NotDerived: as ``over``.
        """
        if self._is_free_of_length:
            first = last
        return [bound for n in range(first, last + 1) for bound in self._of_length(n)]

    def _of_length(self, n: int) -> list[ScoreBound]:
        if n not in self._bounds:
            self._bounds[n] = self._finite_parts(n, range(1, n + 1))
        return self._bounds[n]

    def _finite_parts(self, n: int, rows: range) -> list[ScoreBound]:
        """Return the scores of these rows, in parts where they are not bounded together."""
        try:
            return [self.over(n, rows)]
        except NotDerived:
            if len(rows) == 1:
                raise
        return [bound for half in reversed(halves_of(rows)) for bound in self._finite_parts(n, half)]

    def split(self, bounds: Iterable[ScoreBound]) -> bool:
        """Bound each half of the rows of these separately; return False if there is nothing to split."""
        parted = [bound for bound in bounds if len(bound.rows) > 1]
        for bound in parted:
            halves = [self.over(bound.n, half) for half in halves_of(bound.rows)]
            place = self._bounds[bound.n].index(bound)
            self._bounds[bound.n][place:place + 1] = halves
        return bool(parted)


def halves_of(rows: range) -> tuple[range, range]:
    """Return the first and the last half of some rows.

    >>> halves_of(range(1, 4))
    (range(1, 2), range(2, 4))
    """
    middle = len(rows) // 2
    return rows[:middle], rows[middle:]
