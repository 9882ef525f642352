"""The page of a decision of any kind."""

from certify.claims.trained.decision import Decision
from certify.claims.trained.tracks_decision import TracksDecision
from certify.exports.pages.decision.page import decision_page, files_of
from certify.exports.pages.decision.tracks_page import tracks_page


def page_of_decision(decision: Decision | TracksDecision, output: str | None = None, wrong: str | None = None) -> str:
    """Return the whole page; its commands check the certificates in the files ``output`` and ``wrong``."""
    files = files_of(decision, output, wrong)
    return decision_page(decision, files) if isinstance(decision, Decision) else tracks_page(decision, files)
