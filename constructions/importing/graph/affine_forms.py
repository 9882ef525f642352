"""Affine forms of a token's values over bases: rows of tables, norms, averages of heads, hidden units, and sums.

Sums and products of binary64 numbers record whether they were exact; inexact results are rounded to nearest.
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
    """An operation that is not part of a network; the reader adds the node."""


@dataclass(eq=False)
class Base:
    """Values of each token that forms are made of; ``order``: a base depends on earlier ones only."""

    size: int
    order: int = field(default_factory=lambda: next(_ORDER), init=False)

    def values(self) -> Flat:
        """Return its values as forms."""
        return Flat({self: np.eye(self.size)}, (), self.size)


@dataclass(eq=False)
class TokenBase(Base):
    """The one-hot vector of the token at the position."""


@dataclass(eq=False)
class SumBase(Base):
    """A form with a name of its own: one multiplied by matrices or normalised as a whole."""

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
    """Hidden units made by one node."""

    activation: Activation | Rounding
    gate: Flat | None
    inward: Flat


@dataclass(eq=False)
class UnitBase(Base):
    """The values of hidden units."""

    units: HiddenUnits


@dataclass(frozen=True)
class HeadReads:
    """The inputs of a head, and its slope."""

    query: Flat
    key: Flat
    value: Flat
    slope: Fraction | None


@dataclass(eq=False)
class SoftmaxHeads:
    """The heads of softmaxes that do not depend on each other.

    ``rotary``: cosines and sines [positions, pairs], which rotate halves of queries and keys. ``scale``: a rational, or
    an integer for one over its root. ``cap``: of scores. ``order``: it depends on earlier bases only.
    """

    scale: Fraction | int
    rotary: tuple[Array, Array] | None
    heads: list[HeadReads] = field(default_factory=list)
    cap: Fraction | None = None
    order: int = field(default_factory=lambda: next(_ORDER), init=False)

    def may_have(self, head: HeadReads, scale: Fraction, rotary: tuple[Array, Array] | None, cap: Fraction | None
                 ) -> bool:
        """Return whether a head of another softmax can be added here."""
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
        """Return the base whose values the forms are, one by one, or None."""
        if len(self.terms) != 1 or self.constants:
            return None
        ((base, matrix),) = self.terms.items()
        return base if matrix.shape == (self.size, self.size) and (matrix == np.eye(self.size)).all() else None

    def times(self, matrix: Array, exactness: Exactness) -> Flat:
        """Return the forms times a matrix; to avoid products of weight matrices, the forms become a base instead."""
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
        """Return the elementwise sums."""
        terms = dict(self.terms)
        for base, matrix in other.terms.items():
            terms[base] = exactness.sum(terms[base], matrix) if base in terms else matrix
        return Flat(terms, (*self.constants, *other.constants), self.size)


def beside(flats: Sequence[Flat]) -> Flat:
    """Concatenate the forms."""
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
    """Record of the nodes in which sums or products of weights were rounded."""

    def __init__(self) -> None:
        self.node = ""
        self.rounded: dict[str, None] = {}

    def note(self, exact: bool) -> None:
        """Record the node, if the operation was not exact."""
        if not exact:
            self.rounded[self.node] = None

    def sum(self, x: Array, y: Array) -> Array:
        """Return x + y; Knuth's two-sum gives the rounding error."""
        total = np.asarray(x + y)
        back = total - x
        lost = (x - (total - back)) + (y - back)
        self.note(bool(np.all(np.broadcast_to(lost, total.shape) == 0)))
        return total

    def scaled(self, x: Array, factor: Fraction) -> Array:
        """Return the nearest numbers to x times a rational."""
        if factor in (1, -1):
            return np.asarray(x * np.float64(factor))
        return self._nearest([Fraction(value) * factor for value in x.ravel().tolist()], x.shape)

    def inverse(self, x: Array) -> Array:
        """Return the nearest numbers to 1 / x."""
        return self._nearest([1 / Fraction(value) for value in x.ravel().tolist()], x.shape)

    def times(self, x: Array, y: Array) -> Array:
        """Return the elementwise product, with numpy's broadcasting."""
        x, y = np.broadcast_arrays(x, y)
        pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        return self._nearest([Fraction(a) * Fraction(b) for a, b in pairs], x.shape)

    def product(self, x: Array, y: Array) -> Array:
        """Return the product of matrices."""
        if is_selection(x):
            return y if len(x) == x.shape[1] and (x.diagonal() == 1).all() else np.asarray(x @ y)
        if is_selection(y.T):
            return np.asarray(x @ y)
        (a, p), (b, q) = _integers(x), _integers(y)
        unit = Fraction(2) ** (p + q)
        return self._nearest([int(value) * unit for value in (a @ b).ravel()], (x.shape[0], y.shape[1]))

    def _nearest(self, exact: list[Fraction], shape: tuple[int, ...]) -> Array:
        """Return the nearest numbers to rationals, as an array of this shape."""
        result = np.array([np.float64(value) for value in exact], np.float64)
        self.note(all(Fraction(a) == b for a, b in zip(result.tolist(), exact, strict=True)))
        return result.reshape(shape)


def is_selection(x: Array) -> bool:
    """Return whether each row and each column has at most one nonzero number, which is 1 or -1."""
    found = x != 0
    return bool((found.sum(0) <= 1).all() and (found.sum(1) <= 1).all() and np.isin(x, (-1, 0, 1)).all())


def _integers(x: Array) -> tuple[Any, int]:
    """Return integers and the exponent of the power of two that multiplies them."""
    parts = [Fraction(value) for value in x.ravel().tolist()]
    power = max((part.denominator.bit_length() - 1 for part in parts), default=0)
    whole = [part.numerator << power - (part.denominator.bit_length() - 1) for part in parts]
    return np.array(whole, object).reshape(x.shape), -power
