"""All words at once find what words one by one do: in surveys, and in the checker."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from constructions.language.expressions import parse_expression
from constructions.network.transformer import Mask, Transformer
from proofs.check.checker.chapters.softened import shards as checking
from proofs.check.checker.kernel.verdicts import Refusal
from proofs.checking import shards as in_shards
from proofs.checking.shards import ShardResult, check_shard, read_softened_text
from proofs.softened import prefix_automaton, score_profiles
from proofs.softened import survey as surveying
from proofs.softened.certificate import seal_softened
from proofs.softened.errors import find_errors
from proofs.softened.prefix_automaton import PrefixAutomaton, TooManyStates, first_automaton, number_of_words, run_layer
from proofs.softened.stack import Stack
from proofs.softened.survey import survey_words
from tests.softened.random_models import tied_transformers, tieless_transformers

Models = Callable[..., Iterator[Transformer]]
CAUSAL = (Mask.FUTURE,)
COLD = "1/(2^20)"


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise TooManyStates

    monkeypatch.setattr(surveying, "_run_together", never)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("most", [1, 20, 2000])
@pytest.mark.parametrize("models", [tieless_transformers, tied_transformers])
def test_surveys_are_the_same(models: Models, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_profiles, "MAX_PROFILES", most)
    check_surveys(list(models(25 if models is tieless_transformers else 10, 4, masks=CAUSAL)), monkeypatch)


def check_surveys(models: list[Transformer], monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes = [((), model.alphabet[-1:], model.alphabet[1::-1]) for model in models]
    together = [[survey_words(model, 4, prefix).to_json() for prefix in some]
                for model, some in zip(models, prefixes, strict=True)]
    one_by_one(monkeypatch)
    assert together == [[survey_words(model, 4, prefix).to_json() for prefix in some]
                        for model, some in zip(models, prefixes, strict=True)]


def test_words_with_too_little_in_common_are_run_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    models = list(tieless_transformers(5, 4, layers=3, masks=CAUSAL))
    expected = [survey_words(model, 4) for model in models]
    for name in ("MAX_STATES", "LEAST_ROOM"):
        with monkeypatch.context() as patch:
            patch.setattr(prefix_automaton, name, 1)
            patch.setattr(prefix_automaton, "ROOM_PER_WORD", 0 if name == "LEAST_ROOM"
                          else prefix_automaton.ROOM_PER_WORD)
            assert [survey_words(model, 4) for model in models] == expected


def test_a_course_has_every_word_once() -> None:
    for model in tieless_transformers(10, 3, masks=CAUSAL):
        stack = Stack(model, 3)
        automaton: PrefixAutomaton = first_automaton(stack.starts, [1])
        for layer in stack.layers:
            assert number_of_words(automaton) == len(model.alphabet) ** 2
            automaton = run_layer(layer, automaton)
        assert number_of_words(automaton) == len(model.alphabet) ** 2


def sealed(model: Transformer, n: int, temperature: str) -> str:
    """Return a certificate with the errors that the surveys give, whether or not they are small."""
    surveys, tau = [survey_words(model, k) for k in range(1, n + 1)], parse_expression(temperature)
    errors = [find_errors(model, survey, survey.n, tau.evaluate(n=survey.n)) for survey in surveys]
    return seal_softened(model, n, tau, [survey.gap.value if survey.gap else None for survey in surveys], errors)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("temperature", [COLD, "1/(20*n)"])
def test_the_checker_finds_the_same(temperature: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods agree if nothing is refused; a refusal always comes from single words."""
    texts = [sealed(model, 3, temperature) for model in tieless_transformers(25, 3, masks=CAUSAL)]
    together = [found(text) for text in texts]
    with monkeypatch.context() as patch:
        patch.setattr(checking, "run_one_by_one", lambda *_: checking.NOTHING)
        assert sum(found(text) != (0, None, 0) for text in texts) >= 5
    monkeypatch.setattr(checking, "count_shared", lambda _: -1)
    monkeypatch.setattr(in_shards, "spend_on_words", lambda *_: None)
    assert [found(text) for text in texts] == together
    assert sum(isinstance(one, tuple) for one in together) >= 5


def found(text: str) -> tuple[int, Fraction | None, int] | str:
    """Return the survey of words of length 3, or the reason of the refusal."""
    try:
        one: ShardResult = check_shard(read_softened_text(text.encode()), 3, ())
    except Refusal as refusal:
        return str(refusal)
    return one.words, one.gap, one.vectors
