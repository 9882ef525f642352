"""Errors of the printed construction: the shortest words, by exhaustive search with exact hard attention."""

import itertools
from collections.abc import Iterator

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.meanings import Anything, Others, Product
from constructions.network.run import run_hard
from constructions.network.transformer import Mask, Transformer
from constructions.regimes import Regime, Sharpening

THEOREM_20A, THEOREM_20B, THEOREM_21 = Regime(), Regime(Sharpening.POSITION), Regime(causal=True)
COMPARISONS = ["#<[Q_a] >= 1", "#<[Q_a] - #<[Q_b] >= 0", "2*#<[Q_a] + #<[prev Q_a] != 3"]


def as_printed(text: str, regime: Regime) -> Transformer:
    return compile_formula(parse_formula(text), "ab", regime, as_printed=True)


def misses(text: str, regime: Regime, max_n: int) -> Iterator[tuple[str, int]]:
    """Words and positions, shortest first, where the output is not the truth."""
    transformer, formula = as_printed(text, regime), parse_formula(text)
    for n in range(1, max_n + 1):
        for word in map("".join, itertools.product("ab", repeat=n)):
            held = [vector.get(transformer.output, 0) for vector in run_hard(transformer, word)]
            yield from ((word, i) for i, truth in enumerate(truth_values(formula, word), 1) if held[i - 1] != truth)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("regime", [THEOREM_20A, THEOREM_20B], ids=str)
@pytest.mark.parametrize(
    ("text", "word"), [("#<[Q_a] >= 1", "a"), ("#>[Q_a] >= 1", "a"), ("#<[Q_a] - #<[Q_b] >= 0", "b")])
def test_theorem_20_takes_a_count_of_1_for_0_on_words_of_one_position_and_nowhere_else(
        text: str, word: str, regime: Regime) -> None:
    assert list(misses(text, regime, 6)) == [(word, 1)]


def test_theorem_21_takes_a_count_of_1_for_0_at_the_first_position_of_every_word_that_begins_with_it() -> None:
    found = list(misses("#<[Q_a] >= 1", THEOREM_21, 5))
    assert found[:3] == [("a", 1), ("aa", 1), ("ab", 1)]
    assert {position for _, position in found} == {1}
    assert len(found) == sum(2 ** (n - 1) for n in range(1, 6))


@pytest.mark.parametrize("regime", [THEOREM_20A, THEOREM_20B, THEOREM_21], ids=str)
@pytest.mark.parametrize("name", ["ODD", "EVEN", "POW2"])
def test_a_predicate_on_a_count_of_0_is_answered_for_1(name: str, regime: Regime) -> None:
    """So the network of [SHA]'s own example, PARITY = ODD(#<[Q_1]), accepts the word 0 (here: b)."""
    found = list(misses(f"{name}(#<[Q_a])", regime, 5))
    assert found[:2] == [("b", 1), ("ba", 1)]
    assert all("a" not in word[:position] for word, position in found)
    assert len(found) == 57


@pytest.mark.parametrize("regime", [THEOREM_20A, THEOREM_20B, THEOREM_21], ids=str)
@pytest.mark.parametrize("name", ["SQUARE", "PRIME"])
def test_a_predicate_that_agrees_on_0_and_1_is_right_as_printed(name: str, regime: Regime) -> None:
    assert list(misses(f"{name}(#<[Q_a])", regime, 5)) == []


@pytest.mark.one_in(6)
@pytest.mark.parametrize("regime", [THEOREM_20A, THEOREM_20B], ids=str)
@pytest.mark.parametrize("text", COMPARISONS)
def test_on_longer_words_the_printed_comparisons_are_right(text: str, regime: Regime) -> None:
    assert all(len(word) == 1 for word, _ in misses(text, regime, 6))


def test_the_lookups_are_those_of_the_text() -> None:
    """3C/i times 2κj - j², and 2(κ+1)j - j²; values j; unmasked for Theorem 20 and future-masked for Theorem 21."""
    for regime, mask in ((THEOREM_20A, Mask.NONE), (THEOREM_21, Mask.FUTURE)):
        heads = [head for _, _, head in as_printed("2*#<[Q_a] >= 1", regime).heads() if head.name != "uniform"]
        assert [head.mask for head in heads] == [mask, mask]
        assert [list(head.values.values()) for head in heads] == [[{"i": 1}], [{"i": 1}]]
        assert [head.queries for head in heads] == [({"mean[#<[Q_a]]": 6}, {"1/i": 6})] * 2
        assert [head.keys for head in heads] == [({"i": 2}, {"i^2": -1}), ({"i": 2}, {"i": 2, "i^2": -1})]


def test_directions_without_an_honest_meaning_state_nothing() -> None:
    meanings = as_printed("2*#<[Q_a] >= 1", THEOREM_20A).directions
    assert [name for name, meaning in meanings.items() if meaning == Anything()] == [
        "first[#<[Q_a]] for 2", "second[#<[Q_a]] for 2", "positive[#<[Q_a]] for 2", "slack[2*#<[Q_a] >= 1]"]
    assert not any(isinstance(meaning, Others | Product) for meaning in meanings.values())


def test_what_does_not_count_is_the_same_as_shipped() -> None:
    formula = parse_formula("Q_a since prev (Q_b until ODD)")
    assert compile_formula(formula, "ab", Regime(), as_printed=True) == compile_formula(formula, "ab", Regime())
