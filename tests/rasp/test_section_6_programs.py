"""The programs for the tasks of [SHA] Section 6 against plain searches in strings, on every short word."""

from __future__ import annotations

import itertools

import pytest

from certify.examples import examples_folder
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program


def after_earlier(word: str, end: int, length: int) -> int | None:
    """The last position up to ``end`` (from 0) that follows an earlier occurrence of the last ``length`` symbols."""
    for place in range(end, length - 1, -1):
        if end >= length - 1 and word[place - length : place] == word[end - length + 1 : end + 1]:
            return place
    return None


def predicted(word: str, hops: int, length: int) -> str:
    place: int | None = len(word) - 1
    for _ in range(hops):
        place = None if place is None else after_earlier(word, place, length)
    return "?" if place is None else word[place]


@pytest.mark.parametrize(("name", "hops", "length", "longest"), [
    ("induction_head", 1, 1, 6), ("k_hop_2", 2, 1, 7), ("k_hop_3", 3, 1, 8), ("n_gram", 1, 2, 8),
])
def test_programs_predict_what_followed_last_time(name: str, hops: int, length: int, longest: int) -> None:
    program = parse_program((examples_folder() / "programs" / f"{name}.rasp").read_text(encoding="utf-8"))
    for n in range(1, min(longest, 6 if len(program.alphabet) > 2 else longest) + 1):
        for word in map("".join, itertools.product(program.alphabet, repeat=n)):
            expected = tuple(predicted(word[: end + 1], hops, length) for end in range(n))
            assert run_program(program, word)["out"] == expected, word
