"""Properties of every page: it loads nothing, names no folder, and fits a phone and paper."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from certify.claims.trained.counting import count_tracks
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.common.shards import Workers
from certify.exports.html import page_of
from certify.exports.pages.decision.pages import page_of_decision
from certify.exports.pages.learned.page import learned_page
from certify.exports.pages.parts.hardened import hardening_page
from certify.exports.pages.parts.page import circuit_page, heads_page
from certify.exports.pages.softened.page import softened_page
from certify.learning.learn import learn
from constructions.tables import read_toml
from proofs.enclosures.float_models.model import presets
from tests.auditing.sample import HOSTILE, REPORT, UNEXPECTED, html_of, markdown_of
from tests.browser import CONTRASTS, NARROW, SCHEMES, browser, faults, look
from tests.exports.pages.certificates import CORPUS, page, softened
from tests.exports.pages.test_page_of_a_certificate import MOST_BYTES, Tags
from tests.exports.pages.test_pages_of_parts import circuit, hardened, table
from tests.learning.questions import of_the_zoo
from tests.trained.tracks.adders import adder, short_claim_text

__all__ = ["browser"]

FOLDER = re.compile(r"(?<![\w<.])/(?:home|root|tmp|usr|var|work|Users|private)/|\b[A-Z]:\\\\")
MOST_PRINTED = 6


@cache
def trained(name: str) -> str:
    """Return the page of a certificate about a trained network, which is in a folder."""
    path = CORPUS / f"trained_{name}.cert"
    return page_of(path.read_text(encoding="utf-8"), str(path), path.name)


@cache
def learnt() -> str:
    """Return the page of what a network computes that does not do what it was claimed to do."""
    return learned_page(learn(*of_the_zoo("tomita_7", 4)), "learnt.cert")


@cache
def float_executions() -> str:
    """Return the page of float executions of which some are proved, some open, and one wrong."""
    network, question = of_the_zoo("tomita_7", 4)
    return page_of_decision(decide_floats(network, question.claim, presets()["bfloat16/binary32"]))


@cache
def counted() -> str:
    """Return the page of the number of right sums of one and of two digits."""
    network = adder(3, 2, blur=1.7)
    claim = tracks_claim_of_table(read_toml(short_claim_text(3, "[1, 2]"), "claim"), "claim", network)
    return page_of_decision(count_tracks(network, claim, workers=Workers(1)), "n.cert")


PAGES: dict[str, Callable[[], str]] = {
    "certificate": lambda: page("temporal"),
    "softened": lambda: softened_page(softened("recent"), "recent.cert"),
    "audit": lambda: html_of(REPORT),
    "audit of a stranger": lambda: html_of(HOSTILE),
    "trained": lambda: trained("bidirectional_by_length"),
    "trained by classes": lambda: trained("mean_by_classes"),
    "wrong word": lambda: trained("wrong_word"),
    "float executions": float_executions,
    "learnt": learnt,
    "heads": lambda: heads_page(table(), "proofs"),
    "circuit": lambda: circuit_page(circuit(), "proofs"),
    "hardened": lambda: hardening_page(hardened(), "hard.cert"),
    "head": lambda: page_of(table().certificates["head_1_1.cert"], "head.cert", "head.cert"),
    "count": counted,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_one_small_file_that_loads_nothing_and_names_no_folder(name: str) -> None:
    text = PAGES[name]()
    tags = Tags(text)
    assert tags.pending == [] and len(text.encode()) < MOST_BYTES
    assert not {"img", "link", "iframe", "object"} & {tag for tag, _ in tags.opened}
    loading = {"src", "srcset", "action", "background", "data", "onload", "onerror"}
    assert not loading & {name for _, each in tags.opened for name in each}
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)|url\((?!#)|@import", text)
    assert all((attributes.get("href") or "#").startswith("#") for _, attributes in tags.opened)
    assert not FOLDER.search(text) and str(Path(__file__).parent.parent.parent.parent) not in text


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_allows_the_only_script_by_its_hash(name: str) -> None:
    text = PAGES[name]()
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy == (f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
                      "form-action 'none'")


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_has_a_name_of_its_own_and_a_button_that_saves_it(name: str) -> None:
    text = PAGES[name]()
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    names = [found.group(1) for figure in figures if (found := re.match(r'<figure [^>]*data-name="([\w.-]+)"', figure))]
    assert len(names) == len(figures) == len(set(names)) > 0
    assert all("data-save" in figure for figure in figures)
    assert all(attributes.get("aria-label") for tag, attributes in Tags(text).opened if tag == "svg")


@pytest.mark.parametrize("name", PAGES)
def test_verdict_claim_and_contents_stand_before_everything_else(name: str) -> None:
    top, _, rest = PAGES[name]().partition("</header>")
    assert 'class="verdict' in top and "<h1" in top and "<nav" in top and "<figure" not in top and "<main>" in rest


def test_in_a_browser_no_page_asks_for_anything_scrolls_sideways_on_a_phone_or_has_pale_texts(
        browser: Browser, tmp_path: Path) -> None:
    for name, make in PAGES.items():
        seen = look(browser, tmp_path, make(), NARROW, until="networkidle")
        for scheme in SCHEMES:
            seen.page.emulate_media(color_scheme=scheme)
            assert (name, seen.page.evaluate("document.scrollingElement.scrollWidth")) == (name, NARROW)
            contrasts = seen.page.evaluate(CONTRASTS)
            assert len(contrasts) > 30 and min(contrasts) >= 4.5, (name, scheme)
        assert (name, seen.requests, seen.complaints) == (name, [seen.address], [])


def test_names_landmarks_tables_and_what_keys_reach_are_as_the_rules_of_accessibility_ask(
        browser: Browser, tmp_path: Path) -> None:
    for name in ("certificate", "softened", "audit", "trained", "learnt", "count", "hardened"):
        assert (name, faults(look(browser, tmp_path, PAGES[name](), NARROW).page)) == (name, [])


def test_on_paper_pages_of_small_subjects_are_few_and_in_dark_ink(browser: Browser, tmp_path: Path) -> None:
    for name in ("certificate", "softened", "trained", "wrong word", "count"):
        shown = look(browser, tmp_path, PAGES[name](), scheme="dark").page
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", shown.pdf(prefer_css_page_size=True))) <= MOST_PRINTED, name
        shown.emulate_media(media="print")
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_figure_of_any_page_is_saved_as_svg_that_needs_no_page(browser: Browser, tmp_path: Path) -> None:
    for name in ("audit", "wrong word"):
        shown = look(browser, tmp_path, PAGES[name]()).page
        figure = shown.locator("figure").first
        with shown.expect_download() as download:
            figure.locator("[data-save]").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert text.startswith("<svg") and "var(" not in text and "class=" not in text
        assert download.value.suggested_filename == f"{figure.get_attribute('data-name')}.svg"


def test_a_decision_is_told_in_the_words_of_its_claim_and_with_its_letters() -> None:
    path = CORPUS / "trained_bidirectional_by_length.cert"
    text = page_of(path.read_text(encoding="utf-8"), str(path), path.name, "Is an <a> the last?")
    top, _, rest = text.partition("</header>")
    assert '<p class="says">Is an &lt;a&gt; the last?</p>' in top and "where <code>" in top
    assert re.findall(r">([^<]*)</text>", re.findall(r'<svg class="grid".*?</svg>', rest)[0]) == ["⊢01⊣", "⊢01⊣"]
    assert "⊢ and ⊣ mark the tokens that the claim puts around every word" in rest


def test_a_report_calls_files_by_their_names() -> None:
    witness = UNEXPECTED.witness
    assert witness
    placed = replace(witness, command="certify run '/data/me/my models/net.json' 0 --gamma 2")
    report = replace(REPORT, source="/data/me/claims.toml", claims=(replace(UNEXPECTED, witness=placed),))
    for text in (html_of(report), markdown_of(report)):
        assert "/data/me" not in text and "claims.toml" in text and "certify run net.json 0 --gamma 2" in text
