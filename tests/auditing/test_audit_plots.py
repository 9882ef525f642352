"""Plots: the same numbers give the same well-formed SVG, which asks for nothing and says what it shows."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.auditing.plots import draw_plots
from certify.common.plots import BLUE, GREEN, ORANGE, Plot, standalone
from proofs.enclosures.intervals import Interval, point
from tests.auditing.sample import (
    CERTIFIED,
    CLAIMS,
    HOSTILE,
    NOT_DECIDABLE,
    REFUTED,
    STRANGER,
    TWO_TEMPERATURES,
    UNKNOWN,
    plots_of,
    since_row,
)

SVG = "{http://www.w3.org/2000/svg}"


def texts(plot: Plot) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(plot.svg).iter(f"{SVG}text")]


def test_a_claim_has_the_plots_that_it_has_numbers_for() -> None:
    assert [[plot.kind for plot in plots_of(claim, "p")] for claim in CLAIMS] == [
        ["temperature", "error", "slack"], ["error"], ["error"], [], [], []]
    assert plots_of(NOT_DECIDABLE, "p") == ()


def test_drawing_twice_gives_the_same_text() -> None:
    assert plots_of(CERTIFIED, "p") == draw_plots(CERTIFIED, "p")
    assert plots_of(CERTIFIED, "p") != draw_plots(CERTIFIED, "q")


def test_plots_of_one_page_share_no_identifier_and_refer_to_their_own_only() -> None:
    seen: set[str] = set()
    for place, claim in enumerate((CERTIFIED, REFUTED, UNKNOWN)):
        for plot in plots_of(claim, f"plot-{place}"):
            names = re.findall(r'\bid="([^"]+)"', plot.svg)
            assert len(names) == len(set(names)) and not seen & set(names)
            assert set(re.findall(r'(?:url\(|href=")#([\w-]+)', plot.svg)) <= set(names)
            seen |= set(names)


def test_axes_and_lines_are_labelled() -> None:
    temperature, error, slack = plots_of(CERTIFIED, "p")
    assert {"length n (logarithmic)", "temperature (score units), log", "critical (bracket)", "claimed", "4", "8", "16",
            "32", "64"} <= set(texts(temperature))
    assert {"length n (logarithmic)", "worst error (absolute)", "bound", "certified"} <= set(texts(error))
    assert {"length n (logarithmic)", "slack (factor)", "just enough"} <= set(texts(slack))
    assert {"certified", "refuted"} <= set(texts(plots_of(REFUTED, "p")[0]))


def test_the_description_has_the_numbers() -> None:
    temperature, error, slack = plots_of(CERTIFIED, "p")
    assert temperature.description.endswith("At n = 64 the critical temperature is 0.0338132, "
                                            "the claimed one 0.015625.")
    assert error.description.endswith("The greatest is 0.0497871 at n = 8, the bound at n = 64 is 0.25.")
    assert slack.description.endswith("At n = 64 it is at least 2.164.")
    assert ET.fromstring(slack.svg).attrib["aria-label"] == slack.description


def test_heads_of_different_temperatures_have_curves_of_their_own() -> None:
    temperature = plots_of(TWO_TEMPERATURES, "p")[0]
    assert {"critical (bracket), 1.1", "claimed, 1.1", "critical (bracket), 1.2, 2.1, 2.2 and 1 more",
            "claimed, 1.2, 2.1, 2.2 and 1 more"} <= set(texts(temperature))
    assert temperature.description.endswith(
        "At n = 8 the critical temperature of 1.1 is 0.75, the claimed one 1. "
        "At n = 8 the critical temperature of 1.2, 2.1, 2.2 and 1 more is 0.1875, the claimed one 0.25.")


def test_a_plot_needs_nothing_from_elsewhere_and_takes_no_text_of_a_stranger() -> None:
    for plot in plots_of(STRANGER, "p"):
        assert set(re.findall(r"https?://[^\"']+", plot.svg)) == {"http://www.w3.org/2000/svg"}
        assert "script" not in plot.svg and "marquee" not in plot.svg
    assert HOSTILE.claims[0] is STRANGER


def luminance(colour: str) -> float:
    parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [BLUE, ORANGE, GREEN])
def test_lines_are_seen_on_white_and_on_the_dark_page(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 3
    assert (luminance(colour) + 0.05) / (luminance("#14171b") + 0.05) >= 3


def test_ink_is_that_of_the_page_and_dark_on_white_when_alone() -> None:
    svg = plots_of(CERTIFIED, "p")[0].svg
    assert "fill: currentColor" in svg and "#010203" not in svg and "#ffffff" not in svg
    assert ET.fromstring(standalone(svg)).attrib["style"] == "color:#1b1f24;background:#ffffff"


def test_numbers_that_no_float_holds_are_left_out_and_tiny_errors_get_a_logarithmic_axis() -> None:
    huge, tiny = point(Fraction(10**400)), Interval(Fraction(1, 10**400), Fraction(1, 10**399))
    assert plots_of(replace(CERTIFIED, rows=(replace(since_row(2, "0.1"), error=huge),), criticals=()), "p") == ()
    criticals = tuple(
        replace(critical, temperatures=(replace(critical.temperatures[0], critical=tiny),), slack=huge)
        for critical in CERTIFIED.criticals)
    assert [plot.kind for plot in plots_of(replace(CERTIFIED, criticals=criticals), "p")] == ["error"]
    small = replace(CERTIFIED, rows=(since_row(2, "0.0001"), since_row(4, "0.000001")), criticals=())
    assert "worst error (absolute), log" in texts(plots_of(small, "p")[0])


def test_one_length_only_and_sixty_four_lengths_are_drawn() -> None:
    for count, labels in ((1, ["1"]), (64, ["1", "2", "3", "6", "11", "20", "35", "64"])):
        rows = tuple(since_row(n, "0.01") for n in range(1, count + 1))
        drawn = texts(plots_of(replace(CERTIFIED, rows=rows, criticals=()), "p")[0])
        assert drawn[:len(labels)] == labels
