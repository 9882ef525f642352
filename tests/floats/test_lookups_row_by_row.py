"""Rule 7 of docs/background/floats_rules.md: lookups by the queries that runs store.

Rule 1: equal weights unit by unit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.float_formats import parse_format
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.check import Refusal, check_text
from proofs.check.checker.chapters.float_models.reading import Format as TrustedFormat
from proofs.check.checker.chapters.float_models.reading import read_floats
from proofs.check.checker.chapters.floats import rows as trusted
from proofs.check.checker.chapters.floats.forms import Arithmetic
from proofs.check.checker.chapters.floats.means import Means
from proofs.check.checker.chapters.floats.softmax import Softmax
from proofs.check.checker.kernel.budget import Budget, Cache
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import FORMAT_FIELDS, presets
from proofs.floats import rows
from proofs.floats.claims import FloatClaim, claim_floats
from proofs.floats.outward import exp_down, exp_up
from proofs.floats.uniform import sums_of_units
from proofs.floats.verdict import certified_bounds, find_largest_length
from proofs.formula.certificate import seal
from proofs.formula.discharge import discharge
from tests.floats.test_lemmas_by_brute_force import every_order

ODD, MORE = "ODD(#<[Q_1])", "#<[Q_1] > #<[Q_0]"
LARGEST = [(ODD, "bfloat16", 9), *(pytest.param(formula, "bfloat16/binary32", 14, marks=pytest.mark.exhaustive)
                                 for formula in (ODD, MORE))]
"""Up to which length every run is right by the bounds; of the first two a wrong execution is known at the next one."""
TRUSTED = TrustedFormat(4, -20, 20)
TINY, ZERO = parse_format("float(4,-20,20)"), Fraction(0)
MORE_BITS = trusted.FINE - rows.FINE


def by_the_producer(low: int, high: int) -> tuple[int, int]:
    return rows.rounded((low, high), TINY)


def by_the_checker(low: int, high: int) -> tuple[int, int]:
    found = trusted.rounded(TRUSTED, (low << MORE_BITS, high << MORE_BITS))
    return found[0] >> MORE_BITS, -(-found[1] >> MORE_BITS)


@cache
def sealed(formula: str) -> tuple[str, Any, Any]:
    """Return a certificate for n <= 20, its network and its bounds."""
    network = compile_formula(parse_formula(formula, "01"), ("0", "1"), Regime())
    lines = discharge(network, up_to(20), twice=False)
    return seal(parse_formula(formula, "01"), up_to(20), Regime(), network, lines), network, certified_bounds(lines)


@pytest.mark.parametrize(("formula", "name", "last"), LARGEST)
def test_lookups_are_bounded_up_to_where_they_may_be_wrong(formula: str, name: str, last: int) -> None:
    _, network, bounds = sealed(formula)
    assert find_largest_length(network, bounds, up_to(16), presets()[name]) == last


@pytest.mark.parametrize(("formula", "name", "last"), LARGEST)
def test_the_checker_proves_the_same_lengths(formula: str, name: str, last: int) -> None:
    check_text(claim_floats(sealed(formula)[0], [FloatClaim(presets()[name], last)]).encode())
    with pytest.raises(Refusal):
        check_text(claim_floats(sealed(formula)[0], [FloatClaim(presets()[name], last + 1)]).encode())


@pytest.mark.parametrize("rounded", [by_the_producer, by_the_checker])
def test_a_span_holds_whatever_is_rounded_in_it(rounded: Callable[[int, int], tuple[int, int]]) -> None:
    """Subnormal numbers may be flushed, too; a span of one normal number is what it is rounded to."""
    draw = Random(7)
    for _ in range(500):
        scale = Fraction(2) ** draw.randint(-28, 3)
        low, x, high = sorted(draw.randint(-99, 99) * scale for _ in range(3))
        found, near = rounded(int(low * rows.UNIT), int(high * rows.UNIT)), TINY.round(x)
        is_normal = abs(near) >= TINY.smallest_normal
        assert all(found[0] <= y * rows.UNIT <= found[1] for y in ([near] if is_normal else [near, ZERO]))
        if is_normal:
            assert rounded(int(x * rows.UNIT), int(x * rows.UNIT)) == (near * rows.UNIT, near * rows.UNIT)


@pytest.mark.parametrize("found", [rows.rounded((-1, 1), parse_format("float(4,-1000,20)"), 5),
                                   trusted.rounded(TrustedFormat(4, -1000, 20), (-1, 1), 5)])
def test_what_no_unit_of_a_span_holds_is_moved_outward(found: tuple[int, int]) -> None:
    assert found == (-1, 1)


def rows_of_the_checker(storage: str, sums: str) -> trusted.RowByRow:
    """Its arithmetic, without a network."""
    formats: dict[str, Any] = dict.fromkeys(FORMAT_FIELDS, parse_format(storage))
    formats |= dict.fromkeys(("sums", "softmax"), parse_format(sums))
    run = replace(presets()["bfloat16"], name="tiny", exp_ulp=Fraction(1, 2), **formats)
    (claim,) = read_floats([{**run.to_json(), "max_n": 8}], range(1, 9))
    nothing: Any = SimpleNamespace(budget=Budget())
    softmax = Softmax(nothing.budget, claim, 8)
    return trusted.RowByRow(nothing, nothing, softmax, nothing, "", nothing, Cache())


@pytest.mark.parametrize("sums", ["float(4,-20,20)", "float(6,-20,20)"])
def test_a_score_is_between_what_all_orders_give(sums: str) -> None:
    """Each product fused or not; the sum kept in A, or rounded to C."""
    checker, added, draw = rows_of_the_checker("float(4,-20,20)", sums), parse_format(sums), Random(9)
    for _ in range(60):
        a, b, c, d = (TINY.round(Fraction(draw.randint(-60, 60), 8)) for _ in range(4))
        p, q = added.round(a * b), added.round(c * d)
        ways = {added.round(p + q), added.round(a * b + q), added.round(p + c * d)}
        ways |= {TINY.round(x) for x in ways}
        terms = [(trusted.around(x, x), trusted.around(y, y)) for x, y in ((a, b), (c, d))]
        low, high = checker.sum(terms, is_score=True)
        assert low <= min(ways) * 2**trusted.FINE and max(ways) * 2**trusted.FINE <= high


def test_a_mean_may_be_off_by_what_its_sums_and_three_roundings_lose() -> None:
    """Two weights of 1, values 1 and 3: by the number of roundings, and by tails."""
    checker = rows_of_the_checker("bfloat16", "bfloat16")
    u, flushed = Fraction(1, 256), 3 * 4 * 2 * 3 * Fraction(1, 2**126)
    up, down = (1 + u)**3, 2 - (1 + u)**3
    row, one = trusted.LookupRow([[], []], [1, 3], 2, 1), 1 << trusted.WEIGHT
    by_length, by_tails = checker.computed((Fraction(2), Fraction(2)), row, ([one, one], [one, one]))
    rho = 2 * u / (1 - 2 * u)
    assert by_length == ((2 * down - 2 * rho * up) / (1 + rho) - flushed, (2 + 2 * rho) * up / (1 - rho) + flushed)
    tail, zeta = (1 + rho) * 2 * u / 2, (1 + rho) * 4 * u / 2  # min(u S, T_2) of 1, 1, and of 3, 1, over 2
    assert by_tails[0] <= (2 * down - zeta * up) / (1 + tail) - 3 * flushed
    assert by_tails[1] >= (2 + zeta) * up / (1 - tail) + 3 * flushed
    assert by_tails[1] - (2 + zeta) * up / (1 - tail) - 3 * flushed < Fraction(1, 2**60)


@pytest.mark.parametrize("length", [8, 9, 12, 15])
def test_sums_that_may_be_off_by_more_than_themselves_are_refused(length: int) -> None:
    """Where the product of length and u is 1/2 or more, an upper end over 1 - rho would be below 0."""
    with pytest.raises(Rejected, match=r"too many for sums|too long for its format"):
        rows_of_the_checker("float(4,-20,20)", "float(4,-20,20)").find_error(length)


class EachNumberErrs(trusted.RowByRow):
    """Bounds by which each number errs by an eighth of itself; there are none for several numbers."""

    def _error(self, query: Sequence[tuple[int, int]], case: trusted.LookupRow) -> Fraction | None:
        (low, high), = query
        return Fraction(low, 8 << trusted.FINE) if low == high else None


def test_a_query_errs_by_as_much_as_the_worst_number_that_it_may_be() -> None:
    plain, a_number = rows_of_the_checker("float(4,-20,20)", "float(4,-20,20)"), SimpleNamespace(meaning=None)
    checker = EachNumberErrs(**{**vars(plain), "target": a_number})
    assert checker.prove([(1 << trusted.FINE, 2 << trusted.FINE)], trusted.LookupRow([], [], 0, 1)) == Fraction(1, 4)
    with pytest.raises(Rejected, match="expected at most 1/2"):
        checker.prove([(1 << trusted.FINE, 5 << trusted.FINE)], trusted.LookupRow([], [], 0, 1))


def test_a_weight_may_be_off_by_what_its_distance_is_rounded() -> None:
    """Errors for a score 8 below the greatest: 8 u_X, u_X of the exponential, and u_P."""
    least, most = rows_of_the_checker("bfloat16", "bfloat16").weigh([(0, 0), (-8 << trusted.FINE,) * 2]) or ([], [])
    u = Fraction(1, 256)
    one = 1 << trusted.WEIGHT
    assert least[0] <= one / (1 + u) and one * (1 + u) <= most[0]
    assert least[1] <= exp_down(-8 - 10 * u) * one and exp_up(-8 + 10 * u) * one <= most[1]
    assert exp_down(-8 - 11 * u) * one <= least[1] and most[1] <= exp_up(-8 + 11 * u) * one


def halves_by_the_producer(low: int, high: int) -> list[tuple[int, int]] | None:
    return rows.halves((low, high), TINY)


def halves_by_the_checker(low: int, high: int) -> list[tuple[int, int]] | None:
    found = trusted.cut(TRUSTED, [(5, 5), (low << MORE_BITS, high << MORE_BITS)])
    assert found is None or all(first == (5, 5) for first, _ in found)
    return None if found is None else [(a >> MORE_BITS, b >> MORE_BITS) for _, (a, b) in found]


@pytest.mark.parametrize("halves", [halves_by_the_producer, halves_by_the_checker])
def test_the_halves_of_a_span_hold_all_numbers_of_the_format(
        halves: Callable[[int, int], list[tuple[int, int]] | None]) -> None:
    """Until there is one number left."""
    draw = Random(8)
    for _ in range(20):
        numbers = sorted(TINY.round(Fraction(draw.randint(20, 300), 64)) for _ in range(2))
        sign = draw.choice([-1, 1])
        ends = sorted(int(sign * x * rows.UNIT) for x in numbers)
        left, points = [(ends[0], ends[1])], set()
        while left:
            span = left.pop()
            parts = halves(*span)
            left += parts or []
            points |= {span} if parts is None else set()
        wanted = {TINY.round(Fraction(x, 128)) for x in range(int(numbers[0] * 128), int(numbers[1] * 128) + 1)}
        assert all(low == high for low, high in points)
        assert {sign * x for x in wanted} <= {Fraction(low, rows.UNIT) for low, _ in points}


class TrustedMeans:
    """The checker's sums of equal weights."""

    def __init__(self, unit: Fraction):
        formats: dict[str, Any] = dict.fromkeys(FORMAT_FIELDS, TINY)
        run = replace(presets()["bfloat16"], name="tiny", exp_ulp=Fraction(1, 2), **formats)
        (claim,) = read_floats([{**run.to_json(), "max_n": 8}], range(1, 9))
        self.unit, self.means = unit, Means(Arithmetic(Budget(), claim))

    def ends(self, count: int) -> tuple[Fraction, Fraction]:
        return self.means.sums_of_units(self.unit, count)


@pytest.mark.parametrize("count", range(1, 6))
def test_equal_weights_are_bounded_by_the_worst_orders(count: int) -> None:
    """All values are positive multiples of a unit; there are five or fewer terms."""
    unit, sums = TINY.round(Fraction(1, count + 2)), TINY
    lower, upper = sums_of_units(unit, count, sums)
    assert TrustedMeans(unit).ends(count) == (lower, upper)
    found = set()
    for k in range(1, count + 1):
        for values in combinations_with_replacement(range(1, count + 1), k):
            if sum(values) == count:
                found |= every_order([sums.round(value * unit) for value in values], sums)
    assert lower <= min(found | {count * unit}) and max(found | {count * unit}) <= upper
    assert {sums.round(lower), sums.round(upper)} <= found
