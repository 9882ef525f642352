"""Text and JSON of any decision about a trained network: about words, about any length, about inputs in tracks."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from certify.claims.trained import count_errors, count_show, lengths_show, show, tracks_show
from certify.claims.trained.counting import TracksCount
from certify.claims.trained.decision import Decision
from certify.claims.trained.lengths_decision import LengthsDecision
from certify.claims.trained.tracks_decision import TracksDecision
from certify.claims.trained.word_counting import WordsCount
from certify.common.terminal_tables import Cell, TableColumn, plain, print_table, said_of_all
from certify.common.verdicts import colour

ERRORS = 5
"""Rows of a table of errors."""


class Shown(NamedTuple):
    """Functions that show a kind of decision: question, table, verdict in a sentence, more lines, JSON.

    ``errors`` are further tables with at most this number of rows each.
    """

    question: Callable[[Any], list[str]]
    table: Callable[[Any], tuple[list[TableColumn], list[tuple[Cell, ...]]]] | None
    verdict: Callable[[Any], str]
    more: Callable[[Any], list[str]] | None
    to_json: Callable[[Any], dict[str, Any]]
    errors: Callable[[Any, int], list[count_errors.Table]] | None = None


SHOWN: Mapping[type, Shown] = {
    Decision: Shown(show.describe_question, show.table_of_lengths, show.describe_verdict, show.describe_more,
                    show.words_to_json),
    LengthsDecision: Shown(lengths_show.describe_question, None, lengths_show.describe_verdict, None,
                           lengths_show.lengths_to_json),
    TracksDecision: Shown(tracks_show.describe_tracks_question, tracks_show.table_of_forms,
                          tracks_show.describe_tracks_verdict, None, tracks_show.tracks_to_json),
    TracksCount: Shown(count_show.describe_count_question, count_show.table_of_counts, count_show.describe_count,
                       None, count_errors.count_with_errors_to_json, count_errors.tables_of_errors),
    WordsCount: Shown(count_show.describe_words_question, count_show.table_of_words, count_show.describe_count,
                      count_show.describe_wrong_letters, count_errors.word_count_with_errors_to_json,
                      count_errors.tables_of_word_errors)}


def print_decision(out: Console, decision: Any, errors: int = ERRORS) -> None:
    """Print the question, the table, the verdict in a sentence, and this number of the most frequent errors."""
    shown = SHOWN[type(decision)]
    for line in shown.question(decision):
        out.print(plain(line))
    out.print()
    if shown.table is not None:
        print_table(out, *shown.table(decision))
        out.print()
    verdict, why = said_of_all(decision.verdict, shown.verdict(decision))
    out.print(Text(f"{verdict}:", style=colour(verdict)), plain(why))
    for line in shown.more(decision) if shown.more is not None else ():
        out.print(plain(line))
    for title, columns, rows in shown.errors(decision, errors) if shown.errors is not None else ():
        out.print()
        out.print(plain(title))
        print_table(out, columns, rows)


def describe_decision(decision: Any) -> str:
    """Describe the verdict in a sentence."""
    return SHOWN[type(decision)].verdict(decision)


def decision_to_json(decision: Any) -> dict[str, Any]:
    """Return the decision as JSON, with the float model, if there is one."""
    run = None if isinstance(decision, LengthsDecision) else decision.run
    return {"verdict": decision.verdict, **({} if run is None else {"float": run.to_json()}),
            **SHOWN[type(decision)].to_json(decision), "seconds": round(decision.seconds, 3)}
