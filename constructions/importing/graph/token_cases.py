"""Masks of padding: arrays of constants with one of two values by the token at their position.

A key hidden by its token has -16384 added to its score, where it is visible: words without these tokens stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.graph.affine_forms import Codes, Flat, NotUnderstood, beside
from constructions.importing.graph.arithmetic import number_in
from constructions.importing.graph.attention import FINITE, LEAST_GAP, expect_no_cap, pooled, seen_by, softmax
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.operators import Attributes, axes_in
from constructions.importing.graph.state import State, as_scores, by_head, is_nothing
from constructions.importing.graph.values import AttentionWeights, Mask, Move, ScoreArray, Tokens, Tokenwise

HIDING = Fraction(-(1 << 14))
MOST_TOKENS = 1 << 12
_COMPARED = {"Equal": (0, 1, True), "Less": (0, 0, True), "LessOrEqual": (0, 1, True), "Greater": (0, 1, False),
             "GreaterOrEqual": (0, 0, False)}
"""For a comparison with c: the range of tokens from c + first below c + end, and its truth there."""
_TURNED = {"Equal": "Equal", "Less": "Greater", "LessOrEqual": "GreaterOrEqual", "Greater": "Less",
           "GreaterOrEqual": "LessOrEqual"}
_SINGLE = {"Not", "And", "Or", "Xor", "Cast", "Add", "Sub", "Mul", "Div", "Neg", "Where", "Identity", *_COMPARED}
"""Elementwise operations."""
Evaluate = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True)
class TokenCase:
    """``inside`` where the token at the element's position is one of ``tokens``, ``outside`` elsewhere."""

    codes: Codes
    tokens: frozenset[int]
    inside: Any
    outside: Any

    def each_of(self, move: Move) -> list[TokenCase]:
        """Return the arrays made of the elements."""
        return [TokenCase(np.asarray(codes, np.int64), self.tokens, inside, outside) for codes, inside, outside in zip(
            move(self.codes), move(self.inside), move(self.outside), strict=True)]


@dataclass(frozen=True)
class KeptTokens:
    """Numbers of tokens, with 0 where the token is one of ``tokens``.

    ``summed``: the axis of their sum over all tokens, and whether it is kept.
    """

    value: Tokenwise
    tokens: frozenset[int]
    summed: tuple[int, bool] | None = None


@dataclass(frozen=True)
class TokenCount:
    """The number of input tokens other than these; the shape of the array of such numbers."""

    tokens: frozenset[int]
    shape: tuple[int, ...]


def mean_of_kept(state: State, operation: str, node: Attributes, inputs: Sequence[Any]) -> Any:
    """Return a step towards the mean over tokens that are not padding; None for other operations."""
    x, y = [*inputs, None][:2]
    if operation == "Mul" and any(isinstance(one, TokenCase) for one in inputs):
        x, y = (y, x) if isinstance(x, TokenCase) else (x, y)
        x = resolved(x, state.exactness) if isinstance(x, Curve) else x
        fits = isinstance(x, Tokenwise) and isinstance(y, TokenCase) and not np.any(y.inside) and np.all(y.outside == 1)
        shape = np.broadcast_shapes(x.shape, y.codes.shape) if fits else ()
        return KeptTokens(x, y.tokens) if fits and shape == x.shape and (
            np.broadcast_to(y.codes, shape) == x.positions).all() else None
    if operation == "ReduceSum" and isinstance(x, KeptTokens | TokenCase) and getattr(x, "summed", None) is None:
        places = x.value.positions if isinstance(x, KeptTokens) else x.codes
        keeps_axis = bool(node.attribute("keepdims"))
        axes = axes_in(node, y, places.ndim)
        if len(axes) != 1 or (np.moveaxis(places, axes[0], -1) != np.arange(state.count)).any():
            return None
        if isinstance(x, KeptTokens):
            return replace(x, summed=(axes[0], keeps_axis))
        shape = (*places.shape[: axes[0]], *[1] * keeps_axis, *places.shape[axes[0] + 1:])
        return None if np.any(x.inside) or not np.all(x.outside == 1) else TokenCount(x.tokens, shape)
    least = number_in(y) if operation in ("Clip", "Max") and isinstance(y, np.ndarray) and y.ndim == 0 else None
    if isinstance(x, TokenCount) and least is not None and least <= 1 and not any(
            one is not None for one in inputs[2:]):
        return x
    if (operation == "Div" and isinstance(x, KeptTokens) and x.summed and isinstance(y, TokenCount)
            and x.tokens == y.tokens):
        one, hides = _hides(state, y.tokens, Fraction(1))
        made = pooled(x.value, *x.summed, (one, hides))
        return made if np.broadcast_shapes(made.shape, y.shape) == made.shape else None
    return None


