"""Small random transformers: soft, uniform and hard heads, every mask, several heads that write one direction."""

from dataclasses import replace
from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.network.transformer import Head, Mask, Transformer
from constructions.network.weightings import Weighting
from tests.softened.random_models import Drawn

TEMPERATURES = ("1", "1/n", "1/2 + i/n", "3")


class DrawnSoft(Drawn):
    """Heads have softmax at a random temperature; the first of each layer has the weighting ``first``."""

    def __init__(self, seed: int, masks: tuple[Mask, ...] = tuple(Mask), first: Weighting = Weighting.SOFTMAX):
        super().__init__(seed, False, masks)
        self.first = first

    def head(self, number: int) -> Head:
        drawn = super().head(number)
        temperature = parse_expression(self.random.choice(TEMPERATURES))
        weighting = self.first if number == 0 else Weighting.SOFTMAX
        return replace(drawn, weighting=weighting, temperature=temperature)


def soft_transformer(seed: int, layers: int = 2, masks: tuple[Mask, ...] = tuple(Mask),
                     first: Weighting = Weighting.SOFTMAX) -> Transformer:
    """Its output is a sum of what is embedded, of heads and of ReLUs."""
    return replace(DrawnSoft(seed, masks, first).transformer(layers), output="r")


def overlap(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> bool:
    """Return whether two intervals have a common number."""
    return a[0] <= b[1] and b[0] <= a[1]
