"""The answer about margins: every length decided, the certified ones sealed and checked."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from certify.claims.margins.question import MarginQuestion
from certify.common.answer import AnswerByLength, certified_to
from certify.common.verdicts import OWN_WORK
from constructions.network.lengths import Lengths
from proofs.check import Refusal, check_text
from proofs.words.margins.certificate import seal_margin
from proofs.words.margins.deciding import LengthFound, decide_length, replay


@dataclass(frozen=True)
class MarginAnswer(AnswerByLength[LengthFound]):
    """The results for every length.

    ``certificate`` is about the lengths up to ``certified_to`` (None if the shortest is not certified), accepted by the
    independent checker. The word of the first length that is refuted has been replayed.
    """

    question: MarginQuestion
    rows: tuple[LengthFound, ...]
    certificate: str | None
    seconds: float

    @property
    def shortest_refuted(self) -> LengthFound | None:
        """The first length with a word that breaks the claim."""
        return self.first("refuted")


def answer(question: MarginQuestion, progress: Callable[[str], None] = lambda _: None) -> MarginAnswer:
    """Decide every length of the claim.

    Raises:
        InternalError: if the run of a word contradicts the bound of its abstract word.
    """
    start = time.perf_counter()
    rows: list[LengthFound] = []
    for n in question.claim.lengths:
        progress(f"n = {n}")
        row = decide_length(question.network, question.claim, n, question.norms)
        is_first_refuted = row.verdict == "refuted" and not any(one.verdict == "refuted" for one in rows)
        rows.append(replay(question.network, question.claim, row, question.norms) if is_first_refuted else row)
    last = certified_to(rows)
    certificate = None
    if last is not None:
        progress("seal and check")
        claim = replace(question.claim, lengths=Lengths(question.claim.lengths.first, last))
        certificate = seal_margin(question.network, claim, question.norms)
        if reason := find_refusal(certificate):
            rows = [replace(row, verdict="unknown", reason=reason) if row.verdict == "certified" else row
                    for row in rows]
            certificate = None
    return MarginAnswer(question, tuple(rows), certificate, time.perf_counter() - start)


def find_refusal(certificate: str) -> str:
    """Return why the independent checker does not accept the certificate; empty if it does."""
    try:
        check_text(certificate.encode("ascii"), work=OWN_WORK)
    except Refusal as reason:
        return f"decided, but the independent checker does not accept the certificate: {reason}"
    return ""
