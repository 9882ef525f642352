"""Names and types of B-RASP and S-RASP programs, checked after parsing. docs/reference/rasp.md, section 3."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from constructions.language.diagnosis import list_names, quote
from constructions.rasp import syntax
from constructions.rasp.digits import Digits
from constructions.rasp.reading import MAX_DEPTH, DefinedNames, program_error

_HERE = ("i",)
_PAIR = ("i", "j")


@dataclass(frozen=True)
class Definition:
    """One definition as parsed; ``parameters`` is None for a vector."""

    name: str
    parameters: tuple[str, ...] | None
    body: syntax.Body
    place: int


def check_definitions(text: str, alphabet: tuple[str, ...], auxiliary: tuple[str, ...],
                      definitions: Sequence[Definition],
                      digits_alone: syntax.Type = syntax.Type.INTEGER) -> syntax.RaspProgram:
    """Return the program of these definitions, with source ``text``. A value 0 or 1 has type ``digits_alone``.

    Raises:
        ProgramError: if a name is unknown, not yet defined or defined twice, if an argument, a variable or a symbol
            is misplaced, if types differ from the expected ones, or if values are nested too deep.
    """
    checker = _Checker(text, alphabet, auxiliary, definitions, digits_alone)
    for definition in definitions:
        checker.add(definition)
    if not checker.vectors:
        raise program_error(text, len(text.rstrip()), "found no vector, expected a definition such as P(i) := Q_a(i)")
    return syntax.RaspProgram(alphabet, auxiliary, tuple(checker.functions.values()), tuple(checker.vectors.values()))


class _Checker:
    """The definitions checked so far, in their order."""

    def __init__(self, text: str, alphabet: tuple[str, ...], auxiliary: tuple[str, ...],
                 definitions: Sequence[Definition], digits_alone: syntax.Type) -> None:
        self._names = DefinedNames(text, ((definition.name, definition.place) for definition in definitions))
        self._digits_alone = digits_alone
        self._alphabet = alphabet
        self._symbols = (*alphabet, *auxiliary)
        self._depths: dict[str, int] = {}
        self._types = {syntax.INPUT: syntax.Type.SYMBOL, syntax.POSITION: syntax.Type.INTEGER}
        self.functions: dict[str, syntax.Function] = {}
        self.vectors: dict[str, syntax.Vector] = {}

    def _refuse(self, place: int, message: str) -> NoReturn:
        self._names.refuse(place, message)

    def add(self, definition: Definition) -> None:
        """Check the definition and add it."""
        name, place = definition.name, definition.place
        if name in (syntax.INPUT, syntax.POSITION, *_PAIR):
            self._refuse(place, f"found {quote(name)}, a name of the language, expected another one")
        self._depths[name] = self._limited_depth(definition.body)
        self._names.check(name, place, "values", self._depths[name])
        body = Digits(self._types, self._digits_alone).settled(definition.body)
        if definition.parameters is None:
            self._types[name] = self._body_type(body)
            self.vectors[name] = syntax.Vector(name, body, self._types[name])
        else:
            assert isinstance(body, syntax.RaspExpression), "the grammar has no attention in functions"
            self._types[name] = self._type_of(body, definition.parameters)
            self.functions[name] = syntax.Function(name, definition.parameters, body, self._types[name])

    # -- depth ---------------------------------------------------------------------------------------------------------

    def _limited_depth(self, body: syntax.Body) -> int:
        """Return the nesting depth of the body, including called functions; stop at values that are too deep."""
        values = syntax.values_of(body)
        written = max(value.depth for value in values)
        return written if written > MAX_DEPTH else max(map(self._depth, values))

    def _depth(self, expression: syntax.RaspExpression) -> int:
        below = self._depths.get(expression.function, 0) if isinstance(expression, syntax.Call) else 0
        return 1 + max(below, max(map(self._depth, syntax.parts(expression)), default=0))

    # -- types ---------------------------------------------------------------------------------------------------------

    def _body_type(self, body: syntax.Body) -> syntax.Type:
        match body:
            case syntax.AttentionTerm():
                self._expect(syntax.Type.BOOLEAN, body.score, _PAIR)
                return self._expect(self._type_of(body.value, _PAIR), body.default, _HERE)
            case syntax.PrefixSum(value):
                return self._expect(syntax.Type.INTEGER, value, _PAIR)
            case syntax.RaspExpression():
                return self._type_of(body, _HERE)

    def _expect(self, expected: syntax.Type, expression: syntax.RaspExpression, names: tuple[str, ...]) -> syntax.Type:
        found = self._type_of(expression, names)
        if found != expected:
            self._refuse(expression.place, f"found {found.phrase}, expected {expected.phrase}")
        return expected

    def _with_parts(self, expression: syntax.RaspExpression, kind: syntax.Type, names: tuple[str, ...]) -> syntax.Type:
        """Return the type of an expression whose parts all have that type."""
        for part in syntax.parts(expression):
            self._expect(kind, part, names)
        return kind

    def _type_of(self, expression: syntax.RaspExpression, names: tuple[str, ...]) -> syntax.Type:
        """Return the type; ``names`` are the variables or parameters in scope."""
        match expression:
            case syntax.TruthValue() | syntax.Not() | syntax.Connective():
                return self._with_parts(expression, syntax.Type.BOOLEAN, names)
            case syntax.Integer() | syntax.Negative() | syntax.SumTerm():
                return self._with_parts(expression, syntax.Type.INTEGER, names)
            case syntax.ComparisonTerm():
                return self._comparison_type(expression, names)
            case syntax.Conditional(condition, chosen, otherwise):
                self._expect(syntax.Type.BOOLEAN, condition, names)
                return self._expect(self._type_of(chosen, names), otherwise, names)
            case syntax.Call():
                return self._call_type(expression, names)
        return self._atom_type(expression, names)

    def _comparison_type(self, comparison: syntax.ComparisonTerm, names: tuple[str, ...]) -> syntax.Type:
        left = comparison.left
        kind = self._type_of(left, names)
        if comparison.relation not in ("==", "!="):
            kind = self._expect(syntax.Type.INTEGER, left, names)
        elif kind == syntax.Type.BOOLEAN:
            self._refuse(left.place, "found a truth value, expected an integer or a symbol; truth values are compared "
                                     "by <->")
        self._expect(kind, comparison.right, names)
        return syntax.Type.BOOLEAN

    def _atom_type(self, atom: syntax.RaspExpression, names: tuple[str, ...]) -> syntax.Type:
        match atom:
            case syntax.Literally(symbol):
                self._check_symbol(atom, symbol, self._symbols)
                return syntax.Type.SYMBOL
            case syntax.SymbolTest(symbol, variable):
                self._check_symbol(atom, symbol, self._alphabet)
                self._check_variable(atom, variable, names)
                return syntax.Type.BOOLEAN
            case syntax.VectorEntry():
                return self._entry_type(atom, names)
            case syntax.Parameter(name):
                self._check_parameter(atom, name, names)
                return syntax.Type.SYMBOL
        raise TypeError(f"not an expression: {type(atom).__name__}")

    def _check_symbol(self, atom: syntax.RaspExpression, symbol: str, symbols: Sequence[str]) -> None:
        if symbol not in symbols:
            self._refuse(atom.place, f"found the symbol {quote(symbol)}, expected one of {list_names(symbols)}")

    def _check_variable(self, atom: syntax.RaspExpression, variable: str, names: tuple[str, ...]) -> None:
        if variable not in names:
            found = f"found an entry at {variable[:20]}, expected {_one_of(names)}"
            hint = "; j is in scope in attention and psum only, not in the default"
            self._refuse(atom.place, found + hint if (variable, names) == ("j", _HERE) else found)

    def _check_parameter(self, atom: syntax.RaspExpression, name: str, names: tuple[str, ...]) -> None:
        if name in _PAIR:
            self._refuse(atom.place, f"found the variable {name}, expected a value; the position is pos({name})")
        if names[0] == "i":
            self._refuse(atom.place, f"found {quote(name)} alone, expected an entry such as {syntax.INPUT}(i)")
        if name not in names:
            self._refuse(atom.place, f"found {quote(name)}, expected {_one_of(names)}")

    def _entry_type(self, entry: syntax.VectorEntry, names: tuple[str, ...]) -> syntax.Type:
        if entry.vector in self.functions:
            self._refuse(entry.place, f"found the function {quote(entry.vector)} at {entry.at}, expected a symbol as "
                                      f"its argument, such as {syntax.INPUT}({entry.at})")
        self._check_variable(entry, entry.at, names)
        if entry.vector in (syntax.INPUT, syntax.POSITION):
            return syntax.Type.SYMBOL if entry.vector == syntax.INPUT else syntax.Type.INTEGER
        if entry.vector not in self.vectors:
            self._names.refuse_unknown(entry.place, entry.vector, "vector",
                                       [syntax.INPUT, syntax.POSITION, *self.vectors])
        return self.vectors[entry.vector].type

    def _call_type(self, call: syntax.Call, names: tuple[str, ...]) -> syntax.Type:
        if call.function in (syntax.INPUT, syntax.POSITION, *self.vectors):
            self._refuse(call.place, f"found the vector {quote(call.function)} with another argument, expected "
                                     f"{_one_of(names) if names[0] == 'i' else 'a function'}")
        if call.function not in self.functions:
            self._names.refuse_unknown(call.place, call.function, "function", list(self.functions))
        function = self.functions[call.function]
        found, expected = len(call.arguments), len(function.parameters)
        if found != expected:
            arguments = "1 argument" if found == 1 else f"{found} arguments"
            self._refuse(call.place, f"found {arguments} of {quote(call.function)}, expected {expected}")
        for argument in call.arguments:
            self._expect(syntax.Type.SYMBOL, argument, names)
        return function.type


def _one_of(names: Sequence[str]) -> str:
    return list_names(names).replace(", ", " or ")
