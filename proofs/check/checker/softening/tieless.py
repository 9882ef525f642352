"""Heads that must be tieless: one greatest score at every position of every word.

The value of the winner is what the head adds in U, whichever hard attention it has. What Û adds instead is bounded in
misses.py; where only one position is seen, it weighs all there is, and nothing is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..verdicts import Rejected, quote
from .forms import HeadForms
from .misses import Misses, Situation
from .remembering import Addition, Contest, History, Item, Keys, Memory, Numbers
from .seeing import Sight
from .stages import Stage

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
        self.situations = 0
        self._where = f"{stage.where}, head {quote(forms.head.name)}"
        self._memory, self._budget, self._forms = memory, memory.budget, forms
        self._sight = Sight(memory)
        self._misses = Misses(memory, forms, stage, scale, heat, self._where)
        self._gap: int | None = None
        self.start = self._sight.start

    @property
    def gap(self) -> Fraction | None:
        """The least difference between the two greatest scores that was met."""
        return None if self._gap is None else Fraction(self._gap, self._misses.score_unit)

    def query(self, held: dict[str, int], bits: int) -> Numbers:
        """What a position that holds integers of at most so many bits asks for."""
        return self._memory.unify(self._forms.queries.read(self._budget, held, bits))

    def item(self, held: dict[str, int], bits: int) -> Item:
        """The keys and values of a position that holds integers of at most so many bits."""
        key, values = (self._memory.unify(forms.read(self._budget, held, bits))
                       for forms in (self._forms.keys, self._forms.values))
        return self._memory.unify_item(key, values)

    def expect(self, queries: Sequence[Sequence[Numbers]]) -> None:
        """Values may be forgotten; ``queries`` has those that may come at each position or later."""
        self._sight.expect(queries)

    def see(self, history: History, item: Item) -> History:
        """The history with one more position."""
        return self._sight.see(history, item)

    def attend(self, history: History, query: Numbers) -> Addition:
        """What the head adds where it meets this query.

        Raises:
            Rejected: if two scores are greatest, or softmax may miss more than the stated bounds allow.
            Forgotten: if that depends on values that were forgotten.
        """
        self.situations += 1
        self._budget.spend(SITUATION_STEPS + len(history.contenders))
        contest = history.keys.met.get(query) or self._meet(history.keys, query)
        scores = self._sight.score(query, [item.key for item in history.contenders])
        winner = history.contenders[scores.index(contest.best)]
        carried = self._misses.none
        if len(history.keys.items) > 1:
            distances = None if self._sight.forgets else [contest.best - score for score in scores]
            carried = self._misses.settle(Situation(history, contest, winner, distances))
        values = tuple([x * self.factor for x in winner.values.integers])
        history.answers[query] = addition = self._memory.unify_addition(values, carried)
        return addition

    def _meet(self, keys: Keys, query: Numbers) -> Contest:
        """What the query meets among the keys; the least of the differences is 0, that of the winner itself."""
        self._budget.spend(SITUATION_STEPS + len(keys.items))
        scores = self._sight.score(query, keys.items)
        best = max(scores)
        differences = sorted([best - score for score in scores])[1:]
        if differences:
            self._meet_gap(differences[0])
        keys.met[query] = contest = self._misses.prepare(keys, query, best, differences)
        self._memory.keep(3, best.bit_length())
        return contest

    def _meet_gap(self, gap: int) -> None:
        """Notes the difference between the two greatest scores."""
        if not gap:
            raise Rejected(f"{self._where} is not tieless: two greatest scores")
        self._gap = gap if self._gap is None else min(self._gap, gap)
