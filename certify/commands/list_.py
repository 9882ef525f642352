"""`certify list`: what there is."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from certify.asking import options as option
from certify.frame.terminal import print_json

Section = Literal["examples", "predicates", "statements", "examinations"]


def list_all(
    section: Annotated[Section | None, typer.Argument(
        metavar="SECTION", help="what to list, with a line about each")] = None,
    everything: Annotated[bool, typer.Option("--all", help="all sections")] = False,
    as_json: option.Json = False,
) -> None:
    """List examples, predicates and statements of [SHA]."""
    from certify.formula.listing import SECTIONS, listing_to_json, print_listing, print_sections

    names: Sequence[str] = [section] if section else list(SECTIONS)
    if as_json:
        print_json(listing_to_json(names))
    elif section or everything:
        print_sections(names)
    else:
        print_listing()
