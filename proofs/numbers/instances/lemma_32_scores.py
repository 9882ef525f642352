"""Lemma 32: the error of attention scores by an error in the activations.

Source      [SHA] Lemma 32: |s_ij - ŝ_ij| <= K u_max ε for some K >= 1 that depends on d and p_max, if ε <= 1; its
            proof ends with d^(3/2) p_max² (2 u_max ε + ε²). u_max is the greatest absolute value of an entry of any
            u_j, or 1.
Reduction   Let û = u + δ. The score times √d is u_i·A u_j, A the product of the two matrices, with entries of at most
            d p². So √d(ŝ - s) = δ_i·A u_j + u_i·A δ_j + δ_i·A δ_j, at most 2(d p²)(d u)ε + d p² ε², by |x·y| <= |x|_1
            |y|_∞; all weights p, all entries of u equal and δ = ε in one entry attain it. The printed bound times √d
            is 2d²p²uε + d²p²ε²: not smaller, with equality for d = 1 only. With ε <= 1 <= u, K = max(1, 3 d^(3/2) p²)
            is enough. Difference and bounds scale with p²; and 2d²uε cancels in the first comparison, while in the
            second 3d²uε - 2d²uε - dε² >= 0 is least at u = ε = 1: one instance per d decides every p_max, u_max,
            ε <= 1.
Proof step  The printed proof has Wû in its first two scalar products and bounds them as if it were Wu: with d = p = u
            = ε = 1 the three terms are 2 + 2 + 1 = 5, the printed bound is 3. (Distributing the products gives u
            there, and 1 + 1 + 1.) In general they are 2d²uε + 3dε² against 2d²uε + d²ε²: false for d = 1 and 2.
Proof step  It uses |v·v'| <= |v|_1 |v'|_1. That is true, but |W(û-u)|_1 |Wu|_1 may be d³p²uε, where the proof
            has d²p²uε: false from d = 2 on. |v·v'| <= |v|_1 |v'|_∞ gives the printed numbers.
"""

from fractions import Fraction
from typing import Any

from proofs.enclosures.rationals import from_flint
from proofs.numbers.instances.comparing import instance
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.vectors import filled, first_axis, norm

THREE_TERMS = Replay("lemma_32_three_terms.json", "uve", 1)
NORMS = Replay("lemma_32_norms.json", "ue")
"""The letters are u, û (as v) and û - u (as e); the runs show W times each of them."""


def _worst(d: int) -> tuple[Any, Any, Any]:
    """Return Wu, W(û - u) and Wû in the worst case with p_max = u_max = ε = 1, where all entries of W are 1."""
    weights, u, delta = filled(d, d), filled(d, 1), first_axis(d)
    return weights * u, weights * delta, weights * (u + delta)


def _dot(u: Any, v: Any) -> Fraction:
    return from_flint((u.transpose() * v)[0, 0])


def score_error(d: int) -> Fraction:
    """Return √d |s - ŝ| at its worst."""
    exact, _, moved = _worst(d)
    return abs(_dot(exact, exact) - _dot(moved, moved))


def three_terms(d: int) -> Fraction:
    """Return the sum of the three absolute values in the printed proof."""
    _, error, moved = _worst(d)
    return 2 * abs(_dot(error, moved)) + abs(_dot(error, error))


def product_of_norms(d: int) -> Fraction:
    """Return |W(û - u)|_1 |Wu|_1."""
    exact, error, _ = _worst(d)
    return norm(error) * norm(exact)


def _one(n: int, value: Fraction, bound: int, replay: Replay | None = None) -> Instance:
    return instance(n, f"d = {n}, all weights and entries of u are 1, û - u = (1, 0, ..., 0)", value, Fraction(bound),
                    replay)


COVERS = "d = n: every p_max, u_max and ε <= 1 (all of it times √d)"
EXAMINATIONS = (
    Examination("lemma-32", "Lemma 32", "|s - ŝ| <= K u_max ε with K = max(1, 3 d^(3/2) p_max²)", COVERS,
                lambda n: _one(n, score_error(n), 3 * n * n)),
    Examination("lemma-32-bound", "Lemma 32", "|s - ŝ| <= d^(3/2) p_max² (2 u_max ε + ε²)", COVERS,
                lambda n: _one(n, score_error(n), 2 * n * n + n * n)),
    Examination("lemma-32-sharp", "Lemma 32", "|s - ŝ| <= d^(1/2) p_max² (2d u_max ε + ε²)", COVERS,
                lambda n: _one(n, score_error(n), 2 * n * n + n)),
    Examination("lemma-32-step-three-terms", "Lemma 32",
                "|W(û_i-u_i)·Wû_j| + |Wû_i·W(û_j-u_j)| + |W(û_i-u_i)·W(û_j-u_j)| <= d² p_max² (2 u_max ε + ε²), in the "
                "proof", "d = n, p_max = u_max = ε = 1",
                lambda n: _one(n, three_terms(n), 3 * n * n, THREE_TERMS)),
    Examination("lemma-32-step-norms", "Lemma 32",
                "|W(û_i-u_i)·Wu_j| <= d² p_max² u_max ε by |v·v'| <= |v|_1 |v'|_1, in the proof",
                "d = n, p_max = u_max = ε = 1",
                lambda n: _one(n, product_of_norms(n), n * n, NORMS)),
)
