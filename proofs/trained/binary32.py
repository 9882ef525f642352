"""How far the logits of a run in binary32 are from the real ones, on one input: docs/trained.md, section 9.

With every real value (a ball) goes a bound of how far any run is from it. Bounds are computed in balls, too, so that
their upper ends are proved. Where a run might overflow, or a variance is not known to be positive, there is no bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from flint import arb, arb_mat

from constructions.trained.network import (
    Activation,
    Affine,
    AttentionStep,
    Head,
    Norm,
    NormStep,
    Rotary,
    Step,
    UnitsStep,
    View,
)
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.balls import ACTIVATIONS, BallNetwork, Balls, scale_ball

BITS = 64
UNIT_EXPONENT = -24
"""One operation rounds by at most 2^-24 of its result."""
UNDERFLOW_EXPONENT = -50
"""What underflows of one step add up to, by far."""
LARGEST = 2**40
"""Beyond this nothing is bounded; the cube of what is below does not overflow."""
EVALUATION = 8
"""Activations are off by at most so many units, times |x| where the function has that factor; relu is exact."""

SLOPES: Mapping[Activation, Fraction] = {
    "relu": Fraction(1), "gelu": Fraction(113, 100), "gelu-tanh": Fraction(113, 100), "silu": Fraction(11, 10),
    "sigmoid": Fraction(1, 4), "tanh": Fraction(1),
}  # fmt: skip
"""Upper bounds of the functions' slopes."""


@dataclass(frozen=True)
class Run:
    """Real values of rows, and how far a run's values are from them at most."""

    true: Balls
    error: Balls

    def chosen(self, at: Sequence[int]) -> Run:
        """Some of the rows."""
        return Run([self.true[place] for place in at], [self.error[place] for place in at])

    def sizes(self) -> Balls:
        """Bounds of the absolute values in a run."""
        return [[abs(x) + e for x, e in zip(*rows, strict=True)] for rows in zip(self.true, self.error, strict=True)]


def float_error_of_row(
    network: BallNetwork, tokens: Sequence[int], offset: int, at: int, row: Sequence[tuple[int, Fraction]],
) -> Fraction | None:  # fmt: skip
    """At most so far is Σ coefficient · logit of a binary32 run (its logits summed exactly) from the real value.

    None if there is no bound.
    """
    with working_precision(BITS):
        errors = run_logits(network, tokens, offset, [at]).error[0]
        total = sum((abs(ball(coefficient)) * errors[output] for output, coefficient in row), arb(0))
        return exact_ends(total)[1] if total.is_finite() else None


def run_logits(network: BallNetwork, tokens: Sequence[int], offset: int, at: Sequence[int]) -> Run:
    """The real logits of the tokens ``at``, and how far those of a run are from them; infinite if nothing is known."""
    with working_precision(BITS):
        stream, last = _embedded(network, tokens, offset), network.last_attention
        if last < 0:
            stream = stream.chosen(at)
        for k, step in enumerate(network.network.steps):
            stream = _after(network, step, stream, offset, at if k == last else range(len(stream.true)))
        return _affine(network, network.network.unembedding, stream)


def _gamma(roundings: int) -> arb:
    """k roundings change a value by at most this factor: k u / (1 - k u)."""
    unit = arb(2) ** UNIT_EXPONENT
    return roundings * unit / (1 - roundings * unit)


def _bounded(true: Balls, error: Balls, sizes: Balls | None = None) -> Run:
    """The run with the underflow added; without a bound where something in it (or ``sizes``) is too large."""
    underflow = arb(2) ** UNDERFLOW_EXPONENT
    run = Run(true, [[e + underflow for e in row] for row in error])
    for found in (run.sizes(), sizes or []):
        for row in found:
            if not all(x < LARGEST for x in row):
                return Run(true, [[arb.pos_inf()] * len(row) for row in error])
    return run


def _embedded(network: BallNetwork, tokens: Sequence[int], offset: int) -> Run:
    """Two rows, each rounded to binary32 if it was not, and their sum."""
    true = network.embedded(tokens, offset)
    rows = [network.row(network.network.tokens, token) for token in tokens]
    positions = network.network.positions
    others = [[arb(0)] * len(row) for row in rows]
    if positions:
        others = [network.row(positions, offset + place) for place in range(len(tokens))]
    gamma = _gamma(3)
    return _bounded(true, [[gamma * (abs(x) + abs(y)) for x, y in zip(*pair, strict=True)]
                           for pair in zip(rows, others, strict=True)])  # fmt: skip


def _absolute(matrix: arb_mat) -> arb_mat:
    return arb_mat([[abs(x) for x in row] for row in matrix.tolist()])


def _affine(network: BallNetwork, affine: Affine, x: Run) -> Run:
    """Products, their sum in any order, weights that were rounded to binary32 before."""
    weight = _absolute(network.matrix(affine.weight))
    bias = _bias_sizes(network, affine.bias, weight.ncols())
    sizes = [[size + b for size, b in zip(row, bias, strict=True)] for row in (arb_mat(x.sizes()) * weight).tolist()]
    error = arb_mat(x.error) * weight + _gamma(weight.nrows() + 3) * arb_mat(sizes)
    return _bounded(network.affine(affine, x.true), error.tolist(), sizes)


