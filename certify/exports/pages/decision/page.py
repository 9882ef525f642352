"""The page of a decision: verdict and claim, margin against length, a word and the attention on it.

Pictures and neighbours are floating-point evidence; certified and refuted lengths are proved.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Protocol

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from certify.claims.floats.wording import describe_exponentials, describe_formats, describe_normalised
from certify.claims.trained.decision import Decision, LengthRow
from certify.claims.trained.heads_show import describe_read
from certify.claims.trained.networks import describe_comparison
from certify.claims.trained.show import (
    cut_word,
    describe_claim,
    describe_verdict,
    describe_wrong,
    run_in_short,
    show_letters_read,
    show_numbers,
    show_row,
)
from certify.common.numbers import decimal, enclosed
from certify.common.words import show_word, type_word
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.commands import check_alone_command
from certify.exports.pages.certificate.grids import draw_grid
from certify.exports.pages.decision.curve import Point, draw_curve
from certify.exports.pages.parts.drawing import draw_circuit
from certify.requests.run_command import RunCommand
from constructions.language.printer import format_formula
from constructions.text import printable
from constructions.trained.claim import READOUTS, When, WordsClaim, input_tokens
from constructions.trained.edit_kinds import ReadHead
from constructions.trained.edits import unedited
from constructions.trained.network import AttentionStep, TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.forward import FloatNetwork
from proofs.trained.search import RefutingWord
from proofs.trained.words import WordMargins

MOST_PICTURED = 80
"""No attention is drawn for longer inputs."""
MOST_DRAWN = 120_000
"""Budget of characters for pictures of heads, which keeps the page below 300 kB."""
MOST_ROWS = 256
MOST_NEIGHBOURS = 40
MOST_CASES = 64
FEW_CASES = 4
"""The number of cases that are also shown at the top."""
BEFORE, AFTER = "⊢", "⊣"
"""The labels of the claim's tokens around every word."""
LONGEST_COMMAND = 3000
OPEN_UP_TO = 16
"""Tables of more lengths are collapsed."""


FloatCells = tuple[str, str, str, str, Sequence[str]]
"""For a float model: the name, the certified lengths, the length of a wrong execution, the verdict, and sentences."""
SECTIONS = (("circuit", "The circuit"), ("wrong", "What is wrong"), ("margins", "Margins"), ("open", "What is open"),
            ("floats", "In floating point"), ("attention", "Attention"), ("neighbours", "Neighbours"),
            ("cases", "Claim"), ("check", "Check it"))


@dataclass(frozen=True)
class Filed:
    """An accepted certificate in a file: its name, without folders, and its text."""

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


class HasCertificates(Protocol):
    """An answer with an accepted certificate of what is certified, or of what is wrong."""

    @property
    def certificate(self) -> str | None:
        """The certificate of what is certified."""

    @property
    def wrong_certificate(self) -> str | None:
        """The certificate of what is wrong."""


def files_of(decision: HasCertificates, output: str | None, wrong: str | None) -> list[Filed]:
    """Return the certificates of a decision in files: ``output`` of what is certified, ``wrong`` of what is wrong."""
    given = ((output, decision.certificate, False), (wrong, decision.wrong_certificate, True))
    return [Filed(PurePath(name).name, text, is_wrong) for name, text, is_wrong in given
            if name is not None and name != "-" and text is not None]


@dataclass(frozen=True)
class Word:
    """A word on the page: the wrong one, or the one with the smallest margin found."""

    letters: tuple[str, ...]
    offset: int
    place: int


def decision_page(decision: Decision, files: Sequence[Filed] = (), kind: str = "Decision about a trained network",
                  floats: Sequence[FloatCells] = ()) -> str:
    """Return the whole page; its commands check the certificates in ``files``; ``floats`` are rows of float models.

    A decision under a float model is pictured by the network with rounded weights.
    """
    claim, run, wrong, word = decision.claim, decision.run, decision.wrong, chosen_word(decision)
    network = decision.network if run is None else cast_network(decision.network, run)
    points, unproved = points_of(decision), None if run is None else _unproved(decision)
    neighbours = find_neighbours(network, claim, word.letters, word.offset) if word else []
    return render_page(
        _environment(), "decision.html", (), (), claim=claim, word=word, files=files, floats=floats,
        found=decision.verdict, run=run, unproved=unproved, kind=kind + ("" if run is None else ", in every execution"),
        says=describe_verdict(decision, why=run is None), asks=_asks(decision),
        what="word" if run is None else "execution",
        wrong=describe_wrong(decision, wrong) if wrong else "", wrong_is=_name_of_wrong(decision),
        replay=_replay(decision, files), rows=[_shown(decision, row) for row in decision.rows],
        facts=[*_facts(network, claim, decision.certified_to), *_of_class(run)],
        neighbours=neighbours, heads=_count_heads(network), curve=draw_curve(points) if len(points) > 1 else None,
        pictures=_pictures(network, claim, word) if word else [],
        cases=[(_describe_when(case.when), [show_row(row) for row in case.above])
               for case in claim.cases[:MOST_CASES]],
        few_cases=FEW_CASES,
        around=[mark for mark, tokens in ((BEFORE, claim.before), (AFTER, claim.after)) if tokens],
        circuit=_circuit(decision),
        contents=_contents(circuit=bool(decision.network.edits), wrong=wrong is not None,
                           open=unproved is not None, floats=bool(floats),
                           attention=word is not None, neighbours=bool(neighbours), check=bool(files)),
        most_rows=MOST_ROWS, most_neighbours=MOST_NEIGHBOURS, open_up_to=OPEN_UP_TO)


