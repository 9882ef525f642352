"""The error of softmax against the mean of the winners' values.

See docs/background/softened_rules.md, section 3, which proves the bounds.

The *miss* is the error besides |V_t|·e, bounded in two ways. The finer bound, as in section 3, is for each direction
the least that some winner * gives; winners with equal keys and values give the same, and if scores are exact all do.
The coarser bound (section 4, Forgetting) is tried first, as it only needs the differences of scores and the *spans* of
the keys and the values of all visible positions. If all visible positions win, and scores are exact or there is one
position, the miss is 0.
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
from .visible_keys import ValuesDropped
from .weights import FRACTION_BITS, GREATEST_BITS, Weighing, WeightsByDistance

ONE = 1 << FRACTION_BITS  # the weight of the winner
WEIGHT_STEPS = 4  # of work, to find both ends of a cached weight, and to add them up
COMPETITOR_STEPS = 4  # of work for a competitor, plus the cost of its numbers


@dataclass(frozen=True)
class ScoreProfile:
    """A query at a head: its visible positions, its greatest score, and the number of winners.

    Attributes:
        sums: of the values of the winners.
        differences: the greatest score minus the score of each item, None if items were dropped.
    """

    history: History
    query_winner: QueryWinner
    winners: int
    sums: Integers
    differences: Sequence[int] | None


@dataclass(frozen=True)
class Competitor:
    """A visible key with its values.

    Attributes:
        distance: the greatest score minus its own, in units of uncertainty; 0 for a winner.
        moves: its values minus the mean of the winners, over the unit of values times their number.
    """

    item: Item
    distance: int
    moves: Integers


class ErrorTerms:
    """The errors of one head at one length, and their check against the stated bounds.

    ``score_unit`` is the denominator of scores.
    """

    def __init__(self, memory: LengthTables, forms: HeadForms, stage: StageErrors, scale: int, weighing: Weighing,
                 where: str) -> None:
        budget = memory.budget
        self._memory, self._budget, self._stage, self._written = memory, budget, stage, forms.written
        self._keys, self._value_unit = len(forms.keys.rows), scale * forms.values.denominator
        self._uncertainty = ScoreUncertainty(budget, forms, stage.before, scale)
        self.score_unit = self._uncertainty.score_unit
        self._weights, self._is_exact = WeightsByDistance(memory, self._uncertainty.unit, weighing.temperature,
                                                          where), weighing.is_exact
        self._drift = [error_of_form(budget, row, stage.before) for row in forms.head.values.values()]
        self._rooms = self._find_rooms()
        self._writes_alone = all(stage.writers[t] == 1 for t in self._written)
        self._widest: dict[str, Integers] = {}
        self.none = stage.settle(zip(self._written, self._drift, strict=True))

    def _find_rooms(self) -> list[tuple[int, int]]:
        """Return the greatest miss of each direction that fits if no other is added, p / q over the unit of values."""
        rooms = [add(self._budget, self._stage.room(t), -drift)
                 for t, drift in zip(self._written, self._drift, strict=True)]
        return [multiply(self._budget, room, Fraction(self._value_unit)).as_integer_ratio() for room in rooms]

    def prepare(self, keys: Keys, query: IntegerVector, best: int, differences: Sequence[int]) -> QueryWinner:
        """Return the greatest score of a query among keys; ``differences`` from it ascend, without its own."""
        charge_products(self._budget, 2 * self._keys, self._uncertainty.bits, max(query.bits, keys.bits))
        uncertainty = self._uncertainty.of_query(query.integers)
        most = uncertainty + self._uncertainty.of_keys(keys.extent.spans)
        is_exact = self._is_exact or not differences or not (most or any(differences))
        widest = None if is_exact or not self._writes_alone else self._widest_spans(differences, most)
        return QueryWinner(best, uncertainty, is_exact, widest)

    def settle(self, profile: ScoreProfile) -> Carried:
        """Check the errors of directions that only this head writes; return the others, to be added up.

        Raises:
            Rejected: if one does not fit, or the weights of other positions may be too large.
            ValuesDropped: if the finer bound is needed, and items were dropped.
        """
        widest = profile.query_winner.widest
        if widest is not None and all(map(le, profile.history.extent.spans, widest)):
            return ()
        return self._stage.settle(zip(self._written, self._bound(profile), strict=True))

    def _widest_spans(self, differences: Sequence[int], uncertainty: int) -> Integers:
        """Return, for each direction, the greatest span of values that the coarser bound allows, cached."""
        key = as_key((uncertainty, *differences))
        if key not in self._widest:
            self._widest[key] = self._find_widest(differences, uncertainty)
            self._memory.keep(2, 8 * len(key) + longest(self._widest[key]) * len(self._written))
        return self._widest[key]

    def _find_widest(self, differences: Sequence[int], uncertainty: int) -> Integers:
        """Return, for each direction, the greatest span of values that the coarser bound allows, negative if none does.

        Proof. span weight / mass <= p / q if and only if span is at most the floor of p mass / (q weight): it is an
        integer. The weight is positive, as some difference or the uncertainty is, so that an upper end is above 1. If
        the uncertainty may exceed a positive difference, or is beyond all limits, the bound is not used.
        """
        distances = self._make_distances(differences)
        is_tied = not distances[0]
        if any(0 < x <= uncertainty for x in distances) or (is_tied and uncertainty > self._weights.reach):
            return (-1,) * len(self._written)
        mass = ONE + sum([self._weights.enclose(x + uncertainty)[0] for x in distances])
        weight = sum([self._weights.enclose(x - uncertainty)[1] - (0 if x else ONE) for x in distances])
        bits = longest(x for room in self._rooms for x in room)
        charge_products(self._budget, len(self._rooms), mass.bit_length() + bits, weight.bit_length() + bits)
        return tuple([p * mass // (q * weight) for p, q in self._rooms])

    def _make_distances(self, differences: Sequence[int]) -> list[int]:
        """Return differences of scores in units of uncertainty."""
        self._budget.spend(WEIGHT_STEPS * len(differences))
        charge_products(self._budget, len(differences), longest(differences), self._uncertainty.fine.bit_length())
        return [x * self._uncertainty.fine for x in differences]

    def _bound(self, profile: ScoreProfile) -> list[Fraction]:
        """Return the finer bounds of the errors."""
        if profile.differences is None:
            raise ValuesDropped
        competitors = self._find_competitors(profile, profile.differences)
        winners = {competitor.item: place for place, competitor in enumerate(competitors) if not competitor.distance}
        spans = profile.history.keys.extent.spans
        is_uncertain = profile.query_winner.uncertainty or self._uncertainty.of_keys(spans)
        chosen = list(winners.values()) if is_uncertain else list(winners.values())[:1]
        found = [self._bound_misses(profile, competitors, place) for place in chosen]
        return [self._add(drift, min(misses)) for drift, *misses in zip(self._drift, *found, strict=True)]

    def _find_competitors(self, profile: ScoreProfile, differences: Sequence[int]) -> list[Competitor]:
        """Return all items, with the differences of their scores, and of their values over unit * winners."""
        items, longest_sum = profile.history.contenders, longest(profile.sums)
        charge_products(self._budget, len(items) * len(profile.sums), longest_sum, longest([profile.winners]))
        return [Competitor(item, distance, tuple([x * profile.winners - y for x, y in
                                             zip(item.values.integers, profile.sums, strict=True)]))
                for item, distance in zip(items, self._make_distances(differences), strict=True)]

    def _bound_misses(self, profile: ScoreProfile, competitors: Sequence[Competitor], place: int) -> list[Fraction]:
        """Return the misses, with the winner at this place as *."""
        star, mass, most, least = competitors[place].item.key, ONE, [0] * len(self._written), [0] * len(self._written)
        for competitor in chain(competitors[:place], competitors[place + 1 :]):
            self._charge(competitor)
            apart = list(map(abs, map(sub, competitor.item.key.integers, star.integers)))
            uncertainty = profile.query_winner.uncertainty + self._uncertainty.of_keys(apart)
            lower, upper = self._enclose(competitor.distance, uncertainty, any(competitor.moves))
            mass += lower
            ends = (lower, upper) if competitor.distance else (lower - ONE, upper - ONE)
            most = [x + move * ends[move > 0] for x, move in zip(most, competitor.moves, strict=True)]
            least = [x + move * ends[move < 0] for x, move in zip(least, competitor.moves, strict=True)]
        return [self._divide(max(x, -y), profile.winners * mass) for x, y in zip(most, least, strict=True)]

    def _charge(self, competitor: Competitor) -> None:
        """Charge the work of one competitor in a sum."""
        bits = max(competitor.item.key.bits, longest(competitor.moves))
        self._budget.spend(COMPETITOR_STEPS)
        charge_products(self._budget, self._keys + 3 * len(competitor.moves), GREATEST_BITS, bits)

    def _enclose(self, distance: int, uncertainty: int, moves: bool) -> tuple[int, int]:
        """Enclose a weight; the upper end is not needed (and may be beyond limits) if no value moves."""
        lower = self._weights.enclose(distance + uncertainty)[0]
        return lower, self._weights.enclose(distance - uncertainty)[1] if moves else lower

    def _divide(self, numerator: int, mass: int) -> Fraction:
        """Return the numerator, over the units of values and weights, divided by the mass."""
        denominator = self._value_unit * mass
        self._budget.spend(2 + (numerator.bit_length() * denominator.bit_length() >> 16))
        return Fraction(numerator, denominator)

    def _add(self, drift: Fraction, miss: Fraction) -> Fraction:
        charge(self._budget, drift, miss)
        return drift + miss
