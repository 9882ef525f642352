"""From programs to formulas of LTL: a formula per Boolean vector, and per value of any other vector.

Source      [SHA] Section 6; Yang, Chiang and Angluin (2024) for B-RASP. docs/rasp.md, "As a formula".
Claim       On every word and at every position, the formula of a Boolean vector holds iff the interpreter's entry is
            true, and the formula of a vector and a value iff the entry is that value.
Values      Without ``pos`` and ``psum`` an expression has finitely many values, which follow from the truths that it
            reads. So it is a table: to each value the formula that says when it has it. Exactly one of them holds.
Attention   The score and the value read i in maximal subexpressions that do not mention j, the *parts at i*. Each has
            finitely many values, too. For each combination α of their values that may occur, S and V are formulas
            S_α and V_α read at j; attention_in_ltl.py has the formula of the attention with these; and the entry at i
            is that of the α that is true at i. A part is only distinguished where the result depends on it: S is
            translated with nothing known, and what it cannot do without is distinguished then; V likewise unless S is
            false. Combinations that no letter at i admits are left out.
Unsupported ``pos`` and ``psum``, wherever the output depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

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
from constructions.language.syntax import FALSE, TRUE, Formula, Symbol, is_symbolic
from constructions.rasp import syntax
from constructions.rasp.attention_in_ltl import attention
from constructions.rasp.interpreter import Value

MAX_COMBINATIONS = 1_000
"""Of what the score and the value of one attention read at i."""
MAX_VALUES = 200

Table = Mapping[Value, Formula]
"""To each value, when it is had; values that are never had may be absent."""
Key = str | tuple[str, Value]

_CONNECTIVES: Mapping[syntax.Connector, Callable[[Formula, Formula], Formula]] = {
    "&": conjunction, "|": disjunction, "->": implication, "<->": equivalence,
}  # fmt: skip


def program_to_formulas(program: syntax.Program) -> dict[Key, Formula]:
    """The formulas of the vectors that the output depends on, in the order of definition.

    The key of a Boolean vector is its name, that of another one its name and a value.

    >>> from constructions.rasp.parser import parse_program
    >>> program_to_formulas(parse_program("alphabet ab  last(i) := rightmost j [j<i, true] in(j) : 'a'"))
    {('last', 'a'): parse_formula('!prev !Q_a'), ('last', 'b'): parse_formula('prev Q_b')}

    Raises:
        NoFormula: if the output depends on ``pos`` or ``psum``, or on more combinations or values than the limits.
    """
    translation = _Translation(program)
    needed = needed_vectors(program)
    formulas: dict[Key, Formula] = {}
    for vector in program.vectors:
        if vector.name in needed:
            table = translation.add(vector)
            if vector.type is syntax.Type.BOOLEAN:
                formulas[vector.name] = table.get(True, FALSE)
            else:
                formulas |= {(vector.name, value): formula for value, formula in table.items()}
    return formulas


def needed_vectors(program: syntax.Program) -> set[str]:
    """The names of the vectors that the output depends on, itself included."""
    needed = {program.output.name}
    for vector in reversed(program.vectors):
        if vector.name in needed:
            needed |= {part.vector for value in syntax.values_of(vector.body) for part in _walk(value)
                       if isinstance(part, syntax.Entry)}
    return needed - {syntax.INPUT, syntax.POSITION}


def _walk(expression: syntax.Expression) -> Iterator[syntax.Expression]:
    pending = [expression]
    while pending:
        part = pending.pop()
        pending += syntax.parts(part)
        yield part


def truth_table(formula: Formula) -> Table:
    """The table of a truth value."""
    return {True: formula, False: negation(formula)}


def _combined(branches: Iterable[tuple[Formula, Table]]) -> Table:
    """The table of the branch whose condition holds, where exactly one of the conditions holds."""
    listed = list(branches)
    values = dict.fromkeys(value for _, table in listed for value in table)
    return {value: selection((condition, table.get(value, FALSE)) for condition, table in listed) for value in values}


class _Undecided(Exception):
    """The value of a part at i is needed."""

    def __init__(self, part: syntax.Expression) -> None:
        self.part = part


@dataclass
class _Translation:
    """The tables of the vectors so far, and of functions that have been applied."""

    program: syntax.Program
    vectors: dict[str, Table] = field(default_factory=dict)
    called: dict[Hashable, Table] = field(default_factory=dict)
    letters: dict[Formula, frozenset[str] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.functions: Mapping[str, syntax.Function] = {function.name: function for function in self.program.functions}
        self.vectors[syntax.INPUT] = {symbol: self.one_of([symbol]) for symbol in self.program.alphabet}

    def letters_of(self, formula: Formula) -> frozenset[str] | None:
        """The letters for which the formula is true, if the letter decides it."""
        if formula not in self.letters:
            self.letters[formula] = (frozenset(a for a in self.program.alphabet if satisfies(formula, (a,), 1))
                                     if is_symbolic(formula) else None)
        return self.letters[formula]

    def one_of(self, letters: Collection[str]) -> Formula:
        """The shortest formula that is true for exactly these letters."""
        others = [a for a in self.program.alphabet if a not in letters]
        if len(others) < len(letters):
            return negation(disjunction_of(map(Symbol, others)))
        return disjunction_of(Symbol(a) for a in self.program.alphabet if a in letters)

    def settled(self, table: Table) -> Table:
        """The same table, with one formula for each set of letters and without what is never true."""
        formulas = {}
        for value, formula in table.items():
            letters = self.letters_of(formula)
            formulas[value] = formula if letters is None else self.one_of(letters)
        return {value: formula for value, formula in formulas.items() if formula is not FALSE}

    def add(self, vector: syntax.Vector) -> Table:
        """The table of one more vector."""
        table = self.vectors[vector.name] = self.settled(self._body(vector))
        if len(table) > MAX_VALUES:
            raise NoFormula(f"{vector.name}: {len(table)} values, expected at most {MAX_VALUES}",
                            syntax.values_of(vector.body)[0].place)
        return table

    def _body(self, vector: syntax.Vector) -> Table:
        match vector.body:
            case syntax.Attention():
                return _Attended(self, vector.name, vector.body).table()
            case syntax.PrefixSum(value):
                raise NoFormula(f"{vector.name}: psum has no formula of LTL, expected a program without psum and pos",
                                value.place)
            case syntax.Expression():
                return _Reading(self, "i").table(vector.body)


@dataclass(frozen=True)
class _Reading:
    """Expressions at one position; of parts that read the other one, the values that are known."""

    translation: _Translation
    at: syntax.Variable
    known: Mapping[syntax.Expression, Value] = field(default_factory=dict)
    arguments: Mapping[str, Table] = field(default_factory=dict)

    def truth(self, expression: syntax.Expression) -> Formula:
        """When a Boolean expression is true."""
        return self.table(expression).get(True, FALSE)

    def table(self, expression: syntax.Expression) -> Table:
        """When the expression has which value."""
        if self.at == "j" and _variables(expression) == {"i"}:
            return self._known_at_i(expression)
        return self.translation.settled(self._unsettled(expression))

    def _known_at_i(self, part: syntax.Expression) -> Table:
        """The value of a part at i, if it or what decides it is known."""
        if part in self.known:
            return {self.known[part]: TRUE}
        if not any(inner in self.known for inner in _walk(part)):
            raise _Undecided(part)
        try:
            return self._unsettled(part)
        except _Undecided:
            raise _Undecided(part) from None

    def _unsettled(self, expression: syntax.Expression) -> Table:
        match expression:
            case syntax.Not(operand):
                return truth_table(negation(self.truth(operand)))
            case syntax.Connective(connector, left, right):
                return truth_table(self._connected(connector, left, right))
            case syntax.Comparison(relation, left, right):
                return truth_table(_compared(relation, self.table(left), self.table(right)))
            case syntax.Negative(operand):
                return {-cast(int, value): formula for value, formula in self.table(operand).items()}
            case syntax.Sum(sign, left, right):
                return self._summed(sign, self.table(left), self.table(right), expression.place)
            case syntax.Conditional(condition, chosen, otherwise):
                return self._conditional(self.truth(condition), chosen, otherwise)
            case syntax.Call(name, arguments):
                return self._called(name, [self.table(argument) for argument in arguments])
        return self._atom(expression)

    def _connected(self, connector: syntax.Connector, left: syntax.Expression, right: syntax.Expression) -> Formula:
        first = self.truth(left)
        enough = {"&": FALSE, "|": TRUE, "->": FALSE}.get(connector)
        return _CONNECTIVES[connector](first, first if first is enough else self.truth(right))

    def _conditional(self, condition: Formula, chosen: syntax.Expression, otherwise: syntax.Expression) -> Table:
        if condition in (TRUE, FALSE):
            return self.table(chosen if condition is TRUE else otherwise)
        return _combined([(condition, self.table(chosen)), (negation(condition), self.table(otherwise))])

    def _summed(self, sign: str, left: Table, right: Table, place: int) -> Table:
        if len(left) * len(right) > MAX_VALUES**2:
            raise NoFormula(f"a sum of {len(left)} and {len(right)} values, expected fewer", place)
        table: dict[Value, Formula] = {}
        for first, here in left.items():
            for second, there in right.items():
                value = cast(int, first) + (cast(int, second) if sign == "+" else -cast(int, second))
                table[value] = disjunction(table.get(value, FALSE), conjunction(here, there))
        return table

    def _called(self, name: str, arguments: list[Table]) -> Table:
        function, called = self.translation.functions[name], self.translation.called
        key = (name, tuple(tuple(argument.items()) for argument in arguments))
        if key not in called:  # remembered, or functions of functions would take exponential time
            named = dict(zip(function.parameters, arguments, strict=True))
            called[key] = _Reading(self.translation, self.at, arguments=named).table(function.body)
        return called[key]

    def _atom(self, atom: syntax.Expression) -> Table:
        match atom:
            case syntax.Truth(value):
                return {value: TRUE}
            case syntax.Integer(value) | syntax.Literally(value):
                return {value: TRUE}
            case syntax.Letter(symbol):
                return truth_table(Symbol(symbol))
            case syntax.Entry(vector) if vector == syntax.POSITION:
                raise NoFormula("pos has no formula of LTL, expected a program without psum and pos", atom.place)
            case syntax.Entry(vector):
                return self.translation.vectors[vector]
            case syntax.Parameter(name):
                return self.arguments[name]
        raise TypeError(f"not an expression: {type(atom).__name__}")


def _variables(expression: syntax.Expression) -> set[syntax.Variable]:
    return {part.at for part in _walk(expression) if isinstance(part, syntax.Letter | syntax.Entry)}


def _compared(relation: str, left: Table, right: Table) -> Formula:
    if relation == "!=":
        return negation(_compared("==", left, right))
    holds = RELATIONS[relation]
    if left == right:  # the same truths, so the same value
        return TRUE if holds(0, 0) else FALSE
    return disjunction_of(conjunction(here, there) for first, here in left.items() for second, there in right.items()
                          if holds(cast(int, first), cast(int, second)))


class _Attended:
    """The table of an attention, combination by combination of what it reads at i."""

    def __init__(self, translation: _Translation, name: str, body: syntax.Attention) -> None:
        self._translation = translation
        self._name = name
        self._body = body
        self._here = _Reading(translation, "i")
        self._default = self._here.table(body.default)
        self._combinations = 0

    def table(self) -> Table:
        """The table with nothing known at first."""
        return _combined(self._split({}, self._translation.program.alphabet, TRUE))

    def _split(self, known: Mapping[syntax.Expression, Value], letters: tuple[str, ...],
               condition: Formula) -> list[tuple[Formula, Table]]:
        """Tables where the parts at i have the known values: the letter is one of these, and the condition holds."""
        try:
            table = self._result(_Reading(self._translation, "j", known))
            return [(conjunction(self._translation.one_of(letters), condition), table)]
        except _Undecided as undecided:
            part = undecided.part
        branches = []
        for value, when in self._here.table(part).items():
            admitted = self._translation.letters_of(when)
            both = condition if admitted is not None else conjunction(condition, when)
            rest = tuple(a for a in letters if admitted is None or a in admitted)
            if rest and both is not FALSE:
                branches += self._split({**known, part: value}, rest, both)
        return branches

    def _result(self, reading: _Reading) -> Table:
        score = reading.truth(self._body.score)
        values = {} if score is FALSE else reading.table(self._body.value)
        self._combinations += 1
        if self._combinations > MAX_COMBINATIONS:
            raise NoFormula(f"{self._name}: more than {MAX_COMBINATIONS} combinations of values at i",
                            self._body.score.place)
        choice, mask = self._body.choice, self._body.mask
        return {value: attention(choice, mask, score, values.get(value, FALSE), self._default.get(value, FALSE))
                for value in {**values, **self._default}}
