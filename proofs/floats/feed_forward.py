"""Feed-forward outputs in floating point: exactly their meaning, case by case (rule 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.meanings import ALLOWED_ERROR, Product, Slack, Total, Truth
from constructions.network.transformer import Coefficients
from proofs.enclosures.intervals import Interval
from proofs.floats.float_enclosure import (
    ANY_GRID,
    ONE,
    TRUTH,
    ZERO,
    FloatEnclosure,
    check_finite,
    describe,
    enclose_number,
    fits,
    round_to,
)
from proofs.floats.forms import enter, operations_error, sum_on_grid
from proofs.floats.numbers import EnclosedNumbers
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.obligation import FALSE_BOX, FREE_BOX, TRUE_BOX, FeedForwardObligation, InputCase
from proofs.formula.feed_forward.worst_case import enclose_input

ABOVE = ONE + ALLOWED_ERROR
BOXES = {FALSE_BOX: FALSE_BOX, TRUE_BOX: Interval(TRUE_BOX.lower, ABOVE), FREE_BOX: Interval(ZERO, ABOVE)}
"""The intervals of a *near* direction: over the reals, and under a float model."""
MOST_COPIES = 2
"""Copies of a number that may be added, and that may be subtracted: twice a number is one of the format."""


@dataclass(frozen=True)
class Activation:
    """The exact output of a unit: ``slope`` times the near direction, plus ``constant``."""

    near: str | None
    slope: Fraction
    constant: Fraction
    write: Fraction

    def on(self, piece: FloatEnclosure) -> FloatEnclosure:
        """Enclose the activation on a part of the near direction's range."""
        if self.near is None:
            return enclose_number(self.constant)
        ends = sorted(self.slope * end + self.constant for end in (piece.lower, piece.upper))
        grid = min(piece.grid + enclose_number(self.slope).grid, enclose_number(self.constant).grid)
        return FloatEnclosure(ends[0], ends[1], ZERO, grid)


class ExactOutputs:
    """Check of outputs under one float model; ``errors`` are those of the *others* directions."""

    def __init__(self, numbers: EnclosedNumbers, errors: Mapping[str, Fraction]):
        """Prepare the check; ``numbers`` encloses the inputs."""
        self.numbers, self.run, self.errors = numbers, numbers.run, errors

    def check(self, obligation: FeedForwardObligation) -> None:
        """Raise NotDerived unless the output is its meaning in every case."""
        meaning = self.numbers.transformer.directions[obligation.direction]
        decided: dict[tuple[object, ...], Activation | None] = {}
        for case in obligation.cases:
            check = _CaseCheck(self, obligation, case, decided)
            match meaning:
                case Product():
                    check.is_product(self.numbers.copied(obligation.direction))
                case Slack():
                    check.is_slack()
                case Total():
                    check.is_number()
                case _:
                    check.is_truth()

    def known(self, name: str, x: Fraction, obligation: FeedForwardObligation) -> FloatEnclosure:
        """Enclose a known direction where its real value is x."""
        if isinstance(self.numbers.transformer.directions[name], Truth):
            return enclose_number(x)
        return self.numbers.by_value(name, obligation.lengths)[x]


