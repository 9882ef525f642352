"""The page docs/reference/commands.md, from what the commands say of themselves.

Run `python docs/tools/write_commands.py > docs/reference/commands.md`. An option with one meaning in several commands
is described once; each command then only names it.
"""

import os
import sys
from collections import Counter
from typing import Any

from certify.cli import command_line
from certify.commands.front_page import grouped

WIDTH = 120
PREFACE = """\
# Commands

The help text of each command. For example, `certify help formula` (or `certify formula --help`)
prints the section [certify formula](#certify-formula) with all options in one list.

Exit status: 0 certified, proved or accepted, 1 refuted or rejected, 2 bad usage or input, 3
unknown, unproved or unsupported; 130 after Ctrl-C, 141 if the output is closed early (`certify list
| head -1`). `-` reads standard input. [README](../../README.md) names the page of each format and
claim.

**Time limits.** `--timeout S` ends a command after S seconds. The verdict is then *unknown*
(*incomplete* for the check of a certificate) and the exit status 3. With a time limit, lengths are
decided in stretches that double. The output is the answer for the last finished stretch, with
`certified_to` in JSON. `--output` gets its certificate, which is about these lengths only, and no
model or page is written. If a word that breaks the claim was found by then, the whole claim is
refuted. Within the limit, the answer is the same as without it. An audit of a claims file keeps its
finished claims for `--resume`, `--store` its finished parts.
"""
SHARED = "## Options of several commands\n\n`--help` (`-h`) shows the help of any command.\n"

Option = tuple[str, str]
"""How an option is written, and its help."""


class Section:
    """One command: what it takes and what it says of itself."""

    def __init__(self, name: str, command: Any) -> None:
        """Ask the command; no argument is given, so none is read."""
        self.name, self.command = name, command
        self.context = command.make_context(f"certify {name}", [], resilient_parsing=True, max_content_width=WIDTH)
        found = command.get_params(self.context)
        self.arguments = [_record(each, self.context) for each in found if each.param_type_name == "argument"]
        records = [_record(each, self.context) for each in found if each.param_type_name == "option"]
        self.options = [record for record in records if record[0] != "--help"]

    def text(self, shared: set[Option]) -> str:
        """Return the section, with the options that are not shared in full."""
        page = self.context.make_formatter()
        self.command.format_usage(self.context, page)
        self.command.format_help_text(self.context, page)
        named = [_longest_name(each) for each in self.options if each in shared]
        own = [each for each in self.options if each not in shared]
        if self.arguments:
            with page.section("Arguments"):
                page.write_dl(self.arguments)
        if own or named:
            with page.section("Options"):
                if own:
                    page.write_dl(own)
                if named:
                    page.write_text(("and, described above: " if own else "described above: ") + ", ".join(named))
        self.command.format_epilog(self.context, page)
        return f"## certify {self.name}\n\n{block(page.getvalue())}"


def _record(parameter: Any, context: Any) -> Option:
    written, text = parameter.get_help_record(context)
    return str(written), str(text)


def _longest_name(option: Option) -> str:
    """Return ``--quiet`` for ``-q, --quiet``, and ``--output`` for ``-o, --output FILE``."""
    return next(word for word in reversed(option[0].split()) if word.startswith("-"))


def shared_options(sections: list[Section]) -> dict[Option, None]:
    """Return the options described once: for each name, the meaning that most commands share, if several do."""
    times = Counter(option for section in sections for option in section.options)
    best: dict[str, Option] = {}
    for option in times:
        name = _longest_name(option)
        if times[option] > 1 and (name not in best or times[option] > times[best[name]]):
            best[name] = option
    return dict.fromkeys(option for option in times if best.get(_longest_name(option)) == option)


def block(text: str) -> str:
    """Return a text as it stands on a terminal."""
    lines = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
    return f"```text\n{lines}\n```\n"


def page() -> str:
    """Return the whole page."""
    commands = command_line().commands
    groups = list(grouped(list(commands)))
    sections = [Section(name, commands[name]) for _, names in groups for name in names]
    shared = shared_options(sections)
    described = sections[0].context.make_formatter()
    described.write_dl(list(shared))
    rows = [f"| [`certify {name}`](#certify-{name}) | {commands[name].get_short_help_str()} | {title.lower()} |"
            for title, names in groups for name in names]
    head = "| command | what it does | group in `certify --help` |\n|---|---|---|"
    return "\n".join([PREFACE, head, *rows, "", SHARED,
                      block(described.getvalue()), *[each.text(set(shared)) for each in sections]])


if __name__ == "__main__":
    os.environ["COLUMNS"] = str(WIDTH)
    sys.stdout.write(page())
