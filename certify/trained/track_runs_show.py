"""What people and programs read of a decision about inputs in tracks in float runs."""

from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from certify.frame.numbers import decimal
from certify.frame.terminal_tables import Column, plain, print_table, verdict_text
from certify.frame.verdicts import colour
from certify.trained.show import describe_network
from certify.trained.track_runs_decision import TrackRunsDecision
from certify.trained.track_runs_forms import RunsRow
from certify.trained.tracks_show import DIGITS, show_columns
from constructions.trained.tracks import TracksClaim
from proofs.trained.tracks.wrong_runs import WrongInputRun

COLUMNS = (Column("columns", "right"), Column("inputs", "right"), Column("verdict"),
           Column("smallest margin found, weights rounded"), Column("on the input"))


def print_track_runs(out: Console, decision: TrackRunsDecision) -> None:
    """The class, a row for each number of columns, and the verdict in a sentence."""
    for line in describe_runs_question(decision):
        out.print(plain(line))
    out.print()
    print_table(out, COLUMNS, [(str(row.n), f"{row.inputs:,}", verdict_text(row.verdict),
                                *margin_cells(decision.claim, row)) for row in decision.rows])
    out.print()
    out.print(Text(f"{decision.verdict}:", style=colour(decision.verdict)), plain(describe_track_runs(decision)))


def describe_runs_question(decision: TrackRunsDecision) -> list[str]:
    """The network, the class and the claim, a line each."""
    tracks, run = ", ".join(track.name for track in decision.claim.tracks), decision.run
    return [describe_network(decision.network),
            f"runs      {run.name}: stored in {run.storage}, sums in {run.sums_in_words}, softmax and norms in "
            f"{run.softmax}",
            f"claim     every answer of every input in the tracks {tracks}, in every run"]


def describe_track_runs(decision: TrackRunsDecision) -> str:
    """What is certified, the wrong run, and what is open."""
    certified = [row for row in decision.rows if row.verdict == "certified"]
    parts = [f"every run is right on all {sum(row.inputs for row in certified):,} inputs of {show_columns(certified)}"
             ] if certified else []
    if (row := decision.wrong_row) is not None and row.wrong is not None:
        parts.append(describe_wrong_input_run(decision.claim, row.wrong))
    parts += [f"open for {show_columns([row])} ({row.reason})" for row in decision.rows if row.verdict == "unknown"]
    return "; ".join(parts)


def describe_wrong_input_run(claim: TracksClaim, wrong: WrongInputRun) -> str:
    """The input, which answer is wrong, the value, and what the run does."""
    found = wrong.found
    form = claim.forms[found.form]
    right = claim.tokens(form, found.columns)[found.place]
    return (f"a run is wrong on {claim.show_input(found.columns)} at answer {found.place - form.asked[0] + 1}, "
            f"replayed bit by bit: token {right} is right, and logit[{right}] - logit[{found.other}] is "
            f"{decimal(wrong.value, DIGITS)}, expected more than {claim.margin}: {wrong.execution}")


def margin_cells(claim: TracksClaim, row: RunsRow) -> tuple[str, str]:
    """The smallest margin that was seen, and where."""
    return decimal(Fraction(float(row.seen.margin)) + claim.margin, DIGITS), claim.show_input(row.seen.columns)


def track_runs_to_json(decision: TrackRunsDecision) -> dict[str, Any]:
    """All of it; margins are what binary64 saw (evidence), the value of a wrong run is exact."""
    claim, wrong = decision.claim, decision.wrong_row
    return {
        "verdict": decision.verdict,
        "float": decision.run.to_json(),
        "tracks": [track.name for track in claim.tracks],
        "certified_to": decision.certified_to,
        "forms": [{"columns": row.n, "inputs": str(row.inputs), "verdict": row.verdict,
                   "smallest_margin_found": float(row.seen.margin) + float(claim.margin),
                   "on": claim.show_input(row.seen.columns), "wrong": _wrong_to_json(claim, row.wrong),
                   "reason": row.reason} for row in decision.rows],
        "counterexample": _wrong_to_json(claim, wrong.wrong if wrong else None),
        "seconds": round(decision.seconds, 3)}


def _wrong_to_json(claim: TracksClaim, wrong: WrongInputRun | None) -> dict[str, Any] | None:
    if wrong is None:
        return None
    found = wrong.found
    tokens = claim.tokens(claim.forms[found.form], found.columns)
    return {"input": claim.show_input(found.columns), "columns": [list(column) for column in found.columns],
            "tokens": list(tokens[:found.place]), "place": found.place, "right": tokens[found.place],
            "other": found.other, "value": str(wrong.value), "execution": wrong.execution.to_json()}
