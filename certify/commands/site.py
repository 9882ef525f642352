"""`certify site`: a folder of static pages, with a gallery of certificates and the checker in a page."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from certify.asking import options as option


def site(
    certificates: Annotated[list[str] | None, typer.Argument(
        metavar="CERT...", help="certificates for the gallery; left out: the shipped formulas, proved now")] = None,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="DIR", parser=option.written_folder, help="a new folder, or an empty one")] = "site",
    pyodide: Annotated[str | None, typer.Option(
        "--pyodide", metavar="FILE", help="Python for browsers, as npm pack pyodide writes it: then a page runs the "
        "checker")] = None,
    max_n: Annotated[int, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number, help="prove the shipped formulas up to this length")] = 16,
    quiet: option.Quiet = False,
) -> None:
    """Write a web site with a gallery and the checker.

    It loads nothing from elsewhere, and any server of files will do: python -m http.server. With --pyodide its page of
    the checker runs the trusted folder, byte for byte, in the browser of whoever drops a certificate.
    """
    from certify.frame.files import write_folder
    from certify.frame.progress import ProgressLine
    from certify.frame.words import counted
    from certify.site.build import site_files
    from certify.site.gallery import exhibits_of_files, shipped_exhibits
    from certify.site.pyodide import read_pyodide

    python = None if pyodide is None else read_pyodide(pyodide)
    with ProgressLine() as progress:
        exhibits = exhibits_of_files(certificates, progress) if certificates else shipped_exhibits(max_n, progress)
        files = site_files(exhibits, python)
    write_folder(output, files)
    print(f"{counted(len(exhibits), 'certificate')}, {counted(len(files), 'file')} in {output}", file=sys.stderr)
