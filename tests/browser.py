"""A real headless Chromium for tests that look at pages: one start for each module that uses it.

Without a browser the tests are skipped; where CERTIFY_NEEDS_BROWSER is set (``.ci/run`` sets it) they fail.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from tests.needed import found_or_skipped

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
    element.getClientRects().length && !element.matches(".number-on") &&
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  return shown.map(element => {
    const style = getComputedStyle(element);  // of a text on a coloured square only the square could say more
    const own = element instanceof SVGElement ? style.fill : style.color;
    const pair = [own, behind(element)].map(light).sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  });
}"""


Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@dataclass
class Seen:
    """A page, the addresses that it requested, and its errors."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def find_chromium() -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise LookupError("no Chromium on this machine")
    return program


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = found_or_skipped(find_chromium, LookupError, "CERTIFY_NEEDS_BROWSER")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


def faults(page: Page) -> list[str]:
    """Return the broken rules of axe-core on a page, each with the first element that breaks it.

    Contrast is left to ``CONTRASTS``, which is quicker and reads pictures, too.
    """
    axe = found_or_skipped(lambda: import_module("axe_playwright_python.sync_playwright").Axe(), ImportError,
                           "CERTIFY_NEEDS_BROWSER")
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
    broken = axe.run(page, options=options).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in broken]


def look(browser: Browser, folder: Path, text: str, width: int = WIDE, scheme: Scheme = "light",
         until: Literal["load", "networkidle"] = "load") -> Seen:
    """Open the text as a file, in a fresh profile; wait until it is loaded, or the network idle for half a second."""
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    for context in browser.contexts:  # what earlier tests looked at costs time as long as it is open
        context.close()
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Seen(page, file.as_uri())
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.complaints.append(message.text))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))

    def dismiss(dialog: Dialog) -> None:
        seen.complaints.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(seen.address, wait_until=until)
    return seen
