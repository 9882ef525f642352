"""`certify audit`: the options of the command, and what becomes of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    CausalOption,
    CertificateOption,
    DeltaOption,
    JobsOption,
    JsonOption,
    MaxNOption,
    MinNOption,
    PredicateOption,
    RegimeOption,
    SymbolOption,
    TemperatureOption,
)

if TYPE_CHECKING:
    from certify.auditing.claims import Claim, NetworkSubject
    from certify.auditing.results import AuditReport, ClaimResult
    from certify.auditing.suggest import Suggestion
    from constructions.network.lengths import Lengths

INTERRUPTED = 130
EXIT_CODES = {"certified": 0, "refuted": 1, "unknown": 3, "unsupported": 3, "not decidable": 0}


def audit(
    claims: Annotated[str | None, typer.Argument(
        metavar="CLAIMS.toml", help="a claims file; - is standard input")] = None,
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="audit this formula's network (or that of a program, .rasp)")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="FILE", help="audit this model")] = None,
    alphabet: AlphabetOption = None,
    symbol: SymbolOption = None,
    predicate: PredicateOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    as_printed: AsPrintedOption = False,
    gamma: Annotated[str | None, typer.Option(
        "--gamma", metavar="RATIONAL", help="the claimed constant in front of the scores (of a model, a factor)",
    )] = None,
    temperature: TemperatureOption = None,
    delta: DeltaOption = None,
    embeddings: Annotated[str | None, typer.Option(
        "--embeddings", metavar="LIST", help="claimed to suffice: 'i/n, (-1)^i'")] = None,
    gap: Annotated[str | None, typer.Option(
        "--gap", metavar="EXPRESSION", help="claim only that the greatest score exceeds the next by this")] = None,
    min_n: MinNOption = 1,
    max_n: MaxNOption = 64,
    critical: Annotated[str | None, typer.Option(
        "--critical", metavar="LENGTHS", help="bracket critical constants at 4,8,16; all; or none "
        "(left out: powers of 2 and N)")] = None,
    width: Annotated[str, typer.Option(
        "--width", metavar="RATIONAL", help="relative width of the brackets")] = "1/1000000",
    suggest: Annotated[bool, typer.Option("--suggest", help="the warmest constants, head by head")] = False,
    output: CertificateOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with an interrupted audit of this file")] = False,
    jobs: JobsOption = 1,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="write a report with plots")] = None,
    markdown: Annotated[str | None, typer.Option("--markdown", metavar="FILE", help="the same as Markdown")] = None,
    csv: Annotated[str | None, typer.Option("--csv", metavar="FILE", help="write the figures")] = None,
    as_json: JsonOption = False,
) -> None:
    """Decide claimed temperatures, constants, bounds and gaps.

    Of one formula or model, or of a whole claims file: certified, refuted with a replayed word, or unknown, length by
    length; and the critical constants as brackets.
    """
    from certify.files import check_writable

    reports = Reports(html, markdown, csv, as_json)
    for place in reports.places:
        check_writable(place)
    given = {"CLAIMS.toml": claims, "--formula": formula, "--model": model}
    subject = exactly_one(given)
    options = {"formula": formula, "model": model, "alphabet": alphabet, "symbol": symbol, "predicates": predicate,
               "regime": regime, "causal": causal, "as_printed": as_printed, "gamma": gamma, "temperature": temperature,
               "delta": delta, "embeddings": embeddings, "gap": gap, "width": width}
    if subject == "CLAIMS.toml":
        refuse_beside_a_file(options | {"--suggest": suggest, "--output": output, "--critical": critical})
        assert claims is not None
        raise typer.Exit(audit_file(claims, resume, jobs, reports))
    refuse_beside_one_claim(resume, jobs)
    if suggest:
        raise typer.Exit(print_suggestion(options, min_n, max_n, output, as_json))
    raise typer.Exit(audit_claim(options, min_n, max_n, critical, output, reports))


class Reports:
    """Where reports go, and the writing of them."""

    def __init__(self, html: str | None, markdown: str | None, csv: str | None, as_json: bool):
        """Each place is a file, - for standard output, or None."""
        self.html, self.markdown, self.csv, self.as_json = html, markdown, csv, as_json
        if as_json and "-" in self.places:
            refuse("a report to -: it and the JSON object cannot share standard output, expected a file")

    @property
    def places(self) -> list[str]:
        """The files to be written."""
        return [place for place in (self.html, self.markdown, self.csv) if place is not None]

    def write(self, report: AuditReport) -> None:
        """Write every report that was asked for."""
        from certify.files import write_text

        if self.html is not None:
            from certify.auditing.html import render_html

            write_text(self.html, render_html(report))
        if self.markdown is not None:
            from certify.auditing.markdown import render_markdown

            write_text(self.markdown, render_markdown(report))
        if self.csv is not None:
            from certify.auditing.csv_figures import render_csv

            write_text(self.csv, render_csv(report))


def refuse(message: str) -> None:
    """Raise InputError."""
    from constructions.errors import InputError

    raise InputError(message)


def exactly_one(given: dict[str, str | None]) -> str:
    """The name of the one that is given."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        refuse(f"{' and '.join(names) or 'nothing to audit'}: expected exactly one of {', '.join(given)}")
    return names[0]


