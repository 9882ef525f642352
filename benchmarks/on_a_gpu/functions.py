"""Errors of functions of one number, on every number of a format, in units in the last place of the true value.

The reference is the same function in binary64 on the same device, with errors of about 2^-29 units of binary32. Results
below the least normal number are counted separately, in units of the least positive one: they may be 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

Function = Callable[[Any], Any]
CHUNK = 1 << 26
BITS = {torch.float32: (24, -126, 127), torch.bfloat16: (8, -126, 127), torch.float16: (11, -14, 15)}
"""Precision, least and greatest exponent."""
KERNEL = """
extern "C" __global__ void apply(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) { float a = x[i], r; BODY; y[i] = r; }
}
"""
IN_CUDA = {
    "expf": "r = expf(a)", "exp2f": "r = exp2f(a)", "__expf": "r = __expf(a)", "erff": "r = erff(a)",
    "tanhf": "r = tanhf(a)", "rsqrtf": "r = rsqrtf(a)", "__fdividef(1, x)": "r = __fdividef(1.0f, a)",
    "ex2.approx.ftz": 'asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a))',
    "ex2.approx": 'asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(a))',
    "ex2.approx.ftz of x log2(e)":
        'float p = __fmul_rn(a, 1.4426950408889634f); asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(p))',
    "tanh.approx": 'asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a))',
    "rcp.approx.ftz": 'asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a))',
    "rsqrt.approx.ftz": 'asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a))',
    "sqrt.approx.ftz": 'asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a))',
}
LOG2E = 1.44269502162933349609375
"""log2(e), rounded to binary32."""
ALONE = -18.0
"""In a softmax over an argument of at most this and 0, the first weight is the exponential itself: 1 + e^-18 is 1."""


def gelu(x: Any) -> Any:
    """Return GELU by erfc, so that nothing cancels."""
    return x / 2 * torch.erfc(-x * 0.5**0.5)


REFERENCES: dict[str, Function] = {
    "exp": torch.exp, "exp2": torch.exp2, "erf": torch.erf, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "gelu": gelu,
}
OF_KERNELS = {
    "expf": "exp", "exp2f": "exp2", "__expf": "exp", "erff": "erf", "tanhf": "tanh", "rsqrtf": "rsqrt",
    "__fdividef(1, x)": "reciprocal", "ex2.approx.ftz": "exp2", "ex2.approx": "exp2",
    "ex2.approx.ftz of x log2(e)": "exp", "tanh.approx": "tanh", "rcp.approx.ftz": "reciprocal",
    "rsqrt.approx.ftz": "rsqrt", "sqrt.approx.ftz": "sqrt",
}


@dataclass
class Worst:
    """The greatest figure, and its argument."""

    value: float = 0.0
    at: float = 0.0

    def see(self, figures: Any, x: Any) -> None:
        """Update the greatest figure."""
        if figures.numel():
            place = int(figures.argmax())
            if float(figures[place]) > self.value:
                self.value, self.at = float(figures[place]), float(x[place])


def power_of_2(exponent: Any) -> Any:
    """Return 2^exponent in binary64, exactly."""
    return (exponent.to(torch.int64) + 1023 << 52).view(torch.float64)


class Measured:
    """The errors of one function on numbers of a format."""

    def __init__(self, form: Any) -> None:
        self.precision, self.least, self.greatest = BITS[form]
        self.normal, self.at_most_0, self.below = Worst(), Worst(), Worst()
        self.of_argument, self.flushed, self.flushed_normal, self.special = Worst(), 0, Worst(), 0

    def see(self, x: Any, y: Any, exact: Any) -> None:
        """Record one chunk: arguments, computed and true values, in binary64."""
        least, top = 2.0**self.least, 2.0 ** (self.greatest + 1)
        self.special += int((torch.isnan(y) != torch.isnan(exact)).sum())
        kept = ~(torch.isnan(y) | torch.isnan(exact))
        x, y, exact = x[kept], y[kept].clamp(-top, top), exact[kept].clamp(-top, top)
        size = exact.abs()
        normal = size >= least
        exponent = torch.frexp(torch.where(normal, size, least)).exponent - 1
        exponent = exponent.clamp(max=self.greatest)
        error = (y - exact).abs() * power_of_2(self.precision - 1 - exponent)
        lost = normal & (y == 0)
        self.flushed_normal.see(torch.where(lost, size, 0.0), x)
        self.normal.see(torch.where(normal & ~lost, error, 0.0), x)
        self.at_most_0.see(torch.where(normal & ~lost & (x <= 0), error, 0.0), x)
        self.below.see(torch.where(~normal & (y != 0), (y - exact).abs() * 2.0 ** (self.precision - 1 - self.least),
                                   0.0), x)
        self.flushed += int((~normal & (y == 0) & (size > least * 2.0**-self.precision)).sum())
        finite = (x.abs() >= least * 2.0 ** (self.precision + 1)) & (exact.abs() < top) & (y.abs() < top)
        self.of_argument.see(torch.where(finite, (y - exact).abs() / x.abs() * 2.0**self.precision, 0.0), x)

    def figures(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {"ulp": self.normal.value, "at": self.normal.at, "ulp_at_most_0": self.at_most_0.value,
                "at_at_most_0": self.at_most_0.at, "ulp_below_normal": self.below.value,
                "below_normal_at": self.below.at, "flushed_below_normal": self.flushed,
                "greatest_normal_flushed": self.flushed_normal.value, "special_values_wrong": self.special,
                "of_the_argument_in_u": self.of_argument.value, "of_the_argument_at": self.of_argument.at}


def every(form: Any, device: str, step: int) -> Iterator[Any]:
    """Yield every ``step``-th number of a format, in chunks, except infinities and NaN."""
    bits = 32 if form == torch.float32 else 16
    half = 1 << bits - 1
    for first in range(-half, half, CHUNK * step):
        pattern = torch.arange(first, min(first + CHUNK * step, half), step, device=device, dtype=torch.int64)
        x = pattern.to(torch.int32 if bits == 32 else torch.int16).view(form)
        yield x[torch.isfinite(x)]


def measure(function: Function, exact: Function, form: Any, device: str, step: int,
            kept: Function | None = None) -> dict[str, Any]:
    """Measure a function on the numbers of a format, or on those that are kept."""
    found = Measured(form)
    for chunk in every(form, device, step):
        x = chunk if kept is None else chunk[kept(chunk)]
        if x.numel():
            wide = x.double()
            found.see(wide, function(x).double(), exact(wide))
    zeros = torch.tensor([0.0, -0.0], device=device).to(form)
    return {**found.figures(), "at_0": function(zeros).double().tolist()}


def kernel(body: str) -> Function:
    """Return a function in CUDA, compiled by cupy or, if that fails, by torch."""
    source = KERNEL.replace("BODY", body)
    try:
        import cupy  # type: ignore[import-not-found,unused-ignore]

        made = cupy.RawKernel(source, "apply")
        made.compile()
    except Exception:
        made, compiled = None, torch.cuda._compile_kernel(source, "apply")

    def apply(x: Any) -> Any:
        x, y = x.contiguous(), torch.empty_like(x)
        blocks = -(-x.numel() // 256)
        torch.cuda.synchronize()
        if made is not None:
            made((blocks,), (256,), (np.uint64(x.data_ptr()), np.uint64(y.data_ptr()), np.int64(x.numel())))
            cupy.cuda.Device().synchronize()
        else:
            compiled(grid=(blocks, 1, 1), block=(256, 1, 1), args=(x, y, x.numel()))
        torch.cuda.synchronize()
        return y

    return apply


def in_softmax(x: Any) -> Any:
    """Return the weight of x beside 0."""
    return torch.softmax(torch.stack([x, torch.zeros_like(x)], -1), -1)[..., 0]


def ratio_in_softmax(x: Any) -> Any:
    """Return the ratio of both weights: two roundings besides the exponential."""
    weights = torch.softmax(torch.stack([x, torch.zeros_like(x)], -1), -1).double()
    return weights[..., 0] / weights[..., 1]


def by_rounded_constant(x: Any) -> Any:
    """Return exp2 of the rounded product with log2(e): the exponential of a float model with base 2."""
    return torch.exp2((x.float() * LOG2E).double())


def in_cuda(name: str, exact: Function, device: str, step: int) -> dict[str, Any]:
    """Measure a CUDA kernel, compiled on demand."""
    def normal(x: Any) -> Any:
        return (x.abs() >= 2.0**-126) & (x.abs() < 2.0**126)

    return measure(kernel(IN_CUDA[name]), exact, torch.float32, device, step,
                   normal if OF_KERNELS[name] in ("rsqrt", "reciprocal", "sqrt") else None)


def in_triton(base_2: bool, exact: Function, device: str, step: int) -> dict[str, Any]:
    """Measure tl.exp or tl.exp2."""
    from benchmarks.on_a_gpu import triton_kernels

    return measure(partial(triton_kernels.exponential, base_2=base_2), exact, torch.float32, device, step)


def of_torch(name: str) -> Function:
    """Return torch's own function."""
    found: Function = torch.nn.functional.gelu if name == "gelu" else REFERENCES[name]
    return found


