"""Text and JSON of a decision about words: verdicts by length, margins, the shortest wrong word."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from certify.claims.trained.conditions import is_at_first
from certify.claims.trained.decision import Decision, LengthRow, OffsetRow
from certify.common.json_form import to_json
from certify.common.numbers import decimal, decimal_lower, enclosed, ends_to_json
from certify.common.terminal_tables import Cell, TableColumn, verdict_text
from certify.common.words import counted, show_alphabet, show_word
from constructions.language.fragments import find_future_subformula
from constructions.language.printer import format_briefly
from constructions.language.syntax import subformulas
from constructions.trained.claim import READOUTS, Row, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.intervals import Interval
from proofs.trained.float_executions.execution import Execution
from proofs.trained.runs import runs
from proofs.trained.search import RefutingWord

LONGEST_WORD = 60
"""A longer word is truncated in the table; the JSON object has it whole."""
MOST_ROWS = 16
"""With more lengths, only the ends of equal verdicts, powers of two and the last are shown."""
DIGITS = 4
Ends = tuple[Fraction, Fraction]


def describe_question(decision: Decision) -> list[str]:
    """Describe the network, the float model and the claim, a line each."""
    return [describe_network(decision.network), *describe_run(decision.run),
            f"claim     {describe_claim(decision.network, decision.claim)}{in_every(decision.run)}"]


def table_of_lengths(decision: Decision) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    """Return a row for each length that is shown."""
    columns = [TableColumn("n", "right"), TableColumn("verdict"), TableColumn(name_of_margins(decision.run)),
               TableColumn("on the word"),
               TableColumn("offset", "right")]
    return columns, [(str(row.n), verdict_text(row.verdict), *_margin_cells(decision, row))
                     for row in decision.telling_rows(MOST_ROWS)]


def describe_more(decision: Decision) -> list[str]:
    """Describe the offsets, if there are several, and the wrong word, a line each."""
    return [*([describe_offsets(decision.offsets)] if len(decision.offsets) > 1 else []),
            *([describe_wrong(decision, decision.wrong)] if decision.wrong else [])]


# -- common to decisions of all kinds
# -----------------------------------------------------------------------------------


def describe_network(network: TrainedNetwork, label: str = "network") -> str:
    """Describe the network by its sizes and source files."""
    heads = sum(len(step.heads) for step in network.attention_steps)
    files = [source.file for source in network.sources if source.file]
    return (f"{label:10}{counted(len(network.attention_steps), 'layer')} with attention, {counted(heads, 'head')}, "
            f"width {network.width}, {network.attention}"
            f"{'' if network.readout == 'each' else f', logits {READOUTS[network.readout]}'}"
            f"{'; ' if files else ''}{', '.join(files)}")


def describe_run(run: FloatModel | None) -> list[str]:
    """Return the line of a float model, if there is one."""
    return [] if run is None else [f"floats    {run_in_short(run)}"]


def run_in_short(run: FloatModel) -> str:
    """Return the name of a float model, and the formats of its operations."""
    return f"{run.name}: stored in {run.storage}, sums in {run.sums_in_words}, softmax and norms in {run.softmax}"


def in_every(run: FloatModel | None) -> str:
    """Return the end of the line of a claim about float executions; empty over the real numbers."""
    return "" if run is None else ", in every execution"


def name_of_margins(run: FloatModel | None) -> str:
    """Return the title of a column of margins."""
    return "smallest margin found" + ("" if run is None else ", weights rounded")


def describe_value(row: Row, value: Ends, margin: Fraction, execution: Execution | None = None) -> str:
    """Describe the value of a row of logits and the expected one; with the execution, if it is given."""
    if execution is None:
        return f"{show_row(row)} is {enclosed(*value)}, expected more than {margin}"
    return (f"{show_row(row)} is {decimal(value[0], DIGITS)} in an execution, replayed bit by bit, expected more than "
            f"{margin}: {execution}")


def value_to_json(value: Ends, execution: Execution | None = None) -> dict[str, Any]:
    """Return the ends of an enclosure; for an execution, its exact value."""
    if execution is None:
        return ends_to_json(Interval(*value), "value_")
    return {"value": str(value[0]), "execution": execution.to_json()}


# -- words -------------------------------------------------------------------------------------------------------------


def describe_claim(network: TrainedNetwork, claim: WordsClaim) -> str:
    """Describe the words, the offsets and the judged places of a claim."""
    first, last = claim.offsets
    offsets = f"offset {first}" if first == last else f"every offset {first} .. {last} at which they fit"
    around, rows = len(claim.before) + len(claim.after), network.rows
    if rows is not None and first < last == rows - around - claim.lengths[0] < rows - 1:
        offsets += f" (at {show_numbers(range(last + 1, rows))} none does)"
    return (f"all words of length {claim.lengths[0]} .. {claim.lengths[1]} over {show_alphabet(claim.alphabet)}, "
            f"{offsets}, {describe_places(claim)}: {counted(len(claim.cases), 'case')}")


def describe_places(claim: WordsClaim) -> str:
    """Describe where logits are read; warn of a formula of the future that is judged at the last position."""
    ahead = None if claim.read == "each" else next(
        (formula for formula in claim.formulas for one in [find_future_subformula(formula)]
         if one is not None and not any(is_at_first(part) for part in subformulas(formula))), None)
    note = "" if ahead is None else (f" ({format_briefly(ahead)} refers to the future, but is judged at the last "
                                     f"position; --at first judges formulas at the first)")
    return {"each": "at every letter", "last": "at the last token", "first": "at the first token"}[claim.read] + note


def describe_verdict(decision: Decision, why: bool = True) -> str:
    """Describe what is certified, refuted, vacuous and open, and ``why`` it is open."""
    rows = decision.rows
    refuted, unknown, vacuous = map(decision.lengths_that_are, ("refuted", "unknown", "vacuous"))
    every, some = ("", "") if decision.run is None else ("every execution is ", "an execution is ")
    parts = []
    if len(vacuous) == len(rows):
        return f"the claim is vacuous: nothing is judged on any word of length {show_numbers(vacuous)}"
    if decision.certified_to is not None:
        parts.append(f"{every}right on every word of length {rows[0].n} .. {decision.certified_to}"
                     + (", its whole domain" if decision.whole_domain and decision.verdict == "certified" else ""))
    if vacuous:
        parts.append(f"vacuous at n = {show_numbers(vacuous)}, where nothing is judged on any word")
    if refuted:
        parts.append(f"{some}wrong at n = {show_numbers(refuted)}")
    if unknown:
        parts.append(f"open at n = {show_numbers(unknown)}" + (f" ({_why_open(decision)})" if why else ""))
    return "; ".join(parts)


def _why_open(decision: Decision) -> str:
    """Return the reason; for float executions also the margin there, which their errors may exceed."""
    first = decision.first("unknown")
    if decision.run is None or first is None or first.seen is None:
        return decision.reason
    return (f"{first.reason}; the smallest margin found at n = {first.n} is "
            f"{decimal(Fraction(first.seen.value), DIGITS)}")


def describe_offsets(rows: Sequence[OffsetRow]) -> str:
    """Describe at how many offsets the search covers all words, and at how many one is wrong.

    >>> describe_offsets([OffsetRow(0, 9, None, 9), OffsetRow(1, 3, 5, 8), OffsetRow(2, 7, None, 7)])[58:]
    'all words that fit are covered at 2 of 3 (0, 2); a word is wrong at 1 of 3'
    """
    covered = [row.offset for row in rows if row.covered_to == row.longest]
    wrong = [row.offset for row in rows if row.wrong_at is not None]
    where = f" ({show_numbers(covered)})" if covered and len(covered) < len(rows) else ""
    return (f"by offset (found by the search; what is proved is above): all words that fit are covered at "
            f"{len(covered)} of {len(rows)}{where}; a word is wrong at {len(wrong)} of {len(rows)}")


def describe_wrong(decision: Decision, wrong: RefutingWord) -> str:
    """Describe a wrong word in one sentence: where it is judged, the logits, and the expected value."""
    row = decision.claim.cases[wrong.case].above[wrong.row]
    found = ("" if decision.is_shortest or wrong.execution else
             "the shortest wrong word found, as not all shorter ones are certified: ")
    word = decision.letters_read(wrong)
    words = (f"the word {cut_word(show_word(word))} (n = {len(word)})" if word == wrong.word else
             f"every word of {len(wrong.word)} letters" + f" that begins with {cut_word(show_word(word))}" * bool(word))
    return (f"{found}on {words} at offset {wrong.offset}, judged at position {wrong.place}, "
            f"{describe_value(row, wrong.value, decision.claim.margin, wrong.execution)}")


def show_row(row: Row) -> str:
    """Return a linear form of logits.

    >>> show_row(((0, Fraction(-1)), (1, Fraction(1)))), show_row(((2, Fraction(1, 2)),))
    ('-logit[0] + logit[1]', '1/2 logit[2]')
    """
    terms = []
    for token, coefficient in row:
        sign = "-" if coefficient < 0 else "+"
        number = "" if abs(coefficient) == 1 else f"{abs(coefficient)} "
        terms.append((sign, f"{number}logit[{token}]"))
    first = f"{'-' if terms[0][0] == '-' else ''}{terms[0][1]}"
    return " ".join([first, *(f"{sign} {term}" for sign, term in terms[1:])])


def show_numbers(numbers: Sequence[int]) -> str:
    """Format ascending numbers, runs as ranges.

    >>> show_numbers([1, 2, 3, 7, 9, 10])
    '1 .. 3, 7, 9 .. 10'
    """
    return ", ".join(str(first) if first == last else f"{first} .. {last}" for first, last in runs(numbers))


def words_to_json(decision: Decision) -> dict[str, Any]:
    """Return the decision as JSON; margins are floating-point evidence, the ends of a wrong word's value are proved."""
    claim = decision.claim
    over_the_reals = {"by_offset": to_json(decision.offsets), "covered": dict(decision.covered),
                      "whole_domain": decision.whole_domain}
    return {
        "alphabet": list(claim.alphabet),
        "min_n": claim.lengths[0],
        "max_n": claim.lengths[1],
        "offsets": list(claim.offsets),
        "certified_to": decision.certified_to,
        "lengths": [{"n": row.n, "verdict": row.verdict, "smallest_margin_found": row.seen and {
                        "value": row.seen.value, "word": list(row.seen.word), "offset": row.seen.offset,
                        "position": row.seen.place}, "bound": row.bound,
                     "wrong": _wrong_to_json(decision, row.wrong), "reason": row.reason}
                    for row in decision.rows],
        "counterexample": _wrong_to_json(decision, decision.wrong),
        **(over_the_reals if decision.run is None else {}),
    }


