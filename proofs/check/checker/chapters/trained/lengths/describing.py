"""A long wrong word, in words; written from what was parsed."""

from ....kernel.kind import entry
from ..describing import FALSE
from ..reading.counterexamples import LongWord
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from ..words.describing import words_of_wrong_row


def describe_long_word(given: Decision[TrainedClaim, LongWord], coverage: object, lines: list[str]) -> list[str]:
    """Return the claim that is false, and the wrong word."""
    del coverage
    claim, wrong = given.claim, given.evidence
    runs = " ".join(f"{claim.alphabet[letter]!a}^{times}" if times > 1 else ascii(claim.alphabet[letter])
                    for letter, times in wrong.runs)
    return [
        FALSE, *lines, *entry("wrong word", [f"{runs} (length {sum(times for _, times in wrong.runs)})"]),
        *entry("where", [f"at its end, in case {wrong.case + 1}:",
                         words_of_wrong_row(claim, wrong.case, wrong.row)])]
