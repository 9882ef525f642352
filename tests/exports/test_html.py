"""`--to html`: the claim, every part of the network, its bounds and pictures of its heads; texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from certify.exports.attention import attention_weights
from certify.exports.html import draw, html_of
from certify.exports.npz import arrays_of
from certify.exports.sealed import Sealed, read_sealed
from certify.showing.numbers import decimal_upper
from constructions.network.lengths import Lengths
from constructions.network.transformer import Mask, Weighting
from proofs.floats.claims import FloatClaim
from proofs.floats.run_class import presets
from tests.cli.conftest import Certify

HOSTILE = "</title><script>alert(1)</script>\n\u202e"
VOID = {"meta", "rect"}


@pytest.fixture
def since(sealed: Callable[..., Sealed]) -> Sealed:
    return sealed("Q_1 since Q_0", "01", 4)


class Tags(HTMLParser):
    """Every tag that opens, and whether they close in the right order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.pending: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        if tag not in VOID or (tag == "rect" and "fill-opacity" in dict(attrs)):
            self.pending.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.pending.pop() == tag


def test_the_page_is_balanced_loads_nothing_and_has_no_script(since: Sealed) -> None:
    page = html_of(since)
    tags = Tags(page)
    assert tags.pending == [] and not {"script", "img", "link", "iframe"} & set(tags.opened)
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'" in page
    assert not re.search(r"https?:|\bsrc=|\bhref=|url\(", page)


def test_the_claim_and_the_bounds_are_those_of_the_certificate(since: Sealed) -> None:
    page = html_of(since)
    assert "<h1>Q_1 since Q_0</h1>" in page and since.digest in page
    assert ("For every n &lt;= 4, every word of length n over the alphabet 0, 1 and every position of it, the output "
            "h8 is exactly 1 if the formula holds there, and exactly 0 if not.") in page
    (bound,) = since.bounds
    assert f"<td>{decimal_upper(bound.error_if_false, 6)}</td><td>{decimal_upper(bound.error_if_true, 6)}</td>" in page


def test_every_number_of_a_small_network_is_there(since: Sealed) -> None:
    page = html_of(since)
    (head,) = (head for _, _, head in since.transformer.heads())
    weights = [x for row in (*head.queries, *head.keys) for x in row.values()]
    assert Fraction(6) in weights and "<td>6 h" in page and "1/2 h" in page
    assert page.count("<td>ReLU(") == sum(len(layer.feedforward.units) for layer in since.transformer.layers)
    assert all(f">h{place}</th>" in page for place in range(1, len(since.transformer.directions) + 1))


def test_texts_of_strangers_are_escaped_onto_one_line(since: Sealed) -> None:
    (layer,) = since.transformer.layers
    head = replace(layer.heads[0], name=HOSTILE, source=HOSTILE)
    symbols = (HOSTILE, "1")
    network = replace(
        since.transformer, layers=(replace(layer, heads=(head,)),), alphabet=symbols,
        token_embedding=dict(zip(symbols, since.transformer.token_embedding.values(), strict=True)))
    page = html_of(replace(since, transformer=network, claim={**since.claim, "formula": HOSTILE}))
    assert "<script" not in page and "\u202e" not in page
    assert Tags(page).pending == []


def test_each_claim_about_float_runs_has_a_row_and_without_any_there_is_no_table(since: Sealed) -> None:
    assert "Float runs" not in html_of(since)
    claims = (FloatClaim(presets()["binary32"], 4), FloatClaim(replace(presets()["flash"], name="<b>mine"), 3))
    page = html_of(replace(since, floats=claims))
    assert '<th scope="row">binary32</th><td class="prose">all binary32</td>' in page
    assert '<th scope="row">&lt;b&gt;mine</th><td class="prose">storage, inputs bfloat16; ' in page
    assert "<td>every n &lt;= 4</td></tr>" in page and "<td>every n &lt;= 3</td></tr>" in page
    assert "<b>" not in page and Tags(page).pending == []


def test_the_claims_about_float_runs_are_those_of_the_certificate(certify: Certify, since: Sealed) -> None:
    assert since.floats == ()
    assert certify("floats", "made.cert", "--format", "tf32", "--max-n", "3", "-o", "runs.cert").code == 0
    assert read_sealed("runs.cert").floats == (FloatClaim(presets()["tf32"], 3),)


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_a_picture_shows_where_the_head_looks(since: Sealed) -> None:
    """The head of `since` looks at the rightmost position whose symbol decides: here every 0."""
    weights = attention_weights(arrays_of(since), tuple("0110"))[1, 1]
    assert [max(range(4), key=row.__getitem__) for row in weights] == [0, 0, 0, 3]
    for i, row in enumerate(weights):
        assert sum(row) == pytest.approx(1) and max(row) > 0.75
        assert all(weight == 0 for weight in row[i + 1:])


def test_masks_hide_and_uniform_heads_look_everywhere(sealed: Callable[..., Sealed]) -> None:
    certificate = sealed("#<[Q_1] > #>[Q_0]", "01", 3)
    weights = attention_weights(arrays_of(certificate), tuple("011"))
    masks = {(layer, place): head.mask for layer, place, head in certificate.transformer.heads()}
    assert set(masks.values()) == set(Mask)
    for place, rows in weights.items():
        for i, row in enumerate(rows, start=1):
            assert [weight > 0 for weight in row] == [j in masks[place].visible(i, 3) for j in (1, 2, 3)]


def test_each_head_has_its_picture_with_a_square_per_attended_position(since: Sealed) -> None:
    page = html_of(since)
    assert page.count("<svg ") == 1 and 'aria-label="Attention of head 1.1"' in page
    assert "Pictures show the attention on the word 0 1 1 0" in page
    assert "<title>position 1 to position 1: 1.000</title>" in page


def test_without_soft_attention_or_short_words_there_are_no_pictures(since: Sealed) -> None:
    (layer,) = since.transformer.layers
    hard = replace(layer, heads=(replace(layer.heads[0], weighting=Weighting.RIGHTMOST_HARDMAX),))
    for certificate in (replace(since, transformer=replace(since.transformer, layers=(hard,))),
                        replace(since, lengths=Lengths(25, 30))):
        assert draw(certificate) is None
        assert "<svg" not in html_of(certificate) and "Pictures show" not in html_of(certificate)
