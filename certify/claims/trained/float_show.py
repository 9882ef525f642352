"""Decisions of a claim about words, or inputs in tracks, under several float models; their text and JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from certify.claims.trained.decision import Decision
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.show import describe_verdict, describe_wrong
from certify.claims.trained.showing import decision_to_json
from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.claims.trained.tracks_show import describe_tracks_verdict, tracks_to_json
from certify.common.shards import Workers
from certify.common.terminal_tables import TableColumn, plain, print_table, verdict_text
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from proofs.enclosures.float_models.model import FloatModel


@dataclass(frozen=True)
class FloatModelRow:
    """The results for one float model; ``decision`` is None if there is no rule, for the ``reason``."""

    run: FloatModel
    decision: Decision | TracksDecision | None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """The verdict on all lengths."""
        return self.decision.verdict if self.decision is not None else "unknown"


def decide_models(network: TrainedNetwork, claim: WordsClaim | TracksClaim, runs: Iterable[FloatModel], effort: int = 1,
                  workers: Workers = Workers()) -> list[FloatModelRow]:
    """Decide the claim under several float models.

    Raises:
        InputError: if the claim does not fit the network.
    """
    if isinstance(claim, TracksClaim):
        check_tracks_fit(network, claim)
    else:
        check_fits(network, claim)
    return [_row_of(network, claim, run, effort, workers) for run in runs]


def _row_of(network: TrainedNetwork, claim: WordsClaim | TracksClaim, run: FloatModel, effort: int,
            workers: Workers) -> FloatModelRow:
    try:
        if isinstance(claim, TracksClaim):
            return FloatModelRow(run, decide_tracks(network, claim, effort, workers, run))
        return FloatModelRow(run, decide_floats(network, claim, run, effort, workers))
    except (InputError, Unsupported) as reason:
        return FloatModelRow(run, None, str(reason))


def print_float_rows(out: Console, rows: Sequence[FloatModelRow]) -> None:
    """Print a row for each float model, then the wrong executions, and the reasons for what is unknown."""
    print_table(out, map(TableColumn, ("float model", "certified", "wrong execution found", "verdict")), [
        (*cells[:-1], verdict_text(cells[-1])) for cells in map(cells_of, rows)])
    out.print()
    for row in rows:
        first, *wrong = describe_row(row)
        out.print(plain(f"{row.run.name}: {first}"))
        for line in wrong:
            out.print(plain(line))


def describe_row(row: FloatModelRow) -> list[str]:
    """Describe what is certified, why the rest is unknown, and the wrong execution, if there is one."""
    if row.decision is None:
        return [row.reason]
    if isinstance(row.decision, TracksDecision):
        return [describe_tracks_verdict(row.decision)]
    wrong = row.decision.wrong
    return [describe_verdict(row.decision), *([describe_wrong(row.decision, wrong)] if wrong else [])]


def cells_of(row: FloatModelRow) -> tuple[str, str, str, str]:
    """Return the name, the certified lengths, the length of a wrong execution, the verdict."""
    return (row.run.name, *_of_class(row.decision), row.verdict)


def _of_class(decision: Decision | TracksDecision | None) -> tuple[str, str]:
    if decision is None:
        return "none", "-"
    certified, wrong = decision.certified_to, decision.first("refuted")
    return ("none" if certified is None else f"n <= {certified}" if decision.rows[0].n == 1 else
            f"n = {decision.rows[0].n}..{certified}", f"n = {wrong.n}" if wrong else "-")


def float_rows_to_json(rows: Sequence[FloatModelRow]) -> list[dict[str, Any]]:
    """Return the rows as JSON."""
    return [_to_json(row) for row in rows]


def _to_json(row: FloatModelRow) -> dict[str, Any]:
    if isinstance(row.decision, Decision):
        return decision_to_json(row.decision)
    found = {"reason": row.reason} if row.decision is None else tracks_to_json(row.decision)
    return {"verdict": row.verdict, "float": row.run.to_json(), **found}
