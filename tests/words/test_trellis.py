"""Trellises against all words: the sequences of truths along paths are those of the semantics."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula
from proofs.words.pairs_of_runs import TooMuchWork, Work
from proofs.words.trellis import Trellis, Trellises
from tests.numbers.sensitivity.test_truths import random_formula

NO_WORK = 10


def paths(trellis: Trellis, state: int | None = None) -> Iterator[tuple[int, ...]]:
    if not trellis.layers:
        yield ()
        return
    for edge in trellis.layers[0]:
        if state in (None, edge.before):
            yield from ((edge.truths, *rest) for rest in paths(Trellis(trellis.layers[1:]), edge.after))


def truths_of(word: tuple[str, ...], formulas: list[Formula]) -> tuple[int, ...]:
    one, other = (truth_values(formula, word) for formula in formulas)
    return tuple(first + 2 * second for first, second in zip(one, other, strict=True))


def word_with(trellis: Trellis, wanted: tuple[int, ...]) -> tuple[str, ...] | None:
    return trellis.word(0, lambda _, j, truths: 0 if truths == wanted[j - 1] else None, Work())


def test_paths_are_the_truths_of_words_and_each_has_its_word() -> None:
    draw = random.Random(3)
    for _ in range(40):
        formulas = [parse_formula(random_formula(draw, 2)) for _ in range(2)]
        trellises = Trellises(formulas, "ab", Work())
        for n in (1, 2, 4):
            found = set(paths(trellises.of(n)))
            assert found == {truths_of(word, formulas) for word in product("ab", repeat=n)}
            for wanted in found:
                word = word_with(trellises.of(n), wanted)
                assert word is not None and truths_of(word, formulas) == wanted


def test_a_word_with_a_count() -> None:
    trellis = Trellises([parse_formula("prev Q_a")], "ab", Work()).of(6)
    word = trellis.word(0, lambda before, _, truths: before + truths, Work(), lambda count: count == 5)
    assert word is not None and sum(truth_values(parse_formula("prev Q_a"), word)) == 5
    assert trellis.word(0, lambda before, _, truths: before + truths, Work(), lambda count: count == 6) is None


def test_nothing_is_found_beyond_the_budget() -> None:
    with pytest.raises(TooMuchWork):
        Trellises([parse_formula("#<[Q_a] > #>[prev Q_b]")], "ab", Work(NO_WORK)).of(12)
