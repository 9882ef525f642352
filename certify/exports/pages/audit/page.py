"""The report of an audit as one page: verdicts, statements, then claim by claim with plots and tables.

It contains no folder of this machine, and all external text is escaped.
"""

from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from certify.auditing import wording
from certify.auditing.plots import draw_plots
from certify.auditing.results import AuditReport, ClaimResult, without_folders
from certify.common.json_form import format_exact
from certify.common.numbers import decimal
from certify.exports.pages.base.page import open_templates, render_page
from constructions.text import printable

OPEN_UP_TO = 12
"""Tables with more rows are collapsed."""


def audit_page(report: AuditReport) -> str:
    """Return the whole page."""
    plots = {claim.name: [(plot, Markup(plot.svg)) for plot in draw_plots(claim, f"plot-{place}")]
             for place, claim in enumerate(report.claims, start=1)}
    return render_page(_environment(), "audit.html", (), (), report=without_folders(report), plots=plots,
                       open_up_to=OPEN_UP_TO)


def _environment() -> Environment:
    """Return the environment, in which external text passes ``line`` (or ``command``), and everything autoescape."""
    environment = open_templates("certify.exports.pages.audit")
    environment.filters |= {"line": wording.one_line, "command": printable, "both": wording.ends,
                            "enclosed": wording.show_enclosed, "slack": wording.show_slack, "exact": format_exact,
                            "number": decimal, "heads": wording.show_heads,
                            "witness": wording.describe_witness, "remarks": wording.remarks, "anchor": anchor,
                            "alike": wording.rows_alike,
                            "expectation": wording.describe_expectation}
    environment.globals |= {"about": wording.describe_audit, "sources": wording.describe_source,
                            "tally": wording.tally, "legend": wording.LEGEND,
                            "unexpected": wording.unexpected,
                            "interruption": wording.describe_interruption, "has_witnesses": _has_witnesses,
                            "unit": wording.UNIT_OF_TEMPERATURE, "by_temperature": wording.by_temperature,
                            "temperatures_differ": wording.temperatures_differ}
    return environment


def anchor(name: str) -> str:
    """Return the identifier of a claim on the page.

    >>> anchor("theorem-15-a"), anchor("a <b>")
    ('claim-theorem-15-a', 'claim-a_20_3Cb_3E')
    """
    return f"claim-{quote(name, safe='').replace('%', '_')}"


def _has_witnesses(claim: ClaimResult) -> bool:
    return any(row.witness for row in claim.rows)
