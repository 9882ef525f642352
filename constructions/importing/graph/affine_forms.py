"""Affine forms of what a token has, over bases: rows of tables, norms, averages of heads, hidden units, and sums.

Sums and products of binary64 numbers say whether they were exact; what was not is rounded to nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.trained.network import Activation, Rounding

Codes = NDArray[np.int64]
_ORDER = count()


class NotUnderstood(InputError):
    """An operation that is not one of a network's parts; the reader says in which node."""


@dataclass(eq=False)
class Base:
    """Numbers of each token that forms are made of; ``order``: a base needs earlier ones alone."""

    size: int
    order: int = field(default_factory=lambda: next(_ORDER), init=False)


@dataclass(eq=False)
class TokenBase(Base):
    """1 for the token that stands there, 0 for all others."""


@dataclass(eq=False)
class SumBase(Base):
    """A form under a name of its own: what is multiplied by matrices or normalised as a whole."""

    flat: Flat


@dataclass(eq=False)
class NormBase(Base):
    """The norm of a form."""

    of: SumBase
    kind: Literal["layer", "rms"]
    epsilon: Fraction
    gain: Array | None = None
    bias: Array | None = None


@dataclass(eq=False)
class HiddenUnits:
    """Units that one node makes."""

    activation: Activation | Rounding
    gate: Flat | None
    inward: Flat


@dataclass(eq=False)
class UnitBase(Base):
    """The values of units."""

    units: HiddenUnits


@dataclass(frozen=True)
class HeadReads:
    """Inputs of a head, and its slope."""

    query: Flat
    key: Flat
    value: Flat
    slope: Fraction | None


@dataclass(eq=False)
class SoftmaxHeads:
    """The heads of softmaxes that need nothing of each other; cosines and sines [positions, pairs] turn halves of
    queries and keys.

    ``scale``: a rational, or a whole number for one over its root. ``cap``: of scores. ``order``: it needs earlier
    bases alone.
    """

    scale: Fraction | int
    rotary: tuple[Array, Array] | None
    heads: list[HeadReads] = field(default_factory=list)
    cap: Fraction | None = None
    order: int = field(default_factory=lambda: next(_ORDER), init=False)

    def may_have(self, head: HeadReads, scale: Fraction, rotary: tuple[Array, Array] | None, cap: Fraction | None
                 ) -> bool:
        """Whether a head of another softmax may be one of these."""
        alike = self.rotary is rotary or (self.rotary is not None and rotary is not None and all(
            np.array_equal(one, other) for one, other in zip(self.rotary, rotary, strict=True)))
        return alike and (self.scale, self.cap) == (scale, cap) and all(
            base.order < self.order for flat in (head.query, head.key, head.value) for base in flat.terms)


@dataclass(eq=False)
class HeadBase(Base):
    """The average of a head."""

    attention: SoftmaxHeads
    index: int


class Flat:
    """``size`` affine forms: for each base a matrix [base, size], and constants [1 or positions, size] to be added."""

    def __init__(self, terms: dict[Base, Array], constants: Sequence[Array], size: int) -> None:
        self.terms = {base: matrix for base, matrix in terms.items() if matrix.any()}
        self.constants = tuple(constants)
        self.size = size
        self._sum: SumBase | None = None

    def columns(self, chosen: Codes) -> Flat:
        """Return some of the forms, in this order; the same object if they are all of them."""
        if len(chosen) == self.size and (chosen == np.arange(self.size)).all():
            return self
        return Flat({base: matrix[:, chosen] for base, matrix in self.terms.items()},
                    [one[:, chosen] for one in self.constants], len(chosen))

    def as_sum(self) -> SumBase:
        """Return this form as a base."""
        if self._sum is None:
            self._sum = SumBase(self.size, self)
        return self._sum

    def only(self) -> Base | None:
        """Return the base whose numbers these are, one by one."""
        if len(self.terms) != 1 or self.constants:
            return None
        ((base, matrix),) = self.terms.items()
        return base if matrix.shape == (self.size, self.size) and (matrix == np.eye(self.size)).all() else None

    def times(self, matrix: Array, exactness: Exactness) -> Flat:
        """The forms times a matrix. Where that would multiply matrices of weights, they become a base instead."""
        selecting = all(np.isin(m, (-1, 0, 1)).all() and ((m != 0).sum(0) <= 1).all() for m in self.terms.values())
        if not selecting or self.constants:
            return Flat({self.as_sum(): matrix}, (), matrix.shape[1])
        return Flat({base: exactness.product(m, matrix) for base, m in self.terms.items()}, (), matrix.shape[1])

    def scaled(self, factor: Fraction, exactness: Exactness) -> Flat:
        """Return the forms times a number."""
        if factor == 1:
            return self
        return Flat({base: exactness.scaled(m, factor) for base, m in self.terms.items()},
                    [exactness.scaled(one, factor) for one in self.constants], self.size)

    def plus(self, other: Flat, exactness: Exactness) -> Flat:
        """Return the sums, one by one."""
        terms = dict(self.terms)
        for base, matrix in other.terms.items():
            terms[base] = exactness.sum(terms[base], matrix) if base in terms else matrix
        return Flat(terms, (*self.constants, *other.constants), self.size)


