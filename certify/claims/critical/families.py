"""The worst input of a head as a few families of terms, defined for every n by the distance from the peak.

The peak is the position with the greatest score. On either side of it, positions at distances of one residue modulo 1
or 2 are a family if they have the same letters, their errors are affine in the distance, and the gap of their scores, a
rational function of n and the distance, has a limit as n grows. Families with unbounded gaps vanish.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]

from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.scores import KEY, LENGTH, OTHERS, QUERY, Score, ScoreValue, score_of
from constructions.network.transformer import Transformer
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.worst_case import SweepExtreme
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import Line
from proofs.formula.lookup.worst_case import LookupExtreme

SHORTEST = 6
"""The shortest words in which families are distinguished."""
NEAR = 2
"""The greatest distance from an end of the word of a place that stays near this end as n grows."""
HALF, STEP = sympy.Symbol("t", integer=True, positive=True), sympy.Symbol("s", integer=True, nonnegative=True)
"""n is 2 HALF or one more; STEP counts the members of a family."""


@dataclass(frozen=True)
class TermFamily:
    """Terms (exponent, error) for s = 0, 1, ..., as polynomials in s by coefficients, the constant first.

    A family with ``only`` has just the term s = 0.
    """

    exponent: tuple[Fraction, ...]
    error: tuple[Fraction, ...]
    only: bool = False

    def term(self, s: int) -> tuple[Fraction, Fraction]:
        """Return the exponent of x and the error of a member."""
        return (sum((c * s**k for k, c in enumerate(self.exponent)), Fraction(0)),
                sum((c * s**k for k, c in enumerate(self.error)), Fraction(0)))


def find_families(transformer: Transformer, line: Line, extreme: Extreme, gamma: Fraction) -> list[TermFamily]:
    """Return the families of the limit.

    Raises:
        NoClosedForm: if the input does not consist of families, or one has no limit.
    """
    if extreme.n < SHORTEST:
        raise NoClosedForm("a short word")
    head = transformer.head(line.layer, line.place)
    found = _Input(score_of(transformer, head), line, extreme, gamma)
    return [TermFamily((Fraction(0),), (found.error(found.peak),), only=True),
            *(family for side in (-1, 1) for family in found.side(side))]


@dataclass(frozen=True)
class _Input:
    score: Score
    line: Line
    extreme: Extreme
    gamma: Fraction

    @cached_property
    def terms(self) -> Mapping[int, tuple[Fraction, Fraction]]:
        """The scaled score and the error at each visible position."""
        return dict(zip(positions_of(self.extreme), self.extreme.terms(), strict=True))

    @cached_property
    def peak(self) -> int:
        terms = self.terms
        greatest = max(score for score, _ in terms.values())
        places = [j for j, (score, _) in terms.items() if score == greatest]
        if len(places) > 1:
            raise NoClosedForm("several greatest scores")
        return places[0]

    def error(self, j: int) -> Fraction:
        return self.terms[j][1]

    def side(self, direction: int) -> Iterator[TermFamily]:
        """Yield the families on one side of the peak."""
        terms, peak = self.terms, self.peak
        distances = [k for k in range(1, self.extreme.n) if peak + direction * k in terms]
        if len(distances) <= NEAR:
            for k in distances:
                yield from self._family(direction, (k,), 0)
            return
        if len(distances) < SHORTEST - NEAR:
            raise NoClosedForm("a side that is neither short nor long")
        try:
            yield from list(self._family(direction, distances, 1))
        except NoClosedForm:
            for first in (1, 2):
                yield from self._family(direction, distances[first - 1::2], 2)

    def _family(self, direction: int, distances: Sequence[int], modulus: int) -> Iterator[TermFamily]:
        """Yield the family at these distances, unless it vanishes."""
        places = [self.peak + direction * k for k in distances]
        letters = {tuple(sorted((str(value.what), truth) for value, truth in self._symbols(j).items())) for j in places}
        if len(letters) != 1:
            raise NoClosedForm("letters that change")
        error = _affine([self.error(j) for j in places])
        gap = self._gap(places[0], direction * (distances[0] + modulus * STEP))
        exponent = limit_in_length(gap)
        if exponent is not None:
            yield TermFamily(exponent, error, only=not modulus)

    def _gap(self, j: int, offset: Any) -> Any:
        """Return the gap of the score at this offset below the peak's, for every n of this parity, at gamma = 1."""
        length = 2 * HALF + self.extreme.n % 2
        at = {LENGTH: length, QUERY: self._anchored(self.extreme.i, length)}
        peak = self._anchored(self.peak, length)
        if isinstance(self.extreme, LookupExtreme):
            at[OTHERS] = self._anchored(self.extreme.case.others, length)
        highest, other = (self._score(at, place, key) for place, key in ((self.peak, peak), (j, peak + offset)))
        return sympy.cancel(sympy.together(sympy.expand((highest - other) / sympy.Rational(self.gamma))))

    def _score(self, at: Mapping[Any, Any], place: int, key: Any) -> Any:
        symbols = {self.score.symbols[value]: sympy.Rational(truth.numerator, truth.denominator)
                   for value, truth in self._symbols(place).items()}
        return self.score.simplified.subs({**at, **symbols, KEY: key}, simultaneous=True)

    def _anchored(self, place: int, length: Any) -> Any:
        """Return the place as a function of n: fixed, or at a fixed distance from the end."""
        if place <= NEAR:
            return sympy.Integer(place)
        if place < self.extreme.n - NEAR:
            raise NoClosedForm("a place that is near neither end")
        return length - (self.extreme.n - place)

    def _symbols(self, j: int) -> Mapping[ScoreValue, Fraction]:
        """Return the values of the symbols of the simplified score at a position."""
        used = {value: symbol for value, symbol in self.score.symbols.items()
                if self.score.simplified.has(symbol)}
        if not used:
            return {}
        if not isinstance(self.extreme, SweepExtreme) or not isinstance(self.line.obligation, AttentionObligation):
            raise NoClosedForm("a score that depends on more than the count")
        assignment = _letter_at(self.extreme, self.line.obligation, j)
        found = {}
        for value in used:
            if value.at != "j" or isinstance(value.what, str):
                raise NoClosedForm("a score that depends on more than truths at the key")
            found[value] = Fraction(self.line.obligation.target.read_truth(value.what, assignment, j, self.extreme.n))
        return found


