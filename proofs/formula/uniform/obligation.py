"""Uniform heads: all scores are equal, so weights are exactly 1/count, and the mean of exact values is exact."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.brackets import PositionFunction
from constructions.language.printer import format_briefly, format_count
from constructions.language.syntax import Count, Formula
from constructions.network.meanings import Average, Mean, Position, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.formula.common.kinds import HeadObligation, ObligationKind
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived

AVERAGING = tuple(weighting for weighting in Weighting if weighting.averages_equals and not weighting.is_hard)
"""The weightings of heads that write means, or look up counts."""


@dataclass(frozen=True)
class UniformObligation(HeadObligation):
    """At every (n, i) the visible positions have equal scores, and the mean of the values is ``expected``.

    If ``expected`` is None, only equal scores are required: the values are truths of the counted formulas, and their
    mean is the meaning of the direction, in every word.
    """

    expected: PositionFunction | None
    known: KnownValues

    @property
    def kind(self) -> ObligationKind:
        """The kind: uniform attention to known values, or to truths of counted formulas."""
        return ObligationKind.MEAN if self.expected is None else ObligationKind.UNIFORM

    def key(self) -> None:
        """Return None: to check an obligation takes no longer than to compare it with others."""


def oblige_uniform(written: WrittenDirection) -> UniformObligation:
    """Return the obligation of one written direction that means a number of the position, or the mean behind a count.

    Source      docs/background/obligations.md, equal scores; [SHA] Theorem 20, first stage.

    Raises:
        NotDerived: if the mask or the value is not as the count requires, or a value depends on the word.
    """
    head, direction, known = written.head, written.direction, written.known
    check_sums_to_one(head)
    expected: PositionFunction | None = None
    match written.meaning:
        case Position(value):
            check_reads_known(head.values[direction], known, "the value")
            expected = value
        case Mean(count):
            _check_is_mean_of_counts(written.transformer, head, direction, ((1, count),))
        case Average(term):
            _check_is_mean_of_counts(written.transformer, head, direction, term.coefficients)
        case meaning:
            raise AssertionError(f"no uniform head makes {meaning}")
    return UniformObligation(written.layer, written.place, head, direction, written.lengths, expected, known)


def check_sums_to_one(head: Head) -> None:
    """Check that equal scores get equal weights of sum 1, and that lower scores get less.

    Raises:
        NotDerived: if the weighting does not have this property.
    """
    if head.weighting not in AVERAGING:
        raise NotDerived(f"weighting {head.weighting.value}, expected one whose weights sum to 1: "
                         + ", ".join(AVERAGING))


def _check_is_mean_of_counts(transformer: Transformer, head: Head, direction: str,
                             coefficients: Sequence[tuple[int, Count]]) -> None:
    """Check that every count has the mask, and the value is the sum of multiples of the truths of counted formulas."""
    value: dict[Formula, Fraction] = {}
    for name, weight in head.values[direction].items():
        match transformer.directions[name]:
            case Truth(formula):
                value[formula] = value.get(formula, Fraction(0)) + weight
            case other:
                raise NotDerived(f"the value reads {name}, which is {other}; a mean of counts averages truths")
    for _, count in coefficients:
        check_mask_of(count, head.mask)
    if value != {count.operand: number for number, count in coefficients}:
        wanted = " + ".join(f"{number} {format_briefly(count.operand)}" for number, count in coefficients)
        raise NotDerived(f"the value is not {wanted} and nothing else")


def check_mask_of(count: Count, mask: Mask) -> None:
    """Check that the mask of a head is the range of the count; raise NotDerived if not."""
    needed = Mask.FUTURE if count.side == "left" else Mask.PAST
    if mask is not needed:
        raise NotDerived(f"mask {mask.value}: {format_count(count)} needs mask {needed.value}")


def check_reads_known(row: Coefficients, known: KnownValues, what: str) -> None:
    """Check that a linear form reads known directions only.

    Raises:
        NotDerived: naming the first that depends on the word.
    """
    for name in row:
        if name not in known:
            raise NotDerived(f"{what} reads {name}, which depends on the word")
