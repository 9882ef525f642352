"""Accumulation in matrix products: rounding to nearest or truncation, block sizes, and extra bits.

A *way* is a matrix product whose result is binary32, or is stored in 16 bits. Terms are chosen to be exact; true values
are computed in binary64.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import torch

from benchmarks.on_a_gpu.functions import power_of_2

U = 2.0**-24
SCALE = 2.0**10
"""Scale of rows with one large term, so that their least terms are numbers of binary16."""
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 24, 32, 33, 48, 64, 96, 128, 256, 1024)
Way = Callable[[Any, Any], Any]


def tf32(on: bool) -> None:
    """Set whether products of binary32 matrices may round their inputs."""
    torch.backends.cuda.matmul.allow_tf32 = on


def in_16_bits(form: Any) -> Way:
    """Return the product of inputs of 16 bits, with the result in binary32."""
    def way(a: Any, b: Any) -> Any:
        if a.device.type == "cpu":
            return a.to(form).float() @ b.to(form).float()
        return torch.mm(a.to(form), b.to(form), out_dtype=torch.float32)
    return way


def stored(form: Any) -> Way:
    """Return the product with inputs and result of 16 bits."""
    return lambda a, b: (a.to(form) @ b.to(form)).float()


def in_binary32(rounded: bool) -> Way:
    """Return the product of inputs of 32 bits, which may be rounded."""
    def way(a: Any, b: Any) -> Any:
        tf32(rounded)
        found = a.float() @ b.float()
        tf32(False)
        return found
    return way


def in_batches(way: Way) -> Way:
    """Return the last result of 8 equal products at once."""
    return lambda a, b: way(a.expand(8, *a.shape), b.expand(8, *b.shape))[7]


def by_triton(form: Any, precision: str = "ieee") -> Way:
    """Return tl.dot, as kernels written in Triton use it."""
    from benchmarks.on_a_gpu import triton_kernels

    return lambda a, b: triton_kernels.dot(a.to(form).contiguous(), b.to(form).contiguous(), precision)


FORMS = {8: torch.bfloat16, 11: torch.float16, 24: torch.float32}
"""A format with this number of bits whose range fits the way."""
WAYS: dict[str, tuple[Callable[[], Way], int]] = {
    "mm, bfloat16 to binary32": (lambda: in_16_bits(torch.bfloat16), 8),
    "mm, binary16 to binary32": (lambda: in_16_bits(torch.float16), 11),
    "mm, TF32": (lambda: in_binary32(True), 11),
    "bmm, TF32": (lambda: in_batches(in_binary32(True)), 11),
    "mm, binary32": (lambda: in_binary32(False), 24),
    "tl.dot, bfloat16": (lambda: by_triton(torch.bfloat16), 8),
    "tl.dot, binary16": (lambda: by_triton(torch.float16), 11),
    "tl.dot, tf32": (lambda: by_triton(torch.float32, "tf32"), 11),
    "tl.dot, ieee": (lambda: by_triton(torch.float32), 24),
}
"""Each with the number of bits of its inputs."""


# -- single sums -------------------------------------------------------------------------------------------------------

def one_sum(way: Way, device: str, *pairs: tuple[float, float]) -> float:
    """Return the sum of the products of these pairs."""
    a = torch.zeros(64, 64, device=device, dtype=torch.float64)
    b = torch.zeros(64, 64, device=device, dtype=torch.float64)
    for place, (x, y) in enumerate(pairs):
        a[:, place], b[place] = x, y
    return float(way(a, b)[0, 0])


def extremes(way: Way, device: str, bits: int) -> dict[str, Any]:
    """Measure subnormal inputs, products and sums, and overflowing intermediate sums."""
    one = partial(one_sum, way, device)
    found = {"2^127 + 2^127 - 2^127, by 2^112 · 2^15": one(*[(2.0**112, 2.0**15)] * 2, (-(2.0**112), 2.0**15))}
    if bits == 11:
        found["binary16 subnormal 2^-20 · 1, / 2^-20"] = one((2.0**-20, 1.0)) * 2.0**20
    found["2^-70 · 2^-70, / 2^-140"] = one((2.0**-70, 2.0**-70)) * 2.0**100 * 2.0**40
    found["2^-130 · 1, / 2^-130"] = one((2.0**-130, 1.0)) * 2.0**100 * 2.0**30
    found["2^-130 · 2^20, / 2^-110"] = one((2.0**-130, 2.0**20)) * 2.0**100 * 2.0**10
    return found


def raised(way: Way, device: str) -> dict[str, float]:
    """Measure whether a product that is 0, or of a subnormal number, counts as large in the alignment of terms.

    Results are in units of 2^-24 from 1: 1 - 2^-25 is truncated to -1 if the second term is kept, else 0.
    """
    asked: dict[str, list[tuple[float, float]]] = {
        "nothing more": [], "0 · 2^15": [(0.0, 2.0**15)], "2^15 · 0": [(2.0**15, 0.0)],
        "0 · 2^127": [(0.0, 2.0**127)],
        "2^-24 · 2^15, less itself": [(2.0**-24, 2.0**15), (-(2.0**-24), 2.0**15)],
        "2^-133 · 2^127, less itself": [(2.0**-133, 2.0**127), (-(2.0**-133), 2.0**127)],
        "2^3 · 1, less itself": [(2.0**3, 1.0), (-(2.0**3), 1.0)]}
    return {name: (one_sum(way, device, (1.0, 1.0), (2.0**-12, -(2.0**-13)), *pairs) - 1) / U
            for name, pairs in asked.items()}


def conversion(way: Way, device: str, columns: int = 64) -> dict[str, Any]:
    """Measure the conversion of inputs from 24 to 11 bits: shares of random numbers that agree with each rounding."""
    draw = torch.Generator(device="cpu").manual_seed(1)
    x = (1 + torch.rand(4096, generator=draw)).to(device)
    ties = torch.tensor([1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-10 - 2.0**-23], device=device)
    x = torch.cat([ties, x])[:4096].float()
    a = torch.zeros(4096, 64, device=device)
    a[:, 0] = x
    ones = torch.zeros(64, columns, device=device)
    ones[0] = 1
    found = {"left": way(a, ones)[:, 0], "right": way(ones.T.contiguous(), a.T.contiguous())[0]}
    unit, wide = 2.0**10, x.double()
    expected = {"nearest, ties to even": torch.round(wide * unit) / unit, "cut off": torch.floor(wide * unit) / unit,
                "nearest, ties away": torch.floor(wide * unit + 0.5) / unit, "kept": wide}
    return {side: {**{name: float((y.double() == one).double().mean()) for name, one in expected.items()},
                   "ties": y[:3].tolist()} for side, y in found.items()}


# -- models ------------------------------------------------------------------------------------------------------------

def cut(x: Any, quantum: Any, nearest: bool = False) -> Any:
    """Round to a multiple of the quantum, towards 0 or to nearest."""
    return (torch.round(x / quantum) if nearest else torch.trunc(x / quantum)) * quantum


def exponent(x: Any) -> Any:
    """Return the exponent of the greatest power of 2 that is at most |x|; a very low one for 0."""
    return torch.where(x == 0, -400, torch.frexp(x).exponent.to(torch.int64) - 1)


def to_24_bits(x: Any, nearest: bool) -> Any:
    """Round to 24 bits, with any exponent."""
    return cut(x, power_of_2(exponent(x).clamp(min=-200) - 23), nearest)


def aligned(a: Any, b: Any, block: int, bits: int, nearest: bool, by_inputs: bool, inside: bool,
            least: int = -400) -> Any:
    """Return sums in blocks of aligned, truncated terms.

    Terms are truncated below the greatest one's 24 bits plus ``bits``, added up exactly, and rounded to 24 bits. The
    sum so far is a term of the block if ``inside``, else added later. ``least`` bounds exponents of nonzero inputs.
    """
    total = torch.zeros(a.shape[0], b.shape[1], device=a.device, dtype=torch.float64)
    for first in range(0, a.shape[1], block):
        left, right = a[:, first:first + block, None], b[None, first:first + block]
        terms = left * right
        sizes = exponent(terms)
        if by_inputs:
            counted = exponent(left).clamp(min=least) + exponent(right).clamp(min=least)
            sizes = torch.where(terms == 0, sizes, counted)
        greatest = sizes.amax(1)
        if inside:
            greatest = torch.maximum(greatest, exponent(total))
        quantum = power_of_2(greatest.clamp(min=-200) - 23 - bits)
        found = cut(terms, quantum[:, None]).sum(1)
        if inside:
            found = found + cut(total, quantum)
        found = to_24_bits(found, nearest)
        total = found if inside else to_24_bits(found + total, nearest)
    return total


def one_by_one(a: Any, b: Any, nearest: bool, parts: int = 1) -> Any:
    """Return fused sums, term by term, in ``parts`` partial sums that take turns."""
    totals = [torch.zeros(a.shape[0], b.shape[1], device=a.device, dtype=torch.float64) for _ in range(parts)]
    for k in range(a.shape[1]):
        totals[k % parts] = to_24_bits(totals[k % parts] + a[:, k, None] * b[k], nearest)
    while len(totals) > 1:
        totals = [to_24_bits(x + y, nearest) for x, y in zip(totals[::2], totals[1::2], strict=True)]
    return totals[0]


def models() -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    """Yield the models of products with their names."""
    every = product((4, 8, 16, 32), (0, 1, 2, 3, 29), (False, True), (False, True), (True, False))
    for block, bits, nearest, by_inputs, inside in every:
        name = (f"blocks of {block}, {bits} more bits, {'nearest' if nearest else 'cut off'}, aligned by "
                f"{'inputs' if by_inputs else 'products'}, sum so far {'inside' if inside else 'apart'}")
        yield name, partial(aligned, block=block, bits=bits, nearest=nearest, by_inputs=by_inputs, inside=inside)
    for block, slices, nearest in product((8, 16, 32), (2, 4), (True, False)):
        yield (f"tensor cores, blocks of {block} dealt to {slices}, {'nearest' if nearest else 'cut off'}",
               partial(sliced, block=block, slices=slices, nearest=nearest, least=-400))
    for block, least in product((8, 16), (-14, -126)):
        yield (f"tensor cores, blocks of {block}, exponents of inputs at least {least}", partial(
            aligned, block=block, bits=2, nearest=False, by_inputs=True, inside=True, least=least))
    for nearest, parts in product((True, False), (1, 2, 4)):
        name = f"one by one in {parts}, {'nearest' if nearest else 'cut off'}"
        yield name, partial(one_by_one, nearest=nearest, parts=parts)


def sliced(a: Any, b: Any, block: int, slices: int, nearest: bool, least: int) -> Any:
    """Return sums of blocks dealt to partial sums in turn, each as in tensor cores; the partial sums are added up."""
    turn = torch.arange(a.shape[1], device=a.device) // block % slices
    found = [aligned(a[:, turn == k], b[turn == k], block % 16 or 16, 2, False, True, True, least)
             for k in range(slices)]
    while len(found) > 1:
        found = [to_24_bits(x + y, nearest) for x, y in zip(found[::2], found[1::2], strict=True)]
    return found[0]


def drawn(shape: tuple[int, ...], bits: int, device: str, seed: int) -> Any:
    """Return normal numbers of this many bits, in binary64."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return to_24_bits(x, True).to(device) if bits == 24 else cut(x, 2.0 ** (torch.frexp(x).exponent - bits)).to(device)


