"""Search for inputs by which a claim about tracks is false: samples, coordinate descent, confirmation by balls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from constructions.trained.tracks import Column, Layout, TracksClaim, count_inputs
from proofs.trained.balls import BallNetwork, decide_row
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import WrongInput
from proofs.trained.tracks.inputs import TransducerArrays

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
SAMPLES = 2**11
LISTED = 2**17  # all inputs are evaluated if they are at most this many
WORK = 2**30  # products at most, but always SAMPLES
BATCH = 1024
CLIMBS = 8  # starting inputs for each answer
ROUNDS = 12


@dataclass(frozen=True)
class InputMargin:
    """The least margin found in floats: the right answer's logit minus another one, minus the claim's margin."""

    margin: np.float64
    form: int
    columns: tuple[Column, ...]
    place: int
    other: int


class Margins:
    """Margins of the answers of inputs of a form, in floats."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int) -> None:
        self.floats, self.claim, self.number = floats, claim, number
        self.form: Layout = claim.forms[number]
        self.inputs = TransducerArrays(claim, self.form)
        self.among = np.array(claim.among, np.intp)
        numbers = sum(math.prod(tensor.shape) for tensor in floats.network.tensors.values())
        self.most = min(LISTED, max(SAMPLES, WORK // (numbers * len(self.form.layout))))

    def looked_at(self, effort: int = 1) -> Indices:
        """Return all inputs where they are few, otherwise a random sample."""
        few = count_inputs(self.claim, self.form) <= self.most * effort
        return self.inputs.every() if few else self.inputs.drawn(min(self.most, 8 * SAMPLES) * effort)

    def of(self, columns: Indices, answer: int | None = None) -> tuple[Array, Indices]:
        """Return margins [inputs, answers] of all answers, or of one, and of each the nearest other token."""
        found = [self._of(columns[first:first + BATCH], answer) for first in range(0, len(columns), BATCH)]
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])

    def _of(self, columns: Indices, answer: int | None) -> tuple[Array, Indices]:
        tokens = self.inputs.tokens(columns)
        asked = list(self.form.asked) if answer is None else [self.form.asked[answer]]
        places = [place - 1 for place in asked]
        logits = self._logits(tokens, places)
        right = tokens[:, asked, np.newaxis]
        rest = np.where(self.among == right, np.inf, np.take_along_axis(logits, right, 2) - logits[..., self.among])
        return rest.min(axis=2) - np.float64(self.claim.margin), self.among[rest.argmin(axis=2)]

    def _logits(self, tokens: Indices, places: Sequence[int]) -> Array:
        """Return the logits at each place, on the tokens up to it."""
        if self.floats.network.is_causal:
            return self.floats.logits(tokens[:, :places[-1] + 1], self.claim.offset, places)
        return np.concatenate([self.floats.logits(tokens[:, :place + 1], self.claim.offset, [place])
                               for place in places], axis=1)

    def seen(self, columns: Indices) -> InputMargin:
        """Return the least margin of some inputs, and its input."""
        margins, others = self.of(columns)
        place, answer = np.unravel_index(int(margins.argmin()), margins.shape)
        return InputMargin(margins[place, answer], self.number, self.inputs.columns(columns[place]),
                         self.form.asked[int(answer)], int(others[place, answer]))

    def climb(self, columns: Indices, answer: int) -> Indices:
        """Descend to an input whose margin at an answer no change of one column decreases, or for `ROUNDS` steps."""
        best = self.of(columns[np.newaxis], answer)[0][0, 0]
        for _ in range(ROUNDS):
            near = self.inputs.near(columns)
            if not len(near):
                break
            margins = self.of(near, answer)[0][:, 0]
            if margins.min() >= best:
                break
            best, columns = margins.min(), near[int(margins.argmin())]
        return columns


def sample_margin(margins: Margins) -> InputMargin:
    """Return the least margin of all inputs where they are few, otherwise of inputs drawn at random."""
    return margins.seen(margins.looked_at())


def search(margins: Margins, effort: int, more: Sequence[tuple[Column, ...]] = ()) -> InputMargin:
    """Return the least margin found on samples, on given inputs, and by descent; a wrong input ends the search."""
    inputs = np.concatenate([margins.inputs.indices([*more]), margins.looked_at(effort)])
    found, (values, _) = margins.seen(inputs), margins.of(inputs)
    for answer in np.argsort(values.min(axis=0)):
        for place in np.argsort(values[:, answer])[:CLIMBS * effort]:
            if found.margin <= 0:
                return found
            one = margins.seen(margins.climb(inputs[int(place)], int(answer))[np.newaxis])
            found = one if one.margin < found.margin else found
    return found


def confirmed(balls: BallNetwork, claim: TracksClaim, seen: InputMargin) -> WrongInput | None:
    """Return the wrong input, if ball arithmetic confirms it."""
    tokens = claim.tokens(claim.forms[seen.form], seen.columns)
    row = sorted([(tokens[seen.place], Fraction(1)), (seen.other, Fraction(-1))])
    decision = decide_row(balls, tokens[:seen.place], claim.offset, seen.place - 1, row, claim.margin)
    if decision.above is not False or decision.ends is None:
        return None
    return WrongInput(seen.form, seen.columns, seen.place, seen.other, decision.ends)
