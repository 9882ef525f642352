"""Table of the weighting functions: a row per weighting, a column per property; no other list exists.

An attention head makes weights of its scores by [SHA] Definitions 2 to 4, or by another function. The definitions, as
rules, are in docs/reference/certificate.md, section 2; the papers in docs/background/weightings.md. All except the
hard ones divide the scores by the head's temperature. Code for single weightings is in tables with their names as
keys: exact weights in ``exact_weights.py``, enclosures in ``proofs/enclosures/weightings.py``, constructions that only
some weightings have in ``constructions/statements/other_weightings.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Literal, Self, TypeVar

Place = TypeVar("Place")


class WeightingShape(Enum):
    """The way in which scores become weights."""

    HARD = "the greatest scores have all weight, in equal shares"
    EXPONENTIAL = "in proportion to exp(score)"
    THRESHOLD = "the excess of the score over a common threshold, to a power"
    ADDITIVE = "a function of its own score only"
    STICK = "from the nearest position on, each takes a share of the rest"


class Winners(Enum):
    """The positions with the greatest score that have the weight."""

    ALL = slice(None)
    FIRST = slice(1)
    LAST = slice(-1, None)

    def of(self, places: Sequence[Place]) -> Sequence[Place]:
        """Return the winners of the places with the greatest score, which are in the order of the word.

        >>> [list(winners.of([2, 5, 7])) for winners in Winners]
        [[2, 5, 7], [2], [7]]
        """
        kept: slice = self.value
        return places[kept]


class Response(Enum):
    """A function of a single score."""

    RELU = "max(score, 0)"
    SIGMOID = "1/(1 + exp(-score))"

    @property
    def slope(self) -> Fraction:
        """Its greatest slope."""
        return Fraction(1) if self is Response.RELU else Fraction(1, 4)


@dataclass(frozen=True)
class WeightingRow:
    """The columns of the table; derived properties are in ``Weighting``.

    ``winners`` which have all weight, always or as the temperature tends to 0; None if the limit is not hard
    ``alpha``   α if it is an α-entmax: 1 is softmax
    ``extra``   number of additional positions with score 0 and value 0
    ``response``the function of a score that is its weight, or its share of the remaining weight
    ``over_n``    whether weights are divided by the length of the word
    ``coq``     its name in proofs/coq/network/weighing.v, if it has one
    """

    shape: WeightingShape
    winners: Winners | None = None
    alpha: Fraction | None = None
    extra: int = 0
    response: Response | None = None
    over_n: bool = False
    coq: str = ""


class Weighting(StrEnum):
    """The weighting functions, by their names in files and on the command line."""

    row: WeightingRow

    SOFTMAX = "softmax", WeightingRow(WeightingShape.EXPONENTIAL, winners=Winners.ALL, alpha=Fraction(1), coq="Softmax")
    AVERAGE_HARDMAX = "average-hardmax", WeightingRow(WeightingShape.HARD, winners=Winners.ALL)
    LEFTMOST_HARDMAX = "leftmost-hardmax", WeightingRow(WeightingShape.HARD, winners=Winners.FIRST)
    RIGHTMOST_HARDMAX = "rightmost-hardmax", WeightingRow(WeightingShape.HARD, winners=Winners.LAST)
    SPARSEMAX = "sparsemax", WeightingRow(WeightingShape.THRESHOLD, winners=Winners.ALL, alpha=Fraction(2),
                                          coq="Sparsemax")
    ENTMAX = "entmax-1.5", WeightingRow(WeightingShape.THRESHOLD, winners=Winners.ALL, alpha=Fraction(3, 2),
                                        coq="Entmax")
    SOFTMAX_PLUS_ONE = "softmax-plus-one", WeightingRow(WeightingShape.EXPONENTIAL, extra=1, coq="SoftmaxPlusOne")
    RELU = "relu", WeightingRow(WeightingShape.ADDITIVE, response=Response.RELU, coq="Relu")
    RELU_OVER_N = "relu-over-n", WeightingRow(WeightingShape.ADDITIVE, response=Response.RELU, over_n=True,
                                              coq="ReluOverN")
    SIGMOID = "sigmoid", WeightingRow(WeightingShape.ADDITIVE, response=Response.SIGMOID, coq="Sigmoid")
    GEOMETRIC = "geometric", WeightingRow(WeightingShape.STICK, response=Response.SIGMOID, coq="Geometric")
    STICK_BREAKING = "stick-breaking", WeightingRow(WeightingShape.STICK, response=Response.SIGMOID,
                                                    coq="StickBreaking")

    def __new__(cls, name: str, row: WeightingRow | None = None) -> Self:
        """Create a member: a string with a row; lookups by name alone do not call this."""
        assert row, f"{name} has no row"
        member = str.__new__(cls, name)
        member._value_ = name
        member.row = row
        return member

    @property
    def is_hard(self) -> bool:
        """True if only the order of the scores matters, not a temperature: [SHA] Definition 2."""
        return self.row.shape is WeightingShape.HARD

    @property
    def is_softmax(self) -> bool:
        """True for softmax: the default, and the only one of float models."""
        return self is Weighting.SOFTMAX

    @property
    def is_exponential(self) -> bool:
        """True if weights are quotients of sums of exponentials, so that changed scores change them by a factor."""
        return self.row.shape is WeightingShape.EXPONENTIAL

    @property
    def is_sparse(self) -> bool:
        """True if scores sufficiently far below the greatest have weight 0."""
        return self.row.shape is WeightingShape.THRESHOLD

    @property
    def is_additive(self) -> bool:
        """True if a weight depends on its own score only, so that several heads can make one sum of it."""
        return self.row.shape is WeightingShape.ADDITIVE

    @property
    def breaks_a_stick(self) -> bool:
        """True if positions take their shares in turn, from the nearest on: without a mask there is no nearest."""
        return self.row.shape is WeightingShape.STICK

    @property
    def slope(self) -> Fraction:
        """α - 1 of a sparse one: the factor of scores before the threshold is subtracted."""
        assert self.is_sparse and self.row.alpha, f"{self} has no threshold"
        return self.row.alpha - 1

    @property
    def has_kernel(self) -> bool:
        """True if the relative weight of a lower score has a known bound: the greatest score wins."""
        return self.is_exponential or self.is_sparse

    @property
    def sums_to_one(self) -> bool:
        """True if the weights of a row add up to 1, so that the head's output is a mean."""
        return self.is_hard or (self.has_kernel and not self.row.extra)

    @property
    def ignores_places(self) -> bool:
        """True if weights depend on the scores, and not on their positions."""
        return not self.breaks_a_stick and self.row.winners in (None, Winners.ALL)

    @property
    def averages_equals(self) -> bool:
        """True if k equal scores have the weight 1/k each."""
        return self.sums_to_one and self.ignores_places

    @property
    def is_rational(self) -> bool:
        """True if the weights of rational scores are rational."""
        return self.is_hard or self.row.alpha == 2 or (self.is_additive and self.row.response is Response.RELU)


WeightingName = Literal[
    "softmax", "average-hardmax", "leftmost-hardmax", "rightmost-hardmax", "sparsemax", "entmax-1.5",
    "softmax-plus-one", "relu", "relu-over-n", "sigmoid", "geometric", "stick-breaking"]
"""The names for type checkers (a test compares them with the enumeration)."""
