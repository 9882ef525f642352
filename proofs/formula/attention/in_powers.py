"""Heads whose weights are rational though their temperature is not, so that an error may equal the allowed one.

Setting. At a row let 1/temperature be Σ r_p ln(p), over primes p, with rational r_p. Then the weight of a score s is
Π p^(s r_p): a rational number, if all differences of scores times r_p are integers. Sums of costs are then exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm, prod
from typing import Any

from constructions.language.arithmetic import NEGATE, run_time
from constructions.language.expressions import Expression, parse_expression
from constructions.language.functions import FUNCTIONS
from proofs.enclosures.exponential import Dyadic
from proofs.formula.attention.costs import room_of, rows_of
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.worst_case import WeighedSweep, minimum_costs
from proofs.formula.common.reading import HeadReading, RowGroup
from proofs.formula.common.sweeps import Sweep
from proofs.formula.two_provers import Disagreement

TEMPERATURE_ONE = parse_expression("1")
MOST_DIVISORS = 10_000
"""Arguments of logarithms are divided by primes up to this; the cofactor is treated as a prime."""
LONGEST = 1 << 15
"""Ratios of weights with more bits are not computed exactly: enclosures are as good."""
CLOSE = 64
"""Rows at which a sum of costs is more than this many bits below the greatest cost are also checked by Z3."""
Logarithms = Mapping[int, Fraction]
"""Σ r_p ln(p), by p."""


class NotPowersError(ArithmeticError):
    """A number that is neither rational, nor a sum of logarithms, nor a rational over a sum of logarithms."""


def logarithms_over(temperature: Expression, i: int, n: int) -> Logarithms:
    """Return 1/temperature at (n, i) as a sum of logarithms.

    >>> {p: str(r) for p, r in logarithms_over(parse_expression("2/(n*ln(12))"), 1, 3).items()}
    {2: '3', 3: '3/2'}

    Raises:
        NotPowersError: if it is not one.
    """
    try:
        found = run_time((1, *temperature.postfix, "/"), _UNARY, _BINARY)({"i": i, "n": n})
    except (ArithmeticError, LookupError):
        raise NotPowersError(temperature.text) from None
    if not isinstance(found, _Sum) or found.inverse:
        raise NotPowersError(temperature.text)
    return found.parts


def stays_within(obligation: AttentionObligation, twice: bool) -> bool | None:
    """Return whether all errors are at most the allowed one, by exact arithmetic; None if weights are not rational.

    If ``twice`` is set, Z3 confirms the rows at which a sum of costs is 0 or relatively small.

    Raises:
        Disagreement: if Z3 contradicts the result.
    """
    reading, head, bound = obligation.reading, obligation.head, obligation.allowed_error
    at_one = replace(head, temperature=TEMPERATURE_ONE)
    rescaled = replace(obligation, head=at_one, reading=HeadReading(
        reading.known, reading.lengths, at_one, reading.value, reading.when, reading.letters))
    try:
        for group, parts in _groups_by_temperature(rescaled, head.temperature):
            weighed = weigh_exactly(rescaled.reading.sweep(group), parts)
            for truth in (False, True):
                minima = minimum_costs(weighed, truth, bound)
                if any(cost < 0 for cost in minima.values()):
                    return False
                if twice:
                    _confirm(rescaled, weighed, truth, minima)
    except NotPowersError:
        return None
    return True


def _groups_by_temperature(obligation: AttentionObligation,
                           temperature: Expression) -> Iterator[tuple[RowGroup, Logarithms]]:
    """Yield the rows that share a query and a temperature."""
    for group in obligation.reading.all_groups() if temperature.mentions_n else obligation.groups:
        found: dict[tuple[tuple[int, Fraction], ...], list[int]] = {}
        for i in group.rows if temperature.mentions_i else group.rows[:1]:
            found.setdefault(tuple(sorted(logarithms_over(temperature, i, group.n).items())), []).append(i)
        for parts, rows in found.items():
            yield replace(group, rows=tuple(rows) if temperature.mentions_i else group.rows), dict(parts)


def weigh_exactly(sweep: Sweep, parts: Logarithms) -> WeighedSweep:
    """Return the sweep with its weights, as exact integers over one unknown factor.

    Raises:
        NotPowersError: if weights are not rational, or too long.
    """
    scores = {option.score for step in sweep.steps for option in step.options}
    least = min(scores)
    weights = {score: _power_product({p: (score - least) * r for p, r in parts.items()}) for score in scores}
    unit = lcm(*(weight.denominator for weight in weights.values()))
    whole = {score: Dyadic(int(weight * unit), int(weight * unit), 0) for score, weight in weights.items()}
    return WeighedSweep(sweep, tuple(tuple(whole[option.score] for option in step.options)
                                     for step in sweep.steps))


def _power_product(exponents: Logarithms) -> Fraction:
    """Return Π p^e.

    Raises:
        NotPowersError: if an exponent is not an integer, or the product is too long.
    """
    if any(e.denominator > 1 for e in exponents.values()) or (
            sum(abs(e) * p.bit_length() for p, e in exponents.items()) > LONGEST):
        raise NotPowersError("a weight")
    return prod((Fraction(p) ** int(e) for p, e in exponents.items()), start=Fraction(1))


def _confirm(obligation: AttentionObligation, weighed: WeighedSweep, truth: bool, minima: Mapping[int, int]) -> None:
    """Confirm by Z3 the rows at which a sum of costs is 0 or relatively small."""
    from proofs.formula.attention.second import proves_row  # z3 takes a fifth of a second to import

    bound, weights = obligation.allowed_error, weighed.weights
    rooms = room_of(weighed.sweep.steps, truth, bound)
    greatest = max(weight.upper for step in weights for weight in step)
    for row in rows_of(weighed.sweep):
        if row.i in minima and minima[row.i] << CLOSE <= greatest:
            read = zip(rooms[len(row.steps) - 1::-1], weights[len(row.steps) - 1::-1], strict=True)
            costs = [[room * weight.lower for room, weight in zip(rooms_here, found, strict=True)]
                     for rooms_here, found in read]
            if not proves_row(obligation, row, truth, costs):
                raise Disagreement(f"Z3 does not find that the error at n = {row.n}, i = {row.i} is at most {bound}, "
                                   "which it is by exact sums")


# -- temperatures ------------------------------------------------------------------------------------------------------


class _Sum:
    """A sum of logarithms, or the inverse of one."""

    def __init__(self, parts: Logarithms, inverse: bool = False):
        self.parts, self.inverse = {p: Fraction(r) for p, r in parts.items() if r}, inverse
        if not self.parts:
            raise NotPowersError("zero")

    def times(self, factor: Fraction) -> _Sum:
        scale = 1 / factor if self.inverse else factor
        return _Sum({p: r * scale for p, r in self.parts.items()}, self.inverse)


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, _Sum) and isinstance(right, _Sum) and not left.inverse and not right.inverse:
        both = {*left.parts, *right.parts}
        return _Sum({p: left.parts.get(p, Fraction(0)) + right.parts.get(p, Fraction(0)) for p in both})
    if isinstance(left, _Sum) or isinstance(right, _Sum):
        if 0 in (left, right):
            return left if right == 0 else right
        raise NotPowersError("a sum")
    return left + right


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, _Sum) and isinstance(right, _Sum):
        raise NotPowersError("a product")
    if isinstance(left, _Sum) or isinstance(right, _Sum):
        some, factor = (left, right) if isinstance(left, _Sum) else (right, left)
        return some.times(Fraction(factor)) if factor else Fraction(0)
    return left * right


def _divide(left: Any, right: Any) -> Any:
    return _multiply(left, _Sum(right.parts, not right.inverse) if isinstance(right, _Sum) else 1 / Fraction(right))


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, _Sum) and exponent == 1:
        return base
    if isinstance(base, _Sum) or exponent.denominator != 1:
        raise NotPowersError("a power")
    return Fraction(base) ** int(exponent)


def _ln(x: Any) -> Any:
    if isinstance(x, _Sum):
        raise NotPowersError("a logarithm of one")
    above, below = _factors(x.numerator), _factors(x.denominator)
    return _Sum({p: Fraction(above.get(p, 0) - below.get(p, 0)) for p in {*above, *below}}) if x != 1 else Fraction(0)


def _factors(x: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for divisor in range(2, min(MOST_DIVISORS, x) + 1):
        while x % divisor == 0:
            found[divisor], x = found.get(divisor, 0) + 1, x // divisor
    return found | ({x: 1} if x > 1 else {})


def _sqrt(x: Any) -> Fraction:
    root = FUNCTIONS["sqrt"](x)
    if root * root != x:
        raise NotPowersError("a root")
    return Fraction(root)


_UNARY: Mapping[str, Any] = {
    NEGATE: lambda x: _multiply(Fraction(-1), x), "ln": _ln, "sqrt": _sqrt,
    "log2ceil": FUNCTIONS["log2ceil"], "log2floor": FUNCTIONS["log2floor"]}
_BINARY: Mapping[str, Any] = {
    "+": _add, "-": lambda left, right: _add(left, _multiply(Fraction(-1), right)), "*": _multiply, "/": _divide,
    "^": _power}
