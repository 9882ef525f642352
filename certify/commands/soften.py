"""`certify soften`: hard attention by softmax, for every word up to a length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import end
from certify.commands.prove import give_up
from certify.common.terminal import check_file, show_found, write_certificate
from certify.requests import options as option

if TYPE_CHECKING:
    from certify.claims.softened.results import Softening
    from certify.claims.softened.shards import Workers
    from certify.common.so_far import SoFar
    from constructions.language.expressions import Expression
    from constructions.network.transformer import Transformer
    from constructions.network.weightings import Weighting

DEFAULT_STORE = ".certify-shards"
DEFAULT_MAX_N = 6

CertificatesOption = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="FILE", parser=option.written_place, help="write the certificate here; - is standard "
    "output (of every shipped example: a folder for all)")]
SoftmaxOption = Annotated[str | None, typer.Option(
    "--softmax", metavar="FILE", parser=option.written_file,
    help="write the transformer with softmax here, as a model file")]
LongestOption = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=option.whole_number, help="cover all words up to this length (left out: 6)")]


def soften(
    subject: Annotated[str | None, typer.Argument(
        metavar="MODEL|PROGRAM", help="a model file (.json) or certificate (.cert) with hard attention, or a program "
                                      "(.rasp); left out: every shipped example")] = None,
    max_n: LongestOption = None,
    temperature: option.Temperature = None,
    weighting: Annotated[str | None, typer.Option(
        "--weighting", metavar="NAME", help="what takes the place of hard attention: softmax (left out), or sparsemax "
        "or entmax-1.5, which are claimed to equal it exactly")] = None,
    critical: Annotated[str | None, typer.Option(
        "--critical", metavar="LENGTHS",
        help="at which lengths to bracket critical temperatures: 4,8, or all, or none (left out: N)")] = None,
    alphabet: option.Alphabet = None,
    break_ties: Annotated[bool, typer.Option(
        "--break-ties", help="add a term that breaks ties to leftmost and rightmost heads that tie")] = False,
    every_n: Annotated[bool, typer.Option(
        "--every-n", help="prove it for words of every length, by Coq, where the gap is 1/n")] = False,
    output: CertificatesOption = None,
    softmax: SoftmaxOption = None,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    store: Annotated[str | None, typer.Option(
        "--store", metavar="DIR", parser=option.written_place,
        help="keep finished parts of the work in this folder, and reuse those that are there")] = None,
    resume: Annotated[bool, typer.Option("--resume", help=f"the same as --store {DEFAULT_STORE}")] = False,
) -> None:
    """Replace hard attention by softmax, and certify the result.

    Proves that nothing moves by more than 1/4 at the temperature of [SHA] Theorem 26 (of the theorem with ties, where
    positions tie), or at the one given. Every word up to length N is run exactly. Shows gaps, bounds, and temperatures
    at which some word moves too far.
    """
    from certify.claims.softened.show import print_softening, softening_to_json
    from certify.common.places import note_output
    from certify.requests.quantities import read_expression

    if every_n:
        raise typer.Exit(soften_every_n(subject, alphabet, {
            "--max-n": max_n, "--temperature": temperature, "--weighting": weighting, "--critical": critical,
            "--break-ties": break_ties, "-o": output, "--softmax": softmax, "--jobs": jobs, "--dask": dask,
            "--store": store, "--resume": resume}))
    few = 1 if subject is None else None  # every shipped example takes less time than processes would to start
    if resume and store is None:
        store = DEFAULT_STORE
        note_output("--resume", store)
    workers = read_softening_workers(few if jobs is None else jobs, dask, store)
    if subject is None:
        raise typer.Exit(soften_all(workers, output, critical, {
            "--max-n": max_n, "--temperature": temperature, "--alphabet": alphabet, "--softmax": softmax,
            "--break-ties": break_ties, "--weighting": weighting}))
    check_file(output)
    heat = None if temperature is None else read_expression(temperature, "--temperature")
    max_n = DEFAULT_MAX_N if max_n is None else max_n
    chosen = read_weighting(weighting)
    wanted = read_critical(critical, max_n, chosen)
    found = soften_words(subject, alphabet, max_n, heat, wanted, workers, break_ties, chosen)
    write_softened(found, softmax)
    end(found, softening_to_json, print_softening, output)


def soften_words(subject: str, alphabet: str | None, max_n: int, heat: Expression | None, wanted: list[int],
                 workers: Workers, break_ties: bool, weighting: Weighting
                 ) -> Softening | SoFar[Softening]:
    """Return the verdict for words up to a length; ends the command where something is unsupported."""
    from certify.claims.softened.pipeline import soften_model
    from certify.common.progress import ProgressLine
    from certify.common.so_far import answer_in_time
    from constructions.errors import Unsupported
    from constructions.network.lengths import up_to

    try:
        network = read_hard_network(subject, alphabet)
        with ProgressLine() as progress:
            return answer_in_time(up_to(max_n), lambda some: soften_model(
                network, some.last, heat, wanted if some.last == max_n else [], workers, progress, break_ties,
                weighting))
    except Unsupported as construct:
        raise typer.Exit(give_up(construct, max_n=max_n)) from None


def soften_every_n(subject: str | None, alphabet: str | None, others: dict[str, object]) -> int:
    """Theorem 26 for every n, by Coq; the status of the verdict."""
    from certify.claims.softened.every_n import (
        print_softened_for_every_n,
        soften_for_every_n,
        softened_for_every_n_to_json,
    )
    from certify.common.progress import ProgressLine
    from constructions.errors import InputError, Unsupported
    from proofs.every_n import CoqMissing

    refuse_options("does not go with --every-n, which runs no word and takes the temperature of the theorem", others)
    if subject is None:
        raise InputError("--every-n: no subject, expected a model file, a certificate or a program")
    try:
        with ProgressLine() as progress:
            found = soften_for_every_n(read_hard_network(subject, alphabet), progress)
    except (CoqMissing, Unsupported) as reason:
        return give_up(reason)
    show_found(found, softened_for_every_n_to_json, print_softened_for_every_n)
    return found.exit_code


def read_softening_workers(jobs: int | None, dask: str | None, store: str | None) -> Workers:
    """Who works, and where finished shards are kept."""
    from certify.claims.softened.shards import Workers
    from certify.common.shards import read_workers

    return Workers(read_workers(jobs, dask).jobs, dask, Path(store) if store else None)


def read_hard_network(subject: str, alphabet: str | None) -> Transformer:
    """Return the network in a file, or that of a program, whose alphabet may be given."""
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs, SubjectKind
    from certify.requests.written import Options

    return read_request(subject, Options(alphabet), (SubjectKind.PROGRAM, SubjectKind.NETWORK),
                        programs=Programs.RUN).network


def soften_all(workers: Workers, folder: str | None, critical: str | None,
               others: dict[str, object]) -> int:
    """Return the shipped examples, which have their own lengths and temperatures; the status of the worst verdict."""
    from certify.claims.softened.demo import load_examples, soften_examples
    from constructions.errors import InputError

    refuse_options("does not go with the shipped examples, expected a model or a program", others)
    if critical not in (None, "none"):
        raise InputError(f"--critical: found {critical}, expected none (or nothing, for the greatest lengths)")
    return soften_examples(load_examples(), workers, folder, critical is None)


def read_weighting(name: str | None) -> Weighting:
    """What ``--weighting`` denotes; softmax if it is left out."""
    from constructions.errors import InputError
    from constructions.network.weightings import Weighting
    from constructions.statements.sparse_attention import SOFTENING

    taken = {str(weighting): weighting for weighting in SOFTENING}
    if name is None:
        return Weighting.SOFTMAX
    if name not in taken:
        raise InputError(f"--weighting: {name}, expected {', '.join(taken)}: nothing is claimed of others here")
    return taken[name]


def read_critical(text: str | None, max_n: int, weighting: Weighting | None = None) -> list[int]:
    """Return the lengths of ``--critical``; N alone if it is left out, none for a weighting that is exactly hard.

    >>> [read_critical(text, 4) for text in (None, "2,3", "all", "none")]
    [[4], [2, 3], [1, 2, 3, 4], []]
    """
    from certify.requests.quantities import read_lengths_to_bracket
    from constructions.errors import InputError
    from constructions.network.lengths import up_to

    if weighting is not None and not weighting.is_softmax:
        if text not in (None, "none"):
            raise InputError(f"--critical: found {text}, expected none: {weighting} is claimed to be exactly hard")
        return []
    found = read_lengths_to_bracket(str(max_n) if text is None else text, up_to(max_n))
    for n in found:
        if not 1 <= n <= max_n:
            raise InputError(f"--critical: {n}, expected lengths up to {max_n}")
    return found


def write_softened(found: Softening | SoFar[Softening], place: str | None) -> None:
    """Write the transformer with softmax at the temperature, if there is one and a place for it."""
    from certify.common.files import write_text
    from certify.common.so_far import SoFar
    from constructions.network.json_form import transformer_to_json, write_canonical
    from constructions.statements.theorem_26_uniform_tieless import soften

    if isinstance(found, SoFar):
        write_certificate(place, None, found.verdict, "model")
    elif place is not None and found.temperature is not None:
        soft = soften(found.transformer, found.temperature, found.weighting)
        write_text(place, write_canonical(transformer_to_json(soft)))
