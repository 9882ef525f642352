"""The page of a hard network in a real headless Chromium: letters are exchanged, words chosen, answers looked up."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from certify.exports.pages.parts.hardened import hardening_page
from tests.browser import browser, look
from tests.exports.pages.test_pages_of_parts import hardened

__all__ = ["browser"]


def test_a_word_is_clicked_through_soft_hard_and_program(browser: Browser, tmp_path: Path) -> None:
    seen = look(browser, tmp_path, hardening_page(hardened()))
    assert seen.complaints == []
    page = seen.page

    def row(name: str) -> list[str]:
        return page.locator(f"#word-table tr:has(th:text-is('{name}')) td").all_inner_texts()

    for wanted in ("", "r", "rs", "rsk"):  # the listed word, cut to one letter, and built anew
        while not wanted and page.locator("#shorter").is_enabled():
            page.locator("#shorter").click()
        if len(wanted) > 1:
            page.locator("#longer").click()
        for place, letter in enumerate(wanted):
            while page.locator(f"[data-at='{place}']").inner_text() != letter:
                page.locator(f"[data-at='{place}']").click()
    assert [text for text in row("letter") if text in "rsk"] == ["r", "s", "k"]
    assert row("hard: answer")[-3:] == row("claim")[-3:] == row("program: answer")[-3:] == ["no", "yes", "yes"]
    assert row("program: c1")[-3:] == ["r", "s", "s"] and row("head 1.1, hard")[-4:] == ["0", "0", "1", "0"]
    page.locator("#longer").click()
    expect(page.locator("#longer")).to_be_disabled()
