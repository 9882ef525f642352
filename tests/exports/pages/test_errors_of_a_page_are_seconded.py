"""Errors on the words of a page, and the worst of its maps: mpmath computes the same; what is planted is an error."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from certify.exports.pages.certificate import seconded
from certify.exports.pages.certificate.approximations import _Obligations, study
from certify.exports.pages.certificate.page import certificate_page, describe_seconded
from certify.exports.pages.certificate.seconded import second_worst
from certify.exports.pages.certificate.worst_words import WorstWord
from constructions.errors import InternalError
from proofs.enclosures.by_mpmath import steps_of
from proofs.words import replay
from tests.cli.conftest import Certify, certify
from tests.exports.pages.certificates import CORPUS, drawn, page, studied, visible

__all__ = ["certify"]

DISAGREES = "where mpmath does not find it"
PLANTED = ("symbols", "counting", "sum", "comparison")
SAME = "are enclosed, and confirmed by mpmath to 25 digits."


@pytest.fixture
def mpmath_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of words and worst errors by mpmath have another exponential, once certificates are made."""
    for name in PLANTED:
        drawn(name)
    exp = mpmath.exp
    monkeypatch.setattr(mpmath, "exp", lambda x: exp(x * (1 + mpmath.mpf(10) ** -12)))


def cases(name: str) -> list[tuple[str, WorstWord]]:
    return [(each.direction, picture.case) for each in studied(name).approximations
            for picture in (each.short, each.long) if picture]


@pytest.mark.parametrize("name", ["symbols", "counting", "comparison", "predicates"])
def test_the_errors_of_a_page_are_enclosed_to_the_last_digit_of_a_double(name: str) -> None:
    found = cases(name)
    assert found and all(case.is_seconded for _, case in found)
    for direction, case in found:
        value = replay.run_soft(drawn(name).transformer, case.word, 256)[case.i - 1][direction]
        assert float(abs(value.lower - case.truth)) == case.error == float(abs(value.upper - case.truth))
    words = "these words" if len({case.word for _, case in found}) > 1 else "this word"
    assert f"The errors on {words} {SAME}" in visible(page(name))


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.usefixtures("mpmath_is_off")
def test_a_page_on_which_mpmath_disagrees_is_an_error(name: str) -> None:
    with pytest.raises(InternalError, match=f"of the word .*{DISAGREES}"):
        certificate_page(drawn(name), "x")


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.usefixtures("mpmath_is_off")
def test_a_map_on_whose_worst_error_mpmath_disagrees_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(seconded, "MOST_STEPS", 0)
    with pytest.raises(InternalError, match=f"the worst error at n = .*{DISAGREES}"):
        certificate_page(drawn(name), "x")


@pytest.mark.parametrize("name", ["symbols", "counting", "temporal", "by_position", "sum"])
def test_the_worst_error_of_each_map_is_enclosed(name: str) -> None:
    found = studied(name).maps
    assert found and all(chart.seconded is not None and abs(chart.seconded - chart.worst[2]) < 1e-12 for chart in found)
    assert f"from the proved obligations; the worst error is {SAME[4:]}" in visible(page(name))


def test_a_double_that_is_off_is_not_called_the_same() -> None:
    sealed = drawn("symbols")
    (chart, *_), obligations = studied("symbols").maps, _Obligations(sealed)
    again = second_worst(obligations.of(sealed.bounds[0]), replace(chart, seconded=None))
    off = second_worst(obligations.of(sealed.bounds[0]), replace(chart, seconded=None, errors=chart.errors + 1e-6))
    assert again.seconded == chart.seconded is not None and off.seconded is None


def test_an_enclosure_beside_the_value_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seconded, "run_soft", lambda network, word, bits: [
        {name: value.scaled(1 + Fraction(1, 10**12)) for name, value in vector.items()}
        for vector in replay.run_soft(network, word, bits)])
    with pytest.raises(InternalError, match=DISAGREES):
        certificate_page(drawn("symbols"), "x")


@pytest.mark.usefixtures("mpmath_is_off")
def test_the_command_reports_a_disagreement_on_one_line_and_writes_no_page(certify: Certify) -> None:
    source = str(CORPUS / "by_hand_since.cert")
    done = certify("export", source, "--to", "html", "-o", "page.html")
    assert done.code == 3 and done.err.startswith("certify: internal error, no verdict: ")
    assert done.err.count("\n") == 1 and DISAGREES in done.err and not Path("page.html").exists()


@pytest.mark.parametrize(("words", "sentence"), [(0, ""), (1, f"The errors on 1 of these 3 words {SAME}")])
def test_words_beyond_the_steps_of_a_page_are_not_compared_and_the_page_says_so(
        monkeypatch: pytest.MonkeyPatch, words: int, sentence: str) -> None:
    steps = steps_of(drawn("symbols").transformer, cases("symbols")[0][1].word)
    monkeypatch.setattr(seconded, "MOST_STEPS", words * steps)
    text = certificate_page(drawn("symbols"), "x")
    assert describe_seconded(study(drawn("symbols"))) == sentence
    assert sentence in visible(text) and (SAME in text) is ("seconded\":true" in text) is bool(words)
