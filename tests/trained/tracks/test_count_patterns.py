"""Patterns of first errors: run over all inputs, each wrong one matches one pattern of its error, and their numbers."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from html import unescape
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained import count_patterns
from certify.claims.trained.count_errors import (
    by_answer,
    by_token,
    count_with_errors_to_json,
    describe_conditions,
    kinds_of_errors,
    tables_of_errors,
    undecided,
)
from certify.claims.trained.count_patterns import Pattern, find_patterns
from certify.claims.trained.count_weights import read_weights
from certify.claims.trained.counting import CountRow, TracksCount, count_tracks
from certify.claims.trained.showing import SHOWN, Shown
from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.claims.trained.word_counting import count_words
from certify.exports.html import page_of
from certify.exports.pages.decision.pages import page_of_decision
from constructions.deadline import NANOSECONDS, time_limit
from constructions.tables import read_toml
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim, all_inputs
from constructions.trained.weights import by_steps
from proofs.enclosures.float_models.model import presets
from tests.trained.test_counts_of_words import of_the_zoo
from tests.trained.tracks.adders import adder, adds, short_claim_text
from tests.trained.tracks.plain_tracks import PlainNetwork
from tests.trained.tracks.random_tracks import random_claim, random_layer
from tests.trained.tracks.test_tracks_counts import DIGITS, DOUBT, ONE, Question, blurred, count

Input = tuple[Column, ...]
Facts = Mapping[str, str]
"""The values of the features of a column, by their names."""


@cache
def five_bits() -> TracksCount:
    network = adder(2, 5, blur=0.5)
    return count_tracks(network, adds(network, 2, 5), workers=ONE)


def first_errors(question: Question) -> dict[Input, tuple[int, int] | None]:
    """Return, for each input, the place of its first error and the token with the greatest logit there."""
    network, claim = question
    (form,), plain = claim.forms, PlainNetwork(network_to_json(network))
    inputs = list(all_inputs(claim, form))
    tokens, among = np.array([claim.tokens(form, one) for one in inputs]), list(claim.among)
    logits, _ = plain.run(tokens[:, :-1], claim.offset)
    found: dict[Input, tuple[int, int] | None] = {}
    for number, one in enumerate(inputs):
        for place in form.asked:
            row = logits[number, place - 1, among]
            assert np.partition(row, -2)[-1] - np.partition(row, -2)[-2] > DOUBT
            if (token := among[int(row.argmax())]) != tokens[number, place]:
                found[one] = place, token
                break
        else:
            found[one] = None
    return found


def of_a_sum(base: int) -> Callable[[Input], Iterator[Facts]]:
    """Return the function that computes the features of the columns of two numbers, by arithmetic."""
    def facts(columns: Input) -> Iterator[Facts]:
        carry = 0
        for a, b in columns:
            total, carry = a + b + carry, int(a + b + carry >= base)
            yield {"a": str(a), "b": str(b), "answer": str(total % base), "then carry": str(carry)}

    return facts


def of_machine(claim: TracksClaim) -> Callable[[Input], Iterator[Facts]]:
    """Return the function that reads the features of the columns off the claim's machine."""
    (form,) = claim.forms
    names = {token: letter for track in claim.tracks for letter, token in zip(track.letters, track.tokens, strict=True)}

    def facts(columns: Input) -> Iterator[Facts]:
        states = claim.states(form, columns)
        for place, column in enumerate(columns):
            step = claim.step(form, place, states[place], column)
            assert step is not None
            yield {**{track.name: track.letters[letter] for track, letter in zip(claim.tracks, column, strict=True)},
                   "answer": names.get(step[1], f"token {step[1]}"), "then state": str(states[place + 1])}

    return facts


def weigh(columns: Iterable[Column]) -> Fraction:
    return prod((DIGITS[track][letter] for column in columns for track, letter in enumerate(column)), start=Fraction(1))


def check_patterns(patterns: Sequence[Pattern], errors: Mapping[Input, tuple[int, int] | None],
                   facts: Callable[[Input], Iterator[Facts]], weight: Callable[[Input], Fraction]) -> None:
    of_columns = {one: list(facts(one)) for one in errors}
    times = Counter[Input]()
    for one in patterns:
        matching = [each for each, found in of_columns.items()
                    if all(found[limit.column][limit.feature] in limit.values for limit in one.conditions)]
        wrong = [each for each in matching if errors[each] == (one.place, one.token)]
        assert one.matching == sum(map(weight, matching)) and one.weight == sum(map(weight, wrong)) > 0
        assert one.example in wrong
        assert all(0 < len(limit.values) < len(limit.among) for limit in one.conditions)
        times.update(wrong)
    assert times == {one: 1 for one, error in errors.items() if error is not None}
    assert [one.weight for one in patterns] == sorted((one.weight for one in patterns), reverse=True)


