"""The answer about margins: every length decided, sealed as far as it is certified, and given to the checker."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from certify.margins.question import MarginQuestion
from certify.verdicts import worst
from constructions.errors import InternalError
from constructions.network.lengths import Lengths
from proofs.check import FORMATS, Refusal, check_text
from proofs.margins.certificate import FORMAT, seal_margin
from proofs.margins.deciding import LengthFound, certified_to, decide_length, replay


@dataclass(frozen=True)
class MarginAnswer:
    """What is known of every length.

    ``certificate`` is about the lengths up to ``certified_to`` (None if the shortest is not certified); ``checked``
    says that the independent checker accepted it, and is False only while it does not read this format. The word of
    the first length that is refuted has been replayed.
    """

    question: MarginQuestion
    rows: tuple[LengthFound, ...]
    certified_to: int | None
    certificate: str | None
    checked: bool
    seconds: float

    @property
    def verdict(self) -> str:
        """The gravest of all lengths."""
        return worst({row.verdict for row in self.rows})

    @property
    def shortest_refuted(self) -> LengthFound | None:
        """The first length with a word that breaks the claim."""
        return next((row for row in self.rows if row.verdict == "refuted"), None)


def answer(question: MarginQuestion, progress: Callable[[str], None] = lambda _: None) -> MarginAnswer:
    """Decide every length of the claim.

    Raises:
        InternalError: if the checker rejects what is certified, or a run contradicts a class.
    """
    start = time.perf_counter()
    rows: list[LengthFound] = []
    for n in question.claim.lengths:
        progress(f"n = {n}")
        row = decide_length(question.network, question.claim, n, question.norms)
        is_first_refuted = row.verdict == "refuted" and not any(one.verdict == "refuted" for one in rows)
        rows.append(replay(question.network, question.claim, row, question.norms) if is_first_refuted else row)
    last = certified_to(rows)
    certificate, checked = None, False
    if last is not None:
        progress("seal and check")
        claim = replace(question.claim, lengths=Lengths(question.claim.lengths.first, last))
        certificate = seal_margin(question.network, claim, question.norms)
        checked = is_checked(certificate)
    return MarginAnswer(question, tuple(rows), last, certificate, checked, time.perf_counter() - start)


def is_checked(certificate: str) -> bool:
    """Whether the independent checker accepts it; False if it does not read the format.

    Raises:
        InternalError: if it does read it, and does not accept it.
    """
    if FORMAT not in FORMATS:
        return False
    try:
        check_text(certificate.encode("ascii"))
    except Refusal as refusal:
        raise InternalError(f"the checker does not accept what is certified: {refusal}") from None
    return True
