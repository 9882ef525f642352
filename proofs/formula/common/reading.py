"""Inputs of a head: for each length the positions, and the groups of rows with one scaled query."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from constructions.language.positional import mentions_length, positional_truths
from constructions.language.syntax import TRUE, Formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Coefficients, Head, Transformer
from proofs.formula.common.letters import LetterEffect, LetterTable
from proofs.formula.common.sweeps import KnownSteps, ScaledScores, Step, Sweep
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

ZERO = Fraction(0)
Query = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows i of words of length n with one scaled query: each reads a prefix of the same positions."""

    n: int
    query: Query
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Offered:
    """The letters and the known value of all positions of one kind."""

    letters: tuple[LetterEffect, ...]
    base_value: Fraction


@dataclass(frozen=True)
class PositionValues:
    """A number for each position j = 1..n: ``numerators[j - 1] / denominator``."""

    denominator: int
    numerators: tuple[int, ...]


@dataclass(frozen=True)
class Positions:
    """The positions of words of length n: the known part of each key, and the kind of each position."""

    keys: tuple[PositionValues, ...]
    kinds: tuple[int, ...]


class HeadReading:
    """A head's queries, keys and one value over all lengths, for a target that its letters decide."""

    def __init__(self, known: KnownValues, lengths: Lengths, head: Head, value: Coefficients, when: Formula,
                 letters: LetterTable):
        """Prepare the reading; rows are the positions where the guard ``when`` holds."""
        self.known, self.lengths, self.head, self.when, self.letters = known, lengths, head, when, letters
        self.past = letters.target.past
        self.value = {name: weight for name, weight in value.items() if name in known}
        self.keys = [{name: weight for name, weight in row.items() if name in known} for row in head.keys]
        self.offered: list[Offered] = []
        self.kinds: dict[tuple[tuple[bool, ...], Fraction], int] = {}
        self._steps = KnownSteps()
        self._lasting: dict[str, PositionValues] = {}
        self._latest_positions: tuple[int, Positions] | None = None
        self._latest_scores: tuple[RowGroup, ScaledScores] | None = None

    @cached_property
    def is_free_of_length(self) -> bool:
        """True if rows i of all n >= i are one problem: the head looks back, and nothing it depends on mentions n."""
        formulas = (self.when, *self.letters.target.predicates)
        return (self.past and not self.head.temperature.mentions_n and not any(map(self.known.mentions_n, self._forms))
                and all(not mentions_length(formula) for formula in formulas))

    @property
    def _forms(self) -> list[Coefficients]:
        """The known parts of queries, keys and value."""
        return [*self.head.queries, *self.keys, self.value]

    def problem(self) -> tuple[object, ...]:
        """Return a key that is equal only for heads equal up to the names of directions and formulas."""
        forms = tuple(tuple((self.known.meaning(name), weight) for name, weight in row.items()) for row in self._forms)
        return (self.lengths, self.past, self.when, self.head.temperature, forms,
                self.letters.target.predicates, self.letters.table(self.lengths))

    def groups(self) -> list[RowGroup]:
        """Return the rows of all lengths; if they do not depend on the length, each problem once."""
        if not self.is_free_of_length:
            return [group for n in self.lengths for group in self._groups_of(n)]
        last = self._groups_of(self.lengths.last)
        return [RowGroup(max(*group.rows, self.lengths.first), group.query, group.rows) for group in last]

    def all_groups(self) -> Iterator[RowGroup]:
        """Return the rows of all lengths, equal problems repeated."""
        return (group for n in self.lengths for group in self._groups_of(n))

    def count_rows(self) -> int:
        """Return the number of (n, i) at which the guard holds."""
        return sum(map(len, map(self._rows, self.lengths)))

    def _rows(self, n: int) -> Sequence[int]:
        if self.when is TRUE:
            return range(1, n + 1)
        if not mentions_length(self.when):
            return self._rows_of_longest[:bisect_right(self._rows_of_longest, n)]
        return self._guarded(n)

    def _guarded(self, n: int) -> list[int]:
        return [i for i, truth in enumerate(positional_truths(self.when, range(1, n + 1), n), 1) if truth]

    @cached_property
    def _rows_of_longest(self) -> list[int]:
        return self._guarded(self.lengths.last)

    def _groups_of(self, n: int) -> Iterator[RowGroup]:
        temperatures = self.head.temperature.column(range(1, n + 1), n)
        columns = [self._column(row, n) for row in self.head.queries]

        def query(i: int) -> Query:
            return tuple([Fraction(column.numerators[i - 1], column.denominator) / temperatures[i - 1]
                          for column in columns])

        rows = self._rows(n)
        if not self.head.temperature.mentions_i and all(len({*column.numerators}) == 1 for column in columns):
            if rows:
                yield RowGroup(n, query(1), tuple(rows))
            return
        found: dict[Query, list[int]] = {}
        for i in rows:
            found.setdefault(query(i), []).append(i)
        for same, those in found.items():
            yield RowGroup(n, same, tuple(those))

    def check_range(self) -> None:
        """Check that every value is in [0, 1], also where only rows outside the guard see it: so every mean is.

        Raises:
            NotDerived: naming the first position with a value outside.
        """
        good = 0
        for n in self.lengths if self._kinds_differ else [self.lengths.first]:
            kinds = self._kinds_of(n)
            if len(self.offered) > good:
                self._check_range_of(n, kinds)
                good = len(self.offered)

    def _check_range_of(self, n: int, kinds: Sequence[int]) -> None:
        for kind in dict.fromkeys(kinds):
            offered = self.offered[kind]
            for value in (offered.base_value + letter.value for letter in offered.letters):
                if not 0 <= value <= 1:
                    raise NotDerived(f"a value is {value} at position {kinds.index(kind) + 1} of n = {n}, expected a "
                                     "number of [0, 1]")

    def positions(self, n: int) -> Positions:
        """Return the known keys and the kinds of the positions of words of length n."""
        if self._latest_positions is None or self._latest_positions[0] != n:
            keys = tuple(self._column(row, n) for row in self.keys)
            self._latest_positions = n, Positions(keys, self._kinds_of(n))
        return self._latest_positions[1]

    def _column(self, row: Coefficients, n: int) -> PositionValues:
        """Return a linear form of known directions at all positions, over one denominator."""
        parts = [(weight / column.denominator, column.numerators) for name, weight in row.items()
                 if (column := self._integers(name, n))]
        unit = lcm(*(factor.denominator for factor, _ in parts))
        total = (0,) * n
        for factor, numerators in parts:
            times = int(factor * unit)
            total = tuple([x + times * y for x, y in zip(total, numerators, strict=True)])
        return PositionValues(unit, total)

    def _integers(self, name: str, n: int) -> PositionValues:
        """Return a known direction over one denominator; one that does not mention n is computed once."""
        if self.known.mentions_n({name: Fraction(1)}):
            return _over_one_denominator(self.known.column(name, n))
        if name not in self._lasting:
            self._lasting[name] = _over_one_denominator(self.known.column(name, self.lengths.last))
        lasting = self._lasting[name]
        return PositionValues(lasting.denominator, lasting.numerators[:n])

    @property
    def _kinds_differ(self) -> bool:
        """True if positions may have different letters or known values."""
        return bool(self.value or self.letters.target.predicates)

    def _kinds_of(self, n: int) -> tuple[int, ...]:
        if not self._kinds_differ:
            return (self._kind(1, n, ZERO),) * n
        values = self.known.forms(self.value, n)
        return tuple([self._kind(j, n, value) for j, value in enumerate(values, 1)])

    def _kind(self, j: int, n: int, base_value: Fraction) -> int:
        key = (self.letters.context(j, n), base_value)
        if key not in self.kinds:
            self.kinds[key] = len(self.offered)
            self.offered.append(Offered(self.letters.letters_at(j, n), base_value))
        return self.kinds[key]

    def order(self, group: RowGroup) -> range:
        """Return the positions that the rows of a group read, in reading order."""
        return range(1, max(group.rows) + 1) if self.past else range(group.n, min(group.rows) - 1, -1)

    def sweep(self, group: RowGroup) -> Sweep:
        """Return the positions that a group reads, each with its options."""
        kinds, scores = self.positions(group.n).kinds, self.scores(group)
        return Sweep(group.n, tuple([self._step(kinds[j - 1], scores, j) for j in self.order(group)]),
                     frozenset(group.rows))

    def _step(self, kind: int, scores: ScaledScores, j: int) -> Step:
        offered = self.offered[kind]
        return Step(j, *self._steps.offer(kind, offered.base_value, offered.letters, scores, j))

    def scores(self, group: RowGroup) -> ScaledScores:
        """Return the scores of all positions and letters for the query of a group, over one denominator."""
        if self._latest_scores is None or self._latest_scores[0] is not group:
            self._latest_scores = group, self._find_scores(group)
        return self._latest_scores[1]

    def _find_scores(self, group: RowGroup) -> ScaledScores:
        positions = self.positions(group.n)
        active = [(q, column, row) for row, (q, column) in enumerate(zip(group.query, positions.keys, strict=True))
                  if q]
        added = [[sum((q * letter.keys[row] for q, _, row in active), ZERO) for letter in offered.letters]
                 for offered in self.offered]
        factors = [q / column.denominator for q, column, _ in active]
        unit = lcm(*(x.denominator for x in factors), *(x.denominator for row in added for x in row))
        base = [0] * group.n
        for factor, (_, column, _) in zip(factors, active, strict=True):
            times = int(factor * unit)
            base = [x + times * y for x, y in zip(base, column.numerators, strict=True)]
        return ScaledScores(unit, base, [[int(x * unit) for x in row] for row in added])


def _over_one_denominator(numbers: Sequence[Fraction]) -> PositionValues:
    denominator = lcm(*{x.denominator for x in numbers})
    return PositionValues(denominator, tuple([x.numerator * (denominator // x.denominator) for x in numbers]))


def truths_read(transformer: Transformer, known: KnownValues, names: Iterable[str], reader: str) -> dict[str, Formula]:
    """Return the formulas whose truths are read, by direction; messages name the ``reader``.

    Raises:
        NotDerived: if a direction is neither known nor an exact truth.
    """
    read = {}
    for name in names:
        match transformer.directions[name]:
            case _ if name in known:
                pass
            case Truth(formula):
                read[name] = formula
            case meaning:
                raise NotDerived(f"{reader} reads {name}, {meaning}: only exact directions may be read")
    return read