def fitted(way: Way, bits: int, device: str, width: int, rows: int = 64, kind: str = "normal") -> dict[str, Any]:
    """Return the models that agree with most results of a random product, and the share of these results."""
    a, b = rows_of(kind, rows, width, bits, device), drawn((width, rows), bits, device, 3)
    if kind == "many sizes":
        a, b = (torch.where(torch.rand(x.shape, generator=torch.Generator().manual_seed(9)).to(device) < 1 / 4, 0.0, x)
                for x in (a.to(FORMS[bits]).double(), b))
    found, a, b = way(a, b).double()[:64, :64], a[:64], b[:, :64]
    shares = {name: float((model(a, b) == found).double().mean()) for name, model in models()}
    best = sorted(shares, key=lambda name: -shares[name])[:4]
    return {name: shares[name] for name in best}


# -- errors ------------------------------------------------------------------------------------------------------------

def rows_of(kind: str, count: int, k: int, bits: int, device: str) -> Any:
    """Return terms [count, k] of a kind, numbers of this many bits."""
    x = drawn((count, k), bits, device, k)
    place = torch.arange(k, device=device)
    if kind == "one sign":
        return x.abs()
    if kind == "many sizes":
        return x * 2.0 ** torch.randint(-12, 4, x.shape, generator=torch.Generator().manual_seed(k)).to(device)
    if kind == "cancelling":
        y = x * torch.where(place % 4 < 2, 2.0**8, 1.0)
        y[:, 2::4] = -y[:, :max(0, k - 2):4]
        return y
    if kind == "one and small":
        row = torch.arange(count, device=device)
        small = (2 - 2.0**-7) * 2.0**-24 * 2.0 ** -(row % 6).double() * (1 - 2.0 * (row % 2).double())
        y = small[:, None].repeat(1, k)
        y[row, row % k] = 1.0
        return y * SCALE
    return x


