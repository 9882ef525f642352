"""The score of a head in LaTeX, simplified where it is a rational function."""

from typing import Any

from certify.critical.expressions import NoClosedForm
from certify.critical.scores import Held, Score, check_on_grid, score_of
from certify.exports.proof.paper import Paper
from constructions.network.meanings import Truth
from constructions.network.transformer import Head

GRID = 5
"""Simplified scores are held against the weights at all (n, i, j) up to this length, or that of the claim."""


def score_text(paper: Paper, head: Head) -> str:
    """What the scores of the head are."""
    import sympy  # type: ignore[import-untyped, unused-ignore]

    try:
        score = score_of(paper.transformer, head)
    except NoClosedForm:
        return "Its scores $s_{ij}$ are those of Section~2, divided by the temperature."
    check_on_grid(paper.transformer, head, score, min(GRID, paper.sealed.lengths.last))
    if score.simplified == 0:
        return "All its scores are equal."
    written = sympy.latex(score.simplified, symbol_names=_names(paper, score))
    return rf"Up to a number that does not depend on $j$, its scores are \[ s_{{ij}} = {written}. \]"


def _names(paper: Paper, score: Score) -> dict[Any, str]:
    """What each symbol of the score is called."""
    return {symbol: f"h_{{{paper.network.numbers[_direction(paper, held)]}}}({held.at})"
            for held, symbol in score.symbols.items()}


def _direction(paper: Paper, held: Held) -> str:
    """The direction that holds what a symbol stands for."""
    if isinstance(held.what, str):
        return held.what
    return next(name for name, meaning in paper.transformer.directions.items()
                if isinstance(meaning, Truth) and meaning.formula is held.what)
