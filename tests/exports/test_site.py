"""`certify export --to site`: pages load nothing from elsewhere, links lead somewhere, the page checks as the checker.

The latter is tried where CERTIFY_PYODIDE names the file that `npm pack pyodide` writes.
"""

import hashlib
import http.server
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from certify.auditing.api import audit_file
from certify.claims.formula.examples import load_examples
from certify.cli import command_line
from certify.common.shipped import examples_folder
from certify.exports.checker import pack_checker
from certify.exports.site.build import site_files
from certify.exports.site.gallery import (
    PAPERS,
    Exhibit,
    exhibits_of_files,
    model_exhibits,
    reports_of,
    softened_exhibits,
    tracks_exhibits,
    trained_exhibits,
)
from certify.exports.site.guides import guide_html, sections_of
from certify.exports.site.pinned import KEPT, SHA_256, VERSION, read_pyodide
from constructions.errors import InputError
from proofs.check import main
from tests.browser import CONTRASTS, NARROW, WIDE, browser, faults
from tests.processes import ROOT

__all__ = ["browser"]
CORPUS = ROOT / "tests" / "corpus"
AUDIT = """
title = "two"
[defaults]
alphabet = "01"
[[claim]]
name = "sharp"
formula = "Q_1 since next Q_0"
lengths = "1..3"
[[claim]]
name = "blunt"
formula = "Q_1 since next Q_0"
lengths = "4"
gamma = "13/10"
"""
PYODIDE = os.environ.get("CERTIFY_PYODIDE", "")


def files_of(pyodide: bool = False) -> dict[str, str | bytes]:
    paths = sorted((CORPUS / "accepted").glob("*.cert"))
    exhibits = exhibits_of_files([str(path) for path in paths if path.stat().st_size < 4000][:3], lambda _: None)
    return site_files(exhibits, dict.fromkeys((*KEPT, "pyodide-lock.json"), b"x") if pyodide else None)


RENDERED = dict[tuple[str, str], str]()
SECTIONS = dict[str, list[tuple[str, str, str]]]()


@pytest.fixture(autouse=True, scope="module")
def guides_once() -> Iterator[None]:
    """Each guide is read and rendered once for all sites of these tests: that takes most of the time of a small one."""

    def rendered(text: str, place: str, links: dict[str, str]) -> str:
        if (text, place) not in RENDERED:
            RENDERED[text, place] = guide_html(text, place, links)
        return RENDERED[text, place]

    def sections(text: str) -> list[tuple[str, str, str]]:
        if text not in SECTIONS:
            SECTIONS[text] = sections_of(text)
        return SECTIONS[text]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certify.exports.site.build.guide_html", rendered)
        patch.setattr("certify.exports.site.build.sections_of", sections)
        yield


@pytest.fixture(scope="module")
def files() -> dict[str, str | bytes]:
    return files_of()