def token_case(state: State, operation: str, node: Attributes, inputs: Sequence[Any], evaluate: Evaluate) -> Any:
    """Return the result of an operation on tokens and a number, or on such arrays; None for other inputs."""
    if operation in _COMPARED and any(isinstance(one, Tokens) for one in inputs):
        return _compared(operation, inputs)
    cases = [one for one in inputs if isinstance(one, TokenCase)]
    if (made := mean_of_kept(state, operation, node, inputs)) is not None or not cases or (
            operation == "Attention"):
        return made
    if operation == "Shape":
        return np.array(cases[0].codes.shape, np.int64)
    if operation in ("Add", "Where") and (made := masked(state, operation, inputs)) is not None:
        return made
    if operation not in _SINGLE or any(not isinstance(one, TokenCase | np.ndarray) for one in inputs):
        raise NotUnderstood("an operation that is not supported on conditions on tokens, expected masks of keys")
    if any(case.tokens != cases[0].tokens for case in cases):
        raise NotUnderstood("conditions on different tokens in one mask, expected one set of them")
    shape = np.broadcast_shapes(*(one.codes.shape if isinstance(one, TokenCase) else one.shape for one in inputs))
    codes = [np.broadcast_to(case.codes, shape) for case in cases]
    if any((one != codes[0]).any() for one in codes):
        raise NotUnderstood("conditions on tokens of two positions in one mask, expected one position")
    inside, outside = (evaluate([getattr(one, side) if isinstance(one, TokenCase) else one for one in inputs])
                       for side in ("inside", "outside"))
    return TokenCase(codes[0], cases[0].tokens, np.broadcast_to(inside, shape), np.broadcast_to(outside, shape))


def _compared(operation: str, inputs: Sequence[Any]) -> TokenCase:
    tokens, number = inputs
    if not isinstance(tokens, Tokens):
        tokens, number, operation = number, tokens, _TURNED[operation]
    if not isinstance(tokens, Tokens) or not isinstance(number, np.ndarray) or number.size != 1 or (
            number.dtype.name != tokens.kind):
        raise NotUnderstood(f"tokens compared with something other than a number of type {tokens.kind}")
    first, more, holds = _COMPARED[operation]
    value = number.item()
    if not 0 <= value <= MOST_TOKENS:
        raise NotUnderstood(f"tokens compared with a number outside the tokens 0 to {MOST_TOKENS}")
    meant = range(int(value) if operation == "Equal" else first, int(value) + more)
    shape = np.broadcast_shapes(tokens.codes.shape, number.shape)
    return TokenCase(np.broadcast_to(tokens.codes, shape), frozenset(meant), np.full(shape, holds),
                     np.full(shape, not holds))


def masked(state: State, operation: str, inputs: Sequence[Any]) -> ScoreArray | None:
    """Return scores with a mask of keys by their tokens, of Add or Where; None without scores."""
    inputs = [one if isinstance(one, TokenCase) else as_scores(state, one) if
              not isinstance(one, np.ndarray) else one for one in inputs]
    if operation == "Add":
        for scores, case in (inputs, inputs[::-1]):
            if isinstance(scores, ScoreArray) and isinstance(case, TokenCase):
                _expect_keys(scores, case)
                return _by_tokens(scores, case.tokens, *(
                    scores.plus(np.asarray(numbers, np.float64)).masks for numbers in (case.inside, case.outside)))
        return None
    choice, one, other = inputs
    for scores, rest, kept in ((one, other, True), (other, one, False)):
        if isinstance(scores, ScoreArray) and isinstance(choice, TokenCase) and isinstance(rest, np.ndarray):
            _expect_keys(scores, choice)
            return _by_tokens(scores, choice.tokens, *(
                scores.filled(np.asarray(chosen != kept), np.asarray(rest, np.float64)).masks
                for chosen in (choice.inside, choice.outside)))
    return None