def refuse_beside_one_claim(resume: bool, jobs: int) -> None:
    """What only many claims can have."""
    if jobs != 1:
        refuse("--jobs: a single claim is not divided, expected a claims file")
    if resume:
        refuse("--resume: a single claim is not kept, expected a claims file")


def refuse_beside_a_file(options: dict[str, Any]) -> None:
    """A claims file says all of this itself; an option that would be ignored is an error."""
    silent = {"regime": "temperature", "width": "1/1000000"}
    for name, value in options.items():
        if value and value != silent.get(name):
            refuse(f"--{name.lstrip('-').replace('_', '-')}: a claims file says this itself")


# -- a claims file -----------------------------------------------------------------------------------------------------


def audit_file(path: str, resume: bool, jobs: int, reports: Reports) -> int:
    """Audit a claims file; return the exit status."""
    from certify.auditing.claims_file import read_claims
    from certify.auditing.decide import Search
    from certify.auditing.session import Session, exit_code, kept_path, read_kept
    from certify.progress import ProgressLine

    file = read_claims(path)
    kept = kept_path(path)
    if resume and not kept.is_file():
        print(f"certify: --resume: {kept} is not here, so nothing is kept of an audit of {path}: it starts from the "
              "beginning", file=sys.stderr)
        resume = False
    interrupted = False
    with ProgressLine() as progress:
        session = Session(file, Search(progress=progress), read_kept(kept) if resume else None, jobs=jobs)
        try:
            session.run()
        except KeyboardInterrupt:
            interrupted = True
    if session.resumed:
        print(f"certify: {session.resumed} claims taken from {kept} as they were found before", file=sys.stderr)
    report = session.report
    show_report(report, reports)
    if interrupted:
        print(f"certify: {session.describe_interruption()}", file=sys.stderr)
        return INTERRUPTED
    return exit_code(report)


def show_report(report: AuditReport, reports: Reports) -> None:
    """Print the tables or the JSON object, and write the files."""
    import json

    from certify.auditing.tables import print_report
    from certify.auditing.to_json import to_json
    from certify.report import console

    reports.write(report)
    if reports.as_json:
        print(json.dumps(to_json(report), indent=1))
    elif "-" not in reports.places:
        print_report(console(), report)


# -- one claim ---------------------------------------------------------------------------------------------------------


def read_single(options: dict[str, Any], lengths: Lengths, critical: list[int]) -> Claim:
    """The claim that the options make."""
    from certify.auditing.claims_file import read_claim

    texts = {key: value for key, value in options.items() if value is not None and value is not False}
    if "embeddings" in texts:
        texts["embeddings"] = [text for text in texts["embeddings"].split(",") if text.strip()]
    if "model" in texts:
        for key in ("alphabet", "symbol", "predicates", "causal", "as_printed"):
            if key in texts:
                refuse(f"--{key.replace('_', '-')}: a model says this itself")
        texts.pop("regime")
    return read_claim({**texts, "name": "claim", "lengths": str(lengths), "critical": critical})


