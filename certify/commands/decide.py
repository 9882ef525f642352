"""`certify decide`: every word of a trained network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from certify.commands import decide_options as given_as
from certify.commands.command import refuse_options
from certify.common.files import write_text
from certify.common.partial_answer import PartialAnswer
from certify.common.terminal import show_found, write_certificate, write_found
from certify.requests import options as option
from certify.requests.inputs import as_option

if TYPE_CHECKING:
    from certify.claims.trained.answering import AnyDecision
    from certify.claims.trained.question import AnyClaim
    from constructions.trained.network import TrainedNetwork


@option.with_options(f"count {' '.join(given_as.COUNTING)}", given_as.COUNTING)
@option.with_options("every jobs dask store effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n min_n offset {' '.join(given_as.CLAIM)}", {
    **given_as.OF_QUESTIONS, **given_as.CLAIM})
def decide(
    model: given_as.Model,
    claim: option.Claim = None,
    every: given_as.Every = False,
    floats: given_as.Float = None,
    count: given_as.Count = False,
    output: option.Certificate = None,
    wrong: given_as.Wrong = None,
    html: given_as.Page = None,
    **written: Any,
) -> None:
    """Decide whether a trained network is right on every word.

    Each length is certified, with a certificate for the independent checker; or refuted, with the shortest wrong word
    found; or left open, with the reason. The claim is a file (docs/reference/trained.md), or options. --float: under a
    float model. Words of any length: docs/howto/any_length.md. --count: on how many inputs it is right.
    """
    from certify.claims.floats.models import read_model
    from certify.claims.trained.answering import count_in_time, decide_in_time
    from certify.claims.trained.count_question import read_count_question
    from certify.claims.trained.flags import flags_of
    from certify.claims.trained.question import read_any_claim
    from certify.claims.trained.showing import ERRORS, decision_to_json, print_decision
    from certify.learning.learn import learnt_decision

    if count:
        refuse_options("a count, which does not take this option", {"--wrong": wrong, "--every": every})
    others = {f"--{name}": written[name] for name in ("jobs", "dask", "store")} | {"--every": every, "--html": html}
    scope, settings = given_as.scope_and_settings(written, every)
    flags = flags_of({name: written[name] for name in given_as.CLAIM})
    network, asked = read_any_claim(model, claim, flags, scope)
    wrong_is = refuse_untaken(network, asked, every, floats is not None, others)
    of_count = {name: written[name] for name in given_as.COUNTING}
    run = None if floats is None else read_model(floats)
    decision: Any
    if count:
        question = read_count_question(of_count, as_option)
        learns = learnt_decision if settings.effort > 1 else None
        decision = count_in_time(network, asked, question, settings, run, of_count["weights"], learns)
    else:
        refuse_options("nothing is counted without --count",
                       {as_option(name): value for name, value in of_count.items()})
        decision = decide_in_time(network, asked, every, settings, run)
    errors = ERRORS if of_count["errors"] is None else of_count["errors"]
    show_found(decision, decision_to_json, partial(print_decision, errors=errors), output)
    write_decision(decision, wrong_is, output, wrong, html)
    raise typer.Exit(decision.exit_code)


REFUSED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "input": {"a claim about tracks, which does not take this option": ("--store", "--every")},
    "run": {"float executions are of words up to a length; --max-n says which": ("--every",),
            "a claim about float executions, which does not take this option": ("--store",)},
    "long word": {"a claim about long words does not take this option": ("--jobs", "--dask", "--store", "--html")},
    "word": {}}
"""The options that each question excludes, with the reason, by the kind of counterexample."""


def refuse_untaken(network: TrainedNetwork, claim: AnyClaim, every: bool, in_runs: bool, given: Mapping[str, object]
                   ) -> str:
    """Return the kind of counterexample: a word, an input, a run.

    Raises:
        InputError: for the first given option that is excluded.
        Unsupported: if words are too long for every method.
    """
    from certify.claims.trained.answering import goes_by_counts
    from constructions.trained.tracks import TracksClaim

    kind = ("input" if isinstance(claim, TracksClaim) else "run" if in_runs else
            "long word" if goes_by_counts(network, claim, every) else "word")
    for why, names in REFUSED[kind].items():
        refuse_options(why, {name: given[name] for name in names})
    return "run" if in_runs else "word" if kind == "long word" else kind


def write_decision(decision: AnyDecision | PartialAnswer[AnyDecision], wrong_is: str, output: str | None,
                   wrong: str | None, html: str | None) -> None:
    """Write the requested outputs; at a timeout, those of the partial answer."""
    refutation = None if isinstance(decision, PartialAnswer) else decision.wrong_certificate
    write_found(decision, output)
    write_certificate(wrong, refutation, decision.verdict, f"certificate of a wrong {wrong_is}")
    if html is None:
        return
    if isinstance(decision, PartialAnswer):
        write_certificate(html, None, decision.verdict, "page")
        return
    from certify.claims.trained.lengths_decision import LengthsDecision
    from certify.exports.pages.decision.pages import page_of_decision

    assert not isinstance(decision, LengthsDecision), "--html is refused"
    write_text(html, page_of_decision(decision, output, wrong))
