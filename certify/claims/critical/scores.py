"""The score of a head as an expression in the position i of the query, the position j of the key, and n.

Softmax is invariant under adding a number that does not depend on j to all scores of a row: such terms are dropped.
Besides i, j and n the expression has symbols for values that depend on the word: truths at i and at j, and the number
of other counted positions. sympy simplifies it; the result is compared with the weights, as an identity of polynomials,
and with exact scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]

from certify.claims.critical.expressions import NoClosedForm, rational_function
from constructions.errors import InternalError
from constructions.language.expressions import Expression
from constructions.language.syntax import Count, Formula
from constructions.network.meanings import Mean, Meaning, Position, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer

QUERY, KEY, LENGTH, OTHERS = (sympy.Symbol(name, integer=True, positive=True) for name in "ijnm")
OTHER_KEY = sympy.Symbol("j'", integer=True, positive=True)


@dataclass(frozen=True)
class ScoreValue:
    """The meaning of a symbol: the value of a direction, or the truth of a formula, at position i or j."""

    what: Formula | str
    at: str


@dataclass
class Symbols:
    """The symbols of one expression, by their meaning."""

    found: dict[ScoreValue, Any] = field(default_factory=dict)

    def of(self, value: ScoreValue) -> Any:
        """Return the symbol for this value."""
        return self.found.setdefault(value, sympy.Symbol(f"h{len(self.found) + 1}{value.at}", real=True))

    def at_key(self) -> list[Any]:
        """Return the symbols that depend on the key."""
        return [symbol for value, symbol in self.found.items() if value.at == "j"]


@dataclass(frozen=True)
class Score:
    """The score of a head, from its weights and simplified; m is the number of others that ``counted`` counts."""

    written: Any
    simplified: Any
    symbols: Mapping[ScoreValue, Any]
    counted: Count | None

    def evaluate(self, values: Mapping[ScoreValue, Fraction], i: int, j: int, n: int, others: int = 0) -> Fraction:
        """Return the simplified score where the symbols have these values."""
        at = {QUERY: Fraction(i), KEY: Fraction(j), LENGTH: Fraction(n), OTHERS: Fraction(others)}
        at |= {symbol: values[value] for value, symbol in self.symbols.items()}
        return evaluate(self.simplified, at)


def evaluate(expression: Any, values: Mapping[Any, Fraction]) -> Fraction:
    """Return the exact value of sums, products and powers with integer exponents.

    >>> evaluate((-1) ** KEY / (KEY + 1), {KEY: Fraction(3)})
    Fraction(-1, 4)
    """
    if expression in values:
        return values[expression]
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    parts = [evaluate(part, values) for part in expression.args]
    if expression.is_Pow:
        base, exponent = parts
        assert exponent.denominator == 1, "a root in a score"
        return base ** int(exponent)
    assert expression.is_Add or expression.is_Mul, f"not a sum, product or power: {expression}"
    return sum(parts, Fraction(0)) if expression.is_Add else prod(parts, start=Fraction(1))


def score_of(transformer: Transformer, head: Head) -> Score:
    """Return the score of the head.

    Raises:
        NoClosedForm: if a part is not a rational function, or it looks up several counts.
    """
    symbols = Symbols()
    counts = {mean.count for row in head.queries for name in row
              if isinstance(mean := transformer.directions[name], Mean)}
    if len(counts) > 1:
        raise NoClosedForm("the means of several counts")
    counted = counts.pop() if counts else None
    reader = _ScoreReader(transformer, symbols, counted)
    score = sum((reader.form(query, "i") * reader.form(key, "j")
                 for query, key in zip(head.queries, head.keys, strict=True)), sympy.Integer(0))
    written = score / rational_function(head.temperature, {"i": QUERY, "n": LENGTH})
    simplified = simplify_score(written, symbols.at_key())
    check_simplified(written, simplified, symbols.at_key())
    return Score(written, simplified, dict(symbols.found), counted)


@dataclass(frozen=True)
class _ScoreReader:
    transformer: Transformer
    symbols: Symbols
    counted: Count | None

    def form(self, row: Coefficients, at: str) -> Any:
        """Return the linear form at the query's position i or the key's position j."""
        return sum((sympy.Rational(weight.numerator, weight.denominator)
                    * self.content(name, self.transformer.directions[name], at) for name, weight in row.items()),
                   sympy.Integer(0))

    def content(self, name: str, meaning: Meaning, at: str) -> Any:
        match meaning:
            case Position(Expression() as value):
                return self._number(value, at)
            case Truth(formula):
                return self.symbols.of(ScoreValue(formula, at))
            case Product(value, formula):
                return self._number(value, at) * self.symbols.of(ScoreValue(formula, at))
            case Mean(count) if count is self.counted:
                here = self.symbols.of(ScoreValue(count.operand, at))
                return (OTHERS + here) / (QUERY if count.side == "left" else LENGTH + 1 - QUERY)
        return self.symbols.of(ScoreValue(name, at))

    def _number(self, value: Expression, at: str) -> Any:
        return rational_function(value, {"i": QUERY if at == "i" else KEY, "n": LENGTH})


def simplify_score(written: Any, at_key: list[Any]) -> Any:
    """Drop the terms that do not depend on j: a square, if the score is quadratic in j; else a sum of products."""
    depends = {KEY, *at_key}
    may_cancel = sympy.fraction(sympy.together(written))[1] != 1
    expanded = sympy.expand(sympy.cancel(sympy.expand(written)) if may_cancel else written)
    kept = sympy.Add(*(term for term in sympy.Add.make_args(expanded) if term.free_symbols & depends))
    if kept.free_symbols & set(at_key) or not kept.is_polynomial(KEY):
        return sympy.collect(kept, at_key, func=sympy.factor) if at_key else kept
    coefficients = sympy.Poly(kept, KEY).all_coeffs()
    if len(coefficients) != 3:
        return kept
    high, middle, _ = coefficients
    peak = sympy.factor(sympy.cancel(-middle / (2 * high)))
    return _with_positive_denominator(sympy.factor(high)) * (KEY - peak) ** 2


def _with_positive_denominator(quotient: Any) -> Any:
    """Move the sign to the numerator, if the denominator is negative at the first position of a word of two."""
    numerator, denominator = sympy.fraction(quotient)
    negative = denominator.subs({QUERY: 1, LENGTH: 2}) < 0
    return -numerator / sympy.expand(-denominator) if negative is sympy.true else quotient


def check_simplified(written: Any, simplified: Any, at_key: list[Any]) -> None:
    """Check that the difference is the same at every j, as an identity of polynomials: for any i, n and truths.

    Powers of -1 are replaced by a symbol for each exponent.

    Raises:
        InternalError: if they do not.
    """
    other = {KEY: OTHER_KEY, **{symbol: sympy.Symbol(f"{symbol}'", real=True) for symbol in at_key}}
    added = written - simplified
    numerator, _ = sympy.fraction(sympy.together(_with_letters(added - added.subs(other, simultaneous=True))))
    if sympy.expand(numerator) != 0:
        raise InternalError(f"a wrongly simplified score: {written} to {simplified}")


def _with_letters(expression: Any) -> Any:
    """Replace each power of -1 by a symbol."""
    split = sympy.expand_power_exp(expression)
    powers = sorted(split.atoms(sympy.Pow), key=str)
    return split.xreplace({power: sympy.Symbol(f"({power})") for power in powers
                           if power.base == -1 and power.exp.free_symbols})


def rows_of(length: int) -> Iterator[tuple[int, int, int]]:
    """Yield all (n, i, j) with i, j <= n <= length."""
    for n in range(1, length + 1):
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                yield n, i, j


def check_on_grid(transformer: Transformer, head: Head, score: Score, length: int) -> None:
    """Check the simplified score against the weights at all (n, i, j) up to a length, in exact numbers.

    Values that depend on the word are set by a few patterns, at every position.

    Raises:
        InternalError: if scores of one row do not differ as the simplified ones do.
    """
    for pattern in range(3):
        direct = _Direct(transformer, head, score.counted, pattern)
        for n, i, j in rows_of(length):
            if direct.score(i, j, n) - direct.score(i, 1, n) != _simplified(score, direct, i, j, n):
                raise InternalError(f"a wrongly simplified score at n = {n}, i = {i}, j = {j}")


def _simplified(score: Score, direct: _Direct, i: int, j: int, n: int) -> Fraction:
    """Return the simplified score at j minus the one at 1."""
    at_j, at_1 = (score.evaluate({each: direct.free(each.what, i if each.at == "i" else key) for each in score.symbols},
                                 i, key, n, direct.pattern) for key in (j, 1))
    return at_j - at_1


@dataclass(frozen=True)
class _Direct:
    """Scores computed from weights and meanings; values that depend on the word follow a pattern."""

    transformer: Transformer
    head: Head
    counted: Count | None
    pattern: int

    def free(self, what: Formula | str, at: int) -> Fraction:
        """Return the pattern's truth or number at a position."""
        turn = sorted(map(str, self.transformer.directions)).index(what) if isinstance(what, str) else len(str(what))
        return Fraction((turn + at * (self.pattern + 1) + self.pattern) % (2 if self.pattern else 3))

    def score(self, i: int, j: int, n: int) -> Fraction:
        """Return the score of row i at position j."""
        total = sum((self._form(query, i, n) * self._form(key, j, n)
                     for query, key in zip(self.head.queries, self.head.keys, strict=True)), Fraction(0))
        return total / self.head.temperature.evaluate(i=i, n=n)

    def _form(self, row: Coefficients, at: int, n: int) -> Fraction:
        return sum((weight * self._value(name, at, n) for name, weight in row.items()), Fraction(0))

    def _value(self, name: str, at: int, n: int) -> Fraction:
        match self.transformer.directions[name]:
            case Position(Expression() as value):
                return value.evaluate(i=at, n=n)
            case Truth(formula):
                return self.free(formula, at)
            case Product(value, formula):
                return value.evaluate(i=at, n=n) * self.free(formula, at)
            case Mean(count) if count is self.counted:
                looked_at = at if count.side == "left" else n + 1 - at
                return (self.pattern + self.free(count.operand, at)) / looked_at
        return self.free(name, at)
