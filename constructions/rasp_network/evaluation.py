"""Evaluation of expressions of a program as finite functions or integers; the caller gives the entries of vectors."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from constructions.errors import Unsupported
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import Relation
from constructions.rasp import syntax
from constructions.rasp.interpreter import CONNECTIVES
from constructions.rasp.syntax import Integer as Number
from constructions.rasp.syntax import Variable as Place
from constructions.rasp_network.circuit import Circuit
from constructions.rasp_network.integers import Integer
from constructions.rasp_network.lookups import Lookups
from constructions.rasp_network.tables import (
    MANY_CASES,
    Table,
    TooManyCasesError,
    combine,
    constant,
    identity,
    residuals,
    tabulate,
)

Computed = Table | Integer
"""Truths and symbols are tables; numbers are integers, even if they have finitely many values."""

_MAX_THRESHOLDS = 64


class MixedComparison(Unsupported):
    """A comparison of an integer that depends on i with one that depends on j."""


class Evaluator:
    """Evaluator of expressions whose entries are given by ``entry``."""

    def __init__(self, circuit: Circuit, lookups: Lookups, functions: Mapping[str, syntax.Function],
                 entry: Callable[[str, Place], Computed]) -> None:
        """Store ``circuit``, to which intermediate values are written."""
        self._circuit = circuit
        self._lookups = lookups
        self._functions = functions
        self._entry = entry
        self._called: dict[tuple[str, tuple[Table, ...]], Computed] = {}

    def table(self, expression: syntax.RaspExpression, arguments: Mapping[str, Table] | None = None) -> Table:
        """Return the value of an expression that is a truth or a symbol.

        Raises:
            Unsupported: if it has too many cases, or mixes integers of i and of j.
        """
        return cast(Table, self.value(expression, arguments or {}))

    def integer(self, expression: syntax.RaspExpression, arguments: Mapping[str, Table] | None = None) -> Integer:
        """Return the value of an expression that is an integer.

        Raises:
            Unsupported: as ``table``.
        """
        return cast(Integer, self.value(expression, arguments or {}))

    def value(self, expression: syntax.RaspExpression, arguments: Mapping[str, Table]) -> Computed:
        """Return the value of an expression; ``arguments`` are those of the function whose body it is.

        Raises:
            Unsupported: as ``table``.
        """
        match expression:
            case syntax.Not(operand):
                return self.combine(lambda truth: not truth, self.table(operand, arguments))
            case syntax.Connective(connector, left, right):
                return self.combine(CONNECTIVES[connector], self.table(left, arguments), self.table(right, arguments))
            case syntax.ComparisonTerm(relation, left, right):
                return self._compare(relation, self.value(left, arguments), self.value(right, arguments))
            case syntax.Negative(operand):
                return self.sum(Integer(), self.integer(operand, arguments), -1)
            case syntax.SumTerm(sign, left, right):
                return self.sum(self.integer(left, arguments), self.integer(right, arguments), 1 if sign == "+" else -1)
            case syntax.Conditional(condition, chosen, otherwise):
                return self.choose(self.table(condition, arguments), self.value(chosen, arguments),
                                   self.value(otherwise, arguments))
            case syntax.Call(name, passed):
                return self._call(name, tuple(self.table(argument, arguments) for argument in passed))
        return self._atom(expression, arguments)

    def _atom(self, atom: syntax.RaspExpression, arguments: Mapping[str, Table]) -> Computed:
        match atom:
            case syntax.TruthValue(value) | syntax.Literally(value):
                return constant(value)
            case Number(value):
                return Integer(table=constant(value))
            case syntax.SymbolTest(symbol, place):
                return self.combine(lambda letter: letter == symbol, cast(Table, self._entry(syntax.INPUT, place)))
            case syntax.VectorEntry(vector, place):
                return self._entry(vector, place)
            case syntax.Parameter(name):
                return arguments[name]
        raise TypeError(f"not an expression: {type(atom).__name__}")

    def _call(self, name: str, passed: tuple[Table, ...]) -> Computed:
        if (name, passed) not in self._called:
            function = self._functions[name]
            self._called[name, passed] = self.value(function.body, dict(zip(function.parameters, passed, strict=True)))
        return self._called[name, passed]

    def combine(self, function: Callable[..., Any], *tables: Table) -> Table:
        """Return a function of the values; in case of too many cases, functions of one position are written first.

        Raises:
            Unsupported: if there are too many cases nevertheless.
        """
        try:
            result = combine(function, *tables)
            if len(result.outputs) <= MANY_CASES:
                return result
        except TooManyCasesError:
            pass
        try:
            return combine(function, *map(self._settled, tables))
        except TooManyCasesError:
            raise Unsupported("a function of symbols and truths has too many cases") from None

    def _settled(self, table: Table) -> Table:
        """Return the same function, as a variable of its own if it depends on one position."""
        if len(table.slots) < 2 or len(table.places) != 1:
            return table
        (place,) = table.places
        return identity((self._circuit.variable(table, "part"), place))

    def sum(self, left: Integer, right: Integer, factor: int) -> Integer:
        """Return the left integer plus a multiple of the right one.

        Raises:
            Unsupported: if there are too many cases.
        """
        try:
            return left.plus(right, factor)
        except TooManyCasesError:
            pass
        try:
            return self._settled_integer(left).plus(self._settled_integer(right), factor)
        except TooManyCasesError:
            raise Unsupported("a sum of numbers that depend on symbols and truths has too many cases") from None

    def _settled_integer(self, integer: Integer) -> Integer:
        if len(integer.table.places) != 1:
            return integer
        (place,) = integer.table.places
        return Integer(integer.rows).plus(Integer({place: self._circuit.linear(integer.table, "part")}))

    def choose(self, condition: Table, chosen: Computed, otherwise: Computed) -> Computed:
        """Return one of two values of the same type.

        Raises:
            Unsupported: as ``table``, or if integers of different positions are mixed.
        """
        if isinstance(chosen, Table):
            return self.combine(lambda truth, mine, other: mine if truth else other, condition, chosen,
                                cast(Table, otherwise))
        assert isinstance(otherwise, Integer), "both have one type"
        difference = self.sum(chosen, otherwise, -1)
        if condition.is_constant:
            return chosen if condition.outputs[0] else otherwise
        if not difference.rows:
            return Integer(chosen.rows, self.combine(lambda truth, mine, other: mine if truth else other, condition,
                                                     chosen.table, otherwise.table))
        places = condition.places | chosen.places | otherwise.places
        if len(places) > 1:
            raise Unsupported("an integer depends on both i and j")
        (place,) = places
        return self._lookups.choose(condition.at("i"), chosen.at("i"), otherwise.at("i")).at(place)

    def _compare(self, relation: Relation, left: Computed, right: Computed) -> Table:
        if isinstance(left, Table):
            return self.combine(RELATIONS[relation], left, cast(Table, right))
        return self.compare(self.sum(left, cast(Integer, right), -1), relation)

    def compare(self, integer: Integer, relation: Relation) -> Table:
        """Return the truth that the integer is in the relation to 0.

        Raises:
            Unsupported: if it depends on both positions, other than by finitely many values.
        """
        if not integer.rows:
            return self.combine(lambda number: RELATIONS[relation](number, 0), integer.table)
        if len(integer.rows) > 1:
            raise MixedComparison("an integer at i is compared with one at j, and such comparisons are supported only "
                                  "as equations that a score requires, alone or joined by &")
        ((place, row),) = integer.rows.items()
        if integer.table.places <= {place}:
            row = self._circuit.row(integer.at("i"), "number")
            return identity((self._circuit.compare(row, relation), place))
        numbers = integer.table.range
        if len(numbers) > _MAX_THRESHOLDS:
            raise Unsupported(f"an integer is compared with {len(numbers)} numbers, at most {_MAX_THRESHOLDS} are")
        truths = [self.compare(Integer({place: row}, constant(number)), relation) for number in numbers]
        return self.combine(lambda number, *holds: holds[numbers.index(number)], integer.table, *truths)

    def prefix_sum(self, value: Integer) -> Integer:
        """Return the sum over j <= i of a value at (i, j): counts of finitely many truths, each times an integer.

        If the value depends on i, there is one sum for each case of i, from which the actual case is selected.

        Raises:
            Unsupported: if the value has no constant bound.
        """
        if value.rows:
            raise Unsupported("a prefix sum of an integer without a constant bound, expected values from a finite set")
        here = [slot for slot in value.table.slots if slot[1] == "i"]
        (first, _), *others = residuals(value.table, here).items()
        result = self._sum_at_j(first)
        for rest, cases in others:
            condition = tabulate(here, lambda *case, cases=cases: case in cases)
            result = cast(Integer, self.choose(condition, self._sum_at_j(rest), result))
        return result

    def _sum_at_j(self, value: Table) -> Integer:
        """Return the sum of a value of j only: a multiple of i, and the count of each value times its difference."""
        base = max(value.range, key=lambda number: (value.outputs.count(number), -number))
        result = self._lookups.count(combine(lambda number: True, value)) if base else Integer()
        result = Integer().plus(result, base)
        for number in value.range:
            if number != base:
                holds = combine(lambda held, number=number: held == number, value.at("i"))
                result = self.sum(result, self._lookups.count(holds), number - base)
        return result
