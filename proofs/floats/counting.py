"""Feed-forward outputs by the value of a sum of counts, in floating point (rules 1 and 5).

Slack reads a mean or an average and numbers of the position, which are fixed in every execution, or between two fixed
numbers. For an interval of values, the computed mean is between those for its ends, since rounding is monotone.
"""

from collections.abc import Mapping
from fractions import Fraction

from constructions.network.float_formats import power_of_two
from constructions.network.meanings import Average, Mean, Slack, Truth
from constructions.network.transformer import Coefficients
from proofs.floats.feed_forward import TRUTH_ONE, ExactOutputs
from proofs.floats.float_enclosure import ZERO, FloatEnclosure, check_finite, describe
from proofs.floats.forms import ends_of, operations_error
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.uniform import UniformSum, ends_of_mean
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.obligation import FeedForwardObligation, InputCase

Ends = tuple[Fraction, Fraction]


class OutputsByValue:
    """Check of these outputs under one float model."""

    def __init__(self, numbers: EnclosedNumbers):
        """Prepare the check; ``numbers`` encloses the inputs."""
        self.numbers, self.run = numbers, numbers.run
        self._means: dict[tuple[UniformSum, int], Ends] = {}
        self._forms: dict[tuple[Fraction, ...], Ends] = {}
        self._visible: dict[tuple[str, int], UniformSum] = {}
        self._weights: dict[Fraction, FloatEnclosure] = {}
        self._rounded: dict[Fraction, Fraction] = {}

    def check(self, obligation: FeedForwardObligation, errors: Mapping[str, Fraction]) -> None:
        """Raise NotDerived unless the output is its meaning in every case; ``errors`` are of *others* directions."""
        directions = self.numbers.transformer.directions
        read = {name for reads, _, _ in obligation.units for name in reads}
        if not any(isinstance(directions[name], Mean | Average) for name in read):
            ExactOutputs(self.numbers, errors).check(obligation)
            return
        if not isinstance(directions[obligation.direction], Slack):
            raise NotDerived("means are not exact, and this output is to be")
        if len(obligation.units) != 1 or obligation.units[0][2] != 1 or obligation.bias:
            raise NotDerived("slack is written by one unit, with weight 1")
        reads, bias, _ = obligation.units[0]
        for case in obligation.cases:
            self._check_case(reads, bias, case)

    def _check_case(self, reads: Coefficients, bias: Fraction, case: InputCase) -> None:
        lower, upper = self._ends_of_form(reads, bias, case)
        if case.or_more and lower < 1:
            raise NotDerived(f"a slack that should be at least 1 may be {describe(lower)}, over {case.positions} "
                             "positions")
        if not case.or_more and upper > 0:
            raise NotDerived(f"a slack that should be 0 may be {describe(upper)}, over {case.positions} positions")

    def _ends_of_form(self, reads: Coefficients, bias: Fraction, case: InputCase) -> Ends:
        """Enclose the form, computed in any order."""
        if case.slack or case.values:
            raise NotDerived("a unit reads slack or a count beside a mean")
        products = [(self._exact_weight(reads[name]), self._entered(*self._ends(name, box.lower, box.upper, case)))
                    for name, box in case.box if name in reads]
        products.append((self._exact_weight(bias), TRUTH_ONE))
        key = tuple(x for a, b in products for x in (a.lower, b.lower, b.upper))
        if key not in self._forms:
            self._forms[key] = self._ends_of_sum(products)
        return self._forms[key]

    def _ends_of_sum(self, products: list[tuple[FloatEnclosure, FloatEnclosure]]) -> Ends:
        entering = [(a, b) for a, b in products if a.size and b.size]
        scaled = [ends_of(a, b) for a, b in entering]
        lower, upper = (sum((ends[side] for ends in scaled), ZERO) for side in (0, 1))
        sizes = sum((max(high, -low) for low, high in scaled), ZERO)
        check_finite(2 * sizes, self.run.sums)
        error = operations_error(entering, max(upper, -lower), sizes, self.run)
        check_finite(max(upper, -lower) + error, self.run.storage)
        return lower - error, upper + error

    def _exact_weight(self, weight: Fraction) -> FloatEnclosure:
        if weight not in self._weights:
            enclosure = self.numbers.weight(weight)
            if enclosure.error or self.run.inputs.round(weight) != weight:
                raise NotDerived(f"the weight {describe(weight)} is not a number of the formats")
            self._weights[weight] = enclosure
        return self._weights[weight]

    def _ends(self, name: str, lower: Fraction, upper: Fraction, case: InputCase) -> Ends:
        """Enclose a stored direction whose real value is between these."""
        meaning = self.numbers.transformer.directions[name]
        if isinstance(meaning, Mean | Average):
            ends = [self._ends_of_mean(name, case.positions, x) for x in (lower, upper)]
            return ends[0][0], ends[1][1]
        if isinstance(meaning, Truth):
            return lower, upper
        if self.numbers.written[name].stage:
            raise NotDerived(f"a unit reads {name}, which is computed, beside a mean")
        rounded = self.run.storage.round(lower)
        if rounded and abs(rounded) < self.run.storage.smallest_normal:
            raise NotDerived(f"{describe(lower)} is too small for {self.run.storage}")
        return rounded, rounded

    def _ends_of_mean(self, name: str, length: int, mean: Fraction) -> Ends:
        visible = self._visible_sum(name, length)
        key = visible, int(mean * length / power_of_two(visible.grid))
        if key not in self._means:
            self._means[key] = ends_of_mean(*key, self.run)
        return self._means[key]

    def _visible_sum(self, name: str, length: int) -> UniformSum:
        if (name, length) not in self._visible:
            write = self.numbers.written[name]
            head = self.numbers.transformer.head(write.layer, write.place)
            if any(head.queries):
                raise NotDerived("the mean is that of a head whose queries read something")
            value = self.numbers.value_form(head.values[name], length, length)
            size = int(length * value.size / power_of_two(value.grid))
            self._visible[name, length] = UniformSum(length, length, size, value.grid, signed=value.lower < 0)
        return self._visible[name, length]

    def _entered(self, lower: Fraction, upper: Fraction) -> FloatEnclosure:
        """Enclose the input of a product that is stored between two numbers."""
        return FloatEnclosure(self._entered_end(lower), self._entered_end(upper), ZERO,
                              self.run.storage.least - self.run.storage.precision)

    def _entered_end(self, x: Fraction) -> Fraction:
        if x not in self._rounded:
            inputs = self.run.inputs
            self._rounded[x] = inputs.round(x)
            if x and abs(x) < inputs.smallest_normal:
                raise NotDerived(f"{describe(x)} is too small for {inputs}")
        return self._rounded[x]
