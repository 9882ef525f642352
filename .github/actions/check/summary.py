#!/usr/bin/env -S python3 -I -S
"""Check the certificates of a repository by the trusted folder, and print a summary in Markdown.

    python -I -S .github/actions/check/summary.py [--badge FILE] [--work N] [FILE|PATTERN]...

A pattern is one of `pathlib` (default: '**/*.cert'). Each file is checked by a separate process, `python -I -S
proofs/check FILE`; its output goes to standard error, the summary to standard output. The exit status is the checker's
status for the gravest verdict, or 2 if there are no files. --badge writes an SVG picture of the result for all files
together. The standard library only.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
CHECKER = ROOT / "proofs" / "check"
headline = run_path(str(ROOT / "certify" / "exports" / "headline.py"))["headline"]
PATTERN = "**/*.cert"
VERDICTS = {0: "accepted", 1: "rejected", 3: "incomplete"}
GRAVEST_FIRST = (1, 2, 3, 0)
LONGEST = 200
GREEN, RED, GREY = "#2c7a45", "#b3261e", "#5a5a5a"


class Checked(NamedTuple):
    """The checker's result for a file: its exit status, and its last line."""

    file: str
    status: int
    says: str

    @property
    def verdict(self) -> str:
        """The checker's verdict in a word; status 2 is malformed or unreadable, as its line says."""
        return VERDICTS.get(self.status) or self.says.partition(":")[0]


def find_files(arguments: list[str]) -> list[str]:
    """Return every file once, expanding patterns in the order of names; folders that begin with a dot are skipped."""
    found: dict[str, None] = {}
    for argument in arguments or [PATTERN]:
        if Path(argument).is_file() or not re.search(r"[*?\[]", argument):
            found[argument] = None
            continue
        paths = (path for path in sorted(Path().glob(argument)) if path.is_file())
        found |= {str(path): None for path in paths if not any(part.startswith(".") for part in path.parts[:-1])}
    return list(found)


def check(file: str, work: int) -> Checked:
    """Run the checker on one file."""
    name = f"./{file}" if file.startswith("-") else file
    done = subprocess.run([sys.executable, "-I", "-S", str(CHECKER), "--work", str(work), "--", name],
                          capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, sep="", end="", file=sys.stderr, flush=True)
    lines = done.stdout.splitlines()
    accepted = done.returncode == 0 and bool(lines) and lines[-1].startswith("accepted: ")
    if accepted:
        return Checked(file, 0, headline(lines))
    status = done.returncode if done.returncode in (1, 2, 3) else 3
    return Checked(file, status, lines[-1] if lines else "incomplete: the checker printed nothing")


def badge_of(checked: list[Checked]) -> tuple[str, str]:
    """Return the words and the colour for all files together: at most the result of the least of them."""
    bad = [each for each in checked if each.status]
    if bad:
        gravest = min(bad, key=lambda each: GRAVEST_FIRST.index(each.status))
        return f"{gravest.verdict}: {len(bad)} of {len(checked)}", RED
    said = {each.says for each in checked}
    if len(said) == 1:
        words = said.pop()
        return words, GREEN if words.startswith(("right", "a claim about")) else GREY
    return f"{len(checked)} accepted", GREEN if not any(each.startswith(("wrong", "a claim that asks")) for each in said
                                                        ) else GREY


def draw_badge(words: str, colour: str) -> str:
    """Return a picture of one line: "certificate" and the result."""
    left, right = 78, 20 + 7 * len(words)
    shown = words.replace("&", "&amp;").replace("<", "&lt;")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
            f'aria-label="certificate: {shown}"><title>certificate: {shown}</title>'
            f'<rect width="{left}" height="20" fill="#444"/>'
            f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            f'<text x="{left / 2:g}" y="14">certificate</text>'
            f'<text x="{left + right / 2:g}" y="14" textLength="{right - 14}">{shown}</text></g></svg>\n')


def summary(checked: list[Checked]) -> str:
    """Return the table; text from files and their names is escaped."""
    words, _ = badge_of(checked)
    rows = "".join(f"| {plain(each.file)} | {each.verdict} | {plain(said(each))} |\n" for each in checked)
    return (f"### Certificate: {plain(words)}\n\n| file | verdict | what is proved, or why not |\n|---|---|---|\n"
            f"{rows}\nChecked by `python -I -S proofs/check`, which needs nothing but Python's standard library.\n")


def said(checked: Checked) -> str:
    """Return the result without the parts in other columns: the verdict and the name of the file."""
    text = checked.says
    for part in (f"{checked.verdict}: ", f"{checked.file}: ", f"./{checked.file}: "):
        text = text.removeprefix(part)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def plain(text: str) -> str:
    """Escape every character with a meaning in Markdown or HTML as a number."""
    return "".join(c if c.isascii() and (c.isalnum() or c in " /,;") else f"&#{ord(c)};" for c in text)


def main() -> int:
    """Check, print, draw; return the exit status of the gravest verdict."""
    parser = argparse.ArgumentParser(description="Checks certificates and prints a summary in Markdown.")
    parser.add_argument("files", nargs="*", metavar="FILE|PATTERN")
    parser.add_argument("--badge", metavar="FILE", help="write an SVG picture here")
    parser.add_argument("--work", type=int, default=1, metavar="N", help="allow N times the default work and memory")
    options = parser.parse_args()
    try:
        files = find_files(options.files)
    except (NotImplementedError, ValueError) as error:  # from pathlib, about a pattern
        print(f"{' '.join(options.files)}: {error}, expected names and patterns like {PATTERN}", file=sys.stderr)
        return 2
    if not files:
        print(f"no file matches {' or '.join(options.files or [PATTERN])}, expected certificates", file=sys.stderr)
        return 2
    if options.badge and Path(options.badge).resolve() in {Path(file).resolve() for file in files}:
        print(f"{options.badge}: a certificate that is checked, expected another place for the badge", file=sys.stderr)
        return 2
    checked = [check(file, options.work) for file in files]
    print(summary(checked), end="")
    status = next(status for status in GRAVEST_FIRST if status in {each.status for each in checked})
    if options.badge:
        try:
            Path(options.badge).write_text(draw_badge(*badge_of(checked)), encoding="utf-8")
        except OSError as error:
            print(f"{options.badge}: cannot be written: {error.strerror}", file=sys.stderr)
            return status or 2
    return status


if __name__ == "__main__":
    sys.exit(main())
