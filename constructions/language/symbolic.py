"""The truth of formulas over symbols: where the symbol at a position alone decides."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from constructions.language.positional import connective
from constructions.language.syntax import Formula, Symbol, operands, postorder


@dataclass(frozen=True)
class _SymbolSet:
    """The ``listed`` symbols; or, if ``others``, all but these."""

    listed: frozenset[str]
    others: bool

    def __contains__(self, symbol: str) -> bool:
        return (symbol in self.listed) is not self.others


_TRUE_AT: WeakKeyDictionary[Formula, _SymbolSet] = WeakKeyDictionary()


def symbolic_truth(formula: Formula, symbol: str) -> bool:
    """The truth of a formula for which ``is_symbolic`` holds, at a position that has ``symbol``.

    >>> from constructions.language.parser import parse_formula
    >>> [symbolic_truth(parse_formula("!(Q_a | Q_b) <-> true"), symbol) for symbol in "abc"]
    [False, False, True]
    """
    if formula not in _TRUE_AT:
        for part in postorder(formula, lambda part: () if part in _TRUE_AT else operands(part)):
            if part not in _TRUE_AT:
                _TRUE_AT[part] = _true_at(part)
    return symbol in _TRUE_AT[formula]


def _true_at(formula: Formula) -> _SymbolSet:
    """The symbols at which the formula is true, from those of its operands."""
    if isinstance(formula, Symbol):
        return _SymbolSet(frozenset([formula.symbol]), others=False)
    parts = [_TRUE_AT[part] for part in operands(formula)]
    listed = frozenset().union(*(part.listed for part in parts))
    others = connective(formula, tuple(part.others for part in parts))
    assert others is not None, f"not symbolic: {formula!r}"
    return _SymbolSet(frozenset(symbol for symbol in listed
                                if connective(formula, tuple(symbol in part for part in parts)) is not others), others)
