"""A term in the position breaks ties, and keeps a gap (constructions/statements/breaking_ties.py).

Rows        n scores, of which some tie for the greatest and all others are lower by at least γ. A rightmost head is
            given the additional term γj/(2n): then the last of the tied ones leads all others by at least γ/(2n).
Reduction   A position tied with the last one, *, is before it, and loses (* - j)γ/(2n); one lower by at least γ loses
            at least γ - (j - *)γ/(2n). So pairs (j, *) decide it, for γ = 1; the leftmost head is its mirror image.
"""

from collections.abc import Iterable
from fractions import Fraction

from proofs.numbers.instances.comparing import at_least
from proofs.numbers.instances.examination import Examination, Instance


def leads(n: int) -> Iterable[tuple[str, Fraction]]:
    """Yield the least lead of the last of the greatest over each other position, for γ = 1."""
    for last in range(1, n + 1):
        for j in range(1, n + 1):
            if j < last:
                yield f"position {last} over {j}, which ties", Fraction(last - j, 2 * n)
            if j != last:
                yield f"position {last} over {j}, which is lower by γ", 1 + Fraction(last - j, 2 * n)


def _examine(n: int) -> Iterable[Instance]:
    for what, lead in sorted(leads(n), key=lambda found: found[1]):
        yield at_least(n, f"{what}, for γ = 1", lead, Fraction(1, 2 * n))
    if n == 1:
        yield at_least(n, "one position: nothing to exceed", Fraction(0), Fraction(0))


EXAMINATIONS = (
    Examination("ties-broken", "Ties, broken", "with the term γj/(2n) the last of the greatest scores leads by γ/(2n)",
                "all scores of length n with gap γ", _examine),
)
