"""Measuring an exponential function against the exact one, in units in the last place of the exact result.

The reference is the exponential of doubles. One unit of binary32 is 2^29 units of binary64 at the same number, so if
the reference errs by at most 2 units of its own (a test holds it to 1 against Arb, on a sample), what is measured here
is true up to 2^-28 units of binary32, and up to far less of 16 bits: to hide an error of one unit, it would have to be
off by millions of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from constructions.network.float_formats import Format

Array = Any
Exponential = Callable[[Array], Array]
"""From an array of one type to an array of the same type and shape."""

TYPES = {"binary32": np.float32, "binary16": np.float16, "bfloat16": ml_dtypes.bfloat16}
CHUNK = 1 << 22


@dataclass(frozen=True)
class Errors:
    """The worst errors in units in the last place of the exact result; infinite if a special value is wrong."""

    normal: float = 0.0
    """Where the exact result is at least the least normal number."""
    normal_at_most_0: float = 0.0
    """The same where the argument is at most 0, as it always is in a softmax that subtracts the maximum."""
    subnormal: float = 0.0
    """Where the exact result is smaller and the computed one is not 0; in units of the least positive number."""
    flushes: bool = False
    """Whether 0 is computed where the exact result is nearer to another number."""

    def joined(self, other: Errors) -> Errors:
        """Return the worse of both."""
        return Errors(max(self.normal, other.normal), max(self.normal_at_most_0, other.normal_at_most_0),
                      max(self.subnormal, other.subnormal), self.flushes or other.flushes)

    def __str__(self) -> str:
        return (f"{self.normal:.4f} ulp where results are normal ({self.normal_at_most_0:.4f} for arguments of at most "
                f"0), {self.subnormal:.4f} of the least number where they are not"
                + (", or flushed to 0" if self.flushes else ""))


def all_arguments(form: Format, step: int = 1) -> Iterator[Array]:
    """Yield every ``step``-th bit pattern of the format, in chunks; an odd step covers all last bits."""
    bits = 32 if str(form) == "binary32" else 16
    unsigned = np.uint32 if bits == 32 else np.uint16
    for first in range(0, 1 << bits, CHUNK * step):
        last = min(first + CHUNK * step, 1 << bits)
        yield np.arange(first, last, step, dtype=np.uint64).astype(unsigned).view(TYPES[str(form)])


def worst_errors(exponential: Exponential, form: Format, chunks: Iterable[Array]) -> Errors:
    """Return the worst errors over all arguments given."""
    worst = Errors()
    with np.errstate(all="ignore"):
        for arguments in chunks:
            worst = worst.joined(_errors(arguments, exponential(arguments), form))
    return worst


def _errors(arguments: Array, results: Array, form: Format) -> Errors:
    if _is_trivial(arguments, results, form):
        return Errors(normal=1 / 4, normal_at_most_0=1 / 4)
    x, y = arguments.astype(np.float64), results.astype(np.float64)
    exact = np.exp(x)
    error = np.abs(y - exact) / _unit(exact, form)
    largest = float(form.largest)
    beyond = exact > largest
    error[beyond] = np.where(y[beyond] >= largest, 0.0, np.inf)  # infinity, or the greatest number beside it
    undefined = np.isnan(x)
    error[undefined] = np.where(np.isnan(y[undefined]), 0.0, np.inf)
    error[np.isnan(error)] = np.inf
    normal = ~(exact < 2.0**form.least)
    small, zero = error[~normal], y[~normal] == 0
    return Errors(_worst(error[normal]), _worst(error[normal & (x <= 0)]), _worst(small[~zero]),
                  bool((small[zero] > 1 / 2).any()))


def _is_trivial(arguments: Array, results: Array, form: Format) -> bool:
    """Return whether all results are 0, infinite or 1, and rightly so: six of seven numbers of binary32, quickly.

    As ln 2 < 0.6932, exp of the first is below half the least number, and of the second beyond the greatest; exp of the
    last is within a quarter of a unit of 1.
    """
    first = float(results[0])
    if not (results == results[0]).all():
        return False
    return ((first == 0 and bool(arguments.max() < (_least_step(form) - 1) * 0.6932))
            or (first == np.inf and bool(arguments.min() > (2 - form.least) * 0.6932))
            or (first == 1 and bool(np.abs(arguments).max() < 2.0 ** -(form.precision + 2))))


def _unit(exact: Array, form: Format) -> Array:
    """Return the distance between neighbouring numbers of the format at the exact result."""
    _, exponent = np.frexp(exact)
    return np.ldexp(1.0, np.maximum(exponent - form.precision, _least_step(form)))


def _worst(errors: Array) -> float:
    return float(errors.max()) if errors.size else 0.0


def _least_step(form: Format) -> int:
    """Return the exponent of the least number of the format that is above 0."""
    return form.least - form.precision + 1
