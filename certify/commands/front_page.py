"""What `certify` and `certify --help` show: five commands first, the others in groups, and what nearly all share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer.core

from certify.commands.command import COMMON

FIRST = "Begin with"
OTHERS = "Other questions"
GROUPS: Mapping[str, Sequence[str]] = {
    FIRST: ("formula", "check", "run", "decide", "audit"),
    "Build and export": ("build", "import", "train", "soften", "export", "card", "site", "checker", "crosscheck"),
    OTHERS: ("explain", "model", "margin", "sensitivity", "cross-entropy", "floats", "learn", "equal"),
    "Every n": ("prove",),
    "Help": ("help", "examples", "list", "docs", "mcp"),
}
"""Where each command stands; one that is not named here is another question."""
OF_MOST_COMMANDS = "Options of most commands"


def grouped(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of each group.

    >>> dict(grouped(["formula", "prove", "guess"]))
    {'Begin with': ['formula'], 'Other questions': ['guess'], 'Every n': ['prove']}
    """
    placed = {name for those in GROUPS.values() for name in those}
    for title, those in GROUPS.items():
        found = [name for name in those if name in names]
        if title == OTHERS:
            found += [name for name in names if name not in placed]
        if found:
            yield title, found


class FrontPage(typer.core.TyperGroup):
    """The commands in groups, those to begin with first."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All of them, group by group."""
        return [name for _, names in grouped(list(self.commands)) for name in names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A section for each group, and the options that need not be learnt twice."""
        for title, names in grouped(list(self.commands)):
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str()) for name in names])
        with formatter.section(OF_MOST_COMMANDS):
            formatter.write_dl(self.common_options(ctx))

    def common_options(self, ctx: Any) -> list[tuple[str, str]]:
        """How they are written, and their help, as the first command says it."""
        command = self.commands[GROUPS[FIRST][0]]
        found = {each.name: each.get_help_record(ctx) for each in command.get_params(ctx)}
        return [record for name in COMMON if (record := found.get(name)) is not None]
