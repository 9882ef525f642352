"""Transformer from parse trees to formulas, bottom up: formulas and numbers, names, limits."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from lark import Token, v_args
from lark.visitors import Transformer_NonRecursive

from constructions.errors import FormulaError, InputError
from constructions.language.diagnosis import list_names, place_of, quote
from constructions.language.hints import formula_hint, name_hint, number_hint, symbol_hint
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import BUILTIN, find_predicate
from constructions.language.predicates_of_terms import predicate_of_term
from constructions.language.spellings import (
    NAMES,
    Bounded,
    Dialect,
    binary_operator,
    bounded_binary,
    bounded_unary,
    read_bounded,
    unary_operator,
)
from constructions.language.syntax import FALSE, TRUE, Count, Formula, Predicate, Relation, Symbol
from constructions.language.terms import (
    MAX_DIGITS,
    POSITIONS,
    CountSum,
    Number,
    Remainder,
    compare_chain,
    multiply,
    predicate_cost,
    remainder_cost,
)

MAX_EXPANDED = 200_000
MAX_NODES = 200_000
EXPECTED_COUNT = "a count such as #<[Q_a]"
EXPECTED_NUMBER = f"a number or {EXPECTED_COUNT}"

RELATIONS_SPELLED = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}

Value = Formula | Number
_WORDS_OF_PSL = ("until", "since", "next", "prev", "eventually")
RESERVED_NAMES = frozenset({"Q", "let", *NAMES, *POSITIONS})
"""Names of the grammar that definitions may not use."""


@dataclass
class Scope:
    """The meaning of names: symbols, predicates, operators of a dialect, ``$k`` of a table, names defined before."""

    alphabet: Sequence[str] | None
    predicates: Mapping[str, PredicateDefinition]
    dialect: Dialect
    table: Mapping[str, Formula]
    defined: dict[str, Formula] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    """Names defined by the user: of predicates, and of formulas."""
    any_grouping: bool = False
    expanded: int = 0
    """Number of nodes that abbreviations have made so far, in all definitions together."""

    def define(self, name: str, formula: Formula) -> None:
        """Bind the name to the formula for the following text."""
        self.defined[name] = formula
        self.names.add(name)


@v_args(inline=True)
class Builder(Transformer_NonRecursive[Token, Value]):
    """Lark transformer from parse trees to formulas, bottom up; checks what the grammar cannot express."""

    def __init__(self, text: str, scope: Scope) -> None:
        super().__init__()
        self._text = text
        self._scope = scope
        self._alphabet = scope.alphabet
        self._predicates = scope.predicates
        self._dialect = scope.dialect

    def _error(self, token: Token, message: str) -> FormulaError:
        return FormulaError(message, *place_of(self._text, token.start_pos or 0), self._text)

    def _limited(self, token: Token, formula: Formula) -> Formula:
        """Return the formula; raise FormulaError if it is too deep."""
        if formula.depth > MAX_NODES:
            raise self._error(token, f"found a formula nested {formula.depth} deep, expected at most {MAX_NODES}")
        return formula

    def _charge(self, token: Token, parts: int) -> None:
        """Count nodes that the text makes without writing them, so that a short text cannot make a huge formula."""
        self._scope.expanded += parts
        if self._scope.expanded > MAX_EXPANDED:
            raise self._error(token, f"found abbreviations of more than {MAX_EXPANDED} parts in all, expected at most "
                                     f"{MAX_EXPANDED}")

    def _bounds(self, token: Token) -> Bounded:
        with self._at(token):
            bounded = read_bounded(token)
        self._charge(token, 3 * max(bounded.first, bounded.last or 0))
        return bounded

    # -- formulas and numbers

    def _formula(self, value: Value, beside: str = "") -> Formula:
        """Return the value as a formula; ``beside`` is the operator that needs one, for the hint."""
        if isinstance(value, Formula):
            return value
        if isinstance(value, Remainder):
            raise self._error(value.token, "found a remainder, expected a formula; compare it, as in "
                                           "#<[Q_a] % 2 == 0")
        if value.formula is None:
            what = "a count" if value.token.type.startswith("COUNT") else f"the number {quote(value.token)}"
            hint = number_hint(beside) or "; compare it, as in #<[Q_a] >= 1"
            if value.token in (self._alphabet or ()):
                hint = f"; the symbol is written Q_{value.token}"
            raise self._error(value.token, f"found {what}, expected a formula{hint}")
        if value.token.type == "INT" and self._alphabet and value.token in self._alphabet:
            raise self._error(value.token, f"found {quote(value.token)}, a truth value and also a symbol, expected "
                                           f"Q_{value.token} or {value.formula}")
        return value.formula

    def _number(self, value: Value, token: Token) -> Number:
        """Return the value as a number, as the operator ``token`` needs."""
        if isinstance(value, Formula):
            raise self._error(token, f"found a formula beside {quote(token)}, expected {EXPECTED_NUMBER}"
                                     + formula_hint(self._text, token.start_pos or 0, token))
        return value

    def _sum(self, value: Value, token: Token) -> CountSum:
        number = self._number(value, token)
        if isinstance(number, Remainder):
            raise self._error(token, f"found a remainder beside {quote(token)}, expected it alone on its side of a "
                                     "comparison")
        return number

    def whole(self, value: Value) -> Formula:
        """Return the formula of the whole text."""
        return self._formula(value)

    # -- formulas

    def bracketed(self, value: Value) -> Value:
        """Return the value in brackets; grouping.py checks operators without brackets."""
        return value

    def true(self, _: Token) -> Formula:
        """Return ``true``, in any of its spellings."""
        return TRUE

    def false(self, _: Token) -> Formula:
        """Return ``false``, in any of its spellings."""
        return FALSE

    def symbol(self, token: Token) -> Formula:
        """Return the formula of ``Q_a``, ``Q['a']``, ``"a"``."""
        name = read_symbol(token)
        if not name:
            raise self._error(token, "found an empty symbol, expected at least one character between the quotes")
        if self._alphabet is not None and name not in self._alphabet:
            raise self._error(token, f"symbol {quote(name)} is not in the alphabet {list_names(self._alphabet)}"
                                     + symbol_hint(name, self._alphabet))
        return Symbol(name)

    def reference(self, token: Token) -> Formula:
        """Return the entry ``$3`` of the table."""
        if token not in self._scope.table:
            known = len(self._scope.table)
            raise self._error(token, f"found {quote(token)}, expected "
                              + (f"one of $1 .. ${known}" if known else "a formula: only a file has a table of them"))
        return self._scope.table[token]

    def unary(self, token: Token, operand: Value) -> Formula:
        """Return the formula of ``prev``, ``!``, ``G``, ... with its operand."""
        self._refuse_exclamation(token)
        build = unary_operator(token.type, self._dialect)
        return self._limited(token, build(self._formula(operand, token)))

    def binary(self, left: Value, token: Token, right: Value) -> Formula:
        """Return the formula of ``&``, ``since``, ``W``, ... with its operands."""
        self._refuse_exclamation(token)
        build = binary_operator(token.type, self._dialect)
        return self._limited(token, build(self._formula(left, token), self._formula(right, token)))

    def _refuse_exclamation(self, token: Token) -> None:
        """Reject ``until!`` and ``next!``, operators of PSL and Spot: a negation needs a space after these words."""
        if token in _WORDS_OF_PSL and self._text.startswith("!", token.end_pos or 0):
            raise self._error(token, f"found '{token}!', which is one word in other tools, expected '{token}' or "
                                     f"'{token} !'")

    def bounded_unary(self, token: Token, operand: Value) -> Formula:
        """Return the formula of ``F[2,4]``, ``X^3``, ... with its operand."""
        build = bounded_unary(self._bounds(token), self._dialect, partial(self._limited, token))
        return self._limited(token, build(self._formula(operand, token)))

    def bounded_binary(self, left: Value, token: Token, right: Value) -> Formula:
        """Return the formula of ``U[0,3]`` with its operands."""
        build = bounded_binary(self._bounds(token), partial(self._limited, token))
        return self._limited(token, build(self._formula(left, token), self._formula(right, token)))

    # -- names and predicates

    def name(self, token: Token) -> Value:
        """Return a predicate of the position, a symbol or a position; a CountSum where the context decides."""
        name = str(token)
        if name in self._scope.defined:
            return self._scope.defined[name]
        formula: Formula | None = NAMES.get(name)
        if find_predicate(name, self._predicates) is not None:
            formula = self._predicate(token, ())
        elif self._alphabet is not None and name in self._alphabet:
            formula = Symbol(name)
        if name in POSITIONS:
            return CountSum(token, [*POSITIONS[name]], formula)
        return self._predicate(token, ()) if formula is None else formula

    def application(self, name: Token, arguments: list[Value]) -> Formula:
        """Return the formula of ``MOD(3,1)``, or of ``ODD(count)`` and ``MOD(3,1,count)`` with a count as the last."""
        self._definition(name)
        numbers = [self._sum(argument, name) if isinstance(argument, CountSum | Remainder) else
                   self._refuse_formula(name) for argument in arguments]
        on_position = all(number.constant is not None for number in numbers)
        parameters = numbers if on_position else numbers[:-1]
        return self._predicate(name, [self._parameter(name, number) for number in parameters],
                               None if on_position else numbers[-1])

    def application_to(self, name: Token, arguments: list[Value], argument: Value) -> Formula:
        """Return the formula of ``MOD(3,1)(count)``."""
        self._definition(name)
        parameters = [self._parameter(name, self._sum(number, name)) for number in arguments]
        return self._predicate(name, parameters,
                               self._refuse_formula(name) if isinstance(argument, Formula) else
                               self._sum(argument, name))

    def _refuse_formula(self, name: Token) -> CountSum:
        raise self._error(name, f"found a formula between the brackets of {name}, expected {EXPECTED_NUMBER}")

    def _parameter(self, name: Token, number: CountSum) -> int:
        if number.constant is None or number.constant < 0:
            raise self._error(number.token, f"found a parameter of {name} that is not a natural number, expected one")
        return number.constant

    def _predicate(self, name: Token, parameters: Sequence[int], argument: CountSum | None = None) -> Formula:
        definition, numbers = self._definition(name), tuple(parameters)
        if problem := definition.find_problem(numbers):
            raise self._error(name, problem)
        users = None if name in BUILTIN else definition
        if argument is None:
            return Predicate(str(name), numbers, users)
        self._charge(name, predicate_cost(str(name), numbers, argument))
        with self._at(argument.token):
            return self._limited(name, predicate_of_term(str(name), numbers, argument.term(), users))

    def _definition(self, name: Token) -> PredicateDefinition:
        definition = find_predicate(name, self._predicates)
        if definition is None:
            known = [*BUILTIN, *self._predicates, *self._scope.defined]
            hint = name_hint(name, known, self._alphabet)
            raise self._error(name, f"found {quote(name)}, expected a predicate such as {list_names(known)}{hint}")
        return definition

    def arguments(self, *values: Value) -> list[Value]:
        """Return the arguments between brackets."""
        return [value for value in values if not isinstance(value, Token)]

    # -- numbers

    def chain(self, *parts: Value | Token) -> Formula:
        """Return the formula of ``0 <= a < 3``."""
        tokens = [cast(Token, part) for part in parts[1::2]]
        numbers = [self._number(cast(Value, part), token) for part, token in zip(parts[::2], [tokens[0], *tokens],
                                                                              strict=True)]
        relations = [cast(Relation, RELATIONS_SPELLED.get(token, str(token))) for token in tokens]
        self._charge(tokens[0], sum(remainder_cost(number.dividend, number.modulus, relation)
                                    for number, relation in zip(numbers, (relations[0], *relations), strict=True)
                                    if isinstance(number, Remainder)))
        with self._at(tokens[0]):
            return self._limited(tokens[0], compare_chain(numbers, relations))

    def add(self, left: Value, token: Token, right: Value) -> CountSum:
        """Return a sum or a difference; the left list is extended in place, as no other value holds it."""
        total, other = self._sum(left, token), self._sum(right, token)
        self._charge(token, len(other.summands))
        sign = 1 if token == "+" else -1
        total.summands.extend((sign * number, count) for number, count in other.summands)
        return CountSum(total.token, total.summands)

    def multiply(self, left: Value, token: Token, right: Value) -> CountSum:
        """Return a product with a number."""
        with self._at(token):
            product = multiply(self._sum(left, token), self._sum(right, token))
        self._charge(token, len(product.summands) if product else 0)
        if product is None:
            raise self._error(token, "found a product of two counts, expected a number on one side of '*'")
        return product

    def remainder(self, left: Value, token: Token, right: Value) -> Remainder:
        """Return the remainder ``a % 2``."""
        dividend, modulus = self._sum(left, token), self._sum(right, token).constant
        if modulus is None or modulus < 1:
            raise self._error(token, f"found no positive number behind {quote(token)}, expected one such as 2")
        return Remainder(dividend.token, dividend, modulus)

    def negative(self, token: Token, value: Value) -> CountSum:
        """Return the sum ``-a``."""
        summands = self._sum(value, token).summands
        self._charge(token, len(summands))
        return CountSum(token, [(-number, count) for number, count in summands])

    def number(self, digits: Token) -> CountSum:
        """Return a number; ``1`` and ``0`` may also be formulas."""
        return CountSum(digits, [(self._integer(digits), None)], {"1": TRUE, "0": FALSE}.get(digits))

    def multiple(self, digits: Token, count: tuple[Token, Count]) -> CountSum:
        """Return the sum ``3#<[Q_a]``."""
        return CountSum(digits, [(self._integer(digits), count[1])])

    def counted(self, count: tuple[Token, Count]) -> CountSum:
        """Return a count as a sum."""
        return CountSum(count[0], [(1, count[1])])

    def count(self, side: Token, operand: Value) -> tuple[Token, Count]:
        """Return the count ``#<[Q_a]`` and its first token."""
        return side, Count("left" if side.type == "COUNT_LEFT" else "right", self._formula(operand, side))

    def _integer(self, digits: Token) -> int:
        if len(digits) > MAX_DIGITS:
            raise self._error(digits, f"found an integer of {len(digits)} digits, expected at most {MAX_DIGITS}")
        return int(digits)

    @contextmanager
    def _at(self, token: Token) -> Iterator[None]:
        """Locate errors at the token."""
        try:
            yield
        except FormulaError:
            raise
        except InputError as error:
            raise self._error(token, str(error)) from None


def is_known(name: str, predicates: Collection[str], alphabet: Sequence[str] | None) -> bool:
    """Return whether the name is a predicate, a bare symbol, a position, or a name of a formula."""
    return any(name in names for names in (BUILTIN, predicates, alphabet or (), POSITIONS, NAMES))


def read_symbol(token: str) -> str:
    r"""Return the symbol in ``Q_a``, ``Q['a']``, ``'a'`` or ``"a"``.

    >>> read_symbol("Q_1"), read_symbol(r"Q['\'']")
    ('1', "'")
    """
    if token.startswith("Q_"):
        return token[2:]
    mark = token[-1] if token.endswith('"') else "'"
    return re.sub(r"\\(.)", r"\1", token[token.index(mark) + 1 : token.rindex(mark)])