def beside(flats: Sequence[Flat]) -> Flat:
    """All forms, one after another."""
    total, terms, constants, first = sum(flat.size for flat in flats), dict[Base, Array](), list[Array](), 0
    for flat in flats:
        for base, matrix in flat.terms.items():
            whole = terms.setdefault(base, np.zeros((base.size, total)))
            whole[:, first : first + flat.size] = matrix
        for one in flat.constants:
            wide = np.zeros((len(one), total))
            wide[:, first : first + flat.size] = one
            constants.append(wide)
        first += flat.size
    return Flat(terms, constants, total)


Array = NDArray[np.float64]


class Exactness:
    """Remembers in which node sums or products of weights had to be rounded."""

    def __init__(self) -> None:
        self.node = ""
        self.rounded: dict[str, None] = {}

    def note(self, exact: bool) -> None:
        """If it was not, the node is remembered."""
        if not exact:
            self.rounded[self.node] = None

    def sum(self, x: Array, y: Array) -> Array:
        """x + y; by Knuth's two-sum what is lost is known."""
        total = np.asarray(x + y)
        back = total - x
        lost = (x - (total - back)) + (y - back)
        self.note(bool(np.all(np.broadcast_to(lost, total.shape) == 0)))
        return total

    def scaled(self, x: Array, factor: Fraction) -> Array:
        """Return the nearest numbers to x times a rational."""
        if factor in (1, -1):
            return np.asarray(x * np.float64(factor))
        exact = [Fraction(value) * factor for value in x.ravel().tolist()]
        result = np.array([np.float64(value) for value in exact], np.float64).reshape(x.shape)
        self.note(all(Fraction(a) == b for a, b in zip(result.ravel().tolist(), exact, strict=True)))
        return result

    def inverse(self, x: Array) -> Array:
        """Return the nearest numbers to 1 / x."""
        result = np.asarray(1 / x)
        self.note(all(Fraction(a) * Fraction(b) == 1 for a, b in zip(x.ravel().tolist(), result.ravel().tolist(),
                                                                     strict=True)))
        return result

    def times(self, x: Array, y: Array) -> Array:
        """Coordinate by coordinate, with the shapes of numpy."""
        x, y = np.broadcast_arrays(x, y)
        exact = [Fraction(a) * Fraction(b) for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
        result = np.array([np.float64(value) for value in exact], np.float64).reshape(x.shape)
        self.note(all(Fraction(a) == b for a, b in zip(result.ravel().tolist(), exact, strict=True)))
        return result

    def product(self, x: Array, y: Array) -> Array:
        """Return the product of matrices."""
        if is_selection(x):
            return y if len(x) == x.shape[1] and (x.diagonal() == 1).all() else np.asarray(x @ y)
        if is_selection(y.T):
            return np.asarray(x @ y)
        (a, p), (b, q) = _integers(x), _integers(y)
        whole = a @ b
        unit = Fraction(2) ** (p + q)
        result = np.array([[np.float64(int(value) * unit) for value in row] for row in whole], np.float64)
        result = result.reshape(x.shape[0], y.shape[1])
        self.note(all(Fraction(np.float64(r)) == int(value) * unit for row, exact in zip(result, whole, strict=True)
                      for r, value in zip(row, exact, strict=True)))
        return result


def is_selection(x: Array) -> bool:
    """Whether each row and each column has at most one number that is not 0, and that is 1 or -1."""
    found = x != 0
    return bool((found.sum(0) <= 1).all() and (found.sum(1) <= 1).all() and np.isin(x, (-1, 0, 1)).all())


def _integers(x: Array) -> tuple[Any, int]:
    """Integers and a power of two by which they are to be multiplied."""
    parts = [Fraction(value) for value in x.ravel().tolist()]
    power = max((part.denominator.bit_length() - 1 for part in parts), default=0)
    whole = [part.numerator << power - (part.denominator.bit_length() - 1) for part in parts]
    return np.array(whole, object).reshape(x.shape), -power
