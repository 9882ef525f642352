"""Networks of one attention step, without norms, with `relu` units: exact in all but exp.

docs/background/tracks_rules.md, section 5, Exact numbers: all numbers except the weights of softmax are dyadic
rationals.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import zip_longest
from operator import mul, or_
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Budget
from ....kernel.numbers import INTEGER_BITS
from ....kernel.verdicts import require
from ..balls.exponentials import ABSOLUTE_ERROR, Exponentials
from ..reading.dyadics import Matrix, Vector
from ..reading.network import AttentionStep, Network, NetworkHead, UnitsStep
from ..zonotopes.linear_maps import over_root
from ..zonotopes.ranges import ColumnSource
from ..zonotopes.scores import PathBounds

BEHIND = 48  # additional fractional bits of a weight
MOST_POWER = 1 << 13  # most fractional bits of exact numbers
CHORD = 20  # fractional bits of the slope of a chord


class ExactForm(NamedTuple):
    """Per coordinate: a constant, and coefficients of the first variables; integers over 2^power."""

    rows: list[list[int]]
    power: int


def shortened(rows: list[list[int]], power: int) -> ExactForm:
    """Return the form over the least possible power of two.

    Raises:
        Rejected: if numbers are too long.
    """
    if power < 0:
        rows, power = [[number << -power for number in row] for row in rows], 0
    bits = reduce(or_, [abs(number) for row in rows for number in row], 0)
    cut = min(power, (bits & -bits).bit_length() - 1) if bits else power
    require(max(power - cut, bits.bit_length() - cut) <= MOST_POWER, "numbers of more than {} bits", MOST_POWER)
    return ExactForm([[number >> cut for number in row] for row in rows], power - cut)


def plus(x: ExactForm, y: ExactForm) -> ExactForm:
    """Return the sum."""
    power = max(x.power, y.power)
    a, b = power - x.power, power - y.power
    return ExactForm([[(one << a) + (other << b) for one, other in zip_longest(*both, fillvalue=0)]
                 for both in zip(x.rows, y.rows, strict=True)], power)


class ExactMap(NamedTuple):
    """The affine map x ↦ x W + b, exact, sparse.

    ``columns``: the nonzero weights of each output with their inputs, over 2^power, each of at most ``bits`` bits.
    """

    columns: list[list[tuple[int, int]]]
    power: int
    bias: ExactForm | None
    bits: int


def make_map(budget: Budget, weight: Matrix, bias: Vector | None = None) -> ExactMap:
    """Return the exact map of a matrix and a bias."""
    budget.spend(1 + 2 * len(weight.rows) * weight.width)
    rows, power = shortened([*map(list, weight.rows)], -weight.power)
    columns = [[(k, factor) for k, factor in enumerate(column) if factor] for column in zip(*rows, strict=True)]
    budget.hold(INTEGER_BITS * sum(map(len, columns)) + max(power, 0) * sum(map(len, columns)))
    return ExactMap(columns, power, None if bias is None else column_of(bias.entries, bias.power), longest(rows))


def longest(rows: Iterable[Iterable[int]]) -> int:
    """Return the length in bits of the longest number."""
    return max((number.bit_length() for row in rows for number in row), default=0)


def steps_of(bits: int, others: int) -> int:
    """Return the work of a product of numbers of these lengths in bits, beyond that of short ones."""
    return bits * others >> 18


def column_of(entries: Sequence[int], power: int) -> ExactForm:
    """Return the vector of ``entries`` times 2^power."""
    return shortened([[one] for one in entries], -power)


def image(budget: Budget, x: ExactForm, linear: ExactMap) -> ExactForm:
    """Return the image of the form under the map."""
    width, rows = max((len(row) for row in x.rows), default=1), []
    bits = longest(x.rows)
    each = 1 + (width * (8 + (bits >> 5)) >> 5) + width * steps_of(bits, linear.bits)
    budget.spend(1 + sum(2 + (width >> 5) + len(column) * each for column in linear.columns))
    for column in linear.columns:
        total = [0] * width
        for place, factor in column:
            for k, number in enumerate(x.rows[place]):  # later coefficients are 0
                total[k] += factor * number
        rows.append(total)
    found = shortened(rows, x.power + linear.power)
    return found if linear.bias is None else plus(found, linear.bias)


def ends(row: Sequence[int], box: Sequence[PathBounds], places: int) -> tuple[int, int]:
    """Return the least and the greatest value of a coordinate, over 2^(its power + places)."""
    least = greatest = row[0] << places
    for factor, (low, high) in zip(row[1:], box, strict=False):
        a, b = factor * low, factor * high
        least, greatest = least + min(a, b), greatest + max(a, b)
    return least, greatest


def relu(budget: Budget, x: ExactForm, box: list[PathBounds], places: int) -> ExactForm:
    """Return relu of each coordinate; one that may have both signs gets a new variable, appended to the box.

    Proof. If l <= y <= u, l < 0 < u and 0 <= s <= u / (u - l), relu(y) - s y is convex in y, 0 at 0 and never below, so
    it lies between 0 and its greater value at an end: -s l <= (1 - s) u. It is the variable, rounded up.
    """
    budget.spend(1 + len(x.rows) * (2 + len(box) * (1 + steps_of(longest(x.rows), longest(box)))))
    known = [ends(row, box, places) for row in x.rows]
    if all(low >= 0 or high <= 0 for low, high in known):
        return shortened([row if low >= 0 else [0] for row, (low, _) in zip(x.rows, known, strict=True)], x.power)
    rows = []
    for row, (low, high) in zip(x.rows, known, strict=True):
        slope = 1 << CHORD if low >= 0 else 0 if high <= 0 else (high << CHORD) // (high - low)
        rows.append([slope * number for number in row])
        if low < 0 < high:
            rows[-1] += [0] * (1 + len(box) - len(row)) + [1 << CHORD + x.power]
            box.append(PathBounds(0, -((slope - (1 << CHORD)) * high >> CHORD + x.power)))
    return shortened(rows, x.power + CHORD)


class ExactUnits(NamedTuple):
    """A feed-forward block, with `relu` or the identity."""

    is_relu: bool
    inward: ExactMap
    outward: ExactMap


class ExactVector(NamedTuple):
    """Integers over 2^power."""

    entries: list[int]
    power: int


class ExactProjections(NamedTuple):
    """Query, key and value of a token at a place."""

    query: ExactVector
    key: ExactVector
    value: ExactVector


class ExactNetwork:
    """A network in exact numbers: streams of tokens at places (sources), and logits of averages.

    Attributes:
        widths: of the value vectors of each head.
        unit: fractional bits of weights.
    """

    def __init__(self, budget: Budget, network: Network, offset: int, precision: int) -> None:
        """Prepare the maps.

        Raises:
            Rejected: if there is no rule for the network.
        """
        (attention,) = network.attention_steps if len(network.attention_steps) == 1 else (None,)
        require(network.causal and attention and attention.norm is None and attention.rotary is None and all(
            step is attention or (isinstance(step, UnitsStep) and step.norm is None and step.gate is None
                                  and step.activation in ("relu", "identity")) for step in network.steps),
                "exact numbers: no rule for this network")
        assert isinstance(attention, AttentionStep)
        require(attention.cap is None, "exact numbers: no rule for scores with a cap")
        self.budget, self.network, self.attention, self._offset = budget, network, attention, offset
        at, steps = network.steps.index(attention), [
            ExactUnits(step.activation == "relu", *(
                make_map(budget, one.weight, one.bias) for one in (step.inward, step.outward)))
            for step in network.steps if isinstance(step, UnitsStep)]
        self._first, self._after = steps[:at], steps[at:]
        self._heads = [[make_map(budget, one.weight, one.bias) for one in (head.query, head.key, head.value)]
                       for head in attention.heads]
        self._out = [make_map(budget, head.out) for head in attention.heads]
        self._bias = None if attention.bias is None else column_of(attention.bias.entries, attention.bias.power)
        self._logits = make_map(budget, network.unembedding.weight, network.unembedding.bias)
        self.widths = [head.value.weight.width for head in attention.heads]
        self._fraction, self.unit = precision, precision + BEHIND
        self._exp = Exponentials(precision, self.unit, budget)
        self._points: dict[ColumnSource, ExactForm] = {}
        self._projections: dict[tuple[int, ColumnSource], ExactProjections] = {}

    def point(self, source: ColumnSource) -> ExactForm:
        """Return the stream of a token at a place before the heads."""
        if source not in self._points:
            place, token = source
            tokens, positions = self.network.tokens, self.network.positions
            x = column_of(tokens.rows[token], tokens.power)
            if positions is not None:
                x = plus(x, column_of(positions.rows[self._offset + place], positions.power))
            self._points[source] = self._pass(self._first, x, [], 0)
            self.budget.hold((ENTRY_BITS + self._points[source].power) * len(x.rows))
        return self._points[source]

    def projections(self, head: int, source: ColumnSource) -> ExactProjections:
        """Return a head's query, key and value of a source."""
        if (head, source) not in self._projections:
            found = ExactProjections(*(ExactVector([entry for (entry,) in made.rows], made.power) for made in (
                image(self.budget, self.point(source), part) for part in self._heads[head])))
            self.budget.hold(sum((ENTRY_BITS + part.power) * len(part.entries) for part in found))
            self._projections[head, source] = found
        return self._projections[head, source]

    def score(self, head: NetworkHead, query: ExactVector, key: ExactVector, distance: int) -> tuple[int, int]:
        """Enclose the score of a key at this distance by integers over 2^fraction, at most 3 apart."""
        product = sum(map(mul, query.entries, key.entries))
        power, scale, bits = query.power + key.power, self.attention.scale, self._fraction
        slope = (head.slope or Fraction(0)) * distance
        if scale.root is not None:
            near = over_root(product, bits - power, scale.root) + (slope.numerator << bits) // slope.denominator
            return near - 1, near + 2
        x = Fraction(product, 1 << power) * (scale.times or 0) + slope
        return (x.numerator << bits) // x.denominator, -(-(x.numerator << bits) // x.denominator)

    def weigh(self, head: int, own: ColumnSource, sources: Iterable[ColumnSource]) -> dict[ColumnSource, PathBounds]:
        """Enclose exp(score - top) over 2^unit, for a number top common to all sources.

        Proof. A computed v is within 2^-(F - 2) t + 3 of the true t. So t <= (v + 3)(1 + 2^-(F - 3)) <= v + v 2^-(F -
        3) + 4, and t >= (v - 3)(1 - 2^-(F - 2)) >= v - 3 - v 2^-(F - 2). A weight is at most 1.
        """
        of_head, query = self.attention.heads[head], self.projections(head, own).query
        known = {source: self.score(of_head, query, self.projections(head, source).key, source[0] - own[0])
                 for source in sources}
        keys = (self.projections(head, source).key.entries for source in known)
        products = steps_of(longest([query.entries]), longest(keys))
        self.budget.spend(len(known) * (20 + (len(query.entries) >> 2) + len(query.entries) * products))
        top, found = max(high for _, high in known.values()), {}
        for source, (low, high) in known.items():
            least, most = (self._exp.at(top - end) for end in (low, high))
            least -= (least >> self._fraction - 3) + ABSOLUTE_ERROR + 2
            most += (most >> self._fraction - 3) + ABSOLUTE_ERROR + 2
            found[source] = PathBounds(max(least, 0), min(most, 1 << self.unit))
        return found

    def averages(self, tokens: Sequence[int], places: int) -> list[PathBounds]:
        """Enclose the heads' averages at the last of these tokens, over 2^places.

        Proof. With l <= w <= h, a = Σ l v / Σ l and s the greatest v minus the least one, Σ w (v - a) = Σ (w - l)(v -
        a) is at most s Σ (h - l), and Σ w at least Σ l.

        Raises:
            Rejected: if weights may be 0.
        """
        sources, found = list[ColumnSource](enumerate(tokens)), list[PathBounds]()
        for head, width in enumerate(self.widths):
            weights = self.weigh(head, sources[-1], sources)
            total = sum(one.least for one in weights.values())
            require(total, "weights are not known to be above 0")
            remainder = sum(one.greatest - one.least for one in weights.values())
            averaged = [(self.projections(head, source).value, one.least) for source, one in weights.items()]
            power = max(value.power for value, _ in averaged)
            bits = power + longest(value.entries for value, _ in averaged)
            self.budget.spend(width * len(averaged) * (1 + (bits + self.unit >> 10) + steps_of(bits, self.unit)))
            for k in range(width):
                values = [value.entries[k] << power - value.power for value, _ in averaged]
                middle = sum(map(mul, values, (least for _, least in averaged)))
                away = (max(values) - min(values)) * remainder
                found.append(PathBounds((middle - away << places) // (total << power),
                                        -((-middle - away << places) // (total << power))))
        return found

    def judged(self, point: ExactForm, box: list[PathBounds], places: int, answer: int, others: Sequence[int]
               ) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the least and the greatest difference of the answer's logit and each other one.

        The averages of the heads, concatenated, lie in a box over 2^places.
        """
        x, box, variables = point if self._bias is None else plus(point, self._bias), list(box), sum(self.widths)
        each = iter([[0] * (1 + k) + [1] + [0] * (variables - k - 1) for k in range(variables)])
        for out, width in zip(self._out, self.widths, strict=True):
            x = plus(x, image(self.budget, ExactForm([next(each) for _ in range(width)], 0), out))
        logits = image(self.budget, self._pass(self._after, x, box, places), self._logits)
        for other in others:
            row = [a - b for a, b in zip_longest(logits.rows[answer], logits.rows[other], fillvalue=0)]
            least, greatest = ends(row, box, places)
            yield Fraction(least, 1 << logits.power + places), Fraction(greatest, 1 << logits.power + places)

    def _pass(self, steps: Sequence[ExactUnits], x: ExactForm, box: list[PathBounds], places: int) -> ExactForm:
        """Return the stream after feed-forward blocks."""
        for step in steps:
            units = image(self.budget, x, step.inward)
            units = relu(self.budget, units, box, places) if step.is_relu else units
            x = plus(x, image(self.budget, units, step.outward))
        return x
