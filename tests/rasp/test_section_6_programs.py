"""The programs for the tasks of [SHA] Section 6 against plain searches in strings, on every short word."""

from __future__ import annotations

import itertools
from collections.abc import Callable

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


def hopped(word: str, hops: int) -> int | None:
    place: int | None = len(word) - 1
    for _ in range(hops):
        place = None if place is None else after_earlier(word, place, 1)
    return place


def looked_up(word: str) -> int | None:
    place = after_earlier(word, len(word) - 1, 2)
    return after_earlier(word, len(word) - 1, 1) if place is None else place


@pytest.mark.parametrize(("name", "find"), [
    ("induction_head", lambda word: hopped(word, 1)), ("k_hop_2", lambda word: hopped(word, 2)),
    ("k_hop_3", lambda word: hopped(word, 3)), ("n_gram", looked_up),
])
def test_programs_predict_what_followed_last_time(name: str, find: Callable[[str], int | None]) -> None:
    program = parse_program((examples_folder() / "programs" / f"{name}.rasp").read_text(encoding="utf-8"))
    for n in range(1, 6):
        for word in map("".join, itertools.product(program.alphabet, repeat=n)):
            places = [find(word[: end + 1]) for end in range(n)]
            expected = tuple("?" if place is None else word[place] for place in places)
            assert run_program(program, word)["out"] == expected, word
