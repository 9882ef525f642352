"""The texts of all reports of an audit, shared by terminal, Markdown and HTML."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from certify.auditing.results import (
    VERDICTS,
    AuditReport,
    ClaimResult,
    CriticalConstant,
    HeadTemperature,
    LengthVerdict,
    Verdict,
    Witness,
)
from certify.claims.critical.brackets import ClosedForm
from certify.common.numbers import decimal_lower, decimal_upper, enclosed
from certify.common.words import counted, show_lengths
from constructions.network.sharpening import Place
from constructions.text import printable
from proofs.enclosures.intervals import Interval, point

END_DIGITS = 8
"""The digits of both ends of a bracket: two more than the default width needs."""
UNIT_OF_TEMPERATURE = "at row i = n, in units of the score"
SHOWN_HEADS = 3
ENDS_OF_SUM = (4, 2)
"""The numbers of first and last terms that are shown of longer sums."""
LEGEND = (
    ("certified", "Proved for every length in the range, every word of these lengths and every position (statements "
                  "about numbers: for every instance that the claim covers)."),
    ("proved", "Coq's kernel accepts the theorem for words of every length (or of the stated lengths)."),
    ("vacuous", "True, because nothing is judged: the claim is about no word of these lengths, or no position of "
                "them (the assumption holds nowhere), or about no head."),
    ("refuted", "One instance violates the claim. It was replayed in enclosed arithmetic: the value shown is an "
                "interval that contains the true one and lies outside the allowed range. The command replays it."),
    ("refuted on a reading", "Refuted under the stated interpretation of the statement; it is ambiguous, and under "
                             "another interpretation it is not refuted."),
    ("unknown", "Neither proved nor refuted, for the stated reason. It is never counted as certified."),
    ("unproved", "Coq does not accept the theorem, for the stated reason; it may still be true."),
    ("unsupported", "The claim uses an unsupported construct; it may be true or false."),
    ("not decidable", "No instance of any size decides the statement, for the stated reason."),
    ("malformed", "The claim could not be parsed, for the stated reason. The others were decided."),
    ("measured", "The number that a claim bounds: the worst error of a network, the smallest gap, or the value of a "
                 "statement about numbers."),
    ("worst error", "The largest distance between the output of a head and its target, over all words and "
                    "positions: attained on a word at the lower end, proved at the upper end. One number is shown "
                    "if both ends agree to six digits."),
    ("bracket", "Two exact numbers with the true one between them. Ends are rounded outward."),
    ("critical constant", "The smallest constant in front of the scores that still certifies: refuted by a replayed "
                          "word at the lower end of its bracket, certified at the upper end."),
    ("closed form", "The exact number between the ends of a critical constant's bracket where the error of a head on "
                    "its worst input equals the allowed one; x is e^(-γ)."),
    ("critical temperature", "The largest temperature that still certifies, " + UNIT_OF_TEMPERATURE + ": certified at "
                             "the lower end of its bracket, refuted at the upper end. To multiply all scores by "
                             "a constant is to divide the temperatures of all heads by it, so this is each head's own "
                             "temperature times the slack."),
    ("slack", "The factor by which the claimed scores exceed the required ones. Above 1 the claim holds; below 1 it "
              "fails."),
    ("fit", "A growth law fitted to the midpoints of brackets. It describes the numbers shown; nothing "
            "is proved about other lengths."),
    ("expected", "The verdict that the claims file expects. A different one is marked as unexpected."),
)


def one_line(text: str) -> str:
    r"""Format external text on one line, without control characters.

    >>> one_line("two\n  lines \x1b[31m")
    'two lines \\x1b[31m'
    """
    return printable(" ".join(text.split()))


def ends(bracket: Interval | None, without: str = "-") -> tuple[str, str]:
    """Return the lower end rounded down and the upper end rounded up; ``without`` twice if there is no number."""
    if bracket is None:
        return without, without
    return decimal_lower(bracket.lower, END_DIGITS), decimal_upper(bracket.upper, END_DIGITS)


def show_enclosed(bracket: Interval | None, without: str = "-") -> str:
    """Format the six digits that both ends share, or both ends; ``without`` if there is no number.

    >>> show_enclosed(Interval(Fraction(1, 4), Fraction(1, 4))), show_enclosed(None)
    ('0.25', '-')
    """
    return enclosed(bracket.lower, bracket.upper) if bracket else without


def show_slack(slack: Interval | None) -> str:
    """Format with four digits, rounded down.

    >>> show_slack(Interval(Fraction(99999, 100000), Fraction(1))), show_slack(None)
    ('0.9999', '-')
    """
    return decimal_lower(slack.lower, 4) if slack else "-"


def show_form(form: ClosedForm) -> str:
    """Return the number, its equation and polynomial, and its limit.

    >>> show_form(ClosedForm((1, 1), 2, "-ln x", "x + x^2 = 1/3", "3x^2 + 3x - 1", "ln 4"))
    '-ln x with x + x^2 = 1/3; minimal polynomial 3x^2 + 3x - 1; tends to ln 4'
    """
    parts = [f"{form.gamma} with {cut_sum(form.equation)}"]
    if form.polynomial:
        parts.append(f"minimal polynomial {cut_sum(form.polynomial)}")
    if form.limit:
        parts.append(f"tends to {form.limit}")
    return "; ".join(parts)


def name_form(form: ClosedForm | None) -> str:
    """Return the number, or the equation that it solves.

    >>> name_form(ClosedForm((1, 1), 2, "ln 3", "x = 1/3", "", "ln 4")), name_form(None)
    ('ln 3', '-')
    """
    if form is None:
        return "-"
    return cut_sum(form.equation) if form.gamma == "-ln x" else form.gamma


def cut_sum(text: str) -> str:
    """Return a sum without its middle, if it is long, and the text after it.

    >>> cut_sum("x + x^2 + x^3 + x^4 + x^5 + x^6 + x^7 + x^8 = 1/3"), cut_sum("3y^2 - 1 with y = x^(3/2)")
    ('x + x^2 + x^3 + x^4 + ... + x^7 + x^8 = 1/3', '3y^2 - 1 with y = x^(3/2)')
    """
    summed, *behind = re.split(r" (?=with |= )", text, maxsplit=1)
    terms, (first, last) = re.split(r" (?=[+-] )", summed), ENDS_OF_SUM
    if len(terms) > first + last + 1:
        terms = [*terms[:first], "+ ...", *terms[-last:]]
    return " ".join([*terms, *behind])


def show_heads(heads: Sequence[Place]) -> str:
    """Format heads by layer and number; of many, the first ones.

    >>> show_heads([(1, 1), (2, 1)]), show_heads([(1, k) for k in range(1, 9)])
    ('1.1, 2.1', '1.1, 1.2, 1.3 and 5 more')
    """
    shown = ", ".join(f"{layer}.{number}" for layer, number in heads[:SHOWN_HEADS])
    return shown if len(heads) <= SHOWN_HEADS else f"{shown} and {len(heads) - SHOWN_HEADS} more"


def show_allowed(allowed: Interval) -> str:
    """Format the allowed values, exactly if short.

    >>> show_allowed(Interval(Fraction(0), Fraction(1, 4))), show_allowed(Interval(Fraction(1), Fraction(1)))
    ('a number in [0, 1/4]', '1')
    """
    lower, upper = (_exact_if_short(end) for end in (allowed.lower, allowed.upper))
    return lower if lower == upper else f"a number in [{lower}, {upper}]"


def _exact_if_short(x: Fraction) -> str:
    short = max(abs(x.numerator), x.denominator) < 10**6
    return str(x) if short else show_enclosed(point(x))


def describe_witness(witness: Witness) -> str:
    """Describe in one sentence the place, the subject, its enclosed value, and the allowed one."""
    where = f"at n = {witness.n}"
    if witness.word is not None:
        where = f"on the word {one_line(witness.word)} (n = {witness.n})"
        where += f" at position {witness.position}" if witness.position is not None else ""
    return (f"{where}: {one_line(witness.what)} is {show_enclosed(witness.value)}, "
            f"allowed is {witness.side + ' ' if witness.side else ''}{show_allowed(witness.allowed)}")


def describe_expectation(claim: ClaimResult) -> str:
    """Return ``as expected``, ``unexpected``, or ``-`` if nothing is expected."""
    if claim.mismatch:
        return "unexpected"
    return "as expected" if claim.expected else "-"


def unexpected(report: AuditReport) -> tuple[ClaimResult, ...]:
    """Return the claims with an unexpected verdict."""
    return tuple(claim for claim in report.claims if claim.mismatch)


def tally(report: AuditReport) -> list[tuple[Verdict, int]]:
    """Return the number of claims with each verdict that occurs."""
    counts = [(verdict, sum(claim.verdict == verdict for claim in report.claims)) for verdict in VERDICTS]
    return [(verdict, count) for verdict, count in counts if count]


def summarize(report: AuditReport) -> str:
    """Describe in one line the verdicts, and what ``describe_audit`` returns."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally(report)) or "nothing decided"
    return f"{counts} ({describe_audit(report)})"


