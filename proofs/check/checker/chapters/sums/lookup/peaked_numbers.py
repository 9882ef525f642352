"""Lookups of a number of others whose scores are one parabola; docs/background/obligations.md, Lookup head, 5 and 6."""

from fractions import Fraction

from ....kernel.reading.records import Head
from ...formula.kernels import FALLS
from ...formula.proof import ProofContext
from .case import LookupCase, is_proved
from .parabola import reach_of, rows_of
from .target import LookupTarget


class ApproximateCountPeak:
    """A lookup of the number of others."""

    def __init__(self, proof: ProofContext, head: Head, name: str, target: LookupTarget, least: Fraction) -> None:
        self._proof, self._head, self._target, self._value = proof, head, target, head.values[name]
        self._mentions_length = proof.mentions_length(proof.places_of(self._value))
        self._places: dict[tuple[int, int], bool] = {}
        self._is_proved = self._prove_reference(least)

    def _prove_reference(self, least: Fraction) -> bool:
        """Return whether F(C) >= 0 for the distances 0..max_n - 1."""
        weighting = self._head.weighting
        reach, error = reach_of(least, FALLS[weighting]), min(self._target.errors)
        greatest = self._proof.claim.max_n - 1
        near = tuple((-least.numerator * k * k, k) for k in range(min(reach, greatest) + 1))
        far = greatest.bit_length() if greatest > reach else 0
        self._proof.budget.spend(len(near))
        return error < 1 and is_proved(self._proof,
                                       LookupCase(least.denominator, 1, near, far, ((1, error),), weighting))

    def guarded(self, n: int) -> int:
        """Return n: all rows, since a number has no guard."""
        return n

    def proves(self, n: int, offs: tuple[int, int]) -> bool:
        """Return whether all rows of a length are proved, where the target position is m + offs[b]."""
        off = offs[0]
        return self._is_proved and off == offs[1] and self._is_place(n, off) and all(
            row.first <= off and row.last >= row.span - 1 + off
            for row in rows_of(self._proof, self._head, self._target, n))

    def _is_place(self, n: int, off: int) -> bool:
        """Return whether value_j = j - off; checked once if the value does not mention n."""
        length = n if self._mentions_length else self._proof.claim.max_n
        if (length, off) not in self._places:
            (values,) = self._proof.known_forms([self._value], length)
            self._places = {(length, off): all(value == j - off for j, value in enumerate(values, 1))}
        return self._places[length, off]
