"""A user's condition as a formula about the sum k of counts that it is applied to, if no lookup is needed.

Claim       If a condition is a Boolean combination of comparisons of linear combinations of k, n and 1, and of
            remainders of such sums by numbers compared with numbers, it is the same combination of comparisons of
            counts and of remainders of counts: n is ``#<[true] + #>[true] - 1``. All of them are defined everywhere, so
            it does not matter that ``and`` and ``or`` do not always evaluate their right side.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from constructions.errors import Unsupported
from constructions.language.arithmetic import NEGATE, UNARY
from constructions.language.expressions import Expression
from constructions.language.remainders import MIRRORED, compare_remainder
from constructions.language.semantics import RELATIONS
from constructions.language.simplified import conjunction, disjunction, negation
from constructions.language.syntax import TRUE, Comparison, Count, Formula, Relation, Term

LENGTH = Term(((1, Count("left", TRUE)), (1, Count("right", TRUE))), -1)


@dataclass(frozen=True)
class _Remainder:
    """The remainder of a sum modulo a number."""

    dividend: Term
    modulus: int


_Part = Term | _Remainder | Formula


class _NotLinear(Exception):
    """The condition has another form."""


def find_linear_form(condition: Expression, k: Term) -> Formula | None:
    """Return the formula that holds where the condition holds of the value of k; None if it has another form.

    >>> from constructions.language.expressions import parse_expression
    >>> from constructions.language.syntax import Symbol
    >>> third = parse_expression("k % 2 == 1 and k > n - 2", frozenset("kn"), boolean=True)
    >>> find_linear_form(third, Term(((1, Count("left", Symbol("a"))),), 0))
    parse_formula('ODD(#<[Q_a]) & #<[Q_a] > #<[true] + #>[true] - 3')
    """
    try:
        return _read(condition, k)
    except _NotLinear:
        return None


def _read(condition: Expression, k: Term) -> Formula:
    stack: list[_Part] = []
    for item in condition.postfix:
        if isinstance(item, int):
            stack.append(Term((), item))
        elif item in ("k", "n"):
            stack.append(k if item == "k" else LENGTH)
        elif item == NEGATE:
            stack.append(_times(_sum(stack.pop()), -1))
        elif item == "not":
            stack.append(negation(_truth(stack.pop())))
        elif item in UNARY:
            raise _NotLinear
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_binary(item, left, right))
    return _truth(stack.pop())


def _binary(operator: str, left: _Part, right: _Part) -> _Part:
    if operator in _CONNECTIVES:
        return _CONNECTIVES[operator](_truth(left), _truth(right))
    if operator in RELATIONS:
        return _compare(left, cast(Relation, operator), right)
    one, other = _sum(left), _sum(right)
    match operator:
        case "+" | "-":
            return _add(one, other if operator == "+" else _times(other, -1))
        case "*" if not (one.coefficients and other.coefficients):
            return _times(other, one.constant) if not one.coefficients else _times(one, other.constant)
        case "%" if not other.coefficients and other.constant > 0:
            return _Remainder(one, other.constant)
    raise _NotLinear


_CONNECTIVES: Mapping[str, Callable[[Formula, Formula], Formula]] = {"and": conjunction, "or": disjunction}


def _compare(left: _Part, relation: Relation, right: _Part) -> Formula:
    if isinstance(right, _Remainder):
        left, relation, right = right, MIRRORED[relation], left
    number = _sum(right)
    if isinstance(left, _Remainder):
        return _compare_remainder(left, relation, number)
    return Comparison(relation, _sum(left), number)


def _compare_remainder(left: _Remainder, relation: Relation, number: Term) -> Formula:
    if number.coefficients:
        raise _NotLinear
    try:
        return compare_remainder(left.dividend, left.modulus, relation, number.constant)
    except Unsupported:  # too many parts: then all numbers are looked up
        raise _NotLinear from None


def _truth(part: _Part) -> Formula:
    if not isinstance(part, Formula):
        raise _NotLinear
    return part


def _sum(part: _Part) -> Term:
    if not isinstance(part, Term):
        raise _NotLinear
    return part


def _times(term: Term, factor: int) -> Term:
    return Term(tuple((factor * number, count) for number, count in term.coefficients), factor * term.constant)


def _add(left: Term, right: Term) -> Term:
    return Term((*left.coefficients, *right.coefficients), left.constant + right.constant)
