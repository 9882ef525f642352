"""Matrix products in a graph: linear maps, attention scores, averages; additive masks; rotary tables."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.importing.graph.affine_forms import (
    Array,
    Exactness,
    Flat,
    HeadBase,
    HeadReads,
    NotUnderstood,
    SoftmaxHeads,
    beside,
)
from constructions.importing.graph.state import NEARLY, State, is_nothing, with_table
from constructions.importing.graph.values import AttentionWeights, Modulated, ScoreArray, Tokenwise, grouped, placed

MASKED, LEAST_GAP = -9999, 1000
"""Threshold of masks: hidden scores have at most this added, or are lower than others by this gap."""
FINITE = "scores are hidden by finite numbers, -9999 and less or instead of them, as no others differ by a thousand"

BY_TABLE = "keys that a fixed mask hides have -16384 or less more in their scores, by a table of positions"


def times_constant(value: Tokenwise, matrix: Array, exactness: Exactness) -> Tokenwise:
    """Return value @ matrix; the matrix may be one for each index before its last two."""
    if value.shape[-1] != matrix.shape[-2] or not np.isfinite(matrix).all():
        raise NotUnderstood(f"a matrix of {matrix.shape[-2]} rows times {value.shape[-1]} numbers, or one of numbers "
                            f"that are infinite or none")
    positions, groups, rows = grouped(value)
    if matrix.ndim == 2:
        which: NDArray[np.intp] = np.zeros(groups.shape, np.intp)
        matrices, positions_of = [matrix], positions
    else:
        shape = np.broadcast_shapes((*groups.shape[:-1],), matrix.shape[:-2])
        matrices = list(matrix.reshape(-1, *matrix.shape[-2:]))
        numbers = np.arange(len(matrices)).reshape(matrix.shape[:-2])
        which = np.broadcast_to(np.broadcast_to(numbers, shape)[..., np.newaxis], (*shape, groups.shape[-1]))
        groups, positions_of = np.broadcast_to(groups, which.shape), np.broadcast_to(positions, which.shape)
    pairs, places = np.unique(np.stack([groups.ravel(), which.ravel()]), axis=1, return_inverse=True)
    flats = [value.flat.columns(rows[group]).times(matrices[one], exactness) for group, one in pairs.T]
    flat, width = flats[0] if len(flats) == 1 else beside(flats), matrix.shape[-1]
    forms = places.reshape(groups.shape)[..., np.newaxis] * width + np.arange(width)
    return placed(flat, np.broadcast_to(positions_of[..., np.newaxis], forms.shape), forms, value.factor)


def _along(value: Tokenwise | Modulated) -> NDArray[np.int64]:
    """Return positions [..., T] of an array [..., T, K], equal for all."""
    parts = [part for part, _ in value.parts] if isinstance(value, Modulated) else [value]
    positions = parts[0].positions
    lines = positions[..., 0].reshape(-1, positions.shape[-2])
    if any((part.positions != positions).any() for part in parts) or (positions != positions[..., :1]).any() or (
            lines != lines[0]).any():
        raise NotUnderstood("queries or keys that are not computed token by token")
    return np.asarray(lines[0])


def scores_of(query: Tokenwise | Modulated, key: Tokenwise | Modulated) -> ScoreArray:
    """Return query [..., T, K] @ key [..., K, T], where key is given transposed, as [..., T, K]."""
    positions, others = _along(query), _along(key)
    if (positions != others).any() or (positions != np.arange(len(positions))).any():
        raise NotUnderstood("scores between a selection of tokens, expected all of them in order")
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    reads, tables = np.empty(lead, object), None
    for index in np.ndindex(*lead):
        one, other = (_read(value, _own(index, value.shape[:-2])) for value in (query, key))
        if one[0].size != other[0].size:
            raise NotUnderstood(f"queries of {one[0].size} numbers and keys of {other[0].size}")
        if (one[1] is None) != (other[1] is None):
            raise NotUnderstood("rotary positions of queries only, or of keys only")
        if one[1] is not None and other[1] is not None:
            turned = tables or one[1]
            if any((a != b).any() for a, b in zip((*one[1], *other[1]), (*turned, *turned), strict=True)):
                raise NotUnderstood("rotary positions by different tables")
            tables = turned
        reads[index] = (one[0], other[0])
    return ScoreArray(reads, (*lead, len(positions), len(positions)), positions, query.factor * key.factor, tables)


def _own(index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return an index into an array that is broadcast."""
    return tuple(0 if size == 1 else i for i, size in zip(index[len(index) - len(shape):], shape, strict=True))


def _read(value: Tokenwise | Modulated, index: tuple[int, ...]) -> tuple[Flat, Any]:
    """Return the forms of one head, and the tables that rotate halves of them."""
    parts = [part for part, _ in value.parts] if isinstance(value, Modulated) else [value]
    if any((part.forms[index] != part.forms[index][:1]).any() for part in parts):
        raise NotUnderstood("queries or keys whose forms depend on the position")
    flats = [part.flat.columns(part.forms[index][0]) for part in parts]
    if isinstance(value, Tokenwise):
        return flats[0], None
    return _turned(flats, [np.broadcast_to(table, value.shape)[index] for _, table in value.parts])


