"""`certify help`, `list`, `docs` and `examples`: what there is, for those who have no checkout."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from certify.common.terminal import Json, print_json
from certify.requests.options import written_folder

Section = Literal["examples", "predicates", "statements", "examinations"]


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


def list_all(
    section: Annotated[Section | None, typer.Argument(
        metavar="SECTION", help="what to list, with a line about each")] = None,
    everything: Annotated[bool, typer.Option("--all", help="all sections")] = False,
) -> None:
    """List examples, predicates and statements of [SHA]."""
    from certify.claims.formula.listing import SECTIONS, listing_to_json, print_listing, print_sections

    names: Sequence[str] = [section] if section else list(SECTIONS)
    if Json.wanted:
        print_json(listing_to_json(names))
    elif section or everything:
        print_sections(names)
    else:
        print_listing()


def docs(
    page: Annotated[str | None, typer.Argument(
        metavar="PAGE", help="print this page; left out: list all with their places")] = None,
) -> None:
    """List the guides, or print one of them."""
    from certify.common.shipped import list_pages, read_page

    print(list_pages() if page is None else read_page(page), end="")


def examples(
    folder: Annotated[str, typer.Argument(metavar="DIR", parser=written_folder, help="a new folder, or an empty one")],
) -> None:
    """Copy the shipped examples and claims into a folder.

    Formulas, programs, models, trained networks and claims files, as the guides name them. Nothing is overwritten.
    """
    from certify.common.shipped import copy_examples

    copy_examples(folder)
