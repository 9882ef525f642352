"""Finite functions, comparisons and integers as directions of a transformer, each at the earliest layer.

Claim       A truth is exactly 0 or 1, a symbol has a direction per value, of which one is 1 and the others 0; integers
            are exact. Values retrieved by heads are rounded as in Lemma 9, so a truth computed from them is exact as
            long as each compared sum is within 1/4 of an integer.
Method      A function of finite cases is a sum over disjoint cubes. A cube is a conjunction of k literals, each of
            which is 0 or 1, so it is [their sum >= k]; for an integer x, [x >= 1] is 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar, cast

from constructions.draft import ONE, Draft
from constructions.language.expressions import parse_expression
from constructions.language.printer import quote_symbol
from constructions.language.syntax import Predicate, Relation, Symbol
from constructions.network.meanings import Anything
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.network.weightings import Weighting
from constructions.rasp_network.integers import ZERO, Integer, IntegerBounds, Line, added, between
from constructions.rasp_network.tables import (
    MANY_CASES,
    Cube,
    Table,
    TooManyCasesError,
    Value,
    Variable,
    combine,
    cubes,
    identity,
    substitute,
)
from constructions.regimes import Regime
from constructions.statements.lemma_09_rounding import FALSE_UPPER, SLOPE, TRUE_LOWER

_NO_TEMPERATURE = parse_expression("1")
_Unit = tuple[Coefficients, Fraction, Fraction]
T = TypeVar("T")


class Circuit:
    """The directions written so far; equal requests share directions."""

    def __init__(self, alphabet: tuple[str, ...]) -> None:
        """Begin a transformer that embeds its input."""
        self.draft = Draft(alphabet, Regime(), ONE)
        self.one = self.draft.one()
        self._owners: dict[str, tuple[Variable, Value]] = {}
        self._bounds: dict[str, IntegerBounds] = {self.one: between(1, 1)}
        self._variables: dict[tuple[Table, bool], Variable] = {}
        self._sums: dict[Table, Coefficients] = {}
        self._comparisons: dict[tuple[frozenset[tuple[str, Fraction]], Relation], Variable] = {}
        self._equations: dict[Variable, Coefficients] = {}
        self._once: dict[tuple[object, ...], object] = {}
        letters = {symbol: self.draft.embed_truth(Symbol(symbol), [symbol]) for symbol in alphabet}
        self.input = self._own("in", alphabet, {symbol: {name: ONE} for symbol, name in letters.items()}, None)

    # -- embeddings ----------------------------------------------------------------------------------------------------

    def embed(self, text: str) -> str:
        """Return the direction of a position function such as ``i^2``."""
        name = self.draft.embed_position(text)
        exact = {"i": Line(ONE, ONE), "n": Line(ONE, ONE, ONE)}.get(text)
        if exact is not None:
            self._bounds[name] = IntegerBounds(exact, exact)
        return name

    def edge(self, predicate: str) -> Variable:
        """Return the truth that the position is the FIRST or the LAST."""
        return self.once(("edge", predicate), lambda: self._truth(
            predicate, self.draft.embed_positional(Predicate(predicate, ())), None))

    # -- finite functions ----------------------------------------------------------------------------------------------

    def variable(self, table: Table, name: str) -> Variable:
        """Return the value of a function of one position; new directions, if needed, are named after ``name``."""
        table = table.at("i")
        key = (table, _is_truth(table.range))
        if key not in self._variables:
            opposite = (combine(lambda value: not value, table), True)
            if len(table.slots) <= 1:
                self._variables[key] = self._regrouped(table, name)
            elif key[1] and opposite in self._variables:
                negated = identity((self._variables[opposite], "i"))
                self._variables[key] = self._regrouped(combine(lambda value: not value, negated), name)
            else:
                self._variables[key] = self.write_variable(table, self.fresh(name), soon=True)
        return self._variables[key]

    def write_variable(self, table: Table, name: str, soon: bool = False) -> Variable:
        """Write the variable of a function in directions of its own; ``soon`` spends hidden units to save a layer."""
        if _is_truth(table.range):
            return self._truth(name, self._write(table, name, {True: ONE}, soon), table)
        literals: dict[Value, Coefficients] = {}
        for value in table.range:
            if value is not None:
                direction = self.fresh(literal_name(name, value))
                literals[value] = {self._write(table, direction, {value: ONE}, soon): ONE}
        rest = {direction: -ONE for row in literals.values() for direction in row}
        return self._own(name, table.range, {None: {self.one: ONE, **rest}, **literals}, table)

    def linear(self, table: Table, name: str) -> Coefficients:
        """Return a function of one position with numbers or truths as values, as a linear form."""
        table = table.at("i")
        if len(table.slots) <= 1:
            return self._weighted(table)
        if table not in self._sums:
            self._sums[table] = {self.write_sum(table, self.fresh(name)): ONE}
        return self._sums[table]

    def write_sum(self, table: Table, name: str) -> str:
        """Return a direction of this name that holds the value of the function, a number or a truth."""
        direction = self._write(table, name, {value: Fraction(value) for value in table.range})
        self._bounds[direction] = between(min(table.range), max(table.range))
        return direction

    def literal(self, variable: Variable, values: tuple[Value, ...]) -> Coefficients:
        """Return the form that is 1 where the variable has one of the values, else 0."""
        others = [value for value in variable.values if value not in values]
        if len(others) < len(values):
            return added({self.one: ONE}, self.literal(variable, tuple(others)), -1) if others else {self.one: ONE}
        row: Coefficients = {}
        for value in values:
            row = added(row, variable.literals[value])
        return row

    def _truth(self, name: str, direction: str, definition: Table | None) -> Variable:
        return self._own(name, (False, True), {True: {direction: ONE}, False: {self.one: ONE, direction: -ONE}},
                         definition)

    def _own(self, name: str, values: tuple[Value, ...], literals: Mapping[Value, Coefficients],
             definition: Table | None) -> Variable:
        """Return a new variable; register its literals of one direction as its own."""
        variable = Variable(name, values, {value: literals[value] for value in values}, definition)
        for value, row in variable.literals.items():
            if list(row.values()) == [ONE] and self.one not in row:
                self._owners[next(iter(row))] = variable, value
        return variable

    def _regrouped(self, table: Table, name: str) -> Variable:
        """Return a function of at most one variable, which needs no new directions."""
        if table.is_constant:
            return Variable(name, table.outputs, {table.outputs[0]: {self.one: ONE}}, table)
        ((variable, _),) = table.slots
        groups = {value: tuple(argument for argument in variable.values if table.value(argument) == value)
                  for value in table.range}
        return Variable(name, table.range,
                        {value: self.literal(variable, arguments) for value, arguments in groups.items()}, table)

    def _weighted(self, table: Table) -> Coefficients:
        """Return the linear form of a function of at most one variable."""
        base = max(table.range, key=table.outputs.count)
        row: Coefficients = {self.one: Fraction(base)} if base else {}
        for value in table.range:
            if value != base:
                ((variable, _),) = table.slots
                arguments = tuple(argument for argument in variable.values if table.value(argument) == value)
                row = added(row, self.literal(variable, arguments), Fraction(value) - base)
        return row

    def _write(self, table: Table, name: str, weights: Mapping[Value, Fraction], soon: bool = False) -> str:
        """Return a direction that holds the weight of the function's value (0 for values without weight)."""
        table = self._earliest(table)
        weight = weights.get
        if {variable for variable, _ in table.slots} == {self.input}:
            return self.draft.embed_tokens(name, Anything(), {
                str(symbol): weight(table.value(symbol), ZERO) for symbol in self.input.values})
        equation = self._late_equation(table) if soon else None
        found = {value: list(cubes(table, value)) for value in table.range}
        base = weight(max(found, key=lambda value: len(found[value])), ZERO)
        units: list[_Unit] = []
        for value, listed in found.items():
            if factor := weight(value, ZERO) - base:
                units += [unit for cube in listed for unit in self._cube(cube, factor, equation)]
        return self.draft.add_feed_forward(name, Anything(), units, base)

    def _cube(self, cube: Cube, weight: Fraction, equation: Variable | None) -> list[_Unit]:
        """Return hidden units that add ``weight`` in the cube; for a literal of ``equation`` they read its integer.

        With k other literals, whose sum is s, (k + 1) x + s - k is 0 exactly if x = 0 and s = k.
        """
        row: Coefficients = {self.one: ONE}
        equal: bool | None = None
        others = [(variable, values) for (variable, _), values in cube if variable is not equation]
        for variable, values in others:
            row = added(added(row, self.literal(variable, values)), {self.one: -ONE})
        for (variable, _), (value, *_) in cube:
            if variable is equation:
                equal = bool(value)
        if equation is None or equal is None:
            return self._positive(row, weight)
        zero = added(row, self._equations[equation], len(others) + 1)
        inside = self._positive(zero, weight) + self._positive(added(zero, {self.one: -ONE}), -weight)
        if equal:
            return inside
        return self._positive(row, weight) + [(reads, bias, -write) for reads, bias, write in inside]

    def _late_equation(self, table: Table) -> Variable | None:
        """Return the one variable that is later than the others, if it states that an integer is 0."""
        latest = self._latest(table)
        late = [variable for variable, _ in table.slots if self._layer(variable) == latest]
        return late[0] if len(late) == 1 and late[0] in self._equations else None

    def _earliest(self, table: Table) -> Table:
        """Return the same function of earlier variables if that saves a layer."""
        expanded, saved = table, table
        while True:
            latest = self._latest(expanded)
            if latest < self._latest(saved):
                saved = expanded
            late = {slot: slot[0].definition for slot in expanded.slots if self._layer(slot[0]) == latest}
            if not latest or not all(late.values()):
                return saved
            try:
                expanded = substitute(expanded, late.get)
            except TooManyCasesError:
                return saved
            if len(expanded.outputs) > MANY_CASES:
                return saved

    def _latest(self, table: Table) -> int:
        return max((self._layer(variable) for variable, _ in table.slots), default=0)

    def _layer(self, variable: Variable) -> int:
        """Return the number of layers, including feed-forward blocks, that precede a reader of the variable."""
        return max(self.draft.stage(name) // 2 for row in variable.literals.values() for name in row)

    # -- integers ------------------------------------------------------------------------------------------------------

    def row(self, integer: Integer, name: str) -> Coefficients:
        """Return an integer of one position as a linear form."""
        row = self.linear(integer.table, name)
        for form in integer.rows.values():
            row = added(row, form)
        return row

    def owner(self, direction: str) -> tuple[Variable, Value] | None:
        """Return the variable and value of which the direction is a literal, or None."""
        return self._owners.get(direction)

    def bounds(self, row: Coefficients) -> IntegerBounds:
        """Bound a linear form; exactly one literal of each variable is 1 at a position."""
        result = between(0, 0)
        variables: dict[Variable, dict[Value, Fraction]] = {}
        for name, weight in row.items():
            if name in self._owners:
                variable, value = self._owners[name]
                variables.setdefault(variable, {})[value] = weight
            else:
                result = result.plus(self._bounds[name], weight)
        for variable, weights in variables.items():
            possible = [weights.get(value, ZERO) for value in variable.values]
            result = result.plus(between(min(possible), max(possible)))
        return result

    def compare(self, row: Coefficients, relation: Relation) -> Variable:
        """Return the truth that an integer, given as a linear form, is in the relation to 0."""
        key = (frozenset(row.items()), relation)
        if key not in self._comparisons:
            lower, upper = added({self.one: ONE}, row), added({self.one: ONE}, row, -1)  # [x >= 0] is [x + 1 >= 1]
            units, bias = {
                ">": (self._positive(row, ONE), ZERO),
                "<": (self._positive(added({}, row, -1), ONE), ZERO),
                ">=": (self._positive(lower, ONE), ZERO),
                "<=": (self._positive(upper, ONE), ZERO),
                "==": (self._positive(lower, ONE) + self._positive(upper, ONE), -ONE),
                "!=": (self._positive(lower, -ONE) + self._positive(upper, -ONE), Fraction(2)),
            }[relation]
            name = self.fresh(f"number {relation} 0")
            truth = self._truth(name, self.draft.add_feed_forward(name, Anything(), units, bias), None)
            self._comparisons[key] = truth
            if relation == "==":
                self._equations[truth] = row
        return self._comparisons[key]

    def _positive(self, row: Coefficients, weight: Fraction) -> list[_Unit]:
        """Return hidden units that add ``weight`` where the integer is at least 1, and 0 where it is at most 0."""
        return [self.unit(added(row, {self.one: ONE}, -FALSE_UPPER), weight * SLOPE),
                self.unit(added(row, {self.one: ONE}, -TRUE_LOWER), -weight * SLOPE)]

    def unit(self, row: Coefficients, weight: Fraction) -> _Unit:
        """Return one hidden unit; the constant in its input becomes its bias."""
        return {name: value for name, value in row.items() if name != self.one}, row.get(self.one, ZERO), weight

    def write_integer(self, name: str, units: list[_Unit], bounds: IntegerBounds, bias: Fraction = ZERO) -> str:
        """Return a direction that holds an integer."""
        self._bounds[name] = bounds
        return self.draft.add_feed_forward(name, Anything(), units, bias)

    def write_row(self, row: Coefficients, name: str) -> str:
        """Return a direction of this name that holds the linear form."""
        bounds = self.bounds(row)
        return self.write_integer(name, [self.unit(added({}, row, sign), sign) for sign in bounds.signs()], bounds)

    # -- heads ---------------------------------------------------------------------------------------------------------

    def attend(self, name: str, mask: Mask, queries: tuple[Coefficients, ...], keys: tuple[Coefficients, ...],
               values: Mapping[str, Coefficients], bounds: Mapping[str, IntegerBounds] | None = None) -> None:
        """Add a head that writes these directions."""
        self._bounds.update(bounds or {})
        query, key = (tuple(added({}, row) for row in rows) for rows in (queries, keys))
        read = {direction: added({}, row) for direction, row in values.items()}
        head = Head(name, "B-RASP, S-RASP", mask, Weighting.AVERAGE_HARDMAX, _NO_TEMPERATURE, query, key, read)
        self.draft.add_head(head, {direction: Anything() for direction in values})

    def retrieved(self, variable: Variable, name: str) -> tuple[Variable, dict[str, Coefficients]]:
        """Return the variable as held by a head that attends to one position, and the values of the head for it."""
        spare = next((value for value in variable.values if value is None or value is False), variable.values[-1])
        kept = [value for value in variable.values if value is not spare]
        names = {value: self.fresh(name if _is_truth(variable.values) else literal_name(name, value)) for value in kept}
        literals: dict[Value, Coefficients] = {value: {direction: ONE} for value, direction in names.items()}
        literals[spare] = {self.one: ONE, **dict.fromkeys(names.values(), -ONE)}
        return (self._own(name, variable.values, literals, None),
                {direction: variable.literals[value] for value, direction in names.items()})

    # -- names ---------------------------------------------------------------------------------------------------------

    def once(self, key: tuple[object, ...], build: Callable[[], T]) -> T:
        """Return what ``build`` returned for ``key``; call ``build`` the first time only."""
        if key not in self._once:
            self._once[key] = build()
        return cast(T, self._once[key])

    def fresh(self, name: str) -> str:
        """Return the name, with a number appended if it is taken."""
        number, result = 1, name
        while self.draft.has(result) or ("name", result) in self._once:
            number += 1
            result = f"{name} #{number}"
        self._once["name", result] = result
        return result


def literal_name(name: str, value: Value) -> str:
    """Return the name of the direction for a value of a variable.

    >>> literal_name("out(i)", "a"), literal_name("out(i)", 2)
    ("out(i)='a'", 'out(i)=2')
    """
    return f"{name}={quote_symbol(value) if isinstance(value, str) else value}"


def _is_truth(values: tuple[Value, ...]) -> bool:
    return all(isinstance(value, bool) for value in values)
