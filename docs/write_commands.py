"""The page docs/commands.md, from what the commands say of themselves.

It is written by `python docs/write_commands.py > docs/commands.md`.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

from certify.cli import command_line

WIDTH = "110"
PREFACE = """\
# The commands

What each command says of itself (`certify COMMAND --help`). Exit status: 0 certified, proved or accepted, 1 refuted or
rejected, 2 bad usage or input, 3 unknown, unproved or unsupported; 130 after Ctrl-C, 141 if nobody reads the output any
more (`certify list | head -1`). `-` reads standard input; `--json` prints one JSON object and nothing else. Other pages
have the formats and what is claimed: [README](../README.md) names the page of each.
"""


def page() -> str:
    """The whole page."""
    commands = command_line().commands
    rows = [f"| [`certify {name}`](#certify-{name}) | {command.get_short_help_str(limit=200)} |"
            for name, command in commands.items()]
    sections = [f"## certify {name}\n\n```text\n{help_of(name)}\n```\n" for name in commands]
    return "\n".join([PREFACE, "| command | what it does |\n|---|---|", *rows, "", *sections])


def help_of(name: str) -> str:
    """What ``certify NAME --help`` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        command_line().main([name, "--help"], prog_name="certify", standalone_mode=False, max_content_width=int(WIDTH))
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())


if __name__ == "__main__":
    os.environ["COLUMNS"] = WIDTH
    sys.stdout.write(page())
