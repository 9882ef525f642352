"""The page of a certificate in a real headless Chromium: its script agrees with the semantics, it fits all screens.
"""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from certify.exports.pages.certificate.page import certificate_page
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import subformulas
from constructions.network.meanings import Truth
from tests.browser import CONTRASTS, NARROW, WIDE, Scheme, Seen, browser, look
from tests.exports.pages.certificates import DRAWN, HOSTILE, drawn, page, renamed

__all__ = ["browser"]

WORDS = 60
MOST_PRINTED = 6
IN_A_FRAME = "<!DOCTYPE html><title>x</title><iframe width={width} height=800 style='border:0' src='{file}'></iframe>"


def open_page(browser: Browser, folder: Path, text: str, width: int = WIDE, scheme: Scheme = "light") -> Seen:
    seen = look(browser, folder, text, width, scheme)
    assert seen.requests == [seen.address] and seen.complaints == []
    return seen


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", DRAWN)
def test_the_script_decides_random_words_as_the_semantics_does(browser: Browser, tmp_path: Path, name: str) -> None:
    """Truths of all subformulas, and the output of the network in the page's own doubles."""
    sealed = drawn(name)
    output = sealed.transformer.directions[sealed.transformer.output]
    assert isinstance(output, Truth)
    chance = random.Random(name)
    alphabet, last = sealed.transformer.alphabet, sealed.lengths.last
    words = [chance.choices(alphabet, k=chance.randint(1, last)) for _ in range(WORDS)]
    seen = open_page(browser, tmp_path, page(name))
    found = seen.page.evaluate("words => words.map(word => { const { rows, output, wrong } = judge(word); "
                               "return [rows.filter(row => row.truth).map(row => row.truth), output, wrong]; })", words)
    for word, (rows, held, wrong) in zip(words, found, strict=True):
        assert rows == [list(truth_values(part, word)) for part in subformulas(output.formula)]
        assert held == pytest.approx([float(truth) for truth in truth_values(output.formula, word)], abs=1e-9)
        assert wrong == 0


def test_an_edited_word_is_judged_anew_and_a_strange_symbol_is_named(browser: Browser, tmp_path: Path) -> None:
    seen = open_page(browser, tmp_path, page("symbols"))
    seen.page.locator("#word").fill("start,go, stop")
    expect(seen.page.locator("#truth thead button")).to_have_text(["start", "go", "stop"])
    expect(seen.page.locator("#truth .result td")).to_have_text(
        ["T" if truth else "·" for truth in truth_values(parse_formula(DRAWN["symbols"][0]), ("start", "go", "stop"))])
    seen.page.locator("#word").fill("start,halt")
    expect(seen.page.locator("#complaint")).to_have_text("halt is not in the alphabet start, stop, go.")
    seen.page.locator("#word").fill("go,go")
    seen.page.locator("#truth thead button").first.click()
    expect(seen.page.locator("#word")).to_have_value("start,go")


def test_keys_lead_through_the_network_and_name_what_is_pointed_at(browser: Browser, tmp_path: Path) -> None:
    seen = open_page(browser, tmp_path, page("temporal"))
    seen.page.locator(".net.flat .head").first.focus()
    expect(seen.page.locator("#inspect strong")).to_contain_text("Head 1.")
    seen.page.keyboard.press("ArrowRight")
    expect(seen.page.locator("#inspect")).to_contain_text("ReLU(")
    assert seen.page.locator(".net.flat .lit").count() > 1


def test_a_map_reads_out_the_place_that_keys_lead_to(browser: Browser, tmp_path: Path) -> None:
    seen = open_page(browser, tmp_path, page("counting"))
    readout = seen.page.locator("[data-readout='0']")
    seen.page.locator(".heat").first.focus()
    for _ in range(20):
        seen.page.keyboard.press("ArrowLeft")
    expect(readout).to_have_text(re.compile(r"^n = 1, i = 1: (error|nothing)"))


def test_every_figure_is_saved_as_svg_that_needs_no_page(browser: Browser, tmp_path: Path) -> None:
    seen = open_page(browser, tmp_path, page("counting"))
    figures = seen.page.locator("figure")
    for figure in figures.all():
        with seen.page.expect_download() as download:
            figure.locator("[data-save]").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert text.startswith("<svg") and "var(" not in text and "class=" not in text
        assert download.value.suggested_filename == f"{figure.get_attribute('data-name')}.svg"


@pytest.mark.parametrize("name", ["temporal", "comparison", "symbols"])
def test_there_is_no_sideways_scrolling_at_400_pixels_and_paper_is_at_most_six_pages(
        browser: Browser, tmp_path: Path, name: str) -> None:
    (tmp_path / "framed.html").write_text(page(name), encoding="utf-8")
    framed = look(browser, tmp_path, IN_A_FRAME.format(width=NARROW, file="framed.html"))
    measure = "(root => [root.scrollWidth, root.clientWidth])(document.documentElement)"
    wide, room = framed.page.frames[1].evaluate(measure)
    assert wide <= room <= NARROW
    seen = open_page(browser, tmp_path, page(name))
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", seen.page.pdf(prefer_css_page_size=True))) <= MOST_PRINTED


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(browser: Browser, tmp_path: Path, scheme: Scheme) -> None:
    contrasts = open_page(browser, tmp_path, page("comparison"), scheme=scheme).page.evaluate(CONTRASTS)
    assert len(contrasts) > 80 and min(contrasts) >= 4.5


def test_hostile_texts_stay_texts(browser: Browser, tmp_path: Path) -> None:
    text = certificate_page(renamed(drawn("counting"), HOSTILE), HOSTILE)
    seen = open_page(browser, tmp_path, text)
    for block in seen.page.locator(".net.flat .block").all():
        block.dispatch_event("click")
    seen.page.locator("[data-open]").first.click()
    expect(seen.page.locator("#large h3")).to_contain_text("</script>")
    assert seen.complaints == []
