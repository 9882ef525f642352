"""Small random networks with softmax, every mask, several heads and units, biases and position embeddings."""

import random
from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

NAMES = ("x", "y", "z")
TEMPERATURES = ("1/2", "1", "2", "1/n", "1/i")


def random_network(draw: random.Random, weightings: tuple[Weighting, ...] = (Weighting.SOFTMAX,)) -> Transformer:
    """One or two layers over the symbols a, b."""
    layers = tuple(Layer(tuple(_head(draw, weightings, k) for k in range(draw.randint(1, 2))), _feedforward(draw))
                   for _ in range(draw.randint(1, 2)))
    return Transformer(("a", "b"), {name: Anything() for name in NAMES}, {"a": _row(draw), "b": _row(draw)},
                       {"z": parse_expression(draw.choice(("1/i", "i/n", "1/n")))}, layers, "x")


def _row(draw: random.Random) -> Coefficients:
    return {name: Fraction(draw.randint(-2, 2), 2) for name in draw.sample(NAMES, 2)}


def _head(draw: random.Random, weightings: tuple[Weighting, ...], number: int) -> Head:
    return Head(f"head {number}", "test", draw.choice(list(Mask)), draw.choice(weightings),
                parse_expression(draw.choice(TEMPERATURES)), (_row(draw), _row(draw)), (_row(draw), _row(draw)),
                {name: _row(draw) for name in draw.sample(NAMES, 2)})


def _feedforward(draw: random.Random) -> FeedForward:
    shared = _row(draw)
    units = (Unit(shared, Fraction(draw.randint(-1, 1), 2), _row(draw)),
             Unit({name: -2 * weight for name, weight in shared.items()}, Fraction(1, 3), _row(draw)),
             Unit(_row(draw), Fraction(1, 4), _row(draw)))
    return FeedForward(units[: draw.randint(0, 3)], {"y": Fraction(1, 2)})
