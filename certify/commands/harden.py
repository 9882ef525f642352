"""`certify harden`: a trained network whose heads attend hard, certified on every word."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from certify.commands import decide_options as given_as
from certify.common.files import check_writable, write_text
from certify.common.terminal import show_found, write_certificate, write_found
from certify.requests import options as option
from certify.requests.options import written_file

Pattern = Annotated[list[str] | None, typer.Option(
    "--pattern", metavar="L.H=PATTERN", help="harden this head to a pattern of certify heads, such as 1.1=first or "
    "'1.1=rightmost Q_a'")]
Model = Annotated[str | None, typer.Option(
    "--model", metavar="FILE", parser=written_file, help="write the hardened network here")]
Wrong = Annotated[str | None, typer.Option(
    "--wrong", metavar="FILE", parser=written_file, help="write the certificate of the shortest wrong word here")]


@option.with_options("pattern jobs dask effort", given_as.OF_QUESTIONS)
@option.with_options(f"claim max_n min_n offset {' '.join(given_as.OF_WORDS)} predicate", {
    **given_as.OF_QUESTIONS, **given_as.OF_WORDS, "predicate": option.Predicate})
def harden(
    model: given_as.Model,
    claim: option.Claim = None,
    pattern: Pattern = None,
    output: option.Certificate = None,
    hardened: Model = None,
    wrong: Wrong = None,
    **claimed: Any,
) -> None:
    """Make the heads of a trained network hard, and certify its answers.

    Each head attends to the positions of a pattern alone, with equal weights; without --pattern, the patterns are those
    that keep the most words right. The claim is decided of the hard and of the soft network: one that is wrong as
    trained may be right with hard attention. docs/howto/heads.md.
    """
    from certify.claims.trained.flags import flags_of
    from certify.claims.trained.hardening import answer_about_hardening
    from certify.claims.trained.hardening_show import hardening_to_json, print_hardening
    from certify.claims.trained.question import read_question
    from constructions.trained.json_form import network_text

    scope, settings = given_as.scope_and_settings(claimed)
    network, words = read_question(model, claim, flags_of(claimed), scope)
    if output is not None:
        check_writable(output)
    found = answer_about_hardening(network, words, pattern or (), settings)
    show_found(found, hardening_to_json, print_hardening, output)
    write_found(found.decision, output)
    write_certificate(wrong, found.decision.wrong_certificate, found.verdict, "certificate of a wrong word")
    if hardened is not None:
        write_text(hardened, network_text(found.edited))
    raise typer.Exit(found.exit_code)
