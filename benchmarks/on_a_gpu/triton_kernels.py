"""Triton's tl.dot, which compiles to the tensor cores' own instructions, and its tl.exp and tl.exp2."""

from typing import Any

import torch
import triton  # type: ignore[import-not-found,import-untyped,unused-ignore]
import triton.language as tl  # type: ignore[import-not-found,import-untyped,unused-ignore]

SIZE = 64
"""Size of the blocks, in all directions."""


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def _dot(a, b, c, width, columns, precision: tl.constexpr, size: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0) * size + tl.arange(0, size)
    column = tl.program_id(1) * size + tl.arange(0, size)
    total = tl.zeros((size, size), dtype=tl.float32)
    for first in range(0, width, size):
        k = first + tl.arange(0, size)
        left = tl.load(a + row[:, None] * width + k[None, :])
        right = tl.load(b + k[:, None] * columns + column[None, :])
        total = tl.dot(left, right, total, input_precision=precision)
    tl.store(c + row[:, None] * columns + column[None, :], total)


def dot(a: Any, b: Any, precision: str) -> Any:
    """Return a b in binary32; zeros pad the sizes to multiples of the blocks."""
    rows, columns = a.shape[0], b.shape[1]
    a = torch.nn.functional.pad(a, (0, -a.shape[1] % SIZE, 0, -rows % SIZE)).contiguous()
    b = torch.nn.functional.pad(b, (0, -columns % SIZE, 0, -b.shape[0] % SIZE)).contiguous()
    c = torch.empty(a.shape[0], b.shape[1], device=a.device, dtype=torch.float32)
    _dot[(a.shape[0] // SIZE, b.shape[1] // SIZE)](a, b, c, a.shape[1], b.shape[1], precision, SIZE)
    return c[:rows, :columns]


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def _apply(x, y, count, base_2: tl.constexpr, size: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    given = tl.load(x + at, mask=at < count)
    if base_2:  # noqa: SIM108  # Triton compiles this
        found = tl.exp2(given)
    else:
        found = tl.exp(given)
    tl.store(y + at, found, mask=at < count)


def exponential(x: Any, base_2: bool) -> Any:
    """Return tl.exp or tl.exp2 of binary32 numbers."""
    x = x.contiguous()
    y = torch.empty_like(x)
    _apply[(-(-x.numel() // 1024),)](x, y, x.numel(), base_2, 1024)
    return y
