"""``rightmost j [mask, score] value : default`` and ``leftmost``, by one head with a unique greatest score everywhere.

Score       The score's conjuncts S_1, ..., S_m that depend on j, each as a number t_k(i, j) that is an integer up to a
            term in i only, and greatest exactly if S_k holds: a truth, in the form of a sum over r of [i is in case r]
            [j is in case r]; or -(a(i) - b(j))² for an equation of integers. j/n is added to their sum, or subtracted
            for ``leftmost``.
Claim       At every n, i, word: any two visible positions differ in score by at least 1/n (by an integer plus (j -
            j')/n, which is not an integer and is a multiple of 1/n). If some visible j has all S_k, its sum exceeds
            that of every other by at least 1, and j/n, which is between 1/n and 1, cannot compensate. So the winner is
            right. Whether it has all S_k is computed afterwards, from the retrieved values.
Masks       j < i: with j' = j + 1 the head attends to 2 <= j' <= i. Values read at j are first copied to j + 1, and "j'
            is not the first position" is one more conjunct. j > i is symmetric.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.draft import ONE
from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, Mask
from constructions.rasp import syntax
from constructions.rasp.syntax import Variable as Place
from constructions.rasp_network.circuit import Circuit
from constructions.rasp_network.evaluation import Computed, Evaluator
from constructions.rasp_network.integers import Integer, IntegerBounds, added
from constructions.rasp_network.lookups import Lookups
from constructions.rasp_network.tables import Table, Value, Variable, combine, identity, residuals, substitute, tabulate

_MASKS = {"1": Mask.NONE, "j<i": Mask.FUTURE, "j<=i": Mask.FUTURE, "j>i": Mask.PAST, "j>=i": Mask.PAST}
_SIDES = {"j<i": -1, "j>i": 1}
_NEAREST = {("rightmost", "j<i"), ("rightmost", "j<=i"), ("leftmost", "j>i"), ("leftmost", "j>=i")}


@dataclass(frozen=True)
class _Score:
    """The conjuncts of a score: those of i, of j and of both, and equations of integers of i and of j."""

    here: Table
    there: Table
    both: tuple[Table, ...]
    equations: tuple[tuple[Integer, Integer], ...]
    written: tuple[syntax.RaspExpression, ...]
    """The conjuncts in ``both`` and ``equations``, as expressions."""

    @property
    def asks_nothing_of_j(self) -> bool:
        """True if the score does not depend on j."""
        return self.there.is_constant and not self.written


class _Retrieval:
    """The values that a head retrieves."""

    def __init__(self, circuit: Circuit, mask: Mask, name: str) -> None:
        self._circuit = circuit
        self._mask = mask
        self._name = name
        self.values: dict[str, Coefficients] = {}
        self.bounds: dict[str, IntegerBounds] = {}

    def variable(self, variable: Variable) -> Table:
        """Return the variable at the selected position, as a function at i."""
        stem = variable.name.removesuffix("(i)")
        found, read = self._circuit.retrieved(variable, f"near {stem}(j) of {self._name}")
        self.values.update(read)
        return identity((found, "i"))

    def row(self, row: Coefficients, vector: str) -> Integer:
        """Return the integer at the selected position."""
        found = self._circuit.fresh(f"{vector}(j) of {self._name}")
        self.values[found] = row
        self.bounds[found] = self._circuit.bounds(row).elsewhere(self._mask != Mask.PAST, self._mask != Mask.FUTURE)
        return Integer({"i": {found: ONE}})


class Attending:
    """The compilation of one attention of a program."""

    def __init__(self, circuit: Circuit, lookups: Lookups, functions: Mapping[str, syntax.Function],
                 vectors: Mapping[str, Computed], name: str, attention: syntax.AttentionTerm) -> None:
        """Store ``vectors``, those so far at position i; new directions are named after ``name``."""
        self._circuit = circuit
        self._lookups = lookups
        self._functions = functions
        self._vectors = vectors
        self._name = name
        self._attention = attention
        self._mask = _MASKS[attention.mask]
        self._side = self._shift = _SIDES.get(attention.mask, 0)
        self._pair = self._evaluator(lambda vector, place: vectors[vector].at(place))

    def _evaluator(self, entry: Callable[[str, Place], Computed]) -> Evaluator:
        return Evaluator(self._circuit, self._lookups, self._functions, entry)

    def compile(self) -> Computed:
        """Return the vector that the attention defines.

        Raises:
            Unsupported: if the score is not of the form above, or numbers have no known sufficient bound.
        """
        default = self._pair.value(self._attention.default, {})
        score = self._read_score()
        if score is None:
            return default
        if score.asks_nothing_of_j and (self._attention.choice, self._attention.mask) in _NEAREST:
            return self._pair.choose(*self._nearest(score), default)
        value = None if score.both or score.equations else self._value_at_j()
        if value is not None:
            return self._pair.choose(*self._find_value(score, value, default), default)
        return self._pair.choose(*self._find_entries(score), default)

    # -- the score -----------------------------------------------------------------------------------------------------

    def _read_score(self) -> _Score | None:
        """Return the conjuncts; None if one is false everywhere."""
        here: list[Table] = []
        there: list[Table] = []
        both: list[Table] = []
        equations: list[tuple[Integer, Integer]] = []
        written: list[syntax.RaspExpression] = []
        for part in _conjuncts(self._attention.score):
            if equation := self._equation(part):
                equations.append(equation)
                written.append(part)
                continue
            table = self._pair.table(part)
            if len(table.places) == 2:
                both.append(table)
                written.append(part)
            else:
                (there if table.places == {"j"} else here).append(table)
        joined = [self._pair.combine(lambda *truths: all(truths), *tables) for tables in (here, there)]
        if any(table.is_constant and not table.outputs[0] for table in joined):
            return None
        return _Score(joined[0], joined[1], tuple(both), tuple(equations), tuple(written))

    def _equation(self, part: syntax.RaspExpression) -> tuple[Integer, Integer] | None:
        """Return an integer of i and one of j, if the conjunct equates them; else None."""
        if not isinstance(part, syntax.ComparisonTerm) or part.relation != "==":
            return None
        left, right = (self._pair.value(side, {}) for side in (part.left, part.right))
        if not isinstance(left, Integer) or not isinstance(right, Integer):
            return None
        here, there = Integer(), Integer()
        for integer, sign in ((left, 1), (right, -1)):
            if len(integer.table.places) == 2:
                return None
            rows = {place: Integer({place: row}) for place, row in integer.rows.items()}
            finite = Integer(table=integer.table)
            mine, other = (Integer(), finite) if integer.table.places == {"j"} else (finite, Integer())
            here = self._pair.sum(self._pair.sum(here, rows.get("i", Integer()), sign), mine, sign)
            there = self._pair.sum(self._pair.sum(there, rows.get("j", Integer()), -sign), other, -sign)
        return (here, there) if here.rows and there.rows else None

    def _attend(self, score: _Score, reading: _Retrieval) -> None:
        """Add the head that selects the position and retrieves the values."""
        circuit, one = self._circuit, self._circuit.one
        parts_of_keys: dict[frozenset[tuple[str, Fraction]], Coefficients] = {}

        def add(query: Coefficients, key: Coefficients, factor: int = 1) -> None:
            terms = frozenset(query.items())
            parts_of_keys[terms] = added(parts_of_keys.get(terms, {}), key, factor)

        add({one: ONE}, {circuit.embed("i/n"): ONE if self._attention.choice == "rightmost" else -ONE})
        if there := self._there(score):
            add({one: ONE}, circuit.literal(there, (True,)))
        for table in score.both:
            for query, key in _bilinear(table):
                add(circuit.linear(query, "case of i"), circuit.linear(self._moved_table(key), "case of j"))
        for here, there_integer in score.equations:
            row = circuit.row(there_integer.at("i"), "number at j")
            row = self._moved_row(row)
            add(circuit.row(here, "number at i"), row, 2)
            add({one: ONE}, self._lookups.square(row), -1)
        kept = {query: key for query, key in parts_of_keys.items() if query and key}
        circuit.attend(self._name, self._mask, tuple(map(dict, kept)), tuple(kept.values()), reading.values,
                       reading.bounds)

    def _there(self, score: _Score) -> Variable | None:
        """Return the part of score and mask that depends on j only, as a variable; None if it is constant."""
        if score.there.is_constant and not self._side:
            return None
        return self._moved(self._circuit.variable(score.there, f"score of {self._name}"), False)

    def _moved(self, variable: Variable, blank: Value) -> Variable:
        """Return the variable of the position that the head attends to instead of j."""
        return self._lookups.neighbour(variable, self._shift, blank) if self._shift else variable

    def _moved_row(self, row: Coefficients) -> Coefficients:
        return self._lookups.neighbour_row(row, self._shift) if self._shift else row

    def _moved_table(self, table: Table) -> Table:
        return substitute(table.at("i"), lambda slot: identity((self._moved(slot[0], slot[0].values[0]), "i")))

    # -- retrieved values: whether such a j exists, and the value there -----------------------------------------------

    def _nearest(self, score: _Score) -> tuple[Table, Computed]:
        """Return the result if the score does not depend on j: the nearest position, i itself or the neighbour."""
        if not self._side:
            return score.here, self._evaluator(lambda vector, _: self._vectors[vector]).value(self._attention.value, {})
        self._shift = 0  # the head attends to j itself
        reading = self._reading()
        found, value = self._read(reading, ())
        if reading.values:
            self._lookups.copy(reading.values, self._side, reading.bounds)
        exists = self._pair.combine(lambda at_edge, truth: truth and not at_edge,
                                    identity((self._lookups.edge(self._side), "i")), score.here)
        return exists, value or found.value(self._attention.value, {})

    def _find_value(self, score: _Score, value: Computed, default: Computed) -> tuple[Table, Computed]:
        """Return the result if score and value depend on j only: retrieve the value where the score holds, else None.

        A default with one value is retrieved instead of None.
        """
        fallback, wanted = _finite(default), _finite(value)
        foldable = fallback.is_constant and score.here.is_constant and (isinstance(default, Table) or not default.rows)
        blank = fallback.outputs[0] if foldable else None
        result = self._pair.combine(lambda holds, held: held if holds else blank, score.there, wanted)
        reading = self._reading()
        read = reading.variable(self._moved(self._circuit.variable(result, f"value of {self._name}"), blank))
        if reading.values:
            self._attend(score, reading)
        exists = combine(lambda here, held: here and held is not None, score.here, read)
        spare = next((held for held in read.range if held is not None), wanted.outputs[0])
        held = combine(lambda held: spare if held is None else held, read)
        return exists, held if isinstance(default, Table) else Integer(table=held)

    def _find_entries(self, score: _Score) -> tuple[Table, Computed]:
        """Retrieve the entries at j in score and value, and evaluate both at i."""
        reading = self._reading()
        there = self._there(score)
        truths = [score.here, *([reading.variable(there)] if there else [])]
        found, value = self._read(reading, score.written)
        self._attend(score, reading)
        truths += map(found.table, score.written)
        return found.combine(lambda *each: all(each), *truths), value or found.value(self._attention.value, {})

    def _reading(self) -> _Retrieval:
        return _Retrieval(self._circuit, self._mask, self._name)

    def _read(self, reading: _Retrieval, written: Sequence[syntax.RaspExpression]) -> tuple[Evaluator, Computed | None]:
        """Retrieve the value, or the entries that it consists of; and those of the expressions ``written``.

        Once the head exists, the result evaluates expressions at i and the selected position.
        """
        value = self._value_at_j()
        if value is not None:
            value = self._read_finite(reading, value, f"value of {self._name}")
        mentioned = [*written, *([] if value else [self._attention.value])]
        entries = {vector: self._read_entry(reading, vector) for vector in _names_at_j(mentioned)}
        found = self._evaluator(lambda vector, place: (entries if place == "j" else self._vectors)[vector])
        return found, value

    def _read_entry(self, reading: _Retrieval, vector: str) -> Computed:
        entry = self._vectors[vector]
        if isinstance(entry, Integer) and entry.rows:
            row = self._circuit.row(entry, vector)
            return reading.row(self._moved_row(row), vector)
        return self._read_finite(reading, entry, vector)

    def _read_finite(self, reading: _Retrieval, value: Computed, name: str) -> Computed:
        """Retrieve a value with finitely many cases."""
        variable = self._circuit.variable(_finite(value), name)
        read = reading.variable(self._moved(variable, variable.values[0]))
        return Integer(table=read) if isinstance(value, Integer) else read

    def _value_at_j(self) -> Computed | None:
        """Return the value, if it is a function of finitely many cases of j only."""
        try:
            value = self._pair.value(self._attention.value, {})
        except Unsupported:
            return None
        return value if not (isinstance(value, Integer) and value.rows) and _finite(value).places <= {"j"} else None


def _finite(value: Computed) -> Table:
    """Return the table of a value without linear forms."""
    return combine(int, value.table) if isinstance(value, Integer) else value


def _conjuncts(score: syntax.RaspExpression) -> list[syntax.RaspExpression]:
    """Return the operands of & at the top, from left to right."""
    if isinstance(score, syntax.Connective) and score.connector == "&":
        return [*_conjuncts(score.left), *_conjuncts(score.right)]
    return [score]


def _names_at_j(expressions: Sequence[syntax.RaspExpression]) -> list[str]:
    """Return the vectors whose entries at j are mentioned, each once."""
    return list(dict.fromkeys(
        part.vector if isinstance(part, syntax.VectorEntry) else syntax.INPUT
        for expression in reversed(expressions) for part in syntax.walk(expression)
        if isinstance(part, syntax.VectorEntry | syntax.SymbolTest) and part.at == "j"))


def _bilinear(table: Table) -> list[tuple[Table, Table]]:
    """Return pairs of truths of i and of j; the sum of their products is the table, up to a term in i only."""
    mine, others = ([slot for slot in table.slots if slot[1] == place] for place in ("i", "j"))
    by_i, by_j = residuals(table, mine), residuals(table, others)
    if len(by_i) <= len(by_j):
        return [(tabulate(mine, lambda *case, cases=cases: case in cases), rest)
                for rest, cases in by_i.items() if not rest.is_constant]
    return [(rest, tabulate(others, lambda *case, cases=cases: case in cases))
            for rest, cases in by_j.items() if rest.slots or rest.outputs[0]]
