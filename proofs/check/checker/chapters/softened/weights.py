"""The weight of a position in Û relative to a winner, enclosed by integers over 2^FRACTION_BITS.

If the difference of their scores is between D - d and D + d, the weight is between exp(-(D + d)/temperature) and
exp(-(D - d)/temperature). Both ends are ends of enclosures of exp at a *distance* x, D + d or D - d, which may be
negative. An irrational temperature is enclosed by two rationals; at one of them the exponent is least, at the other
greatest.
"""

from dataclasses import dataclass
from fractions import Fraction

from ...kernel.exponential import enclose_exp, exp_steps
from ...kernel.numbers import Enclosure, divide, multiply
from ...kernel.verdicts import Rejected
from .integers import charge_products
from .memoisation import LengthTables, as_key

FRACTION_BITS = 4096
LEAST_ARGUMENT = -2700  # of exp: a smaller weight is any number from 0 to exp(-2700), which is below 2^-3895
GREATEST_ARGUMENT = 4096  # of exp: no useful bound allows more, and integers stay below 2^10100
GREATEST_BITS = 10_100  # of a weight: e^4096 is below 2^5910


@dataclass(frozen=True)
class Weighing:
    """The weights of heads with scores in Û, at one length.

    Attributes:
        temperature: an enclosure of the temperature.
        is_exact: whether the weights are exactly those of U (statement.py); if not, they are those of softmax.
    """

    temperature: Enclosure
    is_exact: bool


class WeightsByDistance:
    """The weights at one temperature, cached by distance, an integer over ``unit``.

    ``where`` is the head, for messages.

    Attributes:
        reach: the greatest excess of a score over the score of the winner; beyond it, the certificate is rejected.
    """

    def __init__(self, memory: LengthTables, unit: int, temperature: Enclosure, where: str) -> None:
        self._memory, self._where = memory, where
        self._sharpness = [divide(memory.budget, Fraction(1, unit), end) for end in dict.fromkeys(temperature)]
        p, q = self._sharpness[0].as_integer_ratio()  # the greater
        charge_products(memory.budget, 1, p.bit_length(), q.bit_length())
        self.reach = GREATEST_ARGUMENT * q // p
        self._known: dict[str, tuple[int, int]] = {}

    def enclose(self, distance: int) -> tuple[int, int]:
        """Enclose 2^FRACTION_BITS exp(-distance / (unit temperature)) by integers.

        Claim: no bit is lost. Proof: an enclosure of exp has integers of at most 194 bits times 2^e, and exp is more
        than 2^-3896 from LEAST_ARGUMENT on; so e > -3896 - 194 > -FRACTION_BITS, and both are shifted to the left.
        """
        key = as_key((distance,))
        if key not in self._known:
            found = [self._enclose(distance, sharpness) for sharpness in self._sharpness]
            self._known[key] = min(lower for lower, _ in found), max(upper for _, upper in found)
        return self._known[key]

    def _enclose(self, distance: int, sharpness: Fraction) -> tuple[int, int]:
        budget = self._memory.budget
        x = multiply(budget, Fraction(-distance), sharpness)
        if x > GREATEST_ARGUMENT:
            raise Rejected(f"{self._where}: errors of scores are too large for any bound")
        argument = max(x, Fraction(LEAST_ARGUMENT))
        budget.spend(exp_steps(argument))
        lower, upper, e = enclose_exp(argument)
        self._memory.keep(2, 2 * (FRACTION_BITS + 2 * max(0, e)) + 2 * distance.bit_length())
        return lower << FRACTION_BITS + e if x >= LEAST_ARGUMENT else 0, upper << FRACTION_BITS + e