def column_of(flat: Flat, k: int, sign: int = 1) -> tuple[Any, ...]:
    """Return a key that identifies a form, or (-1) its negative."""
    return (*sorted((base.order, (sign * matrix[:, k] + 0).tobytes()) for base, matrix in flat.terms.items()
                    if matrix[:, k].any()),
            *sorted((sign * one[:, k] + 0).tobytes() for one in flat.constants if one[:, k].any()))


def _turned(flats: list[Flat], modulation: list[Array]) -> tuple[Flat, tuple[Array, Array]]:
    """Return Σ flat · table as a rotation of halves: coordinate a is A cos - B sin, b is B cos + A sin."""
    main: dict[int, tuple[Flat, Array]] = {}
    beside_it: dict[int, tuple[Flat, Array]] = {}
    for flat, table in zip(flats, modulation, strict=True):
        for k in range(flat.size):
            if not table[:, k].any():
                continue
            where = main if table[0, k] == 1 else beside_it
            if k in where or table[0, k] not in (0, 1):
                raise NotUnderstood("constants that depend on positions, and are not rotary tables")
            where[k] = (flat, table[:, k])
    size = flats[0].size
    if len(main) < size:
        raise NotUnderstood("constants that depend on positions, and are not rotary tables")
    columns, minus = ([column_of(main[k][0], k, sign) for k in range(size)] for sign in (1, -1))
    sines: dict[int, tuple[int, Array]] = {}
    for k, (flat, table) in beside_it.items():
        found = column_of(flat, k)
        partners = [(j, sign) for j in range(size) if j != k for sign, one in ((1, columns[j]), (-1, minus[j]))
                    if one == found]
        partners = [one for one in partners if one[0] in beside_it] or partners
        if not partners:
            raise NotUnderstood("a rotation of a coordinate with none of the others")
        sines[k] = (partners[0][0], partners[0][1] * table)
    pairs = [(a, b) for a, (b, _) in sines.items() if a < b]
    rest = [k for k in range(size) if k not in sines]
    fits = all(sines.get(b, (-1,))[0] == a and (sines[b][1] == -sines[a][1]).all() and (main[a][1] == main[b][1]).all()
               for a, b in pairs) and 2 * len(pairs) + len(rest) == size and all((main[k][1] == 1).all() for k in rest)
    if not fits:
        raise NotUnderstood("constants that depend on positions, and are not rotary tables")
    order = [a for a, _ in pairs] + [b for _, b in pairs] + rest
    flat = beside([main[k][0].columns(np.array([k])) for k in order])
    if all(main[k][0] is main[0][0] for k in order):
        flat = main[0][0].columns(np.array(order))
    cosines = np.stack([main[a][1] for a, _ in pairs], 1)
    return flat, (cosines, np.stack([sines[b][1] for _, b in pairs], 1))


def softmax(state: State, scores: ScoreArray) -> AttentionWeights:
    """Return the weights; the addend of scores is a causal mask or none, slopes, or a table, which hides other keys."""
    seen, causal = seen_by(scores), is_causal(scores, state.tables.bidirectional)
    attended = np.tri(scores.shape[-1], dtype=bool) if causal else np.ones(scores.shape[-2:], bool)
    mask = np.where(seen, scores.masks[0].numbers, -np.inf)
    slopes, reads = np.empty(scores.shape[:-2], object), np.empty(scores.shape[:-2], object)
    scale = Fraction(1) if all(is_nothing(one) for one in scores.reads.ravel().tolist()) else scores.scale
    for index in np.ndindex(*slopes.shape):
        slopes[index], reads[index] = Fraction(0), scores.reads[index]
        if state.tables.apart:
            own = np.diag(mask[index])[:, np.newaxis]
            state.tables.added.append(np.where(seen[index], mask[index] - np.where(own > MASKED, own, 0), -np.inf))
            continue
        slope = _slope(mask[index], state.exactness)
        hidden = attended & ~seen[index]
        if hidden.any():
            state.assume(BY_TABLE)
        slopes[index] = slope or Fraction(0)
        if slope is None or hidden.any():
            expect_no_cap(scores)
            added = mask[index] if slope is None else np.where(hidden, -np.inf, 0)
            query, key = scores.reads[index]
            reads[index] = with_table(state, (query, key), added, attended, scale)
    state.softmaxes.append(AttentionWeights(replace(scores, reads=reads, scale=scale), slopes, causal))
    return state.softmaxes[-1]


def expect_no_cap(scores: ScoreArray) -> None:
    """Raise NotUnderstood for capped scores with an addend that queries and keys would have to represent."""
    if scores.cap is not None:
        raise NotUnderstood("a table, or a mask of keys by tokens, added to scores that have a cap")


