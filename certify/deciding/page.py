"""The page of a decision: margin against length, the word that matters most with the attention on it, its neighbours.

The page loads nothing (its Content-Security-Policy forbids it) and has no script; every text of a stranger is escaped.
Pictures and neighbours are evidence in floating point; what is certified or refuted was proved elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jinja2 import Environment

from certify.deciding.curve import Point, draw_curve
from certify.deciding.decision import Decision, LengthRow
from certify.deciding.show import describe_question, describe_verdict, describe_wrong, show_row
from certify.pages.base.page import open_templates, read_parts
from certify.showing.numbers import enclosed
from certify.showing.words import show_word
from constructions.trained.claim import input_tokens
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import WordMargins

MOST_PICTURED = 80
"""Of a longer input no pictures of attention are drawn."""
MOST_NEIGHBOURS = 400


@dataclass(frozen=True)
class Word:
    """A word on the page: the wrong one, or the one with the smallest margin that was seen."""

    letters: tuple[str, ...]
    offset: int
    place: int


@dataclass(frozen=True)
class Picture:
    """What a head attends to: rows are tokens that read, columns tokens that are read."""

    step: int
    head: int
    weights: list[list[float]]


@dataclass(frozen=True)
class Neighbour:
    """The word with one letter changed, and the least margin of all places of it."""

    place: int
    letters: str
    margin: float


def render_page(decision: Decision) -> str:
    """The whole page."""
    environment = _environment()
    word = chosen_word(decision)
    return environment.get_template("decision.html").render(
        decision=decision, question=describe_question(decision), verdict=describe_verdict(decision), word=word,
        wrong=describe_wrong(decision, decision.wrong) if decision.wrong else None,
        curve=draw_curve([_point(row) for row in decision.rows]),
        labels=_labels(decision, word) if word else [],
        pictures=_pictures(decision, word) if word else [],
        neighbours=find_neighbours(decision, word) if word else [],
        style=read_parts(environment, ("base.css",)))


def _environment() -> Environment:
    environment = open_templates("certify.deciding")
    environment.filters |= {"form": show_row, "word": show_word, "value": lambda wrong: enclosed(*wrong.value)}
    return environment


def chosen_word(decision: Decision) -> Word | None:
    """The shortest wrong word, or the one with the smallest margin."""
    if wrong := decision.wrong:
        return Word(wrong.word, wrong.offset, wrong.place)
    seen = min((row.seen for row in decision.rows if row.seen), key=lambda seen: seen.value, default=None)
    return Word(seen.word, seen.offset, seen.place) if seen else None


def find_neighbours(decision: Decision, word: Word) -> list[Neighbour]:
    """All words with one letter changed, as floats see them, by margin."""
    claim = decision.claim
    letters = np.array(claim.letters(word.letters), dtype=np.intp)
    changed = [(place, letter) for place in range(len(letters)) for letter in range(len(claim.alphabet))
               if letter != letters[place]][:MOST_NEIGHBOURS]
    if not changed:
        return []
    words = np.tile(letters, (len(changed), 1))
    for row, (place, letter) in enumerate(changed):
        words[row, place] = letter
    margins = WordMargins(FloatNetwork(decision.network), claim).margins(words, word.offset).min(axis=(1, 2))
    found = [Neighbour(place + 1, show_word(claim.alphabet[letter] for letter in words[row]), float(margins[row]))
             for row, (place, _) in enumerate(changed)]
    return sorted(found, key=lambda one: (one.margin, one.place))


def _pictures(decision: Decision, word: Word) -> list[Picture]:
    tokens = np.array(input_tokens(decision.claim, word.letters), dtype=np.intp)
    if len(tokens) > MOST_PICTURED:
        return []
    attention = FloatNetwork(decision.network).attention(tokens, word.offset)
    return [Picture(step, head, weights.tolist())
            for step, heads in enumerate(attention, start=1) for head, weights in enumerate(heads, start=1)]


def _labels(decision: Decision, word: Word) -> list[str]:
    """What stands beside the tokens: letters, and the numbers of the tokens around the word."""
    claim = decision.claim
    return [*map(str, claim.before), *word.letters, *map(str, claim.after)]


def _point(row: LengthRow) -> Point:
    if row.wrong:
        return Point(row.n, float(row.wrong.value[1]), None, row.verdict)
    return Point(row.n, row.seen.value if row.seen else None, row.bound, row.verdict)
