"""Terms of sums of weights: their sums have the signs of the exact ones, however far scores are apart."""

import random
from fractions import Fraction

from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.exponential import enclose_exp
from proofs.check.checker.kernel.weights import Weigher


def sign(x: Fraction | int) -> int:
    return (x > 0) - (x < 0)


def exact_terms(scores: list[Fraction], factors: list[int]) -> list[Fraction]:
    """factor * weight, the weight at the end that makes it smaller, in no units at all."""
    return [factor * (lower if factor >= 0 else upper) * Fraction(2) ** e
            for factor, (lower, upper, e) in zip(factors, map(enclose_exp, scores), strict=True)]


def test_sums_with_repetitions_have_the_signs_of_the_exact_ones() -> None:
    """The lowest terms decide the sign if blocks cancel to 0 exactly, and do not if they nearly cancel."""
    draw = random.Random(1)
    for _ in range(300):
        places = [Fraction(-draw.choice((0, 1, 90, 700, 5000)) - draw.randrange(3)) for _ in range(3)]
        scores = [draw.choice([Fraction(0), *places]) for _ in range(6)]
        factors = [draw.choice((-1, 1, draw.randrange(-(10**9), 10**9), 10**40)) for _ in scores]
        terms, exact = Weigher(Budget()).least_terms(scores, factors), exact_terms(scores, factors)
        for _ in range(30):
            times = [draw.choice((0, 0, 1, draw.randrange(680))) for _ in scores]
            assert (sign(sum(k * term for k, term in zip(times, terms, strict=True)))
                    == sign(sum(k * term for k, term in zip(times, exact, strict=True))))


def test_as_many_terms_as_a_word_has_letters_do_not_reach_the_next_block() -> None:
    scores, factors = [Fraction(0), Fraction(-(10**60)), Fraction(-2 * 10**60)], [-1, 2**300 + 1, -1]
    high, low, lowest = Weigher(Budget()).least_terms(scores, factors)
    assert high + 4096 * low < 0 < low + 4096 * lowest and high.bit_length() < 2000


def test_an_enclosure_of_any_size_costs_a_short_integer() -> None:
    (term,) = Weigher(Budget()).least_terms([Fraction(-(10**300))], [1])
    assert 0 < term < 2**1200
