"""`certify help`: the front page, or what `certify COMMAND --help` shows."""

from typing import Annotated

import typer


def show_help(
    context: typer.Context,
    command: Annotated[str | None, typer.Argument(
        metavar="COMMAND", help="explain this command; left out: list all")] = None,
) -> None:
    """Explain a command and its options, or list all commands."""
    from constructions.errors import InputError, meant
    from constructions.language.diagnosis import quote

    page = context.find_root()
    commands = page.command.commands  # type: ignore[attr-defined]  # the root is the group of all commands
    if command is None:
        print(page.get_help())
    elif command in commands:
        with commands[command].make_context(command, [], parent=page, resilient_parsing=True) as asked:
            print(asked.get_help())
    else:
        raise InputError(f"help: no command {quote(command)}, expected one of {', '.join(sorted(commands))}"
                         f"{meant(command, commands)}")
