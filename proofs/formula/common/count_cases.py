"""Cases of a head that looks up a count, and the truth of formulas in a case."""

from collections.abc import Mapping

from constructions.language import syntax
from constructions.language.positional import connective, mentions_length, mentions_position, positional_truth
from constructions.language.predicates import definition_of
from constructions.language.printer import format_briefly, format_count
from constructions.language.semantics import RELATIONS
from constructions.network.meanings import Mean, Meaning, Near, Others
from constructions.network.transformer import Head
from proofs.formula.failures import NotDerived


def find_count(directions: Mapping[str, Meaning], head: Head, meaning: Near | Others) -> syntax.Count:
    """Return the one count that the head looks up.

    Raises:
        NotDerived: if its queries read the means of several counts, or none and the meaning mentions not exactly one.
    """
    read = {mean.count for row in head.queries for name in row if isinstance(mean := directions[name], Mean)}
    match meaning:
        case Others(count):
            found = read | {count}
        case Near(formula, when):
            parts = syntax.subformulas_of_all([formula, when])
            found = read or {count for part in parts for count in syntax.counts_of(part)}
    if len(found) != 1:
        named = ", ".join(sorted(map(format_count, found))) or "none"
        raise NotDerived(f"a head looks up one count, and this one has to do with {len(found)}: {named}")
    return found.pop()


class CaseTruths:
    """The truth of formulas in a case: the counted formula, predicates on the count, comparisons of it with numbers.

    The counted formula has the truth of the case even where the position decides it: cases of no word are checked too.
    """

    def __init__(self, count: syntax.Count):
        """Prepare the evaluation; formulas that depend on anything else in the word are rejected."""
        self.count = count
        self._truths: dict[tuple[syntax.Formula, bool, int, int, int], bool] = {}
        self._on_position: dict[syntax.Formula, bool] = {}

    def truth(self, formula: syntax.Formula, here: bool, others: int, i: int, n: int) -> bool:
        """Return the truth at position i of a word of length n.

        Raises:
            NotDerived: if the case does not decide it.
        """
        if formula not in self._on_position:
            self._on_position[formula] = self.mentions_i(formula)
        key = (formula, here, others, i if self._on_position[formula] else 0, n)
        if key not in self._truths:
            self._truths[key] = self._decide(formula, here, others, i, n)
        return self._truths[key]

    def shape(self, formula: syntax.Formula) -> tuple[object, ...]:
        """Return a key of a formula: formulas with equal keys, of different counts, are equal in equal cases."""
        if formula is self.count.operand:
            return ("here",)
        match formula:
            case syntax.PredicateOnCount(count=count) if count is self.count:
                return "count", definition_of(formula), formula.parameters
            case syntax.Comparison(relation) if self._is_compared(syntax.difference(formula)):
                ((factor, _),) = syntax.difference(formula).coefficients
                return "compared", relation, factor, syntax.difference(formula).constant
        if isinstance(formula, syntax.Predicate | syntax.Comparison | syntax.PredicateOnCount):
            return "as it is", formula
        return type(formula), *(map(self.shape, syntax.operands(formula)) if syntax.operands(formula) else [formula])

    def mentions_i(self, formula: syntax.Formula) -> bool:
        """Return whether the truth in a case may depend on the position."""
        return mentions_position(formula)

    def mentions_n(self, formula: syntax.Formula) -> bool:
        """Return whether the truth in a case may depend on the length."""
        return mentions_length(formula)

    def _is_compared(self, difference: syntax.Term) -> bool:
        return {count for _, count in difference.coefficients} == {self.count}

    def _decide(self, formula: syntax.Formula, here: bool, others: int, i: int, n: int) -> bool:
        if formula is self.count.operand:
            return here
        match formula:
            case syntax.PredicateOnCount(count=count) if count is self.count:
                return definition_of(formula).holds(others + here, n, formula.parameters)
            case syntax.Comparison(relation) if self._is_compared(syntax.difference(formula)):
                ((factor, _),) = syntax.difference(formula).coefficients
                return RELATIONS[relation](factor * (others + here) + syntax.difference(formula).constant, 0)
            case syntax.Predicate() | syntax.Comparison() if syntax.is_positional(formula):
                return positional_truth(formula, i, n)
        parts = () if isinstance(formula, syntax.Comparison | syntax.PredicateOnCount) else syntax.operands(formula)
        truth = connective(formula, tuple(self._decide(part, here, others, i, n) for part in parts))
        if truth is None:
            raise NotDerived(f"{format_briefly(formula)} is not decided by {format_count(self.count)} and the truth "
                             "of what it counts")
        return truth
