"""The two front pages: ``certify --help`` has ten commands, ``certify help --all`` all of them in groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer.core

from certify.commands.command import COMMON
from certify.commands.help_examples import HELP_EXAMPLES

MOST_USED = ("formula", "model", "decide", "audit", "check", "run", "import", "learn", "export", "help")
"""The commands of the first page."""
OTHERS = "Other questions"
GROUPS: Mapping[str, Sequence[str]] = {
    "Prove or refute": ("formula", "model", "decide", "audit", "equal", "prove"),
    "Check and run": ("check", "run", "floats"),
    "Build and export": ("build", "import", "train", "export"),
    OTHERS: ("explain", "learn", "heads", "ablate", "harden", "sensitivity", "cross-entropy"),
    "Help": ("help", "list", "mcp"),
}
"""The group of each command; "Other questions" by default."""
OF_MOST_COMMANDS = "Options of most commands"


def grouped(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of each group.

    >>> dict(grouped(["formula", "run", "guess"]))
    {'Prove or refute': ['formula'], 'Check and run': ['run'], 'Other questions': ['guess']}
    """
    placed = {name for those in GROUPS.values() for name in those}
    for title, those in GROUPS.items():
        found = [name for name in those if name in names]
        if title == OTHERS:
            found += [name for name in names if name not in placed]
        if found:
            yield title, found


class FrontPage(typer.core.TyperGroup):
    """The group of all commands, which prints both pages."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return all commands, group by group."""
        return [name for _, names in grouped(list(self.commands)) for name in names]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the introduction of the first page, before options and commands."""
        if not ctx.meta.get("everything", False):
            formatter.write("\n".join(["", "In a minute:", *(f"  {line}" for line in HELP_EXAMPLES["certify"]), ""]))
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write ten commands, or all of them in groups; and the options of most commands."""
        everything = ctx.meta.get("everything", False)
        sections = grouped(list(self.commands)) if everything else [("Commands", MOST_USED)]
        for title, names in sections:
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str()) for name in names])
        if not everything:
            formatter.write(f"\ncertify help --all lists all {len(self.commands)} commands.\n")
        with formatter.section(OF_MOST_COMMANDS):
            formatter.write_dl(self.common_options(ctx))

    def common_options(self, ctx: Any) -> list[tuple[str, str]]:
        """Return the common options and their help, as the first command has them."""
        command = self.commands[MOST_USED[0]]
        found = {each.name: each.get_help_record(ctx) for each in command.get_params(ctx)}
        return [record for name in COMMON if (record := found.get(name)) is not None]
