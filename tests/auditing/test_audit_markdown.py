"""The Markdown report: complete, one file, and nothing in it is obeyed that a stranger wrote."""

import base64
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from certify.auditing.markdown import escape
from certify.auditing.wording import one_line
from tests.auditing.sample import CLAIMS, HOSTILE, INTERRUPTED, REPORT, TWO_TEMPERATURES, markdown_of

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def rendered(text: str) -> str:
    return str(READER.render(text))


def test_every_claim_has_its_row_its_heading_and_its_link() -> None:
    text = markdown_of(REPORT)
    assert ("| [theorem-15-a](#theorem-15-a) | Theorem 15 a | certified | 0.0497871 | 0.25 | "
            "head 1.1, n = 64, i = 64 | 1..64 | as expected | 4.21 |") in text.splitlines()
    for claim in CLAIMS:
        assert f"### {claim.name}" in text.splitlines()


def test_criticals_stand_as_brackets_rounded_outward() -> None:
    assert ("| 16 | 1.3862933 | 1.3862947 | 1.3862947 | 0.0625 | 0.13525262 | 0.13525277 | 2.164 |"
            in markdown_of(REPORT).splitlines())


def test_heads_of_different_temperatures_have_a_line_each() -> None:
    lines = markdown_of(replace(REPORT, claims=(TWO_TEMPERATURES,))).splitlines()
    assert "| 4 | 1.3333333 | 1.3333334 | - | 1.1 | 1 | 0.75 | 0.75 | 0.75 |" in lines
    assert "| 4 | 1.3333333 | 1.3333334 | - | 1.2, 2.1, 2.2 and 1 more | 0.5 | 0.375 | 0.375 | 0.75 |" in lines
    assert "- fit: 1.1: temperature = 0.75 n^0.0000 (a fit, not a claim; residual 0)" in lines


def test_a_witness_has_its_command_in_a_block_of_its_own() -> None:
    assert "\n```sh\ncertify run 'Q_a since Q_b' aab --gamma 13/10\n```\n" in markdown_of(REPORT)


def test_the_page_has_its_tables() -> None:
    page = rendered(markdown_of(REPORT))
    # statements, claims, one table of criticals, three tables of lengths, the legend
    assert page.count("<table>") == 2 + 1 + 3 + 1
    assert page.count("<h3>") == len(CLAIMS)


def test_plots_are_images_within_the_file() -> None:
    text = markdown_of(REPORT)
    used = re.findall(r"^!\[[^\]]+\]\[([a-z0-9-]+)\]$", text, re.MULTILINE)
    data = dict(re.findall(r"^\[([a-z0-9-]+)\]: data:image/svg\+xml;base64,(\S+)$", text, re.MULTILINE))
    assert used == ["plot-1-temperature", "plot-1-error", "plot-1-slack", "plot-2-error", "plot-3-error"]
    assert list(data) == used
    for svg in data.values():
        assert ET.fromstring(base64.b64decode(svg)).tag == "{http://www.w3.org/2000/svg}svg"


def test_an_interrupted_audit_says_so() -> None:
    assert "**INTERRUPTED after 2 finished claims; --resume continues**" in markdown_of(INTERRUPTED)
    assert "INTERRUPTED" not in markdown_of(REPORT)


def test_nothing_of_a_stranger_becomes_html_a_link_an_image_or_another_cell() -> None:
    page = rendered(markdown_of(HOSTILE))
    for tag in ("<script", "<img src=\"x\"", "<img src=x", "<b>", "<i>", "<u>", "<marquee", "</style>", "<strong>bold"):
        assert tag not in page
    assert set(re.findall(r'href="([^"]*)"', page)) == {"#theorem-15-a"}
    assert "**bold** [link](javascript:alert(3)) | a pipe `tick` $math$ ![i](x)" in page
    assert "certify run '&lt;script&gt;`x`&lt;/script&gt;' '&lt;b&gt;'" in page
    assert page.count("<h3>") == 2


@given(st.text())
def test_an_escaped_text_is_shown_as_it_is(text: str) -> None:
    page = rendered(f"start {escape(text)} end")
    shown = page.removeprefix("<p>").removesuffix("</p>\n")
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        shown = shown.replace(entity, character)
    assert shown == f"start {one_line(text)} end"


def test_a_command_with_backticks_stays_in_its_block() -> None:
    page = rendered(markdown_of(HOSTILE))
    assert page.count("<pre>") == 1