def _circuit(decision: Decision) -> Markup | None:
    """Draw an edited network, with what the certificate states of the head that it reads."""
    read = [edit for edit in decision.network.edits if isinstance(edit, ReadHead)]
    original = unedited(decision.network)[0]
    steps = [number for number, step in enumerate(original.steps) if isinstance(step, AttentionStep)]
    said = {(steps.index(edit.step) + 1, edit.head + 1): describe_read(decision) for edit in read}
    return draw_circuit(decision.network, said) if decision.network.edits else None


def _asks(decision: Decision) -> str:
    """Describe the claim, with the float model, if there is one."""
    claim, run = describe_claim(decision.network, decision.claim), decision.run
    return claim if run is None else f"{claim}; in every execution under the float model {run_in_short(run)}"


def _name_of_wrong(decision: Decision) -> str:
    """Return the title of the section about the wrong word."""
    if decision.run is not None:
        return "A wrong execution" + ("" if decision.is_shortest else ", on the shortest word for which one was found")
    return ("The shortest wrong word" if decision.is_shortest else
            "The shortest wrong word found" if len(decision.rows) > 1 else "A wrong word")


def _unproved(decision: Decision) -> dict[str, str] | None:
    """Return the open lengths; for the shortest the smallest margin found, its word, and what is not proved."""
    if (first := decision.first("unknown")) is None:
        return None
    return {"lengths": show_numbers(decision.lengths_that_are("unknown")),
            "margin": decimal(Fraction(first.seen.value), 5) if first.seen else "–",
            "word": show_cut(first.seen.word) if first.seen else "", "reason": first.reason}


def _environment() -> Environment:
    environment = open_templates("certify.exports.pages.decision")
    environment.filters |= {"word": show_cut, "margin": _show_margin}
    return environment


def show_cut(word: Sequence[str]) -> str:
    """Return a word in a line, truncated if it is long."""
    return printable(cut_word(show_word(word)))


def _shown(decision: Decision, row: LengthRow) -> dict[str, object]:
    """Return a row of the table of lengths, in words; the reason replaces an unknown margin."""
    wrong, in_runs = wrong_at(decision, row), decision.run is not None
    shown: dict[str, object] = {"n": row.n, "verdict": row.verdict, "reason": ""}
    if wrong:
        value = (f"{decimal(wrong.value[0] - decision.claim.margin, 5)} in the execution" if in_runs else
                 enclosed(*wrong.value))
        return shown | {"margin": value, "offset": wrong.offset,
                        "word": printable(cut_word(show_letters_read(decision, wrong)))}
    if row.seen:
        value = decimal(Fraction(row.seen.value), 5) if in_runs else f"{row.seen.value:.5g}"
        return shown | {"margin": value, "offset": row.seen.offset, "word": show_cut(row.seen.word)}
    return shown | {"margin": "–", "offset": "–", "word": "",
                    "reason": "a shorter word is wrong" if row.wrong else row.reason}


def wrong_at(decision: Decision, row: LengthRow) -> RefutingWord | None:
    """Return the wrong word of a length; of floats only one of that length, since a row has its own margins."""
    return row.wrong if decision.run is None or row.wrong is None or len(row.wrong.word) == row.n else None


def _contents(**there: bool) -> list[tuple[str, str]]:
    """Return the sections that exist."""
    return [(anchor, text) for anchor, text in SECTIONS if there.get(anchor, True)]


def _facts(network: TrainedNetwork, claim: WordsClaim, certified_to: int | None) -> Iterator[tuple[str, str]]:
    """Yield the sizes of the network and the claim."""
    first, last = claim.offsets
    yield "certified up to", "–" if certified_to is None else f"n = {certified_to}"
    yield "lengths", f"{claim.lengths[0]} .. {claim.lengths[1]}"
    yield "offsets", str(first) if first == last else f"{first} .. {last}"
    yield "layers with attention", str(len(network.attention_steps))
    yield "heads", str(_count_heads(network))
    yield "width", str(network.width)
    yield "attention", network.attention
    yield "logits", READOUTS[network.readout]
    if network.sources:
        yield "weights from", ", ".join(PurePath(source.file).name for source in network.sources)
    yield "compared at import", describe_comparison(network.compared)


