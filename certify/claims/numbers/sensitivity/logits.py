"""Trained networks: their words, the tokens where logits are judged, and the logits that are measured."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath

from certify.claims.formula.pipeline import Clock
from certify.claims.numbers.sensitivity.laws import fit_law
from certify.claims.numbers.sensitivity.measure import read_numbers
from certify.claims.numbers.sensitivity.results import At, MeasuredLength, Method, Sensitivity
from certify.claims.trained.claim_file import Scope
from certify.claims.trained.question import about_words, read_claim_table, read_trained
from certify.claims.trained.word_run import check_room
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from constructions.trained.claim import READOUTS, Row, WordsClaim, judged
from constructions.trained.network import TrainedNetwork
from proofs.formula.discharge import Progress
from proofs.numbers.sensitivity.trained import LogitQuestion, changes_of_logits

_COMBINATION = re.compile(r"\s*(0|[1-9][0-9]{0,8})\s*(?:-\s*(0|[1-9][0-9]{0,8}))?\s*", re.ASCII)
EVERY_LOGIT = "any logit"


@dataclass(frozen=True)
class TrainedSubject:
    """A trained network, and its claim for words of one length, if it has one."""

    path: str
    network: TrainedNetwork
    claim_of: Callable[[int], WordsClaim | None]
    offset: int | None

    def question(self, n: int, at: At, rows: tuple[Row, ...]) -> LogitQuestion:
        """Return the words of length n.

        Raises:
            InputError: if the words do not fit into the position tables.
        """
        claim = self.claim_of(n)
        if claim is None and self.network.readout not in ("each", at):
            raise InputError(f"--at {at}: the network outputs logits {READOUTS[self.network.readout]}, expected --at "
                             f"{self.network.readout}")
        if claim is None:
            letters = {str(token): token for token in range(self.network.vocabulary)}
            return self._asked(LogitQuestion(self.network, n, letters, (), (), self.offset or 0,
                                             tuple(range(n)), rows), at)
        letters = dict(zip(claim.alphabet, claim.tokens, strict=True))
        offset = claim.offsets[0] if self.offset is None else self.offset
        tokens = tuple(index for _, index in judged(claim, n))
        return self._asked(LogitQuestion(self.network, n, letters, claim.before, claim.after, offset, tokens, rows), at)

    def _asked(self, question: LogitQuestion, at: At) -> LogitQuestion:
        tokens = question.tokens
        check_room(self.network, len(question.before) + question.n + len(question.after), question.offset)
        return replace(question, tokens={"first": tokens[:1], "last": tokens[-1:], "every": tokens}[at])


def read_trained_subject(path: str, claim: str | None, offset: int | None) -> TrainedSubject:
    """Read the network of a file; its words are defined by a claim file, or by the network's own claim.

    Raises:
        InputError: if a file is malformed, or the claim does not fit the network.
    """
    if offset is not None and offset < 0:
        raise InputError(f"offset: {offset}, expected 0 or more")
    network, own = read_trained(path)
    if claim is None:
        return TrainedSubject(path, network, lambda n: own if isinstance(own, WordsClaim) else None, offset)
    table = read_claim_table(claim)
    return TrainedSubject(path, network, lambda n: about_words(table.claim(network, Scope(n, n, "all")), claim), offset)


def read_logits(text: str | None, network: TrainedNetwork) -> tuple[Row, ...]:
    """Return the measured logits: one, as 3, or a difference, as 3-5; by default all.

    Raises:
        InputError: if it is neither, or there is no such logit.
    """
    if text is None:
        return tuple(((output, Fraction(1)),) for output in range(network.outputs))
    parts = _COMBINATION.fullmatch(text)
    if parts is None:
        raise InputError(f"direction: {text[:40]!r}, expected a logit of the trained network such as 3, or the "
                         "difference of two such as 3-5")
    outputs = [int(part) for part in parts.groups() if part is not None]
    for output in outputs:
        if output >= network.outputs:
            raise InputError(f"direction: logit {output}, but the network has the logits 0 to {network.outputs - 1}")
    return (tuple(zip(outputs, (Fraction(1), Fraction(-1)), strict=False)),)


def measure_logits(subject: TrainedSubject, lengths: Lengths, at: At = "last", direction: str | None = None,
                   numbers: Sequence[int] | None = None, progress: Progress = lambda _: None) -> Sensitivity:
    """Bound the largest change of logits when one letter is exchanged.

    Raises:
        InputError: if there is no such logit, or words do not fit into the position tables.
        Unsupported: if a logit cannot be bounded.
    """
    clock, rows = Clock(), read_logits(direction, subject.network)
    found = []
    for n in read_numbers(numbers, lengths):
        progress(f"length {n}")
        question = subject.question(n, at, rows)
        changes = changes_of_logits(question)
        found.append(MeasuredLength(n, Method.WORDS if question.are_few else Method.PAIRS, changes))
    alphabet = tuple(question.letters)
    name = EVERY_LOGIT if direction is None else f"logit {direction}"
    measured = tuple(found)
    return Sensitivity(PurePath(subject.path).name, alphabet, name, at, measured, fit_law(measured), clock.total)
