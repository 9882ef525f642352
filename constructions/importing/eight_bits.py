"""Floating point of 8 bits: E4M3 (without infinities) and E5M2, each number of which is one of binary16, too."""

from typing import Any

import ml_dtypes
import numpy as np

_FORMATS = {"F8_E4M3": (np.dtype(ml_dtypes.float8_e4m3fn), -9),
            "F8_E5M2": (np.dtype(ml_dtypes.float8_e5m2), -16)}
"""Format, and the power of two of which each of its numbers is a multiple."""
EIGHT_BITS = (*_FORMATS,)


def as_binary16(kind: str, data: bytes) -> bytes:
    """Elements of 8 bits as binary16, little-endian; what is no number stays none.

    >>> np.frombuffer(as_binary16("F8_E4M3", bytes([0x38, 0x01, 0xFE, 0x7F])), "<f2").tolist()
    [1.0, 0.001953125, -448.0, nan]
    """
    return np.frombuffer(data, _FORMATS[kind][0]).astype("<f2").tobytes()


def units_of(kind: str) -> Any:
    """Unit of which each number of the format is a multiple."""
    return np.ldexp(np.float64(1), _FORMATS[kind][1])