class Links(HTMLParser):
    """The links of a page, the files that it loads, and the anchors on it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.ids.add(found.get("id") or "")
        self.links += [found["href"] or ""] if tag == "a" and "href" in found else []
        if tag in ("img", "script", "link"):
            self.loads += [found[name] or "" for name in ("src", "href") if name in found]


def test_every_link_leads_to_a_file_of_the_site_and_every_page_loads_only_those(files: dict[str, str | bytes]) -> None:
    pages = {name: Links(str(text)) for name, text in files.items()
             if name.endswith(".html")}
    assert {"index.html", "check.html", "guides/index.html", "guides/README.html", "guides/formulas.html"} <= set(pages)
    for name, page in pages.items():
        for link in [*page.links, *page.loads]:
            if re.match("https?:", link):
                assert link in page.links, f"{name} loads {link}"
                continue
            target, _, part = link.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            assert place in files, f"{name}: {link}"
            assert not part or place not in pages or part in pages[place].ids, f"{name}: {link}"


def test_every_page_has_a_policy_that_lets_it_load_nothing_from_elsewhere(files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        if name.endswith(".html"):
            (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', str(text))
            assert policy.startswith("default-src 'none'; ") and "http" not in policy and "*" not in policy, name


def test_the_site_has_the_checker_and_the_digests_of_all_files(files: dict[str, str | bytes]) -> None:
    assert files["check.pyz"] == pack_checker()
    digests = dict(line.split("  ")[::-1] for line in str(files["digests.txt"]).splitlines())
    assert set(digests) == set(files) - {"digests.txt"}
    for name, digest in digests.items():
        content = files[name]
        assert hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest() == digest


def test_the_same_site_has_the_same_bytes(files: dict[str, str | bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.exports.site.build.guide_html", guide_html)
    monkeypatch.setattr("certify.exports.site.build.sections_of", sections_of)
    assert files_of() == files


def test_all_of_the_site_is_kept_to_work_without_a_network() -> None:
    files = files_of(pyodide=True)
    names = re.findall(r'"([^"]+)"', str(files["kept.js"]).split("NAMES = ")[1].splitlines()[0])
    assert set(names) == {"./", *files} - {"kept.js", "digests.txt"}
    assert {f"pyodide/{name}" for name in KEPT} <= set(names)


def test_markdown_of_a_stranger_is_text() -> None:
    assert "<script>" not in guide_html("<script>alert(1)</script>", "docs/a.md", {})
    assert 'href="javascript:' not in guide_html("[x](javascript:alert(1))", "docs/a.md", {})
    assert guide_html("[x](../proofs/check/README.md)", "docs/a.md", {}) == "<p>x</p>\n"


def test_another_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.tgz").write_bytes(b"not the one")
    with pytest.raises(InputError, match=f"expected {SHA_256}: the file that npm pack pyodide@{VERSION} writes"):
        read_pyodide(str(tmp_path / "p.tgz"))


def test_a_certificate_that_is_not_accepted_is_in_no_gallery() -> None:
    rejected = sorted((CORPUS / "rejected").glob("*.cert"))[0]
    with pytest.raises(InputError, match="rejected"):
        exhibits_of_files([str(rejected)], lambda _: None)


def test_the_gallery_says_what_is_proved_of_each_kind_of_certificate() -> None:
    names = ("by_hand_prev", "trained_wrong_word", "trained_tracks", "weighting_relu_since")
    exhibits = exhibits_of_files([str(CORPUS / "accepted" / f"{name}.cert") for name in names], lambda _: None)
    assert [each.proves for each in exhibits] == [
        "right on all words of length <= 4", "wrong on a word", "a claim about all allowed inputs is proved",
        "right on all words of length <= 6"]
    assert all(each.page for each in exhibits)
    index = str(site_files(exhibits, None)["index.html"])
    assert "right on all words of length &lt;= 4" in index and 'href="gallery/trained_tracks.html"' in index


def test_trained_networks_stand_in_the_gallery_with_what_is_proved_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = (examples_folder() / "trained" / "zoo.toml").read_text(encoding="utf-8")
    two = "".join(part for part in re.split(r"(?m)^(?=\[)", plans)
                  if part.startswith("[import") or re.match(r"\[network\.(even|first)\]", part))
    read = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda self, **options: two if self.name == "zoo.toml" else read(
        self, **options))
    exhibits = list(trained_exhibits(2, lambda _: None))
    monkeypatch.undo()
    assert [each.name for each in exhibits] == ["even_network", "first_network"]
    assert "majority" in {example.name for example in load_examples()}  # as a network is, too
    assert {each.proves for each in exhibits} == {"a claim about all words of length <= 2 is proved"}
    assert all(each.page and each.group == "Trained networks" and each.about for each in exhibits)


def test_models_softened_networks_and_inputs_in_tracks_stand_in_the_gallery(monkeypatch: pytest.MonkeyPatch) -> None:
    """None has the name of another exhibit; of a model that is not defined for one symbol the claim begins with two."""
    others = {path.stem for path in (examples_folder() / "adders").glob("*.toml")} - {"parity", "decimal_soft"}
    monkeypatch.setattr("certify.exports.site.gallery.SLOW", others)
    printed_for: list[str] = []
    tell = printed_for.append
    exhibits = [*model_exhibits(3, tell), *softened_exhibits(1, tell), *tracks_exhibits(tell)]
    assert "parity_tracks" in printed_for
    names = [each.name for each in exhibits]
    assert len(set(names)) == len(names) and not set(names) & {example.name for example in load_examples()}
    printed = {each.name: each.proves for each in exhibits}
    assert printed["first_by_logarithm_model"] == "right on all words of length 2 to 3"
    assert printed["k_hop_2_softened"] == "a claim about all words of length <= 1 is proved"
    assert printed["parity_tracks"] == "a claim about all allowed inputs is proved"
    assert printed["decimal_soft_tracks_wrong_input"] == "wrong on an input"
    assert all(each.page for each in exhibits)
    assert site_files(exhibits, None)["gallery/parity_tracks.html"]


def test_two_certificates_of_one_name_are_not_one_file() -> None:
    text = (CORPUS / "accepted" / "by_hand_prev.cert").read_text(encoding="utf-8")
    one = Exhibit("same", "", text, "", "", "Formulas")
    with pytest.raises(AssertionError, match="two certificates have the same file"):
        site_files([one, replace(one, group="Trained networks")], None)


def test_an_audit_stands_in_the_gallery_with_its_verdicts(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(AUDIT, encoding="utf-8")
    (report,) = reports_of([str(tmp_path / "mine.toml")], lambda _: None)
    assert (report.name, report.verdicts) == ("mine", "2 claims: 1 certified, 1 refuted")
    files = site_files([], None, [report])
    shown = str(files["audits/mine.html"])
    assert 'href="../index.html"' in shown and "2 claims" in shown and str(tmp_path) not in shown
    assert 'href="audits/mine.html"' in str(files["index.html"])
    with pytest.raises(InputError, match="that no other claims file has"):
        reports_of([str(tmp_path / "mine.toml")] * 2, lambda _: None)


def test_audits_of_short_words_leave_what_is_to_be_refuted_as_it_is(tmp_path: Path) -> None:
    expected = AUDIT.replace('name = "sharp"', 'name = "sharp"\nexpect = "certified"').replace(
        'name = "blunt"', 'name = "blunt"\nexpect = "refuted"')
    (tmp_path / "mine.toml").write_text(expected, encoding="utf-8")
    report = audit_file(tmp_path / "mine.toml", 2)
    assert report.title == "two (here: most claims for words up to length 2)"
    assert [(claim.lengths, claim.verdict, claim.mismatch) for claim in report.claims] == [
        ("1..2", "certified", ""), ("1..4", "refuted", "")]
    with pytest.raises(InputError, match="max-n: 0, expected a number from 1"):
        audit_file(tmp_path / "mine.toml", 0)


def test_the_papers_of_the_gallery_are_those_with_claims_files_that_name_them() -> None:
    for name in PAPERS:
        assert "[paper]\n" in (examples_folder() / "claims" / f"{name}.toml").read_text(encoding="utf-8")


def test_the_command_writes_the_folder_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = next(path for path in sorted((CORPUS / "accepted").glob("*.cert")) if path.stat().st_size < 4000)
    command_line()(["export", str(path), "--to", "site", "-o", "out"], standalone_mode=False)
    assert (tmp_path / "out" / "gallery" / path.name).read_bytes() == path.read_bytes()
    assert (tmp_path / "out" / "check.pyz").read_bytes() == pack_checker()
    with pytest.raises(InputError, match="the folder is not empty"):
        command_line()(["export", str(path), "--to", "site", "-o", "out"], standalone_mode=False)


# -- in a browser ------------------------------------------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def serve(files: Mapping[str, str | bytes], folder: Path) -> http.server.ThreadingHTTPServer:
    """Return the files of a site, on a port of this machine."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, http.server.ThreadingHTTPServer]]:
    """A site with the real Pyodide if it is there, on a port of this machine."""
    folder = tmp_path_factory.mktemp("site")
    paths = [str(path) for path in sorted((CORPUS / "accepted").glob("*.cert")) if path.stat().st_size < 4000][:3]
    pyodide = read_pyodide(PYODIDE) if PYODIDE else None
    server = serve(site_files(exhibits_of_files(paths, lambda _: None), pyodide), folder)
    yield f"http://127.0.0.1:{server.server_address[1]}/", server
    server.shutdown()


