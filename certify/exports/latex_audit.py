"""`certify audit --latex`: the verdicts of an audit, and its critical constants, as tables for a paper."""

from collections.abc import Iterator

from certify.auditing import wording
from certify.auditing.results import AuditReport, ClaimResult, without_folders
from certify.exports.latex_tables import decimal_number, math, plain, table

PREAMBLE = r"""% Pastes into a document with \usepackage{{amsmath,booktabs}}.
% Audit: {title}
"""
NAMES, PROSE = r"p{.18\linewidth}", r"p{.5\linewidth}"
"""The shapes of columns of names of statements, and of sentences."""


def latex_of_audit(report: AuditReport) -> str:
    """Return the whole text: statements, claims, and for each claim its critical constants, ends rounded outward."""
    report = without_folders(report)
    statements = [(_left(one.statement), one.verdict, _line(one.text)) for one in report.statements]
    claims = [(_name(claim), _left(claim.statement) or "--", claim.verdict,
               _enclosed(claim, "error"), _enclosed(claim, "bound"), _line(claim.lengths)) for claim in report.claims]
    parts = [*table("Statement by statement", ("statement", "verdict", "finding"), statements,
                     NAMES + "l" + PROSE),
             *table("Claims", ("claim", "statement", "verdict", "measured", "bound", "lengths"), claims,
                     f"l{NAMES}lrrl")]
    return "\n\n".join([PREAMBLE.format(title=_line(report.title)), *parts,
                        *(each for claim in report.claims for each in _criticals(claim))]) + "\n"


def _line(words: str) -> str:
    return plain(wording.one_line(words))


def _left(words: str) -> str:
    """Set left-aligned, for a narrow column without gaps between the words."""
    return words and rf"\raggedright {_line(words)}"


def _name(claim: ClaimResult) -> str:
    return rf"\texttt{{{_line(claim.name)}}}"


def _enclosed(claim: ClaimResult, what: str) -> str:
    """Return the interval, or a dash."""
    shown = wording.show_enclosed(getattr(claim, what), "")
    return math(decimal_number(shown)) if shown and ".." not in shown else plain(shown) or "--"


def _criticals(claim: ClaimResult) -> Iterator[str]:
    rows = [(str(one.n), *map(plain, wording.ends(one.gamma)), plain(wording.show_slack(one.slack)))
            for one in claim.criticals]
    yield from table(f"Critical constants of {_name(claim)}",
                     ("$n$", "refuted at", "certified at", "slack"), rows, "rrrr")
