"""`certify margin`: the sign of a network's output at one position, and how far it is from its threshold."""

from typing import Annotated

import typer

from certify.commands.finish import end
from certify.requests import options as option


def margin(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="a model file (.json) or a certificate (.cert)")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="the formula that the output tells (left out: the one that the "
        "file states)")] = None,
    at: Annotated[option.At, typer.Option(
        "--at", help="which letter the output is about: the first or last one, read at the first or last position of "
        "the whole sequence; or every letter, read at its own position")] = "last",
    alphabet: Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="the symbols of words (left out: all but those of --before and "
        "--after)")] = None,
    before: Annotated[str | None, typer.Option(
        "--before", metavar="SYMBOLS", help="what stands before every word, such as $")] = None,
    after: Annotated[str | None, typer.Option(
        "--after", metavar="SYMBOLS", help="what stands after every word")] = None,
    threshold: Annotated[str | None, typer.Option(
        "--threshold", metavar="RATIONAL",
        help="where the output changes its answer (left out: 0; 1/2 if it means a truth)")] = None,
    margin: Annotated[str | None, typer.Option(
        "--margin", metavar="EXPRESSION", help="how far from the threshold outputs must stay, for n letters: 1/10, "
        "1/(4*n) (left out: 0)")] = None,
    max_n: option.MaxN = 64,
    min_n: option.MinN = 1,
    norm: Annotated[str | None, typer.Option(
        "--norm", metavar="EPSILON", help="a layer norm after both parts of every layer, with this epsilon: 0, "
        "1/100000 (left out: no norm)")] = None,
    temperature: option.Temperature = None,
    gamma: Annotated[str | None, typer.Option(
        "--gamma", metavar="NUMBER", help="multiply all scores by this (left out: 1)")] = None,
    predicate: option.Predicate = None,
    output: option.Certificate = None,
) -> None:
    """Decide the sign of a network's output, and its margin.

    Decides every word of up to N letters, in classes of words that the network cannot tell apart: at one position the
    output must be above the threshold where the formula holds and below it elsewhere, by more than the margin. Shows
    the least margin of each length. The certificate covers the lengths up to which the claim is certified.
    """
    from certify.claims.margins.answer import answer
    from certify.claims.margins.question import MarginOptions, read_question
    from certify.claims.margins.show import answer_to_json, print_answer
    from certify.common.progress import ProgressLine
    from certify.common.so_far import answer_in_time
    from certify.requests.subjects import SubjectKind, find_subject
    from constructions.network.lengths import Lengths

    options = MarginOptions(formula, alphabet, before, after, at, threshold, margin, tuple(predicate or ()), gamma,
                            temperature, norm)
    question = read_question(find_subject(model, (SubjectKind.NETWORK,)), options, Lengths(min_n, max_n))
    with ProgressLine() as progress:
        found = answer_in_time(question.claim.lengths, lambda some: answer(question.about(some), progress))
    end(found, answer_to_json, print_answer, output)
