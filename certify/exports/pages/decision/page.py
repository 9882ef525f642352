"""The page of a decision: verdict and claim, margin against length, a word and the attention on it.

Pictures and neighbours are evidence in floating point; what is certified or refuted was proved elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from certify.asking.run_command import RunCommand
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.commands import check_alone_command, checker_digest, write_checker_command
from certify.exports.pages.certificate.grids import draw_grid
from certify.exports.pages.decision.curve import Point, draw_curve
from certify.exports.pages.decision.neighbours import find_neighbours
from certify.frame.numbers import enclosed
from certify.frame.words import show_word, type_word
from certify.trained.decision import Decision, LengthRow
from certify.trained.show import (
    cut_word,
    describe_claim,
    describe_verdict,
    describe_wrong,
    show_letters_read,
    show_numbers,
    show_row,
)
from constructions.language.printer import format_formula
from constructions.text import printable
from constructions.trained.claim import When, input_tokens
from proofs.trained.forward import FloatNetwork

MOST_PICTURED = 80
"""Of a longer input no pictures of attention are drawn."""
MOST_DRAWN = 120_000
"""Of the heads so many characters of pictures are drawn: the page is to stay below 300 kB."""
MOST_ROWS = 256
MOST_NEIGHBOURS = 40
MOST_CASES = 64
FEW_CASES = 4
"""So many cases are said at the top, too."""
BEFORE, AFTER = "⊢", "⊣"
"""What pictures call the tokens that the claim puts around every word."""
LONGEST_COMMAND = 3000
OPEN_UP_TO = 16
"""Tables of more lengths are folded until somebody opens them."""


@dataclass(frozen=True)
class Filed:
    """A certificate in a file that the checker accepts: what it is called, without folders, and what is in it."""

    name: str
    text: str
    wrong: bool = False

    @property
    def digest(self) -> str:
        """Its SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def command(self) -> str:
        """The command that checks it."""
        return check_alone_command(self.name)


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
    grid: Markup


def decision_page(decision: Decision, files: Sequence[Filed] = (),
                  kind: str = "Decision about a trained network",
                  floats: Sequence[tuple[str, str, str, str]] = ()) -> str:
    """The whole page; ``files`` are the certificates that its commands check, ``floats`` the rows of classes of float
    runs: the name, what is certified, where a wrong run was found, the verdict."""
    word = chosen_word(decision)
    neighbours = find_neighbours(decision, word.letters, word.offset) if word else []
    wrong = describe_wrong(decision, decision.wrong) if decision.wrong else ""
    points = points_of(decision)
    return render_page(
        _environment(decision), "decision.html", (), (), decision=decision, files=files, kind=kind, word=word,
        says=describe_verdict(decision), claim=describe_claim(decision), facts=_facts(decision), wrong=wrong,
        replay=_replay(decision, files), curve=draw_curve(points) if len(points) > 1 else None,
        pictures=_pictures(decision, word) if word else [], neighbours=neighbours, heads=_count_heads(decision),
        cases=[(_describe_when(case.when), [show_row(row) for row in case.above])
               for case in decision.claim.cases[:MOST_CASES]],
        few_cases=FEW_CASES, around=[mark for mark, tokens in ((BEFORE, decision.claim.before),
                                                             (AFTER, decision.claim.after)) if tokens],
        floats=floats,
        contents=_contents(bool(wrong), bool(floats), word is not None, bool(neighbours), bool(files)),
        most_rows=MOST_ROWS, most_neighbours=MOST_NEIGHBOURS, open_up_to=OPEN_UP_TO,
        checker_digest=checker_digest(), write_checker=write_checker_command())


def _environment(decision: Decision) -> Environment:
    environment = open_templates("certify.exports.pages.decision")
    environment.filters |= {"word": lambda word: printable(cut_word(show_word(word))), "margin": _show_margin,
                            "letters": lambda wrong: printable(cut_word(show_letters_read(decision, wrong))),
                            "value": lambda wrong: enclosed(*wrong.value)}
    return environment


