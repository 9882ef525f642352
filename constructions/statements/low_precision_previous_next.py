"""``prev`` and ``next`` for low precision: Theorem 12 with integer scores, and embedded edges and parities.

Claim       Two heads, one for even and one for odd j, hold ``prev φ`` (``next φ``) with error at most e^(-γ) at every
            position but the first (last) whose neighbour has their parity, in every word: at γ = 4, at most 0.0184. s_j
            is the truth that j has the parity; the scores are γ/2 (j + (i + 1) s_j), or γ/2 ((n + 1) s_j - j). The
            heads of ``prev`` do not use n. The feed-forward block rounds the right one, and is exactly 0 at the edge.
Proof       ``prev``, i > 1. Over γ/2, the positions with s_j = 1 are i - 1, i - 3, ..., with scores 2i, 2i - 2, ..., so
            the neighbour is greatest, and the k-th other one is 2k below, at most i - 2 in all. The positions with s_j
            = 0 are i, i - 2, ..., with scores i, i - 2, ...: below the neighbour by i, i + 2, .... So the k-th rival of
            all is at least 2k below, or kγ with the factor γ/2: the neighbour has all weight except at most e^(-γ), as
            in ``low_precision_tie_breaking``. ``next`` is the mirror: i + 1, i + 3, ... have the scores n - i, n - i -
            2, ..., of which the last is at least 1, and i, i + 2, ... the scores -i, -i - 2, ..., which are below that
            of the neighbour by n, n + 2, ....
Uses        Lemma 9.
Differs     Besides the scores: [SHA] embeds (-1)^i and computes the markers of the edges by attention (Proposition 11);
            here parities and edges are numerical predicates, embedded like any other.
"""

from dataclasses import dataclass
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import And, Next, Not, Predicate, Previous
from constructions.network.meanings import Near
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_08_tie_breaking import TieBrokenHead, TieWinner
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.low_precision_tie_breaking import add_integer_tie_broken_head
from constructions.statements.proposition_11_end_markers import FIRST, LAST
from constructions.statements.theorem_12_previous_next import EVEN, ODD

SOURCE = "prev, next for low precision"
NEIGHBOURS_APART = 2
"""The distance of consecutive positions of one parity."""


@dataclass(frozen=True)
class _Neighbour:
    """The side of the neighbour, and the predicate of the edge without one."""

    side: TieWinner
    edge: Predicate


def add_previous_for_low_precision(draft: Draft, formula: Previous) -> str:
    """Return the direction ``is[prev φ]``; the operand's direction must exist."""
    return _add_neighbour(draft, formula, _Neighbour(TieWinner.RIGHTMOST, FIRST))


def add_next_for_low_precision(draft: Draft, formula: Next) -> str:
    """Return the direction ``is[next φ]``; the operand's direction must exist."""
    return _add_neighbour(draft, formula, _Neighbour(TieWinner.LEFTMOST, LAST))


def _add_neighbour(draft: Draft, formula: Previous | Next, neighbour: _Neighbour) -> str:
    edge = require_truth(draft, neighbour.edge)
    units = []
    for keys, queried_from in ((EVEN, ODD), (ODD, EVEN)):
        near = _add_parity_head(draft, formula, neighbour, keys, queried_from)
        units += rounding_units(near, [require_truth(draft, keys), edge])
    return draft.add_truth(formula, units, Fraction(0))


def _add_parity_head(draft: Draft, formula: Previous | Next, neighbour: _Neighbour, keys: Predicate,
                     queried_from: Predicate) -> str:
    parity = keys.name.lower()
    near = draft.spell("near", formula, f" by {parity} keys")
    plan = TieBrokenHead(f"{neighbour.side.value} {parity} position", SOURCE, neighbour.side,
                         {require_truth(draft, keys): ONE}, {near: {draft.truth(formula.operand): ONE}})
    add_integer_tie_broken_head(draft, plan, {near: Near(formula, And(queried_from, Not(neighbour.edge)))},
                                draft.gamma / NEIGHBOURS_APART, beyond=1)
    return near
