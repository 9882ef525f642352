"""Heads for lookups: the neighbour, the number of true positions, squares, products with a truth.

Every score here is -(j - m)² up to a term independent of j, for an integer m, or such a square divided by i, or j, or
-j. So the greatest score is attained once: at j = m, or at the visible end that is nearest to m; at the last or the
first visible position. The gap is at least 1, or 1/i. At n = 1, and where only one position is visible, there is no
second score.
"""

from fractions import Fraction

from constructions.draft import ONE
from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, Mask
from constructions.rasp_network.circuit import Circuit
from constructions.rasp_network.integers import ZERO, Integer, IntegerBounds, Line, added, between
from constructions.rasp_network.tables import Table, Value, Variable, combine, constant, identity

Side = int
"""-1: one position to the left; 1: one to the right."""

_MAX_CORRECTIONS = 64


class Lookups:
    """The heads for lookups, each written once."""

    def __init__(self, circuit: Circuit) -> None:
        """Begin without heads."""
        self.circuit = circuit
        self._counted: dict[str, Coefficients] = {}

    # -- the neighbour -------------------------------------------------------------------------------------------------

    def edge(self, side: Side) -> Variable:
        """Return the truth that there is no position on this side."""
        return self.circuit.edge("FIRST" if side < 0 else "LAST")

    def copy(self, values: dict[str, Coefficients], side: Side, bounds: dict[str, IntegerBounds] | None = None) -> None:
        """Copy linear forms of the next position on this side to directions; at the edge, of the edge itself.

        Score       -(j - (i ± 1))² + (i ± 1)², over the positions on this side and i itself; the gap is 1.
        """
        one, i = self.circuit.one, self.circuit.embed("i")
        self.circuit.attend("previous position" if side < 0 else "next position",
                            Mask.FUTURE if side < 0 else Mask.PAST,
                            ({i: ONE, one: ONE * side}, {one: ONE}), ({i: ONE * 2}, {self.circuit.embed("i^2"): -ONE}),
                            values, bounds)

    def neighbour(self, variable: Variable, side: Side, blank: Value) -> Variable:
        """Return the variable one position to the side, rounded; ``blank`` at the edge."""
        def build() -> Variable:
            name = f"{_stem(variable.name)}(i{side:+d})"
            raw, read = self.circuit.retrieved(variable, f"near {name}")
            if read:
                self.copy(read, side)
            table = combine(lambda at_edge, value: blank if at_edge else value,
                            identity((self.edge(side), "i")), identity((raw, "i")))
            return self.circuit.variable(table, name)

        return self.circuit.once(("neighbour", variable, side, blank, isinstance(blank, bool)), build)

    def neighbour_row(self, row: Coefficients, side: Side) -> Coefficients:
        """Return an integer linear form one position to the side; at the edge any integer within the bounds.

        Positions and counts need no head: the count before i - 1 is the count before i minus the truth at i - 1.
        """
        one, i = self.circuit.one, self.circuit.embed("i")
        result: Coefficients = {}
        copied: Coefficients = {}
        for name, weight in row.items():
            if name == one:
                result = added(result, {one: ONE}, weight)
            elif name == i:
                result = added(result, {i: ONE, one: ONE * side}, weight)
            elif name in self._counted and side < 0:
                result = added(result, {name: ONE}, weight)
                copied = added(copied, self._counted[name], -weight)
            elif name in self._counted:
                result = added(result, added({name: ONE}, self._counted[name]), weight)
            else:
                copied = added(copied, {name: ONE}, weight)
        for name, weight in copied.items():
            result = added(result, self._copied(name, side), weight)
        return result

    def _copied(self, name: str, side: Side) -> Coefficients:
        if name in (self.circuit.one, "n"):
            return {name: ONE}
        if owner := self.circuit.owner(name):
            variable, value = owner
            moved = self.neighbour(variable, side, variable.values[0])
            return self.circuit.literal(moved, (value,))

        def build() -> Coefficients:
            copy = self.circuit.fresh(f"{name}(i{side:+d})")
            bounds = self.circuit.bounds({name: ONE}).elsewhere(before=side < 0, after=side > 0)
            self.copy({copy: {name: ONE}}, side, {copy: bounds})
            return {copy: ONE}

        return self.circuit.once(("copied", name, side), build)

    # -- counts --------------------------------------------------------------------------------------------------------

    def count(self, table: Table) -> Integer:
        """Return the number of positions up to i where a truth of one position holds.

        Method      The output of a uniform head is p/i for the count p; v is the truth at i, q = p + 1 - v is in 1,
                    ..., i, and q/i = p/i + ReLU(1/i - v).
        Score       (2 q j - j²)/i = (q² - (j - q)²)/i; the gap is 1/i. The value is j - 1: the count before i.
        """
        if table.outputs[0]:  # share the count of a truth and its negation
            rest = self.count(combine(lambda truth: not truth, table))
            return Integer({"i": {self.circuit.embed("i"): ONE}}).plus(rest, -1)
        if table.is_constant:
            return Integer()
        return self.circuit.once(("count", table), lambda: self._count(table))

    def _count(self, table: Table) -> Integer:
        circuit = self.circuit
        reciprocal, one, i = circuit.embed("1/i"), circuit.one, circuit.embed("i")
        counted = circuit.literal(circuit.variable(table, "counted"), (True,))
        mean, correction, before = (circuit.fresh(name) for name in ("mean", "1/i where not counted", "count before i"))
        circuit.attend("mean", Mask.FUTURE, ({},), ({},), {mean: counted})
        unit = circuit.unit(added({reciprocal: ONE}, counted, -1), ONE)
        circuit.write_integer(correction, [unit], between(0, 1))
        circuit.attend("count", Mask.FUTURE, ({mean: ONE, correction: ONE}, {reciprocal: ONE}),
                       ({i: ONE * 2}, {circuit.embed("i^2"): -ONE}), {before: {i: ONE, one: -ONE}},
                       {before: IntegerBounds(Line(), Line(before=ONE))})
        self._counted[before] = counted
        return Integer({"i": {before: ONE}}, table)

    # -- squares -------------------------------------------------------------------------------------------------------

    def square(self, row: Coefficients) -> Coefficients:
        """Return the square of an integer b with |b| <= i + c, or n + c, for a constant c >= 0.

        Method      m = |b| - c is looked up: the score is 2 m j - j² = m² - (j - m)², the gap at least 1, the value (j
                    + c)². So the value is b² where |b| > c. For |b| <= c it is (1 + c)² and is corrected to b².

        Raises:
            Unsupported: if the bounds do not show such a c.
        """
        circuit = self.circuit
        i, one, squares = circuit.embed("i"), circuit.one, circuit.embed("i^2")
        if set(row) <= {i, one}:
            slope, offset = row.get(i, ZERO), row.get(one, ZERO)
            return added(added({}, {squares: ONE}, slope**2), {i: 2 * slope * offset, one: offset**2})
        bound = circuit.bounds(row).magnitude()
        shift = max(ZERO, bound.constant - 1)
        if max(bound.before, bound.after) > 1 or shift > _MAX_CORRECTIONS:
            raise Unsupported("an integer at j is compared with one at i, and may exceed the sum of its position "
                              "(or the length) and a constant")
        key = ("square", frozenset(row.items()))
        return circuit.once(key, lambda: self._square(row, Mask.NONE if bound.after > 0 else Mask.FUTURE, shift))

    def _square(self, row: Coefficients, mask: Mask, shift: Fraction) -> Coefficients:
        circuit = self.circuit
        i, one, squares = circuit.embed("i"), circuit.one, circuit.embed("i^2")
        size, found = circuit.fresh("absolute value"), circuit.fresh("square")
        units = [circuit.unit(added({}, row, sign), ONE) for sign in (ONE, -ONE)]
        circuit.write_integer(size, units, IntegerBounds(Line(), circuit.bounds(row).magnitude()))
        circuit.attend("square", mask, ({size: ONE * 2, one: -2 * shift}, {one: ONE}),
                       ({i: ONE}, {squares: -ONE}), {found: {squares: ONE, i: 2 * shift, one: shift**2}})
        result: Coefficients = {found: ONE}
        for small in range(int(shift) + 1):
            equal = circuit.compare(added({size: ONE}, {one: ONE}, -small), "<=" if small == 0 else "==")
            result = added(result, circuit.literal(equal, (True,)), small**2 - (1 + shift) ** 2)
        return result

    # -- choices -------------------------------------------------------------------------------------------------------

    def choose(self, condition: Table, chosen: Integer, otherwise: Integer) -> Integer:
        """Return one of two integers of one position.

        Method      For a truth c and |x| <= M, c x = ReLU(x - M (1 - c)) - ReLU(-x - M (1 - c)); if M has a multiple of
                    i - 1 or n - i, the product of c with it is looked up first.
        """
        difference = chosen.plus(otherwise, -1)
        if condition.is_constant:
            return chosen if condition.outputs[0] else otherwise
        if not difference.rows:
            table = combine(lambda truth, mine, other: mine if truth else other, condition, chosen.table,
                            otherwise.table)
            return Integer(chosen.rows, table)
        circuit = self.circuit
        units, hull = [], None
        for integer, truth in ((chosen, condition), (otherwise, combine(lambda value: not value, condition))):
            row = circuit.row(integer, "summand")
            bounds = circuit.bounds(row)
            hull = bounds.hull(hull) if hull else bounds
            hidden = self._hidden(bounds.magnitude(), condition, truth) if row else {}
            units += [circuit.unit(added(added({}, row, sign), hidden, -1), sign) for sign in bounds.signs() if row]
        assert hull is not None, "there are two integers"
        name = circuit.fresh("chosen")
        return Integer({"i": {circuit.write_integer(name, units, hull): ONE}}, constant(0))

    def _hidden(self, bound: Line, condition: Table, truth: Table) -> Coefficients:
        """Return the bound where ``truth`` (the condition or its negation) is false, 0 where it is true."""
        circuit = self.circuit
        variable = circuit.variable(condition, "condition")
        positive = truth == condition
        false = circuit.literal(variable, (not positive,))
        result = added({}, false, bound.constant)
        for weight, whole, side in ((bound.before, {"i": ONE, circuit.one: -ONE}, -1),
                                    (bound.after, {"n": ONE, "i": -ONE}, 1)):
            if weight:
                row = self._product(variable, side)
                result = added(result, added(whole, row, -1) if positive else row, weight)
        return result

    def _product(self, truth: Variable, side: Side) -> Coefficients:
        """Return a truth c times the number of positions on a side, i - 1 or n - i.

        Score       (2 c - 1) j over j <= i, so i wins if c, else 1; or (1 - 2 c) j over j >= i, so i wins if c, else n.
                    The gap is 1.
        """
        circuit = self.circuit
        one, i = circuit.one, circuit.embed("i")
        what, number, bound, mask = (
            ("i - 1", {i: ONE, one: -ONE}, Line(before=ONE), Mask.FUTURE) if side < 0 else
            ("n - i", {circuit.embed("n"): ONE, i: -ONE}, Line(after=ONE), Mask.PAST))

        def build() -> Coefficients:
            name = circuit.fresh(f"{what} where {truth.name}")
            query = added({one: ONE * side}, circuit.literal(truth, (True,)), -2 * side)
            circuit.attend(f"product with {what}", mask, (query,), ({i: ONE},), {name: number},
                           {name: IntegerBounds(Line(), bound)})
            return {name: ONE}

        return circuit.once((f"times {what}", truth), build)


def _stem(name: str) -> str:
    return name.removesuffix("(i)")
