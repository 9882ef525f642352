"""`certify model` about hard attention: softmax in its place, for every word up to a length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import end
from certify.commands.prove import give_up
from certify.common.files import write_text
from certify.common.output_guard import note_output
from certify.common.partial_answer import PartialAnswer, answer_in_time
from certify.common.progress import ProgressLine
from certify.common.terminal import check_file, show_found, write_certificate
from certify.requests.inputs import Options, as_option
from constructions.errors import InputError, Unsupported
from constructions.network.lengths import up_to

if TYPE_CHECKING:
    from rich.console import Console

    from certify.claims.softened.every_n import SoftenedForEveryN
    from certify.claims.softened.results import Softening
    from certify.claims.softened.shards import Workers
    from certify.requests.subjects import NamedSubject
    from constructions.language.expressions import Expression
    from constructions.network.transformer import Transformer
    from constructions.network.weightings import Weighting

DEFAULT_STORE = ".certify-shards"
DEFAULT_MAX_N = 6


def soften(subject: NamedSubject | None, max_n: int | None, output: str | None, asked: Mapping[str, Any],
           print_question: Callable[[Console, Any], None]) -> NoReturn:
    """Replace hard attention by softmax, decide whether nothing moves by more than 1/4, and exit with the status.

    ``asked`` are the other options of the command by the names of their parameters.
    """
    from certify.claims.softened.show import print_softening, softening_to_json
    from certify.requests.quantities import read_expression

    names = ("temperature", "weighting", "critical", "break_ties", "softmax", "jobs", "dask", "store", "resume")
    options = {as_option(name): asked[name] for name in names}
    if asked["every_n"]:
        others = {"--max-n": max_n, "-o": output, **options}
        raise typer.Exit(soften_every_n(subject, asked["alphabet"], others, print_question))
    few = 1 if subject is None else None  # every shipped example takes less time than processes would to start
    store = asked["store"]
    if asked["resume"] and store is None:
        store = DEFAULT_STORE
        note_output("--resume", store)
    workers = read_softening_workers(few if asked["jobs"] is None else asked["jobs"], asked["dask"], store)
    if subject is None:
        taken = ("--jobs", "--dask", "--store", "--resume", "--critical")
        others = {name: value for name, value in options.items() if name not in taken}
        others |= {"--max-n": max_n, "--alphabet": asked["alphabet"]}
        raise typer.Exit(soften_all(workers, output, asked["critical"], others, print_question))
    check_file(output)
    temperature = None if asked["temperature"] is None else read_expression(asked["temperature"], "--temperature")
    max_n = DEFAULT_MAX_N if max_n is None else max_n
    chosen = read_weighting(asked["weighting"])
    wanted = read_critical(asked["critical"], max_n, chosen)
    found = soften_words(subject, asked["alphabet"], max_n, temperature, wanted, workers, asked["break_ties"], chosen)
    write_softened(found, asked["softmax"])

    def print_found(out: Console, found: Softening) -> None:
        print_question(out, found)
        print_softening(out, found)

    end(found, softening_to_json, print_found, output)


def soften_words(subject: NamedSubject, alphabet: str | None, max_n: int, heat: Expression | None, wanted: list[int],
                 workers: Workers, break_ties: bool, weighting: Weighting
                 ) -> Softening | PartialAnswer[Softening]:
    """Return the verdict for words up to a length; ends the command where something is unsupported."""
    from certify.claims.softened.pipeline import soften_model

    try:
        network = read_hard_network(subject, alphabet)
        with ProgressLine() as progress:
            return answer_in_time(up_to(max_n), lambda some: soften_model(
                network, some.last, heat, wanted if some.last == max_n else [], workers, progress, break_ties,
                weighting))
    except Unsupported as construct:
        raise typer.Exit(give_up(construct, max_n=max_n)) from None


def soften_every_n(subject: NamedSubject | None, alphabet: str | None, others: Mapping[str, object],
                   print_question: Callable[[Console, Any], None]) -> int:
    """Decide Theorem 26 for every n, by Coq; return the status of the verdict."""
    from certify.claims.softened.every_n import (
        print_softened_for_every_n,
        soften_for_every_n,
        softened_for_every_n_to_json,
    )
    from proofs.every_n import CoqMissing

    refuse_options("does not go with --every-n, which runs no word and takes the temperature of the theorem", others)
    if subject is None:
        raise InputError("--examples: does not go with --every-n, expected FILE")
    try:
        with ProgressLine() as progress:
            found = soften_for_every_n(read_hard_network(subject, alphabet), progress)
    except (CoqMissing, Unsupported) as reason:
        return give_up(reason)

    def print_found(out: Console, found: SoftenedForEveryN) -> None:
        print_question(out, found)
        print_softened_for_every_n(out, found)

    show_found(found, softened_for_every_n_to_json, print_found)
    return found.exit_code


def read_softening_workers(jobs: int | None, dask: str | None, store: str | None) -> Workers:
    """Return the workers, and the folder for finished shards."""
    from certify.claims.softened.shards import Workers
    from certify.common.shards import read_workers

    return Workers(read_workers(jobs, dask).jobs, dask, Path(store) if store else None)


def read_hard_network(subject: NamedSubject | str, alphabet: str | None) -> Transformer:
    """Return the network of a file or a program; a program's alphabet may be given."""
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs, SubjectKind

    return read_request(subject, Options(alphabet), (SubjectKind.PROGRAM, SubjectKind.NETWORK),
                        programs=Programs.RUN).network


def soften_all(workers: Workers, folder: str | None, critical: str | None,
               others: dict[str, object], print_question: Callable[[Console, Any], None]) -> int:
    """Decide the shipped examples, which have their own lengths and temperatures; return the worst status."""
    from certify.claims.softened.demo import load_examples, soften_examples

    refuse_options("does not go with the shipped examples, expected a model or a program", others)
    if critical not in (None, "none"):
        raise InputError(f"--critical: found {critical}, expected none (or nothing, for the greatest lengths)")
    return soften_examples(load_examples(), workers, folder, critical is None, print_question)


def read_weighting(name: str | None) -> Weighting:
    """Return the weighting that ``--weighting`` names; softmax by default."""
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

    if weighting is not None and not weighting.is_softmax:
        if text not in (None, "none"):
            raise InputError(f"--critical: found {text}, expected none: {weighting} is claimed to be exactly hard")
        return []
    found = read_lengths_to_bracket(str(max_n) if text is None else text, up_to(max_n))
    for n in found:
        if not 1 <= n <= max_n:
            raise InputError(f"--critical: {n}, expected lengths up to {max_n}")
    return found


def write_softened(found: Softening | PartialAnswer[Softening], place: str | None) -> None:
    """Write the transformer with softmax at the temperature, if there is one and a place for it."""
    from constructions.network.json_form import transformer_to_json, write_canonical
    from constructions.statements.theorem_26_uniform_tieless import soften

    if isinstance(found, PartialAnswer):
        write_certificate(place, None, found.verdict, "model")
    elif place is not None and found.temperature is not None:
        soft = soften(found.transformer, found.temperature, found.weighting)
        write_text(place, write_canonical(transformer_to_json(soft)))
