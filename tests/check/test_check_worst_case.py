"""The worst case against brute force over every sequence of letters, in high precision."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from proofs.check import Rejected, check_text
from proofs.check.checker.kernel.exponential import enclose_exp
from tests.check import handmade

DIGITS = 10**12


def least_accepted(made: handmade.Json, side: str) -> Fraction:
    """Return the least multiple of 10^-12 that the checker accepts on one side of every near direction."""
    low, high = -1, DIGITS // 4
    while high - low > 1:
        middle = (low + high) // 2
        for bound in made["bounds"]:
            bound[side] = str(Fraction(middle, DIGITS))
        try:
            check_text(handmade.dump(made))
        except Rejected as error:
            assert side in str(error)
            low = middle
        else:
            high = middle
    for bound in made["bounds"]:
        bound[side] = "1/4"
    return Fraction(high, DIGITS)


Letter = tuple[bool, bool]
LETTERS: list[Letter] = list(itertools.product((False, True), (False, True)))


def since(word: tuple[Letter, ...]) -> bool:
    held = False
    for left, right in word:
        held = left and (right or held)
    return held


def worst_by_brute_force(
    lengths: range,
    score: Callable[[Letter, int, int, int], Fraction],
    value: Callable[[Letter], int],
    target: Callable[[tuple[Letter, ...]], bool],
    rows: Callable[[int, int], bool] = lambda n, i: True,
    letters: list[Letter] = LETTERS,
) -> tuple[mpf, mpf]:
    """Return the greatest error where the target is false, and where it is true."""
    worst = [mpf(0), mpf(0)]
    with mp.workdps(60):
        for n, i in [(length, row) for length in lengths for row in range(1, length + 1) if rows(length, row)]:
            weight = {
                (b, j): mp.exp(mpf(s.numerator) / s.denominator)
                for j in range(1, i + 1)
                for b in letters
                for s in [score(b, n, i, j)]
            }
            for word in itertools.product(letters, repeat=i):
                total = mp.fsum(weight[b, j] for j, b in enumerate(word, 1))
                mean = mp.fsum(weight[b, j] * value(b) for j, b in enumerate(word, 1)) / total
                truth = target(word)
                worst[truth] = max(worst[truth], abs(truth - mean))
    return worst[0], worst[1]


def agree(made: handmade.Json, worst: tuple[mpf, mpf]) -> None:
    for bound in made["bounds"]:
        bound["error_if_false"] = bound["error_if_true"] = "1/4"
    for side, expected in zip(("error_if_false", "error_if_true"), worst, strict=True):
        found = least_accepted(made, side)
        assert 0 <= mpf(found.numerator) / found.denominator - expected + mpf(10) ** -12 < 1e-9


def good(letter: Letter) -> int:
    return int(letter[0] and letter[1])


def test_since_at_temperature_1_over_n() -> None:
    def score(b: Letter, n: int, i: int, j: int) -> Fraction:
        return n * 4 * ((not b[0] or b[1]) + Fraction(j, 2 * n))

    made = handmade.since_certificate(5, gain=4)
    agree(made, worst_by_brute_force(range(1, 6), score, good, since))


def test_since_at_length_6() -> None:
    def score(b: Letter, n: int, i: int, j: int) -> Fraction:
        return n * 6 * ((not b[0] or b[1]) + Fraction(j, 2 * n))

    three = [b for b in LETTERS if b != (False, True)]
    worst = worst_by_brute_force(range(6, 7), score, good, since, letters=three)
    full = worst_by_brute_force(range(1, 5), score, good, since)
    made = handmade.since_certificate(6)
    agree(made, (max(worst[0], full[0]), max(worst[1], full[1])))


def test_until_is_the_mirror() -> None:
    def score(b: Letter, n: int, i: int, j: int) -> Fraction:
        # read backwards: the first letter read is the last position, and later letters are nearer to row i
        position = n + 1 - j
        return n * (6 * (not b[0] or b[1]) - 3 * Fraction(position, n))

    made = handmade.until_certificate(5)
    agree(made, worst_by_brute_force(range(1, 6), score, good, since))


def test_causal_since_at_temperature_1_over_i_squared() -> None:
    def score(b: Letter, n: int, i: int, j: int) -> Fraction:
        return 3 * i * i * ((not b[0] or b[1]) - Fraction(1, j))

    made = handmade.causal_certificate(5)
    agree(made, worst_by_brute_force(range(5, 6), score, good, since))


@pytest.mark.parametrize("which", [0, 1])
def test_prev_by_parity(which: int) -> None:
    def score(b: Letter, n: int, i: int, j: int) -> Fraction:
        return n * (6 * Fraction((-1) ** j if which else -((-1) ** j)) + Fraction(3 * j, n))

    made = handmade.prev_certificate(6)
    letters = [(False, False), (True, False)]
    worst = worst_by_brute_force(
        range(1, 7),
        score,
        lambda b: int(b[0]),
        lambda word: len(word) > 1 and word[-2][0],
        lambda n, i: i % 2 == which and i > 1,
        letters,
    )
    for bound in made["bounds"]:
        bound["error_if_false"] = bound["error_if_true"] = "1/4"
    bound = made["bounds"][which]
    for side, expected in zip(("error_if_false", "error_if_true"), worst, strict=True):
        low, high = -1, DIGITS // 4
        while high - low > 1:
            middle = (low + high) // 2
            bound[side] = str(Fraction(middle, DIGITS))
            try:
                check_text(handmade.dump(made))
                high = middle
            except Rejected:
                low = middle
        bound[side] = "1/4"
        assert abs(mpf(high) / DIGITS - expected) < 1e-9


def test_the_rejection_names_the_place_and_the_worst_case() -> None:
    with pytest.raises(Rejected) as caught:
        check_text(handmade.dump(handmade.since_certificate(6, errors=("1/100", "1/4"))))
    message = str(caught.value)
    assert "layer 1, head 1, direction 'near'" in message
    assert "error_if_false 1/100 is below the worst case at n = " in message
    assert "n = 6, i = " in message


@pytest.mark.parametrize("gain", [2, 4])
def test_a_weak_gain_is_rejected(gain: int) -> None:
    """With too small a gain no bound of at most 1/4 can hold once words are long."""
    made = handmade.since_certificate(8, gain=gain, errors=("1/4", "1/4"))
    if gain == 2:
        with pytest.raises(Rejected, match="below the worst case"):
            check_text(handmade.dump(made))
    else:
        check_text(handmade.dump(made))


def test_wide_enclosures_weaken_the_bound_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each weight is taken at the end that hurts: with weights known to 10%, errors grow by (1 + d)/(1 - d)."""
    made = handmade.since_certificate(4)
    for bound in made["bounds"]:
        bound["error_if_false"] = bound["error_if_true"] = "1/4"
    exact = [least_accepted(made, side) for side in ("error_if_false", "error_if_true")]

    def wide(x: Fraction, bits: int, most: int) -> tuple[int, int, int]:
        lower, upper, e = enclose_exp(x, bits, most)
        return lower * 9, -(-upper * 11), e

    monkeypatch.setattr("proofs.check.checker.kernel.weights.enclose_exp", wide)
    for side, e in zip(("error_if_false", "error_if_true"), exact, strict=True):
        expected = e * 11 / (e * 11 + (1 - e) * 9)
        assert abs(least_accepted(made, side) - expected) < Fraction(1, 10**10)
