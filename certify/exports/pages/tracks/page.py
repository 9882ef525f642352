"""The page of a decision about inputs in tracks: verdict and claim, number of columns by number of columns."""

from __future__ import annotations

from pathlib import PurePath

from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.commands import checker_digest, write_checker_command
from certify.exports.pages.decision.page import Filed
from certify.trained.tracks_decision import TracksDecision
from certify.trained.tracks_show import describe_tracks_question, describe_tracks_verdict, margin_cells


def tracks_page(decision: TracksDecision, output: str | None, wrong: str | None) -> str:
    """The whole page; ``output`` and ``wrong`` are the files of the certificates, which its commands check."""
    given = ((output, decision.certificate, False), (wrong, decision.wrong_certificate, True))
    files = [Filed(PurePath(name).name, text, is_wrong) for name, text, is_wrong in given
             if name is not None and name != "-" and text is not None]
    rows = [(row, *margin_cells(decision, row)) for row in decision.rows]
    contents = [("forms", "Numbers of columns"), *[("check", "Check it")] * bool(files)]
    return render_page(
        open_templates("certify.exports.pages.tracks"), "tracks.html", (), (), decision=decision, files=files,
        rows=rows,
        says=describe_tracks_verdict(decision), question=describe_tracks_question(decision), contents=contents,
        checker_digest=checker_digest(), write_checker=write_checker_command())
