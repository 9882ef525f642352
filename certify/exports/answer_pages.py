"""Pages of answers from Python: ``answer.html()`` is the page that ``--html`` of its command writes."""

from collections.abc import Callable, Mapping
from typing import Any

from certify.auditing.results import AuditReport, ClaimResult
from certify.claims.trained.counting import TracksCount
from certify.claims.trained.decision import Decision
from certify.claims.trained.tracks_decision import TracksDecision
from certify.claims.trained.word_counting import WordsCount
from certify.exports.html import page_of
from certify.exports.pages.audit.page import audit_page
from certify.exports.pages.decision.pages import page_of_decision
from certify.exports.pages.learned.page import learned_page
from certify.learning.learned import Learned
from constructions.errors import Unsupported

NAME = "answer.cert"
"""The name of the certificate in the commands on the page."""


PAGES: Mapping[type, Callable[[Any], str]] = {
    AuditReport: audit_page,
    ClaimResult: lambda result: audit_page(AuditReport(result.subject.partition(";")[0], "", (result,), (),
                                                       result.seconds)),
    Decision: page_of_decision,
    Learned: learned_page,
    TracksCount: page_of_decision,
    TracksDecision: page_of_decision,
    WordsCount: page_of_decision,
}
"""Answers that have a page even without a certificate."""


def page_of_answer(answer: Any) -> str:
    """Return the page of an answer, or else of its certificate.

    Raises:
        Unsupported: if it has neither a page nor a certificate.
    """
    if type(answer) in PAGES:
        return PAGES[type(answer)](answer)
    text = getattr(answer, "certificate", None) or getattr(answer, "wrong_certificate", None)
    if text is None:
        raise Unsupported(f"a page of a {type(answer).__name__} that is {answer.verdict}: there is no certificate")
    return page_of(text, NAME, NAME)
