"""Attention and RotaryEmbedding of opsets 23 and 24 as one node each, by the text of onnx 1.23.

See docs/howto/importing.md.
"""

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from constructions.importing.graph import arithmetic, attention
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.operators import Attributes
from constructions.importing.graph.state import State, rearranged
from constructions.importing.graph.token_cases import TokenCase, masked, weights_of
from constructions.importing.graph.values import Modulated, ScoreArray, Tokenwise

ROOT = "scores are divided by the square root of the heads' width, rounded to binary64"
_CACHES = ((4, "past_key"), (5, "past_value"), (6, "nonpad_kv_seqlen"))


def _numbers(state: State, value: Any, what: str) -> Any:
    value = resolved(value, state.exactness) if isinstance(value, Curve) else value
    if not isinstance(value, Tokenwise | Modulated) or len(value.shape) not in (3, 4):
        raise NotUnderstood(f"{what} that are not an array of numbers of tokens with 3 or 4 axes")
    return value


def _by_head(value: Any, heads: int | None, what: str) -> Any:
    """Return an array [1, heads, tokens, width]; with 3 axes, the heads of a token are adjacent."""
    if len(value.shape) == 4:
        if heads is not None:
            raise NotUnderstood(f"{what} with 4 axes beside a number of heads, expected 3 axes with it")
        return value
    if heads is None or heads < 1 or value.shape[-1] % heads:
        raise NotUnderstood(f"{what} of width {value.shape[-1]} and {heads} heads, expected a divisor")
    return rearranged(value, lambda codes: np.swapaxes(codes.reshape(*codes.shape[:2], heads, -1), 1, 2))


def attend(state: State, node: Attributes, *inputs: Any) -> Tokenwise:
    """Return attention without a cache; scores are capped before a mask is added."""
    for place, name in _CACHES:
        if len(inputs) > place and inputs[place] is not None:
            raise NotUnderstood(f"{name}: attention with a cache, expected all keys in the node's own input")
    cap = Fraction(np.float64(node.attribute("softcap")))
    if cap < 0:
        raise NotUnderstood(f"softcap {node.attribute('softcap')}, expected 0 (no cap) or more")
    flat = [_numbers(state, value, name) for value, name in zip(inputs, ("queries", "keys", "values"), strict=False)]
    if len({len(one.shape) for one in flat}) > 1:
        raise NotUnderstood("queries, keys and values with several numbers of axes, expected one")
    heads, shared = node.attribute("q_num_heads"), node.attribute("kv_num_heads")
    query, key, value = (_by_head(one, number, what) for one, number, what in zip(
        flat, (heads, shared, shared), ("queries", "keys", "values"), strict=True))
    if isinstance(value, Modulated):
        raise NotUnderstood("values times constants of positions")
    repeats, rest = divmod(query.shape[1], key.shape[1])
    if rest or value.shape[1] != key.shape[1]:
        raise NotUnderstood(f"{query.shape[1]} heads of queries, {key.shape[1]} of keys, {value.shape[1]} of values")
    key, value = (rearranged(one, lambda codes: np.repeat(codes, repeats, 1)) for one in (key, value))
    width, scale = query.shape[-1], node.attribute("scale")
    if scale is not None and (not np.isfinite(scale) or scale <= 0):
        raise NotUnderstood(f"scale {scale}, expected a number above 0")
    if scale is None and isqrt(width) ** 2 != width:
        state.assume(ROOT)
    scale = Fraction(np.float64(scale)) if scale is not None else Fraction(1, isqrt(width)) if (
        isqrt(width) ** 2 == width) else Fraction(np.float64(1 / np.sqrt(width)))
    scores = attention.scores_of(query, key).scaled(scale)
    scores = scores.scaled(1 / cap).capped().scaled(cap) if cap else scores
    weights = weights_of(state, _with_mask(state, node, scores, [*inputs, None][3]))
    made = attention.averages(weights, value, state.attentions)
    if len(flat[0].shape) == 4:
        return made
    return made.moved(lambda codes: np.swapaxes(codes, 1, 2).reshape(codes.shape[0], codes.shape[2], -1))


