"""The gallery of the default site, in a browser without a network: all of it is accepted, mutants are rejected.

It is tried where CERTIFY_PYODIDE names the file that `npm pack pyodide` writes.
"""

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from certify.exports.site.build import site_files
from certify.exports.site.gallery import show_gallery
from certify.exports.site.pinned import read_pyodide
from tests.browser import browser
from tests.exports.test_site import PYODIDE, native, serve, visit, wait_until_ready

__all__ = ["browser"]
MUTANTS, TRIES = 20, 12
NUMBERS = ("7", "5/3", "-2", "0")


def mutants_of(paths: list[Path], folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Path]:
    """Certificates with one other number, each of another file, which the checker rejects."""
    chance = random.Random(5)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        places = list(re.finditer(r'"-?\d+(/\d+)?"', text))
        mutant = folder / f"{path.stem}_mutant.cert"
        for _ in range(TRIES):
            start, end = chance.choice(places).span()
            mutant.write_text(f'{text[:start]}"{chance.choice(NUMBERS)}"{text[end:]}', encoding="utf-8")
            if native(mutant, capsys)[0] == 1:
                yield mutant
                break


def printed_for(page: Page, path: Path) -> tuple[str, str]:
    """Return the verdict of the page on a file, and its sentences."""
    number = page.locator("#found article").count()
    page.locator("#file").set_input_files(str(path))
    page.locator("#found article").nth(number).wait_for()
    wait_until_ready(page)
    found = page.locator("#found article").first
    return str(found.get_attribute("data-verdict")), " ".join(found.locator("dl").first.inner_text().split())


@pytest.mark.exhaustive
@pytest.mark.skipif(not PYODIDE, reason="CERTIFY_PYODIDE names no file")
def test_every_certificate_of_the_gallery_is_accepted_and_mutants_are_rejected_with_their_reasons(
        browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # what the command shows if nothing is said, without the audits, which nobody checks
    exhibits, _ = show_gallery(lambda _: None, (), (), 16, 6, 0)
    server = serve(site_files(exhibits, read_pyodide(PYODIDE)), tmp_path)
    page, wrong = visit(browser, address := f"http://127.0.0.1:{server.server_address[1]}/", "check.html")
    wait_until_ready(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.shutdown()  # from here on nobody answers
    paths = sorted((tmp_path / "gallery").glob("*.cert"))
    assert len(paths) >= 100
    for path in [*paths, *islice(mutants_of(paths, tmp_path, capsys), MUTANTS)]:
        status, text = native(path, capsys)
        assert printed_for(page, path) == ("rejected" if status else "accepted", " ".join(text.split())), path.name
    assert page.locator("article[data-verdict=rejected]").count() == MUTANTS
    page.goto(f"{address}gallery/{paths[3].stem}.html")  # nobody was here before
    page.get_by_role("button", name=f"Check {paths[3].name}").click()
    wait_until_ready(page)
    expect(page.locator("#found article")).to_have_attribute("data-verdict", "accepted")
    assert [each for each in wrong if "favicon" not in each and "404" not in each] == []