def positions_of(extreme: Extreme) -> Sequence[int]:
    """Return the positions of the terms of a worst case."""
    match extreme:
        case SweepExtreme(sweep=sweep, choices=choices):
            return [step.j for step in sweep.steps[:len(choices)]]
        case LookupExtreme(case=case):
            return list(case.row.visible)
    raise AssertionError("a worst case of a head")


def _letter_at(extreme: SweepExtreme, obligation: AttentionObligation, j: int) -> tuple[bool, ...]:
    """Return a letter that makes the choice of the worst input at a position."""
    for step, choice in zip(extreme.sweep.steps, extreme.choices, strict=False):
        if step.j == j:
            return obligation.letters[step.choices.index(choice)]
    raise AssertionError("a position that is not read")


def _affine(errors: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the errors as an affine function of their index.

    Raises:
        NoClosedForm: if they are not affine.
    """
    step = errors[1] - errors[0] if len(errors) > 1 else Fraction(0)
    if any(error != errors[0] + s * step for s, error in enumerate(errors)):
        raise NoClosedForm("errors that follow no rule")
    return (errors[0], step) if step else (errors[0],)


def limit_in_length(gap: Any) -> tuple[Fraction, ...] | None:
    """Return the limit as HALF grows, as a polynomial in STEP of degree 2 at most; None if it is infinite.

    >>> limit_in_length(2 * HALF * (STEP + 1) / (2 * HALF - STEP))
    (Fraction(1, 1), Fraction(1, 1))

    Raises:
        NoClosedForm: if there is no limit, or it is not a polynomial of that degree.
    """
    numerator, denominator = (sympy.Poly(part, HALF) for part in sympy.fraction(gap))
    leading = sympy.cancel(numerator.LC() / denominator.LC())
    if not leading.is_polynomial(STEP):
        raise NoClosedForm("exponents that are not a polynomial of the distance")
    coefficients = [Fraction(int(c.p), int(c.q)) for c in reversed(sympy.Poly(leading, STEP).all_coeffs())]
    if numerator.degree() < denominator.degree() or min(coefficients) < 0 or not any(coefficients):
        raise NoClosedForm("gaps that do not grow with the distance")
    if numerator.degree() > denominator.degree():
        return None
    if len(coefficients) > 3:
        raise NoClosedForm("exponents that grow faster than squares")
    return tuple(coefficients)
