"""Lemma 8: a tie-breaking term makes softmax close to leftmost and rightmost hardmax.

Source      [SHA] Lemma 8: s has a gap of at least 1; (a) ŝ_j = γn²(s_j - 1/j), rightmost; (b) 2γn(s_j + j/(2n)),
            rightmost; (c) 2γn(s_j - j/(2n)), leftmost: |hardmax(s) - softmax(ŝ)|_1 <= 4e^(-γ).
Reduction   Write ŝ_j* - ŝ_j = γ·loss(j), j* the position that wins. Every other position either ties (s_j = s_j*,
            allowed only on the losing side of j*) or is at least 1 less; its loss grows with s_j* - s_j, so a tie
            where allowed and exactly 1 less elsewhere is the worst s for given n and j*: the distance is exactly
            2S/(1+S) with S = Σ e^(-γ·loss(j)).
As printed  If loss(j) >= |j - j*| both for ties and for gaps of exactly 1, Lemma 6 applies, for every γ > 0. Losses
            are rational numbers; each length checks all of them.
Sharp form  If the r-th smallest loss is at least r for every r, then S <= x + x² + ... <= x/(1-x) with x = e^(-γ), so
            the distance is at most 2x: half of what is printed. Each length checks this too. In (b) and (c) the worst
            case has losses 1, ..., n-1 exactly, so no constant below 2 is enough for every n.
Edge        For γ <= 0 the bound is at least 4, and no two weightings are further apart than 2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import fmpq

from proofs.enclosures.intervals import Interval
from proofs.enclosures.rationals import from_flint
from proofs.numbers.instances.comparing import confirmed_if, increasing, instance, power_of_e, sum_of_powers_of_e
from proofs.numbers.instances.examination import Examination, Instance

SHOWN_AT = Fraction(3)
TWO, FOUR = Fraction(2), Fraction(4)


@dataclass(frozen=True)
class TieBreakingTerm:
    """A tie-breaking term: ŝ_j as printed, the tied position that wins, ŝ_j/γ as a FLINT rational of n, j and s_j."""

    printed: str
    rightmost: bool
    score: Callable[[int, int, Any], Any]

    def loss(self, n: int, winner: int, j: int, less: Any) -> Any:
        """Return the loss of j against j* in units of γ, if s_j is lower by ``less``.

        >>> CASES["a"].loss(3, 3, 2, 0)
        3/2
        """
        return self.score(n, winner, less) - self.score(n, j, 0)

    def may_tie(self, winner: int, j: int) -> bool:
        """Return whether position j may tie with j* and lose."""
        return j < winner if self.rightmost else j > winner


CASES = {
    "a": TieBreakingTerm("γn²(s_j - 1/j)", True, lambda n, j, s: n * n * (s - fmpq(1, j))),
    "b": TieBreakingTerm("2γn(s_j + j/(2n))", True, lambda n, j, s: 2 * n * (s + fmpq(j, 2 * n))),
    "c": TieBreakingTerm("2γn(s_j - j/(2n))", False, lambda n, j, s: 2 * n * (s - fmpq(j, 2 * n))),
}


def worst_losses(n: int, winner: int, case: TieBreakingTerm) -> tuple[Fraction, ...]:
    """Return the smallest losses that the positions other than ``winner`` can have, in increasing order."""
    losses = sorted(case.loss(n, winner, j, not case.may_tie(winner, j)) for j in range(1, n + 1) if j != winner)
    return tuple(map(from_flint, losses))


def satisfies_lemma_6(n: int, winner: int, case: TieBreakingTerm) -> bool:
    """Return whether every loss, of a tie or of exactly 1 less, is at least the distance."""
    return all(case.loss(n, winner, j, less) >= abs(j - winner)
               for j in range(1, n + 1) if j != winner
               for less in ((0, 1) if case.may_tie(winner, j) else (1,)))


@lru_cache(maxsize=10_000)
def distance(losses: tuple[Fraction, ...], gamma: Fraction) -> Interval:
    """Enclose 2S/(1+S) at one γ; the cases (b) and (c) have the same losses, in both forms."""
    return increasing(sum_of_powers_of_e(-gamma * loss for loss in losses)).scaled(TWO)


def _examine(n: int, case: TieBreakingTerm, factor: Fraction) -> Iterator[Instance]:
    bound = power_of_e(-SHOWN_AT).scaled(factor)
    for winner in range(n, 0, -1) if case.rightmost else range(1, n + 1):
        losses = worst_losses(n, winner, case)
        proved = (all(lost >= rank for rank, lost in enumerate(losses, start=1)) if factor == TWO
                  else satisfies_lemma_6(n, winner, case))
        yield confirmed_if(proved, instance(
            n, f"j* = {winner}, all that may tie with it do, the others are 1 less; numbers at γ = {SHOWN_AT}",
            distance(losses, SHOWN_AT), bound))


def _examination(name: str, factor: Fraction) -> Examination:
    case = CASES[name]
    return Examination(
        f"lemma-08-{name}{'-sharp' if factor == TWO else ''}", f"Lemma 8 {name}",
        f"{'rightmost' if case.rightmost else 'leftmost'}: |hardmax(s) - softmax(ŝ)|_1 <= {factor}e^(-γ) for "
        f"ŝ_j = {case.printed}", "every γ > 0 and every s of length n with gap 1", lambda n: _examine(n, case, factor))


EXAMINATIONS = tuple(_examination(name, factor) for name in CASES for factor in (FOUR, TWO))