def _bias_sizes(network: BallNetwork, bias: View | None, width: int) -> list[arb]:
    return [abs(b) for b in network.row(bias)] if bias else [arb(0)] * width


def _normed(network: BallNetwork, norm: Norm | None, x: Run) -> Run:
    if norm is None:
        return x
    errors = [_norm_error(network, norm, *rows) for rows in zip(x.true, x.error, strict=True)]
    return _bounded(network.normed(norm, x.true), errors, x.sizes())


def _norm_error(network: BallNetwork, norm: Norm, x: list[arb], e: list[arb]) -> list[arb]:
    """How far the quotient of deviation and root, times gain, plus bias, may be off."""
    d, sizes = len(x), [abs(a) + b for a, b in zip(x, e, strict=True)]
    mean, mean_error, mean_size = ((_mean(row) if norm.kind == "layer" else arb(0)) for row in (x, e, sizes))
    c = [abs(a - mean) for a in x]
    moved = [b + mean_error for b in e]
    rounded = [_gamma(d + 2) * mean_size + _gamma(1) * size for size in sizes]
    v = _mean([a * a for a in c]) + ball(norm.epsilon)
    v_error = _mean([2 * a * b + b * b for a, b in zip(c, moved, strict=True)])
    v_error += _variance_rounding(norm, [a + b for a, b in zip(c, moved, strict=True)], rounded, sizes, mean_size)
    gain = [abs(g) for g in network.row(norm.gain)] if norm.gain else [arb(1)] * d
    least = v - v_error
    if not least > 0 or not all(g < LARGEST for g in gain):
        return [arb.pos_inf()] * d
    r = v.rsqrt()
    r_error = v_error * r * least.rsqrt() / (v.sqrt() + least.sqrt())
    r_error += _gamma(8) * (r + r_error)
    y_error = [(b + f) * (r + r_error) + a * r_error for a, b, f in zip(c, moved, rounded, strict=True)]
    bias = _bias_sizes(network, norm.bias, d)
    return [g * b + _gamma(6) * (g * (a * r + b) + other)
            for g, a, b, other in zip(gain, c, y_error, bias, strict=True)]  # fmt: skip


def _variance_rounding(norm: Norm, c: list[arb], rounded: list[arb], sizes: list[arb], mean_size: arb) -> arb:
    """How far roundings move a mean square of deviations, or a mean square less the squared mean, plus epsilon."""
    d = len(c)
    of_deviations = _mean([2 * a * f + f * f for a, f in zip(c, rounded, strict=True)])
    of_deviations += _gamma(d + 3) * _mean([(a + f) * (a + f) for a, f in zip(c, rounded, strict=True)])
    square = _mean([size * size for size in sizes])
    of_squares = _gamma(d + 4) * square + 2 * _gamma(d + 4) * mean_size * mean_size
    return _greatest([of_deviations, of_squares]) + _gamma(3) * ball(norm.epsilon) + arb(2) ** UNDERFLOW_EXPONENT


def _mean(row: Sequence[arb]) -> arb:
    return sum(row, arb(0)) / len(row)


def _after(network: BallNetwork, step: Step, stream: Run, offset: int, at: Sequence[int]) -> Run:
    chosen = stream.chosen(at)
    if isinstance(step, NormStep):
        return _normed(network, step.norm, chosen)
    if isinstance(step, UnitsStep):
        return _units(network, step, chosen)
    normed = _normed(network, step.norm, stream)
    averages = [(_average(network, step, head, normed, offset, at), head.out) for head in step.heads]
    return _sum(network, chosen, averages, step.bias)


def _sum(network: BallNetwork, stream: Run, parts: Sequence[tuple[Run, View]], bias: View | None) -> Run:
    """stream + bias + Σ part · matrix, as one sum in any order."""
    true, error, sizes, terms = arb_mat(stream.true), arb_mat(stream.error), arb_mat(stream.sizes()), 1
    for part, view in parts:
        matrix, absolute = network.matrix(view), _absolute(network.matrix(view))
        true += arb_mat(part.true) * matrix
        error += arb_mat(part.error) * absolute
        sizes += arb_mat(part.sizes()) * absolute
        terms += matrix.nrows()
    added = _bias_sizes(network, bias, true.ncols())
    summed = [[size + b for size, b in zip(row, added, strict=True)] for row in sizes.tolist()]
    error += _gamma(terms + 4) * arb_mat(summed)
    return _bounded(network.plus(true.tolist(), bias), error.tolist(), summed)


def _units(network: BallNetwork, step: UnitsStep, stream: Run) -> Run:
    x = _normed(network, step.norm, stream)
    units = _affine(network, step.inward, x)
    if step.gate is None:
        units = _activated(step.activation, units)
    else:
        units = _product(_activated(step.activation, _affine(network, step.gate, x)), units)
    parts = [(units, step.outward.weight)]
    return _sum(network, stream, parts, step.outward.bias)


