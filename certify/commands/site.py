"""`certify site`: a folder of static pages, with a gallery of certificates and the checker in a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from certify.requests import options as option

if TYPE_CHECKING:
    from certify.exports.site.gallery import GalleryRequest


def site(
    certificates: Annotated[list[str] | None, typer.Argument(
        metavar="CERT...", help="certificates for the gallery; left out: those of the shipped formulas and "
        "networks, proved now, and audits of both papers")] = None,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="DIR", parser=option.written_folder, help="a new folder, or an empty one")] = "site",
    pyodide: Annotated[str | None, typer.Option(
        "--pyodide", metavar="FILE", help="Python for browsers, as npm pack pyodide writes it: then a page runs the "
        "checker")] = None,
    wheels: Annotated[str | None, typer.Option(
        "--wheels", metavar="DIR", help="with --pyodide: prove formulas in the page, too, by python-flint and "
        "Z3, whose wheels for browsers are in this folder")] = None,
    verified: Annotated[list[str] | None, typer.Option(
        "--verified", metavar="DIR", help="with --pyodide: run this checker in the page, too, which is proved in Coq; "
        "the folder is what certify checker --verified --javascript writes, or --every-n --javascript")] = None,
    max_n: Annotated[int, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number, help="prove the shipped formulas up to this length")] = 16,
    trained: Annotated[int, typer.Option(
        "--trained-max-n", metavar="N", parser=option.whole_number, help="decide the shipped trained networks up to "
        "this length; 0: leave them out")] = 6,
    papers: Annotated[int, typer.Option(
        "--papers-max-n", metavar="N", parser=option.whole_number, help="audit the claims of both papers up to this "
        "length; 0: leave them out")] = 8,
    audits: Annotated[list[str] | None, typer.Option(
        "--audit", metavar="CLAIMS.toml", help="put the audit of this claims file into the gallery, too, with all its "
        "lengths")] = None,
) -> None:
    """Write a web site with a gallery and the checker.

    It loads nothing from elsewhere, and any server of files will do: python -m http.server. With --pyodide its page of
    the checker runs the trusted folder, byte for byte, in the browser of whoever drops a certificate, and in its
    workbench formulas are read as one types them; with --wheels they are proved there, too. With --verified a checker
    that is proved in Coq judges the same file.
    """
    from certify.exports.site.gallery import GalleryRequest
    from constructions.errors import InputError

    for name, length in (("--trained-max-n", trained), ("--papers-max-n", papers)):
        if length < 0:
            raise InputError(f"{name}: {length}, expected 0 or more")
    for name, given, why in (("--verified", verified, "the checker in Python comes first"),
                             ("--wheels", wheels, "the prover runs in Python")):
        if given and pyodide is None:
            raise InputError(f"{name}: expected --pyodide, too: {why}")
    write(output, GalleryRequest(certificates or (), audits or (), max_n, trained, papers), pyodide, verified or (),
          wheels)


def write(output: str, wanted: GalleryRequest, pyodide: str | None, verified: Sequence[str], wheels: str
          | None) -> None:
    """Write the site: what is wanted in its gallery, and what runs in its pages."""
    from certify.common.files import write_folder
    from certify.common.progress import ProgressLine
    from certify.common.words import counted
    from certify.exports.site.build import site_files
    from certify.exports.site.pinned import read_pyodide, read_wheels
    from certify.exports.site.proved import read_proved

    proved = read_proved(verified)
    python = None if pyodide is None else read_pyodide(pyodide)
    provers = None if wheels is None else read_wheels(wheels)
    with ProgressLine() as progress:
        exhibits, reports = wanted.show(progress)
        files = site_files(exhibits, python, reports, proved, provers)
    write_folder(output, files)
    from certify.common.terminal import tell

    tell(f"{counted(len(exhibits), 'certificate')}, {counted(len(files), 'file')} in {output}")
