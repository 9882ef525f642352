"""Values on the edges of a graph: tokens, constants, numbers of each token, scores and weights of attention.

A number of a token is an affine form over *bases*: rows looked up by token, norms, averages of heads, hidden units, and
sums of these. ``Tokenwise`` is an array of any shape of such numbers; an array of integers (position · count + index of
the form) gives the number at each place, so reshaping, slicing and transposing act on it only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.importing.graph.affine_forms import Array, Codes, Exactness, Flat, NotUnderstood

Move = Callable[[Any], list[Any]]
"""A move of elements: the arrays that it makes of an array of their indices."""


@dataclass(frozen=True)
class Tokens:
    """The input: an array of positions, and the name of its element type."""

    codes: Codes
    kind: str = "int64"

    def each_of(self, move: Move) -> list[Tokens]:
        """Return the arrays made of the elements."""
        return [replace(self, codes=np.asarray(codes, np.int64)) for codes in move(self.codes)]


@dataclass(frozen=True)
class Tokenwise:
    """An array of numbers of tokens, times a factor.

    Element e is form ``codes[e] % flat.size`` of the token at position ``codes[e] // flat.size``, times ``factor``.
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
        """Positions of the elements' tokens."""
        return np.asarray(self.codes // self.flat.size)

    @property
    def forms(self) -> Codes:
        """Indices of the elements' forms."""
        return np.asarray(self.codes % self.flat.size)

    def moved(self, move: Callable[[Codes], Codes]) -> Tokenwise:
        """Return the array with moved elements."""
        return replace(self, codes=np.asarray(move(self.codes), np.int64))

    def each_of(self, move: Move) -> list[Tokenwise]:
        """Return the arrays made of the elements."""
        return [replace(self, codes=np.asarray(codes, np.int64)) for codes in move(self.codes)]

    def broadcast(self, shape: tuple[int, ...]) -> Tokenwise:
        """Return the array broadcast with another shape."""
        return self.moved(lambda codes: np.broadcast_to(codes, np.broadcast_shapes(codes.shape, shape)))

    def settled(self, exactness: Exactness) -> Tokenwise:
        """Return the array with the factor multiplied into the forms."""
        return Tokenwise(self.flat.scaled(self.factor, exactness), self.codes)

    def ratio_to(self, other: Tokenwise) -> Fraction | None:
        """Return the number r with this array = r · the other one; None if unknown."""
        same = self.flat is other.flat and other.factor and np.array_equal(self.codes, other.codes)
        return self.factor / other.factor if same else None


@dataclass(frozen=True)
class Range:
    """The scale (``is_zero``: the zero point) of a range; ``times`` is a factor of the scale."""

    node: str
    is_zero: bool = False
    times: Any = 1


@dataclass(frozen=True)
class Quantised:
    """Integers that represent an array of numbers of tokens: (q - zero) · scale.

    Scale and zero point are numbers, or those of a range.
    """

    value: Tokenwise
    scale: Fraction | Range
    zero: int | Range


@dataclass(frozen=True)
class IntegerProduct:
    """A product of integers: the product of the represented numbers, divided by the omitted scales."""

    value: Tokenwise
    scale: Fraction | Range

    def plain(self) -> Tokenwise | IntegerProduct:
        """Return the represented numbers, if the scale is a number."""
        if isinstance(self.scale, Range):
            return self
        return replace(self.value, factor=self.value.factor / self.scale)


@dataclass(frozen=True)
class TableRows:
    """Rows of integers, looked up by tokens."""

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
            raise NotUnderstood("constants of positions times arrays of several shapes, expected one")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.parts[0][0].shape

    def each_of(self, move: Move) -> list[Modulated]:
        """Return the arrays made of the elements, together with their constants."""
        parts = [zip(part.each_of(move), move(np.array(np.broadcast_to(table, part.shape))), strict=True)
                 for part, table in self.parts]
        return [Modulated(made, self.factor) for made in zip(*parts, strict=True)]


@dataclass(frozen=True)
class Whole:
    """An array of numbers of tokens of an integer type, so that its quotients would be rounded."""

    value: Tokenwise


@dataclass(frozen=True)
class Ending:
    """An operation after the logits that keeps their order: an argmax, a softmax, its logarithm. It is never read."""

    logits: Tokenwise
    how: str


@dataclass(frozen=True)
class ArrayMean:
    """The mean of an array over its last axis, which is kept with size 1."""

    of: Tokenwise


@dataclass(frozen=True)
class Centred:
    """An array minus its mean over the last axis."""

    of: Tokenwise
    gain: Array | None = None
    alone: Centred | None = None
    """``gain``: constants that multiply the array ``alone``, before the division by its root."""


@dataclass(frozen=True)
class CentredSquare:
    """The square of a centred array."""

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
    """Numbers [..., queries, keys] added to scores, or replacing them where ``replaced``.

    ``tokens``: the keys that the mask applies to; empty for all keys without a mask of their own.
    """

    numbers: Array
    replaced: NDArray[np.bool_]
    tokens: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ScoreArray:
    """Scores of attention, [..., queries, keys]: for each index before the last two the forms of query and key.

    ``masks``: the mask of all keys, then those of keys with certain tokens; the softmax decides which numbers hide
    keys. ``tables`` rotate queries and keys. With a ``cap`` c, a score s is c tanh(s / c) before masks are added.
    """

    reads: NDArray[np.object_]
    shape: tuple[int, ...]
    positions: Codes
    scale: Fraction
    tables: tuple[Array, Array] | None = None
    masks: tuple[Mask, ...] = (Mask(np.zeros(()), np.zeros((), bool)),)
    cap: Fraction | None = None

    def capped(self) -> ScoreArray:
        """Return the tanh of scores without addends: a cap of 1."""
        if self.cap is not None or any(mask.numbers.any() or mask.replaced.any() for mask in self.masks):
            raise NotUnderstood("tanh of scores that have a cap, a mask or a table, expected products of queries and "
                                "keys")
        return replace(self, cap=Fraction(1))

    def scaled(self, factor: Fraction) -> ScoreArray:
        """Return scores times a number above 0, without their masks."""
        return replace(self, scale=self.scale * factor, cap=None if self.cap is None else self.cap * factor)

    def masked(self, change: Callable[[Mask], Mask]) -> ScoreArray:
        """Return a copy with all masks changed."""
        return replace(self, masks=tuple(map(change, self.masks)))

    def plus(self, numbers: Array) -> ScoreArray:
        """Return scores plus numbers."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.masked(lambda mask: self._whole(mask, mask.numbers + numbers, mask.replaced))

    def times(self, numbers: Array) -> ScoreArray:
        """Return scores with masks multiplied by positive numbers; queries and keys are unchanged."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.masked(lambda mask: self._whole(mask, mask.numbers * numbers, mask.replaced))

    def filled(self, where: NDArray[np.bool_], numbers: Array) -> ScoreArray:
        """Return scores with some replaced by numbers."""
        return self.masked(lambda mask: self._whole(mask, np.where(where, numbers, mask.numbers),
                                                    mask.replaced | where))

    def _whole(self, mask: Mask, numbers: Array, replaced: NDArray[np.bool_]) -> Mask:
        """Return the changed mask."""
        if np.broadcast_shapes(numbers.shape, replaced.shape, self.shape) != self.shape or np.isnan(numbers).any():
            raise NotUnderstood("scores with a mask of another shape, or with NaN")
        return replace(mask, numbers=np.asarray(numbers, np.float64), replaced=replaced)


@dataclass(frozen=True)
class AttentionWeights:
    """Softmax weights: the scores, slopes in them, and whether they are causal (None: one token)."""

    scores: ScoreArray
    slopes: NDArray[np.object_]
    is_causal: bool | None


def grouped(value: Tokenwise) -> tuple[Codes, Codes, list[Codes]]:
    """Return position and group for each place before the last axis; for each group the forms along the last axis."""
    positions, forms = value.positions, value.forms
    if (positions != positions[..., :1]).any():
        raise NotUnderstood("numbers of several tokens side by side, expected one token")
    rows = forms.reshape(-1, forms.shape[-1])
    unique, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    groups = [unique[k] for k in np.argsort(first)]
    return positions[..., 0], rank[inverse.reshape(-1)].reshape(forms.shape[:-1]), groups


def placed(flat: Flat, positions: Codes, forms: Codes, factor: Fraction = Fraction(1)) -> Tokenwise:
    """Return an array of these forms of the tokens at these positions, times a factor."""
    return Tokenwise(flat, np.asarray(positions * flat.size + forms, np.int64), factor)


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array of any kind; None for other values."""
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
          "ArrayMean": "means", "Centred": "numbers minus their mean",
          "CentredScaled": "numbers minus their mean, times constants", "CentredSquare": "squares",
          "MeanSquare": "mean squares", "AttentionWeights": "weights of attention", "NoneType": "nothing",
          "Quantised": "quantised numbers", "IntegerProduct": "products of integers",
          "TokenCase": "conditions on tokens", "KeptTokens": "numbers of tokens except padding",
          "KeptTokensTotal": "sums except padding", "TokenCount": "numbers of tokens except padding",
          "Ending": "the argmax or softmax of logits", "Range": "the scale of a range",
          "TableRows": "rows of integers", "Whole": "numbers of tokens of an integer type"}


def what(value: Any) -> str:
    """Return a kind of value in words."""
    name = type(value).__name__ + "Scaled" * (getattr(value, "gain", None) is not None) + "Total" * (
        getattr(value, "summed", None) is not None)
    return _NAMES.get(name, name)
