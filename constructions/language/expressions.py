"""Exact expressions in positions and lengths: position embeddings, temperatures, and the conditions of predicates.

Grammar     expressions.lark; position embeddings and temperatures: docs/reference/certificate.md section 1. Also,
            ``**`` is read as ``^``, and a decimal as a fraction; ``str()`` writes ``^`` and ``/``.
Evaluation  exact, over the rationals; no text is passed to ``eval``, and sympy only receives finished parts.
            ln and sqrt are rounded down by ``evaluate``, enclosed by ``enclose``, and the real functions in conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from constructions.errors import InputError, Unsupported
from constructions.language.arithmetic import BINARY, NEGATE, UNARY, Function, OutOfRangeError, Postfix, run_time
from constructions.language.columns import NotCoveredError, evaluate_cells
from constructions.language.diagnosis import describe_terminals, diagnose, quote
from constructions.language.enclosures import UndecidedError, may_be_irrational, real_run_time
from constructions.language.expression_forms import build_sympy, format_latex, format_text
from constructions.language.functions import DIGITS, FUNCTIONS, Number, UndefinedError, functions_to

MAX_LENGTH = 300
POSITION_AND_LENGTH = frozenset({"i", "n"})

_SYNONYMS = {"**": "^", "=": "=="}
_WORDS = {
    "DIGITS": "a number", "NAME": "a variable", "FUNCTION": "a function", "LPAR": "'('", "NOT": "not", "RPAR": "')'",
    "PLUS": "an operator such as +", "MINUS": "'-'", "RELATION": "a comparison such as ==", "AND": "and", "OR": "or",
    "$END": "the end of the expression",
}  # fmt: skip


class EvaluationError(InputError):
    """An expression without a value at some position: a division by zero, or a number or argument out of range."""


@dataclass(frozen=True)
class Expression:
    """An exact function of its variables; equality compares the canonical texts.

    >>> expression = parse_expression("( -1 ) ^ i / (n - i + 1)")
    >>> str(expression)
    '(-1)^i/(n-i+1)'
    >>> expression.evaluate(i=3, n=4)
    Fraction(-1, 2)
    >>> str(parse_expression("0.75*n"))
    '3/4*n'
    """

    text: str
    boolean: bool
    postfix: Postfix = field(compare=False, repr=False)
    variables: frozenset[str] = field(compare=False, repr=False)
    _function: Function = field(compare=False, repr=False)
    digits: int = field(default=DIGITS, repr=False)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_again, (self.text, self.variables, self.boolean, self.digits)

    def to_digits(self, digits: int) -> Expression:
        """Return the same expression with ln and sqrt to this number of digits."""
        if not self.may_be_irrational or digits == self.digits:
            return self
        function = run_time(self.postfix, {**UNARY, **functions_to(digits)})
        return replace(self, _function=function, digits=digits)

    def evaluate(self, **values: int) -> Fraction:
        """Return the value, with ln and sqrt rounded down; variables that do not occur are ignored.

        It serves the search for proofs and displays. No verdict may rest on it where ``may_be_irrational`` is set.

        Raises:
            EvaluationError: if there is no value, or computing it would need an exponent or an integer out of range.
        """
        assert not self.boolean, "a condition has a truth value, not a number"
        return Fraction(self._run(values))

    def enclose(self, **values: int) -> tuple[Fraction, Fraction]:
        """Return two rationals that enclose the value, of the real ln and sqrt; the value twice if it is rational.

        >>> lower, upper = parse_expression("ln(n)").enclose(n=2)
        >>> lower < upper, parse_expression("i/n").enclose(i=1, n=2)
        (True, (Fraction(1, 2), Fraction(1, 2)))

        Raises:
            EvaluationError: as ``evaluate``, and if the enclosures do not determine whether there is a value.
        """
        if not self.may_be_irrational:
            value = self.evaluate(**values)
            return value, value
        return self._enclosed(values)

    def exactly(self, **values: int) -> Fraction:
        """Return the exact rational value.

        Raises:
            Unsupported: if the value is not certainly rational.
            EvaluationError: as ``enclose``.
        """
        lower, upper = self.enclose(**values)
        if lower != upper:
            raise Unsupported(f"{self.text} is irrational{_at(values)}, expected an exact number")
        return lower

    @cached_property
    def may_be_irrational(self) -> bool:
        """True if ln or sqrt occurs."""
        return may_be_irrational(self.postfix)

    def column(self, positions: range, n: int) -> tuple[Fraction, ...]:
        """Return the values of ``evaluate`` at these positions i of a word of length n, computed together.

        >>> [str(value) for value in parse_expression("i/n").column(range(1, 5), 4)]
        ['1/4', '1/2', '3/4', '1']

        Raises:
            EvaluationError: as ``evaluate`` at the first position without a value.
        """
        if not self.mentions_i:
            return (self.evaluate(i=positions[0], n=n),) * len(positions) if positions else ()
        try:
            return evaluate_cells(self.postfix, positions, n, self.digits).fractions()
        except NotCoveredError:
            return tuple(self.evaluate(i=i, n=n) for i in positions)

    def integers(self, positions: range, n: int) -> Sequence[int] | None:
        """Return the values at these positions if ``columns.py`` computes them without fractions, else None."""
        try:
            cells = evaluate_cells(self.postfix, positions, n, self.digits)
        except NotCoveredError:
            return None
        return cells.numerators if cells.denominators is None else None

    def check_defined(self, positions: range, n: int) -> None:
        """Check that there is a value at each position.

        Raises:
            EvaluationError: as ``evaluate`` at the first position without a value.
        """
        try:
            evaluate_cells(self.postfix, positions if self.mentions_i else positions[:1], n)
        except NotCoveredError:
            self.column(positions, n)

    @property
    def mentions_i(self) -> bool:
        """True if the variable i occurs."""
        return "i" in self.variables

    @property
    def mentions_n(self) -> bool:
        """True if the variable n occurs."""
        return "n" in self.variables

    def holds(self, **values: int) -> bool:
        """Return whether the condition is true; ``and`` and ``or`` evaluate their right side only if needed.

        Raises:
            EvaluationError: if it has no truth value, or enclosures of ln and sqrt do not determine it.
        """
        assert self.boolean, "an expression has a number, not a truth value"
        return bool(self._enclosed(values)[0] if self.may_be_irrational else self._run(values))

    def _run(self, values: Mapping[str, int]) -> Number:
        try:
            value: Number = self._complained(self._function, values)
        except EvaluationError as failure:
            if self.may_be_irrational:
                self._enclosed(values)  # raises the error, unless rounding alone caused it
                raise EvaluationError(f"{failure}, with ln and sqrt rounded down to {self.digits} digits") from None
            raise
        return value

    @cached_property
    def _real_function(self) -> Callable[[Mapping[str, int]], tuple[Fraction, Fraction]]:
        return real_run_time(self.postfix, self.digits)

    def _enclosed(self, values: Mapping[str, int]) -> tuple[Fraction, Fraction]:
        ends: tuple[Fraction, Fraction] = self._complained(self._real_function, values)
        return ends

    def _complained(self, function: Callable[[Mapping[str, int]], Any], values: Mapping[str, int]) -> Any:
        """Call the function; raise its arithmetic errors as an EvaluationError of one line."""
        try:
            return function(values)
        except ZeroDivisionError:
            raise EvaluationError(f"{self.text} divides by zero{_at(values)}") from None
        except (OutOfRangeError, UndefinedError, UndecidedError) as failure:
            raise EvaluationError(f"{self.text} {failure}{_at(values)}") from None

    def to_sympy(self) -> Any:
        """Return an unevaluated sympy object, for printing and inspection only."""
        return build_sympy(self.postfix)

    def latex(self) -> str:
        """Return LaTeX for math mode."""
        return format_latex(self.postfix)


def _at(values: Mapping[str, int]) -> str:
    at = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f" at {at}" if at else ""


Constant = Fraction | Expression
"""A rational number, or an expression without variables that may be irrational."""


@lru_cache(maxsize=4096)
def parse_expression(text: str, variables: frozenset[str] = POSITION_AND_LENGTH, boolean: bool = False) -> Expression:
    """Parse an expression, or with ``boolean`` a condition.

    >>> parse_expression("1/(n - 3)").evaluate(i=1, n=3)
    Traceback (most recent call last):
        ...
    constructions.language.expressions.EvaluationError: 1/(n-3) divides by zero at i = 1, n = 3

    Raises:
        InputError: if the text is too long, does not parse, or mentions other variables.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"expression of {len(text)} characters: expected at most {MAX_LENGTH}")
    program = _parse(text, "condition" if boolean else "sum")
    for item in program:
        if isinstance(item, Token):
            _check_token(item, text, variables, boolean)
    return _build(tuple(item if isinstance(item, int) else str(item) for item in program), boolean)


