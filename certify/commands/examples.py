"""`certify examples`: what is installed with the program, for those who have no checkout."""

from typing import Annotated

import typer

from certify.asking.options import written_folder


def examples(
    folder: Annotated[str, typer.Argument(metavar="DIR", parser=written_folder, help="a new folder, or an empty one")],
) -> None:
    """Copy the shipped examples and claims into a folder.

    Formulas, programs, models, trained networks and claims files, as the guides name them. Nothing is overwritten.
    """
    from certify.frame.shipped import copy_examples

    copy_examples(folder)
