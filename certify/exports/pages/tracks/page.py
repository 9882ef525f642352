"""The page of a decision about inputs in tracks: verdict and claim, number of columns by number of columns."""

from collections.abc import Sequence

from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.commands import checker_digest, write_checker_command
from certify.exports.pages.decision.page import files_of
from certify.frame.answer import RowOfLength
from certify.trained import track_runs_show as runs_show
from certify.trained.track_runs_decision import TrackRunsDecision
from certify.trained.tracks_decision import TracksDecision
from certify.trained.tracks_show import COLUMNS, describe_tracks_question, describe_tracks_verdict, margin_cells


def tracks_page(decision: TracksDecision, output: str | None, wrong: str | None) -> str:
    """The whole page; ``output`` and ``wrong`` are the files of the certificates, which its commands check."""
    return _page(
        decision, output, wrong, [(row, *margin_cells(decision, row)) for row in decision.rows],
        subject="Decision about inputs in tracks", what="input", margin_is=COLUMNS[3].name,
        says=describe_tracks_verdict(decision), question=describe_tracks_question(decision),
        proved=f"{decision.classes} classes of inputs were proved, in {decision.cells} cells.",
        not_claimed="execution in floating point")


def track_runs_page(decision: TrackRunsDecision, output: str | None, wrong: str | None) -> str:
    """The same of a decision about every float run."""
    return _page(
        decision, output, wrong, [(row, *runs_show.margin_cells(decision.claim, row)) for row in decision.rows],
        subject="Decision about inputs in tracks, in every float run", what="run", margin_is=runs_show.COLUMNS[3].name,
        says=runs_show.describe_track_runs(decision), question=runs_show.describe_runs_question(decision),
        proved="They are those of the network over the real numbers, once its weights are rounded.",
        not_claimed=f"runs that are not in the class {decision.run.name}")


def _page(decision: TracksDecision | TrackRunsDecision, output: str | None, wrong: str | None,
          rows: Sequence[tuple[RowOfLength, str, str]], **said: object) -> str:
    files = files_of(decision, output, wrong)
    contents = [("forms", "Numbers of columns"), *[("check", "Check it")] * bool(files)]
    return render_page(
        open_templates("certify.exports.pages.tracks"), "tracks.html", (), (), decision=decision, files=files,
        rows=rows, contents=contents, checker_digest=checker_digest(), write_checker=write_checker_command(), **said)
