"""Heads with scores: in U the mean of the values of the winners, the positions with the greatest score.

An average-hard head weighs all its winners alike. A leftmost or rightmost head must be tieless, that is, have one
winner at every position of every word, so that it is the same mean. What Û adds instead is bounded in error_terms.py.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...kernel.verdicts import Rejected, quote
from .error_terms import ErrorTerms, HeadSituation
from .forms import HeadForms
from .integers import Integers, charge_products, divide_exactly, longest
from .memoisation import Addition, History, IntegerVector, Item, Keys, LengthTables, QueryWinner
from .stages import StageErrors
from .visible_keys import Sight
from .weights import Weighing

SITUATION_STEPS = 30  # the work to attend, beside what its items and their numbers take


class Scored(Sight):
    """Such a head at one length.

    Attributes:
        factor: from its values to the scale of what is written, which has room for means.
        situations: how many pairs of a history and a query were met.
        ties: how many of these had more than one winner.
    """

    def __init__(self, memory: LengthTables, forms: HeadForms, stage: StageErrors, scale: int, new_scale: int,
                 weighing: Weighing) -> None:
        super().__init__(memory)
        self.written = forms.written
        self.factor = new_scale // (scale * forms.values.denominator)
        self.situations = self.ties = 0
        self._where = f"{stage.where}, head {quote(forms.head.name)}"
        self._forms = forms
        self._misses = ErrorTerms(memory, forms, stage, scale, weighing, self._where)
        self._gap: int | None = None

    @property
    def gap(self) -> Fraction | None:
        """The least positive difference between the greatest score and another one that was met."""
        return None if self._gap is None else Fraction(self._gap, self._misses.score_unit)

    def query(self, held: dict[str, int], bits: int) -> IntegerVector:
        """What a position that holds integers of at most so many bits asks for."""
        return self._memory.unify(self._forms.queries.read(self._budget, held, bits))

    def item(self, held: dict[str, int], bits: int) -> Item:
        """Return the keys and values of a position that holds integers of at most so many bits."""
        key, values = (self._memory.unify(forms.read(self._budget, held, bits))
                       for forms in (self._forms.keys, self._forms.values))
        return self._memory.unify_item(key, values)

    def attend(self, history: History, query: IntegerVector) -> Addition:
        """What the head adds where it meets this query.

        Raises:
            Rejected: if two scores are greatest and that is not allowed, or if Û may miss more than is stated.
            Forgotten: if that depends on values that were forgotten.
        """
        self.situations += 1
        self._budget.spend(SITUATION_STEPS + len(history.contenders))
        contest = history.keys.met.get(query) or self._meet(history.keys, query)
        scores = self.score(query, [item.key for item in history.contenders])
        winners = [item.values for item, score in zip(history.contenders, scores, strict=True) if score == contest.best]
        self.ties += len(winners) > 1
        sums, carried = self._add_up(winners), self._misses.none
        if not contest.is_exact:
            differences = None if self.forgets else [contest.best - score for score in scores]
            carried = self._misses.settle(HeadSituation(history, contest, len(winners), sums, differences))
        means = tuple([divide_exactly(x * self.factor, len(winners)) for x in sums])
        history.answers[query] = addition = self._memory.unify_addition(means, carried)
        return addition

    def _add_up(self, winners: Sequence[IntegerVector]) -> Integers:
        """Return the sums of their values, with the work of these and of their means."""
        bits = longest([len(winners)]) + max(values.bits for values in winners)
        self._budget.spend(len(winners) * len(self.written) * (64 + bits) >> 10)
        charge_products(self._budget, 2 * len(self.written), bits, self.factor.bit_length())
        return tuple(map(sum, zip(*[values.integers for values in winners], strict=True)))

    def _meet(self, keys: Keys, query: IntegerVector) -> QueryWinner:
        """What the query meets among the keys; the least of the differences is 0, that of a winner itself."""
        self._budget.spend(SITUATION_STEPS + len(keys.items))
        scores = self.score(query, keys.items)
        best = max(scores)
        differences = sorted([best - score for score in scores])[1:]
        self._meet_gap(differences)
        keys.met[query] = contest = self._misses.prepare(keys, query, best, differences)
        self._memory.keep(3, best.bit_length())
        return contest

    def _meet_gap(self, differences: Sequence[int]) -> None:
        """Notes the least positive one of these differences from the greatest score, which increase."""
        if differences and not differences[0] and not self._forms.may_tie:
            raise Rejected(f"{self._where} is not tieless: two greatest scores")
        gap = next(filter(None, differences), None)
        if gap is not None:
            self._gap = gap if self._gap is None else min(self._gap, gap)
