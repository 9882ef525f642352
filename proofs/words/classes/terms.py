"""Affine forms over hash-consed atoms, for numbers that depend on what heads see.

An atom is a ReLU of a form, the term of a head for a query, a normed number, or an irrational one. Equal forms denote
equal numbers in all words of a class; forms without atoms are exact. Forms are compared as tuples of exact rationals
and numbers of atoms.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from proofs.enclosures.intervals import Interval
from proofs.enclosures.rationals import ZERO, to_flint

K = TypeVar("K", bound=Hashable)
ONE = to_flint(Fraction(1))
Rational = Any
"""An exact rational of FLINT, as in ``proofs.enclosures.rationals``."""
Row = Mapping[str, Rational]
"""A linear form on residual vectors."""


@dataclass(frozen=True)
class AtomSum:
    """The form constant + Σ coefficient · atom; the atoms ascend, and no coefficient is 0."""

    constant: Rational
    atoms: tuple[tuple[int, Rational], ...] = ()

    @property
    def is_exact(self) -> bool:
        """True if it is one number, independent of what heads see."""
        return not self.atoms


@dataclass(frozen=True)
class Relu:
    """The atom max(0, form)."""

    form: AtomSum


@dataclass(frozen=True)
class Irrational:
    """The value of an expression in n, and in i at position ``i`` (0 if i does not occur), at the current length.

    Two of them with different texts are different, even if their values are equal.
    """

    text: str
    i: int
    value: Interval = field(compare=False)


@dataclass(frozen=True)
class HeadTerm:
    """The term that a head of a layer (both from 1) adds to a direction for these queries, over what it sees.

    Queries are divided by the temperature, unless it is irrational: then ``temperature`` is the missing divisor. The
    head sees all positions (``origin`` 0), or what its mask shows from the position ``origin``.
    """

    layer: int
    place: int
    direction: str
    queries: tuple[AtomSum, ...]
    origin: int
    temperature: Irrational | None = None


@dataclass(frozen=True)
class Normed:
    """A form over sqrt(v + epsilon), where v is the mean of the squares of a multiset of forms, interned."""

    form: AtomSum
    multiset: int
    epsilon: Rational


Atom = Relu | HeadTerm | Normed | Irrational


class Interned(Generic[K]):
    """A table of hash-consed values, numbered from 0."""

    def __init__(self) -> None:
        """Start with an empty table."""
        self.things: list[K] = []
        self._numbers: dict[K, int] = {}

    def number(self, thing: K) -> int:
        """Return the number of the value, a new one if it is new."""
        found = self._numbers.setdefault(thing, len(self.things))
        if found == len(self.things):
            self.things.append(thing)
        return found

    def __getitem__(self, number: int) -> K:
        return self.things[number]


def exact(number: Rational) -> AtomSum:
    """Return the form that is this number."""
    return AtomSum(number)


def add(parts: Iterable[tuple[AtomSum, Rational]], constant: Rational = ZERO) -> AtomSum:
    """Return constant + Σ factor · form.

    >>> from flint import fmpq
    >>> x = AtomSum(fmpq(1), ((3, fmpq(2)),))
    >>> add([(x, fmpq(1)), (x, fmpq(-1))], fmpq(5)) == exact(fmpq(5))
    True
    """
    atoms: dict[int, Rational] = {}
    for form, factor in parts:
        if form.constant:
            constant += form.constant * factor
        for atom, coefficient in form.atoms:
            atoms[atom] = atoms.get(atom, ZERO) + coefficient * factor
    return AtomSum(constant, tuple(sorted((atom, value) for atom, value in atoms.items() if value)) if atoms else ())


def unsigned(form: AtomSum) -> tuple[Rational, AtomSum]:
    """Return a sign s (1 or -1) and s * form, equal for a form and its negative.

    >>> from flint import fmpq
    >>> unsigned(exact(fmpq(-2))) == (fmpq(-1), exact(fmpq(2)))
    True
    """
    leading = form.atoms[0][1] if form.atoms else form.constant
    sign = ONE if leading >= 0 else -ONE
    return sign, form if sign == ONE else add([(form, sign)])


def sort_key(form: AtomSum) -> tuple[Any, ...]:
    """Return a key that sorts equal forms next to each other."""
    return form.constant, form.atoms


def combine_forms(row: Row, vector: Mapping[str, AtomSum], constant: Rational = ZERO) -> AtomSum:
    """Return a linear form of a residual vector plus a constant; directions without a value count as 0."""
    return add(((vector[name], weight) for name, weight in row.items() if name in vector), constant)
