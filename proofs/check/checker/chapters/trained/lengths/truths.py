"""Cases that may hold in a cell: formulas of the last letter and of counts of letters, in three-valued logic.

A truth is the pair (may hold, may fail); what is not about counts may do both.
"""

from collections.abc import Mapping, Sequence
from operator import and_, or_

from ....kernel.language import Place
from ....kernel.language.truths import COMPARE
from ..reading.words_claim import TrainedClaim
from .counts import CountedCell, Region, sum_within

Maybe = tuple[bool, bool]
EITHER: Maybe = (True, True)


class CaseTruths:
    """The cases of a claim, and the linear forms of counts that their formulas compare."""

    def __init__(self, claim: TrainedClaim) -> None:
        self._claim, self._language = claim, claim.language
        self._order = sorted(claim.language.below(claim.formulas))
        self._sums = {place: sums for place in self._order for sums in [self._coefficients(place)] if sums is not None}
        self.sums = [*dict.fromkeys(self._sums.values())]

    def _coefficients(self, place: Place) -> tuple[int, ...] | None:
        """Return the coefficient of each letter, for a comparison of counts of letters up to here; otherwise None."""
        operator, operands, data = self._language.nodes[place]
        if operator != "T" or any(self._language.nodes[count].operator != "#<" or
                                  not self._language.is_of_symbols(self._language.counted(count))
                                  for count in operands):
            return None
        total = [0] * len(self._claim.alphabet)
        for coefficient, count in zip(data[2:], operands, strict=True):
            for letter, symbol in enumerate(self._claim.alphabet):
                total[letter] += int(coefficient) * self._counts(self._language.counted(count), symbol)
        return tuple(total)

    def _counts(self, formula: Place, symbol: str) -> bool:
        """Return whether a formula about the current symbol holds at this symbol."""
        truths: dict[Place, Maybe] = {}
        for place in sorted(self._language.below([formula])):
            truths[place] = self._truth(place, truths, symbol, None)
        holds, fails = truths[formula]
        if holds == fails:
            raise ArithmeticError("a formula of the symbol has no truth at a symbol")
        return holds

    def cases(self, region: Region, cell: CountedCell | None) -> frozenset[int]:
        """Return the cases with rows that may hold in a cell of a region; without a cell, for any counts of letters."""
        self._language.budget.spend(1 + 4 * len(self._order) + len(self._claim.cases))
        symbol = None if region.last is None else self._claim.alphabet[region.last]
        truths: dict[Place, Maybe] = {}
        for place in self._order:
            truths[place] = self._truth(place, truths, symbol, cell)
        return frozenset(number for number, case in enumerate(self._claim.cases)
                         if case.above and (case.when.states is None or case.when.states & region.states)
                         and (case.when.formula is None or truths[case.when.formula][0]))

    def _truth(self, place: Place, truths: Mapping[Place, Maybe], symbol: str | None,
               cell: CountedCell | None) -> Maybe:
        """Return the truth of a formula from those of its parts; without a cell, of a formula about the symbol."""
        operator, operands, data = self._language.nodes[place]
        if operator == "Q" and symbol is not None:
            return data[0] == symbol, data[0] != symbol
        if operator == "T" and cell is not None and place in self._sums:
            return may_compare(str(data[0]), int(data[1]), sum_within(cell.cell, cell.counts, self._sums[place]))
        if operator in ("true", "false"):
            return operator == "true", operator == "false"
        if operator in ("!", "&", "|", "->", "<->"):
            return connect(operator, [truths[operand] for operand in operands])
        return EITHER


def may_compare(relation: str, constant: int, ends: tuple[int | None, int | None]) -> Maybe:
    """Return whether constant + x may be in the relation to 0, and whether it may not, for an integer x in bounds."""
    low, high = ends
    if relation in ("==", "!="):
        meets = (low is None or low + constant <= 0) and (high is None or high + constant >= 0)
        misses = low is None or high is None or low != high or low + constant != 0
        return (meets, misses) if relation == "==" else (misses, meets)
    ends_of_order = (-1 if low is None else low + constant), (1 if high is None else high + constant)
    truths = {COMPARE[relation](end, 0) for end in ends_of_order}  # an order between them is as at one of them
    return True in truths, False in truths


def connect(operator: str, parts: Sequence[Maybe]) -> Maybe:
    """Return a connective of truths."""
    if operator == "!":
        return parts[0][1], parts[0][0]
    if operator == "->":
        return connect("|", [connect("!", parts[:1]), parts[1]])
    if operator == "<->":
        (a, not_a), (b, not_b) = parts
        return (a and b) or (not_a and not_b), (a and not_b) or (not_a and b)
    holds, fails = (and_, or_) if operator == "&" else (or_, and_)
    first, second = parts
    return holds(first[0], second[0]), fails(first[1], second[1])
