"""The page of a certificate as text: it says what the certificate says, every figure can be saved, nothing is loaded.
"""

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

from certify.claims.formula.sealed import read_sealed
from certify.exports.pages.certificate.page import certificate_page, show_lower, show_upper
from constructions.network.lengths import Lengths
from constructions.network.meanings import Anything
from proofs.enclosures.float_models.model import presets
from proofs.floats.claims import FloatClaim
from tests.cli.conftest import Certify, certify
from tests.exports.pages.certificates import DRAWN, HOSTILE, corpus, drawn, page, page_of_corpus, renamed, visible

__all__ = ["certify"]

VOID = {"meta", "input", "br", "img"}
MOST_BYTES = 300_000


class Tags(HTMLParser):
    """Every tag that opens with its attributes, and whether they close in the right order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[tuple[str, dict[str, str | None]]] = []
        self.pending: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append((tag, dict(attrs)))
        if tag not in VOID:
            self.pending.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.pending.pop() == tag


def check_form(text: str) -> None:
    """Check that the page is balanced and small, loads nothing, and each figure has a name and a button."""
    tags = Tags(text)
    assert tags.pending == [] and len(text.encode()) < MOST_BYTES
    assert not {"img", "link", "iframe", "object"} & {tag for tag, _ in tags.opened}
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)|\bsrc=|url\(|@import", text)
    assert all((attributes.get("href") or "#").startswith("#") for _, attributes in tags.opened)
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert all(re.match(r'<figure [^>]*data-name="[\w.-]+"', figure) and "data-save" in figure for figure in figures)
    names = re.findall(r'<figure [^>]*data-name="([\w.-]+)"', text)
    assert len(set(names)) == len(names)
    for tag, attributes in tags.opened:
        assert tag != "svg" or attributes.get("aria-label")


ALWAYS = {"a_difference_that_is_square", "a_guard_that_never_holds", "a_name_with_a_line_of_its_own",
          "a_symbol_with_a_line_of_its_own", "an_unread_embedding", "by_hand_boolean", "by_hand_until",
          "comparisons_by_saturation", "counts_that_cancel", "floats_since", "from_length_2",
          "low_precision_both_sides", "low_precision_temporal", "slack_doubled"}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", [pytest.param(path, marks=() if path.stem in ALWAYS else pytest.mark.exhaustive)
                                  for path in corpus()], ids=lambda path: path.stem)
def test_each_accepted_certificate_has_a_page_that_loads_nothing(path: Path) -> None:
    check_form(page_of_corpus(path))


@pytest.mark.parametrize("name", DRAWN)
def test_each_kind_of_claim_has_a_page_with_its_network_and_a_word_to_try(name: str) -> None:
    text = page(name)
    check_form(text)
    assert '<svg class="net flat"' in text and '<svg class="net tall"' in text and 'class="live"' in text
    assert drawn(name).digest in text and f"{name}.cert" in text


@pytest.mark.parametrize("name", DRAWN)
def test_every_bound_is_that_of_the_certificate_rounded_up(name: str) -> None:
    text = visible(page(name))
    for bound in drawn(name).bounds:
        error = max(bound.error_if_false, bound.error_if_true)
        assert f"<dt>error at most</dt><dd>{show_upper(error)}</dd>" in text
        assert f'<td class="number">{show_upper(bound.error_if_false)}</td>' in text
        assert f'<td class="number">{show_upper(bound.error_if_true)}</td>' in text
        shown = Fraction(show_upper(error))
        assert error <= shown <= error * Fraction(11, 10) + Fraction(1, 10**6)


def test_slack_is_rounded_down_and_the_worst_head_is_named_in_the_first_lines() -> None:
    text = visible(page("temporal"))
    worst = max(max(bound.error_if_false, bound.error_if_true) for bound in drawn("temporal").bounds)
    assert f'{show_upper(worst)} <span class="soft">(head 4.1)</span>' in text
    assert f"<dd>{show_lower(Fraction(1, 4) - worst)}</dd>" in text
    assert Fraction(show_lower(Fraction(1, 4) - worst)) <= Fraction(1, 4) - worst


def test_the_claim_is_in_words_with_all_brackets_and_the_commands_ask_for_it() -> None:
    text = page("temporal")
    assert '<h1 class="formula"><span class="sub">(prev Q_a)</span> since ' in text
    assert "certified for every n ≤ 14" in text and "For every n ≤ 14, on every word of length n over" in text
    command = ("python -I -S check.pyz temporal.cert --formula &#39;prev Q_a since (Q_b until next Q_c)&#39; "
               "--alphabet abc --max-n 14 --regime temperature")
    assert f"<code>{command}</code>" in text


def test_a_claim_that_refers_to_a_table_of_formulas_is_named_by_its_parts() -> None:
    sealed = drawn("temporal")
    text = certificate_page(replace(sealed, claim={**sealed.claim, "formula": "$7"}), "x.cert")
    named = 'prev Q_a since <span class="sub">(Q_b until next Q_c)</span>'
    assert f'<h1 class="formula">{named}</h1>' in text
    assert "<code>python -I -S check.pyz x.cert</code>" in text and "$7" not in visible(text)


def test_several_character_symbols_are_separated_in_words_and_in_commands() -> None:
    text = page("symbols")
    assert "symbols separated by commas" in text and "--alphabet start,stop,go" in text


def test_exact_weights_are_named_by_their_directions() -> None:
    text = visible(page("counting"))
    assert re.search(r'<span class="query">3·mean\[#&lt;\[Q_1\]\] − 3·here\[#&lt;\[Q_1\]\]</span> · ', text)
    assert "ReLU(" in text and not re.search(r"[·>]h\d+\b", text)


def test_the_obligations_are_those_of_every_written_direction() -> None:
    for name in ("temporal", "comparison"):
        text = visible(page(name))
        assert f"<summary>{len(drawn(name).transformer.directions) + 1} obligations</summary>" in text


def test_a_map_is_flat_or_not_in_words() -> None:
    assert "Flat: within 1 % of the worst" in page("temporal")
    assert "Flat: " not in page("counting")


def test_texts_of_strangers_never_become_tags() -> None:
    sealed = renamed(drawn("counting"), HOSTILE)
    text = certificate_page(sealed, HOSTILE)
    check_form(text)
    assert "<script>alert" not in text and "\u202e" not in text
    assert text.count("<script") == 2


def test_a_page_of_long_words_alone_says_that_there_is_no_picture() -> None:
    text = certificate_page(replace(drawn("exact"), lengths=Lengths(70, 71)), "x")
    assert 'class="live"' not in text and 'class="grid"' not in text


def test_a_network_of_thousands_of_directions_has_a_small_page_that_says_what_is_missing() -> None:
    sealed = drawn("counting")
    more = {f"direction {k} of many that are there": Anything() for k in range(3000)}
    network = replace(sealed.transformer, directions={**sealed.transformer.directions, **more})
    text = certificate_page(replace(sealed, transformer=network), "x")
    check_form(text)
    assert "It has too many blocks for a picture" in text and "the certificate has them all" in text
    assert 'class="live"' not in text and 'class="grid"' not in text and "<dt>error at most</dt>" in text


def test_each_claim_about_float_executions_has_a_row_and_without_any_there_is_no_table() -> None:
    assert "Float executions" not in page("exact") and "about execution in floating point" in page("exact")
    claims = (FloatClaim(presets()["binary32"], 4), FloatClaim(replace(presets()["flash"], name="<b>mine"), 3))
    text = certificate_page(replace(drawn("exact"), floats=claims), "x")
    assert '<th scope="row">binary32</th><td class="prose">all binary32</td>' in text
    assert '<th scope="row">&lt;b&gt;mine</th><td class="prose">storage, inputs bfloat16; ' in text
    assert "<td>every n ≤ 4</td></tr>" in text and "about execution in floating point" not in text


def test_the_command_writes_the_page_and_names_no_folder(certify: Certify, tmp_path: Path) -> None:
    folder = tmp_path / "of_this_machine"
    folder.mkdir()
    source = corpus()[-1]
    (folder / "mine.cert").write_bytes(source.read_bytes())
    assert certify("export", str(folder / "mine.cert"), "--to", "html", "-o", "page.html").code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "of_this_machine" not in text and text == certificate_page(read_sealed(str(source)), "mine.cert")
