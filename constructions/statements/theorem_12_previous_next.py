"""Theorem 12: ``prev`` and ``next`` by two heads, one for even and one for odd positions.

Source      [SHA] Theorem 12 (Section 4.1), cases (a) temperature 1/n and (b) position embeddings with n.
Claim       The head that selects the rightmost even position j <= i holds ``prev φ`` with error at most 1/4 at odd i >
            1, and the other at even i; the feed-forward block selects the right one and is exactly 0 at the edge.
Uses        Lemma 8 b (prev) and c (next), Lemma 9, Proposition 11 for the edge.
Differs     Where the paper lets the feed-forward layer "test whether i is odd or even", the hidden units read the
            truths of EVEN and ODD, embedded as positions; each of them disables the other head (DIVERGENCES.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import And, Next, Not, Predicate, Previous
from constructions.network.meanings import Near
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_08_tie_breaking import HALF, TieBrokenHead, TieWinner, add_tie_broken_head
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.proposition_11_end_markers import ALTERNATING, FIRST, LAST, first_marker, last_marker

ODD = Predicate("ODD", ())
EVEN = Predicate("EVEN", ())


@dataclass(frozen=True)
class Parity:
    """The keys of one parity; queries of the other parity find their neighbour there."""

    name: str
    sign: int
    queried_from: Predicate
    not_queried_from: Predicate


EVEN_KEYS = Parity("even", 1, ODD, EVEN)
ODD_KEYS = Parity("odd", -1, EVEN, ODD)


def add_previous(draft: Draft, formula: Previous, theorem: int = 12) -> str:
    """Return the direction ``is[prev φ]``; the operand's direction must exist."""
    return _add_neighbour(draft, formula, TieWinner.RIGHTMOST, FIRST, first_marker, theorem)


def add_next(draft: Draft, formula: Next) -> str:
    """Return the direction ``is[next φ]``; the operand's direction must exist."""
    return _add_neighbour(draft, formula, TieWinner.LEFTMOST, LAST, last_marker, 12)


def _add_neighbour(draft: Draft, formula: Previous | Next, side: TieWinner, edge: Predicate,
                   edge_marker: Callable[[Draft], str], theorem: int) -> str:
    nears = {parity: _add_parity_head(draft, formula, side, edge, parity, theorem)
             for parity in (EVEN_KEYS, ODD_KEYS)}
    units = [
        unit
        for parity, near in nears.items()
        for unit in rounding_units(near, [require_truth(draft, parity.not_queried_from), edge_marker(draft)])
    ]
    return draft.add_truth(formula, units, Fraction(0))


def _add_parity_head(draft: Draft, formula: Previous | Next, side: TieWinner, edge: Predicate, parity: Parity,
                     theorem: int) -> str:
    near = draft.spell("near", formula, f" by {parity.name} keys")
    plan = TieBrokenHead(
        name=f"{side.value} {parity.name} position",
        source=f"Theorem {theorem}{draft.regime.case}",
        side=side,
        score={draft.embed_position(ALTERNATING): parity.sign * HALF},
        values={near: {draft.truth(formula.operand): ONE}},
    )
    add_tie_broken_head(draft, plan, {near: Near(formula, And(parity.queried_from, Not(edge)))})
    return near
