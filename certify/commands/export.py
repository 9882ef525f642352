"""`certify export`: a certificate for other tools and for people, a web site, and the checkers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast, get_args

import typer

from certify.commands.command import refuse_options
from certify.common.files import check_new_folder, write_folder
from certify.common.output_guard import note_output
from certify.common.progress import ProgressLine
from certify.common.terminal import tell
from certify.exports.formats import EXPORTERS, RUNNABLE, Format, load_exporter
from certify.requests.inputs import as_option
from certify.requests.options import flag, whole_number, with_options, written_place
from constructions.errors import InputError

Precision = Literal["binary32", "binary16", "bfloat16"]
Checker = Literal["checker", "certify-check", "certify-every-n"]
CHECKERS: Mapping[Checker, str] = {
    "checker": "check.pyz", "certify-check": "certify-check", "certify-every-n": "certify-every-n"}
"""Default outputs by format."""
TO = (*EXPORTERS, "card", "site", *CHECKERS)


def read_precision(text: str) -> str:
    """Return the value of --precision; fp16 and other names of libraries are read, too."""
    from constructions.network.float_formats import format_name

    if (name := format_name(text)) not in get_args(Precision):
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected one of {', '.join(get_args(Precision))}")
    return name


def read_format(text: str) -> str:
    """Return the value of --to."""
    if text not in TO:
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected one of {', '.join(TO)}")
    return text


def of_formats(formats: Sequence[str], name: str, text: str, metavar: str | None = None, kind: Any = str | None,
               parser: Any = None) -> tuple[Sequence[str], Any]:
    """Return these formats, and the annotation of an option that only they take."""
    return formats, flag(name, f"for {', '.join(formats)}: {text}", metavar, kind, parser=parser)


OF_FORMATS: Mapping[str, tuple[Sequence[str], Any]] = {
    "precision": of_formats(RUNNABLE, "--precision", "the precision of the weights (default: binary32)",
                            "<binary32|binary16|bfloat16>", parser=read_precision),
    "unchecked": of_formats(("coq",), "--unchecked", "do not run Coq; the folder then says that nothing is proved yet",
                            kind=bool),
    "min_n": of_formats(("coq",), "--min-n", "state it for words of at least this length", "N", int | None,
                        whole_number),
    "max_n": of_formats(("coq", "site"), "--max-n", "state it for words of at most this length (coq, default: all "
                        "words); prove the shipped formulas up to it (site, default: 16)", "N", int | None,
                        whole_number),
    "numbers": of_formats(("certify-check",), "--numbers", "numbers as Coq has them (default), or, faster, of Zarith",
                          kind=Literal["coq", "zarith"] | None),
    "javascript": of_formats(("certify-check", "certify-every-n"), "--javascript", "as JavaScript, for the page of a "
                             "site", kind=bool),
    "pyodide": of_formats(("site",), "--pyodide", "Python for browsers, as npm pack pyodide writes it: then a page "
                          "runs the checker", "FILE"),
    "wheels": of_formats(("site",), "--wheels", "with --pyodide: prove formulas in the page, too, by python-flint and "
                         "Z3, whose wheels for browsers are in this folder", "DIR"),
    "verified": of_formats(("site",), "--verified", "with --pyodide: run this checker in the page, too; the folder is "
                           "one that --to certify-check or certify-every-n wrote with --javascript", "DIR",
                           list[str] | None),
    "trained_max_n": of_formats(("site",), "--trained-max-n", "decide the shipped trained networks up to this length "
                                "(default: 6); 0: leave them out", "N", int | None, whole_number),
    "papers_max_n": of_formats(("site",), "--papers-max-n", "audit the claims of both papers up to this length ("
                               "default: 8); 0: leave them out", "N", int | None, whole_number),
    "audit": of_formats(("site",), "--audit", "put the audit of this claims file into the gallery, too, with all its "
                        "lengths", "CLAIMS.toml", list[str] | None),
}
"""The options that only some formats take."""


@with_options(f"to files output {' '.join(OF_FORMATS)}", {name: each for name, (_, each) in OF_FORMATS.items()})
def export(
    to: Annotated[str, typer.Option(
        "--to", metavar="FORMAT", parser=read_format, help="coq: a theorem for every n; smt2: scripts for solvers; "
        "latex: tables; tikz: the network as a picture; figures: PDF and SVG for papers; proof: for people; html: a "
        "page; npz: matrices; onnx: a model; torch: a module; safetensors: its weights; card: Markdown for a model "
        "card; site: a web site with a gallery and the checker; checker: the independent checker as one file for "
        "Python; certify-check: a checker of certificates that is proved in Coq, as an OCaml program; certify-every-n: "
        "the checker of models and certificates for every n that certify prove runs in Coq, as such a program")],
    files: Annotated[list[str] | None, typer.Argument(
        metavar="CERT|MODEL", help="a certificate (for coq, a model file will do); - is standard input; for site any "
        "number, default: those of the shipped formulas and networks, proved now; for checkers none")] = None,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="PLACE", parser=written_place,
        help="a new folder for coq, smt2, figures, torch, site (default: site), certify-check and certify-every-n "
             "(default: that name); else a file (latex, tikz, proof, html: - is standard output; card, default: "
             "standard output; checker, default: check.pyz)")] = None,
    **asked: Any,
) -> None:
    """Write a network, what is proved of it, or a checker, for other tools.

    A certificate is checked first; one that is rejected is not exported. A theorem for Coq is exported only if Coq
    accepts it, or with --unchecked. The checkers are for somebody who has nothing else: check.pyz runs as python -I -S
    check.pyz CERTIFICATE... and is the same, byte for byte, whoever writes it; the other two need coqc and ocamlopt to
    be built. A site loads nothing from elsewhere, and any server of files will do. docs/howto/exports.md has the
    formats.
    """
    for name, (formats, _) in OF_FORMATS.items():
        expected = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
        refuse_options(f"found --to {to}, expected --to {expected}",
                       {as_option(name): asked[name]} if to not in formats else {})
    given = files or []
    if to in CHECKERS and given:
        raise InputError(f"--to {to}: found {given[0]}, expected no file")
    if to in CHECKERS:
        return write_checker(cast(Checker, to), output, asked)
    if to == "site":
        return write_site(given, output, asked)
    if len(given) != 1:
        raise InputError(f"--to {to}: found {len(given)} files, expected one")
    if to == "card":
        from certify.exports.card import write_card

        if output is None:
            output = "-"
            note_output("-o", output)
        return write_card(given[0], output)
    if output is None:
        raise InputError("-o: left out, expected a place to write to")
    return export_file(given[0], cast(Format, to), output, asked)


def export_file(path: str, to: Format, output: str, asked: Mapping[str, Any]) -> None:
    """Write a certificate in one of the formats that read a file."""
    from proofs.every_n import ProvedLengths

    options: dict[str, Any] = {}
    if to == "coq":
        first = 1 if asked["min_n"] is None else asked["min_n"]
        options = {"unchecked": asked["unchecked"], "lengths": ProvedLengths(first, asked["max_n"])}
    elif asked["precision"] is not None:
        options = {"precision": asked["precision"]}
    load_exporter(to)(path, output, **options)


# -- checkers ----------------------------------------------------------------------------------------------------------


def write_checker(to: Checker, output: str | None, asked: Mapping[str, Any]) -> None:
    """Write the independent checker as one file, or one of the OCaml programs as a folder."""
    from certify.exports import checker
    from certify.exports.extracted_checkers import write_extracted_checker
    from proofs.every_n.extracted import EVERY_N, EVERY_N_IN_PAGES, VERIFIED, VERIFIED_IN_PAGES, VERIFIED_WITH_ZARITH

    with_zarith = asked["numbers"] == "zarith"
    if asked["javascript"] and with_zarith:
        raise InputError("--javascript: Zarith is not JavaScript, expected --numbers coq")
    if output is None:
        output = CHECKERS[to]
        note_output("-o", output)
    if to == "checker":
        return checker.write_checker(output)
    if to == "certify-every-n":
        program = EVERY_N_IN_PAGES if asked["javascript"] else EVERY_N
    else:
        program = VERIFIED_IN_PAGES if asked["javascript"] else VERIFIED_WITH_ZARITH if with_zarith else VERIFIED
    with ProgressLine() as progress:
        place = write_extracted_checker(output, program, progress)
    return tell(f"checker in {place}")


# -- a site ------------------------------------------------------------------------------------------------------------


def write_site(certificates: Sequence[str], output: str | None, asked: Mapping[str, Any]) -> None:
    """Write a folder of static pages, with a gallery of certificates and the checker in a page."""
    from certify.common.words import counted
    from certify.exports.site.build import site_files
    from certify.exports.site.gallery import show_gallery
    from certify.exports.site.pinned import read_pyodide, read_wheels
    from certify.exports.site.proved import read_proved

    lengths = {name: default if asked[name] is None else asked[name]
               for name, default in (("max_n", 16), ("trained_max_n", 6), ("papers_max_n", 8))}
    for name, length in lengths.items():
        if length < 0 and name != "max_n":
            raise InputError(f"{as_option(name)}: {length}, expected 0 or more")
    for name, why in (("verified", "the checker in Python comes first"), ("wheels", "the prover runs in Python")):
        if asked[name] and asked["pyodide"] is None:
            raise InputError(f"{as_option(name)}: expected --pyodide, too: {why}")
    if output is None:
        output = "site"
        note_output("-o", output)
    check_new_folder(output)
    proved = read_proved(asked["verified"] or ())
    python = None if asked["pyodide"] is None else read_pyodide(asked["pyodide"])
    provers = None if asked["wheels"] is None else read_wheels(asked["wheels"])
    with ProgressLine() as progress:
        exhibits, reports = show_gallery(progress, certificates, asked["audit"] or (), *lengths.values())
        files = site_files(exhibits, python, reports, proved, provers)
    write_folder(output, files)
    tell(f"{counted(len(exhibits), 'certificate')}, {counted(len(files), 'file')} in {output}")
