"""`certify learn` and `certify equal`: what a trained network computes, and whether two networks give equal answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.commands import decide_options as given_as
from certify.commands.decide_options import OF_WORDS
from certify.common.files import check_new_folder, write_text
from certify.common.terminal import Json, show_found, tell, write_certificate
from certify.requests import options as option
from certify.requests.options import Predicate, flag, whole_number, written_file, written_place

if TYPE_CHECKING:
    from certify.learning.equality import Equality
    from certify.learning.learned import Learned


Offsets = Annotated[str | None, typer.Option(
    "--offset", metavar="all|K|A-B", help="position numbers of the first token (default: the claim's first)")]
CLAIM: Mapping[str, Any] = {
    **{name: kind for name, kind in OF_WORDS.items() if name != "margin"},
    "sign": flag("--sign", "an answer is whether the logit of token T is above 0; TRUTH is what it was trained for, if "
                 "that is to be compared", "'T[: TRUTH]'", list[str] | None),
    "larger": flag("--larger", "an answer is whether the logit of T is above that of U",
                   "'T,U[: TRUTH]'", list[str] | None),
    "argmax": flag("--argmax", "an answer is which of these tokens has the greatest logit",
                   "'T,U,...' or 'T: TRUTH'", list[str] | None),
    "predicate": Predicate,
}
Words = Annotated[Literal["all", "asked", "allowed"] | None, typer.Option(
    "--words", help="which words: all; those of which the claim asks something; those that the network itself allows, "
    "as the logit of each letter's token is above 0 (default: what suits the claim)")]
States = Annotated[int, typer.Option(
    "--states", metavar="K", parser=whole_number, help="the most states of an automaton")]
Drawing = Annotated[str | None, typer.Option(
    "--svg", metavar="FILE", parser=written_file, help="write the drawing of the automaton here")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write the page of what was learnt here")]
Second = Annotated[str, typer.Argument(metavar="MODEL2", help="a file with another trained network, or a certificate")]
Query = Annotated[str | None, typer.Option(
    "--query", metavar="FILE", help="in place of a claim: a query of VNN-LIB 2.0 about two networks, which are MODEL "
    "and MODEL2")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_place, help="write the certificates here: a new folder")]


@option.with_options("states jobs dask store effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n offset {' '.join(CLAIM)}", {
    **given_as.OF_QUESTIONS, **CLAIM}, offset=Offsets)
def learn(
    model: given_as.Model,
    claim: option.Claim = None,
    words: Words = None,
    states: States = 64,
    output: option.Certificate = None,
    svg: Drawing = None,
    html: Page = None,
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
@option.with_options(f"claim max_n offset {' '.join(CLAIM)}", {
    **given_as.OF_QUESTIONS, **CLAIM}, offset=Offsets)
def equal(
    model: given_as.Model,
    second: Second,
    claim: option.Claim = None,
    words: Words = None,
    query: Query = None,
    states: States = 64,
    output: Folder = None,
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
