"""The display of `certify model`, as text and as JSON: the claim, the least margin of each length, the verdict."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console

from certify.claims.formula.show import print_shape
from certify.claims.margins.answer import MarginAnswer
from certify.common.numbers import decimal, decimal_lower, decimal_upper, enclosed
from certify.common.terminal_tables import TableColumn, numbers, plain, print_table, print_verdict
from certify.common.words import counted, show_alphabet, show_word
from constructions.language.printer import format_formula
from proofs.words.margins.claim import MarginClaim
from proofs.words.margins.deciding import JudgedClass, LengthFound

MOST_ROWS = 24
"""With more lengths, those with a change, powers of two, the first and the last are shown."""
LONG_WORD = 24
COLUMNS = (*numbers("n", "classes", "least margin"), TableColumn("on"), TableColumn("verdict"))
PLACES = {"first": "the first position", "last": "the last position", "every": "the position of every letter"}


def print_answer(out: Console, found: MarginAnswer) -> None:
    """Print the claim, a row per length, and the verdict."""
    claim = found.question.claim
    for name, text in _facts(claim):
        out.print(plain(f"{name:<10}{text}"))
    print_shape(out, found.question.network)
    if found.question.norms.epsilons:
        out.print(plain(f"norms     behind both parts of every layer, epsilon {found.question.norms.epsilons[0][0]}"))
    out.print()
    print_table(out, COLUMNS, map(_cells, found.telling_rows(MOST_ROWS)))
    print_verdict(out, found.verdict, f"{describe(found)}; {found.seconds:.2f} s")


def _facts(claim: MarginClaim) -> Iterator[tuple[str, str]]:
    yield "formula", format_formula(claim.formula)
    yield "letters", show_alphabet(claim.letters)
    if claim.before or claim.after:
        yield "sequence", f"{show_word(claim.before)} WORD {show_word(claim.after)}".strip()
    where = "there" if claim.at == "every" else f"at the {claim.at} letter"
    beyond = "" if str(claim.margin) == "0" else f" by more than {claim.margin}"
    yield "claim", (f"for {claim.lengths.claim} and every word of n letters: at {PLACES[claim.at]} the output is above "
                    f"{claim.threshold}{beyond} if the formula holds {where}, else below it{beyond and ' as far'}")


def _cells(row: LengthFound) -> tuple[str, ...]:
    least = row.least
    kind = " words" if row.by_words else ""
    if least is None:
        return str(row.n), "-", "-", "-", row.verdict
    return (str(row.n), f"{row.classes}{kind}", enclosed(least.margin.lower, least.margin.upper),
            _short_word(least), row.verdict)


def _short_word(judged: JudgedClass) -> str:
    """Return the word, with runs of one symbol as powers if it is long."""
    shown = show_word(judged.word)
    if len(shown) > LONG_WORD:
        runs: list[tuple[str, int]] = []
        for symbol in judged.word:
            same = runs and runs[-1][0] == symbol
            runs[-1:] = [(symbol, runs[-1][1] + 1)] if same else [*runs[-1:], (symbol, 1)]
        shown = " ".join(f"{symbol}^{count}" if count > 1 else symbol for symbol, count in runs)
    return shown if len(shown) <= 2 * LONG_WORD else shown[: 2 * LONG_WORD - 3] + "..."


def describe(found: MarginAnswer) -> str:
    """Return the reason for the verdict."""
    wrong, last = found.shortest_refuted, found.certified_to
    upto = f"; certified to n = {last}" if last is not None and found.verdict != "certified" else ""
    if wrong is not None and wrong.least is not None:
        return _describe_wrong(found, wrong, wrong.least) + upto
    if found.verdict != "certified":
        return next(f"n = {row.n}: {row.reason}" for row in found.rows if row.verdict == "unknown") + upto
    classes = sum(row.classes for row in found.rows)
    kind = "word" if all(row.by_words for row in found.rows) else "class"
    plural = {"word": counted(classes, "word"), "class": f"{classes} class{'es' if classes > 1 else ''} of words"}[kind]
    return f"{plural}; accepted by the independent checker"


def _describe_wrong(found: MarginAnswer, row: LengthFound, wrong: JudgedClass) -> str:
    claim = found.question.claim
    truth = "holds" if wrong.truth else "does not hold"
    side = "above" if wrong.truth else "below"
    beyond = f" by more than {decimal(row.required.lower)}" if row.required.upper else ""
    return (f"on the word {show_word(wrong.word)} (n = {row.n}) the output at position {wrong.read.position} is "
            f"{enclosed(wrong.output.lower, wrong.output.upper)}, expected {side} {claim.threshold}{beyond} because "
            f"{format_formula(claim.formula)} {truth} at letter {wrong.read.letter}")


# -- JSON --------------------------------------------------------------------------------------------------------------


def answer_to_json(found: MarginAnswer) -> dict[str, Any]:
    """Return the answer as a JSON object, with exact numbers as texts."""
    claim = found.question.claim
    return {
        "verdict": found.verdict,
        "formula": format_formula(claim.formula),
        "alphabet": list(claim.letters),
        "before": list(claim.before),
        "after": list(claim.after),
        "at": claim.at,
        "threshold": str(claim.threshold),
        "margin": str(claim.margin),
        "min_n": claim.lengths.first,
        "max_n": claim.lengths.last,
        "norm": str(found.question.norms.epsilons[0][0]) if found.question.norms.epsilons else None,
        "certified_to": found.certified_to,
        "lengths": [_row_to_json(row, str(claim.margin)) for row in found.rows],
        "seconds": round(found.seconds, 3),
    }


def _row_to_json(row: LengthFound, margin: str) -> dict[str, Any]:
    least = row.least
    return {
        "n": row.n,
        "verdict": row.verdict,
        "classes": row.classes,
        "by_words": row.by_words,
        "required": str(row.required.lower if row.required.is_point else margin),
        "margin_lower": decimal_lower(least.margin.lower) if least else None,
        "margin_upper": decimal_upper(least.margin.upper) if least else None,
        "word": list(least.word) if least else None,
        "position": least.read.position if least else None,
        "truth": least.truth if least else None,
        **({"reason": row.reason} if row.reason else {}),
    }
