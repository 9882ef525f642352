"""The four regimes of [SHA]: how attention is sharpened, and whether the network may look ahead and depend on n.

| regime             | temperature | query scale | [SHA]                                        |
|--------------------|-------------|-------------|----------------------------------------------|
| temperature        | 1/n         | constant    | Theorems 12a, 15a, 20a, Corollaries 17a, 22a |
| position           | 1           | n           | Theorems 12b, 15b, 20b, Corollaries 17b, 22b |
| temperature causal | 1/i^2       | constant    | Theorems 13a, 16a, Corollaries 18a, 23       |
| position causal    | 1           | i^2         | Theorems 13b, 16b, Corollary 18b             |

Formulas with counts and without temporal operators have temperature 1/i in the regime temperature causal (Theorem 21).
"""

from dataclasses import dataclass
from enum import StrEnum

from constructions.language.expressions import Expression, parse_expression


class Sharpening(StrEnum):
    """The cause of sharp attention: a falling temperature (a) or an unbounded position embedding (b)."""

    TEMPERATURE = "temperature"
    POSITION = "position"


@dataclass(frozen=True)
class Regime:
    """One of the four regimes; causal means future-masked only and independent of n."""

    sharpening: Sharpening = Sharpening.TEMPERATURE
    causal: bool = False

    @property
    def scale(self) -> str:
        """The growth that sharpening must supply: n (Lemma 8 b, c) or i^2 (Lemma 8 a)."""
        return "i^2" if self.causal else "n"

    @property
    def temperature(self) -> Expression:
        """The softmax temperature at (n, i)."""
        return parse_expression("1" if self.sharpening is Sharpening.POSITION else f"1/{self.scale}")

    @property
    def case(self) -> str:
        """The letter of the case in [SHA]'s statements."""
        return "a" if self.sharpening is Sharpening.TEMPERATURE else "b"

    def __str__(self) -> str:
        return self.sharpening.value + (", causal" if self.causal else "")


ALL_REGIMES = tuple(Regime(sharpening, causal) for causal in (False, True) for sharpening in Sharpening)
