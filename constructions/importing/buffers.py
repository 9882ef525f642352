"""Buffers (masks, numbers of positions, angles), which are not weights, compared with the network."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.importing.contents import Stored
from constructions.importing.parts import RecognisedNetwork, TensorReader, rows
from constructions.trained.network import AttentionStep, Tensor
from constructions.trained.numbers import all_numbers, view_of_tensor

HIDES = -9999
"""Threshold of masks: a score, or a number added to it, of at most this hides a token."""
_BITS = {"binary16": 10, "bfloat16": 7}
"""Bits in which angles in these formats agree with those of the network; 20 for other formats."""
Numbers = NDArray[np.float64]


def compared(found: RecognisedNetwork, weights: TensorReader, patterns: Mapping[str, str]) -> RecognisedNetwork:
    """Return the network after a check that the buffers under these names (patterns with descriptions) agree with it.

    A mask of fewer positions than the network's table truncates the table.
    """
    for name, stored in weights.stored.items():
        what = next((what for pattern, what in patterns.items() if re.fullmatch(pattern, name)), None)
        if what is None or name in weights.tensors or name in weights.aside:
            continue
        check = next((check for pattern, check in _CHECKS.items() if re.fullmatch(rf"(.*\.)?({pattern})", name)), None)
        if check is None:
            raise InputError(f"{weights.where}: tensor {name} ({stored}) is {what}, for which no comparison is known")
        try:
            found = check(_Buffer(_numbers(stored), np.ldexp(1, -_BITS.get(stored.format or "", 20)), found, weights))
        except ValueError as problem:
            raise InputError(f"{weights.where}: tensor {name} ({stored}): {problem}") from None
        weights.aside[name] = what
    return found


def _numbers(stored: Stored) -> Numbers:
    """Return the elements as binary64, whatever their type."""
    data = stored.read()
    if stored.format is not None:
        return all_numbers(Tensor(stored.format, stored.shape, data)).reshape(stored.shape)
    if stored.kind in ("bool", "BOOL", "|b1"):
        return np.frombuffer(data, np.uint8).astype(np.float64).reshape(stored.shape)
    whole = stored.whole()
    if whole is None:
        raise ValueError("elements of another type, expected numbers")
    return whole[1].astype(np.float64)


# -- comparisons of buffers with the network, which they may truncate ----------------------------------------------


@dataclass(frozen=True)
class _Buffer:
    """The numbers of a buffer, their relative error, and the network to compare with."""

    numbers: Numbers
    error: np.float64
    found: RecognisedNetwork
    weights: TensorReader

    def fits(self, holds: bool, said: str, cuts: bool = False) -> RecognisedNetwork:
        """Return the network, truncated to the buffer's positions if ``cuts``; raise ``said`` unless it ``holds``."""
        if not holds:
            raise ValueError(said)
        found, most = self.found, self.numbers.shape[-1] if cuts else 0
        if not cuts or found.positions is None or found.positions.shape[0] <= most:
            return found
        return replace(found, positions=rows(found.positions, 0, most))

    def mask(self) -> RecognisedNetwork:
        """Check a mask of all pairs of positions: it hides the same tokens as the network's attention."""
        hides = self._hides()
        return self.fits(hides == (self.found.attention == "causal") or self.numbers.size <= 1, (
            f"it hides {'later' if hides else 'no'} tokens, but attention is {self.found.attention}"), cuts=True)

    def triangle(self) -> RecognisedNetwork:
        """Check a mask that hides later tokens, even if the program does not read it; an empty one is computed."""
        return self.fits(self._hides() or self.numbers.size == 1, (
            "a mask that hides nothing, expected one that hides later tokens"), cuts=True) if self.numbers.size else (
            self.found)

    def _hides(self) -> bool:
        """Return whether a mask hides exactly the later tokens; false if it hides nothing."""
        shape = self.numbers.shape
        if len(shape) < 2 or shape[-2] != shape[-1] or math.prod(shape) != shape[-1] ** 2 or not shape[-1]:
            raise ValueError("expected a square mask")
        most = self.found.rows or shape[-1]
        square = self.numbers.reshape(shape[-2:])[:most, :most]
        if (square == square[0, 0]).all() and square[0, 0] in (0, 1):
            return False
        seen, hidden = square[0, 0], square[0, -1]
        if not (square == np.where(np.tri(len(square), dtype=bool), seen, hidden)).all():
            raise ValueError("a mask of other tokens than the later ones (a window?), expected exactly those")
        if {seen, hidden} != {0, 1} and not (seen == 0 and hidden <= HIDES):
            raise ValueError(f"a mask of {seen:g} and {hidden:g}, expected 0 and 1, or 0 and {HIDES} or less")
        return True

    def frequencies(self) -> RecognisedNetwork:
        """Check the angles at position number 1."""
        for cosines, sines in self._turns():
            if len(cosines) > 1:
                self._expect_near(self.numbers, np.arctan2(sines[1], cosines[1]), self.error)
        return self.found

    def angles(self) -> RecognisedNetwork:
        """Check the sines and cosines of all position numbers, in adjacent columns."""
        for cosines, sines in self._turns():
            count = min(len(self.numbers), len(sines))
            self._expect_near(self.numbers[:count], np.hstack([sines, cosines])[:count], self.error * (count + 1))
        return self.found

    def _turns(self) -> list[tuple[Numbers, Numbers]]:
        tables = {step.rotary for step in self.found.steps if isinstance(step, AttentionStep) and step.rotary}
        if not tables:
            raise ValueError("angles of rotary positions, but the network has none")
        held = self.weights.tensors
        return [(view_of_tensor(held[table.cosines.tensor], table.cosines),
                 view_of_tensor(held[table.sines.tensor], table.sines)) for table in tables]

    @staticmethod
    def _expect_near(numbers: Numbers, expected: Numbers, error: np.float64) -> None:
        if numbers.shape != expected.shape or not np.allclose(numbers, expected, rtol=error, atol=error / 16):
            raise ValueError("other angles than those of the network")


_CHECKS: Mapping[str, Callable[[_Buffer], RecognisedNetwork]] = {
    r"blocks\.\d+\.attn\.mask": _Buffer.triangle,
    r"(cross|self_)?(attn|attention)\.bias|(src_|attn_|causal_)?mask": _Buffer.mask,
    "masked_bias|IGNORE": lambda one: one.fits(
        one.numbers.size == 1 and bool(one.numbers.ravel()[0] <= HIDES), f"expected one number, {HIDES} or less"),
    "position_ids|positions|pos_ids": lambda one: one.fits(
        one.numbers.size > 0 and not (one.numbers.ravel() != np.arange(one.numbers.shape[-1])).any(),
        "expected 0, 1, 2, …", cuts=True),
    "token_type_ids": lambda one: one.fits(not one.numbers.any(), "expected 0 everywhere"),
    "inv_freq": _Buffer.frequencies,
    "embed_positions": _Buffer.angles,
    r"cls\.seq_relationship\.(weight|bias)|pooler\.dense\.(weight|bias)": lambda one: one.found,  # not read
}