def _wrong_to_json(decision: Decision, wrong: RefutingWord | None) -> dict[str, Any] | None:
    if wrong is None:
        return None
    return {"word": list(wrong.word), "letters_read": len(decision.letters_read(wrong)), "offset": wrong.offset,
            "position": wrong.place, "case": wrong.case, "row": wrong.row,
            **value_to_json(wrong.value, wrong.execution)}


def _margin_cells(decision: Decision, row: LengthRow) -> tuple[str, str, str]:
    """Return the least margin, the word and the offset: a wrong word's, or over the reals for float executions."""
    if row.wrong and decision.run is None:
        value = enclosed(*row.wrong.value)
        return value, cut_word(show_letters_read(decision, row.wrong)), str(row.wrong.offset)
    if row.seen is None:
        return "-", "-", "-"
    value = decimal(Fraction(row.seen.value), DIGITS)
    if row.bound is not None and row.bound < row.seen.value:
        value += f" (at least {decimal_lower(Fraction(row.bound), DIGITS)})"
    return value, cut_word(show_word(row.seen.word)), str(row.seen.offset)


def show_letters_read(decision: Decision, wrong: RefutingWord) -> str:
    """Return the letters that make a word wrong, and dots for the padding."""
    read = decision.letters_read(wrong)
    return show_word(read) + "..." * (len(read) < len(wrong.word))


def cut_word(word: str) -> str:
    """Truncate the word if it is long."""
    return word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}..."
