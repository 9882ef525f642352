"""`certify audit`: the options of the command, and their evaluation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.command import refuse_options, repeated
from certify.commands.finish import later, say_reading
from certify.common.files import holds_a_file, write_text
from certify.common.output_guard import note_output
from certify.common.progress import ProgressLine
from certify.common.terminal import Json, note, print_json, show_found, tell, write_certificate
from certify.common.verdicts import INTERRUPTED, exit_status
from certify.requests import options as option
from certify.requests.inputs import FormulaSubject, Options, as_option
from constructions.deadline import TimeIsUp
from constructions.errors import InputError
from constructions.network.lengths import Lengths

if TYPE_CHECKING:
    from certify.auditing.claims import AuditClaim
    from certify.auditing.results import AuditReport, ClaimResult
    from certify.auditing.suggest import Suggestion
    from certify.common.shards import Workers

SECONDS = 60
"""Time limit of critical constants without --critical, in seconds."""
CriticalOption = Annotated[str | None, typer.Option(
    "--critical", metavar="LENGTHS",
    help="at which lengths to bracket critical constants: 4,8,16, or all, or none (default: powers of 2, and N, as "
         "many as there are in a minute)")]

ClaimedGammaOption = Annotated[str | None, typer.Option(
    "--gamma", metavar="NUMBER", help="the claimed constant in front of the scores: 3, ln(4)/2, ... (for a "
    "model, a factor)")]
EmbeddingsOption = Annotated[str | None, typer.Option(
    "--embeddings", metavar="LIST", help="position embeddings that are claimed to suffice: 'i/n, (-1)^i'")]
GapOption = Annotated[str | None, typer.Option(
    "--gap", metavar="EXPRESSION", help="claim only that the greatest score exceeds the next by this")]
WidthOption = Annotated[str | None, typer.Option(
    "--width", metavar="RATIONAL", help="greatest relative width of the brackets (default: 1/1000000)")]
HtmlOption = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=option.written_file, help="write a report with plots")]
MarkdownOption = Annotated[str | None, typer.Option(
    "--markdown", metavar="FILE", parser=option.written_file, help="write the report as Markdown")]
CsvOption = Annotated[str | None, typer.Option(
    "--csv", metavar="FILE", parser=option.written_file, help="write the numbers as a table")]
LatexOption = Annotated[str | None, typer.Option(
    "--latex", metavar="FILE", parser=option.written_file, help="write the verdicts as tables for a paper")]


@option.with_options("model alphabet dialect symbol predicate regime causal as_printed gamma temperature delta "
                     "precision weighting", gamma=ClaimedGammaOption)
def audit(
    context: typer.Context,
    claims: Annotated[str | None, typer.Argument(
        metavar="CLAIMS.toml", help="a claims file; - is standard input")] = None,
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="audit this formula's network (or that of a program, .rasp, .cr)")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="FILE", help="audit this model")] = None,
    embeddings: EmbeddingsOption = None,
    gap: GapOption = None,
    min_n: option.MinN = 1,
    max_n: option.MaxN = 64,
    critical: CriticalOption = None,
    floats: option.Float = None,
    width: WidthOption = None,
    suggest: Annotated[bool, typer.Option("--suggest", help="find the smallest constants that are enough")] = False,
    output: option.Certificate = None,
    resume: Annotated[bool, typer.Option("--resume", help="continue an interrupted audit of this file")] = False,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    html: HtmlOption = None,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    latex: LatexOption = None,
    **written: Any,
) -> None:
    """Decide claimed temperatures, constants, bounds and gaps.

    Takes one formula or model, or a whole claims file. Each claim is certified, refuted with a replayed word, or
    unknown, length by length; critical constants are given as brackets.
    """
    from certify.common.shards import read_workers

    given = {"html": html, "markdown": markdown, "csv": csv, "latex": latex}
    reports = {form: place for form, place in given.items() if place is not None}
    subject = exactly_one({"CLAIMS.toml": claims, "--formula": formula, "--model": model})
    options = option.options_of(written)
    if claims is not None:
        refuse_beside_a_file(options, {"embeddings": embeddings, "gap": gap, "width": width, "suggest": suggest,
                                       "output": output, "critical": critical, "float": floats}, min_n, max_n)
        raise typer.Exit(audit_file(claims, resume, read_workers(jobs, dask), reports))
    refuse_options("this option is for a claims file, and there is a single claim",
                   {"--jobs": jobs, "--dask": dask, "--resume": resume})
    claim = read_alone(subject, model is not None, options, Lengths(min_n, max_n), critical, embeddings, gap=gap,
                       width=width, float=floats)
    raise typer.Exit(print_suggestion(claim, output) if suggest else
                     audit_claim(claim, output, reports, repeated(context), SECONDS if critical is None else None))


def read_alone(subject: str, is_model: bool, options: Options, lengths: Lengths, critical: str | None,
               embeddings: str | None, **demanded: str | None) -> AuditClaim:
    """Build the claim of the options."""
    from certify.auditing.claims import AboutNetwork, AuditClaim, Expected
    from certify.auditing.claims_file import read_demands
    from certify.requests.quantities import read_lengths_to_bracket
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind

    demands: dict[str, Any] = {key: text for key, text in demanded.items() if text is not None}
    if embeddings is not None:
        demands["embeddings"] = [text for text in embeddings.split(",") if text.strip()]
    demands["critical"] = [] if "gap" in demands else read_lengths_to_bracket(critical, lengths)
    taken = (SubjectKind.NETWORK,) if is_model else (SubjectKind.FORMULA, SubjectKind.PROGRAM)
    request = read_request(subject, options, taken, lengths)
    say_reading(request)
    about = AboutNetwork(request, read_demands(demands, lengths))
    return AuditClaim("claim", "", "", about, request.claimed_lengths, Expected())


REPORTS: Mapping[str, Callable[[AuditReport], str]] = {
    "html": later("certify.exports.pages.audit.page", "audit_page"),
    "markdown": later("certify.auditing.markdown", "render_markdown"),
    "csv": later("certify.auditing.csv_figures", "render_csv"),
    "latex": later("certify.exports.latex_audit", "latex_of_audit"),
}
"""The formats of reports, by the names of their options."""


def write_reports(places: Mapping[str, str], report: AuditReport) -> None:
    """Write every report that was requested; an incomplete report never replaces an existing file."""
    for form, place in places.items():
        if not report.complete and holds_a_file(place):
            tell(f"certify: the audit is not complete, so {place} stays as it is")
        else:
            write_text(place, REPORTS[form](report))


def exactly_one(given: dict[str, str | None]) -> str:
    """Return the value of the option that is given."""
    found = {name: value for name, value in given.items() if value is not None}
    if len(found) != 1:
        raise InputError(f"{' and '.join(found) or 'nothing to audit'}: expected exactly one of {', '.join(given)}")
    return next(iter(found.values()))


def refuse_beside_a_file(options: Options, others: dict[str, object], min_n: int, max_n: int) -> None:
    """Raise InputError if an option is given that a claims file states itself."""
    from certify.requests.request import DEFAULT_MAX_N

    others = dict.fromkeys(options.named, True) | others | {"min_n": min_n != 1, "max_n": max_n != DEFAULT_MAX_N}
    refuse_options("a claims file states this itself", {as_option(name): value for name, value in others.items()})


# -- a claims file -----------------------------------------------------------------------------------------------------


def audit_file(path: str, resume: bool, workers: Workers, reports: Mapping[str, str]) -> int:
    """Audit a claims file; return the exit status."""
    from certify.auditing.claims_file import read_claims
    from certify.auditing.session import Session, check_kept_place, kept_path, read_kept
    from certify.common.shards import ShardsProgress
    from certify.common.words import counted

    kept = kept_path(path)
    note_output("finished claims in", str(kept))
    file = read_claims(path)
    check_kept_place(kept, path)
    if resume and not kept.is_file():
        tell(f"certify: --resume: there is no {kept}, so no finished claims of {path} are kept: the audit starts "
             "from the beginning")
        resume = False
    interrupted = ""
    with ShardsProgress("auditing", "claims", "claims") as progress:
        session = Session(file, read_kept(kept) if resume else None, workers=workers, progress=progress)
        try:
            session.run()
        except KeyboardInterrupt:
            interrupted = "interrupted"
        except TimeIsUp as up:
            interrupted = str(up)
    if session.resumed:
        tell(f"certify: {counted(session.resumed, 'finished claim')} taken from {kept}")
    report = session.report
    show_report(report, reports)
    if interrupted:
        print(f"certify: {session.describe_interruption(interrupted)}", file=sys.stderr)
        return INTERRUPTED if interrupted == "interrupted" else report.exit_code or exit_status("unknown")
    return report.exit_code


def show_report(report: AuditReport, reports: Mapping[str, str]) -> None:
    """Print the tables or the JSON object, and write the files."""
    from certify.auditing.tables import print_report
    from certify.common.json_form import to_json
    from certify.common.terminal_tables import console

    write_reports(reports, report)
    if Json.wanted:
        print_json(to_json(report))
    elif "-" not in reports.values():
        print_report(console(), report)


# -- one claim ---------------------------------------------------------------------------------------------------------


def audit_claim(claim: AuditClaim, output: str | None, reports: Mapping[str, str], command: str,
                seconds: int | None) -> int:
    """Audit one claim; return the exit status. ``command`` is the command line that reports quote.

    ``seconds`` limits the time for critical constants; None: without a limit.
    """
    from certify.auditing.decide import AuditSearch
    from certify.auditing.judge import judge_in_time
    from certify.auditing.results import AuditReport

    def decided(verdict: str, lengths: Sequence[int]) -> None:
        note(f"{verdict}; critical constants follow, at n = {', '.join(map(str, lengths))}")

    with ProgressLine() as progress:
        judged = judge_in_time(claim, AuditSearch(progress=progress), seconds, decided)
    result, certificates = judged.result, judged.certificates
    title = result.subject.partition(";")[0]
    report = AuditReport(title, "", (result,), (), result.seconds, command=command)
    write_reports(reports, report)
    if Json.wanted:
        print_claim_json(claim, result)
    elif "-" not in reports.values():
        from certify.auditing.tables import print_claim
        from certify.common.terminal_tables import console

        print_claim(console(sys.stderr if output == "-" else None), result)
    certificate = certificates[0] if result.verdict == "certified" and certificates else None
    write_certificate(output, certificate, result.verdict)
    return exit_status(result.verdict)


def print_claim_json(claim: AuditClaim, result: ClaimResult) -> None:
    """Print the result as one JSON object on standard output."""
    from certify.auditing.claims import AboutNetwork
    from certify.common.json_form import to_json

    witness = result.witness
    subject = claim.about.request.subject if isinstance(claim.about, AboutNetwork) else None
    formula = subject if isinstance(subject, FormulaSubject) else None
    found: dict[str, Any] = {
        "verdict": result.verdict,
        "formula": formula.text if formula else None,
        "alphabet": list(formula.alphabet) if formula else None,
        "min_n": claim.lengths.first,
        "max_n": claim.lengths.last,
        "regime": formula.regime.sharpening.value if formula else None,
        "causal": formula.regime.causal if formula else None,
    }
    if witness:
        found["counterexample"] = {
            "word": witness.word, "position": witness.position, "value_lower": str(witness.value.lower),
            "value_upper": str(witness.value.upper), "command": witness.command,
        }
    print_json(found | {key: value for key, value in to_json(result).items() if key not in found})


# -- suggestions -------------------------------------------------------------------------------------------------------


def print_suggestion(claim: AuditClaim, output: str | None) -> int:
    """Suggest constants; return the exit status of the network that has them."""
    from certify.auditing.claims import AboutNetwork
    from certify.auditing.decide import AuditSearch
    from certify.auditing.suggest import suggest
    from certify.auditing.tables import print_suggested
    from certify.claims.formula.outcomes import Certified
    from certify.claims.formula.show import outcome_to_json
    from certify.common.json_form import to_json

    assert isinstance(claim.about, AboutNetwork), "it is about a formula or a model"
    with ProgressLine() as progress:
        suggestion: Suggestion = suggest(claim.about.request, claim.lengths, AuditSearch(progress=progress))
    outcome = suggestion.outcome
    show_found(suggestion, lambda found: outcome_to_json(found.outcome) | {"suggested": to_json(found.heads)},
               lambda out, found: print_suggested(out, found, claim.lengths), output)
    certificate = outcome.certificate if isinstance(outcome, Certified) else None
    write_certificate(output, certificate, outcome.verdict)
    return outcome.exit_code