def _activated(name: Activation, x: Run) -> Run:
    slope, act, rounding = ball(SLOPES[name]), ACTIVATIONS[name], _gamma(EVALUATION)
    factor = name in {"gelu", "gelu-tanh", "silu"}
    error = [[slope * e + (rounding * (size if factor else arb(1)) if name != "relu" else 0)
              for e, size in zip(*rows, strict=True)] for rows in zip(x.error, x.sizes(), strict=True)]  # fmt: skip
    return _bounded([[act(value) for value in row] for row in x.true], error)


def _product(one: Run, other: Run) -> Run:
    true = [[a * b for a, b in zip(*rows, strict=True)] for rows in zip(one.true, other.true, strict=True)]
    error = []
    for ones, its, others, theirs in zip(one.sizes(), one.error, other.sizes(), other.error, strict=True):
        error.append([e * size + mine * f + _gamma(1) * mine * size
                      for mine, e, size, f in zip(ones, its, others, theirs, strict=True)])  # fmt: skip
    return _bounded(true, error)


def _average(network: BallNetwork, step: AttentionStep, head: Head, normed: Run, offset: int, at: Sequence[int]) -> Run:
    """The averages of the values of one head at the tokens ``at``."""
    values = _affine(network, head.value, normed)
    queries, keys = _affine(network, head.query, normed.chosen(at)), _affine(network, head.key, normed)
    if step.rotary is not None:
        queries = _turned(network, step.rotary, queries, offset, at)
        keys = _turned(network, step.rotary, keys, offset, range(len(keys.true)))
    scale = scale_ball(step.scale)
    key_sizes, key_errors = (arb_mat(rows).transpose() for rows in (keys.sizes(), keys.error))
    sizes = abs(scale) * (arb_mat(queries.sizes()) * key_sizes)
    error = abs(scale) * (arb_mat(queries.error) * key_sizes + arb_mat(queries.sizes()) * key_errors)
    error += _gamma(key_sizes.nrows() + 8) * sizes
    scores = scale * (arb_mat(queries.true) * arb_mat(keys.true).transpose())
    slope = abs(ball(head.slope or Fraction(0)))
    weights = network.weights(step, head, normed.true, offset, at)
    found = []
    for row, place in enumerate(at):
        visible = range(place + 1 if network.network.attention == "causal" else len(keys.true))
        distances = [slope * abs(j - place) for j in visible]
        errors = [error[row, j] + _gamma(8) * (sizes[row, j] + far) for j, far in zip(visible, distances, strict=True)]
        found_scores = [scores[row, j] + ball(head.slope or Fraction(0)) * (j - place) for j in visible]
        found.append(_softmax_average(found_scores, errors, weights[row], values))
    true, errors_of = [row for row, _ in found], [row for _, row in found]
    return _bounded(true, errors_of, sizes.tolist())


def _softmax_average(
    scores: list[arb], errors: list[arb], weights: list[arb], values: Run
) -> tuple[list[arb], list[arb]]:
    """Weights are off by a factor of at most exp(±2 strayed) before they are rounded."""
    unit, count = arb(2) ** UNIT_EXPONENT, len(scores)
    spread = _greatest(scores) - _least(scores) + 2 * _greatest(errors)
    strayed = _greatest(errors) + 2 * unit * spread + 8 * unit
    factor = (2 * strayed).exp()
    true, error = [], []
    for column in range(len(values.true[0])):
        v = [values.true[j][column] for j in range(count)]
        e = [values.error[j][column] for j in range(count)]
        z = sum((a * b for a, b in zip(weights, v, strict=False)), arb(0))
        off = sum((a * b for a, b in zip(weights, e, strict=False)), arb(0))
        apart = sum((a * abs(b - z) for a, b in zip(weights, v, strict=False)), arb(0))
        size = sum((a * (abs(b) + c) for a, b, c in zip(weights, v, e, strict=False)), arb(0))
        true.append(z)
        error.append(factor * off + (factor - 1) * apart + _gamma(2 * count + 8) * factor * size)
    return true, error


def _turned(network: BallNetwork, rotary: Rotary, x: Run, offset: int, at: Sequence[int]) -> Run:
    """Queries or keys of the tokens ``at``, turned as their positions say."""
    errors, gamma = [], _gamma(4)
    for error, size, place in zip(x.error, x.sizes(), at, strict=True):
        turned = list(error)
        for first, second, cosine, sine in network.pairs(rotary, offset + place):
            for one, other in ((first, second), (second, first)):
                turned[one] = abs(cosine) * error[one] + abs(sine) * error[other]
                turned[one] += gamma * (abs(cosine) * size[one] + abs(sine) * size[other])
        errors.append(turned)
    return _bounded(network.turned(rotary, x.true, offset, at), errors)


def _greatest(balls: Sequence[arb]) -> arb:
    return reduce(arb.max, balls)


def _least(balls: Sequence[arb]) -> arb:
    return reduce(arb.min, balls)
