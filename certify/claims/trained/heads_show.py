"""Text and JSON of the tables of heads."""

from fractions import Fraction
from typing import Any

from rich.console import Console

from certify.claims.trained.decision import Decision
from certify.claims.trained.head_averages import NearRow
from certify.claims.trained.heads import HeadRow, HeadsTable
from certify.claims.trained.show import describe_network, words_to_json
from certify.common.numbers import decimal_lower, decimal_upper
from certify.common.terminal_tables import Cell, TableColumn, plain, print_table, verdict_text
from certify.common.words import show_alphabet, show_powers
from constructions.language.printer import format_briefly
from constructions.language.syntax import Or, Symbol, operands, postorder
from constructions.trained.edit_kinds import ReadHead
from constructions.trained.head_patterns import OF_KEYS, HeadPattern, find_pattern


def print_heads(out: Console, table: HeadsTable) -> None:
    """Print the network, a row for each head and pattern, errors of averages, and what was proved."""
    words = table.words
    out.print(plain(describe_network(table.network)))
    out.print(plain(f"words     of length {words.lengths[0]} .. {words.lengths[1]} over "
                    f"{show_alphabet(words.alphabet)}, at offset {words.offsets[0]}"))
    out.print()
    if table.rows:
        print_table(out, *_table_of_masses(table))
        out.print()
    if table.averages:
        print_table(out, *_table_of_averages(table))
        out.print()
    for line in filter(None, map(describe_hardness, table.shown)):
        out.print(plain(line))
    out.print(plain("measured in floating point; a length with many words on some of them, for averages"
                    if table.averages else "measured: masses in floating point, over all words of the lengths n")
              if table.verdict == "measured" else plain(
        f"{table.verdict}: the numbers that are stated as proved, on all words up to length {words.lengths[1]}"))


def _table_of_masses(table: HeadsTable) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    columns = [TableColumn("head"), TableColumn("attends to"), TableColumn("n", "right"),
               TableColumn("mass at least", "right"), TableColumn("on the word"), TableColumn("at most", "right"),
               TableColumn("proved: at least"), TableColumn("verdict")]
    cells: list[tuple[Cell, ...]] = []
    for row in table.shown:
        least, most = row.least, row.most
        proved = "" if row.claimed is None else str(float(row.claimed))
        verdict = verdict_text(row.decision.verdict) if row.decision else ""
        lengths = f"{row.by_length[0].n} .. {row.by_length[-1].n}"
        cells.append((f"{row.layer}.{row.head}", describe_pattern(row.pattern), lengths, f"{least.least:.6g}",
                      show_powers(least.least_word), f"{most.most:.6g}", proved, verdict))
    return columns, cells


def _table_of_averages(table: HeadsTable) -> tuple[list[TableColumn], list[tuple[Cell, ...]]]:
    columns = [TableColumn("head"), TableColumn("its average is near"), TableColumn("n", "right"),
               TableColumn("error at most", "right"), TableColumn("on the word"), TableColumn("proved: below"),
               TableColumn("verdict"), TableColumn("to n =", "right")]
    cells: list[tuple[Cell, ...]] = []
    for row in (one for one in table.averages if one.by_length):
        decision = row.decision
        cells.append((f"{row.layer}.{row.head}", AVERAGES[row.near], f"{row.by_length[0].n} .. {row.by_length[-1].n}",
                      f"{row.error:.6g}", show_powers(row.worst.word(row.center)),
                      "" if row.claimed is None else str(float(row.claimed)),
                      verdict_text(decision.verdict) if decision else "",
                      str(decision.certified_to or "") if decision else ""))
    return columns, cells


def describe_hardness(row: HeadRow) -> str:
    """Describe what follows from the proved mass of one position; empty if nothing does."""
    found = row.hardness
    return "" if found is None else (
        f"head {row.layer}.{row.head} is hard: its score at {describe_pattern(row.pattern)} is ahead by at least "
        f"{found.gap}; its weights are within {upper(found.within)} (1-norm) of hard attention, and within "
        f"{upper(found.doubled)} with scores times 2")


