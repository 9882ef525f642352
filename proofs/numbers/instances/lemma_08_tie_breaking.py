"""Lemma 8: a tie-breaking term makes softmax close to leftmost and rightmost hardmax.

Source      [SHA] Lemma 8: s has a gap of at least 1; (a) ŝ_j = γn²(s_j - 1/j), rightmost; (b) 2γn(s_j + j/(2n)),
            rightmost; (c) 2γn(s_j - j/(2n)), leftmost: |hardmax(s) - softmax(ŝ)|_1 <= 4e^(-γ).
Reduction   Write ŝ_j* - ŝ_j = γ·loss(j), j* the position that wins. Every other position either ties (s_j = s_j*,
            allowed only on the losing side of j*) or is at least 1 less; its loss grows with s_j* - s_j, so a tie
            where allowed and exactly 1 less elsewhere is the worst s for given n and j*: the distance is exactly
            2S/(1+S) with S = Σ e^(-γ·loss(j)).
As printed  If loss(j) >= |j - j*| for ties and for gaps of exactly 1 alike, Lemma 6 applies, for every γ > 0. Losses
            are rational numbers; each length checks all of them.
Sharp form  If the r-th smallest loss is at least r for every r, then S <= x + x² + ... <= x/(1-x) with x = e^(-γ), so
            the distance is at most 2x: half of what is printed. Each length checks this too. In (b) and (c) the worst
            case has losses 1, ..., n-1 exactly, so no constant below 2 serves every n.
Edge        For γ <= 0 the bound is at least 4, and no two weightings are further apart than 2.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import confirmed_if, increasing, instance, power_of_e, sum_of_powers_of_e
from proofs.numbers.instances.examination import Examination, Instance

SHOWN_AT = Fraction(3)
ZERO, ONE, TWO, FOUR = (Fraction(k) for k in (0, 1, 2, 4))
Loss = Callable[[int, int, int, Fraction], Fraction]
"""Of n, j*, j and s_j* - s_j: the loss of j against j*, in units of γ."""


def loss_a(n: int, winner: int, j: int, less: Fraction) -> Fraction:
    """The loss in case (a).

    >>> str(loss_a(3, 3, 2, Fraction(0)))
    '3/2'
    """
    return n * n * (less - Fraction(1, winner) + Fraction(1, j))


def loss_b(n: int, winner: int, j: int, less: Fraction) -> Fraction:
    """The loss in case (b)."""
    return 2 * n * less + winner - j


def loss_c(n: int, winner: int, j: int, less: Fraction) -> Fraction:
    """The loss in case (c)."""
    return 2 * n * less - winner + j


def may_tie(winner: int, j: int, rightmost: bool) -> bool:
    """Whether position j may tie with j* and lose."""
    return j < winner if rightmost else j > winner


def worst_losses(n: int, winner: int, loss: Loss, rightmost: bool) -> list[Fraction]:
    """The smallest losses that the positions other than ``winner`` can have, in increasing order."""
    return sorted(loss(n, winner, j, ZERO if may_tie(winner, j, rightmost) else ONE)
                  for j in range(1, n + 1) if j != winner)


def satisfies_lemma_6(n: int, winner: int, loss: Loss, rightmost: bool) -> bool:
    """Whether every loss, of a tie or of exactly 1 less, is at least the distance."""
    return all(loss(n, winner, j, less) >= abs(j - winner)
               for j in range(1, n + 1) if j != winner
               for less in ((ZERO, ONE) if may_tie(winner, j, rightmost) else (ONE,)))


def distance(losses: Iterable[Fraction], gamma: Fraction) -> Interval:
    """2S/(1+S) at one γ, enclosed."""
    return increasing(sum_of_powers_of_e(-gamma * loss for loss in losses)).scaled(TWO)


def _examine(n: int, loss: Loss, rightmost: bool, factor: Fraction) -> Iterator[Instance]:
    bound = power_of_e(-SHOWN_AT).scaled(factor)
    for winner in range(n, 0, -1) if rightmost else range(1, n + 1):
        losses = worst_losses(n, winner, loss, rightmost)
        proved = (all(lost >= rank for rank, lost in enumerate(losses, start=1)) if factor == TWO
                  else satisfies_lemma_6(n, winner, loss, rightmost))
        yield confirmed_if(proved, instance(
            n, f"j* = {winner}, all that may tie with it do, the others are 1 less; numbers at γ = {SHOWN_AT}",
            distance(losses, SHOWN_AT), bound))


def _examination(case: str, loss: Loss, scores: str, rightmost: bool, factor: Fraction) -> Examination:
    side = "rightmost" if rightmost else "leftmost"
    return Examination(
        f"lemma-08-{case}{'-sharp' if factor == TWO else ''}", f"Lemma 8 {case}",
        f"{side}: |hardmax(s) - softmax(ŝ)|_1 <= {factor}e^(-γ) for ŝ_j = {scores}",
        "every γ > 0 and every s of length n with gap 1",
        lambda n: _examine(n, loss, rightmost, factor))


_CASES: tuple[tuple[str, Loss, str, bool], ...] = (
    ("a", loss_a, "γn²(s_j - 1/j)", True),
    ("b", loss_b, "2γn(s_j + j/(2n))", True),
    ("c", loss_c, "2γn(s_j - j/(2n))", False),
)
EXAMINATIONS = tuple(_examination(*case, factor) for case in _CASES for factor in (FOUR, TWO))
