"""The page of a softened transformer: its numbers are the certificate's, its script runs both kinds of attention."""

import itertools
import re
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from certify.exports.pages.certificate.page import show_upper
from certify.exports.pages.softened.page import draw_stages, lengths_of, softened_page, totals_of
from constructions.network.run import run_hard
from tests.browser import NARROW, browser, look
from tests.cli.conftest import Certify, certify
from tests.exports.pages.certificates import CORPUS, page, softened, visible
from tests.exports.pages.test_page_of_a_certificate import check_form

__all__ = ["browser", "certify"]

NAMES = ["copied", "counting", "recent", "rounded"]


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_nothing_and_states_the_bound_of_every_length(name: str) -> None:
    sealed = softened(name)
    text = softened_page(sealed, "x.cert")
    check_form(text)
    for each, stages in zip(lengths_of(sealed), sealed.errors, strict=True):
        assert each.moved == sum(stages[-1].values()) <= Fraction(1, 4)
        assert f'<td class="number">{show_upper(each.moved)}</td>' in visible(text)
    assert f"<code>python -I -S check.pyz x.cert --alphabet {''.join(sealed.transformer.alphabet)}" in text


def test_the_map_has_a_shade_wherever_anything_moves_and_the_key_names_what_is_drawn() -> None:
    sealed = softened("recent")
    text, totals = softened_page(sealed, "x.cert"), totals_of(sealed)
    shades = [float(shade) for shade in re.findall(r'<rect class="w"[^>]*opacity="([^"]*)"', str(draw_stages(sealed)))]
    moved = [totals[n][stage] for stage in range(len(totals[0])) for n in range(len(totals))]
    assert [shade > 0 for shade in shades] == [total > 0 for total in moved] and 1.0 in shades
    assert '<li class="query">' in text and "only near" not in text
    assert "only near" in page("temporal")


def test_the_command_writes_the_page_of_either_kind(certify: Certify, tmp_path: Path) -> None:
    source = CORPUS / "softened_recent.cert"
    assert certify("export", str(source), "--to", "html", "-o", "page.html").code == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == softened_page(softened("recent"), source.name)


@pytest.mark.parametrize("name", NAMES)
def test_the_script_moves_by_no_more_than_is_certified_and_is_right_where_attention_is_hard(
        browser: Browser, tmp_path: Path, name: str) -> None:
    sealed = softened(name)
    network = sealed.transformer
    words = [list(word) for word in itertools.islice(itertools.product(network.alphabet, repeat=sealed.last), 24)]
    seen = look(browser, tmp_path, softened_page(sealed, "x.cert"), NARROW)
    assert seen.complaints == [] and seen.requests == [seen.address]
    assert seen.page.evaluate("document.scrollingElement.scrollWidth") == NARROW
    found = seen.page.evaluate("words => words.map(word => { const { hard, moved } = compare(word); "
                               "return [hard.stream.map(vector => vector[data.output]), moved]; })", words)
    bound = float(lengths_of(sealed)[-1].moved)
    for word, (held, moved) in zip(words, found, strict=True):
        exact = [float(vector.get(network.output, 0)) for vector in run_hard(network, word)]
        assert held == pytest.approx(exact, abs=1e-9)
        assert max(moved) <= bound + 1e-9
