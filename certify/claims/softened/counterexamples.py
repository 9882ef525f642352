"""Counterexamples to softening: a tie, with its scores, or a replayed word whose result moves too far."""

from dataclasses import replace
from fractions import Fraction

from certify.claims.softened.results import Moved, Tie
from certify.claims.softened.words import likely_words
from constructions.errors import InternalError
from constructions.language.expressions import Expression, parse_expression
from constructions.network.run import run_hard, scaled_scores
from constructions.network.transformer import Transformer
from proofs.softened.findings import Survey
from proofs.softened.gap import Word
from proofs.softened.search import find_departure


def describe_tie(transformer: Transformer, survey: Survey) -> Tie:
    """Return the tie that a survey found, from an exact run of the layers below it.

    Raises:
        InternalError: if that run does not tie.
    """
    tie = survey.tie
    assert tie
    head = transformer.head(tie.layer, tie.head)
    stream = run_hard(replace(transformer, layers=transformer.layers[: tie.layer - 1]), tie.word)
    scores = scaled_scores(head, stream)[tie.i - 1]
    visible = head.mask.visible(tie.i, len(tie.word))
    best = max(scores)
    winners = tuple(j for j, score in zip(visible, scores, strict=True) if score == best)
    if len(winners) == 1:
        raise InternalError(f"a survey found a tie on {tie.word} that an exact run does not find")
    return Tie(tie.word, tie.i, tie.layer, tie.head, head.name, best, winners)


def find_moved(transformer: Transformer, survey: Survey, n: int, temperature: Expression) -> Moved | None:
    """Find a word of length n whose result provably moves by more than 1/4 at this temperature.

    If it is irrational, the search rounds ln and sqrt down, and the replay encloses them.
    """
    rounded = temperature.evaluate(n=n)
    found = find_departure(transformer, temperature, likely_words(transformer, n, rounded, seeds(survey)))
    return Moved(found.word, found.i, found.norm, rounded) if found else None


def seeds(survey: Survey) -> list[Word]:
    """Return the words where the search begins."""
    return [survey.gap.word] if survey.gap else []


def replay(transformer: Transformer, temperature: Fraction, words: list[Word]) -> Moved | None:
    """Return the first of the words whose result provably moves by more than 1/4; None if there is none."""
    found = find_departure(transformer, parse_expression(str(temperature)), words)
    return Moved(found.word, found.i, found.norm, temperature) if found else None
