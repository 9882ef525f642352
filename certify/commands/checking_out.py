"""`certify checker`: the trusted checker as one file."""

from __future__ import annotations

from typing import Annotated

import typer


def checker(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="where to write it")] = "check.pyz",
) -> None:
    """Write the independent checker as one file.

    For somebody who has Python and nothing else: it runs as python -I -S check.pyz CERTIFICATE... and is the same, byte
    for byte, whoever writes it.
    """
    from certify.exports.checker import write_checker

    write_checker(output)
