"""What people and programs read of a decision about float runs."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from certify.frame.numbers import decimal
from certify.frame.terminal_tables import Column, plain, print_table, said_of_all, verdict_text
from certify.frame.verdicts import colour
from certify.frame.words import show_word
from certify.trained.float_decision import ClassRow, FloatDecision
from certify.trained.float_search import FloatRow
from certify.trained.show import DIGITS, MOST_ROWS, cut_word, describe_claim, describe_network, show_numbers, show_row
from proofs.trained.float_runs.execution import WrongRun

COLUMNS = (Column("n", "right"), Column("verdict"), Column("smallest margin found, weights rounded"),
           Column("on the word"), Column("offset", "right"))


def print_float_decision(out: Console, decision: FloatDecision) -> None:
    """The class, a table over lengths, and the verdict in a sentence."""
    claim = decision.claim
    out.print(plain(describe_network(decision.network)))
    out.print(plain(f"runs      {_in_short(decision)}"))
    out.print(plain(f"claim     all words of length {claim.lengths[0]} .. {claim.lengths[1]}, in every run"))
    out.print()
    print_table(out, COLUMNS, [(str(row.n), verdict_text(row.verdict), *_cells(row))
                               for row in decision.telling_rows(MOST_ROWS)])
    out.print()
    verdict, why = said_of_all(decision.verdict, describe_verdict(decision))
    out.print(Text(f"{verdict}:", style=colour(verdict)), plain(why))
    if decision.wrong:
        out.print(plain(describe_wrong_run(decision, decision.wrong)))


def _in_short(decision: FloatDecision) -> str:
    run = decision.run
    return f"{run.name}: stored in {run.storage}, sums in {run.sums_in_words}, softmax and norms in {run.softmax}"


def describe_float_claim(decision: FloatDecision) -> str:
    """Which words, at which offsets, judged where, in every run of which class."""
    return f"{describe_claim(decision.network, decision.claim)}; in every run of the class {_in_short(decision)}"


def print_float_rows(out: Console, rows: Sequence[ClassRow]) -> None:
    """A row for each class; below it the wrong runs, and what is not known, with the reason."""
    print_table(out, map(Column, ("float runs", "certified", "wrong run found", "verdict")), [
        (*cells[:-1], verdict_text(cells[-1])) for cells in map(cells_of, rows)])
    out.print()
    for row in rows:
        said, *wrong = said_of(row)
        out.print(plain(f"{row.run.name}: {said}"))
        for line in wrong:
            out.print(plain(line))


def said_of(row: ClassRow) -> list[str]:
    """What is certified, and what is not known, with the reason; the wrong run, if there is one."""
    if row.decision is None:
        return [row.reason]
    wrong = row.decision.wrong
    return [describe_verdict(row.decision), *([describe_wrong_run(row.decision, wrong)] if wrong else [])]


def cells_of(row: ClassRow) -> tuple[str, str, str, str]:
    """The name, what is certified, where a wrong run was found, the verdict."""
    return (row.run.name, *_of_class(row.decision), row.verdict)


def _of_class(decision: FloatDecision | None) -> tuple[str, str]:
    if decision is None:
        return "none", "-"
    certified = decision.certified_to
    return ("none" if certified is None else f"n <= {certified}" if decision.rows[0].n == 1 else
            f"n = {decision.rows[0].n}..{certified}", f"n = {len(decision.wrong.word)}" if decision.wrong else "-")


def float_rows_to_json(rows: Sequence[ClassRow]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [float_decision_to_json(row.decision) if row.decision is not None else
            {"verdict": row.verdict, "float": row.run.to_json(), "reason": row.reason} for row in rows]


def _cells(row: FloatRow) -> tuple[str, str, str]:
    if row.seen is None:
        return "-", "-", "-"
    return decimal(Fraction(row.seen.value), DIGITS), cut_word(show_word(row.seen.word)), str(row.seen.offset)


def describe_verdict(decision: FloatDecision, why: bool = True) -> str:
    """What is certified, what is wrong, and what lies between, and ``why`` that is open."""
    refuted, unknown, vacuous = map(decision.lengths_that_are, ("refuted", "unknown", "vacuous"))
    parts = []
    if decision.certified_to is not None:
        parts.append(f"every run is right on every word of length {decision.rows[0].n} .. {decision.certified_to}")
    if vacuous:
        parts.append(f"vacuous at n = {show_numbers(vacuous)}")
    if refuted:
        parts.append(f"a run is wrong at n = {show_numbers(refuted)}")
    if unknown:
        first = decision.first("unknown")
        seen = f"; the smallest margin found at n = {first.n} is {_cells(first)[0]}" if first and first.seen else ""
        parts.append(f"open at n = {show_numbers(unknown)}"
                     + (f" ({first.reason if first else ''}{seen})" if why else ""))
    return "; ".join(parts)


def describe_wrong_run(decision: FloatDecision, wrong: WrongRun) -> str:
    """The word, where it is judged, the value, and what the run does."""
    row = decision.claim.cases[wrong.case].above[wrong.row]
    return (f"on the word {cut_word(show_word(wrong.word))} (n = {len(wrong.word)}) at offset {wrong.offset}, judged "
            f"at position {wrong.place}, {show_row(row)} is {decimal(wrong.value, DIGITS)} in a run, replayed bit by "
            f"bit, expected more than {decision.claim.margin}: {wrong.execution}")


def float_decision_to_json(decision: FloatDecision) -> dict[str, Any]:
    """All of it; margins are what binary64 saw (evidence), the value of a wrong run is exact."""
    return {
        "verdict": decision.verdict,
        "float": decision.run.to_json(),
        "alphabet": list(decision.claim.alphabet),
        "min_n": decision.claim.lengths[0],
        "max_n": decision.claim.lengths[1],
        "offsets": list(decision.claim.offsets),
        "certified_to": decision.certified_to,
        "lengths": [{"n": row.n, "verdict": row.verdict, "smallest_margin_found": _seen_to_json(row),
                     "wrong": _wrong_to_json(row.wrong), "reason": row.reason} for row in decision.rows],
        "counterexample": _wrong_to_json(decision.wrong),
        "seconds": round(decision.seconds, 3)}


def _seen_to_json(row: FloatRow) -> dict[str, Any] | None:
    return {"value": row.seen.value, "word": list(row.seen.word), "offset": row.seen.offset} if row.seen else None


def _wrong_to_json(wrong: WrongRun | None) -> dict[str, Any] | None:
    if wrong is None:
        return None
    return {"word": list(wrong.word), "offset": wrong.offset, "position": wrong.place, "case": wrong.case,
            "row": wrong.row, "value": str(wrong.value),
            "execution": wrong.execution.to_json()}