def _of_class(run: FloatModel | None) -> Iterator[tuple[str, str]]:
    """Yield the parameters of the float model."""
    if run is not None:
        yield "float model", run.name
        yield "formats", describe_formats(run)
        yield "weights of heads normalised", describe_normalised(run)
        yield "exponentials", describe_exponentials(run)


def _count_heads(network: TrainedNetwork) -> int:
    return sum(len(step.heads) for step in network.attention_steps)


def _describe_when(when: When) -> str:
    """Describe where a case holds."""
    parts = [format_formula(when.formula)] if when.formula is not None else []
    if when.states is not None:
        parts.append(f"the automaton is in state {show_numbers(sorted(when.states))}")
    return " and ".join(parts) or "everywhere"


def _replay(decision: Decision, files: Sequence[Filed]) -> str:
    """Return the command that replays the wrong word; empty for floats, without a wrong word, or without a file."""
    if decision.wrong is None or decision.run is not None or not files:
        return ""
    name = files[-1].name if not files[-1].name.startswith("-") else f"./{files[-1].name}"
    word = type_word(decision.letters_read(decision.wrong), decision.claim.alphabet)
    command = RunCommand(name, ("--offset", str(decision.wrong.offset), "--head")).on(word)
    return command if len(command) <= LONGEST_COMMAND and printable(command) == command else ""


def chosen_word(decision: Decision) -> Word | None:
    """Return the shortest wrong word, its letters that are read or judged, or the word with the smallest margin."""
    if wrong := decision.wrong:
        return Word(decision.letters_read(wrong), wrong.offset, wrong.place)
    seen = min((row.seen for row in decision.rows if row.seen), key=lambda seen: seen.value, default=None)
    return Word(seen.word, seen.offset, seen.place) if seen else None


def _pictures(network: TrainedNetwork, claim: WordsClaim, word: Word) -> list[tuple[int, int, Markup]]:
    """Return the attention maps of the first heads, within the budget; rows are queries, columns are keys."""
    tokens = np.array(input_tokens(claim, word.letters), dtype=np.intp)
    if len(tokens) > MOST_PICTURED:
        return []
    pictures, room = list[tuple[int, int, Markup]](), MOST_DRAWN
    labels = [*BEFORE * len(claim.before), *word.letters, *AFTER * len(claim.after)]
    for step, heads in enumerate(FloatNetwork(network).attention(tokens, word.offset), start=1):
        for head, weights in enumerate(heads, start=1):
            grid = draw_grid(labels, weights, None, f"Attention of head {step}.{head} on {show_word(word.letters)}")
            room -= len(grid)
            if room < 0:
                return pictures
            pictures.append((step, head, grid))
    return pictures


def _show_margin(margin: float) -> str:
    """Format with five digits; a place that is not judged has no number."""
    return f"{margin:.5g}" if margin < 1e300 else "not judged"


def points_of(decision: Decision) -> list[Point]:
    """Return the curve of a decision."""
    return [_point(row, wrong_at(decision, row), decision.claim.margin) for row in decision.rows]


def _point(row: LengthRow, wrong: RefutingWord | None, margin: Fraction) -> Point:
    if wrong:
        return Point(row.n, float(wrong.value[1] - margin), None, row.verdict)
    return Point(row.n, row.seen.value if row.seen else None, row.bound, row.verdict)


MOST_TRIED = 400


@dataclass(frozen=True)
class Neighbour:
    """The word with one letter changed, and the least margin of all its places."""

    place: int
    letters: tuple[str, ...]
    margin: float


def find_neighbours(network: TrainedNetwork, claim: WordsClaim, word: Sequence[str], offset: int) -> list[Neighbour]:
    """Return words with one letter changed (at most MOST_TRIED), by margin."""
    letters = np.array(claim.letters(word), dtype=np.intp)
    changed = [(place, letter) for place in range(len(letters)) for letter in range(len(claim.alphabet))
               if letter != letters[place]][:MOST_TRIED]
    if not changed:
        return []
    words = np.tile(letters, (len(changed), 1))
    for row, (place, letter) in enumerate(changed):
        words[row, place] = letter
    margins = WordMargins(FloatNetwork(network), claim).margins(words, offset).min(axis=(1, 2))
    found = [Neighbour(place + 1, tuple(claim.alphabet[letter] for letter in words[row]), float(margins[row]))
             for row, (place, _) in enumerate(changed)]
    return sorted(found, key=lambda one: (one.margin, one.place))
