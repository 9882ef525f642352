"""The models of examples/hard: their files, their gaps, and what they compute."""

import importlib
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.run import run_hard
from examples.hard import flip_flop, flip_flop_small_gap, mixed_masks, tied, tied_rightmost, uniform
from proofs.softened.survey import survey_words
from tests.softened.small_models import gap_by_hand

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "hard"
MODELS = sorted(path.stem for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("stem", MODELS)
def test_each_model_file_is_what_its_script_writes(stem: str) -> None:
    model = importlib.import_module(f"examples.hard.{stem}").build()
    assert (FOLDER / f"{stem}.json").read_text(encoding="utf-8") == write_canonical(transformer_to_json(model))


def test_each_script_has_its_model_file() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted([*MODELS, "writing"])


@pytest.mark.parametrize("n", range(2, 8))
def test_gaps_are_exact(n: int) -> None:
    def gap(model: object) -> Fraction:
        found = survey_words(model.build(), n).gap  # type: ignore[attr-defined]
        assert found
        return found.value

    assert [gap(flip_flop), gap(flip_flop_small_gap), gap(mixed_masks)] == [
        Fraction(1, n), Fraction(1, n * n), Fraction(1, n)]


def test_gaps_of_short_words_are_those_of_brute_force() -> None:
    for model in (flip_flop, flip_flop_small_gap, mixed_masks):
        assert gap_by_hand(model.build(), 1) is None
        found = survey_words(model.build(), 3).gap
        assert found and found.value == gap_by_hand(model.build(), 3)


def test_one_position_has_no_gap_and_uniform_heads_have_none() -> None:
    assert [survey_words(model.build(), 1).gap for model in (flip_flop, mixed_masks, tied)] == [None] * 3
    assert [survey_words(uniform.build(), n).gap for n in (1, 2, 5)] == [None] * 3


def test_without_a_tie_breaking_term_two_writes_tie() -> None:
    averaged, found = survey_words(tied.build(), 2), survey_words(tied_rightmost.build(), 2)
    assert averaged.tie is None and averaged.averaged == found.tie
    assert found.gap is None and found.tie and (found.tie.word, found.tie.i) == (("0", "0"), 2)
    assert [gap.value for n in range(2, 7) if (gap := survey_words(tied.build(), n).gap)] == [1] * 5


def test_writes_that_tie_are_averaged_or_the_last_one_is_taken() -> None:
    for word in product("01-", repeat=4):
        shares, last = ([vector["last bit"] for vector in run_hard(model.build(), word)]
                        for model in (tied, tied_rightmost))
        for i in range(1, 5):
            writes = "".join(word[:i]).replace("-", "")
            assert shares[i - 1] == (Fraction(writes.count("1"), len(writes)) if writes else 0)
            assert last[i - 1] == (writes[-1:] == "1")


def test_the_flip_flop_returns_the_last_write() -> None:
    for word in product("01-", repeat=4):
        held = [vector["last bit"] for vector in run_hard(flip_flop.build(), word)]
        assert held == ["".join(word[:i]).replace("-", "")[-1:] == "1" for i in range(1, 5)]


def test_the_mixed_model_says_whether_the_last_position_without_a_mark_ahead_exists_and_marks_anywhere() -> None:
    for word in product("01", repeat=4):
        found = run_hard(mixed_masks.build(), word)
        assert [vector["is ahead"] for vector in found] == ["1" in word[i:] for i in range(4)]
        assert [vector["share"] for vector in found] == [
            Fraction(sum("1" in word[j:] for j in range(i)), i) for i in range(1, 5)]
