"""The score of a head as an expression in the position i of the query, the position j of the key, and n.

Softmax does not change when a number that does not depend on j is added to all scores of a row: such terms are left out.
Beside i, j and n the expression has symbols for what depends on the word: truths at i and at j, and how many other
positions are counted. sympy simplifies it; ``check_simplified`` holds what came out against the weights themselves,
as an identity of polynomials, and ``proofs`` has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]

from certify.symbols.expressions import NoClosedForm, rational_function
from constructions.errors import InternalError
from constructions.language.expressions import Expression
from constructions.language.syntax import Count, Formula
from constructions.network.meanings import Mean, Meaning, Position, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer

I, J, N, M = (sympy.Symbol(name, integer=True, positive=True) for name in "ijnm")
OTHER_J = sympy.Symbol("j'", integer=True, positive=True)


@dataclass(frozen=True)
class Held:
    """What a symbol stands for: the number that a direction holds, or the truth of a formula, at position i or j."""

    what: Formula | str
    at: str


@dataclass
class Symbols:
    """The symbols of one expression, by what they stand for."""

    found: dict[Held, Any] = field(default_factory=dict)

    def of(self, held: Held) -> Any:
        """The symbol that stands for this."""
        return self.found.setdefault(held, sympy.Symbol(f"h{len(self.found) + 1}{held.at}", real=True))

    def at_key(self) -> list[Any]:
        """Those that depend on the key."""
        return [symbol for held, symbol in self.found.items() if held.at == "j"]


@dataclass(frozen=True)
class Score:
    """The score of a head, as its weights say and simplified, with the symbols of both; ``counted`` is what m counts."""

    written: Any
    simplified: Any
    symbols: Mapping[Held, Any]
    counted: Count | None

    def evaluate(self, values: Mapping[Held, Fraction], i: int, j: int, n: int, others: int = 0) -> Fraction:
        """The simplified score where the symbols have these values."""
        at = {I: i, J: j, N: n, M: others}
        at |= {symbol: sympy.Rational(values[held].numerator, values[held].denominator)
               for held, symbol in self.symbols.items()}
        value = self.simplified.subs(at, simultaneous=True)
        return Fraction(int(value.p), int(value.q))


def score_of(transformer: Transformer, head: Head) -> Score:
    """The score of the head.

    Raises:
        NoClosedForm: if something in it is no rational function, or it looks up several counts.
    """
    symbols = Symbols()
    counts = {mean.count for row in head.queries for name in row
              if isinstance(mean := transformer.directions[name], Mean)}
    if len(counts) > 1:
        raise NoClosedForm("the means of several counts")
    counted = counts.pop() if counts else None
    reader = _Reader(transformer, symbols, counted)
    score = sum((reader.form(query, "i") * reader.form(key, "j")
                 for query, key in zip(head.queries, head.keys, strict=True)), sympy.Integer(0))
    written = score / rational_function(head.temperature, {"i": I, "n": N})
    simplified = simplify_score(written, symbols.at_key())
    check_simplified(written, simplified, symbols.at_key())
    return Score(written, simplified, dict(symbols.found), counted)


@dataclass(frozen=True)
class _Reader:
    transformer: Transformer
    symbols: Symbols
    counted: Count | None

    def form(self, row: Coefficients, at: str) -> Any:
        """The linear form at the query's position i or the key's position j."""
        return sum((sympy.Rational(weight.numerator, weight.denominator)
                    * self.content(name, self.transformer.directions[name], at) for name, weight in row.items()),
                   sympy.Integer(0))

    def content(self, name: str, meaning: Meaning, at: str) -> Any:
        match meaning:
            case Position(Expression() as value):
                return self._number(value, at)
            case Truth(formula):
                return self.symbols.of(Held(formula, at))
            case Product(value, formula):
                return self._number(value, at) * self.symbols.of(Held(formula, at))
            case Mean(count) if count is self.counted:
                here = self.symbols.of(Held(count.operand, at))
                return (M + here) / (I if count.side == "left" else N + 1 - I)
        return self.symbols.of(Held(name, at))

    def _number(self, value: Expression, at: str) -> Any:
        return rational_function(value, {"i": I if at == "i" else J, "n": N})


def simplify_score(written: Any, at_key: list[Any]) -> Any:
    """The score without what does not depend on j: a square, if it is quadratic in j; else a sum of products."""
    depends = {J, *at_key}
    expanded = sympy.expand(sympy.cancel(sympy.expand(written)) if _has_quotient(written) else written)
    kept = sympy.Add(*(term for term in sympy.Add.make_args(expanded) if term.free_symbols & depends))
    if kept.free_symbols & set(at_key) or not kept.is_polynomial(J):
        return kept
    coefficients = sympy.Poly(kept, J).all_coeffs()
    if len(coefficients) != 3:
        return kept
    high, middle, _ = coefficients
    return sympy.factor(high) * (J - sympy.factor(sympy.cancel(-middle / (2 * high)))) ** 2


def _has_quotient(written: Any) -> bool:
    """Whether the expression is a quotient that may cancel."""
    return bool(sympy.fraction(sympy.together(written))[1] != 1)


def check_simplified(written: Any, simplified: Any, at_key: list[Any]) -> None:
    """Check that the two differ by the same at every j, as an identity of polynomials: for any i, n and truths.

    Powers of -1 are a letter for each exponent.

    Raises:
        InternalError: if they do not.
    """
    other = {J: OTHER_J, **{symbol: sympy.Symbol(f"{symbol}'", real=True) for symbol in at_key}}
    added = written - simplified
    numerator, _ = sympy.fraction(sympy.together(_with_letters(added - added.subs(other, simultaneous=True))))
    if sympy.expand(numerator) != 0:
        raise InternalError(f"a score that was simplified wrongly: {written} to {simplified}")


def _with_letters(expression: Any) -> Any:
    """The expression with a letter for each power of -1."""
    split = sympy.expand_power_exp(expression)
    powers = sorted(split.atoms(sympy.Pow), key=str)
    return split.xreplace({power: sympy.Symbol(f"({power})") for power in powers
                           if power.base == -1 and power.exp.free_symbols})


def rows_of(length: int) -> Iterator[tuple[int, int, int]]:
    """All (n, i, j) with i, j <= n <= length."""
    for n in range(1, length + 1):
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                yield n, i, j
