"""`certify soften`: hard attention by softmax, for every word up to a length."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from certify.options import (
    AlphabetOption,
    CertificateOption,
    JobsOption,
    JsonOption,
    TemperatureOption,
    read_model,
    whole_number,
)
from certify.terminal import check_place, complain, print_json

if TYPE_CHECKING:
    from certify.softening.results import Softening
    from constructions.language.expressions import Expression
    from constructions.network.transformer import Transformer

DEFAULT_STORE = ".certify-shards"


def soften(
    subject: Annotated[str, typer.Argument(
        metavar="MODEL|PROGRAM",
        help="a model file (.json) or certificate (.cert) with hard attention, or a program (.rasp)")],
    max_n: Annotated[int, typer.Option(
        "--max-n", metavar="N", parser=whole_number, help="cover all words up to this length")] = 6,
    temperature: TemperatureOption = None,
    critical: Annotated[str | None, typer.Option(
        "--critical", metavar="LENGTHS",
        help="bracket the critical temperatures at 4,8; all; or none (left out: N)")] = None,
    alphabet: AlphabetOption = None,
    output: CertificateOption = None,
    softmax: Annotated[str | None, typer.Option(
        "--softmax", metavar="FILE", help="write the transformer with softmax here, as a model file")] = None,
    jobs: JobsOption = 1,
    dask: Annotated[str | None, typer.Option("--dask", metavar="ADDRESS", help="work on this Dask cluster")] = None,
    store: Annotated[str | None, typer.Option(
        "--store", metavar="DIR", help="keep finished shards here, and take those that are there")] = None,
    resume: Annotated[bool, typer.Option("--resume", help=f"the same as --store {DEFAULT_STORE}")] = False,
    as_json: JsonOption = False,
) -> None:
    """Give hard attention softmax, and certify the result.

    Nothing moves by more than 1/4: at the temperature of [SHA] Theorem 26, or at the one that is given. Every word up
    to length N is run exactly. Shows gaps, bounds, and the temperatures at which some word moves too far.
    """
    from certify.progress import ProgressLine
    from certify.softening.pipeline import soften_model
    from certify.softening.shards import Workers
    from constructions.errors import Unsupported

    check_place(output, as_json)
    check_place(softmax, as_json)
    heat = read_softening_temperature(temperature)
    wanted = read_critical(critical, max_n)
    folder = Path(store or DEFAULT_STORE) if store or resume else None
    try:
        network = read_subject(subject, alphabet)
        with ProgressLine() as progress:
            found = soften_model(network, max_n, heat, wanted, Workers(jobs, dask, folder), progress)
    except Unsupported as construct:
        if as_json:
            print_json({"verdict": "unsupported", "max_n": max_n, "reason": str(construct)})
        raise typer.Exit(complain(f"unsupported: {construct}", 3)) from None
    write_softened(found, softmax)
    finish(found, as_json, output)


def read_critical(text: str | None, max_n: int) -> list[int]:
    """The lengths of ``--critical``; N alone if it is left out.

    >>> [read_critical(text, 4) for text in (None, "2,3", "all", "none")]
    [[4], [2, 3], [1, 2, 3, 4], []]
    """
    from certify.commands.auditing import lengths_to_bracket
    from constructions.errors import InputError
    from constructions.network.lengths import up_to

    found = lengths_to_bracket(str(max_n) if text is None else text, up_to(max_n))
    for n in found:
        if not 1 <= n <= max_n:
            raise InputError(f"--critical: {n}, expected lengths up to {max_n}")
    return found


def read_softening_temperature(text: str | None) -> Expression | None:
    """A temperature in n alone."""
    from certify.options import read_temperature
    from constructions.errors import InputError

    heat = read_temperature(text)
    if heat and "i" in heat.variables:
        raise InputError(f"--temperature: found {heat}, expected an expression in n alone")
    return heat


def read_subject(path: str, alphabet: str | None) -> Transformer:
    """The transformer in a file, or that of a program."""
    from certify.files import read_text
    from constructions.errors import InputError

    if path.endswith(".rasp"):
        from constructions.language.parser import parse_alphabet
        from constructions.rasp.parser import parse_program
        from constructions.rasp_to_transformer import compile_program

        return compile_program(parse_program(read_text(path), parse_alphabet(alphabet) if alphabet else None))
    if alphabet is not None:
        raise InputError(f"--alphabet: {path} says this itself, expected a program (.rasp) beside it")
    return read_model(path)


def write_softened(found: Softening, place: str | None) -> None:
    """Write the transformer with softmax at the temperature, if there is one and a place for it."""
    from certify.files import write_text
    from constructions.network.json_form import transformer_to_json, write_canonical
    from constructions.theorem_26_uniform_tieless import soften

    if place is not None and found.temperature is not None:
        write_text(place, write_canonical(transformer_to_json(soften(found.transformer, found.temperature))))


def finish(found: Softening, as_json: bool, output: str | None) -> None:
    """Write the certificate if there is one and a place for it, print what was found, and exit with its status."""
    from certify.commands.auditing import write_certificate
    from certify.report import console
    from certify.softening.show import print_softening, softening_to_json

    if as_json:
        print_json(softening_to_json(found))
    else:
        print_softening(console(sys.stderr if output == "-" else None), found)
    write_certificate(output, found.certificate, found.verdict)
    raise typer.Exit(found.exit_code)
