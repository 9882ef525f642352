"""Claims about gaps: on every word, the greatest score is attained once and exceeds the next by at least so much."""

from collections.abc import Iterator
from fractions import Fraction

from certify.auditing.answers import ClaimAnswer
from certify.auditing.decide import ClaimedNetwork
from certify.auditing.results import LengthVerdict, Witness, outward
from certify.frame.words import show_word
from constructions.language.expressions import Expression
from constructions.network.lengths import Lengths
from constructions.network.validation import check_defined
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.intervals import point
from proofs.formula.failures import NotDerived
from proofs.softened.gap import Gap, find_gap


def decide_gaps(claimed: ClaimedNetwork, least: Expression, lengths: Lengths) -> ClaimAnswer:
    """The verdict at every length on the gaps of all heads that prefer some positions to others.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i).
    """
    check_defined(claimed.network, lengths)
    return ClaimAnswer(tuple(_decide_length(claimed, least, n) for n in lengths), measure="smallest gap",
                       least_matters=True)


def _decide_length(claimed: ClaimedNetwork, least: Expression, n: int) -> LengthVerdict:
    smallest: LengthVerdict | None = None
    for where, gap in _gaps(claimed, n):
        if isinstance(gap, NotDerived):
            return LengthVerdict(n, "unknown", where=where, reason=str(gap))
        if gap.value is None and not gap.tied:
            continue
        value, bound = gap.value or Fraction(0), enclose_at(least, gap.i, n)
        stated = bound if bound.is_point else outward(bound.lower, bound.upper)
        word = show_word(gap.word)
        found = f"position {gap.i} of {word}, {where}"
        if value < bound.lower:
            witness = Witness(f"the gap of {where}", n, point(value), stated, claimed.show(gap.word), word, gap.i,
                              "at least")
            return LengthVerdict(n, "refuted", point(value), stated, found, witness=witness)
        if value < bound.upper:
            return LengthVerdict(n, "unknown", point(value), stated, found,
                                 f"the enclosures are too wide to tell whether the gap is at least {least}")
        if smallest is None or smallest.error is None or value < smallest.error.lower:
            smallest = LengthVerdict(n, "certified", point(value), stated, found)
    return smallest or LengthVerdict(n, "vacuous", reason="no head has two positions to choose from")


def _gaps(claimed: ClaimedNetwork, n: int) -> Iterator[tuple[str, Gap | NotDerived]]:
    for layer, place, head in claimed.network.heads():
        if any(head.queries):
            try:
                yield f"layer {layer}, head {place}", find_gap(claimed.network, layer, place, n)
            except NotDerived as reason:
                yield f"layer {layer}, head {place}", reason
