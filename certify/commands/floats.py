"""`certify floats`: the float models under which a network is certified, to which length, or a wrong execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from certify.common.files import read_text
from certify.common.progress import ProgressLine
from certify.common.terminal import show_found, write_certificate
from certify.common.verdicts import exit_status, worst
from certify.requests import options as option
from constructions.errors import InputError
from constructions.network.lengths import Lengths

if TYPE_CHECKING:
    from certify.claims.floats.survey import Proved
    from certify.common.shards import Workers
    from proofs.enclosures.float_models.model import FloatModel


def floats(
    subject: Annotated[str | None, typer.Argument(
        metavar="CERT|MODEL",
        help="a certificate, or a model file, which is certified first; - is standard input")] = None,
    formats: Annotated[list[str] | None, typer.Option(
        "--format", metavar="NAME|FILE", help="a float model by name, or a file (.toml) with models of your own; "
        "may be repeated (default: those of the usual formats)")] = None,
    exp_ulp: Annotated[str | None, typer.Option(
        "--exp-ulp", metavar="RATIONAL", help="the error bound of exponentials, in units in the last place")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number,
        help="words up to this length (default: all of the certificate; of a model 64)")] = None,
    output: option.Certificate = None,
    html: Annotated[str | None, typer.Option(
        "--html", metavar="FILE", parser=option.written_file,
        help="write the page of a trained network's certificate here, with the results for float models")] = None,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    effort: option.Effort = 1,
    presets: Annotated[bool, typer.Option(
        "--presets", help="print the float models, their assumptions and their sources")] = False,
) -> None:
    """Certify every execution in floating point, one float model at a time.

    Shows, for each model, the greatest length up to which every truth that the network computes is exactly 0 or 1, and
    correct, for every order of summation; and a wrong execution, replayed bit by bit, on the shortest words on which
    one was found (shorter words may have others). With -o, writes the certificate of all this. For a trained network:
    the models under which the claim of its certificate holds, and up to which length. See docs/reference/floats.md.
    """
    from certify.claims.floats.models import read_models
    from certify.claims.trained.files import is_trained
    from certify.commands.command import refuse_options
    from certify.common.shards import read_workers
    from certify.requests.quantities import read_positive

    ulps = None if exp_ulp is None else read_positive(exp_ulp, "--exp-ulp")
    classes = read_models(formats or [], ulps)
    if presets:
        raise typer.Exit(show_presets(classes if formats else None))
    if subject is not None and is_trained(subject):
        refuse_options("the claim of a trained network is shown, not written: each float model has its own certificate",
                       {"-o": output})
        raise typer.Exit(decide_trained(subject, max_n, classes, effort, read_workers(jobs, dask), html))
    refuse_options("expected a certificate of a trained network", {"--html": html, "--jobs": jobs, "--dask": dask})
    raise typer.Exit(decide_floats(read_proved(subject, max_n), classes, effort, output))


def decide_trained(subject: str, max_n: int | None, classes: list[FloatModel], effort: int, workers: Workers,
                   html: str | None) -> int:
    """Decide the claim of a file about a trained network under each model, print it; return the worst status.

    Raises:
        InputError: if the file has no claim, or none that has a page.
    """
    from certify.claims.trained.claim_file import Scope
    from certify.claims.trained.float_show import decide_models, float_rows_to_json, print_float_rows
    from certify.claims.trained.question import read_own_claim
    from certify.commands.command import refuse_options
    from certify.exports.html import expect_by_length, write_page_of_floats
    from constructions.trained.tracks import TracksClaim

    if html is not None:
        expect_by_length(subject)
    network, claim = read_own_claim(subject, Scope(max_n))
    if isinstance(claim, TracksClaim):
        refuse_options("a claim about inputs in tracks is decided whole", {"--max-n": max_n})
    rows = decide_models(network, claim, classes, effort, workers)
    if html is not None:
        write_page_of_floats(subject, html, rows)
    verdict = worst([row.verdict for row in rows])
    show_found(rows, lambda found: {"verdict": verdict, "floats": float_rows_to_json(found)}, print_float_rows)
    return exit_status(verdict)


def show_presets(chosen: list[FloatModel] | None) -> int:
    """Print the chosen float models, or all presets; return the exit status."""
    from certify.claims.floats.show import print_models
    from proofs.enclosures.float_models.model import presets

    shown = list(presets().values()) if chosen is None else chosen
    show_found(shown, lambda found: {
        "float_models": [{**one.to_json(), "assumed": dict(one.assumed)} for one in found]}, print_models)
    return 0


def read_proved(subject: str | None, max_n: int | None) -> Proved:
    """Return the checked certificate in a file, or that of the network in it, which is certified first.

    Raises:
        InputError: if the file is neither, or the certificate does not reach so far.
        NotAccepted: if the certificate is rejected.
        typer.Exit: if the network is not certified, which is said.
    """
    from certify.claims.floats.survey import Proved
    from certify.claims.formula.sealed import read_sealed_text
    from certify.requests.request import DEFAULT_MAX_N
    from certify.requests.subjects import CERTIFICATES
    from constructions.network.json_form import read_json

    if subject is None:
        raise InputError("expected a certificate or a model file (or --presets)")
    text = read_text(subject)
    data = read_json(text, subject)
    if not (isinstance(data, dict) and data.get("format") in CERTIFICATES):
        text = certify_model(subject, data, DEFAULT_MAX_N if max_n is None else max_n)
    lengths = read_sealed_text(text, subject).lengths
    if max_n is not None and not lengths.first <= max_n <= lengths.last:
        raise InputError(f"--max-n: {max_n}, expected {lengths.first} to {lengths.last}, which the certificate claims")
    return Proved.read(text, lengths if max_n is None else Lengths(lengths.first, max_n))


def certify_model(name: str, data: object, max_n: int) -> str:
    """Return the certificate of the network in a model file with this content.

    Raises:
        InputError: if the file contains no network.
        typer.Exit: if it is not certified; the outcome is printed.
    """
    from certify.claims.formula.outcomes import Certified
    from certify.claims.formula.pipeline import certify_transformer
    from certify.commands.finish import finish
    from constructions.network.json_form import transformer_from_json

    network = transformer_from_json(data, name)
    with ProgressLine() as progress:
        outcome = certify_transformer(network, max_n, progress=progress)
    if not isinstance(outcome, Certified):
        finish(outcome, "ascii", False, None)
    return outcome.certificate


def decide_floats(proved: Proved, classes: list[FloatModel], effort: int, output: str | None) -> int:
    """Decide, print and write; return the status of the worst row."""
    from certify.claims.floats.show import print_rows, row_to_json
    from certify.claims.floats.survey import USUAL_WORK, survey

    with ProgressLine() as progress:
        rows = survey(proved, classes, progress, effort * USUAL_WORK)
    verdict = worst([row.verdict for row in rows])
    show_found(rows, lambda found: {"verdict": verdict, "min_n": proved.lengths.first, "max_n": proved.lengths.last,
                                    "floats": list(map(row_to_json, found))}, print_rows, output)
    some = any(row.certified for row in rows)
    write_certificate(output, proved.with_floats(rows) if some else None, "no float execution is certified")
    return exit_status(verdict)
