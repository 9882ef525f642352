"""Random networks with soft attention over a given alphabet, and their output by plain floating point."""

import math
import random
from collections.abc import Mapping
from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything, Position
from constructions.network.transformer import FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

DIRECTIONS = ("one", "place", "a", "b", "out")


def random_network(alphabet: tuple[str, ...], seed: int) -> Transformer:
    """One or two layers, each with one head and one unit; embeddings of symbols, and i/n."""
    draw = random.Random(seed)

    def row(names: tuple[str, ...]) -> dict[str, Fraction]:
        return {name: Fraction(draw.randint(-4, 4), 2) for name in names}

    layers = tuple(Layer((Head("head", "", draw.choice((Mask.NONE, Mask.FUTURE)), Weighting.SOFTMAX,
                               parse_expression(draw.choice(("1", "1/2", "2"))), (row(("one", "a")),),
                               (row(("place", "b")),), {"b": row(("a",)), "out": row(("a", "b"))}),),
                         FeedForward((Unit(row(("a", "b")), Fraction(draw.randint(-1, 1)), row(("out",))),), {}))
                   for _ in range(draw.randint(1, 2)))
    return Transformer(alphabet, {"one": Position(parse_expression("1")), "place": Position(parse_expression("i/n")),
                                  "a": Anything(), "b": Anything(), "out": Anything()},
                       {symbol: row(("a", "b")) for symbol in alphabet},
                       {"one": parse_expression("1"), "place": parse_expression("i/n")}, layers, "out")


def output_at_the_end(network: Transformer, word: str) -> float:
    n = len(word)
    stream = [{"one": 1.0, "place": i / n, **{name: float(x) for name, x in network.token_embedding[symbol].items()}}
              for i, symbol in enumerate(word, start=1)]
    for layer in network.layers:
        stream = [add(vector, *(attend(head, stream, i) for head in layer.heads))
                  for i, vector in enumerate(stream, start=1)]
        stream = [add(vector, *(feed(unit, vector) for unit in layer.feedforward.units)) for vector in stream]
    return stream[-1].get("out", 0.0)


def form(row: Mapping[str, Fraction], vector: Mapping[str, float]) -> float:
    return sum((float(weight) * vector.get(name, 0.0) for name, weight in row.items()), 0.0)


def attend(head: Head, stream: list[dict[str, float]], i: int) -> dict[str, float]:
    n = len(stream)
    seen = [stream[j - 1] for j in head.mask.visible(i, n)]
    tau = float(head.temperature.evaluate(i=i, n=n))
    weights = [math.exp(sum(form(q, stream[i - 1]) * form(k, vector)
                            for q, k in zip(head.queries, head.keys, strict=True)) / tau) for vector in seen]
    return {name: sum(w * form(row, vector) for w, vector in zip(weights, seen, strict=True)) / sum(weights)
            for name, row in head.values.items()}


def feed(unit: Unit, vector: dict[str, float]) -> dict[str, float]:
    active = max(0.0, form(unit.reads, vector) + float(unit.bias))
    return {name: float(weight) * active for name, weight in unit.writes.items()}


def add(*vectors: dict[str, float]) -> dict[str, float]:
    return {name: sum(vector.get(name, 0.0) for vector in vectors) for name in DIRECTIONS}
