"""Replacement of the symbols of a formula by formulas."""

from collections.abc import Callable
from typing import Any

from constructions.language.syntax import Count, Formula, Symbol, Term, fold


def replace_symbols(formula: Formula, replacement: Callable[[str], Formula]) -> Formula:
    """Return the formula with another one in place of each ``Q_a``.

    >>> from constructions.language.syntax import Not, Since
    >>> replace_symbols(Since(Symbol("a"), Symbol("b")), lambda symbol: Not(Symbol(symbol)))
    parse_formula('!Q_a since !Q_b')
    """
    known: dict[Formula, Formula] = {}

    def rebuild(value: Any) -> Any:
        if isinstance(value, Formula):
            return known[value]
        if isinstance(value, tuple):
            return tuple(map(rebuild, value))
        return type(value)(*map(rebuild, value.fields())) if isinstance(value, Count | Term) else value

    def replaced(part: Formula) -> Formula:
        if isinstance(part, Symbol):
            return replacement(part.symbol)
        changed: Formula = type(part)(*map(rebuild, part.fields()))
        return changed

    return fold(formula, known, replaced)