def visit(browser: Browser, address: str, name: str, width: int = WIDE, scheme: Any = "light"
          ) -> tuple[Page, list[str]]:
    """Return a page of the site; requests to other hosts are refused, and recorded with all errors."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    wrong: list[str] = []

    def refuse(route: Any) -> None:
        wrong.append(route.request.url)
        route.abort()

    context.route(lambda url: not url.startswith((address, "blob:", "data:")), refuse)
    page = context.new_page()
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address + name)
    return page, wrong


@pytest.mark.parametrize("name", ["index.html", "check.html", "search.html?q=since", "guides/index.html",
                                  "guides/formulas.html", "gallery/a_guard_that_never_holds.html"])
@pytest.mark.parametrize(("width", "scheme"), [(NARROW, "light"), (WIDE, "dark")])
def test_pages_fit_can_be_read_and_complain_of_nothing(
        browser: Browser, served: tuple[str, Any], name: str, width: int, scheme: str) -> None:
    page, wrong = visit(browser, served[0], name, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(page.evaluate(CONTRASTS)) >= 4.5
    assert [each for each in wrong if "favicon" not in each and "404" not in each] == []
    if width == NARROW:
        assert faults(page) == []


def test_what_is_typed_is_found_in_titles_first_and_what_is_found_leads_to_its_section(
        browser: Browser, served: tuple[str, Any], files: dict[str, str | bytes]) -> None:
    page, wrong = visit(browser, served[0], "guides/formulas.html", NARROW)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.locator("#q").fill("any length")
    page.keyboard.press("Enter")
    first = page.locator("#results a").first
    expect(first).to_have_text("Decide words of any length")
    place, _, part = str(first.get_attribute("href")).partition("#")
    assert part in Links(str(files[place])).ids
    page.locator("#q").fill("sinc <b> nosuchword")
    expect(page.locator("#count")).to_have_text("0 found")
    shown = next(name for name in files if name.startswith("gallery/") and name.endswith(".html"))
    page.locator("#q").fill(Path(shown).stem)
    expect(page.locator("#results a").first).to_have_attribute("href", shown)
    assert [each for each in wrong if "404" not in each] == []


def test_every_section_of_a_guide_is_in_the_index_where_its_page_has_it(files: dict[str, str | bytes]) -> None:
    entries = json.loads(str(files["search-index.js"]).split("const INDEX = ")[1].removesuffix(";\n"))
    ids = {name: Links(str(text)).ids for name, text in files.items() if name.endswith(".html")}
    places = [address.partition("#") for _, _, address, _ in entries]
    assert all(place in files and (not part or part in ids[place]) for place, _, part in places)
    headed = {(name, part) for name, those in ids.items() if name.startswith("guides/")
              for part in those - {"", "main", "q"}}
    assert headed == {(place, part) for place, _, part in places if place.startswith("guides/")}


def test_a_worker_of_the_page_can_ask_no_other_host(browser: Browser, served: tuple[str, Any]) -> None:
    """It has the policy of the page: that is what keeps whatever Python does on this machine."""
    page, _ = visit(browser, served[0], "check.html")
    page.evaluate("""() => {
        const tell = "event => postMessage(event.violatedDirective)";
        const ask = "fetch('http://127.0.0.2:9/').catch(() => {});";
        const source = `self.addEventListener("securitypolicyviolation", ${tell}); ${ask}`;
        const worker = new Worker(URL.createObjectURL(new Blob([source])));
        worker.onmessage = ({ data }) => { document.title = data; };
    }""")
    expect(page).to_have_title("connect-src")


def native(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main([str(path)])
    return status, capsys.readouterr().out.replace(str(path), path.name)


def wait_until_ready(page: Page) -> None:
    """Python is loaded; however long it takes, no wait on this page gives up."""
    page.set_default_timeout(0)
    page.locator("#state", has_text="Ready.").wait_for()


@pytest.mark.skipif(not PYODIDE, reason="CERTIFY_PYODIDE names no file")
def test_the_checker_in_the_page_says_what_the_checker_says_without_a_network(
        browser: Browser, served: tuple[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    page, wrong = visit(browser, served[0], "check.html")
    wait_until_ready(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    served[1].shutdown()  # from here on nobody answers
    paths = [path for verdict in ("accepted", "rejected", "malformed") for path in
             [path for path in sorted((CORPUS / verdict).glob("*.cert")) if path.stat().st_size < 20_000][:6]]
    paths.append(CORPUS / "malformed" / "nested_too_deep.cert")
    for number, path in enumerate(paths, start=1):
        page.locator("#file").set_input_files(str(path))
        page.locator("#found article").nth(number - 1).wait_for()
        status, text = native(path, capsys)
        found = page.locator("#found article").first
        verdict = {0: "accepted", 1: "rejected", 2: "malformed", 3: "incomplete"}[status]
        assert found.get_attribute("data-verdict") == verdict, path.name
        printed = re.sub(r"\s+", " ", found.locator("dl").inner_text()).strip()
        assert printed == re.sub(r"\s+", " ", text).strip(), path.name
        expect(found).to_contain_text(hashlib.sha256(path.read_bytes()).hexdigest())
    page.reload()  # what was kept is enough
    wait_until_ready(page)
    assert wrong == []
