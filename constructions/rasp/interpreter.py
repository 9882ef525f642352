"""Interpreter of programs, plainly by their definitions: the reference for all other evaluations.

Source      docs/reference/rasp.md, section 4. Positions count from 1; integers are exact.
Limits      10,000,000 evaluations of an expression (an entry of many digits counts as several); integers of at most
            1,000 digits.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import cast

from constructions.errors import InputError
from constructions.language.alphabets import check_word
from constructions.language.semantics import RELATIONS
from constructions.language.terms import MAX_DIGITS
from constructions.rasp import syntax

MAX_STEPS = 10_000_000

Value = bool | int | str
_Scope = Mapping[str, int | str]
"""The positions i and j, or the arguments of a function."""

_TOO_LARGE = 10**MAX_DIGITS
CONNECTIVES: Mapping[str, Callable[[bool, bool], bool]] = {
    "&": lambda left, right: left and right,
    "|": lambda left, right: left or right,
    "->": lambda left, right: not left or right,
    "<->": lambda left, right: left == right,
}
_MASKS: Mapping[str, Callable[[int, int], bool]] = {
    "1": lambda j, i: True, "j<i": operator.lt, "j<=i": operator.le, "j>i": operator.gt, "j>=i": operator.ge,
}  # fmt: skip
_LOOKING_BACK = ("j<i", "j<=i")


def run_program(program: syntax.RaspProgram, word: Sequence[str],
                earlier: tuple[Sequence[str], Mapping[str, tuple[Value, ...]]] | None = None,
                ) -> dict[str, tuple[Value, ...]]:
    """Evaluate every vector on the word, in the order of definition; entry 0 is position 1.

    ``earlier`` is another word with its entries: those of a common prefix are reused if no vector looks ahead.

    >>> from constructions.rasp.parser import parse_program
    >>> run_program(parse_program("alphabet ab  count(i) := psum j [j<=i] 1 if Q_a(j) else 0"), "aba")
    {'count': (1, 1, 2)}

    Raises:
        InputError: if the word is empty or has a symbol outside the alphabet, or if a limit is exceeded.
    """
    check_word(word, program.alphabet)
    run, shared = _ProgramRun(program, word), 0
    if earlier and all(vector.body.mask in _LOOKING_BACK for vector in program.vectors
                       if isinstance(vector.body, syntax.AttentionTerm)):
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(word, earlier[0], strict=False))))
    for vector in program.vectors:
        entries = list(earlier[1][vector.name][:shared] if earlier else ())
        for i in run.positions[shared:]:
            entries.append(run.entry(vector, i, entries))
        run.vectors[vector.name] = tuple(entries)
    return {vector.name: run.vectors[vector.name] for vector in program.vectors}


class _ProgramRun:
    """One word, and the vectors computed so far."""

    def __init__(self, program: syntax.RaspProgram, word: Sequence[str]) -> None:
        self.positions = range(1, len(word) + 1)
        self.functions = {function.name: function for function in program.functions}
        self.vectors: dict[str, tuple[Value, ...]] = {syntax.INPUT: tuple(word), syntax.POSITION: tuple(self.positions)}
        self._called: dict[tuple[str, tuple[str, ...]], Value] = {}
        self._steps = 0

    def entry(self, vector: syntax.Vector, i: int, before: Sequence[Value]) -> Value:
        value = self._body(vector.body, i, before)
        if isinstance(value, int):
            if abs(value) >= _TOO_LARGE:
                raise InputError(f"vector {vector.name}, position {i}: more than {MAX_DIGITS} digits")
            self._spend(value.bit_length() // 64)
        return value

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise InputError(f"more than {MAX_STEPS} evaluations on this word, expected a shorter word or program")

    def _body(self, body: syntax.Body, i: int, before: Sequence[Value]) -> Value:
        match body:
            case syntax.AttentionTerm():
                return self._attend(body, i)
            case syntax.PrefixSum(value) if body.is_running and before:
                return cast(int, before[-1]) + self._integer(value, {"j": i})
            case syntax.PrefixSum(value):
                return sum(self._integer(value, {"i": i, "j": j}) for j in self.positions if j <= i)
            case syntax.RaspExpression():
                return self._value(body, {"i": i})

    def _attend(self, attention: syntax.AttentionTerm, i: int) -> Value:
        order = self.positions if attention.choice == "leftmost" else reversed(self.positions)
        for j in order:
            pair = {"i": i, "j": j}
            if _MASKS[attention.mask](j, i) and self._value(attention.score, pair):
                return self._value(attention.value, pair)
        return self._value(attention.default, {"i": i})

    def _value(self, expression: syntax.RaspExpression, scope: _Scope) -> Value:
        self._steps += 1
        if self._steps > MAX_STEPS:
            self._spend(0)
        match expression:  # the most frequent cases first
            case syntax.VectorEntry(vector, variable):
                return self.vectors[vector][scope[variable] - 1]  # type: ignore[operator]
            case syntax.SymbolTest(symbol, variable):
                return self.vectors[syntax.INPUT][cast(int, scope[variable]) - 1] == symbol
            case syntax.Parameter(name):
                return scope[name]
            case syntax.Literally(symbol):
                return symbol
            case syntax.TruthValue(value) | syntax.Integer(value):
                return value
            case syntax.Conditional(condition, chosen, otherwise):
                return self._value(chosen if self._value(condition, scope) else otherwise, scope)
            case syntax.Call(name, arguments):
                return self._call(name, tuple([cast(str, self._value(argument, scope)) for argument in arguments]))
            case syntax.Not(operand):
                return not self._value(operand, scope)
            case syntax.Connective(connector, left, right):
                return CONNECTIVES[connector](bool(self._value(left, scope)), bool(self._value(right, scope)))
            case syntax.ComparisonTerm(relation, left, right):  # of two integers, or by == and != of two symbols
                return RELATIONS[relation](self._integer(left, scope), self._integer(right, scope))
            case syntax.Negative(operand):
                return -self._integer(operand, scope)
            case syntax.SumTerm(sign, left, right):
                added = self._integer(right, scope)
                return self._integer(left, scope) + (added if sign == "+" else -added)
        raise TypeError(f"not an expression: {type(expression).__name__}")

    _integer = cast(Callable[["_ProgramRun", syntax.RaspExpression, _Scope], int], _value)

    def _call(self, name: str, symbols: tuple[str, ...]) -> Value:
        if (name, symbols) not in self._called:  # memoised, as nested functions would take exponential time
            function = self.functions[name]
            arguments = dict(zip(function.parameters, symbols, strict=True))
            self._called[name, symbols] = self._value(function.body, arguments)
        return self._called[name, symbols]
