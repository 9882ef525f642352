"""Norms of rotated vectors (rotary positions): rotations preserve length, so such a norm is a rotated norm.

Otherwise a norm would be of products with numbers of positions, each of which needs a gated hidden unit.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.importing.graph import curves
from constructions.importing.graph.affine_forms import Array
from constructions.importing.graph.arithmetic import joined_numbers, number_in
from constructions.importing.graph.attention import column_of
from constructions.importing.graph.state import NEARLY, State
from constructions.importing.graph.values import MeanSquare, Modulated, Tokenwise

KEPT = "rotary positions keep lengths: where what they turn is normalised later, cos² + sin² is 1 within 2^-20"


@dataclass(frozen=True)
class Turn:
    """A rotation: coordinate k is ``of``'s times its cosine plus its partner's times its sine."""

    of: Tokenwise
    partners: NDArray[np.intp]
    cosines: Array
    sines: Array


@dataclass(frozen=True)
class TurnedSquare:
    """The squares of rotated numbers."""

    value: Modulated
    turn: Turn


def product(x: Any, y: Any, state: State) -> TurnedSquare | Modulated | None:
    """Return x · y, if it is a square of rotated numbers, or rotated numbers divided by their root mean square."""
    if isinstance(y, Modulated) and x is not y:
        x, y = y, x
    turn: Turn | None = state.once(_turn_of, x) if isinstance(x, Modulated) else None
    if turn is None:
        return None
    if x is y:
        return TurnedSquare(x, turn)
    if not isinstance(y, MeanSquare) or y.power != -curves.HALF or y.of is not turn.of:
        return None
    made = curves.over_root(turn.of, y, state.exactness)
    alone = replace(made, factor=Fraction(1))
    state.assume(KEPT)
    return Modulated(((alone, turn.cosines), (alone.moved(lambda codes: codes[..., turn.partners]), turn.sines)),
                     x.factor * made.factor)


def normed(value: Any, epsilon: Fraction, gain: Array, state: State) -> Modulated | None:
    """Return the norm by the root mean square, if the value is rotated, and the gain is one number; else None."""
    square, number = product(value, value, state), number_in(gain)
    if not isinstance(square, TurnedSquare) or number is None:
        return None
    roots = MeanSquare(square.turn.of, False, square.value.factor**2, epsilon, -curves.HALF)
    made = product(value, roots, state)
    return replace(made, factor=made.factor * number) if isinstance(made, Modulated) else None


def _turn_of(value: Modulated) -> Turn | None:
    """Return the rotation of the value; None if it is not a rotation."""
    shape, positions = value.shape, value.parts[0][0].positions
    parts = [(part, np.broadcast_to(table, shape)) for part, table in value.parts]
    first = positions == 0
    if not first.any() or any((part.positions != positions).any() for part, _ in parts):
        return None
    chosen: list[tuple[Tokenwise, Array]] = []
    beside: dict[int, tuple[Tokenwise, Array]] = {}
    for k in range(shape[-1]):
        used = [(part.moved(lambda codes, k=k: codes[..., k:k + 1]), table[..., k])  # type: ignore[misc]
                for part, table in parts if table[..., k].any()]
        at_first = [table[first[..., k]] for _, table in used]
        main = [one for one, numbers in zip(used, at_first, strict=True) if (numbers == 1).all()]
        others = [one for one, numbers in zip(used, at_first, strict=True) if (numbers == 0).all()]
        if len(main) != 1 or len(others) > 1 or len(others) + 1 != len(used):
            return None
        chosen += main
        beside |= dict.fromkeys([k][:len(others)], (others or main)[0])
    of = joined_numbers([part for part, _ in chosen], -1)
    partners, sines = np.arange(shape[-1]), np.zeros(shape)
    for k, (part, table) in beside.items():
        found = next(((j, sign) for j in range(shape[-1]) for sign in (1, -1)
                      if j != k and j in beside and _are_equal(part, chosen[j][0], sign)), None)
        if found is None:
            return None
        partners[k], sines[..., k] = found[0], found[1] * table
    turn = Turn(of, partners, np.stack([table for _, table in chosen], -1), sines)
    at = turn.partners
    keeps_lengths = ((at[at] == np.arange(len(at))).all() and (turn.cosines == turn.cosines[..., at]).all()
                     and (turn.sines == -turn.sines[..., at]).all()
                     and (np.abs(turn.cosines**2 + turn.sines**2 - 1) <= NEARLY).all())
    return turn if keeps_lengths else None


def _are_equal(x: Tokenwise, y: Tokenwise, sign: int) -> bool:
    """Return whether the forms of x are those of y, or (-1) their negatives."""
    pairs = np.unique(np.stack([x.forms.ravel(), y.forms.ravel()]), axis=1)
    return all(column_of(x.flat, int(a)) == column_of(y.flat, int(b), sign) for a, b in pairs.T)