@pytest.mark.parametrize("blur", [0.7, 1.7])
def test_each_wrong_sum_matches_one_pattern_of_its_error(blur: float) -> None:
    check_patterns(count(blur).patterns, first_errors(blurred(blur)), of_a_sum(3), lambda _: Fraction(1))


def test_patterns_weigh_as_their_inputs_do() -> None:
    network, claim = blurred(1.7)
    one = (Fraction(1),)
    weights = by_steps(claim.all_columns, 3, one, one, lambda _, letters: [(0, 0, weigh([letters]))])
    found = count_tracks(network, claim, workers=ONE, weights=[weights])
    check_patterns(found.patterns, first_errors((network, claim)), of_a_sum(3), weigh)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_machines_have_patterns_of_their_letters_answers_and_states(seed: int) -> None:
    network = random_layer(seed, 1)
    claim = random_claim(seed, network, (0, 1), (2,))
    found = count_tracks(network, claim, workers=ONE)
    assert found.rows[0].is_exact and found.patterns
    check_patterns(found.patterns, first_errors((network, claim)), of_machine(claim), lambda _: Fraction(1))


def test_the_errors_of_a_blurred_adder_have_these_patterns() -> None:
    found = [(one.place - 7, one.token, one.right, describe_conditions(one.conditions), one.weight, one.matching)
             for one in count(1.7).patterns]
    assert found[:5] == [
        (1, 0, (1,), "column 1: answer 1", 243, 243),
        (2, 0, (1, 2), "column 1: answer 2; column 2: answer not 0", 162, 162),
        (2, 0, (1, 2), "column 1: answer 0; column 2: then carry 1, answer not 0", 63, 63),
        (4, 0, (1,), "column 1: answer not 1; column 2: answer 0; column 3: then carry 1, answer 0", 50, 50),
        (3, 0, (1, 2), "column 1: answer not 1; column 2: answer 0; column 3: then carry 1, answer not 0", 46, 46)]
    assert sum(weight for *_, weight, _ in found) == 729 - 51


def test_errors_are_counted_by_answer_and_by_token() -> None:
    found = count(1.7)
    assert [(one.answer, one.tokens) for one in by_answer(found)] == [
        (2, {0: 261}), (1, {0: 243}), (3, {0: 110}), (4, {0: 64})]
    assert by_token(found) == {0: 678} and undecided(found) == 0
    open_one = replace(found, rows=(replace(found.rows[0], most=Fraction(60)),))
    assert undecided(open_one) == 9 and count_with_errors_to_json(open_one)["undecided"] == "9"


def test_patterns_that_differ_only_in_the_column_are_one_kind() -> None:
    kinds = kinds_of_errors(five_bits())
    assert [([one.place - 11 for one in kind.patterns], kind.weight, kind.matching) for kind in kinds] == [
        ([3, 4], 160, 168), ([2], 64, 64), ([5], 40, 44), ([5], 35, 36)]
    (_, answers, _), (title, _, rows) = tables_of_errors(five_bits(), 2)
    assert title == "kinds of first errors (the heaviest 2 of 4): 74.91 % of the inputs that are proved to be wrong"
    assert len(answers) == 4 and rows == [
        ("3 .. 4", "0", "1", "1 column before: then carry 1, answer 0; its column: a 1, b 1", "160", "15.62 %",
         "95.23 %"), ("2", "0", "1", "columns 1 to 2: a 1, b 1", "64", "6.25 %", "100 %")]
    assert len(tables_of_errors(five_bits(), 9)[1][2]) == 4


def test_errors_of_several_numbers_of_columns_may_be_of_one_kind() -> None:
    network = adder(3, 2, blur=1.7)
    claim = tracks_claim_of_table(read_toml(short_claim_text(3, "[1, 2]"), "claim"), "claim", network)
    (_, columns, answers), (_, _, kinds) = tables_of_errors(count_tracks(network, claim, workers=ONE), 2)
    assert [column.name for column in columns] == ["columns", "answer", "at least", "share", "written"]
    assert answers[0] == ("2", "2", "29", "32.22 %", "0 (100 %)")
    assert kinds == [("1 .. 2", "1", "0", "1", "its column: answer 1", "30", "33.33 %", "100 %"),
                     ("2", "2", "0", "1, 2", "column 1: answer 2; column 2: answer not 0", "18", "20 %", "100 %")]