def _contents(wrong: bool, floats: bool, word: bool, neighbours: bool, files: bool) -> list[tuple[str, str]]:
    """The sections that there are."""
    sections = (("wrong", "The wrong word", wrong), ("margins", "Margins", True),
                ("floats", "In floating point", floats), ("attention", "Attention", word),
                ("neighbours", "Neighbours", neighbours), ("cases", "Claim", True), ("check", "Check it", files))
    return [(anchor, text) for anchor, text, there in sections if there]


def _facts(decision: Decision) -> Iterator[tuple[str, str]]:
    """The network and the claim in numbers."""
    network, claim = decision.network, decision.claim
    first, last = claim.offsets
    yield "certified up to", "–" if decision.certified_to is None else f"n = {decision.certified_to}"
    yield "lengths", f"{claim.lengths[0]} .. {claim.lengths[1]}"
    yield "offsets", str(first) if first == last else f"{first} .. {last}"
    yield "layers with attention", str(len(network.attention_steps))
    yield "heads", str(_count_heads(decision))
    yield "width", str(network.width)
    yield "attention", network.attention
    if network.sources:
        yield "weights from", ", ".join(PurePath(source.file).name for source in network.sources)


def _count_heads(decision: Decision) -> int:
    return sum(len(step.heads) for step in decision.network.attention_steps)


def _describe_when(when: When) -> str:
    """Where a case holds."""
    parts = [format_formula(when.formula)] if when.formula is not None else []
    if when.states is not None:
        parts.append(f"the automaton is in state {show_numbers(sorted(when.states))}")
    return " and ".join(parts) or "everywhere"


def _replay(decision: Decision, files: Sequence[Filed]) -> str:
    """The command that shows the wrong word; empty if there is none, or no file to show it of."""
    if decision.wrong is None or not files:
        return ""
    name = files[-1].name if not files[-1].name.startswith("-") else f"./{files[-1].name}"
    word = type_word(decision.letters_read(decision.wrong), decision.claim.alphabet)
    command = RunCommand(name, ("--offset", str(decision.wrong.offset), "--head")).on(word)
    return command if len(command) <= LONGEST_COMMAND and printable(command) == command else ""


def chosen_word(decision: Decision) -> Word | None:
    """The shortest wrong word, its letters that are read or judged, or the one with the smallest margin."""
    if wrong := decision.wrong:
        return Word(decision.letters_read(wrong), wrong.offset, wrong.place)
    seen = min((row.seen for row in decision.rows if row.seen), key=lambda seen: seen.value, default=None)
    return Word(seen.word, seen.offset, seen.place) if seen else None


def _pictures(decision: Decision, word: Word) -> list[Picture]:
    """The heads, the first first, as long as there is room."""
    tokens = np.array(input_tokens(decision.claim, word.letters), dtype=np.intp)
    if len(tokens) > MOST_PICTURED:
        return []
    claim, pictures, room = decision.claim, list[Picture](), MOST_DRAWN
    labels = [*BEFORE * len(claim.before), *word.letters, *AFTER * len(claim.after)]
    for step, heads in enumerate(FloatNetwork(decision.network).attention(tokens, word.offset), start=1):
        for head, weights in enumerate(heads, start=1):
            grid = draw_grid(labels, weights, None, f"Attention of head {step}.{head} on {show_word(word.letters)}")
            room -= len(grid)
            if room < 0:
                return pictures
            pictures.append(Picture(step, head, grid))
    return pictures


def _show_margin(margin: float) -> str:
    """Five digits; where nothing is judged there is no number."""
    return f"{margin:.5g}" if margin < 1e300 else "not judged"


def points_of(decision: Decision) -> list[Point]:
    """The curve of a decision."""
    return [_point(row) for row in decision.rows]


def _point(row: LengthRow) -> Point:
    if row.wrong:
        return Point(row.n, float(row.wrong.value[1]), None, row.verdict)
    return Point(row.n, row.seen.value if row.seen else None, row.bound, row.verdict)
