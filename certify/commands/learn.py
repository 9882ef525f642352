"""`certify learn` and `certify equal`: what a trained network computes, and whether two networks give equal answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from certify.commands import decide_options as given_as
from certify.commands import learn_options as learnt
from certify.common.files import check_new_folder, write_text
from certify.common.terminal import Json, show_found, tell, write_certificate
from certify.requests import options as option

if TYPE_CHECKING:
    from certify.learning.equality import Equality
    from certify.learning.learned import Learned


@option.with_options("states jobs dask store effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n offset {' '.join(learnt.CLAIM)}", {
    **given_as.OF_QUESTIONS, **learnt.CLAIM}, offset=learnt.Offsets)
def learn(
    model: given_as.Model,
    claim: option.Claim = None,
    words: learnt.Words = None,
    states: learnt.States = 64,
    output: option.Certificate = None,
    svg: learnt.Drawing = None,
    html: learnt.Page = None,
    **claimed: Any,
) -> None:
    """Find what a trained network computes, as an automaton.

    A smallest automaton that gives the network's answers on all words up to length N, proved; its certificate is that
    of a decision. It is printed as a table, as formulas and comparisons of counts where there are such, and compared
    with the claim: the words on which the network does not do what it was trained for. docs/howto/learning.md.
    """
    from certify.claims.trained.flags import flags_of
    from certify.learning.learn import Effort
    from certify.learning.learn import learn as learn_network
    from certify.learning.requests import read_learning
    from certify.learning.show import learned_to_json, print_learned

    scope, settings = given_as.scope_and_settings(claimed)
    network, question = read_learning(model, claim, flags_of(claimed), scope, words)
    learned = learn_network(network, question, settings, Effort(states=states))
    show_found(learned, learned_to_json, print_learned, output)
    write_certificate(output, learned.certificate, learned.verdict)
    write_pictures(learned, svg, html, output)
    raise typer.Exit(learned.exit_code)


def write_pictures(learned: Learned, svg: str | None, html: str | None, output: str | None) -> None:
    """Write the drawing and the page, if requested."""
    from certify.exports.pages.learned.drawing import draw_automaton
    from certify.exports.pages.learned.page import learned_page
    from certify.learning.explanation import explain

    if svg is not None:
        explanation = explain(learned)
        differing = explanation.differences.states if explanation and explanation.differences else ()
        drawing = draw_automaton(learned.question, learned.automaton, differing) if learned.automaton else None
        if drawing is None:
            tell(f"certify: {learned.verdict}, so no drawing was written" if learned.automaton is None
                else f"certify: {len(learned.automaton.marks)} states, so no drawing was written")
        else:
            write_text(svg, drawing + "\n")
    if html is not None:
        write_text(html, learned_page(learned, output if output != "-" and learned.certificate else None))


# -- two networks ------------------------------------------------------------------------------------------------------


@option.with_options("states jobs dask store effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n offset {' '.join(learnt.CLAIM)}", {
    **given_as.OF_QUESTIONS, **learnt.CLAIM}, offset=learnt.Offsets)
def equal(
    model: given_as.Model,
    second: learnt.Second,
    claim: option.Claim = None,
    words: learnt.Words = None,
    query: learnt.Query = None,
    states: learnt.States = 64,
    output: learnt.Folder = None,
    **claimed: Any,
) -> None:
    """Decide whether two trained networks give equal answers.

    On every word up to a length: is a pruned, quantised or exported network still equivalent? The first is learnt, and
    both are decided against its automaton; or a word on which they differ is enclosed in both. docs/howto/learning.md.
    """
    from certify.claims.trained.flags import flags_of
    from certify.claims.trained.question import read_trained
    from certify.learning.equality import compare
    from certify.learning.learn import Effort
    from certify.learning.requests import read_equality_query, read_learning
    from certify.learning.show_equality import (
        equality_to_json,
        print_equality,
        print_query_answer,
        query_answer_to_json,
    )
    from certify.learning.vnnlib_query import answer_query

    if output is not None:
        check_new_folder(output)
    others = {"claim": claim, "max-n": claimed["max_n"], "offset": claimed["offset"], "words": words}
    scope, settings = given_as.scope_and_settings(claimed)
    flags, tried = flags_of(claimed), Effort(states)
    if query is not None:
        given = [f"--{name}" for name, value in others.items() if value is not None] + flags.given_options()
        one, other, asked = read_equality_query(query, model, second, given)
        answer = answer_query(asked, one, other, settings, tried)
        show_found(answer, query_answer_to_json, print_query_answer)
        write_certificates(output, answer.equality)
        raise typer.Exit(answer.exit_code)
    network, question = read_learning(model, claim, flags, scope, words)
    equality = compare(network, read_trained(second)[0], question, settings, tried)
    show_found(equality, equality_to_json, print_equality)
    write_certificates(output, equality)
    raise typer.Exit(equality.exit_code)


def write_certificates(output: str | None, equality: Equality) -> None:
    """Write the folder of certificates, if requested, and report its files, or why there are none."""
    from certify.learning.show_equality import write_equality

    if output is None:
        return
    if not equality.certificates:
        tell(f"certify: {equality.verdict}, so no certificates were written")
        return
    write_equality(output, equality)
    if not Json.wanted:
        tell(f"certify: {', '.join(equality.certificates)} in {output}")