def describe_audit(report: AuditReport) -> str:
    """Return the number of claims, whether all were as expected, and the time."""
    parts = [counted(len(report.claims), "claim"), f"{report.seconds:.1f} s"]
    if any(claim.expected for claim in report.claims) and not any(
            claim.verdict == "malformed" for claim in report.claims):
        parts.insert(1, f"{len(unexpected(report))} unexpected" if unexpected(report) else "all as expected")
    return ", ".join(parts)


def describe_source(report: AuditReport) -> list[tuple[str, str]]:
    """Return the claims file, the paper, and the version that was read, each with its name."""
    texts = [("source", report.source)]
    if report.paper:
        texts += [("paper", f"{report.paper.authors}, {report.paper.title}"), ("read", report.paper.version)]
    return [(name, one_line(text)) for name, text in texts if text]


def describe_interruption(report: AuditReport) -> str:
    """Return how to resume an incomplete audit; empty if it is complete."""
    if report.complete:
        return ""
    if not report.claims:
        return "INTERRUPTED before a claim was finished"
    return f"INTERRUPTED after {counted(len(report.claims), 'finished claim')}; --resume continues"


def by_length(claim: ClaimResult) -> Iterator[tuple[int, LengthVerdict | None, CriticalConstant | None]]:
    """Yield the row and the critical constants of each length, shortest first."""
    rows = {row.n: row for row in claim.rows}
    criticals = {critical.n: critical for critical in claim.criticals}
    for n in sorted(rows.keys() | criticals.keys()):
        yield n, rows.get(n), criticals.get(n)


