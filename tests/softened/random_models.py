"""Small random transformers with hard attention: several layers, heads, masks, biases; with ties, averaged or not."""

import random
from collections.abc import Iterator
from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting
from proofs.softened.survey import survey_words

ONE = parse_expression("1")
HARD = (Weighting.AVERAGE_HARDMAX, Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX)
EMBEDDED = ("token", "other", "place", "one")
WRITTEN = ("p", "q", "r")


class Drawn:
    """Random parts of a model."""

    def __init__(self, seed: int, tieless: bool, masks: tuple[Mask, ...] = tuple(Mask),
                 weightings: tuple[Weighting, ...] = HARD):
        self.random = random.Random(seed)
        self.tieless, self.masks, self.weightings = tieless, masks, weightings

    def number(self) -> Fraction:
        return Fraction(self.random.choice([-2, -1, 1, 2, 3]), self.random.choice([1, 1, 2, 3]))

    def row(self, size: int = 2) -> Coefficients:
        names = self.random.sample([*EMBEDDED, *WRITTEN], self.random.randint(1, size))
        return {name: self.number() for name in names}

    def head(self, number: int) -> Head:
        if self.random.random() < Fraction(1, 4):
            queries: tuple[Coefficients, ...] = ({},)
            keys: tuple[Coefficients, ...] = (self.row(),)
            weighting = Weighting.AVERAGE_HARDMAX
        else:
            queries = tuple(self.row() for _ in range(self.random.randint(1, 2)))
            keys = tuple(self.row() for _ in queries)
            weighting = self.random.choice(self.weightings)
            if self.tieless:
                queries, keys = (*queries, {"one": Fraction(1)}), (*keys, {"place": Fraction(5, 7)})
        values = {name: self.row() for name in self.random.sample(WRITTEN, self.random.randint(1, 2))}
        return Head(f"h{number}", "", self.random.choice(self.masks), weighting, ONE, queries, keys, values)

    def feedforward(self) -> FeedForward:
        units = [Unit(self.row(), self.number(), {name: self.number() for name in self.random.sample(WRITTEN, 1)})
                 for _ in range(self.random.randint(0, 3))]
        for unit in units[:1]:
            units.append(Unit({name: -2 * x for name, x in unit.reads.items()}, self.number(), unit.writes))
        return FeedForward(tuple(units), {"r": self.number()} if self.random.random() < Fraction(1, 2) else {})

    def transformer(self, layers: int) -> Transformer:
        alphabet = self.random.choice(["ab", "abc"])
        return Transformer(
            tuple(alphabet), {name: Anything() for name in (*EMBEDDED, *WRITTEN)},
            {symbol: {"token": Fraction(k), "other": Fraction(self.random.randint(-1, 1), 2)}
             for k, symbol in enumerate(alphabet)},
            {"place": parse_expression(self.random.choice(["i/n", "i", "1/(i+2)", "i^2/(n+1)"])), "one": ONE},
            tuple(Layer(tuple(self.head(k) for k in range(self.random.randint(0, 2))), self.feedforward())
                  for _ in range(layers)),
            "token")


def random_transformer(seed: int, layers: int = 2, masks: tuple[Mask, ...] = tuple(Mask)) -> Transformer:
    """Any transformer; most of them tie somewhere."""
    return Drawn(seed, False, masks).transformer(layers)


def tied_transformers(count: int, n: int, layers: int = 2, masks: tuple[Mask, ...] = tuple(Mask),
                      first_seed: int = 0) -> Iterator[Transformer]:
    """Transformers with average-hard attention only, where some words of length n tie, and some scores differ."""
    seed = first_seed
    while count:
        seed += 1
        transformer = Drawn(seed, False, masks, (Weighting.AVERAGE_HARDMAX,)).transformer(layers)
        found = survey_words(transformer, n)
        if found.averaged and found.gap:
            count -= 1
            yield transformer


def tieless_transformers(count: int, n: int, layers: int = 2,
                         masks: tuple[Mask, ...] = tuple(Mask)) -> Iterator[Transformer]:
    """Transformers that do not tie at lengths up to n, and have a head that is not uniform."""
    seed = 0
    while count:
        seed += 1
        transformer = Drawn(seed, True, masks).transformer(layers)
        surveys = [survey_words(transformer, k) for k in range(1, n + 1)]
        if surveys[-1].gap is not None and not any(survey.tie or survey.averaged for survey in surveys):
            count -= 1
            yield transformer
