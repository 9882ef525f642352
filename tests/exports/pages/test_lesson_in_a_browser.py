"""The page of `certify explain --html`, in a real headless Chromium: its steps show what the network holds."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from certify.claims.formula.lesson import teach
from certify.claims.formula.runs import run_transformer
from certify.exports.pages.lesson.page import lesson_page
from certify.requests.inputs import Options
from certify.requests.request import read_request
from constructions.language.semantics import truth_values
from tests.browser import CONTRASTS, NARROW, WIDE, Scheme, Seen, browser, look

__all__ = ["browser"]
FORMULAS = {"(Q_a | Q_b) since prev Q_a": "abc", "#<[Q_1] > #<[Q_0]": "01"}


def open_lesson(browser: Browser, folder: Path, text: str, width: int = WIDE, scheme: Scheme = "light") -> Seen:
    request = read_request(text, Options(FORMULAS[text]))
    assert request.formula is not None
    page = lesson_page(teach(request, request.network), request.formula, request.network)
    seen = look(browser, folder, page, width, scheme)
    assert seen.requests == [seen.address] and seen.complaints == []
    return seen


@pytest.mark.parametrize("text", FORMULAS)
def test_the_steps_show_what_the_network_holds_and_end_with_the_truth(
        browser: Browser, tmp_path: Path, text: str) -> None:
    request, seen = read_request(text, Options(FORMULAS[text])), open_lesson(browser, tmp_path, text)
    word = FORMULAS[text] * 2
    seen.page.locator("#word").fill(",".join(word))
    held = {trace.direction: trace.soft for trace in run_transformer(request.network, tuple(word)).traces}
    found = seen.page.evaluate("""word => {
        const { stream } = forward([...word], truthsOf([...word]));
        return Object.fromEntries(data.directions.map((each, k) => [each.name, stream.map(vector => vector[k])]));
    }""", word)
    compared = [name for name in held if name in found]
    for name in compared:
        assert found[name] == pytest.approx([float(value.lower) for value in held[name]], abs=1e-9)
    assert request.network.output in compared
    assert re.match(r"Its transformer has \d layers, .* and \d+ non-zero parameters\.$",
                    seen.page.locator("header .says").inner_text())
    steps = seen.page.evaluate("data.steps.length")
    for _ in range(steps - 1):
        seen.page.locator("#on").click()
    expect(seen.page.locator("#where")).to_have_text(f"step {steps} of {steps}")
    expect(seen.page.locator("#on")).to_be_disabled()
    assert request.formula is not None
    truths = truth_values(request.formula, tuple(word))
    expect(seen.page.locator("#held tbody tr").last.locator("td")).to_have_text([str(int(truth)) for truth in truths])
    expect(seen.page.locator("#summary")).to_contain_text(f"the formula is {str(truths[-1]).lower()}")


def test_a_word_is_typed_with_commas_with_blanks_or_with_neither(browser: Browser, tmp_path: Path) -> None:
    seen = open_lesson(browser, tmp_path, "(Q_a | Q_b) since prev Q_a")
    for typed in ("abc", "a,b,c", "a b c", " a, b, c "):
        seen.page.locator("#word").fill(typed)
        expect(seen.page.locator("#held thead button")).to_have_text(["a", "b", "c"])
    seen.page.locator("#word").fill("a,d")
    expect(seen.page.locator("#complaint")).to_have_text("d is not in the alphabet a, b, c.")


def test_keys_and_buttons_lead_from_step_to_step_and_a_letter_is_changed_by_a_click(
        browser: Browser, tmp_path: Path) -> None:
    seen = open_lesson(browser, tmp_path, "(Q_a | Q_b) since prev Q_a")
    expect(seen.page.locator("#back")).to_be_disabled()
    seen.page.locator("#on").click()
    expect(seen.page.locator("#step-title")).to_have_text("Layer 1: attention")
    assert seen.page.locator("#heads svg").count() == 3
    seen.page.locator("h1").click()
    seen.page.keyboard.press("ArrowLeft")
    expect(seen.page.locator("#step-title")).to_have_text("The word is read")
    seen.page.locator("#word").fill("aaa")
    seen.page.locator("#held thead button").first.click()
    expect(seen.page.locator("#word")).to_have_value("baa")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("width", "scheme"), [(NARROW, "light"), (WIDE, "dark")])
def test_the_page_fits_and_can_be_read(browser: Browser, tmp_path: Path, width: int, scheme: Scheme) -> None:
    seen = open_lesson(browser, tmp_path, "(Q_a | Q_b) since prev Q_a", width, scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(seen.page.evaluate(CONTRASTS)) >= 4.5