def probes(device: str, step: int) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Yield the probes with their names; the slowest come last."""
    for form in (torch.bfloat16, torch.float16):
        for name, exact in REFERENCES.items():
            yield f"torch.{name}, {str(form)[6:]}", partial(measure, of_torch(name), exact, form, device, 1)
    if device == "cuda":
        for name in IN_CUDA:
            yield f"CUDA {name}", partial(in_cuda, name, REFERENCES[OF_KERNELS[name]], device, step)
        yield "CUDA __expf against exp2 of the rounded product", partial(
            in_cuda, "__expf", by_rounded_constant, device, step)
        yield "Triton tl.exp", partial(in_triton, False, torch.exp, device, step)
        yield "Triton tl.exp2", partial(in_triton, True, torch.exp2, device, step)
        yield "Triton tl.exp against exp2 of the rounded product", partial(
            in_triton, False, by_rounded_constant, device, step)
    yield "torch.softmax, beside 0, at most -18", partial(
        measure, in_softmax, torch.exp, torch.float32, device, step, lambda x: x <= ALONE)
    yield "torch.softmax, ratio to the weight of 0, -18 to 0", partial(
        measure, ratio_in_softmax, torch.exp, torch.float32, device, step, lambda x: (x > ALONE) & (x <= 0))
    for name, exact in REFERENCES.items():
        yield f"torch.{name}, float32", partial(measure, of_torch(name), exact, torch.float32, device, step)
