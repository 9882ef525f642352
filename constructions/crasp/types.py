"""Names and types of C-RASP programs, checked after parsing. docs/reference/crasp.md, "Meaning"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constructions.crasp import syntax
from constructions.crasp.predicates import UNARY
from constructions.language.diagnosis import quote
from constructions.rasp.reading import DefinedNames, program_error
from constructions.rasp.syntax import Type

_PHRASES = {Type.BOOLEAN: "a truth value", Type.INTEGER: "a number"}


@dataclass(frozen=True)
class TypedDefinition:
    """One definition as parsed."""

    name: str
    body: syntax.RaspExpression
    place: int


def check_statements(text: str, statements: Sequence[TypedDefinition],
                     imported: Mapping[str, int]) -> tuple[syntax.Definition, ...]:
    """Return the definitions with their types. ``imported`` gives the imported predicates and their places.

    Raises:
        ProgramError: if there is no definition, if a name is unknown, not yet defined or defined twice, if types differ
            from the expected ones, or if expressions are nested too deep.
    """
    checker = _Checker(text, statements, imported)
    for statement in statements:
        checker.add(statement)
    if not statements:
        raise program_error(text, len(text.rstrip()), 'found no definition, expected one such as D = # "a" > 0')
    return tuple(checker.definitions.values())


class _Checker:
    """The definitions checked so far, in their order."""

    def __init__(self, text: str, statements: Sequence[TypedDefinition], imported: Mapping[str, int]) -> None:
        self._imported = imported
        places = ((statement.name, statement.place) for statement in statements)
        self._names = DefinedNames(text, [*imported.items(), *places])
        self.definitions: dict[str, syntax.Definition] = {}

    def add(self, statement: TypedDefinition) -> None:
        """Check the definition and add it."""
        name, body = statement.name, statement.body
        self._names.check(name, statement.place, "expressions", body.depth)
        self.definitions[name] = syntax.Definition(name, body, self._type_of(body))

    def _type_of(self, expression: syntax.RaspExpression) -> Type:
        match expression:
            case syntax.TruthValue() | syntax.SymbolTest():
                return Type.BOOLEAN
            case syntax.Integer():
                return Type.INTEGER
            case syntax.Name(name):
                return self._type_of_name(name, expression.place)
            case syntax.Not() | syntax.Connective():
                return self._with_operands(expression, Type.BOOLEAN, Type.BOOLEAN)
            case syntax.CountTerm():
                return self._with_operands(expression, Type.BOOLEAN, Type.INTEGER)
            case syntax.ComparisonTerm():
                return self._with_operands(expression, Type.INTEGER, Type.BOOLEAN)
            case syntax.Negative() | syntax.SumTerm() | syntax.ProductTerm() | syntax.Extreme():
                return self._with_operands(expression, Type.INTEGER, Type.INTEGER)
            case syntax.Conditional(condition, chosen, otherwise):
                self._expect(Type.BOOLEAN, condition)
                self._expect(Type.INTEGER, chosen)
                return self._expect(Type.INTEGER, otherwise)
        raise TypeError(f"not an expression: {type(expression).__name__}")

    def _with_operands(self, expression: syntax.RaspExpression, taken: Type, given: Type) -> Type:
        for part in syntax.parts(expression):
            self._expect(taken, part)
        return given

    def _expect(self, expected: Type, expression: syntax.RaspExpression) -> Type:
        found = self._type_of(expression)
        if found != expected:
            hint = "; # counts where a truth value holds" if expected is Type.INTEGER else ""
            self._names.refuse(expression.place, f"found {_PHRASES[found]}, expected {_PHRASES[expected]}{hint}")
        return expected

    def _type_of_name(self, name: str, place: int) -> Type:
        if name in self.definitions:
            return self.definitions[name].type
        if name in self._imported:
            if name in UNARY:
                return Type.BOOLEAN
            self._names.refuse(place, f"found {quote(name)}, a predicate of two positions, expected it in a count such "
                                      f'as #[{name}] "a"')
        hint = f"; #import {name} imports it" if name in UNARY else ""
        self._names.refuse_unknown(place, name, "name", [*self.definitions, *self._imported], hint)
