"""Progress, on a terminal and elsewhere; and plans of shards, which cover every word once."""

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.common.shards import (
    ShardsProgress,
    ShardsState,
    plan_prefixes,
    prefixes,
    steps_per_word,
    steps_per_word_of_many,
)
from certify.common.shards.planning import MAX_SHARDS, STEPS_PER_SHARD
from constructions.language.expressions import parse_expression
from constructions.network.transformer import FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting


def at(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
    ticks = iter(seconds)
    for module in ("certify.common.progress", "certify.common.shards.progress"):
        monkeypatch.setattr(f"{module}.monotonic", lambda: next(ticks))


def test_elsewhere_than_on_a_terminal_there_are_lines(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    at(monkeypatch, 0, 0, *[0.5] * 3, *[20] * 3, *[50] * 3)
    with ShardsProgress("survey", "words") as progress:
        for done in (1, 2, 5):
            progress(ShardsState(done, 10, 0, 0, 100 * done, 1000, 0))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ("certify: 20 s: survey: 2 of 10 shards done, 10 words/s, about 80 s more at this rate\n"
                            "certify: 50 s: survey: 5 of 10 shards done, 10 words/s, about 50 s more at this rate\n")


def test_nothing_is_foretold_of_parts_whose_sizes_are_guesses_nor_of_work_that_is_done(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    at(monkeypatch, 0, 0, *[20] * 3, *[97] * 3, 0, 0, *[97] * 3)
    with ShardsProgress("searching", "parts", "parts") as progress:
        progress(ShardsState(2, 3, 0, 0, 100, 101, 0))
        progress(ShardsState(3, 3, 0, 0, 101, 101, 0))
    with ShardsProgress("survey", "words") as progress:
        progress(ShardsState(3, 3, 0, 0, 101, 101, 0))
    assert capsys.readouterr().err == ("certify: 20 s: searching: 2 of 3 parts done, 0.1 parts/s\n"
                                       "certify: 97 s: searching: 3 of 3 parts done, 0.031 parts/s\n"
                                       "certify: 97 s: survey: 3 of 3 shards done, 1 words/s\n")


def test_nothing_is_foretold_before_each_worker_has_done_some(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If one of two tasks begun together is done first, it does not report the other."""
    at(monkeypatch, 0, 0, *[20] * 3, *[40] * 3)
    with ShardsProgress("survey", "words") as progress:
        progress(ShardsState(1, 10, 0, 0, 100, 1000, 0, workers=2))
        progress(ShardsState(4, 10, 0, 0, 400, 1000, 0, workers=2))
    assert capsys.readouterr().err == (
        "certify: 20 s: survey: 1 of 10 shards done, 5 words/s\n"
        "certify: 40 s: survey: 4 of 10 shards done, 10 words/s, about 60 s more at this rate\n")


def test_on_a_terminal_there_is_a_bar_which_is_gone_at_the_end(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ShardsProgress("survey [bold]") as progress:
        progress(ShardsState(4, 10, 4, 1, 4, 10, 4))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "survey [bold]" in captured.err
    assert "4 of 10 shards done (4 found on disk, 1 damaged file done again)" in captured.err
    assert captured.err.endswith("\x1b[2K")  # the line is cleared


def test_the_bar_goes_away_when_work_is_interrupted(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(KeyboardInterrupt), ShardsProgress("survey") as progress:
        progress(ShardsState(4, 10, 0, 0, 4, 10, 0))
        raise KeyboardInterrupt
    assert "\x1b[?25h" in capsys.readouterr().err  # the cursor is back


@given(st.integers(1, 50), st.integers(1, 200), st.integers(1, 10**12))
def test_shards_are_as_short_as_asked_or_there_are_as_many_as_allowed(size: int, n: int, weight: int) -> None:
    length = plan_prefixes(size, n, weight)
    assert 0 <= length <= n and size**length <= MAX_SHARDS
    if size ** (n - length) * weight > STEPS_PER_SHARD:
        assert size == 1 or length == n or size ** (length + 1) > MAX_SHARDS
    if length:
        assert size ** (n - length + 1) * weight > STEPS_PER_SHARD  # and no shorter than needed


@given(st.integers(1, 3), st.integers(0, 5), st.data())
def test_every_word_begins_with_one_prefix_of_the_plan(size: int, n: int, data: Any) -> None:
    length = data.draw(st.integers(0, n))
    alphabet = "abc"[:size]
    words = [prefix + rest for prefix in prefixes(alphabet, length)
             for rest in itertools.product(alphabet, repeat=n - length)]
    assert words == list(itertools.product(alphabet, repeat=n))


def test_the_steps_of_a_word_are_those_of_its_positions_and_pairs() -> None:
    one = Fraction(1)
    head = Head("h", "", Mask.NONE, Weighting.AVERAGE_HARDMAX, parse_expression("1"), queries=({"a": one, "b": one},),
                keys=({"a": one},), values={"c": {"a": one, "b": one, "d": one}})
    unit = Unit({"c": one}, one, {"d": one, "e": one})
    transformer = Transformer(("0",), {}, {}, {}, (Layer((head,), FeedForward((unit, unit))), Layer()), "e")
    # 2 + 1 + 3 of the head and 2 (1 + 2) of the units at a position; a score and a value for two positions
    assert [steps_per_word(transformer, n) for n in (1, 2, 10)] == [12 + 2, 24 + 8, 120 + 200]
    assert steps_per_word(replace(transformer, layers=()), 10) == 1


def test_words_of_many_share_the_layers_that_look_to_the_left_only() -> None:
    one = Fraction(1)
    head = Head("h", "", Mask.FUTURE, Weighting.AVERAGE_HARDMAX, parse_expression("1"), queries=({"a": one},),
                keys=({"a": one},), values={"c": {"a": one}})
    causal, other = Layer((head,)), Layer((replace(head, mask=Mask.NONE),))
    # 3 at a position, and 2 for each of n positions that it sees; the first layer at 3/2 positions of a word
    three = Transformer(("0", "1", "2"), {}, {}, {}, (causal, other, causal), "c")
    assert [steps_per_word_of_many(three, n) for n in (1, 10)] == [7 + 10, 34 + 460]
    assert steps_per_word_of_many(replace(three, alphabet=("0",)), 10) == 3 * 230 == steps_per_word(three, 10)
