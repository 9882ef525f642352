"""Enclosure of the output on one class: every atom is computed from the number of times that each column is seen.

Ends are exact rationals, rounded outward to a multiple of 2^-GRAIN unless the enclosure is one number. Atoms are
enclosed in the order of their numbers, without recursion.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from ...kernel.exponential import ceil_shift, floor_shift
from ...kernel.numbers import ZERO, Enclosure, add, charge, divide, ends_of, multiply, total
from ...kernel.verdicts import Rejected, quote, require
from ...kernel.weights import Weigher
from .cells import OUTPUT, Bucket, FormsByPosition, HeadColumns, all_equal
from .classes import Signature
from .forms import AtomForm, HeadTerm, Normed, Relu

GRAIN = 256


def is_point(x: Enclosure) -> bool:
    """Return whether the enclosure is one number."""
    return x.lower == x.upper


def outward(x: Enclosure) -> Enclosure:
    """Round an enclosure outward to multiples of 2^-GRAIN, unless it is one number."""
    if is_point(x):
        return x
    return Enclosure(Fraction(x.lower.numerator * (1 << GRAIN) // x.lower.denominator, 1 << GRAIN),
                     Fraction(-(-x.upper.numerator * (1 << GRAIN) // x.upper.denominator), 1 << GRAIN))


class Multiset(NamedTuple):
    """The visible columns, by their numbers, and their multiplicities; in order, if classes are words."""

    columns: Sequence[int]
    counts: Sequence[int]


COLUMN_BITS = 256  # of memory for a column in a multiset


class ClassExecution:
    """Enclosures on the words of one class."""

    def __init__(self, cells: FormsByPosition, weigher: Weigher, buckets: Sequence[Bucket],
                 signature: Signature) -> None:
        self._cells, self._budget, self._weigher = cells, cells.budget, weigher
        members = [(buckets[number], count) for number, count in signature]
        self._atoms: dict[int, Enclosure] = {}
        self._rows: dict[int, tuple[Enclosure, ...]] = {}
        self._norms: dict[tuple[int, Fraction], Sequence[Enclosure]] = {}
        self._multisets: dict[tuple[int, int], Multiset] = {}
        self._word = dict(entry for bucket, _ in members for entry in bucket) if cells.by_words else {}
        self._counts: dict[int, list[tuple[int, int]]] = {}
        for bucket, count in members if not cells.by_words else []:
            self._budget.spend(1 + len(bucket))
            for head, number in bucket:
                self._counts.setdefault(head, []).append((number, count))

    def output(self) -> Enclosure:
        """Return the output at the position that is read."""
        output = self._find_output()
        for number in self._below(output):
            self._atoms[number] = outward(self._atom(number))
        return self.number(output)

    def _find_output(self) -> AtomForm:
        cells = self._cells
        if cells.by_words:
            return cells.output(self._word[cells.at])
        if len(cells.outputs) == 1:
            return cells.outputs[0]
        ((number, _),) = self._counts[OUTPUT]
        return cells.outputs[number]

    def _below(self, output: AtomForm) -> list[int]:
        """Return the atoms that the output depends on, ascending, so that each follows the atoms in it."""
        found = {number for number, _ in output.atoms}
        waiting, visited = [*found], set[tuple[int, int]]()
        while waiting:
            for form in self._forms_of(waiting.pop(), visited):
                self._budget.spend(1 + len(form.atoms))
                new = [number for number, _ in form.atoms if number not in found]
                found.update(new)
                waiting += new
        return sorted(found)

    def _forms_of(self, number: int, visited: set[tuple[int, int]]) -> Iterator[AtomForm]:
        """Yield the forms in an atom, except the columns of visited multisets."""
        atom = self._cells.forms.atoms[number]
        if isinstance(atom, Relu):
            yield atom.form
        elif isinstance(atom, Normed):
            yield from self._cells.forms.vectors.rows[atom.vector]
        else:
            yield from atom.queries
            if (atom.head, atom.origin) not in visited:
                visited.add((atom.head, atom.origin))
                for column in self._see(atom).columns:
                    yield from self._cells.columns.rows[column]

    def number(self, form: AtomForm) -> Enclosure:
        """Enclose a form on these words."""
        return self._add_products(((ends_of(c), self._atoms[number]) for number, c in form.atoms), form.constant)

    def _atom(self, number: int) -> Enclosure:
        atom = self._cells.forms.atoms[number]
        if isinstance(atom, Relu):
            inside = self.number(atom.form)
            return Enclosure(max(ZERO, inside.lower), max(ZERO, inside.upper))
        if isinstance(atom, Normed):
            return self._normed(atom)
        return self._head_term(atom)

    def _normed(self, atom: Normed) -> Enclosure:
        """Return the deviation from the mean, over the root."""
        key = atom.vector, atom.epsilon
        if key not in self._norms:
            self._norms[key] = self._norm(*key)
        return self._norms[key][atom.place]

    def _norm(self, vector: int, epsilon: Fraction) -> Sequence[Enclosure]:
        """Return all numbers of a vector minus their mean, over the root."""
        numbers = [self.number(form) for form in self._cells.forms.vectors.rows[vector]]
        mean = self._plain_mean(numbers, [1] * len(numbers))
        deviations = [Enclosure(add(self._budget, x.lower, -mean.upper), add(self._budget, x.upper, -mean.lower))
                      for x in numbers]
        variance = outward(self._plain_mean([self._square(x) for x in deviations], [1] * len(numbers)))
        radicand = Enclosure(add(self._budget, variance.lower, epsilon), add(self._budget, variance.upper, epsilon))
        require(radicand.lower > 0, "a norm is not known to be of a vector with two different numbers")
        for end in radicand:
            charge(self._budget, end, end)
        low, high = floor_root(radicand.lower), floor_root(radicand.upper) + Fraction(1, 1 << GRAIN)
        require(low > 0, "a norm is not known closely enough")
        inverse = Enclosure(1 / high, 1 / low)
        return [self._multiply(x, inverse) for x in deviations]

    def _square(self, x: Enclosure) -> Enclosure:
        """Enclose the square."""
        ends = sorted(multiply(self._budget, end, end) for end in x)
        return Enclosure(ZERO if x.lower < 0 < x.upper else ends[0], ends[1])

    def _head_term(self, atom: HeadTerm) -> Enclosure:
        head, multiset = self._cells.seen[atom.head], self._see(atom)
        rows = [self._row(column) for column in multiset.columns]
        queries = [self.number(query) for query in atom.queries]
        scores = [self._score(queries, row) for row in rows]
        if not (all_equal(scores) and is_point(scores[0])):  # then the temperature does not matter
            scores = [outward(self._multiply(score, atom.inverse_temperature)) for score in scores]
        place = len(head.inputs.keys) + head.inputs.names.index(atom.name)
        values = [row[place] for row in rows]
        if head.inputs.head.weighting == "softmax":
            return self._soft_mean(scores, values, multiset.counts)
        return self._hard_mean(head, scores, values, multiset.counts)

    def _row(self, column: int) -> tuple[Enclosure, ...]:
        """Return the numbers of a column."""
        if column not in self._rows:
            self._rows[column] = tuple(map(self.number, self._cells.columns.rows[column]))
        return self._rows[column]

    def _see(self, atom: HeadTerm) -> Multiset:
        """Return the columns that the head sees, with multiplicities; if classes are words, position by position."""
        key = (atom.head, atom.origin)
        if key not in self._multisets:
            columns = list(self._columns(atom.head, self._cells.seen[atom.head], atom.origin))
            if not self._cells.by_words:
                counts: dict[int, int] = {}
                for column, count in columns:
                    counts[column] = counts.get(column, 0) + count
                columns = list(counts.items())
            self._budget.hold(COLUMN_BITS * len(columns))
            self._multisets[key] = Multiset([column for column, _ in columns], [count for _, count in columns])
        return self._multisets[key]

    def _columns(self, number: int, head: HeadColumns, origin: int) -> Iterator[tuple[int, int]]:
        """Yield the visible columns, and the number of times each is seen."""
        cells = self._cells
        first, last = head.visible(origin or cells.at)
        self._budget.spend(last + 1 - first + len(self._counts.get(number, ())))
        for j in range(first, last + 1):
            if cells.by_words:
                yield head.columns[j, cells.choices[j - 1][self._word[j]]], 1
            elif not head.varies(j):
                yield head.columns[j, cells.choices[j - 1][0]], 1
        if not cells.by_words and origin in (0, cells.at):
            yield from self._counts.get(number, ())

    def _score(self, queries: Sequence[Enclosure], column: Sequence[Enclosure]) -> Enclosure:
        return outward(self._add_products(zip(queries, column, strict=False), ZERO))  # the values follow the keys

    def _add_products(self, pairs: Iterable[tuple[Enclosure, Enclosure]], start: Fraction) -> Enclosure:
        """Enclose the sum of these products and a number."""
        lower = upper = start
        for x, y in pairs:
            ends = self._multiply(x, y)
            lower, upper = add(self._budget, lower, ends.lower), add(self._budget, upper, ends.upper)
        return Enclosure(lower, upper)

    def _multiply(self, x: Enclosure, y: Enclosure) -> Enclosure:
        """Enclose the product."""
        if is_point(x) and is_point(y):
            product = multiply(self._budget, x.lower, y.lower)
            return Enclosure(product, product)
        ends = [multiply(self._budget, p, q) for p in x for q in y]
        return Enclosure(min(ends), max(ends))

    def _soft_mean(self, scores: Sequence[Enclosure], values: Sequence[Enclosure], counts: Sequence[int]) -> Enclosure:
        """Enclose the weighted mean; exact for equal scores or equal values.

        Proof. It is least + sum w c (v - least) / sum w c. All terms are at least 0, so the quotient is between the
        quotients of the ends that make it smaller and greater.
        """
        if all_equal(values):
            return values[0]
        if all_equal(scores) and is_point(scores[0]):
            return self._plain_mean(values, counts)
        weights = self._weigh(scores)
        least = min(value.lower for value in values)
        sums = [ZERO] * 4
        for (low, high), value, count in zip(weights, values, counts, strict=True):
            terms = (multiply(self._budget, low, value.lower - least),
                     multiply(self._budget, high, value.upper - least), low, high)
            for place, term in enumerate(terms):
                sums[place] = add(self._budget, sums[place], multiply(self._budget, Fraction(count), term))
        above_least, below, total_low, total_high = sums
        require(total_low > 0, "scores are not known closely enough")
        return Enclosure(add(self._budget, least, divide(self._budget, above_least, total_high)),
                        add(self._budget, least, divide(self._budget, below, total_low)))

    def _weigh(self, scores: Sequence[Enclosure]) -> list[Enclosure]:
        """Enclose exp of each score minus the greatest end."""
        top = max(score.upper for score in scores)
        return [Enclosure(self._exp(score.lower - top).lower, self._exp(score.upper - top).upper) for score in scores]

    def _exp(self, x: Fraction) -> Enclosure:
        """Enclose exp of a number that is not positive, to a multiple of 2^-GRAIN."""
        lower, upper, e = self._weigher.enclose(x)
        return Enclosure(Fraction(floor_shift(lower, e + GRAIN), 1 << GRAIN),
                         Fraction(ceil_shift(upper, e + GRAIN), 1 << GRAIN))

    def _hard_mean(self, head: HeadColumns, scores: Sequence[Enclosure], values: Sequence[Enclosure],
                   counts: Sequence[int]) -> Enclosure:
        weighting = head.inputs.head.weighting
        if not all(map(is_point, scores)):
            raise Rejected(f"head {quote(head.inputs.head.name)} is hard, and its scores are known only approximately")
        best = max(scores)
        winners = [place for place, score in enumerate(scores) if score == best]
        if weighting == "leftmost-hardmax":
            winners = winners[:1]
        elif weighting == "rightmost-hardmax":
            winners = winners[-1:]
        return self._plain_mean([values[place] for place in winners], [counts[place] for place in winners])

    def _plain_mean(self, values: Sequence[Enclosure], counts: Sequence[int]) -> Enclosure:
        """Return the mean of values of equal weights, with multiplicities."""
        lower, upper = (total(self._budget, (multiply(self._budget, end, Fraction(count))
                                             for end, count in zip(ends, counts, strict=True)))
                        for ends in zip(*values, strict=True))
        number = Fraction(sum(counts))
        return Enclosure(divide(self._budget, lower, number), divide(self._budget, upper, number))


def floor_root(x: Fraction) -> Fraction:
    """Return the square root, rounded down to a multiple of 2^-GRAIN."""
    return Fraction(isqrt((x.numerator << 2 * GRAIN) // x.denominator), 1 << GRAIN)
