"""One input in tracks through a trained network, enclosed: each answer after the correct preceding ones."""

import re
from dataclasses import dataclass
from fractions import Fraction

from certify.claims.trained.word_run import BITS, Ends, gravest
from constructions.errors import InputError
from constructions.language.alphabets import parse_word
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, Layout, TracksClaim, check_tracks_fit
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.balls import BallNetwork, decide_row, enclose_logits


@dataclass(frozen=True)
class AnswerRun:
    """An answer: its place in the layout, the right token, its nearest rival, and the difference of their logits.

    The difference is in ``ends``; the answer is right if it exceeds the margin.
    """

    place: int
    right: int
    nearest: int
    ends: Ends | None
    verdict: str


@dataclass(frozen=True)
class InputRun:
    """An input of a form with its tokens, including the answers."""

    network: TrainedNetwork
    claim: TracksClaim
    form: Layout
    columns: tuple[Column, ...]
    tokens: tuple[int, ...]
    answers: tuple[AnswerRun, ...]

    @property
    def verdict(self) -> str:
        """The verdict on all answers."""
        return gravest({answer.verdict for answer in self.answers})

    @property
    def first_wrong(self) -> AnswerRun | None:
        """The first wrong answer: all answers before it are generated correctly."""
        return next((answer for answer in self.answers if answer.verdict == "wrong"), None)


def run_input(network: TrainedNetwork, claim: TracksClaim, text: str) -> InputRun:
    """Run the input that a text denotes.

    Raises:
        InputError: if it is not an input of the claim.
    """
    check_tracks_fit(network, claim)
    form, columns = read_input(claim, text)
    tokens = claim.tokens(form, columns)
    balls = BallNetwork(network)
    return InputRun(network, claim, form, columns, tokens,
                    tuple(_answer(balls, claim, tokens, place) for place in form.asked))


def _answer(balls: BallNetwork, claim: TracksClaim, tokens: tuple[int, ...], place: int) -> AnswerRun:
    """Return the answer with its least row by ball arithmetic; decided with as many bits as needed."""
    right = tokens[place]
    others = [token for token in claim.among if token != right]
    logits = enclose_logits(balls, tokens[:place], claim.offset, [place - 1], BITS)
    with working_precision(BITS):
        rests = [logits[0, right] - logits[0, other] for other in others]
        least = min(range(len(others)), key=lambda k: float(rests[k].mid()))
        if all(rest > ball(claim.margin) for rest in rests):
            return AnswerRun(place, right, others[least], exact_ends(rests[least]), "right")
    row = sorted([(right, Fraction(1)), (others[least], Fraction(-1))])
    found = decide_row(balls, tokens[:place], claim.offset, place - 1, row, claim.margin)
    verdict = "wrong" if found.above is False else "undecided"
    return AnswerRun(place, right, others[least], found.ends, verdict)


def read_input(claim: TracksClaim, text: str) -> tuple[Layout, tuple[Column, ...]]:
    """Parse a form and its columns: the letters of each track, in the order of the claim, with blanks between tracks.

    Letters of several characters are joined by commas, or, if there is one track, by blanks.

    Raises:
        InputError: one line that names what was expected.
    """
    single = all(len(letter) == 1 for track in claim.tracks for letter in track.letters)
    letters = {letter for track in claim.tracks for letter in track.letters}
    parts = [part for part in re.split(r"[\s+*,;-]+" if single and not letters & {*"+*,;-"} else r"\s+", text) if part]
    names = [track.name for track in claim.tracks]
    if len(names) == 1:
        parts = [text.strip()]
    if len(parts) != len(names):
        between = "" if single else "; between letters commas"
        raise InputError(f"word: {len(parts)} parts, expected one for each of the tracks {', '.join(names)}, with "
                         f"blanks between{between}")
    found = []
    for track, part in zip(claim.tracks, parts, strict=True):
        symbols = parse_word(part.removeprefix(f"{track.name}="), track.letters)
        if unknown := [symbol for symbol in symbols if symbol not in track.letters]:
            raise InputError(f"word: {track.name}: {unknown[0]!r}, expected one of {' '.join(track.letters)}")
        indices = [track.letters.index(symbol) for symbol in symbols]
        found.append(indices[::-1] if claim.typed_last_first else indices)
    length = max(map(len, found))
    form = next((form for form in claim.forms if len(form.columns) == length), None)
    if form is None:
        lengths = sorted(len(form.columns) for form in claim.forms)
        raise InputError(f"word: {length} letters, expected {' or '.join(map(str, lengths))}")
    filled = [[*one, *(0 for _ in range(length - len(one)))] for one in found]
    columns = tuple(zip(*filled, strict=True))
    claim.states(form, columns)
    return form, columns
