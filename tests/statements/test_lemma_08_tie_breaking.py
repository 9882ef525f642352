from fractions import Fraction

import pytest

from constructions.language.syntax import Symbol
from constructions.network.meanings import Near
from constructions.network.run import embed, scaled_scores
from constructions.network.transformer import Head, Mask
from constructions.regimes import ALL_REGIMES, Regime
from constructions.statements.lemma_08_tie_breaking import TieBrokenHead, TieWinner, add_tie_broken_head
from tests.statements.helpers import new_draft

GAMMA = 3


def tie_broken_head(regime: Regime, side: TieWinner) -> tuple[Head, list[dict[str, Fraction]]]:
    """Return a head that scores 1 at the letter a, and the embedded word aabab."""
    draft = new_draft(regime)
    is_a = draft.embed_truth(Symbol("a"), ["a"])
    plan = TieBrokenHead("head", "Lemma 8", side, {is_a: Fraction(1)}, {"near": {is_a: Fraction(1)}})
    add_tie_broken_head(draft, plan, {"near": Near(Symbol("a"))})
    transformer = draft.finish(Symbol("a"))
    return transformer.layers[0].heads[0], embed(transformer, "aabab")


def sides(regime: Regime) -> list[TieWinner]:
    return [TieWinner.RIGHTMOST] if regime.causal else list(TieWinner)


@pytest.mark.parametrize(("regime", "side"), [(r, s) for r in ALL_REGIMES for s in sides(r)], ids=str)
def test_the_scores_are_those_that_the_lemma_prints(regime: Regime, side: TieWinner) -> None:
    head, stream = tie_broken_head(regime, side)
    n = len(stream)
    for i in range(1, n + 1):
        visible = head.mask.visible(i, n)
        score = {j: Fraction("aabab"[j - 1] == "a") for j in visible}
        if regime.causal:
            expected = [GAMMA * i**2 * (score[j] - Fraction(1, j)) for j in visible]
        else:
            tie = 1 if side is TieWinner.RIGHTMOST else -1
            expected = [2 * GAMMA * n * (score[j] + tie * Fraction(j, 2 * n)) for j in visible]
        assert scaled_scores(head, stream)[i - 1] == expected


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_the_best_score_beats_every_other_by_gamma_times_the_distance(regime: Regime) -> None:
    """The hypothesis of Lemma 6, which is what the proof of Lemma 8 establishes."""
    for side in sides(regime):
        head, stream = tie_broken_head(regime, side)
        for i in range(1, len(stream) + 1):
            scores = scaled_scores(head, stream)[i - 1]
            best = max(range(len(scores)), key=scores.__getitem__)
            for j, score in enumerate(scores):
                assert score <= scores[best] - GAMMA * abs(j - best)


def test_rightmost_heads_look_back_and_leftmost_heads_look_ahead() -> None:
    assert tie_broken_head(Regime(), TieWinner.RIGHTMOST)[0].mask is Mask.FUTURE
    assert tie_broken_head(Regime(), TieWinner.LEFTMOST)[0].mask is Mask.PAST
