"""`certify harden`: a trained network whose heads attend hard, certified on every word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands import decide_options as given_as
from certify.common.files import check_new_folder, check_writable, write_folder, write_text
from certify.common.terminal import show_found, tell, write_certificate, write_found
from certify.requests import options as option
from certify.requests.options import written_file, written_place
from constructions.errors import InputError

if TYPE_CHECKING:
    from certify.claims.trained.hard_programs import HardProgram

Pattern = Annotated[list[str] | None, typer.Option(
    "--pattern", metavar="L.H=PATTERN", help="give this head hard attention to these positions, as of heads "
    "--on: 1.1=first, '1.1=rightmost Q_a'; 1.1=greatest for those of its own greatest scores")]
Model = Annotated[str | None, typer.Option(
    "--model", metavar="FILE", parser=written_file, help="write the hardened network here")]
Program = Annotated[str | None, typer.Option(
    "--program", metavar="FILE", parser=written_file, help="write the program of the hard network here: B-RASP, or "
    "with counts S-RASP or C-RASP (.cr)")]
ProgramCertificate = Annotated[str | None, typer.Option(
    "--program-certificate", metavar="FILE", parser=written_file, help="write the certificate that the hard network "
    "has the program's answers here")]
Scores = Annotated[str | None, typer.Option(
    "--scores", metavar="DIR", parser=written_place, help="with greatest: write the certificates that the patterns are "
    "those of the greatest scores here: a new folder")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write a page with the circuit, and a word to click through "
    "soft, hard and program, here")]
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
    program: Program = None,
    program_certificate: ProgramCertificate = None,
    scores: Scores = None,
    html: Page = None,
    **claimed: Any,
) -> None:
    """Make the heads of a trained network hard, and prove its answers.

    Each head attends to the positions of a pattern alone, with equal weights; without --pattern, the patterns are those
    that keep the most words right. The claim is decided of the hard and of the soft network: one that is wrong as
    trained may be right with hard attention. Where its answers depend on the letters that the heads choose alone, the
    program of the network is written, too. docs/howto/heads.md.
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
    if scores is not None:
        if not any(one.endswith("=greatest") for one in pattern or ()):
            raise InputError("--scores: expected --pattern L.H=greatest beside it")
        check_new_folder(scores)
    found = answer_about_hardening(network, words, pattern or (), settings)
    show_found(found, hardening_to_json, print_hardening, output)
    write_found(found.decision, output)
    write_certificate(wrong, found.decision.wrong_certificate, found.verdict, "certificate of a wrong word")
    if html is not None:
        from certify.exports.pages.parts.hardened import hardening_page

        write_text(html, hardening_page(found, output))
    if hardened is not None:
        write_text(hardened, network_text(found.edited))
    write_program(found.program, program, program_certificate)
    if scores is not None:
        write_folder(scores, found.certificates_of_scores)
    raise typer.Exit(found.exit_code)


def write_program(found: HardProgram | str, path: str | None, certificate: str | None) -> None:
    """Write the program and its certificate, where these are requested and there is one."""
    if isinstance(found, str):
        if path is not None or certificate is not None:
            tell(f"certify: no program was written{': ' * bool(found)}{found}")
        return
    if path is not None:
        write_text(path, found.text)
        if found.counts != path.endswith(".cr"):
            tell(f"certify: {path} is in {'C' if found.counts else 'B or S'}-RASP; commands read C-RASP from *.cr")
    write_certificate(certificate, found.decision.certificate, found.decision.verdict, "certificate of the program")
