"""`certify docs`: the guides, for those who have no checkout."""

from typing import Annotated

import typer


def docs(
    page: Annotated[str | None, typer.Argument(
        metavar="PAGE", help="print this page; left out: list all with their places")] = None,
) -> None:
    """List the guides, or print one of them."""
    from certify.frame.shipped import list_pages, read_page

    print(list_pages() if page is None else read_page(page), end="")
