import math
import random
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import fmpq

from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy import parity
from proofs.numbers.cross_entropy.bounds import least_cost_of_pair
from tests.numbers.cross_entropy.enumeration import PROBABILITIES, is_even, parity_prefixes, softplus, with_other_bit
from tests.numbers.instances.helpers import examined, verdicts

NOTED = {Fraction(1, 10): (0.821031, 0.856932, 0.857005), Fraction(1, 2): (0.866434, 1.063398, 1.082196),
         Fraction(9, 10): (0.543772, 0.759894, 1.069370)}


def test_the_theorem_fails_from_two_symbols_on_and_so_does_its_step() -> None:
    for name in ("hahn-theorem-6-parity", "hahn-theorem-6-parity-step"):
        assert [verdicts(name, n) for n in (1, 2, 3, 100)] == [{True}, {False}, {False}, {False}]
    (found,) = examined("hahn-theorem-6-parity", 2)
    assert found.value.upper < Fraction(10635, 10000) and found.bound.lower > Fraction(10821, 10000)
    assert found.side == "at least"


@pytest.mark.parametrize("name", ["masses", "last", "entropies", "repaired", "attained"])
def test_the_repair_and_its_parts_hold(name: str) -> None:
    assert all(verdicts(f"hahn-theorem-6-parity-{name}", n) == {True} for n in (1, 2, 3, 8))


@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("n", range(1, 9))
def test_masses_are_those_of_all_words(n: int, p: Fraction) -> None:
    masses = parity_prefixes(n, p)
    even, odd = (sum(mass for word, mass in masses.items() if is_even(word) == wanted) for wanted in (True, False))
    assert even == odd == (1 - p) / 2 * (1 - p / 2) ** (n - 1)
    by_count = [Fraction(str(mass(fmpq(p.numerator, p.denominator)))) for mass in parity.masses_by_count(n)]
    assert by_count == [sum(mass for word, mass in masses.items() if word.count("1") == count)
                        for count in range(n + 1)]
    for last in (0, 1):
        ending = {word: mass for word, mass in masses.items() if word.endswith(str(last))}
        assert 2 * sum(ending.values()) == even + odd
        assert sum(mass for word, mass in ending.items() if is_even(word)) == (
            parity.share_of_even(last, p, n) * sum(ending.values()))


def entropy(*shares: Fraction) -> mpmath.mpf:
    numbers = [exact(share) for share in shares if share]
    return -sum(x * mpmath.log(x) for x in numbers)


@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_entropies_are_those_of_the_next_symbol_given_what_is_known(n: int, p: Fraction) -> None:
    """Grouped by what is known of the prefix: all, the last symbol, nothing; by mpmath to 40 digits."""
    masses = parity_prefixes(n, p)
    with mpmath.workdps(50):
        for found, known in ((parity.optimal_entropy(p), is_even), (parity.last_symbol_entropy(p, n), last_symbol),
                             (parity.unigram_entropy(p), len)):
            expected = conditional_entropy(masses, p, known)
            assert abs(expected - exact(found.lower)) < mpmath.mpf(10) ** -30
            assert found.upper - found.lower < Fraction(1, 10**30)


def last_symbol(word: str) -> str:
    return word[-1]


def exact(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def conditional_entropy(masses: dict[str, Fraction], p: Fraction, known: Callable[[str], object]) -> mpmath.mpf:
    groups: dict[object, list[Fraction]] = {}
    for word, mass in masses.items():
        group = groups.setdefault(known(word), [Fraction(0), Fraction(0)])
        group[0] += mass
        group[1] += mass * p * is_even(word)
    everything = sum(group[0] for group in groups.values())
    found = mpmath.mpf(0)
    for mass, end in groups.values():
        share = end / mass
        rest = (1 - share) / 2
        found += entropy(share, rest, rest) * exact(mass / everything)
    return found


@pytest.mark.parametrize("p", PROBABILITIES)
def test_the_three_entropies_have_the_known_values(p: Fraction) -> None:
    found = (parity.optimal_entropy(p), parity.last_symbol_entropy(p), parity.unigram_entropy(p))
    assert [float(one.lower) for one in found] == pytest.approx(NOTED[p], abs=5e-7)


@pytest.mark.parametrize("p", PROBABILITIES)
def test_no_random_model_is_better_than_its_sensitivity_allows(p: Fraction) -> None:
    draw, chance = random.Random(6), float(parity.last_symbol_entropy(p).lower)
    unigram = float(parity.unigram_entropy(p).lower)
    for _ in range(20):
        n, size, leaning = draw.randint(2, 6), draw.choice([0, 0.05, 0.3, 1]), draw.choice([0, 0.05, 0.1, 2])
        masses = parity_prefixes(n, p)
        own = draw.choice([0, 0.5])
        odds = {word: draw.gauss(-1, size) + leaning * is_even(word) + own * int(word[-1]) for word in masses}
        before, anywhere = (max(abs(odds[word] - odds[with_other_bit(word, place)]) for word in masses
                                for place in range(places)) for places in (n - 1, n))
        found = cross_entropy(masses, odds, float(p))
        slack = 1e-12
        assert found >= chance - float(p * (1 - p) / (2 - p) ** 2) * before - slack
        assert found >= unigram - float(p) / 4 * anywhere - slack
        assert found >= sharp_bound(p, Fraction(before)) - slack


def cross_entropy(masses: dict[str, Fraction], odds: dict[str, float], p: float) -> float:
    everything = float(sum(masses.values()))
    ends = sum(float(mass) * (p * softplus(-odds[word]) + (1 - p) * softplus(odds[word]) if is_even(word)
                              else softplus(odds[word])) for word, mass in masses.items())
    return ends / everything + (1 - p / 2) * math.log(2)


def sharp_bound(p: Fraction, sensitivity: Fraction) -> float:
    halves = [least_cost_of_pair(parity.share_of_even(last, p), p, sensitivity) for last in (0, 1)]
    return float(sum(half.lower for half in halves) / 2 + parity.cost_of_symbols(p).lower)


@pytest.mark.parametrize("sensitivity", [Fraction(1, 7), Fraction(2)])
def test_the_least_cost_of_a_pair_is_a_minimum(sensitivity: Fraction) -> None:
    share, p = Fraction(1, 3), Fraction(1, 2)
    least = least_cost_of_pair(share, p, sensitivity)
    costs = [float(share) * (softplus(a) - float(p) * a) + float(1 - share) * softplus(a - float(sensitivity))
             for a in (k / 1000 for k in range(-4000, 4000))]
    assert isinstance(least, Interval) and least.upper - least.lower < Fraction(1, 10**9)
    assert min(costs) == pytest.approx(float(least.lower), abs=1e-6) and min(costs) >= float(least.lower)
