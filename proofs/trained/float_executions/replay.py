"""One execution on one word, bit by bit: each result is the exact one, rounded once, in rationals.

Exponentials, erf, tanh and roots are the nearest numbers: enclosed (Arb) at rising precision until that is certain.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from constructions.network.float_formats import Format
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.float_models.exponentials import LEAST_ULP, Exponential
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import Arithmetic, Number
from proofs.trained.float_executions.emulation import Array, FloatRun
from proofs.trained.float_executions.execution import Execution

FIRST_BITS = 96
ENCLOSED: Mapping[str, Callable[[arb], arb]] = {
    "erf": arb.erf, "tanh": arb.tanh, "sigmoid": lambda x: 1 / (1 + (-x).exp()), "root": arb.sqrt,
    "inverse root": arb.rsqrt}


def nearest(function: Callable[[arb], arb], x: Fraction, target: Format) -> Fraction:
    """Return the number of the format nearest to the function's value, which is not a tie."""
    bits = FIRST_BITS
    while True:
        with working_precision(bits):
            low, high = map(target.round, exact_ends(function(ball(x))))
        if low == high:
            return low
        bits *= 2


class Replay(FloatRun):
    """A cast network in one execution under a float model; arrays contain rationals (flint's)."""

    def __init__(self, network: TrainedNetwork, run: FloatModel, execution: Execution) -> None:
        super().__init__(network, run, execution)
        ulp = max(run.exp_ulp, LEAST_ULP)
        self._exponential = Exponential(Arithmetic(run.softmax), ulp, execution.base)
        self._functions: dict[tuple[str, Format], Any] = {}

    def logits(self, tokens: Sequence[int], offset: int, at: int) -> list[Fraction]:
        """Return the stored logits of the token ``at``.

        Raises:
            NotFinite: if some number is beyond the greatest of its format.
        """
        found = self.outputs(np.array([tokens], np.intp), offset, np.array([at]))[0, 0]
        return [Fraction(int(x.numerator), int(x.denominator)) for x in found.tolist()]

    def made(self, numbers: Array) -> Array:
        """Convert numbers of the network exactly."""
        return np.asarray(_of_float(numbers.astype(object)))

    def number(self, x: Fraction) -> Any:
        """Convert a rational exactly."""
        return fmpq(x.numerator, x.denominator)

    def rounded(self, x: Array, target: Format) -> Array:
        """Return the nearest numbers of a format; raise NotFinite beyond the greatest."""
        return np.asarray(_rounding(target)(x))

    def whole(self, x: Array) -> Array:
        """Return the nearest whole numbers, ties to even."""
        return np.asarray(_whole(x))

    def value(self, name: str, x: Array, target: Format) -> Array:
        """Return the nearest numbers of a format to a function's values."""
        key = name, target
        if key not in self._functions:
            one = (lambda x: _rational(self._exponential.of(_number(x), Fraction(0)))) if name in ("exp", "exp2") else (
                lambda x: self.number(nearest(ENCLOSED[name], Fraction(int(x.numerator), int(x.denominator)), target)))
            self._functions[key] = np.frompyfunc(cache(one), 1, 1)
        return np.asarray(self._functions[key](x))

    def _product(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """Multiply token by token, as the numbers are long."""
        return np.stack([super(Replay, self)._product(x[:, k], weight, bias) for k in range(x.shape[1])], axis=1)


def _number(x: fmpq) -> Number:
    """Convert a dyadic rational."""
    return int(x.numerator), 1 - int(x.denominator).bit_length()


def _rational(x: Number) -> fmpq:
    mantissa, exponent = x
    return fmpq(mantissa << exponent) if exponent >= 0 else fmpq(mantissa, 1 << -exponent)


@cache
def _rounding(target: Format) -> Any:
    arithmetic, lowest = Arithmetic(target), target.least - target.precision + 1

    def one(x: fmpq) -> fmpq:
        top, below = int(x.numerator), int(x.denominator)
        if below & (below - 1):
            return _rational(arithmetic.divide((top, 0), (below, 0)))
        length, exponent = top.bit_length(), 1 - below.bit_length()
        if length <= target.precision and exponent >= lowest and length + exponent <= target.greatest:
            return fmpq(x)  # a number of the format
        return _rational(arithmetic.round((top, exponent)))

    return np.frompyfunc(one, 1, 1)


_whole = np.frompyfunc(lambda x: fmpq(round(Fraction(int(x.numerator), int(x.denominator)))), 1, 1)
_of_float = np.frompyfunc(lambda x: fmpq(*x.as_integer_ratio()), 1, 1)
