"""The least difference of the real scores of two positions of a head, over all words."""

from fractions import Fraction

from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.reading import HeadReading, RowGroup


def find_least_gap(obligation: AttentionObligation) -> Fraction | None:
    """Return the least difference of two scores at different positions of one row; None if no row has two positions."""
    reading = obligation.reading
    gaps = [gap for group in obligation.groups if (gap := _gap_of_group(reading, group)) is not None]
    return min(gaps, default=None)


def _gap_of_group(reading: HeadReading, group: RowGroup) -> Fraction | None:
    scores, kinds = reading.scores(group), reading.positions(group.n).kinds
    entries = sorted((scores.base[j - 1] + add, j) for j in reading.order(group)
                     for add in set(scores.adds[kinds[j - 1]]))
    least: int | None = None
    latest: dict[int, int] = {}
    for score, j in entries:
        others = [before for position, before in latest.items() if position != j]
        if others and (least is None or score - max(others) < least):
            least = score - max(others)
        latest = dict(sorted({**latest, j: score}.items(), key=lambda item: item[1])[-2:])
    return None if least is None else Fraction(least, scores.unit)
