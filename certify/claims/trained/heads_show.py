"""Text and JSON of the table of heads."""

from typing import Any

from rich.console import Console

from certify.claims.trained.heads import HeadRow, HeadsTable
from certify.claims.trained.show import describe_network, words_to_json
from certify.common.terminal_tables import TableColumn, plain, print_table, verdict_text
from certify.common.words import show_alphabet, show_powers
from constructions.language.printer import format_briefly
from constructions.trained.head_patterns import HeadPattern


def print_heads(out: Console, table: HeadsTable) -> None:
    """Print the network, a row for each head and pattern, and what was proved."""
    words = table.words
    out.print(plain(describe_network(table.network)))
    out.print(plain(f"words     of length {words.lengths[0]} .. {words.lengths[1]} over "
                    f"{show_alphabet(words.alphabet)}, at offset {words.offsets[0]}"))
    out.print()
    columns = [TableColumn("head"), TableColumn("attends to"), TableColumn("n", "right"),
               TableColumn("mass at least", "right"), TableColumn("on the word"), TableColumn("at most", "right"),
               TableColumn("proved: at least"), TableColumn("verdict")]
    cells = []
    for row in table.shown:
        least, most = row.least, row.most
        proved = "" if row.claimed is None else str(float(row.claimed))
        verdict = verdict_text(row.decision.verdict) if row.decision else ""
        lengths = f"{row.by_length[0].n} .. {row.by_length[-1].n}"
        cells.append((f"{row.layer}.{row.head}", describe_pattern(row.pattern), lengths, f"{least.least:.6g}",
                      show_powers(least.least_word), f"{most.most:.6g}", proved, verdict))
    print_table(out, columns, cells)
    out.print()
    out.print(plain("measured: masses in floating point, over all words of the lengths n"
                    if all(row.decision is None for row in table.rows) else f"{table.verdict}: the masses that are "
                    f"stated as proved, on all words up to length {words.lengths[1]}"))


def describe_pattern(pattern: HeadPattern) -> str:
    """Describe the positions of a pattern."""
    keys = format_briefly(pattern.keys)
    return {"start": "the tokens before the word", "letters": "all letters so far", "itself": "the query itself",
            "previous": "the previous letter", "first": "the first letter", "all": f"all positions where {keys}",
            "rightmost": f"the last position where {keys}", "leftmost": f"the first position where {keys}"
            }[pattern.name]


def heads_to_json(table: HeadsTable) -> dict[str, Any]:
    """Return the table as JSON, with all rows and lengths."""
    return {"verdict": table.verdict, "min_n": table.words.lengths[0], "max_n": table.words.lengths[1],
            "heads": [row_to_json(row) for row in table.rows], "seconds": round(table.seconds, 3)}


def row_to_json(row: HeadRow) -> dict[str, Any]:
    """Return one row as JSON."""
    proved = {} if row.decision is None else {
        "at_least": str(row.claimed), "proof": words_to_json(row.decision) | {"verdict": row.decision.verdict}}
    return {"head": f"{row.layer}.{row.head}", "on": str(row.pattern), **proved,
            "by_length": [{"n": one.n, "least": one.least, "most": one.most, "least_word": list(one.least_word),
                           "most_word": list(one.most_word)} for one in row.by_length]}
