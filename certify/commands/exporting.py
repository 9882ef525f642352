"""`certify export`: a certificate or model in the format of another tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from certify.exports.subject import Subject

Files = Mapping[str, str | bytes]
"""The files of a folder, by their paths in it."""


def to_coq(subject: Subject) -> Files:
    """The theorem for every n, and the library that it needs."""
    from certify.exports.coq import coq_folder

    return coq_folder(subject)


EXPORTERS: Mapping[str, Callable[[Subject], Files]] = {"coq": to_coq}
"""What makes the folder of each format."""


def export(
    path: Annotated[str, typer.Argument(
        metavar="CERT|MODEL", help="a certificate or a model file; - is standard input")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"the format: {', '.join(EXPORTERS)}")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="a folder that is new or empty")],
) -> None:
    """Write a network and its theorem for another tool.

    As a folder: --to coq is a theorem for every n that Coq alone checks.
    """
    from certify.exports.subject import read_subject
    from certify.files import check_new_folder, write_folder
    from constructions.errors import InputError

    if to not in EXPORTERS:
        raise InputError(f"--to: found {to}, expected one of {', '.join(EXPORTERS)}")
    check_new_folder(output)
    write_folder(output, EXPORTERS[to](read_subject(path)))
