"""Heads with scores: in U the mean of the values of the winners, the positions with the greatest score.

An average-hard head weighs all its winners equally. A leftmost or rightmost head must be tieless, that is, have one
winner at every position of every word, so that it writes the same mean. error_terms.py bounds the error of Û.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...kernel.verdicts import Rejected, quote
from .error_terms import ErrorTerms, ScoreProfile
from .forms import HeadForms
from .integers import Integers, charge_products, divide_exactly, longest
from .memoisation import Addition, History, IntegerVector, Item, Keys, LengthTables, QueryWinner
from .stages import StageErrors
from .visible_keys import HistoryTable
from .weights import Weighing

PROFILE_STEPS = 30  # of work to attend, plus the cost of its items and numbers


class Scored(HistoryTable):
    """A head with scores at one length.

    Attributes:
        factor: from its values to the scale of its output, which has room for means.
        profiles: the number of different pairs of a history and a query.
        ties: the number of these with more than one winner.
    """

    def __init__(self, memory: LengthTables, forms: HeadForms, stage: StageErrors, scale: int, new_scale: int,
                 weighing: Weighing) -> None:
        super().__init__(memory)
        self.written = forms.written
        self.factor = new_scale // (scale * forms.values.denominator)
        self.profiles = self.ties = 0
        self._where = f"{stage.where}, head {quote(forms.head.name)}"
        self._forms = forms
        self._misses = ErrorTerms(memory, forms, stage, scale, weighing, self._where)
        self._gap: int | None = None

    @property
    def gap(self) -> Fraction | None:
        """The least positive difference between the greatest score and another one, over all pairs so far."""
        return None if self._gap is None else Fraction(self._gap, self._misses.score_unit)

    def query(self, vector: dict[str, int], bits: int) -> IntegerVector:
        """Return the query at a position with these integers, of at most ``bits`` bits."""
        return self._memory.unify(self._forms.queries.read(self._budget, vector, bits))

    def item(self, vector: dict[str, int], bits: int) -> Item:
        """Return the keys and values at a position with these integers, of at most ``bits`` bits."""
        key, values = (self._memory.unify(forms.read(self._budget, vector, bits))
                       for forms in (self._forms.keys, self._forms.values))
        return self._memory.unify_item(key, values)

    def attend(self, history: History, query: IntegerVector) -> Addition:
        """Return the addition of the head for this history and query.

        Raises:
            Rejected: if two scores are greatest and that is not allowed, or if the error of Û may exceed its bound.
            ValuesDropped: if that depends on values that were dropped.
        """
        self.profiles += 1
        self._budget.spend(PROFILE_STEPS + len(history.contenders))
        winner = history.keys.winners.get(query) or self._find_winner(history.keys, query)
        scores = self.score(query, [item.key for item in history.contenders])
        winners = [item.values for item, score in zip(history.contenders, scores, strict=True) if score == winner.best]
        self.ties += len(winners) > 1
        sums, carried = self._add_up(winners), self._misses.none
        if not winner.is_exact:
            differences = None if self.drops_values else [winner.best - score for score in scores]
            carried = self._misses.settle(ScoreProfile(history, winner, len(winners), sums, differences))
        means = tuple([divide_exactly(x * self.factor, len(winners)) for x in sums])
        history.answers[query] = addition = self._memory.unify_addition(means, carried)
        return addition

    def _add_up(self, winners: Sequence[IntegerVector]) -> Integers:
        """Return the sums of the winners' values; charge the work of these and of their means."""
        bits = longest([len(winners)]) + max(values.bits for values in winners)
        self._budget.spend(len(winners) * len(self.written) * (64 + bits) >> 10)
        charge_products(self._budget, 2 * len(self.written), bits, self.factor.bit_length())
        return tuple(map(sum, zip(*[values.integers for values in winners], strict=True)))

    def _find_winner(self, keys: Keys, query: IntegerVector) -> QueryWinner:
        """Find the winner of a query among the keys; the least difference, 0, is its own."""
        self._budget.spend(PROFILE_STEPS + len(keys.items))
        scores = self.score(query, keys.items)
        best = max(scores)
        differences = sorted([best - score for score in scores])[1:]
        self._update_gap(differences)
        keys.winners[query] = winner = self._misses.prepare(keys, query, best, differences)
        self._memory.keep(3, best.bit_length())
        return winner

    def _update_gap(self, differences: Sequence[int]) -> None:
        """Update the gap by the least positive one of these differences, which ascend; reject a forbidden tie."""
        if differences and not differences[0] and not self._forms.may_tie:
            raise Rejected(f"{self._where} is not tieless: two greatest scores")
        gap = next(filter(None, differences), None)
        if gap is not None:
            self._gap = gap if self._gap is None else min(self._gap, gap)
