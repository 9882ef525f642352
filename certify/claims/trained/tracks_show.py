"""Text and JSON of a decision about inputs in tracks."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from certify.claims.trained.show import (
    DIGITS,
    describe_network,
    describe_run,
    describe_value,
    in_every,
    name_of_margins,
    value_to_json,
)
from certify.claims.trained.tracks_decision import TracksDecision
from certify.claims.trained.tracks_forms import FormRow
from certify.common.answer import RowOfLength
from certify.common.numbers import decimal, enclosed
from certify.common.terminal_tables import Cell, TableColumn, verdict_text
from certify.common.words import counted
from constructions.trained.tracks import TracksClaim
from proofs.trained.tracks.certificate import WrongInput


def describe_tracks_question(decision: TracksDecision) -> list[str]:
    """Describe the network, the float model and the claim, a line each."""
    claim = decision.claim
    tracks = ", ".join(track.name for track in claim.tracks)
    return [describe_network(decision.network), *describe_run(decision.run),
            f"claim     every answer of every input in the tracks {tracks}, read by a transducer of "
            f"{counted(len(claim.machine.end), 'state')}, at offset {claim.offset}, above all of "
            f"{counted(len(claim.among), 'logit')} by more than {claim.margin}{in_every(decision.run)}"]


def table_of_forms(decision: TracksDecision) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    """Return a row for each number of columns."""
    columns = [TableColumn("columns", "right"), TableColumn("inputs", "right"), TableColumn("verdict"),
               TableColumn(name_of_margins(decision.run)), TableColumn("on the input")]
    return columns, [(str(row.n), f"{row.inputs:,}", verdict_text(row.verdict), *margin_cells(decision, row))
                     for row in decision.rows]


def describe_tracks_verdict(decision: TracksDecision) -> str:
    """Describe what is certified, the wrong input, and what is open."""
    certified, parts = [row for row in decision.rows if row.verdict == "certified"], []
    if certified:
        every = "" if decision.run is None else "every execution is "
        total = sum(row.inputs for row in certified)
        parts.append(f"{every}right on all {total:,} inputs of {show_columns(certified)}")
    if decision.wrong is not None:
        parts.append(describe_wrong_input(decision.claim, decision.wrong))
    parts += [f"open for {show_columns([row])} ({row.reason})" for row in decision.rows if row.verdict == "unknown"]
    return "; ".join(parts)


def show_columns(rows: Sequence[RowOfLength]) -> str:
    """Format the numbers of columns of consecutive rows."""
    first, last = rows[0].n, rows[-1].n
    return counted(first, "column") if first == last else f"{first} .. {last} columns"


def describe_wrong_input(claim: TracksClaim, wrong: WrongInput) -> str:
    """Describe the input, the wrong answer, and the token that the network outputs instead."""
    form = claim.forms[wrong.form]
    right = claim.tokens(form, wrong.columns)[wrong.place]
    row = ((right, Fraction(1)), (wrong.other, Fraction(-1)))
    some = "" if wrong.execution is None else "an execution is "
    return (f"{some}wrong on {claim.show_input(wrong.columns)} at answer "
            f"{wrong.place - form.asked[0] + 1}: token {right} is right, and "
            f"{describe_value(row, wrong.value, claim.margin, wrong.execution)}")


def margin_cells(decision: TracksDecision, row: FormRow) -> tuple[str, str]:
    """Return the smallest margin found and its input: a wrong input's, or over the reals for float executions."""
    if row.wrong is not None and decision.run is None:
        return enclosed(*row.wrong.value), decision.claim.show_input(row.wrong.columns)
    value = decimal(Fraction(float(row.seen.margin)) + decision.claim.margin, DIGITS)
    return value, decision.claim.show_input(row.seen.columns)


def tracks_to_json(decision: TracksDecision) -> dict[str, Any]:
    """Return the decision as JSON; margins are floating-point evidence, the ends of a wrong value are proved."""
    claim = decision.claim
    return {
        "tracks": [track.name for track in claim.tracks],
        "certified_to": decision.certified_to,
        "forms": [{"columns": row.n, "inputs": str(row.inputs), "verdict": row.verdict,
                   "smallest_margin_found": float(row.seen.margin) + float(claim.margin),
                   "on": claim.show_input(row.seen.columns), "bound": row.bound,
                   "wrong": _wrong_to_json(claim, row.wrong), "reason": row.reason} for row in decision.rows],
        "counterexample": _wrong_to_json(claim, decision.wrong),
        **({"classes": decision.classes, "cells": decision.cells} if decision.run is None else {})}


def _wrong_to_json(claim: TracksClaim, wrong: WrongInput | None) -> dict[str, Any] | None:
    if wrong is None:
        return None
    tokens = claim.tokens(claim.forms[wrong.form], wrong.columns)
    return {"input": claim.show_input(wrong.columns), "columns": [list(column) for column in wrong.columns],
            "tokens": list(tokens[:wrong.place]), "place": wrong.place, "right": tokens[wrong.place],
            "other": wrong.other, **value_to_json(wrong.value, wrong.execution)}
