"""Boards of certified shares: the numbers of right inputs of networks, as claims that `certify audit` decides again."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.claims.trained.count_question import read_count_question
from certify.claims.trained.count_show import percent
from certify.claims.trained.counting import Count

Entry = Mapping[str, Any]
"""A claim of kind `count`."""
FOLDER = Path(__file__).parent
LARGEST = 1 << 63
"""Larger integers are texts in TOML."""


def entry_of(name: str, files: Entry, count: Count[Any]) -> Entry:
    """Return the claim that a count proves; of a total weight of 1 its numbers are shares."""
    least, most = ((f"{100 * end}%" if end == int(end) else f"{end}") if count.total == 1 else
                   f"{end}" if end >= LARGEST else int(end) for end in count.bounds)
    proved = {"exactly": least} if least == most else {"at_least": least, "at_most": most}
    return {"name": name, "kind": "count", **files, **proved, "expect": "certified"}


def read_entries(path: Path) -> dict[str, Entry]:
    """Return the claims of a file by name; none if there is no file."""
    found = tomllib.loads(path.read_text(encoding="utf-8")).get("claim", []) if path.is_file() else []
    return {entry["name"]: entry for entry in found}


def write_entries(path: Path, title: str, entries: Sequence[Entry]) -> None:
    """Write the claims file."""
    claims = ["[[claim]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
              for entry in entries]
    path.write_text("\n".join([f"title = {json.dumps(title)}\n", *claims]), encoding="utf-8")


def share_of(entry: Entry, total: Fraction) -> str:
    """Return the certified share: one number if it is exact, else both bounds, rounded outward."""
    ends = [amount.of(total) for amount in read_count_question(entry).stated.values()]
    least, most = percent(min(ends), total), percent(max(ends), total, up=True)
    return least if len(ends) == 1 else f"{least} to {most}"


def write_table(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write the first table of a page again; the first row is the head."""
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)(^\| .*\n)+", lambda _: table_text(rows), text, count=1), encoding="utf-8")


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Return the lines of a table."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (rows[0], ["---"] * len(rows[0]), *rows[1:]))
