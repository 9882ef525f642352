"""State of reading a graph; moved values; and scores other than products of queries and keys of tokens.

Those are scores computed from positions only, tables added to scores, and products where one side is the same for all
tokens. A number for each query and key is a product, too: the query has a one-hot vector of its row of the table, the
key has its column. Queries with the same visible part of a row share it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.importing.graph.affine_forms import (
    Array,
    Exactness,
    Flat,
    NotUnderstood,
    SoftmaxHeads,
    SumBase,
    TokenBase,
    beside,
)
from constructions.importing.graph.values import (
    AttentionWeights,
    Move,
    Quantised,
    ScoreArray,
    Tokens,
    Tokenwise,
    Whole,
    placed,
)

MAX_ELEMENTS = 1 << 24
"""Of one array."""


@dataclass
class Tables:
    """Tables added to the scores of heads, -infinity where keys are hidden; ``apart``: heads do not read them.

    ``bidirectional``: causal masks are tables, too.
    """

    apart: bool = False
    bidirectional: bool = False
    added: list[Array] = field(default_factory=list)

    def begin(self, other: Tables) -> bool:
        """Return whether these tables are the upper left parts of others."""
        return len(self.added) == len(other.added) and all(np.array_equal(one, whole[: len(one), : len(one)])
                                                           for one, whole in zip(self.added, other.added, strict=True))


@dataclass
class State:
    """The state of reading: number of tokens, roundings, softmaxes and their heads, and bases.

    ``quantised`` weights, ``rounded`` numbers of tokens; ``pooled``: by a mean; ``assumed``: approximations, by node.
    """

    count: int
    exactness: Exactness = field(default_factory=Exactness)
    softmaxes: list[AttentionWeights] = field(default_factory=list)
    attentions: list[SoftmaxHeads] = field(default_factory=list)
    tables: Tables = field(default_factory=Tables)
    token_base: TokenBase | None = None
    position_base: SumBase | None = None
    assumed: dict[str, dict[str, None]] = field(default_factory=dict)
    made: dict[tuple[str, int], tuple[Any, Any]] = field(default_factory=dict)
    quantised: bool = False
    rounded: bool = False
    pooled: bool = False
    hidden: dict[frozenset[int], None] = field(default_factory=dict)
    """Sets of tokens that are hidden from all queries."""

    def assume(self, what: str) -> None:
        """Record an approximation in the current node."""
        self.assumed.setdefault(what, {})[self.exactness.node] = None

    def once(self, make: Callable[[Any], Any], value: Any) -> Any:
        """Return the result of a function, called once for each value."""
        key = make.__name__, id(value)
        if key not in self.made:
            self.made[key] = value, make(value)
        return self.made[key][1]

    def positions(self) -> SumBase:
        """Return the base of one-hot vectors of positions."""
        if self.position_base is None:
            self.position_base = Flat({}, (np.eye(self.count),), self.count).as_sum()
        return self.position_base

    def looked_up(self, table: Any, tokens: Tokens) -> Tokenwise:
        """Return rows of a table, by tokens."""
        if table.ndim not in (1, 2) or table.dtype.kind != "f" or not np.isfinite(table).all():
            raise NotUnderstood("rows looked up by tokens, expected them in a table of finite numbers")
        rows = np.asarray(table, np.float64).reshape(len(table), -1)
        if self.token_base is None:
            self.token_base = TokenBase(len(rows))
        if self.token_base.size != len(rows):
            raise NotUnderstood(f"a table of {len(rows)} tokens, another one has {self.token_base.size}")
        width = rows.shape[1]
        positions = tokens.codes if table.ndim == 1 else np.broadcast_to(
            tokens.codes[..., np.newaxis], (*tokens.codes.shape, width))
        forms = np.broadcast_to(np.arange(width) if table.ndim == 2 else np.zeros((), np.int64), positions.shape)
        return placed(Flat({self.token_base: rows}, (), width), positions, forms)


def moved_scores(value: ScoreArray | AttentionWeights, move: Move) -> ScoreArray | AttentionWeights:
    """Return scores with changed indices before the last two."""
    scores = value.scores if isinstance(value, AttentionWeights) else value
    size = math.prod(scores.shape[-2:])
    if math.prod(scores.shape) > MAX_ELEMENTS:
        raise NotUnderstood(f"scores of more than {MAX_ELEMENTS} elements")
    (codes,) = move(np.arange(math.prod(scores.shape)).reshape(scores.shape))
    if isinstance(value, ScoreArray) and codes.ndim > 1 and codes.shape[-1] > 1 and codes.flat[1] == scores.shape[-1]:
        swapped = by_head(scores.reads.shape, lambda index: scores.reads[index][::-1])
        turned = replace(scores, reads=swapped).masked(lambda mask: replace(
            mask, numbers=np.swapaxes(np.broadcast_to(mask.numbers, scores.shape), -1, -2),
            replaced=np.swapaxes(np.broadcast_to(mask.replaced, scores.shape), -1, -2)))
        return moved_scores(turned, lambda array: move(np.swapaxes(array, -1, -2)))
    lead = codes[..., :1, :1] // size
    if codes.shape[-2:] != scores.shape[-2:] or (
            codes != lead * size + np.arange(size).reshape(scores.shape[-2:])).any():
        raise NotUnderstood("scores whose queries and keys are moved")
    chosen = lead[..., 0, 0]

    def put(array: Any) -> Any:
        return np.broadcast_to(array, scores.shape).reshape(-1, *scores.shape[-2:])[chosen]

    moved = replace(scores, reads=by_head(chosen.shape, lambda index: scores.reads.flat[chosen[index]]),
                    shape=codes.shape).masked(
        lambda mask: replace(mask, numbers=put(mask.numbers), replaced=put(mask.replaced)))
    if isinstance(value, AttentionWeights):
        return AttentionWeights(moved, by_head(chosen.shape, lambda index: value.slopes.flat[chosen[index]]),
                                value.is_causal)
    return moved


def by_head(shape: tuple[int, ...], make: Callable[[tuple[int, ...]], Any]) -> NDArray[np.object_]:
    """Return an array with an object for each index of scores before the last two."""
    made = np.empty(shape, object)
    for index in np.ndindex(*shape):
        made[index] = make(index)
    return made


def each_moved(value: Any, move: Move) -> list[Any]:
    """Return the arrays made of the elements of an array of any kind."""
    if isinstance(value, AttentionWeights | ScoreArray):
        return [moved_scores(value, move)]
    if isinstance(value, Quantised | Whole):
        return [replace(value, value=one) for one in value.value.each_of(move)]
    if not isinstance(value, np.ndarray) and not hasattr(value, "each_of"):
        raise NotUnderstood("a move of elements of this kind of value")
    made: list[Any] = move(value) if isinstance(value, np.ndarray) else value.each_of(move)
    return made


def rearranged(value: Any, move: Callable[[Any], Any]) -> Any:
    """Return an array of any kind with moved elements."""
    return each_moved(value, lambda array: [move(array)])[0]


NEARLY = np.ldexp(1, -20)
HIDING = 1 << 14
"""Scores of keys hidden by a table are lower than others by at least this."""
Reads = tuple[Flat, Flat]


def as_scores(state: State, value: Any) -> Any:
    """Return scores if the value is [..., queries, keys] for all tokens with one constant side, else the value."""
    count = state.count
    if isinstance(value, np.ndarray):
        return _of_constants(value, count)
    if not isinstance(value, Tokenwise) or count < 2 or value.shape[-2:] != (count, count):
        return value
    places, forms = value.positions, value.forms
    if (places == np.arange(count)).all() and (forms == forms[..., :1]).all():
        return _one_sided(state, value, forms[..., 0], keys=True)
    if (places == np.arange(count)[:, np.newaxis]).all() and (forms == forms[..., :1, :]).all():
        return _one_sided(state, value, forms[..., 0, :], keys=False)
    return value


def _of_constants(array: Any, count: int) -> Any:
    """Return constants as scores that consist of a table only."""
    if count < 2 or array.shape[-2:] != (count, count) or array.dtype.kind != "f":
        return array
    if np.isnan(array).any() or (array == np.inf).any():
        raise NotUnderstood("scores that are NaN or infinite")
    nothing = Flat({}, (), 1)
    reads = by_head(array.shape[:-2], lambda _: (nothing, nothing))
    return ScoreArray(reads, array.shape, np.arange(count), Fraction(1)).plus(np.asarray(array, np.float64))


def weights_as_scores(weights: Any) -> ScoreArray | None:
    """Return the scores whose softmax are constant weights [..., queries, keys]; None if rows do not add up to 1.

    Weights 0 of later keys are masked, others become e^-800.
    """
    if (weights < 0).any() or not (np.abs(weights.sum(-1) - 1) <= NEARLY).all():
        return None
    with np.errstate(divide="ignore"):
        logarithms = np.maximum(np.log(np.asarray(weights, np.float64)), -800)
    later = ~np.tri(weights.shape[-1], dtype=bool)
    if not weights[..., later].any():
        logarithms[..., later] = -np.inf
    made: ScoreArray = _of_constants(logarithms, weights.shape[-1])
    return made


def _one_sided(state: State, value: Tokenwise, forms: NDArray[np.int64], keys: bool) -> ScoreArray:
    """Return scores where only keys (or only queries) depend on tokens: forms [..., index on the other side]."""
    def read_by(index: tuple[int, ...]) -> Reads:
        which, first = np.unique(forms[index], return_inverse=True)
        chosen = _chosen(state, first.reshape(-1), len(which))
        read = value.flat.columns(which)
        return (chosen, read) if keys else (read, chosen)

    return ScoreArray(by_head(value.shape[:-2], read_by), value.shape, np.arange(value.shape[-1]), value.factor)


def _chosen(state: State, which: NDArray[np.intp], size: int) -> Flat:
    """Return the one-hot vector of the number that a position has in ``which``."""
    return Flat({}, (np.ones((1, 1)),), 1) if size == 1 else Flat({state.positions(): np.eye(size)[which]}, (), size)


def with_table(state: State, reads: Reads, added: Array, visible: NDArray[np.bool_], scale: Fraction) -> Reads:
    """Return additional columns of query and key that add a table to visible scores, after scaling.

    -infinity is replaced by -2^14 or less, a power of two in the table, for the hidden keys.
    """
    rows: list[Array] = []
    which = np.zeros(len(added), np.intp)
    for query in reversed(range(len(added))):
        sees = visible[query]
        same = (number for number, row in enumerate(rows) if (row[sees] == added[query][sees]).all())
        which[query] = next(same, len(rows))
        if which[query] == len(rows):
            rows.append(np.where(sees, added[query], 0))
    whole = np.array(rows)
    table = state.exactness.scaled(np.where(np.isfinite(whole), whole, 0), 1 / scale)
    least = np.ldexp(1, max(math.ceil(math.log2(HIDING / abs(scale))), 0))
    table[np.isneginf(whole)] = -least if scale > 0 else least
    more = _chosen(state, which, len(rows)), Flat({state.positions(): np.ascontiguousarray(table.T)}, (), len(rows))
    if is_nothing(reads):
        return more
    return beside([reads[0], more[0]]), beside([reads[1], more[1]])


def is_nothing(reads: Reads) -> bool:
    """Return whether all products of queries and keys are 0."""
    return any(not flat.terms and not flat.constants for flat in reads)
