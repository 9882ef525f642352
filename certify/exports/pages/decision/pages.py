"""The page of a decision of any kind; that of a decision about inputs in tracks, by number of columns."""

from collections.abc import Sequence

from certify.claims.trained.decision import Decision
from certify.claims.trained.show import name_of_margins
from certify.claims.trained.tracks_decision import TracksDecision
from certify.claims.trained.tracks_show import describe_tracks_question, describe_tracks_verdict, margin_cells
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.decision.count_page import AnyCount, count_page
from certify.exports.pages.decision.page import Filed, decision_page, files_of


def page_of_decision(decision: Decision | TracksDecision | AnyCount, output: str | None = None,
                     wrong: str | None = None) -> str:
    """Return the whole page; its commands check the certificates in the files ``output`` and ``wrong``."""
    files = files_of(decision, output, wrong)
    if isinstance(decision, Decision):
        return decision_page(decision, files)
    return tracks_page(decision, files) if isinstance(decision, TracksDecision) else count_page(decision, files)


def tracks_page(decision: TracksDecision, files: Sequence[Filed] = ()) -> str:
    """Return the whole page; its commands check the certificates in ``files``."""
    run = decision.run
    return render_page(
        open_templates("certify.exports.pages.decision"), "tracks.html", (), (), decision=decision, files=files,
        subject="Decision about inputs in tracks" + ("" if run is None else ", in every float execution"),
        what="input" if run is None else "execution", margin_is=name_of_margins(run),
        rows=[(row, *margin_cells(decision, row)) for row in decision.rows], says=describe_tracks_verdict(decision),
        question=describe_tracks_question(decision),
        proved=(f"{decision.classes} abstract inputs were proved, in {decision.cells} cells." if run is None else
                "They are those of the network with rounded weights, over the real numbers."),
        not_claimed="execution in floating point" if run is None else f"runs outside the float model {run.name}",
        contents=[("forms", "Numbers of columns"), *[("check", "Check it")] * bool(files)])
