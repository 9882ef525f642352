"""How far softmax may miss what the winner of a tieless head has.

Claim. Let * be the winner and x_j what j weighs in Û relative to *. Direction t gets an error of at most
|V_t|·e + |sum_j x_j (v_t(j) - v_t(*)) / (1 + sum_j x_j)|, j over the other visible positions.

Proof. The mean, with the weights of Û, of the exact values misses v_t(*) by the second term, the *miss*. The mean of
Û's own values differs from that by at most |V_t|·e, since the weights are positive and add up to 1.

The miss is enclosed in two ways. Let D_j be the exact difference of scores, d_j its doubt (doubts.py), so that x_j is
between the weights at the distances D_j + d_j and D_j - d_j (weights.py).

Finer: the greatest |sum_j x_j (v_t(j) - v_t(*))| over all x_j between their ends, over 1 + the sum of lower ends.

Coarser, and tried first, as it needs only the differences of scores and the *spans* (how far apart the keys and the
values are of all that is seen): no d_j is above the doubt d of two keys as far apart as the spans; so the miss is at
most the span of the values, times the sum of the weights at D_j - d, over 1 + the sum of the weights at D_j + d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import le, sub

from ..numbers import add, charge, multiply
from .doubts import Doubts
from .forms import HeadForms
from .integers import Integers, charge_products, longest
from .remembering import Contest, History, Item, Keys, Memory, Numbers, as_key
from .seeing import Forgotten
from .stages import Carried, Stage, spread
from .weights import FRACTION_BITS, GREATEST_BITS, Weights

ONE = 1 << FRACTION_BITS  # what the winner weighs
WEIGHT_STEPS = 4  # the work to find both ends of a weight that is known, and to add them up


@dataclass(frozen=True)
class Situation:
    """What a head meets: what it sees, what its query meets, the winner.

    Attributes:
        differences: the greatest score less that of each item, None if items were forgotten.
    """

    history: History
    contest: Contest
    winner: Item
    differences: Sequence[int] | None


class Misses:
    """The misses of one head at one length, and whether they fit into the stated bounds."""

    def __init__(self, memory: Memory, forms: HeadForms, stage: Stage, scale: int, heat: Fraction,
                 where: str) -> None:
        budget = memory.budget
        self._memory, self._budget, self._stage, self._written = memory, budget, stage, forms.written
        self._keys, self._value_unit = len(forms.keys.rows), scale * forms.values.denominator
        self._doubts = Doubts(budget, forms, stage.before, scale)
        self._weights = Weights(memory, self._doubts.unit, heat, where)
        self._drift = [spread(budget, row, stage.before) for row in forms.head.values.values()]
        self._rooms = self._find_rooms()
        self._writes_alone = all(stage.writers[t] == 1 for t in self._written)
        self._widest: dict[str, Integers] = {}
        self.none = stage.settle(zip(self._written, self._drift, strict=True))

    @property
    def score_unit(self) -> int:
        """What scores are integers over."""
        return self._doubts.score_unit

    def _find_rooms(self) -> list[tuple[int, int]]:
        """What each miss may be at most if it is not added to others, p / q over the unit of values."""
        rooms = [add(self._budget, self._stage.room(t), -drift)
                 for t, drift in zip(self._written, self._drift, strict=True)]
        return [multiply(self._budget, room, Fraction(self._value_unit)).as_integer_ratio() for room in rooms]

    def prepare(self, keys: Keys, query: Numbers, best: int, differences: Sequence[int]) -> Contest:
        """What a query meets among keys: the greatest score, which is so much greater than the others, increasing."""
        charge_products(self._budget, 2 * self._keys, self._doubts.bits, max(query.bits, keys.bits))
        doubt = self._doubts.of_query(query.integers)
        widest = None
        if differences and self._writes_alone:
            widest = self._know_widest(differences, doubt + self._doubts.of_keys(keys.extent.spans))
        return Contest(best, doubt, widest)

    def settle(self, met: Situation) -> Carried:
        """Checks the errors of what only this head writes; the others are returned, to be added up.

        Raises:
            Rejected: if one does not fit, or the weights of other positions may be too large.
            Forgotten: if the finer bound is needed, and items were forgotten.
        """
        widest = met.contest.widest
        if widest is not None and all(map(le, met.history.extent.spans, widest)):
            return ()
        return self._stage.settle(zip(self._written, self._bound(met), strict=True))

    def _know_widest(self, differences: Sequence[int], doubt: int) -> Integers:
        """For each direction the greatest span of values that the coarser bound allows, remembered."""
        key = as_key((doubt, *differences))
        if key not in self._widest:
            self._widest[key] = self._find_widest(differences, doubt)
            self._memory.keep(2, 8 * len(key) + longest(self._widest[key]) * len(self._written))
        return self._widest[key]

    def _find_widest(self, differences: Sequence[int], doubt: int) -> Integers:
        """For each direction the greatest span of values with which the coarser bound fits, negative if none does.

        Proof. span weight / mass <= p / q if and only if span is at most the floor of p mass / (q weight), as it is an
        integer and the weight is positive. Where the doubt may outweigh a difference, nothing is said to fit.
        """
        distances = self._make_distances(differences)
        if distances[0] <= doubt:
            return (-1,) * len(self._written)
        mass = ONE + sum([self._weights.enclose(x + doubt)[0] for x in distances])
        weight = sum([self._weights.enclose(x - doubt)[1] for x in distances])
        bits = longest(x for room in self._rooms for x in room)
        charge_products(self._budget, len(self._rooms), mass.bit_length() + bits, weight.bit_length() + bits)
        return tuple([p * mass // (q * weight) for p, q in self._rooms])

    def _make_distances(self, differences: Sequence[int]) -> list[int]:
        """Differences of scores, in units of doubt."""
        self._budget.spend(WEIGHT_STEPS * len(differences))
        charge_products(self._budget, len(differences), longest(differences), self._doubts.fine.bit_length())
        return [x * self._doubts.fine for x in differences]

    def _bound(self, met: Situation) -> list[Fraction]:
        """The finer bounds of the errors."""
        if met.differences is None:
            raise Forgotten
        mass, most, least = ONE, [0] * len(self._written), [0] * len(self._written)
        others = zip(met.history.contenders, self._make_distances(met.differences), strict=True)
        for item, distance in others:
            if distance:
                steps = tuple(map(sub, item.integers, met.winner.integers))
                moves, doubt = steps[self._keys :], self._doubts.of_keys(list(map(abs, steps)))
                lower, upper = self._enclose(distance, met.contest.doubt + doubt, any(moves))
                charge_products(self._budget, len(steps) + 2 * len(moves), GREATEST_BITS, longest(item.integers))
                mass += lower
                most = [x + move * (upper if move > 0 else lower) for x, move in zip(most, moves, strict=True)]
                least = [x + move * (lower if move > 0 else upper) for x, move in zip(least, moves, strict=True)]
        misses = (self._divide(max(x, -y), mass) for x, y in zip(most, least, strict=True))
        return [self._add(drift, miss) for drift, miss in zip(self._drift, misses, strict=True)]

    def _enclose(self, distance: int, doubt: int, moves: bool) -> tuple[int, int]:
        """The ends of a weight; where no value moves the upper one does not matter, and may be beyond all limits."""
        lower = self._weights.enclose(distance + doubt)[0]
        return lower, self._weights.enclose(distance - doubt)[1] if moves else lower

    def _divide(self, numerator: int, mass: int) -> Fraction:
        """The numerator, over the units of values and weights, by the mass."""
        denominator = self._value_unit * mass
        self._budget.spend(2 + (numerator.bit_length() * denominator.bit_length() >> 16))
        return Fraction(numerator, denominator)

    def _add(self, drift: Fraction, miss: Fraction) -> Fraction:
        charge(self._budget, drift, miss)
        return drift + miss
