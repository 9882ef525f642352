"""Uniform heads: the mean over the visible positions of their values.

Claim. A uniform head adds at most |V_t|·e to the error of each direction t that it writes. Proof. Its scores are 0, in
U as in Û: no product of a query and a key has terms. So both take the mean of the values at the same positions, with
equal weights. V_t·u_j and V_t·û_j differ by at most |V_t|·e at every j, and so do means.
"""

from collections.abc import Sequence
from operator import add

from .forms import HeadForms
from .integers import charge_products, divide_exactly
from .memoisation import Addition, Extent, History, IntegerVector, Item, Keys, LengthTables
from .stages import StageErrors, error_of_form

HISTORY_STEPS = 10  # of work to see another position, plus the cost of its values
MEAN_STEPS = 10  # of work for means, plus the cost of their numbers


class Uniform:
    """A uniform head at one length, which stores the number of visible positions and the sums of their values.

    Attributes:
        factor: from the sums of values to the scale of the output.
    """

    def __init__(self, memory: LengthTables, forms: HeadForms, stage: StageErrors, scale: int, new_scale: int) -> None:
        self.written = forms.written
        self.factor = new_scale // (scale * forms.values.denominator)
        self._memory, self._forms = memory, forms
        errors = [(t, error_of_form(memory.budget, row, stage.before)) for t, row in forms.head.values.items()]
        self._carried = stage.settle(errors)
        self._histories: dict[IntegerVector, History] = {}
        self._nowhere = Extent()
        self.start = self._see_sums((0,) * (1 + len(forms.values.rows)))

    def query(self, vector: dict[str, int], bits: int) -> IntegerVector:
        """Return the empty query, as scores are constant."""
        return self._memory.unify(())

    def item(self, vector: dict[str, int], bits: int) -> Item:
        """Return the values at a position with these integers, of at most ``bits`` bits, and an empty key."""
        values = self._memory.unify(self._forms.values.read(self._memory.budget, vector, bits))
        return self._memory.unify_item(self._memory.unify(()), values)

    def expect(self, queries: Sequence[Sequence[IntegerVector]]) -> None:
        """Do nothing: a uniform head has no values to drop."""

    def see(self, history: History, item: Item) -> History:
        """Return the history with one more position."""
        sums = tuple(map(add, history.keys.items[0].integers, (1, *item.integers)))
        self._memory.budget.spend(HISTORY_STEPS + (len(sums) * (64 + item.values.bits) >> 10))
        history.extended[item] = grown = self._see_sums(sums)
        return grown

    def _see_sums(self, sums: tuple[int, ...]) -> History:
        entry = self._memory.unify(sums)
        if entry not in self._histories:
            self._memory.keep(3, 0)
            self._histories[entry] = History(Keys((entry,), entry.bits, self._nowhere), self._nowhere)
        return self._histories[entry]

    def attend(self, history: History, query: IntegerVector) -> Addition:
        """Return the addition of the head for this history."""
        (entry,) = history.keys.items
        number, *sums = entry.integers
        self._memory.budget.spend(MEAN_STEPS)
        charge_products(self._memory.budget, 2 * len(sums), entry.bits, self.factor.bit_length())
        means = tuple([divide_exactly(x * self.factor, number) for x in sums])
        history.answers[query] = addition = self._memory.unify_addition(means, self._carried)
        return addition
