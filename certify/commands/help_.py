"""`certify help` and `certify list`: commands, shipped examples, guides and names, without a checkout."""

from typing import Annotated, Literal

import typer

from certify.common.terminal import Json, print_json
from certify.requests.options import written_folder
from constructions.errors import InputError, suggest

Section = Literal["examples", "claims", "predicates", "statements", "guides"]


def show_help(
    context: typer.Context,
    command: Annotated[str | None, typer.Argument(
        metavar="COMMAND", help="explain this command; default: list those that most users need")] = None,
    everything: Annotated[bool, typer.Option("--all", help="list all commands")] = False,
) -> None:
    """Explain a command and its options, or list the commands."""
    from constructions.language.diagnosis import quote

    page = context.find_root()
    commands = page.command.commands  # type: ignore[attr-defined]  # the root is the group of all commands
    if command is None:
        page.meta["everything"] = everything
        print(page.get_help())
    elif command in commands:
        with commands[command].make_context(command, [], parent=page, resilient_parsing=True) as asked:
            print(asked.get_help())
    else:
        raise InputError(f"help: no command {quote(command)}, expected one of {', '.join(sorted(commands))}"
                         f"{suggest(command, commands)}")


def list_all(
    section: Annotated[Section | None, typer.Argument(
        metavar="SECTION", help="what to list, with a line about each")] = None,
    name: Annotated[str | None, typer.Argument(
        metavar="NAME", help="only this entry; of a guide its text")] = None,
    everything: Annotated[bool, typer.Option("--all", help="all sections")] = False,
    copy: Annotated[str | None, typer.Option(
        "--copy", metavar="DIR", parser=written_folder, help="with examples: copy all of them, and the claims files, "
        "into a new folder")] = None,
) -> None:
    """List examples, claims about numbers, predicates, statements of [SHA] and guides.

    certify list guides NAME prints a guide. certify list examples --copy DIR copies formulas, programs, models, trained
    networks and claims files, as the guides name them; nothing is overwritten.
    """
    from certify.claims.formula.listing import SECTIONS, listing_to_json, print_listing, print_sections
    from certify.common.shipped import copy_examples, read_page

    if copy is not None:
        if section != "examples" or name is not None:
            raise InputError("--copy: found no section examples, expected certify list examples --copy DIR")
        return copy_examples(copy)
    if section == "guides" and name is not None and not Json.wanted:
        return print(read_page(name), end="")
    names: list[str] = [section] if section else list(SECTIONS)
    if Json.wanted:
        print_json(listing_to_json(names, name))
    elif section or everything:
        print_sections(names, name)
    else:
        print_listing()
    return None
