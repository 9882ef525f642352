"""Check that every number of an execution is finite, also unused ones (docs/background/floats_rules.md, section 4)."""

from collections.abc import Mapping
from fractions import Fraction

from constructions.network.float_formats import Format
from constructions.network.lengths import Lengths
from constructions.network.meanings import Anything, Average, Mean, Near, Others, Product, Slack, Total, Truth
from constructions.network.transformer import Coefficients, FeedForward, Unit
from proofs.floats.approximate_truths import UPPER_OF_ALL
from proofs.floats.float_enclosure import ONE, ZERO, check_finite, describe, fits
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.outward import exp_up
from proofs.formula.composition import writes
from proofs.formula.failures import NotDerived


class FiniteUnits:
    """Bounds of every unit by the sizes of its inputs, at any row."""

    def __init__(self, numbers: EnclosedNumbers, lengths: Lengths, others: Mapping[str, Fraction]):
        """Prepare the check; ``others`` are the errors of the directions that look up a number."""
        self.numbers, self.run, self.lengths, self.others = numbers, numbers.run, lengths, others
        self._sizes: dict[str, Fraction] = {}

    def check(self) -> None:
        """Raise NotDerived if a number may be too large, or a weight is not a number of the formats."""
        run, transformer = self.run, self.numbers.transformer
        if 2 * self.lengths.last > run.softmax.largest or 2 * self.lengths.last > run.sums.largest:
            raise NotDerived(f"{self.lengths.last} weights may add up to more than {run.softmax} or {run.sums} holds")
        written = list(writes(transformer))
        for number, layer in enumerate(transformer.layers, start=1):
            for write in written:
                if write.stage < 2 * number and write.direction not in self._sizes:
                    self._sizes[write.direction] = self._size(write.direction)
            self._check_layer(number, layer.feedforward)

    def _check_layer(self, number: int, part: FeedForward) -> None:
        for unit in part.units:
            size = self._size_of_unit(unit)
            for name in unit.writes:
                if isinstance(self.numbers.transformer.directions[name], Slack):
                    self._sizes[name] = size
        for name in part.written():
            if isinstance(self.numbers.transformer.directions[name], Product):
                # Two copies may be added before others are subtracted.
                check_finite(3 * self._sizes[self.numbers.copied(name)], self.run.storage)

    def _size_of_unit(self, unit: Unit) -> Fraction:
        """Return the greatest activation."""
        run = self.run
        for weight in (*unit.reads.values(), *unit.writes.values()):
            if not fits(self.numbers.weight(weight), run.inputs):
                raise NotDerived(f"the weight {describe(weight)} of a unit is not a number of {run.inputs}")
        size = self._size_of_sum(unit.reads, unit.bias)
        check_finite(size, run.sums)
        size *= 1 + 2 * run.storage.roundoff
        check_finite(size, run.storage)
        return size

    def _size_of_sum(self, reads: Coefficients, bias: Fraction) -> Fraction:
        """Bound every partial sum: each of k roundings in A, and that of inputs to I, adds at most u of it."""
        sums, inputs = self.run.sums, self.run.inputs
        terms = len(reads) + 1
        size = abs(bias) + sum((abs(weight) * self._sizes.get(name, ZERO) for name, weight in reads.items()), ZERO)
        factor = exp_up(2 * terms * sums.roundoff + 4 * inputs.roundoff)
        return factor * (size + terms * (sums.smallest_normal + inputs.smallest_normal))

    def _size(self, name: str) -> Fraction:
        """Bound a direction at all rows, from those written by the layers before."""
        numbers, last = self.numbers, Fraction(self.lengths.last)
        match numbers.transformer.directions[name]:
            case Anything():
                raise NotDerived("nothing is known of it")
            case Truth():
                return ONE
            case Near():
                return UPPER_OF_ALL
            case Others():
                return last + self.others[name]
            case Mean():
                return 1 + max(numbers.mean(n).error for n in range(1, self.lengths.last + 1))
            case Average(term):
                # The sum of weights is at most 2 with its errors, and is multiplied by the greatest value.
                return Fraction(4 * sum(abs(number) for number, _ in term.coefficients))
            case Total():
                return last
            case Product() if name not in numbers.known:
                return 2 * self._sizes[numbers.copied(name)]
        if name not in numbers.known:
            raise NotDerived(f"{name}: nothing is known of it")
        if numbers.written[name].stage:
            return max(enclosure.computed_size for enclosure in numbers.distinct(name, self.lengths))
        visited = self.lengths if numbers.differs_by_length([name]) else [self.lengths.last]
        return max(numbers.span(name, n, n).computed_size for n in visited)


def check_embeddings(numbers: EnclosedNumbers, lengths: Lengths, storage: Format) -> None:
    """Raise NotDerived unless every embedded number is known, and at most the largest of the storage format."""
    for name, write in numbers.written.items():
        if isinstance(numbers.transformer.directions[name], Anything):
            raise NotDerived(f"{name}: nothing is known of it")
        if write.stage or name not in numbers.known or isinstance(numbers.transformer.directions[name], Truth):
            continue
        for n in lengths if numbers.differs_by_length([name]) else [lengths.last]:
            try:
                numbers.span(name, n, n)
            except NotDerived as fault:
                raise NotDerived(f"{name} at n = {n}: {fault}") from None
