"""Text and JSON of one word, or of one input in tracks, through a trained network.

The text numbers cases from 1, as the checker does; JSON has their indices, as certificates do.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from certify.claims.trained.show import show_row
from certify.claims.trained.tracks_run import InputRun
from certify.claims.trained.word_run import Ends, JudgedPlace, RequestedRow, WordRun
from certify.common.numbers import decimal, decimal_lower, decimal_upper, enclosed
from certify.common.terminal_tables import Cell, TableColumn, numbers, plain, print_table
from certify.common.verdicts import GREEN, RED, YELLOW
from certify.common.words import show_word

DIGITS = 4
MOST_LOGITS = 8
WIDEST = 24
"""For longer inputs, the greatest weights of each token are shown instead of the matrix."""
MOST_WEIGHTS = 5
COLOURS = {"right": GREEN, "wrong": RED, "undecided": YELLOW, "": ""}


def print_run_of_any(out: Console, run: Any) -> None:
    """Print the run of a word, or of an input in tracks."""
    if isinstance(run, WordRun):
        print_word_run(out, run)
    else:
        print_input_run(out, run)


def run_of_any_to_json(run: Any) -> dict[str, Any]:
    """Return the run as a JSON object."""
    return word_run_to_json(run) if isinstance(run, WordRun) else input_run_to_json(run)


def print_word_run(out: Console, run: WordRun) -> None:
    """Print the input, a row for each place where logits are judged, attention if there is any, and the verdict."""
    if run.claim is not None:
        out.print(plain(f"word      {show_word(run.word)} (n = {len(run.word)})"))
    out.print(plain(f"tokens    {' '.join(map(str, run.tokens))} at offset {run.offset}"))
    out.print()
    _print_places(out, run)
    for step, heads in enumerate(run.attention, start=1):
        for head, weights in enumerate(heads, start=1):
            out.print()
            out.print(plain(f"head {step}.{head}   the attention weights of a token (row) on the tokens (columns)"))
            _print_weights(out, run, weights)
    if run.claim is not None:
        out.print()
        out.print(Text(*_verdict(run)))


def _print_places(out: Console, run: WordRun) -> None:
    outputs = _shown_outputs(run)
    what = "letter" if run.claim is not None else "token"
    columns = [TableColumn("position", "right"), TableColumn(what),
               *numbers(*(f"logit[{output}]" for output in outputs))]
    columns += map(TableColumn, ("cases", "least", "is", "verdict") if run.claim is not None else ())
    rows: list[list[Cell]] = []
    for place in run.places:
        letter = run.word[place.place - 1] if place.place else ""
        rows.append([str(place.place), letter, *(show_ends(place.logits[output]) for output in outputs),
                     *(_judged_cells(place) if run.claim is not None else ())])
    print_table(out, columns, rows)


def _shown_outputs(run: WordRun) -> list[int]:
    """Return the logits that the claim is about, or else the first few."""
    cases = run.claim.cases if run.claim else ()
    named = sorted({output for case in cases for row in case.above for output, _ in row})
    return (named or list(range(run.network.outputs)))[:MOST_LOGITS]


def _judged_cells(place: JudgedPlace) -> list[Cell]:
    cases = " ".join(map(str, dict.fromkeys(row.case + 1 for row in place.asked)))
    least = place.least
    shown = (show_row(least.above), show_ends(least.ends)) if least else ("", "")
    return [cases, *shown, Text(place.verdict or "not judged", style=COLOURS[place.verdict])]


def _verdict(run: WordRun) -> tuple[str, str]:
    assert run.claim is not None, "only a claim has a verdict"
    wrong = [(place, row) for place in run.places for row in place.asked if row.verdict == run.verdict]
    match run.verdict:
        case "right":
            return "right: the claim holds on this word", GREEN
        case "":
            return "vacuous: the claim does not judge this word", ""
    place, row = min(wrong, key=lambda pair: pair[1].ends[0] if pair[1].ends else Fraction(0))
    expected = f"expected more than {run.claim.margin}"
    why = f"at position {place.place}, {show_row(row.above)} is {show_ends(row.ends)}, {expected} (case {row.case + 1})"
    return f"{run.verdict}: {why}", COLOURS[run.verdict]


def show_ends(ends: Ends | None) -> str:
    """Format the digits that both ends share when rounded, or the two ends; ? if nothing is bounded."""
    if ends is None:
        return "?"
    low, high = (decimal(end, DIGITS) for end in ends)
    return low if low == high else enclosed(*ends)


# -- attention ---------------------------------------------------------------------------------------------------------

Weights = Sequence[Sequence[Ends | None]]


def _print_weights(out: Console, run: WordRun, weights: Weights) -> None:
    labels = list(_labels(run))
    if len(weights) > WIDEST:
        print_table(out, [TableColumn("token"), TableColumn(f"its {MOST_WEIGHTS} greatest weights")],
                    [(f"{index} {labels[index]}", _greatest(weights[index], labels))
                     for index in sorted({place.index for place in run.places})])
    else:
        print_table(out, [TableColumn("token"), *numbers(*labels)],
                    [(label, *map(_weight, row)) for label, row in zip(labels, weights, strict=True)])


def _labels(run: WordRun) -> Iterator[str]:
    """Yield, for each token of the input, its letter, or, around the word, its number."""
    before = len(run.claim.before) if run.claim else 0
    for index, token in enumerate(run.tokens):
        inside = run.claim is not None and before <= index < before + len(run.word)
        yield run.word[index - before] if inside else f"<{token}>"


def _greatest(row: Sequence[Ends | None], labels: Sequence[str]) -> str:
    bounded = [(ends[1], index) for index, ends in enumerate(row) if ends and ends[1]]
    greatest = sorted(bounded, key=lambda pair: (-pair[0], pair[1]))[:MOST_WEIGHTS]
    return "  ".join(f"{index} {labels[index]}: {_weight(row[index])}" for _, index in greatest)


def _weight(ends: Ends | None) -> str:
    """Format with two decimals; empty for a masked token."""
    if ends is None:
        return "?"
    lower, upper = ends
    hundredths = round((lower + upper) * 50)
    return f"{hundredths // 100}.{hundredths % 100:02}" if upper else ""


# -- JSON --------------------------------------------------------------------------------------------------------------


def word_run_to_json(run: WordRun) -> dict[str, Any]:
    """Return the run as a JSON object; every number is a pair of decimals around the true value."""
    attention = [[[[*map(ends_to_pair, row)] for row in head] for head in step] for step in run.attention]
    return {
        "word": list(run.word), "tokens": list(run.tokens), "offset": run.offset,
        "verdict": run.verdict or None,
        "places": [_place_to_json(place) for place in run.places],
        **({"attention": attention} if attention else {}),
    }  # fmt: skip


def _place_to_json(place: JudgedPlace) -> dict[str, Any]:
    return {"position": place.place, "token": place.index, "logits": [ends_to_pair(ends) for ends in place.logits],
            "verdict": place.verdict or None, "asked": [_row_to_json(row) for row in place.asked]}


def _row_to_json(row: RequestedRow) -> dict[str, Any]:
    above = [[token, str(coefficient)] for token, coefficient in row.above]
    return {"case": row.case, "row": row.row, "above": above, "value": ends_to_pair(row.ends), "verdict": row.verdict}


def ends_to_pair(ends: Ends | None) -> list[str] | None:
    """Return decimals around the true value."""
    return None if ends is None else [decimal_lower(ends[0]), decimal_upper(ends[1])]


# -- one input in tracks -----------------------------------------------------------------------------------------------


def print_input_run(out: Console, run: InputRun) -> None:
    """Print the input, a row for each answer, and the verdict."""
    first = run.form.asked[0]
    out.print(plain(f"input     {run.claim.show_input(run.columns)}"))
    out.print(plain(f"tokens    {' '.join(map(str, run.tokens[:first]))}, right answers "
                    f"{' '.join(map(str, run.tokens[first:]))}"))
    out.print()
    columns = (TableColumn("answer", "right"), TableColumn("token", "right"), TableColumn("nearest other", "right"),
               TableColumn("logit more than its", "right"), TableColumn("verdict"))
    print_table(out, columns, [(str(answer.place - first + 1), str(answer.right), str(answer.nearest),
                                show_ends(answer.ends),
                                Text(answer.verdict, style=COLOURS[answer.verdict])) for answer in run.answers])
    out.print()
    out.print(Text(describe_input_run(run), style=COLOURS[run.verdict]))


def describe_input_run(run: InputRun) -> str:
    """Describe the verdict in a sentence."""
    wrong = run.first_wrong
    if wrong is None:
        return {"right": "right: every answer is generated correctly"}.get(
            run.verdict, "undecided: the enclosure of an answer's margin contains the claim's")
    return (f"wrong: at answer {wrong.place - run.form.asked[0] + 1}, logit[{wrong.right}] - logit[{wrong.nearest}] is "
            f"{show_ends(wrong.ends)}, expected more than {run.claim.margin}")


def input_run_to_json(run: InputRun) -> dict[str, Any]:
    """Return the run as a JSON object; every number is a pair of decimals around the true value."""
    return {
        "input": run.claim.show_input(run.columns), "tokens": list(run.tokens), "verdict": run.verdict,
        "answers": [{"place": answer.place, "right": answer.right, "nearest": answer.nearest,
                     "value": ends_to_pair(answer.ends), "verdict": answer.verdict} for answer in run.answers]}
