"""What flows along the edges of a graph: tokens, constants, numbers of each token, scores and weights of attention.

A number of a token is an affine form over *bases*: what was looked up by token, norms, averages of heads, units, and
sums of these. ``Tokenwise`` is an array of any shape whose elements are such numbers; where which of them stands is an
array of whole numbers (position · count + number), so that reshaping, cutting and turning are done to it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.importing.graph.affine_forms import Array, Codes, Exactness, Flat, NotUnderstood


@dataclass(frozen=True)
class Tokens:
    """The input: an array of positions; the name of the type of its elements."""

    codes: Codes
    kind: str = "int64"

    def each_of(self, move: Callable[[Codes], list[Codes]]) -> Iterator[Tokens]:
        """Return the arrays that are made of the elements."""
        return (Tokens(np.asarray(codes, np.int64), self.kind) for codes in move(self.codes))


@dataclass(frozen=True)
class Tokenwise:
    """An array: element e is form ``codes[e] % flat.size`` of the token at position ``codes[e] // flat.size``,
    times the factor.
    """

    flat: Flat
    codes: Codes
    factor: Fraction = Fraction(1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.codes.shape

    @property
    def positions(self) -> Codes:
        """Of the token of each element."""
        return np.asarray(self.codes // self.flat.size)

    @property
    def forms(self) -> Codes:
        """Which form each element is."""
        return np.asarray(self.codes % self.flat.size)

    def moved(self, move: Callable[[Codes], Codes]) -> Tokenwise:
        """Return the elements elsewhere."""
        return replace(self, codes=np.asarray(move(self.codes), np.int64))

    def each_of(self, move: Callable[[Codes], list[Codes]]) -> Iterator[Tokenwise]:
        """Return the arrays that are made of the elements."""
        return (replace(self, codes=np.asarray(codes, np.int64)) for codes in move(self.codes))

    def settled(self, exactness: Exactness) -> Tokenwise:
        """With the factor in the forms."""
        return Tokenwise(self.flat.scaled(self.factor, exactness), self.codes)

    def ratio_to(self, other: Tokenwise) -> Fraction | None:
        """Return the number by which the other array is to be multiplied to make this one; None if none is known."""
        same = self.flat is other.flat and other.factor and np.array_equal(self.codes, other.codes)
        return self.factor / other.factor if same else None


@dataclass(frozen=True)
class Range:
    """The scale (``is_zero``: the zero point) that a range makes; ``times`` is what the scale is multiplied by."""

    node: str
    is_zero: bool = False
    times: Any = 1


@dataclass(frozen=True)
class Quantised:
    """Whole numbers that stand for an array of numbers of tokens: (q - zero) · scale.

    Scale and zero point are numbers, or those of a range.
    """

    value: Tokenwise
    scale: Fraction | Range
    zero: int | Range


@dataclass(frozen=True)
class IntegerProduct:
    """A product of whole numbers: that of the numbers that they stand for, over the scales that are left out."""

    value: Tokenwise
    scale: Fraction | Range

    def plain(self) -> Tokenwise | IntegerProduct:
        """Return the numbers, if the scale is one."""
        if isinstance(self.scale, Range):
            return self
        return replace(self.value, factor=self.value.factor / self.scale)


@dataclass(frozen=True)
class TableRows:
    """Rows of whole numbers, looked up by tokens."""

    table: Any
    tokens: Tokens


@dataclass(frozen=True)
class Modulated:
    """A sum of arrays of numbers of tokens, each times constants that depend on positions: rotary positions.

    All of it times the factor.
    """

    parts: tuple[tuple[Tokenwise, Array], ...]
    factor: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if any(part.factor != 1 or part.shape != self.shape for part, _ in self.parts):
            raise NotUnderstood("constants of positions times arrays of several shapes")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.parts[0][0].shape


@dataclass(frozen=True)
class Whole:
    """An array of numbers of tokens whose type is one of whole numbers, so that quotients of it would be rounded."""

    value: Tokenwise


@dataclass(frozen=True)
class Ending:
    """What follows the logits and keeps their order: an argmax, a softmax, its logarithm. Nothing else reads it."""

    logits: Tokenwise
    how: str


@dataclass(frozen=True)
class ArrayMean:
    """The mean of an array over its last axis, which is kept with size 1."""

    of: Tokenwise


@dataclass(frozen=True)
class Centred:
    """An array less its mean over the last axis."""

    of: Tokenwise
    gain: Array | None = None
    alone: Centred | None = None
    """``gain``: constants that the array ``alone`` is multiplied by, before it is divided by its root."""


@dataclass(frozen=True)
class CentredSquare:
    """Its square."""

    of: Tokenwise


@dataclass(frozen=True)
class MeanSquare:
    """factor · (mean of squares over the last axis) + epsilon, to the power 1, 1/2 or -1/2."""

    of: Tokenwise
    centred: bool
    factor: Fraction
    epsilon: Fraction = Fraction(0)
    power: Fraction = Fraction(1)

    def times(self, factor: Fraction) -> MeanSquare:
        """Return a multiple."""
        return replace(self, factor=self.factor * factor, epsilon=self.epsilon * factor)


@dataclass(frozen=True)
class Mask:
    """Numbers [..., queries, keys] that are added to scores, or are the scores where these were ``replaced``.

    ``tokens``: the keys that it is about; none for the mask of all keys that no other one is about.
    """

    numbers: Array
    replaced: NDArray[np.bool_]
    tokens: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ScoreArray:
    """Scores of attention, [..., queries, keys]: for each index before the last two the forms of query and key.

    ``masks``: that of all keys, then those of keys with certain tokens; which numbers hide is asked at the softmax.
    ``tables`` turn queries and keys. With a ``cap`` c, a score s is c tanh(s / c) before masks are added.
    """

    reads: NDArray[np.object_]
    shape: tuple[int, ...]
    positions: Codes
    scale: Fraction
    tables: tuple[Array, Array] | None = None
    masks: tuple[Mask, ...] = (Mask(np.zeros(()), np.zeros((), bool)),)
    cap: Fraction | None = None

    def capped(self) -> ScoreArray:
        """Return the tanh of scores to which nothing was added: under a cap of 1."""
        if self.cap is not None or any(mask.numbers.any() or mask.replaced.any() for mask in self.masks):
            raise NotUnderstood("tanh of scores that have a cap, a mask or a table, expected products of queries and "
                                "keys")
        return replace(self, cap=Fraction(1))

    def scaled(self, factor: Fraction) -> ScoreArray:
        """Scores times a number above 0, their masks apart."""
        return replace(self, scale=self.scale * factor, cap=None if self.cap is None else self.cap * factor)

    def masked(self, change: Callable[[Mask], Mask]) -> ScoreArray:
        """Copy with all masks changed."""
        return replace(self, masks=tuple(map(change, self.masks)))

    def plus(self, numbers: Array) -> ScoreArray:
        """Scores to which numbers are added."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.masked(lambda mask: self._whole(mask, mask.numbers + numbers, mask.replaced))

    def times(self, numbers: Array) -> ScoreArray:
        """Scores whose masks are multiplied by positive numbers; what is read is not."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.masked(lambda mask: self._whole(mask, mask.numbers * numbers, mask.replaced))

    def filled(self, where: NDArray[np.bool_], numbers: Array) -> ScoreArray:
        """Scores some of which are replaced by numbers."""
        return self.masked(lambda mask: self._whole(mask, np.where(where, numbers, mask.numbers),
                                                    mask.replaced | where))

    def _whole(self, mask: Mask, numbers: Array, replaced: NDArray[np.bool_]) -> Mask:
        """Return the changed mask."""
        if np.broadcast_shapes(numbers.shape, replaced.shape, self.shape) != self.shape or np.isnan(numbers).any():
            raise NotUnderstood("scores with a mask of another shape, or of what is no number")
        return replace(mask, numbers=np.asarray(numbers, np.float64), replaced=replaced)


@dataclass(frozen=True)
class AttentionWeights:
    """Softmax weights: the scores they are made from, slopes in them, and whether they are causal (None: one token)."""

    scores: ScoreArray
    slopes: NDArray[np.object_]
    is_causal: bool | None


def grouped(value: Tokenwise) -> tuple[Codes, Codes, list[Codes]]:
    """For each place before the last axis its position and its group; for each group the forms along the last axis."""
    positions, forms = value.positions, value.forms
    if (positions != positions[..., :1]).any():
        raise NotUnderstood("numbers of several tokens side by side")
    rows = forms.reshape(-1, forms.shape[-1])
    unique, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    groups = [unique[k] for k in np.argsort(first)]
    return positions[..., 0], rank[inverse.reshape(-1)].reshape(forms.shape[:-1]), groups


def placed(flat: Flat, positions: Codes, forms: Codes) -> Tokenwise:
    """Return an array of these forms of the tokens at these positions."""
    return Tokenwise(flat, np.asarray(positions * flat.size + forms, np.int64))


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array of any kind; None of what has none."""
    if isinstance(value, ArrayMean | MeanSquare):
        return (*value.of.shape[:-1], 1)
    if isinstance(value, Tokens):
        return value.codes.shape
    whole = value.scores if isinstance(value, AttentionWeights) else value.value if isinstance(value,
                                                                                               Whole) else getattr(
        value, "of", value)
    return tuple(whole.shape) if isinstance(whole, np.ndarray | Tokenwise | ScoreArray | Modulated) else None


_NAMES = {"ndarray": "constants", "Tokens": "tokens", "Tokenwise": "numbers of tokens", "ScoreArray": "scores",
          "Curve": "functions of numbers of tokens", "Modulated": "numbers times constants of positions",
          "ArrayMean": "means", "Centred": "numbers less their mean",
          "CentredScaled": "numbers less their mean, times constants", "CentredSquare": "squares",
          "MeanSquare": "mean squares", "AttentionWeights": "weights of attention", "NoneType": "nothing",
          "Quantised": "whole numbers that stand for others", "IntegerProduct": "products of whole numbers",
          "TokenCase": "conditions on tokens", "Kept": "numbers of tokens but padding", "KeptTotal": "sums but padding",
          "Count": "numbers of tokens that are no padding", "Ending": "what an argmax or a softmax makes of logits",
          "Range": "the scale of a range", "TableRows": "rows of whole numbers",
          "Whole": "numbers of tokens of a type of whole numbers"}


def what(value: Any) -> str:
    """Return a kind of value in words."""
    name = type(value).__name__ + "Scaled" * (getattr(value, "gain", None) is not None) + "Total" * (
        getattr(value, "summed", None) is not None)
    return _NAMES.get(name, name)