def _expect_keys(scores: ScoreArray, case: TokenCase) -> None:
    """Raise NotUnderstood for a mask that is not about the tokens of keys."""
    shape = np.broadcast_shapes(scores.shape, case.codes.shape)
    if shape != scores.shape or (np.broadcast_to(case.codes, shape) != scores.positions).any():
        raise NotUnderstood("a mask by the tokens of queries, or of other positions than those of keys")


def _by_tokens(scores: ScoreArray, tokens: frozenset[int], inside: Sequence[Mask],
               outside: Sequence[Mask]) -> ScoreArray:
    """Return scores with the masks ``inside`` for keys with these tokens, and ``outside`` for others."""
    made, rest = [outside[0]], tokens
    for old, one, other in zip(scores.masks[1:], inside[1:], outside[1:], strict=True):
        parts = (replace(one, tokens=old.tokens & tokens), replace(other, tokens=old.tokens - tokens))
        made += [part for part in parts if part.tokens]
        rest -= old.tokens
    return replace(scores, masks=(*made, *([replace(inside[0], tokens=rest)] if rest else [])))


def _unseen(scores: ScoreArray) -> frozenset[int]:
    """Return the tokens whose keys are hidden wherever others are visible."""
    found = frozenset[int]()
    whole, seen = scores.masks[0], seen_by(scores)
    for mask in scores.masks[1:]:
        numbers, others, replaced, others_replaced = (np.asarray(np.broadcast_to(one, scores.shape)) for one in (
            mask.numbers, whole.numbers, mask.replaced, whole.replaced))
        if (numbers == others).all() and (replaced == others_replaced).all():
            continue
        near = numbers > np.where(seen, others, -np.inf).max(-1, keepdims=True) - LEAST_GAP
        if (seen & near).any():
            raise NotUnderstood("a mask by tokens that hides different tokens from different queries")
        if near.any():
            raise NotUnderstood("a mask that hides all tokens except some")
        found |= mask.tokens
    return found


def weights_of(state: State, scores: ScoreArray) -> AttentionWeights:
    """Return the softmax of scores, over keys."""
    scores = _without_unseen(state, scores)
    if (np.isfinite(scores.masks[0].numbers) & ~seen_by(scores)).any():
        state.assume(FINITE)
    return softmax(state, scores)


def _without_unseen(state: State, scores: ScoreArray) -> ScoreArray:
    """Return scores in which an addend hides the invisible keys, whatever factor the scores had."""
    unseen = _unseen(scores)
    scores = replace(scores, masks=scores.masks[:1])
    if not unseen:
        return scores
    expect_no_cap(scores)
    by_table = all(is_nothing(read) for read in scores.reads.ravel().tolist())
    one, hides = _hides(state, unseen, Fraction(1) if by_table else scores.scale)
    reads = by_head(scores.reads.shape, lambda index: (one, hides) if is_nothing(scores.reads[index]) else (
        beside([scores.reads[index][0], one]), beside([scores.reads[index][1], hides])))
    return replace(scores, reads=reads, scale=Fraction(1) if by_table else scores.scale)


def _hides(state: State, tokens: frozenset[int], scale: Fraction) -> tuple[Flat, Flat]:
    """Return the query and key columns that hide these tokens."""
    if state.token_base is None or max(tokens, default=0) >= state.token_base.size or (
            len(tokens) >= state.token_base.size):
        raise NotUnderstood("a mask by tokens that are not looked up, or by all of them")
    column = np.zeros((state.token_base.size, 1))
    column[[*tokens]] = 1
    state.hidden[tokens] = None
    listed = ", ".join(map(str, sorted(tokens)[:4])) + (" and more" if len(tokens) > 4 else "")
    state.assume(f"keys with the tokens {listed} are hidden by {HIDING} in their scores; inputs in which a token sees "
                 "no other keys may be read differently")
    hides = Flat({state.token_base: column}, (), 1).scaled(HIDING / scale, state.exactness)
    return Flat({}, (np.ones((1, 1)),), 1), hides