def upper(x: Fraction) -> str:
    """Return a decimal of three digits, rounded up."""
    return decimal_upper(x, 3)


AVERAGES = {"uniform": "the average with equal weights", "constant": "constants"}


def describe_pattern(pattern: HeadPattern) -> str:
    """Describe the positions of a pattern."""
    keys = format_briefly(pattern.keys)
    return {"start": "the tokens before the word", "letters": "all letters so far", "itself": "the query itself",
            "previous": "the previous letter", "first": "the first letter", "all": f"all positions where {keys}",
            "rightmost": f"the last position where {keys}", "leftmost": f"the first position where {keys}",
            "marks": f"the marked positions of {keys}"
            }[pattern.name]


def describe_in_words(pattern: HeadPattern) -> str:
    """Describe the positions of a pattern, by letters where it names letters alone: "the last r or s"."""
    parts = [*postorder(pattern.keys, operands)]
    letters = [part.symbol for part in parts if isinstance(part, Symbol)]
    if pattern.name not in OF_KEYS or not all(isinstance(part, Symbol | Or) for part in parts):
        return describe_pattern(pattern)
    return {"all": "every ", "rightmost": "the last ", "leftmost": "the first "}[pattern.name] + " or ".join(letters)


def heads_to_json(table: HeadsTable) -> dict[str, Any]:
    """Return the table as JSON, with all rows and lengths."""
    return {"verdict": table.verdict, "min_n": table.words.lengths[0], "max_n": table.words.lengths[1],
            "heads": [row_to_json(row) for row in table.rows],
            "averages": [average_to_json(row) for row in table.averages], "seconds": round(table.seconds, 3)}


def average_to_json(row: NearRow) -> dict[str, Any]:
    """Return the errors of one average as JSON."""
    proved = {} if row.decision is None else {
        "within": str(row.claimed), "proof": words_to_json(row.decision) | {"verdict": row.decision.verdict}}
    constants = None if row.constants is None else [float(one) for one in row.constants]
    return {"head": f"{row.layer}.{row.head}", "near": row.near, "constants": constants, **proved,
            "by_length": [{"n": one.n, "error": float(one.error(row.center)), "word": list(one.word(row.center)),
                           "all_words": one.is_exhaustive} for one in row.by_length]}


def row_to_json(row: HeadRow) -> dict[str, Any]:
    """Return one row as JSON."""
    proved = {} if row.decision is None else {
        "at_least": str(row.claimed), **hardness_to_json(row),
        "proof": words_to_json(row.decision) | {"verdict": row.decision.verdict}}
    return {"head": f"{row.layer}.{row.head}", "on": str(row.pattern), **proved,
            "by_length": [{"n": one.n, "least": one.least, "most": one.most, "least_word": list(one.least_word),
                           "most_word": list(one.most_word)} for one in row.by_length]}


def hardness_to_json(row: HeadRow) -> dict[str, Any]:
    """Return what follows from the proved mass of one position."""
    found = row.hardness
    return {} if found is None else {"hard": {"within": str(found.within), "gap": found.gap,
                                              "within_if_doubled": decimal_upper(found.doubled)}}


def describe_read(decision: Decision) -> str:
    """Describe what a certificate about a head states, as in "reads the first letter: more than 0.9944"; else empty."""
    claim, what = decision.claim, [edit.what for edit in decision.network.edits if isinstance(edit, ReadHead)]
    if not what or len(claim.cases) != 1:
        return ""
    if what[0] != "mass":
        return "its average is bounded" if what[0] == "average" else "near the average with equal weights"
    bounds = []
    for (_, sign), *rest in claim.cases[0].above:
        bound = -sign * rest[0][1] if rest else Fraction(0)
        digits = decimal_lower(bound, 6) if sign > 0 else decimal_upper(bound, 6)
        bounds.append(f"{'more' if sign > 0 else 'less'} than {digits}")
    pattern = find_pattern(claim)
    marked = "marked positions" if pattern is None else describe_pattern(pattern)
    return f"reads {marked}: {', '.join(bounds)}"
