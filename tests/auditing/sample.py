"""A report such as an audit makes: every verdict, critical constants, a claim of a stranger, an interruption."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from unittest.mock import patch

from certify.auditing.markdown import render_markdown
from certify.auditing.plots import draw_plots
from certify.auditing.results import (
    AuditReport,
    ClaimResult,
    CriticalConstant,
    GrowthLaw,
    HeadTemperature,
    LengthVerdict,
    StatementVerdict,
    Witness,
)
from certify.claims.critical.brackets import ClosedForm
from certify.exports.pages.audit.page import audit_page
from proofs.enclosures.intervals import Interval, point

QUARTER = point(Fraction(1, 4))
MILLIONTH = Fraction(1, 10**6)


def near(value: str) -> Interval:
    """Return the interval of relative width 10^-6 around a decimal."""
    middle = Fraction(value)
    return Interval(middle * (1 - MILLIONTH / 2), middle * (1 + MILLIONTH / 2))


def since_witness(n: int, value: str) -> Witness:
    """Return the word with one decision at its end and the other way everywhere else."""
    word = "a" * (n - 1) + "b"
    return Witness("near[Q_a since Q_b]", n, near(value), Interval(Fraction(0), Fraction(1, 4)),
                   f"certify run 'Q_a since Q_b' {word} --gamma 13/10", word, n)


def since_row(n: int, error: str) -> LengthVerdict:
    return LengthVerdict(n, "certified", near(error), QUARTER, f"head 1.1, position {n}")


def refuted_row(n: int, error: str) -> LengthVerdict:
    return LengthVerdict(n, "refuted", near(error), QUARTER, f"head 1.1, position {n}", "", since_witness(n, error))


def since_critical(n: int, gamma: str) -> CriticalConstant:
    """Theorem 15 a at one length: temperature 1/n, gamma 3."""
    needed = near(gamma)
    slack = Interval(3 / needed.upper, 3 / needed.lower)
    temperature = HeadTemperature(((1, 1),), Fraction(1, n), slack.scaled(Fraction(1, n)))
    form = ClosedForm((1, 1), n, "-ln x", f"x + x^2 + ... + x^{n - 1} = 1/3", f"3x^{n - 1} + ... + 3x - 1", "ln 4")
    return CriticalConstant(n, needed, slack, (temperature,), since_witness(n, "0.2500001"), up_to=needed, up_to_n=n,
                            form=form)


SINCE_ERRORS = {1: "0", 2: "0.0474259", 4: "0.0497812", 8: "0.0497871", 16: "0.0497871", 32: "0.0497871",
                64: "0.0497871"}
SINCE_GAMMAS = {4: "1.374063", 8: "1.386249", 16: "1.386294", 32: "1.386294", 64: "1.386294"}

CERTIFIED = ClaimResult(
    name="theorem-15-a", statement="Theorem 15 a", says="one head with temperature 1/n and gamma 3 computes since",
    subject="Q_a since Q_b", lengths="1..64", verdict="certified", expected="certified", mismatch="", reason="",
    seconds=4.21, rows=tuple(since_row(n, error) for n, error in SINCE_ERRORS.items()),
    criticals=tuple(since_critical(n, gamma) for n, gamma in SINCE_GAMMAS.items()),
    fits=(GrowthLaw("gamma(n) = 1.386294 - 3.13 * 4^-n", 2.5e-7, ((1, 1),)),), error=near("0.0497871"),
    where="head 1.1, n = 64, i = 64",
    limit="ln 4: the ties weigh x + x^2 + ..., which is 1/3 at x = 1/4", gamma=Fraction(3), bound=QUARTER)

REFUTED = ClaimResult(
    name="since-gamma-13-10", statement="Theorem 15 a", says="gamma 13/10 is enough", subject="Q_a since Q_b",
    lengths="1..16", verdict="refuted", expected="refuted", mismatch="", reason="the worst error exceeds 1/4",
    seconds=0.73, gamma=Fraction(13, 10), bound=QUARTER, error=near("0.272510"), where="head 1.1, n = 8, i = 8",
    rows=(LengthVerdict(2, "certified", near("0.214165"), QUARTER, "head 1.1, position 2"),
          refuted_row(3, "0.257502"),
          refuted_row(4, "0.268496"),
          refuted_row(8, "0.272510")),
    witness=since_witness(3, "0.257502"))

UNKNOWN = ClaimResult(
    name="log-temperature", statement="", says="temperature 1/(n*ln(n)) is enough", subject="Q_1 since Q_0",
    lengths="2..512", verdict="unknown", expected="", mismatch="", seconds=61.5,
    reason="the worst error at n = 311 lies between 0.2499999 and 0.2500001",
    rows=(LengthVerdict(2, "certified", near("0.11"), QUARTER, "head 1.1, position 2"),
          LengthVerdict(311, "unknown", Interval(Fraction("0.2499999"), Fraction("0.2500001")), QUARTER,
                        "head 1.1, position 311", "not decided with 4096 bits")))

UNSUPPORTED = ClaimResult(
    name="causal-last", statement="Corollary 18 a", says="future masking is enough for LAST", subject="LAST & Q_1",
    lengths="1..8", verdict="unsupported", expected="unsupported", mismatch="",
    reason="LAST depends on n, which a causal network cannot see", seconds=0.01)

NOT_DECIDABLE = ClaimResult(
    name="factor-n-is-needed", statement="Section 4", says="a factor of n is needed in general",
    subject="all transformers", lengths="none", verdict="not decidable", expected="not decidable", mismatch="",
    reason="it is about every transformer, so no instance decides it", seconds=0.0,
    note="attention to the first position needs only ln(3*(n - 1))")

UNEXPECTED = ClaimResult(
    name="lemma-29", statement="Lemma 29", says="|h| <= (d p)^(3 l)", subject="lemma-29", lengths="1..4",
    verdict="refuted", expected="certified", mismatch="expected certified, found refuted", reason="", seconds=0.02,
    witness=Witness("|h|_1 of the network with all weights 0 and bias 1/2", 1, Interval(Fraction(1, 2), Fraction(1, 2)),
                    Interval(Fraction(0), Fraction(1, 8)), "certify run examples/claims/models/lemma_29_bias.json 0",
                    "0", 1))

STRANGER = ClaimResult(
    name="<script>alert(1)</script>", statement='"><img src=x onerror=alert(2)>',
    says="**bold** [link](javascript:alert(3)) | a\npipe `tick` $math$ ![i](x)", subject="Q_'<b>' & Q_a | !Q_\"&amp;\"",
    lengths="1..2", verdict="refuted", expected="refuted", mismatch="", reason="</style><script>alert(4)</script>",
    seconds=0.1, rows=(LengthVerdict(1, "refuted", near("0.5"), QUARTER, "<i>head</i>"),),
    criticals=(CriticalConstant(1, near("2"), near("0.5"), (HeadTemperature(((1, 1),), Fraction(4), near("2")),),
                                note="<u>note</u>"),),
    witness=Witness("near[<script>]", 1, near("0.5"), Interval(Fraction(0), Fraction(1, 4)),
                    "certify run '<script>`x`</script>' '<b>' --alphabet '<b>'", "<b>\x1b[31m", 1),
    fits=(GrowthLaw("<marquee>", 0.5),), note="</svg><script>alert(5)</script>", limit="=1+1", where="<em>")

SHARED_HEADS = ((1, 2), (2, 1), (2, 2), (2, 3))
TWO_TEMPERATURES = replace(
    CERTIFIED, name="two-temperatures", fits=(GrowthLaw("temperature = 0.75 n^0.0000", 0.0, ((1, 1),)),
                                              GrowthLaw("temperature = 1.5 n^-1.0000", 0.0, SHARED_HEADS)),
    criticals=tuple(CriticalConstant(
        n, point(Fraction(4, 3)), point(Fraction(3, 4)),
        (HeadTemperature(((1, 1),), Fraction(1), point(Fraction(3, 4))),
         HeadTemperature(SHARED_HEADS, Fraction(2, n), point(Fraction(3, 2 * n))))) for n in (4, 8)))
"""Heads of different temperatures: head 1.1 at 1, the others at 2/n; the slack is 3/4."""

CLAIMS = (CERTIFIED, REFUTED, UNKNOWN, UNSUPPORTED, NOT_DECIDABLE, UNEXPECTED)

STATEMENTS = (
    StatementVerdict("Theorem 15 a", "certified", "holds for n <= 64; gamma 13/10 is not enough: refuted at n = 3",
                     ("theorem-15-a", "since-gamma-13-10")),
    StatementVerdict("Lemma 29", "refuted", "refuted as printed: biases are forgotten", ("lemma-29",)),
    StatementVerdict("Section 4", "not decidable", "it is about every transformer", ("factor-n-is-needed",)),
)

REPORT = AuditReport("Simulating Hard Attention Using Soft Attention", "[SHA]", CLAIMS, STATEMENTS, 66.47)
INTERRUPTED = AuditReport("An audit that was stopped", "", (CERTIFIED, UNKNOWN), (), 65.71, complete=False)
HOSTILE = AuditReport("<script>alert(0)</script>", "<b>source</b>", (STRANGER, CERTIFIED),
                      (StatementVerdict("<script>", "refuted", "<script>alert(6)</script>", (STRANGER.name,)),), 1.0)

plots_of = cache(draw_plots)
"""What takes a second or more to draw is drawn once for all tests that look at it."""


def drawn_once(render: Callable[[AuditReport], str]) -> Callable[[AuditReport], str]:
    """Return the same report, with plots that are drawn once for all reports that have the claim."""

    @cache
    def rendered(report: AuditReport) -> str:
        with (patch("certify.auditing.markdown.draw_plots", plots_of),
              patch("certify.exports.pages.audit.page.draw_plots", plots_of)):
            return render(report)

    return rendered


html_of, markdown_of = drawn_once(audit_page), drawn_once(render_markdown)
