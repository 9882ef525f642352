"""Float enclosures of directions, made after their writers were checked.

See docs/background/floats_rules.md, section 4, rule 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate

from ...kernel.budget import Cache
from ...kernel.language import Place
from ...kernel.numbers import ZERO, add
from ...kernel.reading.records import (
    ApproximateCount,
    ApproximateTruth,
    Average,
    ExactCount,
    Head,
    Mean,
    PositionalNumber,
    Product,
    Slack,
    Truth,
    kind_of,
    visible,
)
from ...kernel.verdicts import quote, refuse, require
from ..formula.composition import Writer
from ..formula.proof import ProofContext
from .forms import TRUTH, Arithmetic, FloatValue, join
from .means import FloatCell, Means, VisibleValues, visible_values
from .rounding import grid_of, is_number, nearest, up

NEAR = FloatValue(ZERO, TRUTH.high + TRUTH.high / 4, ZERO, None)  # 0 to 5/4, whatever is computed

NOTHING = FloatCell(ZERO, ZERO, ZERO)

CELL_BITS = 2048  # memory of the enclosure of one row
JOIN_STEPS = 20  # work of each row of a hull


class FloatEnclosures:
    """Float enclosures of each direction, at the rows of a length.

    Attributes:
        copied: for each product that a feed-forward part writes, the direction that it copies.
        numbers: enclosures of each direction of kind *others* or *slack*.
    """

    def __init__(self, proof: ProofContext, arithmetic: Arithmetic, writers: Mapping[str, Writer]) -> None:
        self._proof, self._arithmetic, self._writers = proof, arithmetic, writers
        self._means, self.copied, self.numbers = Means(arithmetic), dict[str, str](), dict[str, FloatValue]()
        self._cells = Cache[tuple[str, int], Sequence[FloatCell]]()
        self._values = Cache[tuple[str, int], FloatValue]()
        self._averaged = Cache[tuple[str, int], FloatValue]()
        self._stored = Cache[object, FloatCell]()
        self._means_of_truths: dict[int, FloatValue] = {}  # by the number of positions

    def lengths(self, given: Iterable[tuple[int, Sequence[int]]],
                names: Iterable[str]) -> Iterator[tuple[int, Sequence[int]]]:
        """Return the lengths of obligations: those given, if these directions are steady, else all."""
        return iter(given) if self.are_steady(names) else self._proof.lengths([], "past")

    def are_steady(self, names: Iterable[str]) -> bool:
        """Return whether all computed numbers at i depend on n only if the stated meaning mentions n."""
        return all(self._is_steady(name) for name in names)

    def _is_steady(self, name: str) -> bool:
        """Return whether the computed number at i depends on n only if the stated meaning mentions n.

        A head of equal weights may round one real mean in two ways: it depends on the visible positions and their
        values.
        """
        writer, meaning = self._writers[name], self._proof.directions[name]
        if isinstance(meaning, PositionalNumber | Mean | Average) and writer.head:
            head = self.head_of(name)
            read = head.values[name]
            return (head.mask == "future" and not self._proof.mentions_length(self._proof.places_of(read))
                    and all(map(self._is_steady, read)))
        return name not in self.copied or self._is_steady(self.copied[name])

    def everywhere(self, name: str) -> FloatValue:
        """Enclose a direction at all rows of the claim."""
        steady = self._is_steady(name) and not self._proof.mentions_length(self._proof.places_of([name]))
        lengths = self._proof.claim.lengths[-1:] if steady else self._proof.claim.lengths
        self._proof.budget.spend(JOIN_STEPS * len(lengths))
        return join([self.value(name, n) for n in lengths])

    def value(self, name: str, n: int) -> FloatValue:
        """Enclose a direction at the rows (n, 1), ..., (n, n)."""
        known = self._values.get((name, n))
        return known or self._values.keep((name, n), self._find_value(name, n), CELL_BITS)

    def _find_value(self, name: str, n: int) -> FloatValue:
        meaning = self._proof.directions[name]
        self._proof.budget.spend(JOIN_STEPS * n)
        match meaning:
            case Truth():
                return TRUTH
            case ApproximateTruth():
                return NEAR
            case Mean(count):
                lengths = {self._proof.positions_counted(count, n, i) for i in range(1, n + 1)}
                return join([self._mean_of_truths(length) for length in sorted(lengths)])
            case Average(term):
                return self._find_average(name, self._proof.language.nodes[term].operands, n)
            case ExactCount(count):
                most = max(self._proof.positions_counted(count, n, i) for i in (1, n))
                return FloatValue(ZERO, Fraction(most), ZERO, 0)
            case ApproximateCount() | Slack():
                return self.numbers[name]
            case Product() if not self._proof.is_known(meaning):
                return join([*map(value_of, self.copies(name, n)), value_of(NOTHING)])
            case PositionalNumber() | Product():
                return join([value_of(cell) for cell in self.cells(name, n)])
        refuse("no bounds of {}, of kind {}", quote(name), kind_of(meaning))

    def _mean_of_truths(self, length: int) -> FloatValue:
        """Enclose the mean of a count over ``length`` positions, for any count."""
        if length not in self._means_of_truths:
            means = [self._means.mean(visible_values(Fraction(count), length, TRUTH)) for count in range(length + 1)]
            self._means_of_truths[length] = join([value_of(mean) for mean in means])
        return self._means_of_truths[length]

    def _find_average(self, name: str, counts: Sequence[Place], n: int) -> FloatValue:
        """Enclose the average of a sum of counts: between the averages with every value at one end."""
        values, found = self.values(name, n), []
        for length in sorted({self._proof.positions_counted(counts[0], n, i) for i in range(1, n + 1)}):
            low, high = (self._means.mean(visible_values(length * end, length, values))
                         for end in (values.low, values.high))
            width = max(high.high, high.real) - min(low.low, low.real)
            found.append(FloatValue(low.real, high.real, up(width), None))
        return join(found)

    def values(self, name: str, n: int) -> FloatValue:
        """Enclose the values that the head of a direction averages, which are exact."""
        known = self._averaged.get((name, n))
        if known is not None:
            return known
        read = self.head_of(name).values[name]
        values = self._arithmetic.exact_form(read, {source: self.value(source, n) for source in read})
        return self._averaged.keep((name, n), values, CELL_BITS)

    def mean_of_sum(self, name: str, n: int, length: int, total: Fraction) -> FloatCell:
        """Return the cell of a mean or an average where the values at ``length`` visible positions have this sum."""
        return self._means.mean(visible_values(total, length, self.values(name, n)))

    def head_of(self, name: str) -> Head:
        """Return the head that writes a direction."""
        writer = self._writers[name]
        return self._proof.transformer.layers[writer.layer - 1].heads[writer.head - 1]

    def cells(self, name: str, n: int) -> Sequence[FloatCell]:
        """Return the cells of a known direction at (n, 1), ..., (n, n), row by row."""
        known = self._cells.get((name, n))
        return known or self._cells.keep((name, n), self._find_cells(name, n), n * CELL_BITS)

    def _find_cells(self, name: str, n: int) -> Sequence[FloatCell]:
        writer, meaning = self._writers[name], self._proof.directions[name]
        if writer.head:
            return self._means_of(self.head_of(name), name, n)
        reals = self._proof.known_numbers(name, n)
        if isinstance(meaning, Truth) or (writer.layer and isinstance(meaning, PositionalNumber)):
            return [FloatCell(real, real, real) for real in reals]
        if writer.layer:
            copies = self.copies(name, n)
            return [cell if real else NOTHING for real, cell in zip(reals, copies, strict=True)]
        return [self._store(real) for real in reals]

    def copies(self, name: str, n: int) -> Sequence[FloatCell]:
        """Return the cells of a product where its formula holds: a copy, rounded as an input of a matrix product.

        Without one the formula holds nowhere, as by_cases.py found.
        """
        if name not in self.copied:
            return [NOTHING] * n
        return [self._copy(cell) for cell in self.cells(self.copied[name], n)]

    def _copy(self, cell: FloatCell) -> FloatCell:
        claim, budget = self._arithmetic.claim, self._arithmetic.budget
        is_kept = all(is_number(form, end) for form in (claim.inputs, claim.sums) for end in (cell.low, cell.high))
        if is_kept:
            return cell
        low, high = (nearest(budget, claim.inputs, end) for end in (cell.low, cell.high))
        copied = [end for end in (low, high) if end is not None and is_number(claim.sums, end)]
        require(len(copied) == 2, "a copied number is too small or too large for a format")
        return FloatCell(cell.real, *copied)

    def _store(self, real: Fraction) -> FloatCell:
        """Return an embedded number, rounded to the storage format."""
        known = self._stored.get(real)
        if known is not None:
            return known
        self._arithmetic.budget.spend(10)
        close = nearest(self._arithmetic.budget, self._arithmetic.claim.storage, real)
        if close is None:
            value = self._arithmetic.rounded(self._arithmetic.claim.storage, FloatValue(real, real, ZERO, None))
            return self._stored.keep(real, FloatCell(real, real - value.error, real + value.error), CELL_BITS)
        return self._stored.keep(real, FloatCell(real, close, close), CELL_BITS)

    def _means_of(self, head: Head, name: str, n: int) -> Sequence[FloatCell]:
        """Return the cells of a uniform head of known values, which are exact."""
        read, budget = head.values[name], self._proof.budget
        values = self.values(name, n)
        (column,) = self._proof.known_forms([read], n)
        above, below = (list(accumulate((max(sign * x, ZERO) for x in column), partial(add, budget), initial=ZERO))
                        for sign in (1, -1))
        others = list(accumulate((x != 0 for x in column), initial=0))
        found = []
        for first, last in (visible(head.mask, n, i) for i in range(1, n + 1)):
            positive, negative = (add(budget, sums[last], -sums[first - 1]) for sums in (above, below))
            count, has_one_sign = others[last] - others[first - 1], not (positive and negative)
            found.append(self._means.mean(VisibleValues(last - first + 1, positive - negative, max(positive, negative),
                                                        count, values.grid, has_one_sign)))
        return found


def value_of(cell: FloatCell) -> FloatValue:
    """Return the enclosure of one row."""
    is_exact = cell.low == cell.real == cell.high
    return FloatValue(cell.real, cell.real, cell.error, grid_of(cell.real) if is_exact else None)
