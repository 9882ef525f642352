"""Equal scores: which weightings make them a mean, as Proposition 11 and the means of counts need it.

Means       Under softmax, sparsemax and 1.5-entmax k positions of one score s weigh 1/k each: the weights are equal, as
            nothing distinguishes the positions, and sum to 1.
Plus one    Under softmax-plus-one they weigh e^s/(1 + k e^s) each, at s = 0 that is 1/(k+1): together less than 1 at
            every s. At n = 1 the value 1 becomes 1/2, so that the first marker of Proposition 11, 2 ReLU(1/2 - 1/2), is
            0. (A greater s comes nearer: the sum is k/(k + e^(-s)).)
"""

from collections.abc import Iterable
from fractions import Fraction

from constructions.network.exact_weights import sparsemax_weights
from proofs.enclosures.intervals import point
from proofs.enclosures.softmax import enclose_mean
from proofs.enclosures.weightings import entmax_weights
from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance, Replay

ONE = Fraction(1)
BITS = 128
FIRST_MARKER = Replay("weightings_plus_one_uniform.json", "1")


def _means(n: int) -> Iterable[Instance]:
    zeros = [Fraction(0)] * n
    yield equality(n, f"sparsemax of {n} equal scores", sparsemax_weights(zeros)[0], Fraction(1, n))
    yield equality(n, f"1.5-entmax of {n} equal scores", entmax_weights(zeros, BITS)[0].lower, Fraction(1, n))


def _plus_one(n: int) -> Instance:
    scores, values = [point(Fraction(0))] * (n + 1), [point(ONE)] * n + [point(Fraction(0))]
    return equality(n, f"the mean of {n} ones under softmax-plus-one, scores 0",
                    enclose_mean(scores, values, BITS).upper, ONE, FIRST_MARKER)


NAME = "Proposition 11, under other weightings"
EXAMINATIONS = (
    Examination("uniform-means", NAME, "equal scores weigh 1/n each under sparsemax and 1.5-entmax",
                "n visible positions", _means),
    Examination("uniform-plus-one", NAME, "the mean of values 1 is 1 under softmax-plus-one", "n visible positions",
                _plus_one),
)
