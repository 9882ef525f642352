"""Transformers with softmax in ball arithmetic, straight from the definitions: for numbers however extreme."""

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpq

from constructions.network.run import Residual, embed
from constructions.network.transformer import Coefficients, Head, Layer, Transformer

PRECISION = 400
"""Bits that callers compute with."""
Balls = dict[str, arb]


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def form(row: Coefficients, vector: Balls) -> arb:
    return sum((ball(weight) * vector[name] for name, weight in row.items() if name in vector), arb(0))


def attend(head: Head, stream: Sequence[Balls], temperature: arb, i: int) -> Balls:
    """Return the output of a head at position i (from 1)."""
    seen = [stream[j - 1] for j in head.mask.visible(i, len(stream))]
    queries = [form(row, stream[i - 1]) for row in head.queries]
    scores = [sum((q * form(row, at) for q, row in zip(queries, head.keys, strict=True)), arb(0)) for at in seen]
    weights = [((score - scores[0]) / temperature).exp() for score in scores]
    return {name: sum((w * form(row, at) for w, at in zip(weights, seen, strict=True)), arb(0)) / sum(weights, arb(0))
            for name, row in head.values.items()}


def plus(vector: Balls, added: Balls) -> Balls:
    return vector | {name: vector.get(name, arb(0)) + x for name, x in added.items()}


def fed(layer: Layer, vector: Balls) -> Balls:
    result = dict(vector)
    for unit in layer.feedforward.units:
        active = (form(unit.reads, vector) + ball(unit.bias)).max(arb(0))
        result = plus(result, {name: ball(weight) * active for name, weight in unit.writes.items()})
    return plus(result, {name: ball(x) for name, x in layer.feedforward.bias.items()})


def run_softmax(transformer: Transformer, word: Sequence[str], temperature: Fraction) -> list[Balls]:
    """Return the residual vectors behind the last layer, every head with softmax at this temperature."""
    stream = [{name: ball(x) for name, x in vector.items()} for vector in embed(transformer, word)]
    for layer in transformer.layers:
        after = stream
        for head in layer.heads:
            added = [attend(head, stream, ball(temperature), i) for i in range(1, len(stream) + 1)]
            after = [plus(vector, more) for vector, more in zip(after, added, strict=True)]
        stream = [fed(layer, vector) for vector in after]
    return stream


def distance(exact: Residual, enclosed: Balls) -> arb:
    """Enclose the distance in the 1-norm."""
    return sum((abs(enclosed.get(name, arb(0)) - ball(exact.get(name, Fraction(0)))) for name in {*exact, *enclosed}),
               arb(0))
