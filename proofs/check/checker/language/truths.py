"""Boolean connectives over truths that are given, and truths of formulas over symbols.

Each chapter of the proof gives the truths of what it knows or leaves free; here they are only put together. What is
neither given nor a connective is not decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..verdicts import Rejected
from .evaluation import CONNECT, compare_constant, is_constant_comparison
from .printing import write_short
from .table import Place, Table


def connect(table: Table, order: Sequence[Place], given: Mapping[Place, bool]) -> dict[Place, bool]:
    """The given truths with those of ``order`` added, operands first.

    Raises:
        Rejected: if a formula is neither given nor a connective of what is.
    """
    table.budget.spend(1 + len(order))
    truths = dict(given)
    for place in order:
        if place not in truths:
            truths[place] = connect_one(table, place, truths)
    return truths


def connect_one(table: Table, place: Place, truths: Mapping[Place, bool]) -> bool:
    """The truth of a connective from those of its operands.

    Raises:
        Rejected: if it is no connective (nor a comparison of numbers), or an operand is not decided.
    """
    name, operands, _ = table.nodes[place]
    if is_constant_comparison(table.nodes[place]):
        return compare_constant(table.nodes[place])
    if name not in CONNECT or not all(operand in truths for operand in operands):
        raise Rejected(f"{write_short(table, place)} is not decided by what is read")
    return CONNECT[name](*(truths[operand] for operand in operands))


def truths_at_symbol(table: Table, symbol: str, roots: Iterable[Place]) -> dict[Place, bool]:
    """The truths where this symbol stands of formulas built from symbols, and of all below them."""
    order = sorted(table.below(roots))
    given = {place: table.nodes[place].data == (symbol,) for place in order if table.nodes[place].operator == "Q"}
    return connect(table, order, given)
