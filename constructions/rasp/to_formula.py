"""Translation of programs to LTL with counts: a formula per Boolean vector, and per value of other vectors.

Source      [SHA] Section 6; Yang, Chiang and Angluin (2024) for B-RASP. docs/reference/rasp.md, "As a formula".
Claim       On every word and at every position, the formula of a Boolean vector holds iff the interpreter's entry is
            true, and the formula of a vector and a value iff the entry is that value.
Values      An expression has finitely many values, determined by the truths that it reads; one that depends on ``pos``
            or ``psum`` is one of finitely many linear forms of counts (linear_forms.py). So it is a table: each value
            or form with the formula that says when it is the value. Exactly one of them holds.
Attention   The score and the value read i in maximal subexpressions that do not mention j, the *parts at i*. Each has
            finitely many values, too. For each combination α of their values that may occur, S and V are formulas S_α
            and V_α read at j; attention_in_ltl.py has the formula of the attention with these; and the entry at i is
            that of the α that is true at i. Parts are split by value only where the result depends on them: S is
            translated with no known values, and split by those that it needs; then V, unless S is false. Combinations
            that no letter at i admits are omitted. Where the distance of i and j matters, the window of the attention
            is cut there.
Sums        As for attention; the sum over a window is the sum of each value times its count.
Unsupported Everything that linear_forms.py refuses; sums of unbounded integers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from constructions.errors import NoFormula
from constructions.language.semantics import RELATIONS, satisfies
from constructions.language.simplified import (
    conjunction,
    disjunction,
    disjunction_of,
    equivalence,
    implication,
    negation,
    selection,
)
from constructions.language.syntax import FALSE, TRUE, Formula, Relation, Symbol, is_symbolic
from constructions.rasp import interpreter, syntax
from constructions.rasp.attention_in_ltl import WINDOWS, Window, attention
from constructions.rasp.linear_forms import (
    POSITION,
    Linear,
    Number,
    Piece,
    There,
    across,
    combined,
    compared,
    counted,
    fetched,
    first_of,
    mapped,
    single,
)

MAX_COMBINATIONS = 1_000
"""Combinations of values at i that the score and the value of one attention read."""
MAX_VALUES = 200

Value = interpreter.Value | Linear
Table = Mapping[Value, Formula]
"""Values, each with the formula that it is the value; values that never occur may be absent."""
Key = str | tuple[str, Value]
Known = Mapping[syntax.RaspExpression | Formula, Value]
"""The known values of parts at i, and truths at i."""
Read = TypeVar("Read")
Spread = TypeVar("Spread", syntax.AttentionTerm, syntax.PrefixSum)

_CONNECTIVES: Mapping[syntax.Connector, Callable[[Formula, Formula], Formula]] = {
    "&": conjunction, "|": disjunction, "->": implication, "<->": equivalence,
}  # fmt: skip


def program_to_formulas(program: syntax.RaspProgram) -> dict[Key, Formula]:
    """Return the formulas of the vectors that the output depends on, in the order of definition.

    The key of a Boolean vector is its name; the keys of another vector are pairs of its name and a value.

    >>> from constructions.rasp.parser import parse_program
    >>> program_to_formulas(parse_program("alphabet ab  last(i) := rightmost j [j<i, true] in(j) : 'a'"))
    {('last', 'a'): parse_formula('!prev !Q_a'), ('last', 'b'): parse_formula('prev Q_b')}

    Raises:
        NoFormula: if the output depends on a comparison of counts at two positions or a sum of unbounded integers, or
            needs more combinations or values than the limits.
    """
    translation = _RaspTranslation(program)
    needed = syntax.needed_vectors(program)
    formulas: dict[Key, Formula] = {}
    for vector in program.vectors:
        if vector.name in needed:
            table = translation.add(vector)
            if vector.type is syntax.Type.BOOLEAN:
                formulas[vector.name] = table.get(True, FALSE)
            else:
                formulas |= {(vector.name, value): formula for value, formula in table.items()}
    return formulas


def formula_of_value(table: Table, value: int, place: int = 0) -> Formula:
    """Return the formula that an integer is the value.

    Raises:
        NoFormula: if it combines counts at two positions.
    """
    return disjunction_of(conjunction(when, compared("==", combined(_number(form), value, -1), place))
                          for form, when in table.items())


def truth_table(formula: Formula) -> Table:
    """Return the table of a truth value."""
    return {True: formula, False: negation(formula)}


def _combined(branches: Iterable[tuple[Formula, Table]]) -> Table:
    """Return the table of the branch whose condition holds; exactly one condition holds."""
    listed = list(branches)
    values = dict.fromkeys(value for _, table in listed for value in table)
    return {value: selection((condition, table.get(value, FALSE)) for condition, table in listed) for value in values}


class _Undecided(Exception):
    """The value of a part at i is needed."""

    def __init__(self, part: syntax.RaspExpression | Formula) -> None:
        self.part = part


@dataclass
class _RaspTranslation:
    """The tables of the vectors so far, and of functions that have been applied."""

    program: syntax.RaspProgram
    vectors: dict[str, Table] = field(default_factory=dict)
    called: dict[Hashable, Table] = field(default_factory=dict)
    letters: dict[Formula, frozenset[str] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.functions: Mapping[str, syntax.Function] = {function.name: function for function in self.program.functions}
        self.vectors[syntax.POSITION] = {single(POSITION): TRUE}
        self.vectors[syntax.INPUT] = {symbol: self.one_of([symbol]) for symbol in self.program.alphabet}

    def letters_of(self, formula: Formula) -> frozenset[str] | None:
        """Return the letters for which the formula is true, if it is symbolic, else None."""
        if formula not in self.letters:
            self.letters[formula] = (frozenset(a for a in self.program.alphabet if satisfies(formula, (a,), 1))
                                     if is_symbolic(formula) else None)
        return self.letters[formula]

    def one_of(self, letters: Collection[str]) -> Formula:
        """Return the shortest formula that is true for exactly these letters."""
        others = [a for a in self.program.alphabet if a not in letters]
        if len(others) < len(letters):
            return negation(disjunction_of(map(Symbol, others)))
        return disjunction_of(Symbol(a) for a in self.program.alphabet if a in letters)

    def settled(self, table: Table) -> Table:
        """Return an equivalent table, with one formula for each set of letters and without false formulas."""
        formulas = {}
        for value, formula in table.items():
            letters = self.letters_of(formula)
            formulas[value] = formula if letters is None else self.one_of(letters)
        return {value: formula for value, formula in formulas.items() if formula is not FALSE}

    def add(self, vector: syntax.Vector) -> Table:
        """Add a vector; return its table."""
        table = self.vectors[vector.name] = self.settled(self._body(vector))
        if len(table) > MAX_VALUES:
            raise NoFormula(f"{vector.name}: {len(table)} values, expected at most {MAX_VALUES}",
                            syntax.values_of(vector.body)[0].place)
        return table

    def _body(self, vector: syntax.Vector) -> Table:
        match vector.body:
            case syntax.AttentionTerm():
                return _Attended(self, vector.name, vector.body).table()
            case syntax.PrefixSum():
                return _Summed(self, vector.name, vector.body).table()
            case syntax.RaspExpression():
                return _PositionReading(self, "i").table(vector.body)


@dataclass(frozen=True)
class _PositionReading:
    """Expressions at one position; for parts that read the other position, the known values."""

    translation: _RaspTranslation
    at: syntax.Variable
    known: Known = field(default_factory=dict)
    window: Window = (0, 0)
    arguments: Mapping[str, Table] = field(default_factory=dict)

    def truth(self, expression: syntax.RaspExpression) -> Formula:
        """Return the formula that a Boolean expression is true."""
        return self.table(expression).get(True, FALSE)

    def table(self, expression: syntax.RaspExpression) -> Table:
        """Return the table of the expression."""
        if self.at == "j" and syntax.variables_of(expression) == {"i"}:
            return self._known_at_i(expression)
        return self.translation.settled(self._unsettled(expression))

    def _known_at_i(self, part: syntax.RaspExpression) -> Table:
        """Return the value of a part at i, if it or the parts that determine it are known."""
        if part in self.known:
            value = self.known[part]
            return {mapped(value, lambda atom: single(There(atom))) if isinstance(value, Linear) else value: TRUE}
        if not any(inner in self.known for inner in syntax.walk(part)):
            raise _Undecided(part)
        try:
            return self._unsettled(part)
        except _Undecided:
            raise _Undecided(part) from None

    def _unsettled(self, expression: syntax.RaspExpression) -> Table:
        match expression:
            case syntax.Not(operand):
                return truth_table(negation(self.truth(operand)))
            case syntax.Connective(connector, left, right):
                return truth_table(self._connected(connector, left, right))
            case syntax.ComparisonTerm(relation, left, right):
                return truth_table(self._compared(relation, self.table(left), self.table(right), expression.place))
            case syntax.Negative(operand):
                return {combined(0, _number(value), -1): formula for value, formula in self.table(operand).items()}
            case syntax.SumTerm(sign, left, right):
                return self._summed(sign, self.table(left), self.table(right), expression.place)
            case syntax.Conditional(condition, chosen, otherwise):
                return self._conditional(self.truth(condition), chosen, otherwise)
            case syntax.Call(name, arguments):
                return self._called(name, [self.table(argument) for argument in arguments])
        return self._atom(expression)

    def _connected(self, connector: syntax.Connector, left: syntax.RaspExpression,
                   right: syntax.RaspExpression) -> Formula:
        first = self.truth(left)
        enough = {"&": FALSE, "|": TRUE, "->": FALSE}.get(connector)
        return _CONNECTIVES[connector](first, first if first is enough else self.truth(right))

    def _compared(self, relation: Relation, left: Table, right: Table, place: int) -> Formula:
        if relation == "!=":
            return negation(self._compared("==", left, right, place))
        if left == right:  # the same truths, so the same value
            return TRUE if RELATIONS[relation](0, 0) else FALSE
        pairs = ((conjunction(here, there), first, second)
                 for first, here in left.items() for second, there in right.items())
        return disjunction_of(conjunction(both, self._stands(relation, first, second, place))
                              for both, first, second in pairs if both is not FALSE)

    def _stands(self, relation: Relation, first: Value, second: Value, place: int) -> Formula:
        if not (isinstance(first, Linear) or isinstance(second, Linear)):
            return TRUE if RELATIONS[relation](cast(int, first), cast(int, second)) else FALSE
        form = combined(_number(first), _number(second), -1)
        if not isinstance(form, Linear) or not all(isinstance(atom, There) for atom in form.atoms):
            return compared(relation, form, place, self.window)
        here = compared(relation, mapped(form, lambda atom: single(cast(There, atom).count)), place)
        if here in (TRUE, FALSE):
            return here
        if here not in self.known:
            raise _Undecided(here)
        return TRUE if self.known[here] else FALSE

    def _conditional(self, condition: Formula, chosen: syntax.RaspExpression,
                     otherwise: syntax.RaspExpression) -> Table:
        if condition in (TRUE, FALSE):
            return self.table(chosen if condition is TRUE else otherwise)
        return _combined([(condition, self.table(chosen)), (negation(condition), self.table(otherwise))])

    def _summed(self, sign: str, left: Table, right: Table, place: int) -> Table:
        if len(left) * len(right) > MAX_VALUES**2:
            raise NoFormula(f"a sum of {len(left)} and {len(right)} values, expected fewer", place)
        table: dict[Value, Formula] = {}
        for first, here in left.items():
            for second, there in right.items():
                value = combined(_number(first), _number(second), 1 if sign == "+" else -1)
                table[value] = disjunction(table.get(value, FALSE), conjunction(here, there))
        return table

    def _called(self, name: str, arguments: list[Table]) -> Table:
        function, called = self.translation.functions[name], self.translation.called
        key = (name, tuple(tuple(argument.items()) for argument in arguments))
        if key not in called:  # memoised, as nested functions would take exponential time
            named = dict(zip(function.parameters, arguments, strict=True))
            called[key] = _PositionReading(self.translation, self.at, arguments=named).table(function.body)
        return called[key]

    def _atom(self, atom: syntax.RaspExpression) -> Table:
        match atom:
            case syntax.TruthValue(value):
                return {value: TRUE}
            case syntax.Integer(value) | syntax.Literally(value):
                return {value: TRUE}
            case syntax.SymbolTest(symbol):
                return truth_table(Symbol(symbol))
            case syntax.VectorEntry(vector):
                return self.translation.vectors[vector]
            case syntax.Parameter(name):
                return self.arguments[name]
        raise TypeError(f"not an expression: {type(atom).__name__}")


def _number(value: Value) -> Number:
    return value if isinstance(value, Linear) else cast(int, value)


@dataclass
class _OverPositions(ABC, Generic[Read, Spread]):
    """The table of an operation over positions j, for each combination of the values that it reads at i."""

    translation: _RaspTranslation
    name: str
    body: Spread
    combinations: int = 0

    def __post_init__(self) -> None:
        self._here = _PositionReading(self.translation, "i")

    def table(self) -> Table:
        """Return the table, starting without known values."""
        return _combined(self._split({}, self.translation.program.alphabet, TRUE))

    def _split(self, known: Known, letters: tuple[str, ...], condition: Formula) -> list[tuple[Formula, Table]]:
        """Return tables for the known values of parts at i, with the condition that the letter is one of these."""
        try:
            table = self._result(across(self.window, lambda part: self._counted(known, part)))
            return [(conjunction(self.translation.one_of(letters), condition), table)]
        except _Undecided as undecided:
            part = undecided.part
        branches = []
        values = truth_table(part) if isinstance(part, Formula) else self._here.table(part)
        for value, when in values.items():
            admitted = self.translation.letters_of(when)
            both = condition if admitted is not None else conjunction(condition, when)
            rest = tuple(a for a in letters if admitted is None or a in admitted)
            if rest and both is not FALSE:
                branches += self._split({**known, part: value}, rest, both)
        return branches

    def _counted(self, known: Known, window: Window) -> Read:
        read = self._read(_PositionReading(self.translation, "j", known, window))
        self.combinations += 1
        if self.combinations > MAX_COMBINATIONS:
            raise NoFormula(f"{self.name}: more than {MAX_COMBINATIONS} combinations of values at i",
                            syntax.values_of(self.body)[0].place)
        return read

    @property
    @abstractmethod
    def window(self) -> Window:
        """The window of positions j."""

    @abstractmethod
    def _read(self, reading: _PositionReading) -> Read:
        """Return the reading at j."""

    @abstractmethod
    def _result(self, parts: list[tuple[Window, Read]]) -> Table:
        """Return the table, from the reading of each part of the window."""


class _Attended(_OverPositions[tuple[Formula, Table], syntax.AttentionTerm]):
    """The table of an attention."""

    @property
    def window(self) -> Window:
        return WINDOWS[self.body.mask]

    def _read(self, reading: _PositionReading) -> tuple[Formula, Table]:
        score = reading.truth(self.body.score)
        return score, {} if score is FALSE else reading.table(self.body.value)

    def _result(self, parts: list[tuple[Window, tuple[Formula, Table]]]) -> Table:
        choice, table = self.body.choice, self._here.table(self.body.default)
        for window, (score, values) in first_of(choice, parts):
            there: dict[Value, Formula] = {}
            for value, when in values.items():
                here = fetched(Piece(choice, window, score), value) if isinstance(value, Linear) else value
                there[here] = disjunction(there.get(here, FALSE), when)
            table = {value: attention(choice, window, score, there.get(value, FALSE), table.get(value, FALSE))
                     for value in {**there, **table}}
        return table


class _Summed(_OverPositions[Table, syntax.PrefixSum]):
    """The table of a prefix sum: multiples of counts."""

    @property
    def window(self) -> Window:
        return WINDOWS["j<=i"]

    def _read(self, reading: _PositionReading) -> Table:
        return reading.table(self.body.value)

    def _result(self, parts: list[tuple[Window, Table]]) -> Table:
        total: Number = 0
        for window, values in parts:
            for value, when in values.items():
                if isinstance(value, Linear):
                    raise NoFormula(f"{self.name}: psum of integers without a bound, which are not a sum of counts",
                                    self.body.value.place)
                total = combined(total, counted(window, when), cast(int, value))
        return {total: TRUE}
