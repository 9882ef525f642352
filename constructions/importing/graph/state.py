"""State kept while a graph is read, and two steps that several operations share."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from constructions.importing.graph.exact import Exactness
from constructions.importing.graph.fixed_scores import Tables
from constructions.importing.graph.forms import Attention, Flat, NotUnderstood, SumBase, TokenBase
from constructions.importing.graph.values import Modulated, Scores, Tokens, Tokenwise, Weights, placed

MAX_ELEMENTS = 1 << 24
"""Of one array."""


@dataclass
class State:
    """How many tokens there are, what was rounded, the softmaxes and their heads, what tokens are, whether weights are
    quantised, whether numbers of tokens are rounded, whether there is a mean of them; what is read as something near.
    """

    count: int
    exactness: Exactness = field(default_factory=Exactness)
    softmaxes: list[Weights] = field(default_factory=list)
    attentions: list[Attention] = field(default_factory=list)
    tables: Tables = field(default_factory=Tables)
    token_base: TokenBase | None = None
    position_base: SumBase | None = None
    assumed: dict[str, dict[str, None]] = field(default_factory=dict)
    plain: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    turns: dict[int, tuple[Modulated, Any]] = field(default_factory=dict)
    quantised: bool = False
    rounded: bool = False
    pooled: bool = False
    hidden: dict[frozenset[int], None] = field(default_factory=dict)
    """Sets of tokens that are hidden from all that ask."""

    def assume(self, what: str) -> None:
        """Something is read so in the present node."""
        self.assumed.setdefault(what, {})[self.exactness.node] = None

    def positions(self) -> SumBase:
        """A one for each position."""
        if self.position_base is None:
            self.position_base = Flat({}, (np.eye(self.count),), self.count).as_sum()
        return self.position_base

    def looked_up(self, table: Any, tokens: Tokens) -> Tokenwise:
        """Rows of a table, by tokens."""
        if table.ndim not in (1, 2) or table.dtype.kind != "f" or not np.isfinite(table).all():
            raise NotUnderstood("rows looked up by tokens in what is no table of finite numbers")
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


def moved_parts(value: Modulated, move: Callable[[Any], list[Any]]) -> list[Modulated]:
    """Numbers and their constants put elsewhere."""
    parts = [(part, move(part.codes), move(np.array(np.broadcast_to(table, part.shape))))
             for part, table in value.parts]
    return [Modulated(tuple((replace(part, codes=np.asarray(codes[k], np.int64)), np.asarray(tables[k]))
                            for part, codes, tables in parts), value.factor) for k in range(len(parts[0][1]))]


def moved_scores(value: Scores | Weights, move: Callable[[Any], list[Any]]) -> Scores | Weights:
    """Scores whose indices before the last two were changed."""
    scores = value.scores if isinstance(value, Weights) else value
    size = math.prod(scores.shape[-2:])
    if math.prod(scores.shape) > MAX_ELEMENTS:
        raise NotUnderstood(f"scores of more than {MAX_ELEMENTS} elements")
    (codes,) = move(np.arange(math.prod(scores.shape)).reshape(scores.shape))
    if isinstance(value, Scores) and codes.ndim > 1 and codes.shape[-1] > 1 and codes.flat[1] == scores.shape[-1]:
        turned = replace(scores, reads=_swapped(scores.reads)).masked(lambda mask: replace(
            mask, numbers=np.swapaxes(np.broadcast_to(mask.numbers, scores.shape), -1, -2),
            replaced=np.swapaxes(np.broadcast_to(mask.replaced, scores.shape), -1, -2)))
        return moved_scores(turned, lambda array: move(np.swapaxes(array, -1, -2)))
    lead = codes[..., :1, :1] // size
    if codes.shape[-2:] != scores.shape[-2:] or (
            codes != lead * size + np.arange(size).reshape(scores.shape[-2:])).any():
        raise NotUnderstood("scores whose queries and keys are put elsewhere")
    chosen = lead[..., 0, 0]
    reads = scores.reads.reshape(-1)[chosen] if chosen.ndim else scores.reads.reshape(-1)[int(chosen):][0]

    def put(array: Any) -> Any:
        return np.broadcast_to(array, scores.shape).reshape(-1, *scores.shape[-2:])[chosen]

    whole = np.empty(chosen.shape, object)
    whole[...] = reads
    moved = replace(scores, reads=whole, shape=codes.shape).masked(
        lambda mask: replace(mask, numbers=put(mask.numbers), replaced=put(mask.replaced)))
    if isinstance(value, Weights):
        slopes = np.empty(chosen.shape, object)
        slopes[...] = value.slopes.reshape(-1)[chosen]
        return Weights(moved, slopes, value.is_causal)
    return moved


def _swapped(reads: Any) -> Any:
    """Query for key."""
    found = np.empty(reads.shape, object)
    for index in np.ndindex(*reads.shape):
        found[index] = reads[index][::-1]
    return found


def rearranged(value: Any, move: Callable[[Any], Any]) -> Any:
    """An array of any kind with its elements elsewhere."""
    if isinstance(value, Weights | Scores):
        return moved_scores(value, lambda array: [move(array)])
    if isinstance(value, Modulated):
        return moved_parts(value, lambda array: [move(array)])[0]
    return move(value) if isinstance(value, np.ndarray) else value.moved(move)
