"""`certify heads`: what the heads of a trained network attend to, on every word."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from certify.commands import decide_options as given_as
from certify.common.files import check_new_folder, check_writable, write_folder, write_text
from certify.common.terminal import show_found, write_certificate, write_found
from certify.requests import options as option
from certify.requests.options import written_file, written_place
from constructions.errors import InputError

Head = Annotated[str | None, typer.Option("--head", metavar="L.H", help="one head: the layer and the head, from 1")]
On = Annotated[list[str] | None, typer.Option(
    "--on", metavar="PATTERN", help="the positions: start, letters, itself, previous, first, 'all F', 'rightmost F', "
    "'leftmost F', where F is a formula of the past at the key; 'marks F', where F is one at the query, over marked "
    "letters such as Q['a*']")]
AtLeast = Annotated[str | None, typer.Option(
    "--at-least", metavar="MASS", help="with --head and --on: decide whether the mass is always more than this")]
AtMost = Annotated[str | None, typer.Option(
    "--at-most", metavar="MASS", help="with --head and --on: decide whether the mass is always less than this")]
Near = Annotated[list[str] | None, typer.Option(
    "--near", metavar="hard|uniform|constant", help="compare with hard attention to one position, with equal "
    "weights, or with constants; several times")]
Within = Annotated[str | None, typer.Option(
    "--within", metavar="ERROR", help="with --head and --near: decide whether the head is always this near: 1-norm of "
    "the weights if hard, else each coordinate of the average")]
Given = Annotated[str | None, typer.Option(
    "--given", metavar="FORMULA", help="only queries whose prefix satisfies this formula of the past")]
Prove = Annotated[bool, typer.Option(
    "--prove", help="prove the least mass of the first pattern of each head, and the errors of --near")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="PATH", parser=written_place, help="write the certificate here; with --prove, a new "
    "folder of certificates")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write a page with pictures here")]
Wrong = Annotated[str | None, typer.Option(
    "--wrong", metavar="FILE", parser=written_file, help="write the certificate of the shortest wrong word here")]


OF_WORDS = {name: kind for name, kind in given_as.OF_WORDS.items() if name != "given"}


@option.with_options("prove jobs dask effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n min_n offset {' '.join(OF_WORDS)} predicate", {
    **given_as.OF_QUESTIONS, **OF_WORDS, "predicate": option.Predicate})
def heads(
    model: given_as.Model,
    claim: option.Claim = None,
    head: Head = None,
    on: On = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    near: Near = None,
    within: Within = None,
    given: Given = None,
    prove: Prove = False,
    output: Folder = None,
    wrong: Wrong = None,
    html: Page = None,
    **claimed: Any,
) -> None:
    """Find what the heads of a trained network attend to, and prove it.

    The words are those of a claim; what it answers is not used. Without a bound: for each head, the positions that
    always get the largest share of its attention, measured over all words; --prove proves the first of each head. With
    a bound, its claim is decided. Heads of an edited network are numbered as in its original. docs/howto/heads.md.
    """
    from certify.claims.trained.decision import Decision
    from certify.claims.trained.flags import flags_of
    from certify.claims.trained.heads import answer_about_heads, read_bounds, read_heads_question
    from certify.claims.trained.heads_show import heads_to_json, print_heads
    from certify.claims.trained.question import read_question
    from certify.claims.trained.showing import decision_to_json, print_decision
    from certify.exports.pages.decision.pages import page_of_decision
    from certify.exports.pages.parts.page import heads_page

    scope, settings = given_as.scope_and_settings(claimed)
    network, words = read_question(model, claim, flags_of(claimed), scope)
    question = read_heads_question(words, head, on or (), near or (), given, prove)
    bounds = read_bounds(at_least, at_most, within)
    if (wrong is not None and not bounds.any) or (output is not None and not bounds.any and not prove):
        raise InputError("nothing is proved without --prove or a bound, so there is no certificate to write")
    if output is not None and prove:
        check_new_folder(output)
    elif output is not None:
        check_writable(output)
    found = answer_about_heads(network, words, question, bounds, settings)
    if html is not None:
        write_text(html, page_of_decision(found, output, wrong) if isinstance(found, Decision) else heads_page(
            found, output))
    if isinstance(found, Decision):
        show_found(found, decision_to_json, print_decision, output)
        write_found(found, output)
        write_certificate(wrong, found.wrong_certificate, found.verdict, "certificate of a wrong word")
    else:
        show_found(found, heads_to_json, print_heads, output)
        if output is not None:
            write_folder(output, found.certificates)
    raise typer.Exit(found.exit_code)