class _CaseCheck:
    """Check of one case of one output, by enclosures of the directions in it."""

    def __init__(self, outputs: ExactOutputs, obligation: FeedForwardObligation, case: InputCase,
                 decided: dict[tuple[object, ...], Activation | None]):
        """Prepare the case; ``decided`` memoises the activations of units."""
        self.outputs, self.obligation, self.case, self.decided = outputs, obligation, case, decided
        self.run = outputs.run
        self.slack = dict(case.slack)
        self.near: dict[str, Interval] = {}
        self.numbers: dict[str, FloatEnclosure] = {}
        for name, box in case.box:
            if box.is_point:
                self.numbers[name] = outputs.known(name, box.lower, obligation)
            else:
                self.near[name] = BOXES[box]

    # -- kinds of outputs ----------------------------------------------------------------------------------------------

    def is_truth(self) -> None:
        """Check that the output is exactly the expected 0 or 1."""
        if self.case.expected not in (ZERO, ONE):
            raise NotDerived(f"the output is to be {self.case.expected}: only 0 and 1 are exact in every execution")
        self.is_number()

    def is_number(self) -> None:
        """Check that the output is exactly the expected number."""
        active = [activation for number in range(len(self.obligation.units)) if (activation := self._open(number))]
        nears = {each.near for each in active if each.near}
        if len(nears) > 1:
            raise NotDerived("units that round several directions are open at once")
        slope = sum((each.write * each.slope for each in active), ZERO)
        value = sum((each.write * each.constant for each in active), self.obligation.bias)
        if slope or value != self.case.expected:
            raise NotDerived(f"the output is not {self.case.expected} everywhere")
        for piece in self._pieces() if nears else (TRUTH,):
            products = [(self._weight(each.write), each.on(piece)) for each in active]
            self._exact_sum([*products, (TRUTH_ONE, self._weight(self.obligation.bias))])

    def is_product(self, source: str) -> None:
        """Check that the output is a copy of the source, or exactly 0."""
        copies = [write for reads, bias, write in self.obligation.units if not self._is_shut(reads, bias)
                  and self._check_copy(reads, bias, source)]
        if self.obligation.bias or any(abs(write) != 1 for write in copies) or max(
                copies.count(ONE), copies.count(-ONE)) > MOST_COPIES:
            raise NotDerived("the output is not made of few copies of one direction")
        expected, real = self.case.expected, dict(self.case.box)[source].lower
        if sum(copies, ZERO) * real != expected or (expected and sum(copies, ZERO) != 1):
            raise NotDerived(f"copies do not leave {describe(expected)}")

    def is_slack(self) -> None:
        """Check that the output is exactly 0, or at least 1."""
        if len(self.obligation.units) != 1 or self.obligation.units[0][2] != 1 or self.obligation.bias:
            raise NotDerived("slack is written by one unit, with weight 1")
        reads, bias, _ = self.obligation.units[0]
        if not self.case.or_more:
            if not self._is_shut(reads, bias):
                raise NotDerived(f"a slack that should be 0 may be more: {self._room(reads, bias)}")
            return
        (lower, _), error = self._real_ends(reads, bias), self._form_error(reads, bias)
        if lower - error < 1:
            raise NotDerived(f"a slack that should be at least 1 may be {describe(lower - error)}, as the number read "
                             f"may err by {describe(self._largest_error(reads))}")

    def _room(self, reads: Coefficients, bias: Fraction) -> str:
        (_, upper), error = self._real_ends(reads, bias), self._form_error(reads, bias)
        return (f"its input may be {describe(upper + error)}, as the number read may err by "
                f"{describe(self._largest_error(reads))}")

    def _largest_error(self, reads: Coefficients) -> Fraction:
        return max((self.outputs.errors[name] for name in reads if name in self.outputs.errors), default=ZERO)

    # -- units ---------------------------------------------------------------------------------------------------------

    def _open(self, number: int) -> Activation | None:
        """Return the activation of an open unit; None if it is shut.

        Raises:
            NotDerived: if it is neither shut nor exact in every execution.
        """
        reads, bias, write = self.obligation.units[number]
        key = number, *(self._state(name) for name in reads)
        if None in key:
            return None if self._is_shut(reads, bias) else self._activate(reads, bias, write)
        if key not in self.decided:
            self.decided[key] = None if self._is_shut(reads, bias) else self._activate(reads, bias, write)
        return self.decided[key]

    def _state(self, name: str) -> object:
        """Return a direction's enclosure, if that determines it; None for a count, which cases bound jointly."""
        if name in self.slack:
            return self.slack[name]
        return self.near.get(name) or self.numbers.get(name)

    def _is_shut(self, reads: Coefficients, bias: Fraction) -> bool:
        """Return whether the activation is exactly 0: at the worst ends by G and M, or with all errors."""
        worst = {name: self._worst_end(name, weight) for name, weight in reads.items()}
        ends = {name: end for name, end in worst.items() if end is not None}
        if len(ends) == len(worst):
            total = self._grid_sum({name: enclose_number(x) for name, x in ends.items()}, reads, bias)
            if total is not None:
                return total.upper <= 0
        if any(name in self.near or name in self.slack for name in reads):
            return False
        return self._real_ends(reads, bias)[1] + self._form_error(reads, bias) <= 0

    def _worst_end(self, name: str, weight: Fraction) -> Fraction | None:
        """Return the number at which the direction contributes most; None if there is none, or it is not exact."""
        if name in self.near:
            return self.near[name].upper if weight > 0 else self.near[name].lower
        if name in self.slack:
            if not self.slack[name]:
                return None if weight > 0 else ONE
            return ZERO
        enclosure = self.numbers.get(name)
        return None if enclosure is None or enclosure.error else enclosure.lower

    def _activate(self, reads: Coefficients, bias: Fraction, write: Fraction) -> Activation | None:
        """Return an exact activation.

        Raises:
            NotDerived: if it is not exact in every execution.
        """
        open_nears = [name for name in reads if name in self.near]
        exact = {name: enclosure for name, enclosure in self.numbers.items() if name in reads and not enclosure.error}
        exact |= {name: enclose_number(ZERO) for name in reads if self.slack.get(name)}
        if len(exact) + len(open_nears) != len(reads) or len(open_nears) > 1:
            raise NotDerived(f"a unit that reads {', '.join(reads)} is neither shut nor exact")
        constant = bias + sum((reads[name] * enclosure.lower for name, enclosure in exact.items()), ZERO)
        if not open_nears:
            if self._grid_sum(exact, reads, bias) is None:
                raise NotDerived(f"a unit that reads {', '.join(reads)} is not exact")
            return Activation(None, ZERO, max(constant, ZERO), write)
        (near,) = open_nears
        if self.near[near].lower != TRUE_BOX.lower:
            raise NotDerived(f"a unit that reads {near} is not shut")
        for piece in self._pieces():
            total = self._grid_sum({**exact, near: piece}, reads, bias)
            if total is None or total.lower < 0:
                raise NotDerived(f"a unit that reads {near} is not exact")
        return Activation(near, reads[near], constant, write)

    def _check_copy(self, reads: Coefficients, bias: Fraction, source: str) -> bool:
        """Return True if an open unit copies the source unchanged; else raise NotDerived."""
        enclosure = self.numbers[source]
        others = [self.numbers.get(name) for name in reads if name != source]
        normal = enclosure.lower - enclosure.error >= self.run.inputs.smallest_normal
        if bias or reads.get(source) != 1 or not normal or any(
                each is None or each.computed_size for each in others):
            raise NotDerived(f"a unit neither is shut nor copies {source}")
        return True

    # -- forms ---------------------------------------------------------------------------------------------------------

    def _pieces(self) -> tuple[FloatEnclosure, FloatEnclosure]:
        """Return enclosures of a direction near 1, as the input of a product: below 1, and from 1 on."""
        p = self.run.inputs.precision
        return FloatEnclosure(TRUE_BOX.lower, ONE, ZERO, -p), FloatEnclosure(ONE, ABOVE, ZERO, 1 - p)

    def _weight(self, weight: Fraction) -> FloatEnclosure:
        return self.outputs.numbers.weight(weight)

    def _grid_sum(self, inputs: Mapping[str, FloatEnclosure], reads: Coefficients,
                  bias: Fraction) -> FloatEnclosure | None:
        """Return the form, if it is exact by G and stored exactly."""
        products = [(self._weight(weight), inputs[name]) for name, weight in reads.items()]
        products.append((TRUTH_ONE, self._weight(bias)))
        return self._sum_if_exact(products)

    def _sum_if_exact(self, products: list[tuple[FloatEnclosure, FloatEnclosure]]) -> FloatEnclosure | None:
        inputs = self.run.inputs
        if not all(fits(a, inputs) and fits(b, inputs) for a, b in products[:-1]):
            return None
        if not fits(products[-1][1], self.run.storage):
            return None
        total = sum_on_grid(products, self.run.sums)
        return total if total is not None and fits(total, self.run.storage) else None

    def _exact_sum(self, products: list[tuple[FloatEnclosure, FloatEnclosure]]) -> None:
        if self._sum_if_exact(products) is None:
            raise NotDerived("the sum of what units write is not exact")

    def _real_ends(self, reads: Coefficients, bias: Fraction) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest value of the form over the reals."""
        reach = enclose_input(reads, self.obligation, self.case)
        return reach.interval.lower + bias, reach.interval.upper + bias

    def _form_error(self, reads: Coefficients, bias: Fraction) -> Fraction:
        """Bound the error of the form, as it is stored."""
        run = self.run
        products = [(enter(self._weight(weight), run), enter(self._number(name), run))
                    for name, weight in reads.items()]
        products.append((TRUTH_ONE, self._weight(bias)))
        if self._sum_if_exact(products) is not None:
            return ZERO
        inherited = sum((a.size * b.error + b.size * a.error + a.error * b.error for a, b in products), ZERO)
        sizes = sum((a.computed_size * b.computed_size for a, b in products), ZERO)
        check_finite(2 * sizes, run.sums)
        lower, upper = self._real_ends(reads, bias)
        size = max(upper, -lower)
        made = operations_error(products, size + inherited, sizes, run)
        if run.storage == run.sums:
            return inherited + made
        return round_to(FloatEnclosure(lower, upper, inherited + made, ANY_GRID), run.storage).error

    def _number(self, name: str) -> FloatEnclosure:
        """Return a number that a unit reads, with its error."""
        if name in self.numbers:
            return self.numbers[name]
        meaning = self.outputs.numbers.transformer.directions[name]
        if isinstance(meaning, Truth):
            return TRUTH
        if isinstance(meaning, Total):
            return FloatEnclosure(ZERO, Fraction(self.obligation.lengths.last), ZERO, 0)
        if name not in self.outputs.errors:
            raise NotDerived(f"a unit that reads {name} is not shut")
        return FloatEnclosure(ZERO, Fraction(self.obligation.lengths.last), self.outputs.errors[name], ANY_GRID)


TRUTH_ONE = enclose_number(ONE)