def seen_by(scores: ScoreArray) -> NDArray[np.bool_]:
    """Return the visible keys of a mask [..., queries, keys]; each query needs one."""
    numbers: Array = np.broadcast_to(scores.masks[0].numbers, scores.shape)
    replaced: NDArray[np.bool_] = np.broadcast_to(scores.masks[0].replaced, scores.shape)
    seen = np.greater(numbers, MASKED) & ~replaced
    greatest = np.where(seen, numbers, -np.inf).max(-1, keepdims=True)
    if (replaced & (numbers > greatest - LEAST_GAP)).any():
        raise NotUnderstood("scores replaced by numbers that do not hide them")
    if (numbers == np.inf).any() or not seen.any(-1).all() or (~seen & (numbers > greatest - LEAST_GAP)).any():
        raise NotUnderstood("scores hidden by numbers near those of visible ones, or all scores of a query")
    return np.asarray(seen)


def _slope(mask: Array, exactness: Exactness) -> Fraction | None:
    """Return the slope of the addend of visible scores, up to a constant for each query."""
    visible = mask > MASKED
    own = np.diag(mask)[:, np.newaxis]
    added = np.where(visible, mask - np.where(own > MASKED, own, 0), 0)
    if not added.any():
        return Fraction(0)
    distance = np.arange(len(mask)) - np.arange(len(mask))[:, np.newaxis]
    at = np.argwhere(visible & (np.abs(distance) == 1))
    slope = added[tuple(at[0])] * distance[tuple(at[0])] if len(at) else np.float64(0)
    errors = np.abs(np.where(visible, added - slope * distance, 0))
    if (errors > NEARLY * np.abs(slope * distance)).any():
        return None
    exactness.note(not errors.any())
    return Fraction(np.float64(slope))


def is_causal(scores: ScoreArray, bidirectional: bool = False) -> bool | None:
    """Return whether later keys are hidden, unless all attention is to be ``bidirectional``; None for one token."""
    count = scores.shape[-1]
    return None if count == 1 else not bidirectional and not (seen_by(scores) & ~np.tri(count, dtype=bool)).any()


def averages(weights: AttentionWeights, value: Tokenwise, known: list[SoftmaxHeads]) -> Tokenwise:
    """Return weights [..., T, T] @ value [..., T, K]: a head for each index before the last two.

    Each is merged with the heads of an earlier softmax on which it does not depend.
    """
    scores = weights.scores
    positions = _along(value)
    if len(positions) != len(scores.positions) or (positions != scores.positions).any():
        raise NotUnderstood("an average over other tokens than those of the scores")
    lead = np.broadcast_shapes(scores.shape[:-2], value.shape[:-2])
    flats = list[Flat]()
    forms = np.empty((*lead, len(positions), value.shape[-1]), np.int64)
    first: dict[tuple[Any, ...], int] = {}
    for index in np.ndindex(*lead):
        at, own = _own(index, scores.shape[:-2]), _own(index, value.shape[:-2])
        if (value.forms[own] != value.forms[own][:1]).any():
            raise NotUnderstood("values whose forms depend on the position")
        columns = value.forms[own][0]
        key = (at, columns.tobytes())
        if key not in first:
            query, keys = scores.reads[at]
            reads = HeadReads(query, keys, value.flat.columns(columns), weights.slopes[at] or None)
            form = scores.scale, scores.tables, scores.cap
            if not any(one.may_have(reads, *form) for one in known):
                known.append(SoftmaxHeads(scores.scale, scores.tables, cap=scores.cap))
            attention = next(one for one in known if one.may_have(reads, *form))
            attention.heads.append(reads)
            first[key] = sum(flat.size for flat in flats)
            flats.append(HeadBase(len(columns), attention, len(attention.heads) - 1).values())
        forms[index] = first[key] + np.arange(len(columns))
    return placed(flats[0] if len(flats) == 1 else beside(flats),
                  np.broadcast_to(positions[:, np.newaxis], forms.shape), forms, value.factor)


def pooled(value: Tokenwise, axis: int, keep: bool, query_and_key: tuple[Flat, Flat] | None = None) -> Tokenwise:
    """Return the mean over all tokens, at the last one: a head with all scores 0, or with these queries and keys."""
    rows = np.moveaxis(value.codes, axis, 0)
    positions, forms = rows // value.flat.size, rows % value.flat.size
    count = len(rows)
    if (positions != np.arange(count).reshape(-1, *[1] * (rows.ndim - 1))).any() or (forms != forms[:1]).any():
        raise NotUnderstood("a mean over another axis than that of all tokens")
    query, key = query_and_key or (Flat({}, (), 1),) * 2
    reads = HeadReads(query, key, value.flat.columns(forms[0].ravel()), None)
    head = HeadBase(forms[0].size, SoftmaxHeads(Fraction(1), None, [reads]), 0)
    made = placed(head.values(), np.full(forms[0].shape, count - 1), np.arange(head.size).reshape(forms[0].shape),
                  value.factor)
    return made.moved(lambda codes: np.expand_dims(codes, axis)) if keep else made