def lengths_to_bracket(text: str | None, lengths: Lengths) -> list[int]:
    """The lengths of ``--critical``.

    >>> from constructions.network.lengths import up_to
    >>> [lengths_to_bracket(text, up_to(20)) for text in (None, "4, 8", "none")]
    [[4, 8, 16, 20], [4, 8], []]
    """
    if text == "none":
        return []
    if text == "all":
        return list(lengths)
    if text is None:
        return [n for n in lengths if n == lengths.last or (n >= 4 and n & (n - 1) == 0)]
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        refuse(f"--critical: found {text}, expected lengths such as 4,8,16, or all, or none")
    return [int(part) for part in parts]


def audit_claim(options: dict[str, Any], min_n: int, max_n: int, critical: str | None, output: str | None,
                reports: Reports) -> int:
    """Audit one claim; return the exit status."""
    from certify.auditing.decide import Search
    from certify.auditing.judge import judge_with_certificates
    from certify.auditing.results import AuditReport
    from certify.files import check_writable
    from certify.progress import ProgressLine
    from constructions.network.lengths import Lengths

    if output is not None:
        check_writable(output)
    lengths = Lengths(min_n, max_n)
    claim = read_single(options, lengths, lengths_to_bracket(critical, lengths) if not options["gap"] else [])
    with ProgressLine() as progress:
        result, certificates = judge_with_certificates(claim, Search(progress=progress))
    report = AuditReport("One claim", "command line", (result,), (), result.seconds)
    reports.write(report)
    if reports.as_json:
        print_claim_json(claim, result)
    elif "-" not in reports.places:
        from certify.auditing.tables import print_claim
        from certify.report import console

        print_claim(console(sys.stderr if output == "-" else None), result)
    write_certificate(output, certificates[0] if result.verdict == "certified" and certificates else None,
                      result.verdict)
    return EXIT_CODES[result.verdict]


def write_certificate(output: str | None, certificate: str | None, verdict: str) -> None:
    """Write the certificate, if there is one and a place for it."""
    from certify.files import write_text

    if output is None:
        return
    if certificate is None:
        print(f"certify: {verdict}, so no certificate was written", file=sys.stderr)
        return
    write_text(output, certificate)
    if output != "-":
        print(f"certificate in {output}", file=sys.stderr)


def print_claim_json(claim: Claim, result: ClaimResult) -> None:
    """One JSON object on standard output."""
    import json

    from certify.auditing.claims import FormulaSubject
    from certify.auditing.to_json import to_json

    subject, witness = claim.subject, result.witness
    formula = subject if isinstance(subject, FormulaSubject) else None
    found: dict[str, Any] = {
        "verdict": result.verdict,
        "formula": formula.text if formula else None,
        "alphabet": list(formula.symbols) if formula else None,
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
    print(json.dumps(found | {key: value for key, value in to_json(result).items() if key not in found}, indent=1))


# -- suggestions -------------------------------------------------------------------------------------------------------


def print_suggestion(options: dict[str, Any], min_n: int, max_n: int, output: str | None, as_json: bool) -> int:
    """Suggest constants; return the exit status of the network that has them."""
    import json

    from certify.auditing.claims import FormulaSubject, ModelSubject
    from certify.auditing.decide import Search
    from certify.auditing.suggest import suggest
    from certify.auditing.tables import print_suggested
    from certify.files import check_writable
    from certify.outcomes import Certified
    from certify.progress import ProgressLine
    from certify.report import console, outcome_to_json
    from constructions.network.lengths import Lengths

    if output is not None:
        check_writable(output)
    lengths = Lengths(min_n, max_n)
    subject: NetworkSubject = read_single(options, lengths, []).subject  # type: ignore[assignment]  # of a formula or model
    assert isinstance(subject, FormulaSubject | ModelSubject)
    with ProgressLine() as progress:
        suggestion: Suggestion = suggest(subject, lengths, Search(progress=progress))
    outcome = suggestion.outcome
    if as_json:
        from certify.auditing.to_json import to_json

        print(json.dumps(outcome_to_json(outcome) | {"suggested": to_json(suggestion.heads)}, indent=1))
    else:
        print_suggested(console(sys.stderr if output == "-" else None), suggestion, lengths)
    write_certificate(output, outcome.certificate if isinstance(outcome, Certified) else None, outcome.verdict)
    return outcome.exit_code
