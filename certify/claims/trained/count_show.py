"""Text and JSON of a count of right inputs."""

from fractions import Fraction
from typing import Any

from certify.claims.trained.count_question import Amount, CountQuestion
from certify.claims.trained.counting import Count, CountRow, TracksCount
from certify.claims.trained.show import describe_network, describe_places, describe_run
from certify.claims.trained.word_counting import WordsCount
from certify.common.terminal_tables import Cell, TableColumn

DIGITS = 15
"""Decimal places of a share in percent."""
MOST_PLACES = 12
"""Places of errors that are printed."""


def describe_count_question(count: TracksCount) -> list[str]:
    """Return the network, the float model and the question, a line each."""
    weighed = "" if count.weights is None else ", each with its weight"
    runs = "" if count.run is None else " in every execution"
    return [describe_network(count.network), *describe_run(count.run),
            f"question  how many inputs in the tracks {', '.join(track.name for track in count.claim.tracks)} are right"
            f"{runs}{weighed}"]


def describe_words_question(count: WordsCount) -> list[str]:
    """Return the network, the float model and the question, a line each."""
    weighed = "" if count.weights is None else ", each with its weight"
    runs = "" if count.run is None else " in every execution"
    (first, last), offsets = count.claim.offsets, "at offset" if count.claim.offsets[0] == count.claim.offsets[1] else (
        "at every offset from")
    where = f"{offsets} {first}" + f" to {last}" * (first != last)
    return [describe_network(count.network), *describe_run(count.run),
            f"question  how many words are right{runs} {describe_places(count.claim)}, {where}{weighed}"]


def table_of_words(count: WordsCount) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    """Return a row for each length."""
    return table_of_counts(count, ("n", "words"))


def table_of_counts(count: Count[Any], names: tuple[str, str] = ("columns", "inputs")
                    ) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    """Return a row for each form; ``names`` are those of its size and of its inputs."""
    columns = [TableColumn(names[0], "right"), TableColumn(names[1], "right"),
               TableColumn("right on at least", "right"), TableColumn("at most", "right"),
               TableColumn("share", "right")]
    return columns, [(str(row.n), number(row.total), number(row.least), number(row.most), share_of(row))
                     for row in count.rows]


def share_of(row: CountRow) -> str:
    """Return the share of right inputs: one number if it is exact, else both bounds."""
    if row.is_exact:
        return percent(row.least, row.total)
    return f"{percent(row.least, row.total)} to {percent(row.most, row.total, up=True)}"


def describe_count(count: Count[Any]) -> str:
    """Return the verdict in a sentence."""
    least, most = count.bounds
    runs = "" if count.run is None else "every execution is "
    asked = f", where {stated} is claimed" if (stated := show_question(count.question)) else ""
    inputs = "words" if isinstance(count, WordsCount) else "inputs"
    total, shown = f"{number(count.total)} {inputs}", (number(least), number(most))
    if count.weights is not None:
        total = f"the weight of all {inputs}"
        shown = percent(least, count.total), percent(most, count.total, up=True)
    ends = f"exactly {shown[0]}" if least == most else f"at least {shown[0]} and at most {shown[1]}"
    why = "; ".join(row.reason for row in count.rows if row.reason)
    return f"{runs}right on {ends} of {total}{asked}{f' ({why})' if why else ''}"


def show_question(question: CountQuestion) -> str:
    """Return the statement about the number of right inputs; empty if there is none."""
    return " and ".join(f"{name.replace('_', ' ')} {show_amount(one)}" for name, one in question.stated.items())


def show_amount(amount: Amount) -> str:
    """Return a stated share, in percent or as a fraction, or a number of inputs."""
    if not amount.is_share:
        return number(amount.value)
    shown = percent(amount.value, Fraction(1))
    return shown if shown == percent(amount.value, Fraction(1), up=True) else str(amount.value)


def describe_wrong_letters(count: WordsCount) -> list[str]:
    """Return where words of the greatest length are wrong, the most frequent places first."""
    row = count.rows[-1]
    found = sorted(row.wrong_at.items(), key=lambda one: (-one[1], one[0]))
    if count.claim.read != "each":
        return []
    return [f"an error at letter {place} of {row.n}: at least {number(weight)} ({percent(weight, row.total)})"
            for place, weight in found[:MOST_PLACES]]


def number(value: Fraction) -> str:
    """Return a number with its digits in groups, a large power of ten, or a fraction."""
    if value.denominator == 1 and value >= 10**6 and str(value.numerator).strip("0") == "1":
        return f"10^{len(str(value.numerator)) - 1}"
    return f"{value.numerator:,}" if value.denominator == 1 else str(value)


def percent(part: Fraction, whole: Fraction, up: bool = False) -> str:
    """Return a share in percent, rounded down, or ``up``."""
    if not whole:
        return "-"
    scaled = 100 * 10**DIGITS * part / whole
    digits = f"{-(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator}"
    text = digits.rjust(DIGITS + 1, "0")
    return f"{text[:-DIGITS]}.{text[-DIGITS:]}".rstrip("0").rstrip(".") + " %"


def count_to_json(count: TracksCount) -> dict[str, Any]:
    """Return the count as JSON; numbers are texts, as they may be large."""
    return {"tracks": [track.name for track in count.claim.tracks],
            "share": [str(end) for end in count.shares],
            "forms": [{"columns": row.n, "inputs": str(row.total), "right": [str(row.least), str(row.most)],
                       "errors": [{"place": error.place, "token": error.token, "at_least": str(error.weight)}
                                  for error in row.errors], "reason": row.reason} for row in count.rows]}


def word_count_to_json(count: WordsCount) -> dict[str, Any]:
    """Return the count as JSON; numbers are texts, as they may be large."""
    return {"alphabet": list(count.claim.alphabet), "offsets": list(count.claim.offsets),
            "share": [str(end) for end in count.shares],
            "lengths": [{"n": row.n, "words": str(row.total), "right": [str(row.least), str(row.most)],
                         "wrong_at": {str(place): str(weight) for place, weight in row.wrong_at.items()}}
                        for row in count.rows]}
