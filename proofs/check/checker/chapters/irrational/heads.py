"""Heads that read irrational numbers; docs/background/obligations.md, Heads that read irrational numbers.

If its weights are powers of one rational, a head is proved with these powers (powers.py). Else it is proved with a
rational in place of each irrational number, and with smaller errors than the stated ones.

Claim. Let z be the real scaled scores of a row and z' those with the rationals, |z - z'| <= d, s = 2 d < 1. (a) Let all
values be in [0, 1]. If the head is within e (1 - s) of a truth with z', it is within e of it with z. (b) Let values be
at most V in absolute value. If the head is within e - 2 s V of a number with z', it is within e of it with z. The page
proves it.
"""

from copy import copy
from fractions import Fraction
from typing import NamedTuple

from ...kernel.functions import DIGITS
from ...kernel.language import Language, Place
from ...kernel.language.evaluation import Values
from ...kernel.numbers import ONE, ZERO, Number, add, divide, ends_of, multiply
from ...kernel.reading.records import (
    ApproximateCount,
    ApproximateTruth,
    Head,
    LinearForm,
    Mean,
    PositionalNumber,
    Product,
    Truth,
    kind_of,
)
from ...kernel.verdicts import TooCoarse, quote, refuse, require
from ...kernel.weights import Weigher
from ..formula.certificate import reads_irrational
from ..formula.families import WrittenDirection
from ..formula.proof import ProofContext
from .powers import with_powers


class RoundedValues(Values):
    """Values of places, all of which are exact."""

    def exact(self, value: Number, place: Place, n: int, i: int) -> Fraction:
        """Return the value itself, or the lower end of its enclosure."""
        return ends_of(value).lower


def with_rationals_as_values(language: Language, digits: int) -> Language:
    """Return the same table, in which the value of an irrational number is the lower end of its enclosure."""
    rational = copy(language)
    rational.values = RoundedValues(language, digits)
    return rational


NORMALISED = ("softmax", "softmax-plus-one")


class RoundedNumber(NamedTuple):
    """Bounds of a number over all rows: ``size`` of its absolute value, ``error`` of the rational in its place."""

    size: Fraction
    error: Fraction


def with_rationals(proof: ProofContext, head: Head, name: str, bits: int) -> ProofContext:
    """Return the proof with powers if ``bits`` is 0, else with rationals in place of irrational numbers.

    Raises:
        Rejected: if no rule allows irrational numbers here.
        TooCoarse: if the rationals are not close enough to decide about errors.
    """
    if not bits:
        return with_powers(proof, head)
    require(head.weighting in NORMALISED, "{} takes rational scores", head.weighting)
    for place in filter(proof.language.may_be_irrational, proof.places_of(head.values[name])):
        for n, _ in proof.lengths([place]):
            proof.columns.numbers(place, n)
    rational = proof.with_values(with_rationals_as_values(proof.language, bits >> 2), Weigher(proof.budget, bits))
    (s, lost), (above, below) = losses(rational, head, name), proof.errors[name]
    is_truth = isinstance(proof.directions[name], ApproximateTruth)
    if s > Fraction(1, 1 << (bits >> 1)) or min(above, below) < lost:
        raise TooCoarse("irrational numbers are not known closely enough")
    rational.errors = proof.errors | {name: (
        (multiply(proof.budget, above, 1 - s), multiply(proof.budget, below, 1 - s)) if is_truth else
        (add(proof.budget, above, -lost), add(proof.budget, below, -lost)))}
    return rational


def of_rationals(proof: ProofContext) -> ProofContext:
    """Return the proof of the network with rationals in place of irrational numbers, with greater errors of heads.

    Proof. Exchange z and z' in the proof of the page. An error e of a truth becomes at most e exp(s) <= e/(1 - s): o/(1
    - o) grows by a factor of at most exp(s), so o does. An error e of a number becomes at most e + 2 s V.
    """
    rational = proof.with_values(with_rationals_as_values(proof.language, DIGITS), proof.weigher)
    errors = dict(proof.errors)
    for head in (head for layer in proof.transformer.layers for head in layer.heads):
        for name in filter(errors.__contains__, head.values):
            if reads_irrational(proof, WrittenDirection(name, proof.directions[name], [head])):
                s, lost = losses(rational, head, name)
                require(s < 1, "irrational numbers are not known closely enough")
                above, below = (add(proof.budget, divide(proof.budget, error, 1 - s), lost) for error in errors[name])
                errors[name] = above, below
    rational.errors = errors
    return rational


def losses(rational: ProofContext, head: Head, name: str) -> tuple[Fraction, Fraction]:
    """Return s, and the loss 2 s V of a number (0 for a truth)."""
    s, is_truth = 2 * deviation(rational, head), isinstance(rational.directions[name], ApproximateTruth)
    return s, ZERO if is_truth else multiply(rational.budget, 2 * s, extent_of_form(rational, head.values[name]).size)


def deviation(proof: ProofContext, head: Head) -> Fraction:
    """Bound the error of scaled scores with rationals. Proof: replace one factor after the other."""
    lengths = proof.lengths([head.temperature])
    temperature = [end for n, _ in lengths for end in proof.columns.enclosures(head.temperature, n)]
    cold = RoundedNumber(divide(proof.budget, ONE, min(t.lower for t in temperature)),
                         max(add(proof.budget, divide(proof.budget, ONE, t.lower), -divide(proof.budget, ONE, t.upper))
                             for t in temperature))
    found = ZERO
    for query, key in zip(head.queries, head.keys, strict=True):
        factors = [extent_of_form(proof, query), extent_of_form(proof, key), cold]
        for place, factor in enumerate(factors):
            term = factor.error
            for other in factors[:place] + factors[place + 1 :]:
                term = multiply(proof.budget, term, other.size)
            found = add(proof.budget, found, term)
    return found


def extent_of_form(proof: ProofContext, row: LinearForm) -> RoundedNumber:
    """Bound a linear form and its error, at every row and in every word."""
    size = error = ZERO
    for name, weight in row.items():
        one = extent_of(proof, name)
        size = add(proof.budget, size, multiply(proof.budget, abs(weight), one.size))
        error = add(proof.budget, error, multiply(proof.budget, abs(weight), one.error))
    return RoundedNumber(size, error)


def extent_of(proof: ProofContext, name: str) -> RoundedNumber:
    """Bound the value of a direction and its error, at every row and in every word."""
    match proof.directions[name]:
        case Truth() | ApproximateTruth() | Mean():
            return RoundedNumber(ONE, ZERO)
        case PositionalNumber(place):
            return extent_of_column(proof, place, None)
        case Product(place, formula):
            return extent_of_column(proof, place, formula if proof.language.is_positional(formula) else None)
        case ApproximateCount():
            return RoundedNumber(Fraction(proof.claim.max_n) + max(proof.errors[name]), ZERO)
    refuse("irrational numbers beside {}, of kind {}", quote(name), kind_of(proof.directions[name]))


def extent_of_column(proof: ProofContext, place: Place, when: Place | None) -> RoundedNumber:
    """Bound a number and its error, at every row where a positional formula holds, if there is one."""
    size = error = ZERO
    for n, _ in proof.lengths([place] if when is None else [place, when]):
        needed = None if when is None else proof.columns.truths(when, n)
        proof.budget.spend(4 * n)
        for lower, upper in proof.columns.enclosures(place, n, needed):
            size, error = max(size, abs(lower), abs(upper)), max(error, upper - lower)
    return RoundedNumber(size, error)
