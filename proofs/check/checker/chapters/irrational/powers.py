"""Heads whose weights are powers of one number, exactly.

Claim. Let all that the head reads be rational except the temperature, which is c/ln(b) at each row, for one rational b
> 1 and rationals c. Then the weight of a score s, exp(s ln(b)/c), is b^(s/c). The rules hold with the temperatures c
and with powers of b in place of those of e, as they only use e > 1; where they need a curvature of at least 1, it is C
ln(b) (`rate`). The computation is exact, by F/d ln(x) + G/d ln(y) = 1/d ln(x^F y^G) for integers F, G and d, and by
ln(b) = -ln(1/b).
"""

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from ...kernel.budget import Budget
from ...kernel.irrational.functions import enclose_ln
from ...kernel.language import Language, Place
from ...kernel.language.evaluation import Values
from ...kernel.numbers import ONE, Number, divide, ends_of, multiply, short_common_multiple, size
from ...kernel.reading.records import Head
from ...kernel.verdicts import TooCoarse
from ...kernel.weights import Weigher
from ..formula.composition import names_in
from ..formula.proof import ProofContext

LONGEST = 1 << 15  # bits of b, and of one weight relative to another


class Power(NamedTuple):
    """The number factor * ln(base)^exponent; the exponent of a rational is 0."""

    factor: Fraction
    exponent: int = 0
    base: Fraction = ONE


def with_powers(proof: ProofContext, head: Head) -> ProofContext:
    """Return the proof with the temperatures c and the weights b^(s/c); raise TooCoarse if they are not powers."""
    language, temperature = copy(proof.language), head.temperature
    language.values = values = PowerValues(language, temperature)
    read = proof.places_of(names_in([*head.queries, *head.keys, *head.values.values()]))
    bases = {values.power(n, i).base for n, _ in proof.lengths([temperature])
             for i in range(1, n + 1 if "i" in language.leaves(temperature) else 2)}
    require_powers(head.weighting == "softmax" and len(bases) == 1 and not any(map(language.may_be_irrational, read)))
    return proof.with_values(language, Powers(proof.budget, bases.pop()))


class PowerValues(Values):
    """Values of places, in which the temperature c/ln(b) has the value c."""

    def __init__(self, language: Language, temperature: Place) -> None:
        super().__init__(language)
        self._language, self._temperature = language, temperature

    def exact(self, value: Number, place: Place, n: int, i: int) -> Fraction:
        """Return the value itself; for the temperature, c."""
        return self.power(n, i).factor if place == self._temperature else super().exact(value, place, n, i)

    def power(self, n: int, i: int) -> Power:
        """Return the temperature c/ln(b) at a row, b > 1."""
        powers: dict[Place, Power] = {}
        for place in self.order(self._temperature):
            value, parts = self.enclose_at(place, n, i), [powers[part] for part in self._language.parts(place)]
            powers[place] = Power(value) if isinstance(value, Fraction) else combine(
                self._budget, self._language.nodes[place].operator, parts)
        factor, exponent, base = powers[self._temperature]
        require_powers(exponent == -1)
        return Power(factor, -1, base) if base > 1 else Power(-factor, -1, 1 / base)


def require_powers(condition: bool) -> None:
    """Raise TooCoarse unless the condition holds: then enclosures are used instead."""
    if not condition:
        raise TooCoarse("the weights are not powers of one rational")


def combine(budget: Budget, name: str, parts: Sequence[Power]) -> Power:
    """Return the value of an operation or a function that is irrational."""
    (x, *_, y), sign = [*parts[:1], *parts], -1 if name in ("-", "/") else 1
    if name == "ln" and not x.exponent:
        return Power(ONE, 1, x.factor)
    if name in ("*", "/") and not (x.exponent and y.exponent):
        factor = (multiply if name == "*" else divide)(budget, x.factor, y.factor)
        return Power(factor, x.exponent + sign * y.exponent, x.base if x.exponent else y.base)
    if name in ("+", "-") and not x.factor:
        return Power(sign * y.factor, y.exponent, y.base)
    d = lcm(x.factor.denominator, y.factor.denominator)
    f, g = int(x.factor * d), int(sign * y.factor * d)
    require_powers(name in ("+", "-") and x.exponent == y.exponent == 1)
    require_powers(abs(f) * size(x.base) + abs(g) * size(y.base) <= LONGEST)
    return Power(Fraction(1, d), 1, multiply(budget, x.base**f, y.base**g))


class Powers(Weigher):
    """Weights b^s, exactly; TooCoarse is raised if roots of b are irrational, or integers would be too long."""

    def __init__(self, budget: Budget, base: Fraction) -> None:
        super().__init__(budget, 0)
        self._base, self.rate = base, ends_of(enclose_ln(base, budget)).lower

    def least_terms(self, scores: Sequence[Fraction], factors: Sequence[int]) -> list[int]:
        """Return the terms factor * b^score, all in one unit, exactly.

        Proof. Let r = p/q, r^d = b, and e = d (s - m) from 0 to g, m the least score. The terms are factor p^e q^(g -
        e), in units of b^m / q^g.
        """
        least, d = min(scores), short_common_multiple(self._budget, [score.denominator for score in scores]) or 0
        require_powers(d > 0)
        root = find_root(self._base, d)
        require_powers((max(scores) - least) * d * size(root) <= LONGEST)
        (p, q), exponents = root.as_integer_ratio(), [int((score - least) * d) for score in scores]
        greatest = max(exponents)
        bits = greatest * size(root) + max(map(int.bit_length, factors))
        self._budget.spend((size(self._base) ** 2 >> 12) + len(scores) * (8 + (bits >> 8)))
        with self._budget.holding(bits * len(scores)):
            return [factor * p**e * q ** (greatest - e) for e, factor in zip(exponents, factors, strict=True)]


def find_root(x: Fraction, d: int) -> Fraction:
    """Return the rational r > 0 with r^d = x, found bit by bit; raise TooCoarse if no rational is the root."""
    ends = [0, 0]
    for which, whole in enumerate(x.as_integer_ratio()):
        for bit in reversed(range(whole.bit_length() // d + 1)):
            if (ends[which] + (1 << bit)) ** d <= whole:
                ends[which] += 1 << bit
        require_powers(ends[which] ** d == whole)
    return Fraction(*ends)
