"""Write the tables of docs/reference/statements.md from docs/reference/statements.toml; other text is kept.

Run `python docs/tools/write_statements.py`, which prints nothing; a test compares them.
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGE = FOLDER / "statements.md"
NUMBERED = re.compile(r"(Definition|Lemma|Theorem|Proposition|Corollary) \d+")
STATEMENTS = ("definition", "holds", "fails", "fails on a reading", "incomplete", "open", "not decided")
PROOFS = ("", "holds", "fails", "incomplete", "proves the repair")
CLASSES = ("", "numbers", "the class of the paper", "our networks", "Section 3.1 repaired")


@dataclass(frozen=True)
class StatementEntry:
    """An entry of the list, whose head explains every field."""

    paper: str
    name: str
    statement: str
    proof: str = ""
    of: str = ""
    repair: str = ""
    reason: str = ""
    audit: tuple[str, ...] = ()
    coq: dict[str, list[str]] = field(default_factory=dict)
    refuted: dict[str, list[str]] = field(default_factory=dict)
    construction: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """Its number in the paper; empty for a remark."""
        found = NUMBERED.match(self.name)
        return found[0] if found else ""

    @property
    def names_in_audits(self) -> tuple[str, ...]:
        """The names that claims files have for it."""
        return self.audit or (("Hahn, " if self.paper == "Hahn" else "") + self.name,)

    @property
    def verdict(self) -> str:
        """The words of the page, which its first table explains."""
        if self.statement in ("definition", "not decided", "fails on a reading"):
            return {"definition": "defined", "fails on a reading": "refuted on a reading"}.get(self.statement,
                                                                                               self.statement)
        proved = self.statement == "holds" and self.proof in ("", "holds")
        if not self.coq:
            return "certified" if proved else "repaired, not in Coq"
        words = ("answered" if self.statement == "open" else "proved" if proved
                 else "proof repaired" if self.statement == "holds" else "repaired")
        if self.of == "Section 3.1 repaired":
            return "proved with Section 3.1 repaired" if proved else "proof and Section 3.1 repaired"
        return f"{words} for our networks" if self.of == "our networks" else words


def read_statements(path: Path = FOLDER / "statements.toml") -> tuple[StatementEntry, ...]:
    """Return the whole list."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["statement"]
    return tuple(StatementEntry(**{key: tuple(value) if isinstance(value, list) else value for key,
                                   value in entry.items()})
                 for entry in entries)


def row(one: StatementEntry, name: str) -> str:
    """Return the row of a statement under this name."""
    verdict = one.verdict + (f": {one.repair}" if one.repair else "")
    theorems = [f"`{file}`: " + ", ".join(f"`{name}`" for name in names) for file, names in one.coq.items()]
    coq = "; ".join([*theorems, *([one.reason] if one.reason else [])])
    files = [", ".join(f"`{path}`" for path in paths) for paths in (one.construction, one.tests)]
    return "| " + " | ".join([name, verdict, coq, *files]) + " |"


def table(title: str, listed: tuple[StatementEntry, ...], name: Callable[[StatementEntry], str]) -> str:
    """Return a table with this title of its first column."""
    return "\n".join([f"| {title} | verdict | Coq | construction | tested by |", "|---|---|---|---|---|",
                      *(row(one, name(one)) for one in listed)])


def page(text: str, listed: tuple[StatementEntry, ...]) -> str:
    """Return the page with its tables as the list has them."""
    papers = [tuple(one for one in listed if one.number and one.paper == paper) for paper in ("SHA", "Hahn")]
    remarks = tuple(one for one in listed if not one.number)
    written = iter([*(table("statement", numbered, lambda one: one.name) for numbered in papers),
                    table("remark", remarks, lambda one: f"[{one.paper}] {one.name}")])
    return re.sub(r"^\| (statement|remark) \| verdict .*\n(\|.*\n)+", lambda _: next(written) + "\n", text,
                  flags=re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read_statements()), encoding="utf-8")
