"""One head whose weights depend on their own pair only must add numbers that grow exponentially with n.

Head        At i = n it outputs c + Σ f_j(w_j), each w_j *yes*, *no* or *none*: at most 1/4 if the last decision is no,
            or there is none, and at least 3/4 if it is yes. All f_j are free, and so are the embeddings.
Lower bound With y_j = f_j(yes) - f_j(none), o_j = f_j(none) - f_j(no), and t >= 0 such that the output is 1/4 - t
            without decisions: no before k, yes at k, none after: y_k >= 1/2 + t + Σ_(j<k) o_j. Yes before k, no at k,
            none after: o_k >= Σ_(j<k) y_j - t. So c_k = y_k + o_k >= 1/2 + Σ_(j<k) c_j >= 2^(k-2), and some |f_n| is at
            least 2^(n-3).
Attained    With equality everywhere and t = 0, f_j(yes) = c_j/2 = -f_j(no), and f_j(none) between them, every word is
            right, which is decided by running all 3^n of them; and no |f_j| is above c_n/2.
Escape      Two or more layers: a head that counts, and then heads that read the count (additive_attention.py).
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from proofs.numbers.instances.comparing import equality, instance, undecided
from proofs.numbers.instances.examination import Examination, Instance

LONGEST = 9
"""The greatest length whose words are run."""
QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
Values = tuple[Fraction, Fraction, Fraction]
"""The contribution of a position for yes, no, and none."""


def least_values(n: int) -> list[Values]:
    """Return the values of positions 1 to n with equality in both bounds.

    >>> [[str(x) for x in values] for values in least_values(3)]
    [['1/4', '-1/4', '-1/4'], ['1/2', '-1/2', '0'], ['1', '-1', '0']]
    """
    found: list[Values] = []
    yes = no = Fraction(0)
    for _ in range(n):
        rise, fall = HALF + no, yes
        half = (rise + fall) / 2
        found.append((half, -half, half - rise))
        yes, no = yes + rise, no + fall
    return found


def output(values: list[Values], word: Iterable[int]) -> Fraction:
    """Return the output of the head at the end of a word, whose positions are 0 (yes), 1 (no) or 2 (none)."""
    start = QUARTER - sum((nothing for _, _, nothing in values), Fraction(0))
    return start + sum((each[decision] for each, decision in zip(values, word, strict=True)), Fraction(0))


def _miss(values: list[Values], word: tuple[int, ...]) -> Fraction:
    """Return the error of the head."""
    deciding = [decision for decision in word if decision != 2]
    truth = bool(deciding) and deciding[-1] == 0
    return 1 - output(values, word) if truth else output(values, word)


def _examine(n: int) -> Iterable[Instance]:
    values = least_values(n)
    greatest = max(abs(value) for each in values for value in each)
    yield equality(n, "the greatest value of the head with equality", greatest, Fraction(2)**(n - 3))
    if n > LONGEST:
        yield undecided(n, f"3^{n} words: they are not run above n = {LONGEST}", QUARTER)
        return
    worst = max(product((0, 1, 2), repeat=n), key=lambda word: _miss(values, word))
    yield instance(n, f"all 3^{n} words, of which {''.join('yn-'[decision] for decision in worst)} errs most",
                   _miss(values, worst), QUARTER)


EXAMINATIONS = (
    Examination("additive-head-values", "One additive head",
                "one head that finds the last decision adds numbers of absolute value 2^(n-3), and not less",
                "all heads whose weights depend on their own pair only", _examine),
)