def rows_alike(rows: Sequence[LengthVerdict]) -> list[tuple[str, LengthVerdict]]:
    """Merge neighbouring rows with equal text except n, with their lengths; rows with a witness are not merged.

    Positions i = n are shown as that.

    >>> rows_alike([LengthVerdict(n, "certified", where=f"head 1, i = {n}") for n in (1, 2, 4)])[0][0]
    '1..2, 4'
    """
    found = []
    for _, group in itertools.groupby(rows, key=_as_read):
        same = list(group)
        row = same[0] if len(same) == 1 else replace(same[0], where=_of_any_length(same[0]))
        found.append((show_lengths(each.n for each in same), row))
    return found


def _as_read(row: LengthVerdict) -> tuple[object, ...]:
    return (row.n if row.witness else 0, row.verdict, show_enclosed(row.error) if row.error else "",
            show_enclosed(row.bound) if row.bound else "", _of_any_length(row), row.reason)


def _of_any_length(row: LengthVerdict) -> str:
    return re.sub(rf"\b(n|i) = {row.n}\b", lambda found: f"{found[1]} = n", row.where).replace("n = n, ", "")


def temperatures_differ(claim: ClaimResult) -> bool:
    """Return whether heads have different temperatures, and so different critical ones."""
    return any(len(critical.temperatures) > 1 for critical in claim.criticals)


def by_temperature(critical: CriticalConstant | None) -> Sequence[HeadTemperature | None]:
    """Return the temperatures of a critical constant, one per line; one empty line if there are none."""
    return (critical.temperatures if critical else ()) or (None,)


def remarks(claim: ClaimResult) -> list[tuple[str, str]]:
    """Return the remarks on a claim, each with its name."""
    texts = [("unexpected", claim.mismatch), ("reading", claim.reading), ("rests on", claim.rests_on),
             ("reason", claim.reason), ("limit", claim.limit), ("note", claim.note)]
    for fit in claim.fits:
        heads = f"{show_heads(fit.heads)}: " if len(claim.fits) > 1 else ""
        texts.append(("fit", f"{heads}{fit.law} (a fit, not a claim; residual {fit.residual:.2g})"))
    texts += [("closed form", f"n = {critical.n}: {show_form(critical.form)}")
              for critical in claim.criticals if critical.form]
    texts += [("note", f"n = {critical.n}: {critical.note}") for critical in claim.criticals if critical.note]
    return [(name, one_line(text)) for name, text in texts if text]