def _with_mask(state: State, node: Attributes, scores: ScoreArray, mask: Any) -> ScoreArray:
    """Return scores with 0 or -infinity added for a condition, or numbers, and -infinity for later keys if causal.

    A mask with one row for all queries, which the standard allows and ONNX Runtime does not, is refused.
    """
    shape = mask.codes.shape if isinstance(mask, TokenCase) else getattr(mask, "shape", ())
    form = mask.inside if isinstance(mask, TokenCase) else mask
    if mask is not None and (not isinstance(form, np.ndarray) or form.dtype.kind not in "fb"
                             or shape[-2:] != scores.shape[-2:]):
        raise NotUnderstood("attn_mask, expected a constant or mask of keys by tokens, with a number or condition for "
                            "each query and key")
    made: ScoreArray | None = scores
    if isinstance(mask, TokenCase):
        made = masked(state, "Where", [mask, scores, np.array(-np.inf)]) if form.dtype.kind == "b" else (
            masked(state, "Add", [scores, mask]))
    elif mask is not None:
        made = scores.plus(np.where(mask, 0, -np.inf) if form.dtype.kind == "b" else np.asarray(mask, np.float64))
    if made is None:
        raise NotUnderstood("attn_mask that is not a mask of keys")
    later = np.where(np.tri(shape[-1] if shape else scores.shape[-1], dtype=bool), 0, -np.inf)
    return made.plus(later) if node.attribute("is_causal") else made


# -- rotary positions --------------------------------------------------------------------------------------------------


def rotate(state: State, node: Attributes, value: Any, cosines: Any, sines: Any, places: Any = None) -> Any:
    """Return RotaryEmbedding: halves of each head, or neighbours, rotated by tables of cosines and sines."""
    value = _numbers(state, value, "numbers")
    number = node.attribute("num_heads")
    heads = _by_head(value, number if len(value.shape) == 3 else None, "numbers")
    width = heads.shape[-1]
    turned = node.attribute("rotary_embedding_dim") or width
    if turned % 2 or not 0 < turned <= width or width % 2:
        raise NotUnderstood(f"rotary_embedding_dim {turned} of heads of width {width}, expected even numbers")
    tables = [_table(one, places, heads.shape[2], turned // 2) for one in (cosines, sines)]
    first, second = ((slice(0, turned, 2), slice(1, turned, 2)) if node.attribute("interleaved") else
                     (slice(turned // 2), slice(turned // 2, turned)))
    x, y = rearranged(heads, lambda codes: codes[..., first]), rearranged(heads, lambda codes: codes[..., second])

    def mixed(one: Any, other: Any, sign: int) -> Any:
        a, b = (arithmetic.multiply(state, part, table) for part, table in zip((one, other), tables, strict=True))
        return arithmetic.add(state, a, b, sign)

    parts = [mixed(x, y, -1), mixed(y, x, 1)]
    if turned < width:
        parts.append(rearranged(heads, lambda codes: codes[..., turned:]))
    made = arithmetic.joined(state, parts, 3)
    order = np.arange(width)
    if node.attribute("interleaved"):
        order[:turned] = order[:turned].reshape(2, -1).T.ravel()
    made = rearranged(made, lambda codes: codes[..., order])
    if len(value.shape) == 4:
        return made
    return rearranged(made, lambda codes: np.swapaxes(codes, 1, 2).reshape(value.shape))


def _table(table: Any, places: Any, count: int, pairs: int) -> Any:
    """Return cosines or sines, [1, 1, tokens, pairs]: rows at given indices, or of each token."""
    if not isinstance(table, np.ndarray) or not (places is None or isinstance(places, np.ndarray)):
        raise NotUnderstood("rotary tables or indices that depend on tokens")
    if places is not None:
        if table.ndim != 2 or places.ndim != 2 or ((places < 0) | (places >= len(table))).any():
            raise NotUnderstood("indices of rotary tables, expected rows of tables with 2 axes")
        table = table[places]
    if table.shape != (1, count, pairs):
        raise NotUnderstood(f"rotary tables of shape {table.shape}, expected {(1, count, pairs)}")
    return np.asarray(table, np.float64)[:, np.newaxis]