KINDS = ("normal", "one sign", "many sizes", "cancelling", "one and small")


def off(way: Way, bits: int, device: str, k: int, width: int) -> dict[str, float]:
    """Return the greatest error of sums of k terms, in u times the sum of absolute values; zeros pad the width."""
    found = {}
    for kind in KINDS:
        a = torch.zeros(512, width, device=device, dtype=torch.float64)
        b = torch.zeros(width, 64, device=device, dtype=torch.float64)
        a[:, :k] = rows_of(kind, 512, k, bits, device).to(FORMS[bits])
        b[:k] = 1 if kind == "one and small" else drawn((k, 64), bits, device, 7).to(FORMS[bits])
        exact, size = a @ b, a.abs() @ b.abs()
        found[kind] = float(((way(a, b).double() - exact).abs() / size.clamp(min=2.0**-100)).max() / U)
    return found


def off_by_length(way: Way, bits: int, device: str, filled_up_to: int) -> dict[int, dict[str, float]]:
    """Return the greatest errors for many lengths, each padded to a multiple of some width."""
    return {k: off(way, bits, device, k, -(-k // filled_up_to) * filled_up_to) for k in LENGTHS}


def reduced(form: Any, device: str) -> dict[str, Any]:
    """Measure long sums stored in 16 bits, with reduced-precision reductions allowed or not: in units of 2^-p."""
    found, flag = {}, f"allow_{'bf16' if form == torch.bfloat16 else 'fp16'}_reduced_precision_reduction"
    bits = 8 if form == torch.bfloat16 else 11
    for on, (rows, k, columns) in product((True, False), ((64, 4096, 64), (16, 16384, 16), (256, 8192, 128))):
        setattr(torch.backends.cuda.matmul, flag, on)
        a, b = drawn((rows, k), bits, device, 4).abs() / 64, drawn((k, columns), bits, device, 5).abs() / 64
        exact = a @ b
        y = (a.to(form) @ b.to(form)).double()
        found[f"{'allowed' if on else 'not allowed'}, {rows} x {k} x {columns}"] = float(
            ((y - exact).abs() / exact.abs()).max() * 2.0**bits)
    return found


def by(make: Callable[[], Way], probe: Callable[..., Any], *given: Any) -> Any:
    """Return a probe of a way, which is made on demand."""
    return probe(make(), *given)


def probes(device: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the probes with their names."""
    for name, (make, bits) in WAYS.items():
        if name.startswith("tl.") and device == "cpu":
            continue
        yield f"{name}: fitted, 16 wide", partial(by, make, fitted, bits, device, 16)
        if bits < 24:
            yield f"{name}: fitted, 64 wide", partial(by, make, fitted, bits, device, 64)
            yield f"{name}: fitted, 64 wide, 2048 rows", partial(by, make, fitted, bits, device, 64, 2048)
            yield f"{name}: fitted, many sizes", partial(by, make, fitted, bits, device, 64, 64, "many sizes")
            yield f"{name}: fitted, many sizes, 2048 rows", partial(
                by, make, fitted, bits, device, 64, 2048, "many sizes")
            yield f"{name}: aligned by", partial(by, make, raised, device)
        yield f"{name}: extremes", partial(by, make, extremes, device, bits)
        if name in ("mm, TF32", "bmm, TF32", "tl.dot, tf32"):
            yield f"{name}: inputs", partial(by, make, conversion, device)
            yield f"{name}: inputs, 2048 columns", partial(by, make, conversion, device, 2048)
        yield f"{name}: off by, in u times all absolute values", partial(by, make, off_by_length, bits, device, 64)
        yield f"{name}: off by, not filled up", partial(by, make, off_by_length, bits, device, 1)
    if device == "cuda":
        for form in (torch.bfloat16, torch.float16):
            yield f"reductions in {form}", partial(reduced, form, device)
