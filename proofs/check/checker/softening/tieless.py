"""Heads that must be tieless: one greatest score at every position of every word.

The value of the winner is what the head adds in U, whichever hard attention it has. What Û adds instead is bounded in
misses.py; where only one position is seen, it weighs all there is, and nothing is missed.
"""

from __future__ import annotations

from bisect import insort
from fractions import Fraction
from operator import attrgetter, mul

from ..numbers import bits_of
from ..verdicts import Rejected, quote
from .forms import HeadForms
from .integers import charge_products
from .misses import Misses, Situation
from .remembering import POINTER_BITS, Addition, History, Memory, Numbers
from .stages import Stage

HISTORY_STEPS = 20  # the work to see another position, beside what its items take
SITUATION_STEPS = 30  # the work to attend, beside what its items and their numbers take


class Tieless:
    """Such a head at one length.

    Attributes:
        factor: from its values to the scale of what is written.
        situations: how many pairs of a history and a query were met.
    """

    def __init__(self, memory: Memory, forms: HeadForms, stage: Stage, scale: int, new_scale: int,
                 heat: Fraction) -> None:
        self.written = forms.written
        self.factor = new_scale // (scale * forms.values.denominator)
        self.start, self.situations = History(()), 0
        self._where = f"{stage.where}, head {quote(forms.head.name)}"
        self._memory, self._budget, self._forms = memory, memory.budget, forms
        self._misses = Misses(memory, forms, stage, scale, heat, self._where)
        self._keys = len(forms.keys.rows)
        self._gap: int | None = None
        self._histories: dict[tuple[Numbers, ...], History] = {}

    @property
    def gap(self) -> Fraction | None:
        """The least difference between the two greatest scores that was met."""
        return None if self._gap is None else Fraction(self._gap, self._misses.score_unit)

    def query(self, held: dict[str, int], bits: int) -> Numbers:
        """What a position that holds integers of at most so many bits asks for."""
        return self._memory.unify(self._forms.queries.read(self._budget, held, bits))

    def item(self, held: dict[str, int], bits: int) -> Numbers:
        """The keys and values of a position that holds integers of at most so many bits."""
        keys, values = (forms.read(self._budget, held, bits) for forms in (self._forms.keys, self._forms.values))
        return self._memory.unify(keys + values)

    def see(self, history: History, item: Numbers) -> History:
        """The history with one more position."""
        grown = list(history.items)
        insort(grown, item, key=attrgetter("order"))
        items = tuple(grown)
        self._budget.spend(HISTORY_STEPS + (len(items) >> 3))
        if items not in self._histories:
            self._memory.keep(4, len(items) * POINTER_BITS + 3 * bits_of(item.integers))
            self._histories[items] = history.extend(items, item)
        history.extended[item] = self._histories[items]
        return self._histories[items]

    def attend(self, history: History, query: Numbers) -> Addition:
        """What the head adds where it meets this query.

        Raises:
            Rejected: if two scores are greatest, or softmax may miss more than the stated bounds allow.
        """
        self.situations += 1
        self._budget.spend(SITUATION_STEPS + len(history.items))
        charge_products(self._budget, len(history.items) * (2 + len(query.integers)), query.bits, history.bits)
        scores = [sum(map(mul, query.integers, item.integers)) for item in history.items]
        best = max(scores)
        winner = history.items[scores.index(best)].integers
        carried = self._misses.none
        if len(scores) > 1:
            differences = [best - score for score in scores]
            self._meet_gap(differences)
            carried = self._misses.settle(Situation(history, query, winner, differences))
        values = tuple([x * self.factor for x in winner[self._keys :]])
        history.answers[query] = addition = self._memory.unify_addition(values, carried)
        return addition

    def _meet_gap(self, differences: list[int]) -> None:
        """Notes the second least difference; the least is 0, that of the winner itself."""
        _, gap, *_ = sorted(differences)
        if not gap:
            raise Rejected(f"{self._where} is not tieless: two greatest scores")
        self._gap = gap if self._gap is None else min(self._gap, gap)
