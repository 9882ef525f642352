"""The page of a decision of any kind."""

from certify.claims.trained.decision import Decision
from certify.claims.trained.tracks_decision import TracksDecision
from certify.exports.pages.decision.count_page import AnyCount, count_page
from certify.exports.pages.decision.page import decision_page, files_of
from certify.exports.pages.decision.tracks_page import tracks_page


def page_of_decision(decision: Decision | TracksDecision | AnyCount, output: str | None = None,
                     wrong: str | None = None) -> str:
    """Return the whole page; its commands check the certificates in the files ``output`` and ``wrong``."""
    files = files_of(decision, output, wrong)
    if isinstance(decision, Decision):
        return decision_page(decision, files)
    return tracks_page(decision, files) if isinstance(decision, TracksDecision) else count_page(decision, files)
