"""The HTML report in a real headless Chromium: it renders, and its plots are on screen.

tests/exports/pages/test_promises_of_all_pages.py tests requests, phones and contrast for all pages.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.auditing.sample import CERTIFIED, CLAIMS, HOSTILE, REPORT, STATEMENTS, STRANGER, html_of, since_row
from tests.browser import CONTRASTS, NARROW, WIDE, Scheme, browser, look

__all__ = ["browser"]

def test_a_page_that_asks_for_something_is_noticed(browser: Browser, tmp_path: Path) -> None:
    outside = "http://127.0.0.1:9/picture.png"
    seen = look(browser, tmp_path, f"<!DOCTYPE html><title>x</title><img src='{outside}'>", until="networkidle")
    assert outside in seen.requests
    assert seen.complaints != []


def test_the_page_itself_forbids_requests_that_somebody_smuggles_in(browser: Browser, tmp_path: Path) -> None:
    smuggled = "<img src='http://127.0.0.1:9/x.png'><script>alert(1)</script></main>"
    seen = look(browser, tmp_path, html_of(REPORT).replace("</main>", smuggled), until="networkidle")
    assert all("Content Security Policy" in complaint for complaint in seen.complaints)
    assert len(seen.complaints) == 2


def test_title_headings_and_tables_are_rendered_with_all_their_rows(browser: Browser, tmp_path: Path) -> None:
    page = look(browser, tmp_path, html_of(REPORT)).page
    assert page.title() == "Audit: Simulating Hard Attention Using Soft Attention"
    assert page.locator("h1").inner_text() == REPORT.title
    assert page.locator("#statement-table tbody tr").count() == len(STATEMENTS) == 3
    assert page.locator("#claim-table tbody tr").count() == len(CLAIMS) == 6
    assert page.locator("#claim-theorem-15-a .criticals tbody tr").count() == 5
    assert page.locator("#claim-theorem-15-a .lengths tbody tr").count() == 7
    assert page.locator("#claim-since-gamma-13-10 .lengths tbody tr").count() == 4
    cells = page.locator("#claim-theorem-15-a .criticals tbody tr").nth(2).locator("th, td").all_inner_texts()
    assert cells == ["16", "1.3862933", "1.3862947", "1.3862947", "0.0625", "0.13525262", "0.13525277", "2.164"]
    row = page.locator("#claim-table tbody tr").first.bounding_box()
    assert row and row["height"] > 10


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_plots_are_on_screen_within_the_page(browser: Browser, tmp_path: Path, width: int, scheme: Scheme) -> None:
    page = look(browser, tmp_path, html_of(REPORT), width, scheme).page
    plots = page.locator("figure svg")
    assert plots.count() == 5
    for plot in plots.all():
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box and box["width"] > 200 and box["height"] > 150
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        curves = plot.evaluate("svg => [...svg.querySelectorAll('use, path')].filter("
                               "part => part.getBoundingClientRect().width > 0).length")
        assert curves > 10


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")])
def test_only_tables_scroll_sideways_and_the_ground_is_light_or_dark(
        browser: Browser, tmp_path: Path, scheme: Scheme, background: str) -> None:
    page = look(browser, tmp_path, html_of(REPORT), scheme=scheme).page
    assert page.evaluate("document.scrollingElement.scrollWidth") == WIDE
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
    assert len(page.evaluate(CONTRASTS)) > 150


def test_a_link_leads_to_the_claim_and_opens_its_long_table(browser: Browser, tmp_path: Path) -> None:
    rows = tuple(since_row(n, "0.01") for n in range(1, 65))
    claims = (*CLAIMS[1:], replace(CERTIFIED, rows=rows))
    page = look(browser, tmp_path, html_of(replace(REPORT, claims=claims))).page
    last_row = page.locator("#claim-theorem-15-a .lengths tbody tr").last
    assert not last_row.is_visible()
    page.locator("#statement-table a", has_text="theorem-15-a").click()
    expect(last_row).to_be_visible()
    expect(page.locator("#claim-theorem-15-a h3")).to_be_in_viewport()


def test_the_command_of_a_witness_is_copied(browser: Browser, tmp_path: Path) -> None:
    seen = look(browser, tmp_path, html_of(HOSTILE))
    seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = seen.page.locator("article .witness button").first
    button.click()
    expect(button).to_have_text("copied")
    assert STRANGER.witness
    assert seen.page.evaluate("navigator.clipboard.readText()") == STRANGER.witness.command
