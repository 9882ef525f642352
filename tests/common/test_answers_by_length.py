"""Conclusions from the rows of all lengths together are printed once, for every kind of claim."""

from dataclasses import dataclass

import pytest

from certify.common.answer import AnswerByLength


@dataclass(frozen=True)
class Row:
    n: int
    verdict: str


@dataclass(frozen=True)
class Found(AnswerByLength[Row]):
    rows: tuple[Row, ...]


def found(verdicts: str, first: int = 1) -> Found:
    names = {"c": "certified", "v": "vacuous", "u": "unknown", "r": "refuted", "m": "measured"}
    return Found(tuple(Row(n, names[letter]) for n, letter in enumerate(verdicts, start=first)))


@pytest.mark.parametrize("verdicts, verdict, exit_code, certified_to", [
    ("ccc", "certified", 0, 3), ("vcv", "certified", 0, 3), ("vv", "vacuous", 0, 2), ("cuc", "unknown", 3, 1),
    ("ucr", "refuted", 1, None), ("cr", "refuted", 1, 1), ("mm", "measured", 0, None), ("mu", "unknown", 3, None),
])
def test_the_gravest_length_gives_the_verdict(verdicts: str, verdict: str, exit_code: int,
                                              certified_to: int | None) -> None:
    answer = found(verdicts)
    assert (answer.verdict, answer.exit_code, answer.certified_to) == (verdict, exit_code, certified_to)


def test_lengths_are_found_by_their_verdict() -> None:
    answer = found("crcr", first=3)
    assert answer.first("refuted") == Row(4, "refuted") and answer.first("unknown") is None
    assert answer.lengths_that_are("refuted") == [4, 6] and answer.lengths_that_are("vacuous") == []


def test_of_many_rows_those_are_shown_that_tell_something() -> None:
    answer = found("c" * 21 + "r" + "c" * 15)
    assert answer.telling_rows(37) == list(answer.rows)
    assert [row.n for row in answer.telling_rows(36)] == [1, 2, 4, 8, 16, 21, 22, 23, 32, 37]
