"""The HTML report in a real headless Chromium: it renders, its plots are on screen, it asks the network for nothing.

Without a browser the tests are skipped; where CERTIFY_NEEDS_BROWSER is set (``.ci/run`` sets it) they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from certify.auditing.results import AuditReport
from tests.audit.sample import CERTIFIED, CLAIMS, HOSTILE, REPORT, STATEMENTS, STRANGER, html_of, since_row

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync")
WIDE, NARROW = 1200, 400
CONTRASTS = """() => {
  const parse = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parse(colour).slice(0, 3).map(c => c / 255)
      .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parse(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const shown = [...document.querySelectorAll("main *, header *")].filter(element =>
    element.getClientRects().length && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  return shown.map(element => {
    const pair = [getComputedStyle(element).color, behind(element)].map(light).sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  });
}"""


@dataclass
class Seen:
    """A page, the addresses that it asked for, and its complaints."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        reason = "no Chromium on this machine"
        if os.environ.get("CERTIFY_NEEDS_BROWSER"):
            pytest.fail(f"{reason}, and CERTIFY_NEEDS_BROWSER is set")
        pytest.skip(reason)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


def look(browser: Browser, folder: Path, text: str, width: int = WIDE, scheme: str = "light") -> Seen:
    """Open the text as a file, in a fresh profile, and wait until the network is idle."""
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    for context in browser.contexts:  # what earlier tests looked at costs time as long as it is open
        context.close()
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Seen(page, file.as_uri())
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.complaints.append(message.text))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (seen.complaints.append(dialog.message), dialog.dismiss()))
    page.goto(seen.address, wait_until="networkidle")
    return seen


@pytest.mark.parametrize("report", [REPORT, HOSTILE], ids=["sample", "hostile"])
def test_it_asks_for_nothing_but_its_own_file_and_complains_about_nothing(
        browser: Browser, tmp_path: Path, report: AuditReport) -> None:
    seen = look(browser, tmp_path, html_of(report))
    assert seen.requests == [seen.address]
    assert seen.complaints == []


def test_a_page_that_asks_for_something_is_noticed(browser: Browser, tmp_path: Path) -> None:
    outside = "http://127.0.0.1:9/picture.png"
    seen = look(browser, tmp_path, f"<!DOCTYPE html><title>x</title><img src='{outside}'>")
    assert outside in seen.requests
    assert seen.complaints != []


def test_the_page_itself_forbids_requests_that_somebody_smuggles_in(browser: Browser, tmp_path: Path) -> None:
    smuggled = "<img src='http://127.0.0.1:9/x.png'><script>alert(1)</script></main>"
    seen = look(browser, tmp_path, html_of(REPORT).replace("</main>", smuggled))
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
    assert page.locator("#claim-table tbody tr").first.bounding_box()["height"] > 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_plots_are_on_screen_within_the_page(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    page = look(browser, tmp_path, html_of(REPORT), width, scheme).page
    plots = page.locator("figure svg")
    assert plots.count() == 5
    for plot in plots.all():
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box["width"] > 200 and box["height"] > 150
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        curves = plot.evaluate("svg => [...svg.querySelectorAll('use, path')].filter("
                               "part => part.getBoundingClientRect().width > 0).length")
        assert curves > 10


@pytest.mark.parametrize("report", [REPORT, HOSTILE], ids=["sample", "hostile"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_only_tables_scroll_sideways(browser: Browser, tmp_path: Path, width: int, report: AuditReport) -> None:
    page = look(browser, tmp_path, html_of(report), width).page
    assert page.evaluate("document.scrollingElement.scrollWidth") == width


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")])
def test_every_text_has_contrast_in_light_and_in_dark(
        browser: Browser, tmp_path: Path, scheme: str, background: str) -> None:
    page = look(browser, tmp_path, html_of(REPORT), scheme=scheme).page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 150
    assert min(contrasts) >= 4.5


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
