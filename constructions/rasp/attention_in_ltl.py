"""Attention to the leftmost or rightmost position as a formula.

Source      [SHA] Section 6 (induction heads through LTL); Yang, Chiang and Angluin (2024) translate B-RASP to LTL.
Claim       Let S and V be formulas read at j, and D one read at i. ``attention`` of S, V and D holds at i iff V holds
            at the chosen position: the leftmost or rightmost j of the window with S; or, if there is none, D holds at
            i. ``chosen`` is ``attention`` with D false, ``exists`` holds iff there is one.
Window      The least and the greatest j - i; None where there is no bound. A mask is a window, and where a score
            depends on the distance j - i, its window is cut there: into windows to the left, to the right, and single
            positions.
Proof       By cases. ``since`` and ``until`` are those of [SHA] Definition 14; F, O as usual.
            Rightmost, j <= i: (S -> V) since S. If it holds, let k be the last position up to i with S. It is not
              earlier than the witness, so S -> V holds at k, hence V. Conversely the last position with S is a
              witness if V holds there: S fails after it.
            Leftmost, j <= i: O (S & V & !O (S & !V)). Let k be the first position with S. If V holds at k, then k is
              the witness, as S fails before it. If not, each position from k on has S & !V at or before it, and no
              position before k has S, so there is no witness up to i.
            j >= i: the mirror images, (S -> V) until S for leftmost and F (S & V & !F (S & !V)) for rightmost.
            j <= i - d and j >= i + d: prev or next, d times, of the formula for d = 0, which holds at i - d or i + d
              iff the claim does for i. Where there is no such position there is no j, and prev or next is false.
            j = i + d: S & V holds there.
            All j: φ = S & V & !O (S & !V) holds somewhere iff V holds at the first position with S, as above; and
              O φ | F φ holds at any position iff φ holds somewhere. Rightmost is the mirror image.
            D true: the negation of "V fails at the chosen position", which is false where there is none.
            Other D: the two ways of the claim, joined.
"""

from collections.abc import Callable, Mapping

from constructions.language.simplified import (
    conjunction,
    disjunction,
    following,
    implication,
    negation,
    previous,
    since,
    until,
)
from constructions.language.syntax import FALSE, TRUE, Formula
from constructions.rasp.syntax import Choice, Mask

Window = tuple[int | None, int | None]
WINDOWS: Mapping[Mask, Window] = {
    "1": (None, None), "j<i": (None, -1), "j<=i": (None, 0), "j>i": (1, None), "j>=i": (0, None),
}  # fmt: skip


def cut(window: Window, distance: int) -> list[Window]:
    """Split the window at j - i = distance; return its parts up to the distance, then the others.

    >>> cut((None, None), -2), cut((None, 0), -1)
    ([(None, -2), (-1, -1), (0, None)], [(None, -1), (0, 0)])
    """
    return [*_plain(window[0], distance), *_plain(distance + 1, window[1])]


def _plain(first: int | None, last: int | None) -> list[Window]:
    """Split the positions from ``first`` to ``last`` (one is given) into windows that have a formula."""
    beyond: list[Window] = [(max(first, 0), None)] if last is None and first is not None else []
    before: list[Window] = [(None, min(last, 0))] if first is None and last is not None else []
    start, end = 1 if first is None else first, -1 if last is None else last
    return [*before, *((d, d) for d in range(start, end + 1)), *beyond]


def shifted(formula: Formula, distance: int) -> Formula:
    """Return the formula at ``distance`` positions to the right (left if negative); false if there is none."""
    for _ in range(abs(distance)):
        formula = following(formula) if distance > 0 else previous(formula)
    return formula


def attention(choice: Choice, window: Window, score: Formula, value: Formula, default: Formula) -> Formula:
    """Return the value at the chosen position, or else the default here."""
    if default is TRUE:
        return negation(chosen(choice, window, score, negation(value)))
    found, some = chosen(choice, window, score, value), exists(window, score)
    return disjunction(found, default if found is some else conjunction(default, negation(some)))


def exists(window: Window, score: Formula) -> Formula:
    """Return the formula that some position of the window has the score."""
    match window:
        case (None, None):
            return _somewhere(score)
        case (None, int(last)):
            return shifted(since(TRUE, score), last)
        case (int(first), None):
            return shifted(until(TRUE, score), first)
        case (int(distance), _):
            return shifted(score, distance)
    raise AssertionError("a window has two ends")


def chosen(choice: Choice, window: Window, score: Formula, value: Formula) -> Formula:
    """Return the formula that there is a chosen position and the value holds there."""
    if FALSE in (score, value):
        return FALSE
    nearest = choice == ("leftmost" if window[1] is None else "rightmost")
    match window:
        case (None, int(last)) if nearest:
            return shifted(since(implication(score, value), score), last)
        case (int(first), None) if nearest:
            return shifted(until(implication(score, value), score), first)
        case (None, None) | (None, _) | (_, None) if value is not TRUE:
            return exists(window, _outermost(since if choice == "leftmost" else until, score, value))
    return exists(window, conjunction(score, value))


def _somewhere(formula: Formula) -> Formula:
    return disjunction(since(TRUE, formula), until(TRUE, formula))


def _outermost(reach: Callable[[Formula, Formula], Formula], score: Formula, value: Formula) -> Formula:
    """Return score and value here, and no score without the value up to here (``since``), or from here (``until``)."""
    return conjunction(conjunction(score, value), negation(reach(TRUE, conjunction(score, negation(value)))))
