"""Hypothesis strategies for programs that are well typed, built without the parser."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from constructions.rasp.syntax import (
    AttentionTerm,
    Body,
    Call,
    ComparisonTerm,
    Conditional,
    Connective,
    Function,
    Integer,
    Literally,
    Negative,
    Not,
    Parameter,
    PrefixSum,
    RaspExpression,
    RaspProgram,
    SumTerm,
    SymbolTest,
    TruthValue,
    Type,
    Variable,
    Vector,
    VectorEntry,
)

ALPHABET, AUXILIARY = ("a", "b", "'"), ("?", "\\")
HERE: tuple[Variable, ...] = ("i",)
PAIR: tuple[Variable, ...] = ("i", "j")


@dataclass(frozen=True)
class Writer:
    """The names in scope, and the source of choices.

    One drawing function instead of a tree of strategies: such a tree would be built anew for every definition.
    """

    draw: st.DrawFn
    functions: list[Function]
    vectors: list[Vector]
    sums: bool
    positions: bool

    def choose(self, options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def atom(self, kind: Type, variables: tuple[Variable, ...], parameters: tuple[str, ...]) -> RaspExpression:
        options: dict[Type, list[Callable[[], RaspExpression]]] = {
            Type.BOOLEAN: [lambda: TruthValue(self.draw(st.booleans()))],
            Type.INTEGER: [lambda: Integer(self.draw(st.integers(0, 12)))],
            Type.SYMBOL: [lambda: Literally(self.choose(ALPHABET + AUXILIARY))],
        }
        if parameters:
            options[Type.SYMBOL].append(lambda: Parameter(self.choose(parameters)))
        if variables:
            options[Type.BOOLEAN].append(lambda: SymbolTest(self.choose(ALPHABET), self.choose(variables)))
            options[Type.SYMBOL].append(lambda: VectorEntry("in", self.choose(variables)))
            if self.positions:
                options[Type.INTEGER].append(lambda: VectorEntry("pos", self.choose(variables)))
            known = [vector.name for vector in self.vectors if vector.type == kind]
            if known:
                options[kind].append(lambda: VectorEntry(self.choose(known), self.choose(variables)))
        result: RaspExpression = self.choose(options[kind])()
        return result

    def expression(self, kind: Type, depth: int, variables: tuple[Variable, ...] = HERE,
                   parameters: tuple[str, ...] = ()) -> RaspExpression:
        """At most ``depth`` operators on a path."""
        def inner(wanted: Type) -> RaspExpression:
            return self.expression(wanted, depth - 1, variables, parameters)

        def pair(wanted: Type) -> tuple[RaspExpression, RaspExpression]:
            return inner(wanted), inner(wanted)

        atom = [lambda: self.atom(kind, variables, parameters)]
        if depth == 0:
            return atom[0]()
        options: dict[Type, list[Callable[[], RaspExpression]]] = {
            Type.BOOLEAN: [
                lambda: Not(inner(kind)),
                lambda: Connective(self.choose(["&", "|", "->", "<->"]), *pair(kind)),
                lambda: ComparisonTerm(self.choose(["<=", "<", ">=", ">", "==", "!="]), *pair(Type.INTEGER)),
                lambda: ComparisonTerm(self.choose(["==", "!="]), *pair(Type.SYMBOL)),
            ],
            Type.INTEGER: [lambda: Negative(inner(kind)), lambda: SumTerm(self.choose("+-"), *pair(kind))],
            Type.SYMBOL: [],
        }
        functions = [function for function in self.functions if function.type == kind]
        if functions:
            options[kind].append(lambda: self.call(self.choose(functions), inner))
        conditional = [lambda: Conditional(inner(Type.BOOLEAN), *pair(kind))]
        result: RaspExpression = self.choose([*atom, *conditional, *options[kind]])()
        return result

    def call(self, function: Function, inner: Callable[[Type], RaspExpression]) -> RaspExpression:
        return Call(function.name, tuple(inner(Type.SYMBOL) for _ in function.parameters))

    def body(self, kind: Type) -> Body:
        shapes = ["here", "attention", *(["sum"] if self.sums and kind == Type.INTEGER else [])]
        shape = self.choose(shapes)
        if shape == "here":
            return self.expression(kind, 2)
        if shape == "sum":
            return PrefixSum(self.expression(kind, 2, PAIR))
        return AttentionTerm(
            self.choose(["leftmost", "rightmost"]),
            self.choose(["1", "j<i", "j<=i", "j>i", "j>=i"]),
            self.expression(Type.BOOLEAN, 2, PAIR),
            self.expression(kind, 2, PAIR),
            self.expression(kind, 1),
        )


@st.composite
def programs(draw: st.DrawFn, sums: bool = True, positions: bool = True) -> RaspProgram:
    """Up to two functions and four vectors; without ``sums`` and ``positions`` none mentions psum or pos."""
    writer = Writer(draw, [], [], sums, positions)
    for place in range(draw(st.integers(0, 2))):
        parameters = writer.choose([("s",), ("s", "t")])
        kind = writer.choose(list(Type))
        body = writer.expression(kind, 2, (), parameters)
        writer.functions.append(Function(f"f{place}", parameters, body, kind))
    for place in range(draw(st.integers(1, 4))):
        kind = writer.choose(list(Type))
        writer.vectors.append(Vector(f"P{place}", writer.body(kind), kind))
    return RaspProgram(ALPHABET, AUXILIARY, tuple(writer.functions), tuple(writer.vectors))
