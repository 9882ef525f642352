"""Truth of formulas that depend on the position and the length only, and of those that depend on a symbol only.

The position may be 0 (counts can be 0, positions cannot): ``brackets.py`` needs it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from constructions.language import syntax
from constructions.language.predicates import AppliedPredicate, definition_of
from constructions.language.semantics import RELATIONS


def connective(formula: syntax.Formula, truths: tuple[bool, ...]) -> bool | None:
    """Return the truth of a Boolean connective from the truths of its operands; None for other formulas."""
    match formula, truths:
        case syntax.Constant(value), ():
            return value
        case syntax.Not(), (a,):
            return not a
        case syntax.And(), (a, b):
            return a and b
        case syntax.Or(), (a, b):
            return a or b
        case syntax.Implies(), (a, b):
            return b or not a
        case syntax.Iff(), (a, b):
            return a == b
    return None


def truth_from(formula: syntax.Formula, leaf: Callable[[syntax.Formula], bool | None]) -> bool:
    """Return the truth of a formula from the truths of its leaves: connectives are evaluated where ``leaf`` is None.

    >>> from constructions.language.parser import parse_formula
    >>> truth_from(parse_formula("Q_a & !prev Q_b"), lambda part: {"Q_a": True, "prev Q_b": False}.get(str(part)))
    True
    """
    truths: dict[syntax.Formula, bool] = {}
    pending = [formula]
    while pending:
        part = pending[-1]
        truth = leaf(part)
        parts = syntax.operands_of_connective(part) if truth is None else ()
        if missing := [operand for operand in parts if operand not in truths]:
            pending += missing
            continue
        if truth is None:
            truth = connective(part, tuple(truths[operand] for operand in parts))
            assert truth is not None, f"no truth: {part!r}"
        truths[pending.pop()] = truth
    return truths[formula]


def positional_truth(formula: syntax.Formula, i: int, n: int) -> bool:
    """Return the truth at (n, i) of a positional formula (``is_positional``).

    >>> from constructions.language.parser import parse_formula
    >>> [positional_truth(parse_formula("ODD -> FIRST | 2 < 1"), i, 4) for i in range(1, 5)]
    [True, True, False, True]

    Raises:
        InputError: if the condition of a user's predicate has no value there.
    """
    if isinstance(formula, syntax.Predicate):
        return definition_of(formula).holds(i, n, formula.parameters)
    return positional_truths(formula, range(i, i + 1), n)[0]


def positional_truths(formula: syntax.Formula, positions: range, n: int) -> list[bool]:
    """Return the truths at these positions of a positional formula (``is_positional``).

    >>> from constructions.language.parser import parse_formula
    >>> positional_truths(parse_formula("ODD -> FIRST | 2 < 1"), range(1, 5), 4)
    [True, True, False, True]

    Raises:
        InputError: as ``positional_truth`` at some position without a truth.
    """
    known = _LATEST.at(positions, n)

    def find(part: syntax.Formula) -> tuple[bool, ...]:
        _LATEST.cells += len(positions)
        return _truths_of(part, [known[operand] for operand in syntax.operands_of_connective(part)], positions, n)

    found = syntax.fold(formula, known, find, syntax.operands_of_connective)
    return list(found)


def _truths_of(formula: syntax.Formula, columns: list[tuple[bool, ...]], positions: range, n: int) -> tuple[bool, ...]:
    """Return the truths of a formula from the columns of its operands."""
    match formula:
        case syntax.Predicate(parameters=parameters):
            holds = definition_of(formula).holds
            return tuple([holds(i, n, parameters) for i in positions])
        case syntax.Comparison(relation):
            term = syntax.difference(formula)
            assert not term.coefficients, f"not positional: {formula!r}"
            return (RELATIONS[relation](term.constant, 0),) * len(positions)
    found = [connective(formula, truths) for truths in zip(*columns, strict=True)] if columns else (
        [connective(formula, ())] * len(positions))
    assert None not in found, f"not positional: {formula!r}"
    return tuple(map(bool, found))


class _LatestTruths:
    """A cache of recent truths, so that formulas with common parts share work."""

    most_cells = 1 << 20

    def __init__(self) -> None:
        self.cells = 0
        self._tables: dict[tuple[range, int], dict[syntax.Formula, tuple[bool, ...]]] = {}

    def at(self, positions: range, n: int) -> dict[syntax.Formula, tuple[bool, ...]]:
        if self.cells > self.most_cells:
            self._tables.clear()
            self.cells = 0
        return self._tables.setdefault((positions, n), {})


_LATEST = _LatestTruths()


mentions_length = syntax.Somewhere(lambda part: isinstance(part, AppliedPredicate) and definition_of(part).depends_on_n)
"""True if the truth of some predicate in a formula depends on n."""
mentions_position = syntax.Somewhere(lambda part: isinstance(part, syntax.Predicate))
"""True if a predicate in a formula is applied to the position."""


def find_subformula_with_length(formula: syntax.Formula) -> AppliedPredicate | None:
    """Return the first predicate in ``formula``, innermost first, whose truth depends on n, or None.

    >>> from constructions.language.parser import parse_formula
    >>> find_subformula_with_length(parse_formula("ODD | #<[LAST] == 1"))
    parse_formula('LAST')
    """
    if not mentions_length(formula):
        return None
    return next((part for part in syntax.subformulas(formula)
                 if isinstance(part, AppliedPredicate) and definition_of(part).depends_on_n), None)


# -- formulas over symbols ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _SymbolSet:
    """The ``listed`` symbols, or with ``others`` all except these."""

    listed: frozenset[str]
    others: bool

    def __contains__(self, symbol: str) -> bool:
        return (symbol in self.listed) is not self.others


_TRUE_AT: WeakKeyDictionary[syntax.Formula, _SymbolSet] = WeakKeyDictionary()


def symbolic_truth(formula: syntax.Formula, symbol: str) -> bool:
    """Return the truth of a symbolic formula (``is_symbolic``) at a position that has ``symbol``.

    >>> from constructions.language.parser import parse_formula
    >>> [symbolic_truth(parse_formula("!(Q_a | Q_b) <-> true"), symbol) for symbol in "abc"]
    [False, False, True]
    """
    return symbol in syntax.fold(formula, _TRUE_AT, _true_at)


def _true_at(formula: syntax.Formula) -> _SymbolSet:
    """Return the symbols at which the formula is true, from those of its operands."""
    if isinstance(formula, syntax.Symbol):
        return _SymbolSet(frozenset([formula.symbol]), others=False)
    parts = [_TRUE_AT[part] for part in syntax.operands(formula)]
    listed = frozenset().union(*(part.listed for part in parts))
    others = connective(formula, tuple(part.others for part in parts))
    assert others is not None, f"not symbolic: {formula!r}"
    return _SymbolSet(frozenset(symbol for symbol in listed
                                if connective(formula, tuple(symbol in part for part in parts)) is not others), others)