def test_large_machines_have_one_pattern_for_each_error_and_larger_ones_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = count(1.7)
    monkeypatch.setattr(count_patterns, "MOST_STEPS", 0)
    coarse = find_patterns(found.claim, found.certificate, None)
    assert [one.weight for one in coarse] == [261, 243, 110, 64] and coarse[0].matching > 261
    monkeypatch.setattr(count_patterns, "MOST_OF_ALL", 0)
    assert find_patterns(found.claim, found.certificate, None) == []
    bare = replace(found, patterns=())
    assert len(tables_of_errors(bare, 5)) == 1 and "Kinds of errors" not in page_of_decision(bare)


def test_a_network_without_errors_has_no_patterns() -> None:
    network = adder(3, 2)
    found = count_tracks(network, adds(network, 3, 2), workers=ONE)
    assert found.patterns == () and tables_of_errors(found, 5) == [] and undecided(found) == 0
    page = page_of_decision(found)
    assert "Right on exactly 81 of 81 inputs" in page and "First errors" not in page and "What is open" not in page


def test_the_page_has_bounds_errors_kinds_with_an_example_and_what_is_open() -> None:
    (row,), claim = count(1.7).rows, count(1.7).claim
    twice: Any = replace(claim, forms=claim.forms * 2)
    rows = row, replace(row, n=4, most=Fraction(60), errors=(), reason="time is up")
    page = unescape(page_of_decision(replace(count(1.7), rows=rows, claim=twice), "n"))
    assert re.search(r'<td class="prose">column 1: answer 1</td>.*<code[^>]*>a=000 b=001</code>', page)
    assert "certify run n '000 001'" in page and "python -I -S check.pyz n" in page
    assert "9 of 9 kinds: 100 % of the inputs that are proved to be wrong" in page
    assert re.search(r'>4</th><td class="number">9</td><td class="number">1.234 %</td><td [^>]*>time is up', page)
    curve = re.findall(r"<title>(n = .*?)</title>", page)
    assert curve == ["n = 3: 6.99588 %", "n = 4: 6.99588 % to 8.23045 %"]
    assert "What is open" not in page_of_decision(count(1.7)) == count(1.7).html()


def test_the_page_of_a_certificate_of_a_count_is_that_of_the_count(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('letters = { 0 = 3, 2 = "1/2" }', encoding="utf-8")
    network, named = blurred(1.7)
    claim = replace(named, machine=replace(named.machine, variables=()))  # no certificate has their names
    weighed = count_tracks(network, claim, workers=ONE, weights=read_weights(str(tmp_path / "w.toml"), claim))
    words, binary32 = of_the_zoo("tomita_7", 5), presets()["binary32"]
    for found in (weighed, count_words(*words), count_words(*words, run=binary32)):
        assert page_of(found.certificate, "n", "n") == page_of_decision(found, "n")


def test_the_page_of_a_count_of_words_is_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class WordsCount:
        network: TrainedNetwork
        rows: tuple[CountRow, ...]
        verdict: str = "certified"
        run: None = None
        certificate: str = "{}"
        wrong_certificate: None = None

    monkeypatch.setitem(SHOWN, WordsCount, Shown(lambda _: ["how many?"], None, lambda _: "right on some", None, vars))
    rows = tuple(CountRow(n, Fraction(2**n), Fraction(2**n - n), Fraction(2**n - 1)) for n in (1, 2, 3))
    page = page_of_decision(WordsCount(adder(2, 2), rows), "n.cert")
    assert "<h1>Right on some</h1>" in page and "Number of right words" in page and "First errors" not in page
    assert re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)[:3] == ["length", "words", "right on at least"]
    assert "share of right inputs in percent, against length n" in page and "smaller <code>--within" in page


def test_patterns_that_come_too_late_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found, clock = count(1.7), itertools.count()
    monkeypatch.setattr("constructions.deadline._alarm", lambda _: nullcontext())
    monkeypatch.setattr("constructions.deadline.monotonic_ns", lambda: next(clock) * NANOSECONDS)
    with time_limit(4):
        some = find_patterns(found.claim, found.certificate, None)
    assert 0 < len(some) < len(found.patterns)
