"""`certify decide`: every word of a trained network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from certify.asking import options as option
from certify.commands import decide_options as given_as
from certify.frame.terminal import show_found, write_certificate, write_found

if TYPE_CHECKING:
    from certify.frame.shards import Workers
    from certify.frame.so_far import SoFar
    from certify.trained.decision import Decision
    from certify.trained.float_decision import FloatDecision
    from certify.trained.lengths_decision import LengthsDecision
    from certify.trained.track_runs_decision import TrackRunsDecision
    from certify.trained.tracks_decision import TracksDecision
    from constructions.trained.claim import Claim
    from constructions.trained.network import TrainedNetwork
    from constructions.trained.tracks import TracksClaim

    ADecision = TypeVar("ADecision", TracksDecision, TrackRunsDecision, FloatDecision)


@given_as.with_claim(given_as.CLAIM)
def decide(
    model: given_as.Model,
    claim: option.Claim = None,
    max_n: given_as.Longest = None,
    min_n: given_as.Shortest = None,
    offset: given_as.Offsets = None,
    every: given_as.Every = False,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    store: given_as.Store = None,
    effort: given_as.Effort = 1,
    floats: given_as.Float = None,
    output: option.Certificate = None,
    wrong: given_as.Wrong = None,
    html: given_as.Page = None,
    quiet: option.Quiet = False,
    as_json: option.Json = False,
    **claimed: Any,
) -> None:
    """Decide whether a trained network is right on every word.

    Each length is certified, with a certificate that a stranger checks; or refuted, with the shortest wrong word found;
    or left open, with the reason. The claim: a file (docs/trained.md), or options. --float: of float runs. Words of
    any length: docs/lengths.md.
    """
    from certify.frame.shards import read_workers
    from certify.trained.claim_file import Scope
    from certify.trained.flags import flags_of, read_offsets
    from certify.trained.question import read_question, read_tracks

    flags = flags_of(claimed)
    scope = Scope(max_n, min_n, read_offsets(offset), every)
    not_taken = {"--jobs": jobs, "--dask": dask, "--store": store}
    if (about_tracks := read_tracks(model, claim, scope, flags)) is not None:
        refuse_options("a claim about tracks, which does not take this option", {"--store": store, "--every": every})
        if floats is not None:
            decide_about_track_runs(*about_tracks, floats, effort, read_workers(jobs, dask), output, wrong, html,
                                    as_json)
        decide_about_tracks(*about_tracks, effort, read_workers(jobs, dask), output, wrong, html, as_json)
    question = read_question(model, claim, flags, scope)
    if floats is not None:
        refuse_options("float runs are of words up to a length; --max-n says which", {"--every": every})
        refuse_options("a claim about float runs, which does not take this option", {"--store": store})
        decide_about_floats(*question, floats, effort, read_workers(jobs, dask), output, wrong, html, as_json)
    decide_question(*question, every, read_workers(jobs, dask), store, effort, output, wrong, html, as_json,
                    not_taken | {"--html": html})


def decide_question(network: TrainedNetwork, claim: Claim, every: bool, workers: Workers, store: str | None,
                    effort: int, output: str | None, wrong: str | None, html: str | None, as_json: bool,
                    others: Mapping[str, object]) -> NoReturn:
    """Decide every word up to a length, or of every length, show what was found, and end.

    Raises:
        InputError: if words are decided by counts, and one of the ``others`` was given.
        Unsupported: if counts do not decide it, and the words are too long for another way.
    """
    from certify.trained.answering import decide_by, goes_by_counts
    from certify.trained.decide import Settings, decide_in_time
    from certify.trained.lengths_decision import LengthsDecision
    from certify.trained.lengths_show import lengths_decision_to_json, print_lengths_decision
    from certify.trained.show import decision_to_json, print_decision

    if goes_by_counts(network, claim, every):
        refuse_options("a claim about long words does not take this option", others)
    settings = Settings(workers, Path(store) if store else None, effort=effort)
    decision = decide_by(decide_in_time, network, claim, every, settings)
    if isinstance(decision, LengthsDecision):
        show_found(decision, as_json, lengths_decision_to_json, print_lengths_decision, output)
    else:
        show_found(decision, as_json, decision_to_json, print_decision, output)
    write_decision(decision, output, wrong, html, as_json)
    raise typer.Exit(decision.exit_code)


def write_decision(decision: Decision | SoFar[Decision] | LengthsDecision, output: str | None, wrong: str | None,
                   html: str | None, as_json: bool) -> None:
    """Write what there are places for; where time was up, what was proved by then."""
    from certify.frame.so_far import SoFar
    from certify.trained.lengths_decision import LengthsDecision

    if isinstance(decision, SoFar):
        write_so_far(decision, as_json, output, wrong, html, "word")
        return
    write_certificate(output, decision.certificate, decision.verdict, as_json)
    write_certificate(wrong, decision.wrong_certificate, decision.verdict, as_json, "certificate of a wrong word")
    if not isinstance(decision, LengthsDecision):
        write_page(html, decision, output, wrong)


def write_so_far(decision: SoFar[Any], as_json: bool, output: str | None, wrong: str | None, html: str | None,
                 of_wrong: str) -> None:
    """Write the certificate of what was proved when time was up; say of other places that nothing is written there."""
    write_found(decision, as_json, output)
    for place, name in ((wrong, f"certificate of a wrong {of_wrong}"), (html, "page")):
        write_certificate(place, None, decision.verdict, as_json, name)


def decide_about_tracks(network: TrainedNetwork, claim: TracksClaim, effort: int, workers: Workers,
                        output: str | None, wrong: str | None, html: str | None, as_json: bool) -> NoReturn:
    """Decide a claim about inputs in tracks, show what was found, and end."""
    from certify.trained.tracks_decision import decide_tracks_in_time
    from certify.trained.tracks_show import print_tracks_decision, tracks_decision_to_json

    decision = decide_tracks_in_time(network, claim, effort, workers)
    show_found(decision, as_json, tracks_decision_to_json, print_tracks_decision, output)
    end_with_page(decision, page_of_tracks, output, wrong, html, as_json, "input")


def end_with_page(decision: ADecision | SoFar[ADecision], page: Callable[[ADecision, str | None, str | None], str],
                  output: str | None, wrong: str | None, html: str | None, as_json: bool, of_wrong: str) -> NoReturn:
    """Write certificates and page of a decision about inputs in tracks, or about float runs, and end."""
    from certify.frame.files import write_text
    from certify.frame.so_far import SoFar

    if isinstance(decision, SoFar):
        write_so_far(decision, as_json, output, wrong, html, of_wrong)
        raise typer.Exit(decision.exit_code)
    write_certificate(output, decision.certificate, decision.verdict, as_json)
    write_certificate(wrong, decision.wrong_certificate, decision.verdict, as_json,
                      f"certificate of a wrong {of_wrong}")
    if html is not None:
        write_text(html, page(decision, output, wrong))
    raise typer.Exit(decision.exit_code)


def decide_about_floats(network: TrainedNetwork, claim: Claim, floats: str, effort: int, workers: Workers,
                        output: str | None, wrong: str | None, html: str | None, as_json: bool) -> NoReturn:
    """Decide a claim about every run of a class, show what was found, and end."""
    from certify.floats.classes import read_class
    from certify.trained.float_decision import decide_floats_in_time
    from certify.trained.float_show import float_decision_to_json, print_float_decision

    decision = decide_floats_in_time(network, claim, read_class(floats), effort, workers)
    show_found(decision, as_json, float_decision_to_json, print_float_decision, output)
    end_with_page(decision, page_of_runs, output, wrong, html, as_json, "run")


def decide_about_track_runs(network: TrainedNetwork, claim: TracksClaim, floats: str, effort: int, workers: Workers,
                            output: str | None, wrong: str | None, html: str | None, as_json: bool) -> NoReturn:
    """Decide a claim about inputs in tracks and every run of a class, show what was found, and end."""
    from certify.floats.classes import read_class
    from certify.trained.track_runs_decision import decide_track_runs_in_time
    from certify.trained.track_runs_show import print_track_runs, track_runs_to_json

    decision = decide_track_runs_in_time(network, claim, read_class(floats), effort, workers)
    show_found(decision, as_json, track_runs_to_json, print_track_runs, output)
    end_with_page(decision, page_of_track_runs, output, wrong, html, as_json, "run")


def page_of_runs(decision: FloatDecision, output: str | None, wrong: str | None) -> str:
    """The page of a decision about float runs; what makes pages is loaded when there is one to make."""
    from certify.exports.pages.decision.runs_page import float_runs_page

    return float_runs_page(decision, output, wrong)


def page_of_tracks(decision: TracksDecision, output: str | None, wrong: str | None) -> str:
    """That of a decision about inputs in tracks."""
    from certify.exports.pages.tracks.page import tracks_page

    return tracks_page(decision, output, wrong)


def page_of_track_runs(decision: TrackRunsDecision, output: str | None, wrong: str | None) -> str:
    """That of one about their float runs."""
    from certify.exports.pages.tracks.page import track_runs_page

    return track_runs_page(decision, output, wrong)


def write_page(place: str | None, decision: Decision, output: str | None, wrong: str | None) -> None:
    """Write the page of the decision, if there is a place for it; it names the certificates that are in files."""
    from certify.exports.pages.decision.page import decision_page, files_of
    from certify.frame.files import write_text

    if place is not None:
        write_text(place, decision_page(decision, files_of(decision, output, wrong)))


def refuse_options(why: str, given: Mapping[str, object]) -> None:
    """Raise InputError for the first option that was given: it would be ignored."""
    from constructions.errors import InputError

    for name, value in given.items():
        if value is not None and value is not False and value != []:
            raise InputError(f"{name}: {why}")
