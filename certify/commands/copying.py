"""`certify examples` and `certify docs`: what is installed with the program, for those who have no checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from certify.options import written_folder


def examples(
    folder: Annotated[str, typer.Argument(metavar="DIR", parser=written_folder, help="a new folder, or an empty one")],
) -> None:
    """Copy the shipped examples and claims into DIR.

    Formulas, programs, models, trained networks and claims files, as the guides name them. Nothing is overwritten.
    """
    from certify.shipped import copy_examples

    copy_examples(folder)


def docs(
    page: Annotated[str | None, typer.Argument(
        metavar="PAGE", help="print this page; left out: list all with their places")] = None,
) -> None:
    """List the guides, or print one of them."""
    from certify.shipped import list_pages, read_page

    print(list_pages() if page is None else read_page(page), end="")
