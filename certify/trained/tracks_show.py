"""What people and programs read of a decision about inputs in tracks, and of the run of one input."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from certify.frame.answer import RowOfLength
from certify.frame.numbers import decimal, decimal_lower, decimal_upper, enclosed, ends_to_json
from certify.frame.terminal_tables import Column, plain, print_table, verdict_text
from certify.frame.verdicts import GREEN, RED, YELLOW, colour
from certify.frame.words import counted
from certify.trained.show import describe_network
from certify.trained.tracks_decision import TracksDecision
from certify.trained.tracks_forms import FormRow
from certify.trained.tracks_run import AnswerRun, InputRun
from constructions.trained.tracks import TracksClaim
from proofs.enclosures.intervals import Interval

DIGITS = 4
COLUMNS = (Column("columns", "right"), Column("inputs", "right"), Column("verdict"), Column("smallest margin found"),
           Column("on the input"))
COLOURS = {"right": GREEN, "wrong": RED, "undecided": YELLOW}


def print_tracks_decision(out: Console, decision: TracksDecision) -> None:
    """The claim, a row for each number of columns, and the verdict in a sentence."""
    for line in describe_tracks_question(decision):
        out.print(plain(line))
    out.print()
    print_table(out, COLUMNS, [(str(row.n), f"{row.inputs:,}", verdict_text(row.verdict),
                                *margin_cells(decision, row)) for row in decision.rows])
    out.print()
    out.print(Text(f"{decision.verdict}:", style=colour(decision.verdict)), plain(describe_tracks_verdict(decision)))


def describe_tracks_question(decision: TracksDecision) -> list[str]:
    """The network and the claim, a line each."""
    network, claim = decision.network, decision.claim
    tracks = ", ".join(track.name for track in claim.tracks)
    states = counted(len(claim.machine.end), "state")
    return [describe_network(network),
            f"claim     every answer of every input in the tracks {tracks}, read by a machine of {states}, "
            f"at offset {claim.offset}, above all of {counted(len(claim.among), 'logit')} by more than {claim.margin}"]


def describe_tracks_verdict(decision: TracksDecision) -> str:
    """What is certified, the wrong input, and what is open."""
    parts = []
    certified = [row for row in decision.rows if row.verdict == "certified"]
    if certified:
        total = sum(row.inputs for row in certified)
        parts.append(f"right on all {total:,} inputs of {show_columns(certified)}")
    wrong = decision.wrong_row
    if wrong is not None:
        parts.append(describe_wrong_input(decision.claim, wrong))
    parts += [f"open for {show_columns([row])} ({row.reason})" for row in decision.rows if row.verdict == "unknown"]
    return "; ".join(parts)


def show_columns(rows: Sequence[RowOfLength]) -> str:
    """Numbers of columns in a row."""
    first, last = rows[0].n, rows[-1].n
    return counted(first, "column") if first == last else f"{first} .. {last} columns"


def describe_wrong_input(claim: TracksClaim, row: FormRow) -> str:
    """The input, which answer is wrong, and the token that the network says instead."""
    wrong, value = row.wrong, row.value
    assert wrong is not None and value is not None, "it is refuted"
    form = claim.forms[wrong.form]
    right = claim.tokens(form, wrong.columns)[wrong.place]
    difference = f"logit[{right}] - logit[{wrong.other}] is {enclosed(*value)}, expected more than {claim.margin}"
    return (f"wrong on {claim.show_input(wrong.columns)} at answer {wrong.place - form.asked[0] + 1}: token {right} is "
            f"right, and {difference}")


def margin_cells(decision: TracksDecision, row: FormRow) -> tuple[str, str]:
    """The smallest margin that was seen, and where; what is refuted has the wrong input's."""
    if row.wrong is not None and row.value is not None:
        return enclosed(*row.value), decision.claim.show_input(row.wrong.columns)
    if row.seen is None:
        return "-", "-"
    value = decimal(Fraction(float(row.seen.margin)) + decision.claim.margin, DIGITS)
    return value, decision.claim.show_input(row.seen.columns)


def tracks_decision_to_json(decision: TracksDecision) -> dict[str, Any]:
    """All of it; margins are what floats saw (evidence), the ends of a wrong input's value are proved."""
    claim = decision.claim
    return {
        "verdict": decision.verdict,
        "tracks": [track.name for track in claim.tracks],
        "certified_to": decision.certified_to,
        "forms": [{"columns": row.n, "inputs": str(row.inputs), "verdict": row.verdict,
                   "smallest_margin_found": None if row.seen is None else float(row.seen.margin) + float(claim.margin),
                   "on": None if row.seen is None else claim.show_input(row.seen.columns),
                   "bound": row.bound, "wrong": _wrong_to_json(claim, row), "reason": row.reason}
                  for row in decision.rows],
        "counterexample": None if decision.wrong_row is None else _wrong_to_json(claim, decision.wrong_row),
        "classes": decision.classes,
        "cells": decision.cells,
        "seconds": round(decision.seconds, 3)}


def _wrong_to_json(claim: TracksClaim, row: FormRow) -> dict[str, Any] | None:
    if row.wrong is None or row.value is None:
        return None
    wrong, tokens = row.wrong, claim.tokens(claim.forms[row.wrong.form], row.wrong.columns)
    return {"input": claim.show_input(wrong.columns), "columns": [list(column) for column in wrong.columns],
            "tokens": list(tokens[:wrong.place]), "place": wrong.place, "right": tokens[wrong.place],
            "other": wrong.other, **ends_to_json(Interval(*row.value), "value_")}


def print_input_run(out: Console, run: InputRun) -> None:
    """The input, a row for each answer, and the verdict."""
    first = run.form.asked[0]
    out.print(plain(f"input     {run.claim.show_input(run.columns)}"))
    out.print(plain(f"tokens    {' '.join(map(str, run.tokens[:first]))}, right answers "
                    f"{' '.join(map(str, run.tokens[first:]))}"))
    out.print()
    columns = (Column("answer", "right"), Column("token", "right"), Column("nearest other", "right"),
               Column("logit more than its", "right"), Column("verdict"))
    print_table(out, columns, [(str(answer.place - first + 1), str(answer.right), str(answer.nearest), _ends(answer),
                                Text(answer.verdict, style=COLOURS[answer.verdict])) for answer in run.answers])
    out.print()
    out.print(Text(describe_input_run(run), style=COLOURS[run.verdict]))


def describe_input_run(run: InputRun) -> str:
    """The verdict in a sentence."""
    wrong = run.first_wrong
    if wrong is None:
        return {"right": "right: every answer is generated as it should be"}.get(
            run.verdict, "undecided: an answer's margin is not told from the claim's")
    return (f"wrong: at answer {wrong.place - run.form.asked[0] + 1}, logit[{wrong.right}] - logit[{wrong.nearest}] is "
            f"{_ends(wrong)}, expected more than {run.claim.margin}")


def _ends(answer: AnswerRun) -> str:
    if answer.ends is None:
        return "-"
    low, high = (decimal(end, DIGITS) for end in answer.ends)
    return low if low == high else enclosed(*answer.ends)


def input_run_to_json(run: InputRun) -> dict[str, Any]:
    """The same as a JSON object; every number is a pair of decimals around the true value."""
    return {
        "input": run.claim.show_input(run.columns), "tokens": list(run.tokens), "verdict": run.verdict,
        "answers": [{"place": answer.place, "right": answer.right, "nearest": answer.nearest,
                     "value": None if answer.ends is None else [decimal_lower(answer.ends[0]),
                                                                decimal_upper(answer.ends[1])],
                     "verdict": answer.verdict} for answer in run.answers]}
