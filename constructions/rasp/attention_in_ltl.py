"""Attention to the leftmost or rightmost position as a formula.

Source      [SHA] Section 6 (induction heads through LTL); Yang, Chiang and Angluin (2024) translate B-RASP to LTL.
Claim       Let S and V be formulas read at j, and D one read at i. ``attention`` of S, V and D holds at i iff V holds
            at the chosen position: the leftmost or rightmost j that the mask admits with S; or, if there is none, D
            holds at i. ``chosen`` is the same with D false, ``exists`` says whether there is one.
Proof       By cases. ``since`` and ``until`` are those of [SHA] Definition 14; F, O as usual.
            Rightmost, j <= i: (S -> V) since S. If it holds, let k be the last position up to i with S. It is no
              earlier than the witness, so S -> V holds at k, hence V. Conversely the last position with S is a
              witness if V holds there: S fails after it.
            Leftmost, j <= i: O (S & V & !O (S & !V)). Let k be the first position with S. If V holds at k, then k is
              the witness, as S fails before it. If not, each position from k on has S & !V at or before it, and no
              position before k has S, so there is no witness up to i.
            j >= i: the mirror images, (S -> V) until S for leftmost and F (S & V & !F (S & !V)) for rightmost.
            j < i and j > i: prev or next of the formula for j <= i or j >= i, which holds at i - 1 or i + 1 iff the
              claim does for i. At the edge there is no j, and prev or next is false.
            All j: φ = S & V & !O (S & !V) holds somewhere iff V holds at the first position with S, as above; and
              O φ | F φ holds at any position iff φ holds somewhere. Rightmost is the mirror image.
            D true: the negation of "V fails at the chosen position", which is false where there is none.
            Other D: the two ways of the claim, joined.
"""

from __future__ import annotations

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


def attention(choice: Choice, mask: Mask, score: Formula, value: Formula, default: Formula) -> Formula:
    """The value at the chosen position, or else the default here."""
    if default is TRUE:
        return negation(chosen(choice, mask, score, negation(value)))
    found, some = chosen(choice, mask, score, value), exists(mask, score)
    return disjunction(found, default if found is some else conjunction(default, negation(some)))


def exists(mask: Mask, score: Formula) -> Formula:
    """Whether the mask admits a position with the score."""
    match mask:
        case "j<=i":
            return since(TRUE, score)
        case "j>=i":
            return until(TRUE, score)
        case "j<i":
            return previous(since(TRUE, score))
        case "j>i":
            return following(until(TRUE, score))
        case "1":
            return _somewhere(score)


def chosen(choice: Choice, mask: Mask, score: Formula, value: Formula) -> Formula:
    """Whether there is a chosen position, and the value holds there."""
    if FALSE in (score, value):
        return FALSE
    if value is TRUE:
        return exists(mask, score)
    match mask:
        case "j<=i":
            nearest = choice == "rightmost"
            return (since(implication(score, value), score) if nearest
                    else since(TRUE, _first(score, value)))
        case "j>=i":
            nearest = choice == "leftmost"
            return (until(implication(score, value), score) if nearest
                    else until(TRUE, _last(score, value)))
        case "j<i":
            return previous(chosen(choice, "j<=i", score, value))
        case "j>i":
            return following(chosen(choice, "j>=i", score, value))
        case "1":
            return _somewhere(_first(score, value) if choice == "leftmost" else _last(score, value))


def _somewhere(formula: Formula) -> Formula:
    return disjunction(since(TRUE, formula), until(TRUE, formula))


def _first(score: Formula, value: Formula) -> Formula:
    """Score and value here, and no score without the value up to here."""
    return conjunction(conjunction(score, value), negation(since(TRUE, conjunction(score, negation(value)))))


def _last(score: Formula, value: Formula) -> Formula:
    """Score and value here, and no score without the value from here."""
    return conjunction(conjunction(score, value), negation(until(TRUE, conjunction(score, negation(value)))))
