"""How far softmax may miss the mean of what the winners of a head have; docs/softened.md, section 3, which proves it.

The *miss* is what there is beside |V_t|·e, bounded in two ways. Finer, as in section 3: for each direction the least
that some winner * gives; winners with equal keys and values give the same, and without doubts all do. Coarser (section
4, Forgetting), and tried first, as it needs only the differences of scores and the *spans*, how far apart the keys and
the values are of all that is seen. If all that is seen wins, and there is no doubt or only one position, nothing is
missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from operator import le, sub

from ...kernel.numbers import add, charge, multiply
from .forms import HeadForms
from .integers import Integers, charge_products, longest
from .memoisation import History, IntegerVector, Item, Keys, LengthTables, QueryWinner, as_key
from .score_uncertainty import ScoreUncertainty
from .stages import Carried, StageErrors, error_of_form
from .visible_keys import Forgotten
from .weights import FRACTION_BITS, GREATEST_BITS, Weighing, WeightsByDistance

ONE = 1 << FRACTION_BITS  # what the winner weighs
WEIGHT_STEPS = 4  # the work to find both ends of a weight that is known, and to add them up
RIVAL_STEPS = 4  # that of a rival, beside what its numbers take


@dataclass(frozen=True)
class HeadSituation:
    """What a head meets: what it sees, what its query meets, how many win.

    Attributes:
        sums: of the values of the winners.
        differences: the greatest score less that of each item, None if items were forgotten.
    """

    history: History
    contest: QueryWinner
    winners: int
    sums: Integers
    differences: Sequence[int] | None


@dataclass(frozen=True)
class Rival:
    """One of those that a head sees.

    Attributes:
        distance: of its score from the greatest, in units of doubt; 0 for a winner.
        moves: how far its values are from the mean of the winners, over the unit of values times their number.
    """

    item: Item
    distance: int
    moves: Integers


class ErrorTerms:
    """The misses of one head at one length, and whether they fit into the stated bounds.

    ``score_unit`` is what scores are integers over.
    """

    def __init__(self, memory: LengthTables, forms: HeadForms, stage: StageErrors, scale: int, weighing: Weighing,
                 where: str) -> None:
        budget = memory.budget
        self._memory, self._budget, self._stage, self._written = memory, budget, stage, forms.written
        self._keys, self._value_unit = len(forms.keys.rows), scale * forms.values.denominator
        self._doubts = ScoreUncertainty(budget, forms, stage.before, scale)
        self.score_unit = self._doubts.score_unit
        self._weights, self._is_exact = WeightsByDistance(memory, self._doubts.unit, weighing.temperature,
                                                          where), weighing.is_exact
        self._drift = [error_of_form(budget, row, stage.before) for row in forms.head.values.values()]
        self._rooms = self._find_rooms()
        self._writes_alone = all(stage.writers[t] == 1 for t in self._written)
        self._widest: dict[str, Integers] = {}
        self.none = stage.settle(zip(self._written, self._drift, strict=True))

    def _find_rooms(self) -> list[tuple[int, int]]:
        """What each miss may be at most if it is not added to others, p / q over the unit of values."""
        rooms = [add(self._budget, self._stage.room(t), -drift)
                 for t, drift in zip(self._written, self._drift, strict=True)]
        return [multiply(self._budget, room, Fraction(self._value_unit)).as_integer_ratio() for room in rooms]

    def prepare(self, keys: Keys, query: IntegerVector, best: int, differences: Sequence[int]) -> QueryWinner:
        """What a query meets among keys: the greatest score, which is so much greater than the others, increasing."""
        charge_products(self._budget, 2 * self._keys, self._doubts.bits, max(query.bits, keys.bits))
        doubt = self._doubts.of_query(query.integers)
        most = doubt + self._doubts.of_keys(keys.extent.spans)
        is_exact = self._is_exact or not differences or not (most or any(differences))
        widest = None if is_exact or not self._writes_alone else self._know_widest(differences, most)
        return QueryWinner(best, doubt, is_exact, widest)

    def settle(self, met: HeadSituation) -> Carried:
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
        integer and the weight is positive: some difference is, or the doubt, so that an upper end is above 1. Where the
        doubt may outweigh a positive difference, or is beyond all limits, nothing is said to fit.
        """
        distances = self._make_distances(differences)
        is_tied = not distances[0]
        if any(0 < x <= doubt for x in distances) or (is_tied and doubt > self._weights.reach):
            return (-1,) * len(self._written)
        mass = ONE + sum([self._weights.enclose(x + doubt)[0] for x in distances])
        weight = sum([self._weights.enclose(x - doubt)[1] - (0 if x else ONE) for x in distances])
        bits = longest(x for room in self._rooms for x in room)
        charge_products(self._budget, len(self._rooms), mass.bit_length() + bits, weight.bit_length() + bits)
        return tuple([p * mass // (q * weight) for p, q in self._rooms])

    def _make_distances(self, differences: Sequence[int]) -> list[int]:
        """Differences of scores, in units of doubt."""
        self._budget.spend(WEIGHT_STEPS * len(differences))
        charge_products(self._budget, len(differences), longest(differences), self._doubts.fine.bit_length())
        return [x * self._doubts.fine for x in differences]

    def _bound(self, met: HeadSituation) -> list[Fraction]:
        """Return the finer bounds of the errors."""
        if met.differences is None:
            raise Forgotten
        rivals = self._find_rivals(met, met.differences)
        winners = {rival.item: place for place, rival in enumerate(rivals) if not rival.distance}
        has_doubts = met.contest.doubt or self._doubts.of_keys(met.history.keys.extent.spans)
        chosen = list(winners.values()) if has_doubts else list(winners.values())[:1]
        found = [self._bound_misses(met, rivals, place) for place in chosen]
        return [self._add(drift, min(misses)) for drift, *misses in zip(self._drift, *found, strict=True)]

    def _find_rivals(self, met: HeadSituation, differences: Sequence[int]) -> list[Rival]:
        """What is seen, with the distances of scores, and of values over their unit times the number of winners."""
        items, longest_sum = met.history.contenders, longest(met.sums)
        charge_products(self._budget, len(items) * len(met.sums), longest_sum, longest([met.winners]))
        return [Rival(item, distance, tuple([x * met.winners - y for x, y in
                                             zip(item.values.integers, met.sums, strict=True)]))
                for item, distance in zip(items, self._make_distances(differences), strict=True)]

    def _bound_misses(self, met: HeadSituation, rivals: Sequence[Rival], place: int) -> list[Fraction]:
        """Return the misses, with the winner at this place as *."""
        star, mass, most, least = rivals[place].item.key, ONE, [0] * len(self._written), [0] * len(self._written)
        for rival in chain(rivals[:place], rivals[place + 1 :]):
            self._charge(rival)
            apart = list(map(abs, map(sub, rival.item.key.integers, star.integers)))
            doubt = met.contest.doubt + self._doubts.of_keys(apart)
            lower, upper = self._enclose(rival.distance, doubt, any(rival.moves))
            mass += lower
            ends = (lower, upper) if rival.distance else (lower - ONE, upper - ONE)
            most = [x + move * ends[move > 0] for x, move in zip(most, rival.moves, strict=True)]
            least = [x + move * ends[move < 0] for x, move in zip(least, rival.moves, strict=True)]
        return [self._divide(max(x, -y), met.winners * mass) for x, y in zip(most, least, strict=True)]

    def _charge(self, rival: Rival) -> None:
        """The work of one rival in a sum."""
        bits = max(rival.item.key.bits, longest(rival.moves))
        self._budget.spend(RIVAL_STEPS)
        charge_products(self._budget, self._keys + 3 * len(rival.moves), GREATEST_BITS, bits)

    def _enclose(self, distance: int, doubt: int, moves: bool) -> tuple[int, int]:
        """The ends of a weight; where no value moves the upper one does not matter, and may be beyond all limits."""
        lower = self._weights.enclose(distance + doubt)[0]
        return lower, self._weights.enclose(distance - doubt)[1] if moves else lower

    def _divide(self, numerator: int, mass: int) -> Fraction:
        """Return the numerator, over the units of values and weights, by the mass."""
        denominator = self._value_unit * mass
        self._budget.spend(2 + (numerator.bit_length() * denominator.bit_length() >> 16))
        return Fraction(numerator, denominator)

    def _add(self, drift: Fraction, miss: Fraction) -> Fraction:
        charge(self._budget, drift, miss)
        return drift + miss
