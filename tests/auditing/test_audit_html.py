"""The HTML report as text: complete, and nothing in it is obeyed that a stranger wrote.

For all pages, tests/exports/pages/test_promises_of_all_pages.py tests that they load nothing and allow only their own
script.
"""

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from certify.auditing.results import AuditReport
from certify.auditing.wording import LEGEND
from certify.exports.pages.audit.page import anchor, audit_page
from tests.auditing.sample import CLAIMS, HOSTILE, INTERRUPTED, REPORT, STRANGER, TWO_TEMPERATURES, html_of
from tests.exports.pages.test_page_of_a_certificate import Tags


class Page(Tags):
    """The elements of a page, which are closed in their order, and its text."""

    def __init__(self, text: str) -> None:
        self.text = ""
        super().__init__(text)
        self.elements = [(tag, {name: value or "" for name, value in given.items()}) for tag, given in self.opened]
        assert self.pending == []

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("report", [REPORT, INTERRUPTED, HOSTILE], ids=lambda report: report.title)
def test_elements_are_closed_identifiers_are_unique_and_links_lead_somewhere(report: AuditReport) -> None:
    page = Page(html_of(report))
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    targets = [attributes["href"] for attributes in page.all("a")]
    assert targets and all(target[0] == "#" and unquote(target[1:]) in names for target in targets)
    labels = [attributes["aria-labelledby"] for _, attributes in page.elements if "aria-labelledby" in attributes]
    assert set(labels) <= set(names)


def test_what_a_stranger_wrote_is_shown_and_is_no_element() -> None:
    page = Page(html_of(HOSTILE))
    assert len(page.all("script")) == 1 and not page.all("img") and not page.all("marquee") and not page.all("b")
    for text in (STRANGER.name, STRANGER.statement, STRANGER.reason, STRANGER.note, STRANGER.subject,
                 "<marquee>", "<b>\\x1b[31m", "certify run '<script>`x`</script>' '<b>'"):
        assert text in page.text
    assert "\x1b" not in page.text


def test_header_cells_say_what_they_head_and_plots_what_they_show() -> None:
    page = Page(html_of(REPORT))
    assert {attributes.get("scope") for attributes in page.all("th")} == {"col", "row", "colgroup"}
    plots = page.all("svg")
    assert len(plots) == 5 and all(plot["role"] == "img" and len(plot["aria-label"]) > 20 for plot in plots)


def test_the_page_explains_its_words_and_shows_every_claim_with_its_command() -> None:
    text = html_of(REPORT)
    page = Page(text)
    for word, meaning in LEGEND:
        assert word in page.text and meaning in page.text
    articles = [attributes["id"] for attributes in page.all("article")]
    assert articles == [anchor(claim.name) for claim in CLAIMS]
    assert "certify run 'Q_a since Q_b' aab --gamma 13/10" in page.text


def test_heads_are_named_where_their_temperatures_differ() -> None:
    text = html_of(replace(REPORT, claims=(TWO_TEMPERATURES,)))
    assert "of head" in Page(text).text and "of head" not in Page(html_of(REPORT)).text
    lines = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in text.split("<tr>")]
    others = [cells for cells in lines if "1.2, 2.1, 2.2 and 1 more" in cells]
    assert [(cells[0], *cells[5:]) for cells in others] == [("4", "0.5", "0.375", "0.375", "0.75"),
                                                            ("8", "0.25", "0.1875", "0.1875", "0.75")]


def test_interruption_and_broken_expectations_stand_at_the_top() -> None:
    top = Page(html_of(INTERRUPTED)).text.partition("Claim by claim")[0]
    assert "INTERRUPTED after 2 finished claims; --resume continues" in top
    top = re.sub(r"\s+", " ", Page(html_of(REPORT)).text.partition("Statement by statement")[0])
    assert "INTERRUPTED" not in top
    assert "Not as expected: lemma-29 (expected certified, found refuted)" in top


def test_the_same_report_gives_the_same_page() -> None:
    assert html_of(REPORT) == audit_page(REPORT)


def test_a_long_table_is_folded_and_a_short_one_is_open() -> None:
    opened = ["open" in attributes for attributes in Page(html_of(REPORT)).all("details")]
    # what refutes just below, then the lengths of the three claims that have some
    assert opened == [False, True, True, True]
