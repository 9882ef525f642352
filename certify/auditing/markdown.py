"""The report as one Markdown file: readable tables, plots as data at its end.

External text is escaped: no name, word or formula becomes a heading, a link, an image or HTML.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Sequence

from certify.auditing import wording
from certify.auditing.plots import draw_plots
from certify.auditing.results import (
    AuditReport,
    ClaimResult,
    HeadTemperature,
    LengthVerdict,
    StatementVerdict,
    without_folders,
)
from certify.common.json_form import format_exact
from certify.common.numbers import decimal
from certify.common.plots import Plot, standalone
from constructions.text import printable

_SPECIAL = re.compile(r"[\\`*_\[\]|#~$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HAS_AN_ANCHOR = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def render_markdown(report: AuditReport) -> str:
    """Return the whole file."""
    report = without_folders(report)
    plots = [draw_plots(claim, f"plot-{place}") for place, claim in enumerate(report.claims, start=1)]
    blocks = [f"# Audit: {escape(report.title)}"]
    blocks += [f"{name.capitalize()}: {escape(text)}" for name, text in wording.describe_source(report)]
    blocks += [f"**{text}**" for text in (wording.summarize(report), wording.describe_interruption(report)) if text]
    blocks += [_command(report.command)] if report.command else []
    if report.statements:
        blocks += ["## Statement by statement", _statements(report.statements)]
    blocks += ["## Claims", _claims(report.claims), "## Claim by claim"]
    for place, claim in enumerate(report.claims, start=1):
        blocks += _claim(claim, place, plots[place - 1])
    blocks += ["## Terms", _table(("word", "meaning"), wording.LEGEND)]
    blocks += [f"[{_reference(place, plot)}]: data:image/svg+xml;base64,"
               f"{base64.b64encode(standalone(plot.svg).encode()).decode()}"
               for place, drawn in enumerate(plots, start=1) for plot in drawn]
    return "\n\n".join(blocks) + "\n"


# -- escaping ----------------------------------------------------------------------------------------------------------


def escape(text: str) -> str:
    r"""Escape text so that Markdown shows it unchanged, on one line.

    >>> print(escape("*a* <b> | [c](d)"))
    \*a\* &lt;b&gt; \| \[c\](d)
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", wording.one_line(text))
    return re.sub(r"[&<>]", lambda found: _ENTITIES[found.group()], escaped)


def _command(text: str) -> str:
    """Return a block to be copied, with a fence that the command does not contain."""
    line = printable(text)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", line)), default=0))
    return f"{fence}sh\n{line}\n{fence}"


def _link(name: str) -> str:
    """Return the name of a claim, linked to its heading."""
    return f"[{escape(name)}](#{name.lower()})" if _HAS_AN_ANCHOR.fullmatch(name) else escape(name)


# -- parts -------------------------------------------------------------------------------------------------------------


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Return a table of escaped texts; the columns of ``right`` are numbers."""
    rule = ["---:" if title in right else "---" for title in titles]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])


def _statements(statements: Sequence[StatementVerdict]) -> str:
    return _table(("statement", "verdict", "finding", "claims"), (
        (escape(one.statement), one.verdict, escape(one.text), ", ".join(map(_link, one.claims)))
        for one in statements))


def _claims(claims: Sequence[ClaimResult]) -> str:
    titles = ("claim", "statement", "verdict", "measured", "bound", "where", "lengths", "expected", "seconds")
    return _table(titles, (
        (_link(claim.name), escape(claim.statement), claim.verdict, wording.show_enclosed(claim.error),
         wording.show_enclosed(claim.bound), escape(claim.where), escape(claim.lengths),
         wording.describe_expectation(claim), f"{claim.seconds:.2f}") for claim in claims),
        right=("measured", "bound", "seconds"))


def _claim(claim: ClaimResult, place: int, plots: Sequence[Plot]) -> Iterator[str]:
    """Yield the blocks of one claim."""
    yield f"### {escape(claim.name)}"
    expectation = wording.describe_expectation(claim)
    yield f"**{claim.verdict}**" + ("" if expectation == "-" else f", {expectation}")
    yield "\n".join(f"- {name}: {text}" for name, text in _facts(claim))
    if claim.witness:
        command = claim.witness.command
        yield f"Witness: {escape(wording.describe_witness(claim.witness))}." + (" Replay:" if command else "")
        if command:
            yield _command(command)
    yield from (f"![{escape(plot.description)}][{_reference(place, plot)}]" for plot in plots)
    if claim.criticals:
        yield f"Critical constant and critical temperature ({wording.UNIT_OF_TEMPERATURE}), ends rounded outward:"
        yield _criticals(claim)
    if claim.rows:
        yield _rows(claim.rows)


def _facts(claim: ClaimResult) -> Iterator[tuple[str, str]]:
    facts = [("says", claim.says), ("statement", claim.statement), ("about", claim.subject),
             ("lengths", claim.lengths), ("where", claim.where)]
    yield from ((name, escape(text)) for name, text in facts if text)
    if claim.gamma is not None:
        yield "constant in front", format_exact(claim.gamma)
    if claim.error:
        yield claim.measure, wording.show_enclosed(claim.error) + (
            f", claimed {wording.show_enclosed(claim.bound)}" if claim.bound else "")
    yield from ((name, escape(text)) for name, text in wording.remarks(claim))


def _criticals(claim: ClaimResult) -> str:
    """Return a line for each length and temperature; heads are named if they differ."""
    named = wording.temperatures_differ(claim)
    titles = ("n", "constant refuted at", "constant certified at", "certified up to n at", *(("of head",) * named),
              "claimed temperature", "temperature certified at", "temperature refuted at", "slack")
    return _table(titles, (
        (str(critical.n), *wording.ends(critical.gamma), wording.ends(critical.up_to)[1],
         *_temperature_cells(temperature, named), wording.show_slack(critical.slack))
        for critical in claim.criticals for temperature in wording.by_temperature(critical)), right=titles)


def _temperature_cells(temperature: HeadTemperature | None, named: bool) -> tuple[str, ...]:
    if temperature is None:
        return ("-",) * (3 + named)
    heads = (wording.show_heads(temperature.heads),) if named else ()
    return (*heads, decimal(temperature.claimed), *wording.ends(temperature.critical))


def _rows(rows: Sequence[LengthVerdict]) -> str:
    return _table(("n", "verdict", "worst error", "bound", "where"), (
        (lengths, row.verdict, wording.show_enclosed(row.error), wording.show_enclosed(row.bound),
         escape("; ".join(part for part in (row.where, row.reason) if part)))
        for lengths, row in wording.rows_alike(rows)),
        right=("n", "worst error", "bound"))


def _reference(place: int, plot: Plot) -> str:
    return f"plot-{place}-{plot.kind}"