def _read_again(text: str, variables: frozenset[str], boolean: bool, digits: int) -> Expression:
    return parse_expression(text, variables, boolean).to_digits(digits)


def parse_constant(text: str) -> Constant:
    """Parse an expression without variables; return a Fraction if it is certainly rational.

    >>> [str(parse_constant(text)) for text in ("sqrt(9/4)", "2*ln(4)")]
    ['3/2', '2*ln(4)']

    Raises:
        InputError: if it does not parse, or has no value.
    """
    expression = parse_expression(text, frozenset())
    lower, upper = expression.enclose()
    return lower if lower == upper else expression


def enclose_constant(constant: Constant) -> tuple[Fraction, Fraction]:
    """Return two rationals that enclose the constant."""
    return constant.enclose() if isinstance(constant, Expression) else (constant, constant)


def parse_rational(text: str) -> Fraction:
    """Parse an expression without variables whose value is rational.

    >>> str(parse_rational("sqrt(9/4)"))
    '3/2'

    Raises:
        InputError: if it does not parse, has no value, or is irrational.
    """
    constant = parse_constant(text)
    if isinstance(constant, Expression):
        near = constant.enclose()[0].limit_denominator(1000)
        raise InputError(f"{constant} is irrational, expected a rational number such as {near}")
    return constant


