"""Names and types: what makes sense of what the parser has read. docs/rasp.md, section 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from constructions.errors import ProgramError
from constructions.language.diagnosis import list_names, place_of, quote
from constructions.rasp.digits import Digits
from constructions.rasp.syntax import (
    INPUT,
    POSITION,
    Attention,
    Body,
    Call,
    Comparison,
    Conditional,
    Connective,
    Entry,
    Expression,
    Function,
    Integer,
    Letter,
    Literally,
    Negative,
    Not,
    Parameter,
    PrefixSum,
    Program,
    Sum,
    Truth,
    Type,
    Vector,
    parts,
    values_of,
)

MAX_DEPTH = 200

_HERE = ("i",)
_PAIR = ("i", "j")


@dataclass(frozen=True)
class Definition:
    """One definition as it was read; ``parameters`` is None for a vector."""

    name: str
    parameters: tuple[str, ...] | None
    body: Body
    place: int


def program_error(text: str, place: int, message: str) -> ProgramError:
    """The error about ``text`` at an offset."""
    return ProgramError(message, *place_of(text, place), text)


def check_definitions(text: str, alphabet: tuple[str, ...], auxiliary: tuple[str, ...],
                      definitions: Sequence[Definition], digits_alone: Type = Type.INTEGER) -> Program:
    """The program of these definitions, whose text is ``text``. Where 0 and 1 stand alone they are ``digits_alone``.

    Raises:
        ProgramError: if a name is unknown, not yet defined or defined twice, if an argument, a variable or a symbol
            is out of place, if types differ from what is expected, or if values are nested too deep.
    """
    checker = _Checker(text, alphabet, auxiliary, definitions, digits_alone)
    for definition in definitions:
        checker.add(definition)
    if not checker.vectors:
        raise program_error(text, len(text.rstrip()), "found no vector, expected a definition such as P(i) := Q_a(i)")
    return Program(alphabet, auxiliary, tuple(checker.functions.values()), tuple(checker.vectors.values()))


class _Checker:
    """The definitions that have been checked, in their order."""

    def __init__(self, text: str, alphabet: tuple[str, ...], auxiliary: tuple[str, ...],
                 definitions: Sequence[Definition], digits_alone: Type) -> None:
        self._text = text
        self._digits_alone = digits_alone
        self._alphabet = alphabet
        self._symbols = (*alphabet, *auxiliary)
        self._places = {definition.name: definition.place for definition in reversed(definitions)}
        self._depths: dict[str, int] = {}
        self._types = {INPUT: Type.SYMBOL, POSITION: Type.INTEGER}
        self.functions: dict[str, Function] = {}
        self.vectors: dict[str, Vector] = {}

    def _refuse(self, place: int, message: str) -> NoReturn:
        raise program_error(self._text, place, message)

    def add(self, definition: Definition) -> None:
        """Check the definition and add it."""
        name, place = definition.name, definition.place
        if name in (INPUT, POSITION, *_PAIR):
            self._refuse(place, f"found {quote(name)}, which the language defines, expected another name")
        if self._places[name] != place:
            line, _ = place_of(self._text, self._places[name])
            self._refuse(place, f"found a second definition of {quote(name)}, expected another name (the first is in "
                                f"line {line})")
        depth = self._depths[name] = self._limited_depth(definition.body)
        if depth > MAX_DEPTH:
            self._refuse(place, f"found values nested {depth} deep in {quote(name)}, expected at most {MAX_DEPTH}")
        body = self._with_truths_for_digits(definition.body)
        if definition.parameters is None:
            self._types[name] = self._body_type(body)
            self.vectors[name] = Vector(name, body, self._types[name])
        else:
            assert isinstance(body, Expression), "the grammar has no attention in functions"
            self._types[name] = self._type_of(body, definition.parameters)
            self.functions[name] = Function(name, definition.parameters, body, self._types[name])

    def _with_truths_for_digits(self, body: Body) -> Body:
        return Digits(self._types, self._digits_alone).settled(body)

    # -- depth ---------------------------------------------------------------------------------------------------------

    def _limited_depth(self, body: Body) -> int:
        """How deep the values of the body are nested, functions included; too deep ones are not looked into."""
        values = values_of(body)
        written = max(value.depth for value in values)
        return written if written > MAX_DEPTH else max(map(self._depth, values))

    def _depth(self, expression: Expression) -> int:
        below = self._depths.get(expression.function, 0) if isinstance(expression, Call) else 0
        return 1 + max(below, max(map(self._depth, parts(expression)), default=0))

    # -- types ---------------------------------------------------------------------------------------------------------

    def _body_type(self, body: Body) -> Type:
        match body:
            case Attention():
                self._expect(Type.BOOLEAN, body.score, _PAIR)
                return self._expect(self._type_of(body.value, _PAIR), body.default, _HERE)
            case PrefixSum(value):
                return self._expect(Type.INTEGER, value, _PAIR)
            case Expression():
                return self._type_of(body, _HERE)

    def _expect(self, expected: Type, expression: Expression, names: tuple[str, ...]) -> Type:
        found = self._type_of(expression, names)
        if found != expected:
            self._refuse(expression.place, f"found {found.phrase}, expected {expected.phrase}")
        return expected

    def _expect_both(self, expected: Type, left: Expression, right: Expression, names: tuple[str, ...]) -> Type:
        self._expect(expected, left, names)
        return self._expect(expected, right, names)

    def _type_of(self, expression: Expression, names: tuple[str, ...]) -> Type:
        """The type, where ``names`` are the variables or the parameters that have a meaning."""
        match expression:
            case Truth():
                return Type.BOOLEAN
            case Not(operand):
                return self._expect(Type.BOOLEAN, operand, names)
            case Connective(_, left, right):
                return self._expect_both(Type.BOOLEAN, left, right, names)
            case Integer():
                return Type.INTEGER
            case Negative(operand):
                return self._expect(Type.INTEGER, operand, names)
            case Sum(_, left, right):
                return self._expect_both(Type.INTEGER, left, right, names)
            case Comparison():
                return self._comparison_type(expression, names)
            case Conditional(condition, chosen, otherwise):
                self._expect(Type.BOOLEAN, condition, names)
                return self._expect(self._type_of(chosen, names), otherwise, names)
            case Call():
                return self._call_type(expression, names)
        return self._atom_type(expression, names)

    def _comparison_type(self, comparison: Comparison, names: tuple[str, ...]) -> Type:
        left = comparison.left
        kind = self._type_of(left, names)
        if comparison.relation not in ("==", "!="):
            kind = self._expect(Type.INTEGER, left, names)
        elif kind == Type.BOOLEAN:
            self._refuse(left.place, "found a truth value, expected an integer or a symbol; truth values are compared "
                                     "by <->")
        self._expect(kind, comparison.right, names)
        return Type.BOOLEAN

    def _atom_type(self, atom: Expression, names: tuple[str, ...]) -> Type:
        match atom:
            case Literally(symbol):
                self._check_symbol(atom, symbol, self._symbols)
                return Type.SYMBOL
            case Letter(symbol, variable):
                self._check_symbol(atom, symbol, self._alphabet)
                self._check_variable(atom, variable, names)
                return Type.BOOLEAN
            case Entry():
                return self._entry_type(atom, names)
            case Parameter(name):
                self._check_parameter(atom, name, names)
                return Type.SYMBOL
        raise TypeError(f"not an expression: {type(atom).__name__}")

    def _check_symbol(self, atom: Expression, symbol: str, symbols: Sequence[str]) -> None:
        if symbol not in symbols:
            self._refuse(atom.place, f"found the symbol {quote(symbol)}, expected one of {list_names(symbols)}")

    def _check_variable(self, atom: Expression, variable: str, names: tuple[str, ...]) -> None:
        if variable not in names:
            found = f"found an entry at {variable[:20]}, expected {_one_of(names)}"
            hint = "; j has a meaning in attention and psum only, not in the default"
            self._refuse(atom.place, found + hint if (variable, names) == ("j", _HERE) else found)

    def _check_parameter(self, atom: Expression, name: str, names: tuple[str, ...]) -> None:
        if name in _PAIR:
            self._refuse(atom.place, f"found the variable {name}, expected a value; the position is pos({name})")
        if names[0] == "i":
            self._refuse(atom.place, f"found {quote(name)} alone, expected an entry such as {INPUT}(i)")
        if name not in names:
            self._refuse(atom.place, f"found {quote(name)}, expected {_one_of(names)}")

    def _entry_type(self, entry: Entry, names: tuple[str, ...]) -> Type:
        if entry.vector in self.functions:
            self._refuse(entry.place, f"found the function {quote(entry.vector)} at {entry.at}, expected a symbol as "
                                      f"its argument, such as {INPUT}({entry.at})")
        self._check_variable(entry, entry.at, names)
        if entry.vector in (INPUT, POSITION):
            return Type.SYMBOL if entry.vector == INPUT else Type.INTEGER
        if entry.vector not in self.vectors:
            self._refuse_unknown(entry.place, entry.vector, "vector", [INPUT, POSITION, *self.vectors])
        return self.vectors[entry.vector].type

    def _call_type(self, call: Call, names: tuple[str, ...]) -> Type:
        if call.function in (INPUT, POSITION, *self.vectors):
            self._refuse(call.place, f"found the vector {quote(call.function)} with another argument, expected "
                                     f"{_one_of(names) if names[0] == 'i' else 'a function'}")
        if call.function not in self.functions:
            self._refuse_unknown(call.place, call.function, "function", list(self.functions))
        function = self.functions[call.function]
        found, expected = len(call.arguments), len(function.parameters)
        if found != expected:
            arguments = "1 argument" if found == 1 else f"{found} arguments"
            self._refuse(call.place, f"found {arguments} of {quote(call.function)}, expected {expected}")
        for argument in call.arguments:
            self._expect(Type.SYMBOL, argument, names)
        return function.type

    def _refuse_unknown(self, place: int, name: str, kind: str, known: Sequence[str]) -> NoReturn:
        expected = f"a {kind} that is defined above" + (f", such as {list_names(known)}" if known else "")
        if name in self._places:
            line, _ = place_of(self._text, self._places[name])
            self._refuse(place, f"found {quote(name)} before the end of its definition (line {line}), expected "
                                f"{expected}")
        self._refuse(place, f"found {quote(name)}, expected {expected}")


def _one_of(names: Sequence[str]) -> str:
    return list_names(names).replace(", ", " or ")
