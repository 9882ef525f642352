"""Sparsemax at the gap computes exactly what average-hard attention does, ties included: every word, exactly."""

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from certify.claims.softened.pipeline import soften_model
from constructions.language.expressions import parse_expression
from constructions.network.run import Residual, embed, run_hard
from constructions.network.transformer import Head, Transformer, combine
from constructions.network.weightings import Weighting
from constructions.statements.sparse_attention import exact_temperature, law_of_exact_gaps
from examples.hard import flip_flop, tied, tied_rightmost
from proofs.check import Rejected, check_text
from proofs.softened.survey import survey_words
from tests.softened.random_models import tied_transformers, tieless_transformers

N = 3
MODELS = 20


@cache
def models() -> list[Transformer]:
    return [*tied_transformers(10, N), *tied_transformers(5, N, 3), *tieless_transformers(5, N)]


def sparsemax(scores: Sequence[Fraction]) -> list[Fraction]:
    """Return the nearest point of the simplex: the k greatest scores, less a threshold, for the greatest possible k."""
    ordered = sorted(scores, reverse=True)
    k = max(k for k in range(1, len(ordered) + 1) if 1 + k * ordered[k - 1] > sum(ordered[:k]))
    threshold = (sum(ordered[:k], Fraction(0)) - 1) / k
    return [max(score - threshold, Fraction(0)) for score in scores]


def attended(head: Head, stream: Sequence[Residual], i: int, temperature: Fraction) -> Residual:
    seen = [stream[j - 1] for j in head.mask.visible(i, len(stream))]
    weights = sparsemax([sum((combine(q, stream[i - 1]) * combine(k, at) for q, k in
                              zip(head.queries, head.keys, strict=True)), Fraction(0)) / temperature for at in seen])
    return {name: sum((w * combine(row, at) for w, at in zip(weights, seen, strict=True)), Fraction(0))
            for name, row in head.values.items()}


def plus(*parts: Residual) -> Residual:
    total: dict[str, Fraction] = {}
    for part in parts:
        for name, x in part.items():
            total[name] = total.get(name, Fraction(0)) + x
    return total


def run_sparsemax(transformer: Transformer, word: Sequence[str], temperature: Fraction) -> list[Residual]:
    stream: list[Residual] = list(embed(transformer, word))
    for layer in transformer.layers:
        after = [plus(vector, *(attended(head, stream, i, temperature) for head in layer.heads))
                 for i, vector in enumerate(stream, start=1)]
        stream = [plus(vector, dict(layer.feedforward.bias), *(
            {name: weight * max(combine(unit.reads, vector) + unit.bias, Fraction(0))
             for name, weight in unit.writes.items()} for unit in layer.feedforward.units)) for vector in after]
    return stream


def moves(transformer: Transformer, n: int, temperature: Fraction) -> bool:
    """Return whether sparsemax differs anywhere on some word."""
    def clean(stream: Sequence[Residual]) -> list[Residual]:
        return [{name: x for name, x in vector.items() if x} for vector in stream]

    return any(clean(run_hard(transformer, word)) != clean(run_sparsemax(transformer, word, temperature))
               for word in product(transformer.alphabet, repeat=n))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("place", range(MODELS))
def test_at_the_gap_no_word_is_moved_at_all(place: int) -> None:
    gap = survey_words(models()[place], N).gap
    assert gap and not moves(models()[place], N, gap.value) and not moves(models()[place], N, gap.value / 7)


def test_beyond_the_gap_some_are() -> None:
    gaps = [gap.value for model in models() if (gap := survey_words(model, N).gap)]
    assert sum(moves(model, N, 30 * gap) for model, gap in zip(models(), gaps, strict=True)) >= 5
    assert moves(flip_flop.build(), 2, Fraction(501, 1000)) and not moves(flip_flop.build(), 2, Fraction(1, 2))


@pytest.mark.parametrize("weighting, expected", [(Weighting.SPARSEMAX, "1/n"), (Weighting.ENTMAX, "1/(2*n)")])
def test_the_flip_flop_is_certified_at_its_gap_times_alpha_less_1(weighting: Weighting, expected: str) -> None:
    found = soften_model(flip_flop.build(), 4, weighting=weighting)
    assert (found.verdict, str(found.temperature)) == ("certified", expected) and found.certificate
    data = json.loads(found.certificate)
    assert data["claim"]["weighting"] == weighting and data["errors"] == [[{}, {}]] * 4
    check_text(found.certificate.encode())


@pytest.mark.parametrize("place", range(0, MODELS, 4))
def test_random_models_are_certified(place: int) -> None:
    found = soften_model(models()[place], N, weighting=Weighting.SPARSEMAX)
    assert found.verdict == "certified"
    assert found.temperature == exact_temperature(Weighting.SPARSEMAX, law_of_exact_gaps(
        {row.n: row.survey.gap.value if row.survey.gap else None for row in found.lengths}))


def test_a_temperature_above_the_gap_is_not_certified_nor_accepted() -> None:
    found = soften_model(flip_flop.build(), 3, parse_expression("1/2"), weighting=Weighting.SPARSEMAX)
    assert (found.verdict, found.certificate) == ("unknown", None)
    assert found.reason.startswith("at n = 3 the temperature is 1/2, expected at most 1 times the gap, 1/3")
    good = soften_model(flip_flop.build(), 3, weighting=Weighting.SPARSEMAX).certificate
    assert good
    with pytest.raises(Rejected):
        check_text(good.replace('"temperature": "1/n"', '"temperature": "1/2"').encode())


def test_ties_are_averaged_and_those_of_one_side_refuted_or_broken() -> None:
    assert soften_model(tied.build(), 3, weighting=Weighting.SPARSEMAX).verdict == "certified"
    assert soften_model(tied_rightmost.build(), 3, weighting=Weighting.SPARSEMAX).verdict == "refuted"
    broken = soften_model(tied_rightmost.build(), 3, weighting=Weighting.SPARSEMAX, breaks_ties=True)
    assert (broken.verdict, str(broken.temperature)) == ("certified", "1/(2*n)")
