"""Theorem 6 of [Hahn] for 2DYCK: it holds, with constants; a sentence of its proof is about pairs of words only.

Source      [Hahn] Theorem 6: cross-entropy "is at least separated from the optimal cross-entropy by some constant ε > 0
            (2DYCK)"; in the proof, "when such a prefix x is followed by the correct closing bracket, say ')', the model
            will incur, as n → ∞, a cross-entropy on the second task of at least log 2". The distribution is in
            ``proofs/numbers/cross_entropy/brackets.py``, the bound in ``proofs/numbers/cross_entropy/bounds.py``.
Statement   CE_n - optimal >= P_0(n)(1-p) ln(1 + e^(-s/2)), where exchanging the type of one bracket before the last
            changes the log-odds of ) against ] at n by at most s, the only constant of the network in it. With s
            at most 4/5, ln(1 + e^(-s/2)) >= ln 2 - s/4 > 49/100, so the excess is at least a constant ε wherever P_0(n)
            is at least one: each length compares it with (1-p) min(P_0(3), P_0(4))·49/100. At n = 1 and 2 no
            prefix ends with a closing bracket inside another one, and P_0 = 0.
Step        The cost of a single prefix depends on the network's constant choice: log-odds 4 of ) after "(()" cost
            ln(1 + e^(-4)) = 0.018 < ln 2 when ) follows, at every n. It is the mean over x and x' that is at least
            ln(1 + e^(-s/2)), which tends to ln 2 from below.
Closing     Masses by paths: B(n+1, k) = B(n, k-1) + B(n, k+1) against the formula, and the share of paths whose last
            step is down, (k+2)(n-k)/(2(k+1)n), for every p.
Limits      For p < 1/2 P_0(n) tends to two different constants, from below: it is at least limit - 12p/(n+4) over even
            n and limit - 3/(n+3) over odd n, for every n >= 1: ``share_asked_even_near``, ``share_asked_odd_near`` of
            proofs/coq/hahn/share_asked_limits.v. Each length compares it with both ends at p = 1/5 and 2/5.
"""

from collections.abc import Iterator
from fractions import Fraction

from proofs.enclosures.intervals import point
from proofs.numbers.cross_entropy import brackets
from proofs.numbers.cross_entropy.entropies import one_bit, softplus
from proofs.numbers.instances.comparing import at_least, equality, instance
from proofs.numbers.instances.examination import Examination, Instance, Replay

ZERO, HALF, TWO = Fraction(0), Fraction(1, 2), Fraction(2)
PROBABILITIES = (Fraction(1, 5), Fraction(2, 5), HALF, Fraction(3, 5))
SENSITIVITY = Fraction(4, 5)
LEAST = Fraction(49, 100)
FIRST = 3
LOG_ODDS = Fraction(4)
STEP = Replay("hahn_theorem_6_brackets.json", "(()")


def _nothing_is_asked(n: int) -> Instance:
    return equality(n, "no prefix ends with a closing bracket inside another one", brackets.asked_for_type(n, HALF),
                    ZERO)


def _statement(n: int) -> Iterator[Instance]:
    if n < FIRST:
        yield _nothing_is_asked(n)
        return
    for p in PROBABILITIES:
        least = min(brackets.asked_for_type(m, p) for m in (FIRST, FIRST + 1))
        forced = softplus(point(-SENSITIVITY / 2)).scaled(brackets.asked_for_type(n, p) * (1 - p))
        yield at_least(n, f"p = {p}, s = {SENSITIVITY}: ε = {(1 - p) * least * LEAST}", forced, (1 - p) * least * LEAST)


def _step(n: int) -> Iterator[Instance]:
    if n < FIRST:
        yield _nothing_is_asked(n)
        return
    yield at_least(n, "log-odds 4 of ) against ] everywhere, a prefix after which ) closes",
                   softplus(point(-LOG_ODDS)), one_bit(), STEP)


def paths_by_steps(n: int) -> list[int]:
    """Return B(n, k) for k = 0, ..., n, computed step by step.

    >>> paths_by_steps(4)
    [2, 0, 3, 0, 1]
    """
    found = [1]
    for _ in range(n):
        higher = [0, *found]
        lower = [*found[1:], 0, 0]
        found = [up + down for up, down in zip(higher, lower, strict=True)]
    return found


def _closing(n: int) -> Iterator[Instance]:
    before = [*paths_by_steps(n - 1), 0, 0]
    for k in range(n % 2, n + 1, 2):
        share = Fraction((k + 2) * (n - k), 2 * (k + 1) * n)
        yield equality(n, f"paths to height {k} that end downwards", Fraction(before[k + 1]),
                       share * brackets.paths(n, k))


def distance_from_limit(n: int, p: Fraction) -> Fraction:
    """Return an upper bound of the limit of P_0(n) minus P_0(n).

    >>> str(distance_from_limit(2, Fraction(1, 5))), str(distance_from_limit(3, Fraction(1, 5)))
    ('2/5', '1/2')
    """
    return Fraction(3, n + 3) if n % 2 else 12 * p / (n + 4)


def _limits(n: int) -> Iterator[Instance]:
    for p in PROBABILITIES[:2]:
        limit, share = brackets.limits_of_asked(p)[n % 2], brackets.asked_for_type(n, p)
        where = f"p = {p}, the limit over {'odd' if n % 2 else 'even'} n is {limit}"
        yield at_least(n, f"{where}, less {distance_from_limit(n, p)}", share, limit - distance_from_limit(n, p))
        yield instance(n, where, share, limit)


NAME = "Hahn, Theorem 6 (2DYCK)"
EXAMINATIONS = (
    Examination("hahn-theorem-6-brackets", NAME,
                "the cross-entropy exceeds the optimal one by a constant ε > 0 where s <= 4/5 and n >= 3",
                "every network with s(n) <= 4/5; p = 1/5, 2/5, 1/2, 3/5", _statement),
    Examination("hahn-theorem-6-brackets-step", NAME,
                "after each such prefix the second task costs at least ln 2, in the proof",
                "one network, the same at every n", _step),
    Examination("hahn-theorem-6-brackets-masses", NAME,
                "(k+1)/(n+1) C(n+1, (n-k)/2) paths lead to height k", "every p and every prefix of length n",
                lambda n: (equality(n, f"paths to height {k}", Fraction(count), Fraction(brackets.paths(n, k)))
                           for k, count in enumerate(paths_by_steps(n)))),
    Examination("hahn-theorem-6-brackets-closing", NAME,
                "of the prefixes of height k the share (k+2)(n-k)/(2(k+1)n) ends with a closing bracket",
                "every p and every prefix of length n", _closing),
    Examination("hahn-theorem-6-brackets-limits", NAME,
                "P_0(n) is below its limit by at most 12p/(n+4) over even n, by at most 3/(n+3) over odd n",
                "p = 1/5, 2/5", _limits),
)
