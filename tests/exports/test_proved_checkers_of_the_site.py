"""`certify export --to site --verified`: checkers proved in Coq judge the same bytes, after the one in Python.

Python in the page is one that accepts everything here: whatever the page says of the proved checkers is theirs.
"""

import http.server
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from certify.cli import command_line
from certify.exports.site.build import site_files
from certify.exports.site.gallery import exhibits_of_files
from certify.exports.site.proved import KNOWN, read_proved
from constructions.errors import InputError
from proofs.every_n.extracted import VERIFIED_IN_PAGES
from tests.browser import browser
from tests.exports.test_site import CORPUS, serve, visit, wait_until_ready
from tests.sabotage.certificates.bases import base
from tests.sabotage.certificates.mutants import mutants
from tests.with_ocaml import check_verified, script_of

__all__ = ["browser"]
PYTHON = """export const loadPyodide = async () => ({
  toPy: () => new Map([["check", () => ({ toJs: () => [0, "accepted: /given.cert\\n", "0"] })]]),
  runPython: () => {}, FS: { writeFile: () => {} } });"""
SAYS_YES = ('globalThis.judge = name => [0, ["the claim that follows is FALSE:", "formula      F", '
            '`accepted: ${name}`]];')
ENDLESS = 'globalThis.judge = () => { for (;;) {} };'


def folder_with(folder: Path, script: str, **changed: str) -> str:
    """Return a folder of `certify checker --verified --javascript` with this script."""
    for name, text in {**VERIFIED_IN_PAGES.own_sources(), VERIFIED_IN_PAGES.name: script, **changed}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def files_with(folder: Path, script: str, shown: Sequence[str] = ()) -> dict[str, str | bytes]:
    """Return a site with this script, the certificates that are shown, and Python that accepts everything."""
    exhibits = exhibits_of_files([str(CORPUS / "accepted" / f"{name}.cert") for name in shown], lambda _: None)
    return site_files(exhibits, {"pyodide.mjs": PYTHON.encode()}, proved=read_proved([folder_with(folder, script)]))


def test_the_site_has_the_script_and_says_what_stands_behind_it(tmp_path: Path) -> None:
    files = files_with(tmp_path, "the script")
    assert files["certify-check.js"] == b"the script"
    page, kept = str(files["check.html"]), str(files["kept.js"])
    assert "judge_certificate_holds (proofs/coq/checker/check_certificate.v), with no axioms except the 4 of " in page
    assert '"certify-check.js"' in kept and '"proved-worker.js"' in kept
    assert "data-proved" not in str(site_files([], {"pyodide.mjs": b""})["check.html"])


def test_theorems_that_are_named_are_those_of_the_library() -> None:
    for each in KNOWN:
        assert f"Theorem {each.theorem} " in (CORPUS.parents[1] / each.place).read_text(encoding="utf-8")


def test_another_folder_and_that_of_another_version_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has none of certify-check\.js, certify-every-n\.js: expected a folder that"):
        read_proved([str(tmp_path)])
    with pytest.raises(InputError, match="was written by another version of certify"):
        read_proved([folder_with(tmp_path, "x", **{"claim.ml": "(* older *)"})])


def test_without_python_in_the_page_there_is_no_proved_checker_in_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--verified: expected --pyodide, too"):
        command_line()(["export", "--to", "site", "-o", str(tmp_path / "out"), "--verified", str(tmp_path)],
                       standalone_mode=False)


# -- in a browser ------------------------------------------------------------------------------------------------------


def opened(browser: Browser, server: http.server.ThreadingHTTPServer) -> tuple[Page, list[str]]:
    page, wrong = visit(browser, f"http://127.0.0.1:{server.server_address[1]}/", "check.html")
    wait_until_ready(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    return page, wrong


@pytest.fixture
def endless(browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, list[str]]]:
    """The page with a checker that never answers."""
    (tmp_path / "written").mkdir()
    server = serve(files_with(tmp_path / "written", ENDLESS), tmp_path / "site")
    yield opened(browser, server)
    server.shutdown()


def test_a_proved_checker_that_is_cancelled_knows_nothing_and_the_next_file_is_checked(
        endless: tuple[Page, list[str]]) -> None:
    page, wrong = endless
    for number in range(2):
        page.locator("#file").set_input_files(str(CORPUS / "accepted" / "by_hand_prev.cert"))
        page.locator("#state", has_text="by certify-check, which is verified in Coq (at most 300 s)").wait_for()
        page.locator("#cancel").click()
        wait_until_ready(page)
        assert page.locator("#found article").count() == number + 1
        part = page.locator("#found article").first.locator("section")
        assert part.get_attribute("data-verdict") == "incomplete"
        expect(part).to_contain_text("it was cancelled: the result is unknown")
        expect(part).not_to_contain_text("Theorem")
    assert [each for each in wrong if "404" not in each] == []


def test_the_page_of_a_certificate_checks_it_where_it_is_and_says_who_accepts_by_which_theorem(
        browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "written").mkdir()
    server = serve(files_with(tmp_path / "written", SAYS_YES, ["by_hand_prev"]), tmp_path / "site")
    page, wrong = visit(browser, f"http://127.0.0.1:{server.server_address[1]}/", "gallery/by_hand_prev.html")
    page.get_by_role("button", name="Check by_hand_prev.cert").click()
    wait_until_ready(page)
    found = page.locator("#found article")
    expect(found.locator("p.says")).to_have_text(
        "The file is accepted by the checker in Python; accepted by certify-check, which is verified in Coq.")
    expect(found.locator("section")).to_contain_text("Theorem judge_certificate_holds")
    expect(found.locator("section .sentence")).to_have_text("the claim that follows is FALSE:")
    expect(page.get_by_role("link", name="Gallery")).to_have_attribute("href", "../index.html#gallery")
    assert page.locator("#try").is_visible()  # the page's own script runs beside it
    assert [each for each in wrong if "404" not in each] == []
    server.shutdown()


@pytest.mark.exhaustive
def test_the_page_says_what_the_program_says_of_certificates_and_mutants_without_a_network(
        browser: Browser, tmp_path: Path) -> None:
    script = script_of(VERIFIED_IN_PAGES)
    (tmp_path / "written").mkdir()
    server = serve(files_with(tmp_path / "written", script), tmp_path / "site")
    page, wrong = opened(browser, server)
    server.shutdown()
    paths = [CORPUS / "accepted" / f"{name}.cert" for name in ("by_hand_prev", "trained_mean")]
    made = [mutant.make() for number, mutant in enumerate(mutants(base("sealed prev"))) if number % 40 == 7][:40]
    for number, data in enumerate(made):
        paths.append(tmp_path / f"{number}.cert")
        paths[-1].write_bytes(data)
    natively: list[Any] = check_verified(paths)
    assert sum(found.verdict != "accepted" for found in natively) >= 20
    for path, found in zip(paths, natively, strict=True):
        count = page.locator("#found article").count()
        page.locator("#file").set_input_files(str(path))
        page.locator("#found article").nth(count).wait_for()
        wait_until_ready(page)
        part = page.locator("#found article").first.locator("section")
        assert part.get_attribute("data-verdict") == found.verdict, path
        printed = " ".join(part.locator("dl").inner_text().split())
        assert printed == " ".join(" ".join(found.lines).replace(str(path), path.name).split())
        assert ("Theorem judge_certificate_holds" in part.inner_text()) is (found.verdict == "accepted")
    assert [each for each in wrong if "404" not in each] == []