def divide(dividend: Expression, divisor: Expression) -> Expression:
    """Return the quotient of two expressions; a reciprocal divided by an expression is again a reciprocal.

    >>> print(divide(parse_expression("1/n"), parse_expression("ln(4)")))
    1/(n*ln(4))

    Raises:
        InputError: if the text of the quotient is too long.
    """
    program = dividend.postfix
    if program == (1,):
        return _build((1, *divisor.postfix, "/"), False)
    if program[0] == 1 and program[-1] == "/" and _is_operand(program[1:-1]):
        return _build((1, *program[1:-1], *divisor.postfix, "*", "/"), False)
    return _build((*program, *divisor.postfix, "/"), False)


def _is_operand(program: Postfix) -> bool:
    """Return whether a part of a postfix program leaves one value and consumes none from before it."""
    depth = 0
    for item in program:
        depth += -1 if item in BINARY else item not in UNARY
        if depth < 1:
            return False
    return depth == 1


def rename_variables(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Rename variables; the new names are not longer than the old ones.

    >>> str(rename_variables(parse_expression("i/n"), {"i": "n", "n": "k"}))
    'n/k'
    """
    renamed = (names.get(item, item) if isinstance(item, str) else item for item in expression.postfix)
    return _build(tuple(renamed), expression.boolean)


def substitute(expression: Expression, variable: str, replacement: Postfix) -> Expression:
    """Replace a variable by a postfix program.

    >>> str(substitute(parse_expression("i^2/n"), "i", ("i", 1, "+")))
    '(i+1)^2/n'

    Raises:
        InputError: if the text of the result is too long.
    """
    parts = ((replacement if item == variable else (item,)) for item in expression.postfix)
    return _build(tuple(item for part in parts for item in part), expression.boolean)


def at_place(expression: Expression, i: int, n: int) -> Expression:
    """Substitute numbers for i and n.

    >>> str(at_place(parse_expression("i/ln(n)"), 1, 3))
    '1/ln(3)'
    """
    numbers = {"i": i, "n": n}
    return _build(tuple(numbers.get(str(item), item) for item in expression.postfix), expression.boolean)


def _build(program: Postfix, boolean: bool) -> Expression:
    text = format_text(program)
    if len(text) > MAX_LENGTH:
        raise InputError(f"expression of {len(text)} characters when written out, expected at most {MAX_LENGTH}")
    names = frozenset(item for item in program if isinstance(item, str) and item not in UNARY and item not in BINARY)
    return Expression(text, boolean, program, names, run_time(program))


def _parse(text: str, start: str) -> Postfix:
    try:
        program: Postfix = _parser().parse(text, start)  # type: ignore[assignment]
    except UnexpectedInput as error:
        offset, found, accepted = diagnose(_parser(), start, text, error, _WORDS["$END"])
        expected = describe_terminals(accepted - ({"MINUS"} if "PLUS" in accepted else {"TEST"}), _WORDS)
        raise InputError(f"expression {quote(text)}, column {offset + 1}: found {found}, expected {expected}") from None
    return program


def _check_token(token: Token, text: str, variables: frozenset[str], boolean: bool) -> None:
    where = f"expression {quote(text)}, column {(token.start_pos or 0) + 1}"
    if token.type == "NAME" and token not in variables:
        expected = " or ".join(sorted(variables)) or "no variables"
        raise InputError(f"{where}: found {quote(token)}, expected {expected}")
    if token.type == "FUNCTION" and token not in FUNCTIONS:
        names = ", ".join(FUNCTIONS)
        raise InputError(f"{where}: found {quote(token)} before '(', expected an operator or one of {names}")
    if token in ("//", "%") and not boolean:
        raise InputError(f"{where}: found {quote(token)}, which only the conditions of predicates may use")


@cache
def _parser() -> Lark:
    return Lark.open("expressions.lark", rel_to=__file__, parser="lalr", lexer="basic",
                     start=["sum", "condition"], transformer=_ToPostfix())


@v_args(inline=True)
class _ToPostfix(Transformer[Token, Postfix]):
    """Transformer to postfix programs, bottom up; names and operators stay tokens, which carry their offsets."""

    def number(self, digits: Token) -> Postfix:
        return (int(digits),)

    def decimal(self, token: Token) -> Postfix:
        """Return the fraction in lowest terms: ``1.50`` is 3/2."""
        value = Fraction(str(token))
        return (value.numerator, *((value.denominator, token.update(value="/")) if value.denominator > 1 else ()))

    def variable(self, name: Token) -> Postfix:
        return (name,)

    def call(self, name: Token, operand: Postfix) -> Postfix:
        return (*operand, name)

    def unary(self, operator: Token, operand: Postfix) -> Postfix:
        return (*operand, NEGATE if operator == "-" else operator)

    def binary(self, left: Postfix, operator: Token, right: Postfix) -> Postfix:
        return (*left, *right, operator.update(value=_SYNONYMS.get(operator, str(operator))))
