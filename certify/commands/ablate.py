"""`certify ablate`: which parts of a trained network are needed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from certify.commands import decide_options as given_as
from certify.common.files import check_new_folder, write_folder, write_text
from certify.common.terminal import Json, show_found, tell
from certify.requests import options as option
from certify.requests.options import written_file, written_place

Heads = Annotated[list[str] | None, typer.Option(
    "--heads", metavar="L.H,...", help="decide without these heads: layer and head, from 1, or L.A-B")]
Neurons = Annotated[list[str] | None, typer.Option(
    "--neurons", metavar="L.N,...", help="decide without these neurons: feed-forward block and neuron, or L.A-B")]
Edges = Annotated[list[str] | None, typer.Option(
    "--edges", metavar="A -> B,...", help="decide without these edges, such as 'tokens -> head 1.1' or 'block 1 -> "
    "logits': B does not read what A writes; or search: search circuits of edges, too")]
To = Annotated[Literal["zero", "mean"], typer.Option(
    "--to", help="what the parts that go are set to: 0, or their means over words (rounded to binary32)")]
Equal = Annotated[bool, typer.Option(
    "--equal", help="keep the network's own answers on all words, right or wrong: they are learnt first")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_place, help="write the certificates here: a new folder")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write a page with a picture here")]
Smaller = Annotated[str | None, typer.Option(
    "--model", metavar="FILE", parser=written_file, help="write the smaller network here")]


@option.with_options("to jobs dask effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n min_n offset {' '.join(given_as.OF_WORDS)} predicate", {
    **given_as.OF_QUESTIONS, **given_as.OF_WORDS, "predicate": option.Predicate})
def ablate(
    model: given_as.Model,
    claim: option.Claim = None,
    heads: Heads = None,
    neurons: Neurons = None,
    edges: Edges = None,
    to: To = "zero",
    equal: Equal = False,
    output: Folder = None,
    smaller: Smaller = None,
    html: Page = None,
    **claimed: Any,
) -> None:
    """Find which heads, neurons and edges a trained network needs.

    Unless parts are listed: a small circuit that gives all answers of the claim, certified on every word; and for each
    part that it keeps a word on which the circuit is wrong without it, so that it is minimal. With --equal, it gives
    the answers that the network itself gives. Its certificates contain the original network and what was removed.
    docs/howto/heads.md.
    """
    from certify.claims.trained.ablation import answer_about_parts
    from certify.claims.trained.ablation_show import ablation_to_json, print_ablation
    from certify.claims.trained.flags import flags_of
    from certify.claims.trained.question import read_question
    from constructions.trained.json_form import network_text

    scope, settings = given_as.scope_and_settings(claimed)
    network, words = read_question(model, claim, flags_of(claimed), scope)
    if output is not None:
        check_new_folder(output)
    answers = None
    if equal:
        from certify.learning.own_answers import own_answers

        words, answers = own_answers(network, words, settings)
    found = answer_about_parts(network, words, heads or (), neurons or (), edges or (), to, settings, answers)
    show_found(found, ablation_to_json, print_ablation)
    if html is not None:
        from certify.exports.pages.parts.page import circuit_page

        write_text(html, circuit_page(found, output if found.certificates else None))
    if smaller is not None:
        write_text(smaller, network_text(found.edited))
    if output is not None:
        if found.certificates:
            write_folder(output, found.certificates)
        elif not Json.wanted:
            tell(f"certify: {found.verdict}, so no certificates were written")
    raise typer.Exit(found.exit_code)
