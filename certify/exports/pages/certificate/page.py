"""The page of a certificate: verdict, claim and picture first, then details.

The bounds are those of the certificate, which the checker has accepted; errors are rounded up, slack down. Words,
attention weights and maps are computed in doubles, for illustration, and the page says so; it says which errors are
enclosed and confirmed by mpmath. The page notes every figure that is missing because it would take too much room or
time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from markupsafe import Markup, escape

from certify.claims.floats.wording import describe_exponentials, describe_formats, describe_normalised
from certify.claims.formula.real_functions import sentence
from certify.claims.formula.sealed import Sealed
from certify.common.doubles import DoubleNetwork
from certify.common.numbers import decimal
from certify.common.words import SHOWN_SYMBOLS, show_word
from certify.exports.pages.base.page import embed_json, open_templates, render_page
from certify.exports.pages.certificate import tables
from certify.exports.pages.certificate.approximations import MOST_STUDIED, Approximation, Study, drawn_lengths, study
from certify.exports.pages.certificate.blocks import find_columns
from certify.exports.pages.certificate.commands import (
    check_command,
    claimed_formula,
)
from certify.exports.pages.certificate.grids import draw_grid, draw_ruler, draw_strip
from certify.exports.pages.certificate.heat_maps import SHADES, describe_flatness, draw_map
from certify.exports.pages.certificate.names import DirectionNames, clip
from certify.exports.pages.certificate.script_data import script_data
from certify.exports.pages.certificate.wiring import draw_network
from certify.exports.pages.certificate.worst_words import sample_word
from constructions.language.printer import format_formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from constructions.text import printable

CHECKER_DOES = "It reads formula and weights from the certificate, and recomputes every bound independently."
QUARTER = Fraction(1, 4)
ONE_LINE = 60
OPEN_CARDS = 8
"""More heads are collapsed."""
ROUNDING = 1e-3
GAP = 1e-4
"""A worst word whose error is this far below the bound gets a note."""
OPERATORS = (
    ("prev, next", "The previous position, the next position; false if there is none."),
    ("since", "φ since ψ holds at i if ψ held at a j ≤ i, and φ at all of j, …, i (at j, too); until is its mirror."),
    ("#<[φ], #>[φ]", "The number of positions up to here, or from here on, that satisfy φ, including this one."),
)


@dataclass(frozen=True)
class Detail:
    """The level of detail: a second picture for narrow screens, grids of collapsed heads, the rows of each table."""

    tall: bool
    folded: bool
    rows: int
    picture: bool = True
    live: bool = True


MOST_BYTES = 300_000
DETAILS = (Detail(True, True, 300), Detail(False, True, 300), Detail(False, False, 200), Detail(False, False, 80),
           Detail(False, False, 40, picture=False), Detail(False, False, 40, picture=False, live=False))
"""A page has the first of these levels with which it is small enough, or the last."""


NO_NETWORK: dict[str, Any] = {"truths": None, "directions": [], "tokens": [], "positions": [], "layers": [],
                              "blocks": [], "approximations": []}
"""Replaces the script's data on a page without a word to try and without a picture."""


def certificate_page(sealed: Sealed, file: str) -> str:
    """Return the whole page; ``file`` is the name of the certificate in commands, without folders."""
    page = _CertificatePage(sealed, file)
    texts = (page.render(detail) for detail in DETAILS)
    return next((text for text in texts if len(text.encode()) <= MOST_BYTES), page.render(DETAILS[-1]))


class _CertificatePage:
    def __init__(self, sealed: Sealed, file: str):
        self.sealed, self.file, self.network = sealed, file, sealed.transformer
        output = self.network.directions[self.network.output]
        assert isinstance(output, Truth), "what the checker accepts decides a formula"
        self.formula = output.formula
        self.names = DirectionNames(self.network, self.formula)
        self.study: Study = study(sealed)

    def render(self, detail: Detail) -> str:
        """Render the page with this level of detail."""
        environment = open_templates("certify.exports.pages.certificate")
        environment.filters |= {
            "upper": show_upper, "slack": lambda bound: show_lower(QUARTER - bound),
            "nicely": lambda claim: claim.replace("<=", "≤"),
            "named": self.names.direction, "word": show_word, "clip": clip, "notes": self.notes,
        }
        data = self.data if detail.live else {**self.data, **NO_NETWORK}
        return render_page(environment, "certificate.html", ("network.css", "certificate.css"), SCRIPTS, **self.claim,
                           **self.pictures(detail), **self.figures, **self.tables, most_rows=detail.rows, data=data,
                           blob=embed_json(data))

    @cached_property
    def data(self) -> Any:
        columns = find_columns(self.network, self.names)
        return script_data(self.sealed, self.names, self.formula, columns, self.study)

    @cached_property
    def claim(self) -> dict[str, Any]:
        """The beginning and the end of the page."""
        sealed, symbols = self.sealed, self.network.alphabet
        more = len(symbols) - SHOWN_SYMBOLS
        return {
            "title": clip(printable(self.claimed or self.heading()), 80), "sealed": sealed,
            "file": self.file, "heading": underlined(self.heading()),
            "real_functions": sentence(self.network),
            "shown_symbols": symbols[:SHOWN_SYMBOLS], "more_symbols": f" and {more} more" if more > 0 else "",
            "worst": self.study.worst, "checker_does": CHECKER_DOES,
            "check": check_command(sealed, self.file, self.claimed),
            "operators": OPERATORS, "floats": float_rows(sealed),
            "shape": network_shape(self.network),
        }

    @cached_property
    def claimed(self) -> str | None:
        """The text of the claim's formula, if there is one."""
        return claimed_formula(self.sealed)

    def heading(self) -> str:
        """Return the formula with all its brackets, or as much of its text as there is room for."""
        if self.claimed is None:
            return self.names.spelled(self.formula)
        text = printable(self.claimed)
        return printable(format_formula(self.formula, parenthesize=True)) if len(text) <= 200 else clip(text, 300)

    def _contents(self, detail: Detail) -> list[tuple[str, str]]:
        found = [("try", "Try a word"), ("network", "Network"), ("worst", "Worst words"), ("errors", "Errors"),
                 ("obligations", "Obligations"), ("weights", "Weights"), ("trust", "What is trusted")]
        missing = {"errors": not self.study.maps, "try": self.data["truths"] is None or not detail.live}
        return [(anchor, text) for anchor, text in found if not missing.get(anchor)]

    @cached_property
    def figures(self) -> dict[str, Any]:
        """All figures."""
        cards, exact = self.study.approximations, list(self.exact_heads())
        lengths = drawn_lengths(self.sealed) if any(each.short for each in cards) else ()
        return {
            "exact": exact, "open_exact": max(0, OPEN_CARDS - len(cards)), "cards": cards, "open_cards": OPEN_CARDS,
            "short_length": lengths[0] if lengths else None, "long_length": lengths[-1] if lengths else None,
            "seconded": describe_seconded(self.study),
            "grids": {each.number: self.grid(each) for each in cards[:MOST_STUDIED] if each.short},
            "strips": {each.number: draw_strip(each.long.weights[each.long.case.i - 1], each.long.case.i)
                       for each in cards[:OPEN_CARDS] if each.long},
            "rulers": {each.number: draw_ruler(float(each.bound)) for each in cards if each.near_truth},
            "seconded_worst": describe_seconded_worst(self.study),
            "maps": self.study.maps, "charts": list(self.charts()), "shades": SHADES,
            "thinned": any(chart.is_thinned for chart in self.study.maps),
            "maps_left_out": ", ".join(dict.fromkeys(each.at for each in cards if each.chart is None))
            if self.study.maps else "",
        }

    def pictures(self, detail: Detail) -> dict[str, Any]:
        """Return the parts that depend on the level of detail."""
        cards, exact = self.figures["cards"], self.figures["exact"]
        return {
            "flat": self.flat if detail.picture else None, "tall": self.tall if detail.tall else None,
            "folded": max(0, len(cards) - OPEN_CARDS) + max(0, len(exact) - self.figures["open_exact"]),
            "folded_shown": detail.folded, "contents": self._contents(detail),
        }

    @cached_property
    def flat(self) -> Markup | None:
        """The network from left to right."""
        return draw_network(self.network, self.names, True)

    @cached_property
    def tall(self) -> Markup | None:
        """The network from the top down."""
        return draw_network(self.network, self.names, False)

    def grid(self, each: Approximation) -> Markup:
        """Return the attention of a head on its worst word."""
        assert each.short
        word = each.short.case.word
        return draw_grid(word, each.short.weights, each.short.case.i,
                         f"Attention of head {each.at} on the word {show_word(word)}")

    def exact_heads(self) -> Iterable[dict[str, Any]]:
        """Yield the heads without a bound, on a sample word; none if numbers or words are too large for a picture."""
        lengths, bounded = drawn_lengths(self.sealed), {each.at for each in self.study.approximations}
        others = [(layer, place, head) for layer, place, head in self.network.heads()
                  if f"{layer}.{place}" not in bounded and head.weighting.is_softmax]
        if not lengths or not others:
            return
        word = sample_word(self.network.alphabet, lengths[0])
        try:
            attention = DoubleNetwork(self.network, len(word)).run([word], attention=True).attention
        except OverflowError:
            return
        for layer, place, head in others:
            at = f"{layer}.{place}"
            yield {"at": at, "name": head.name, "grid": draw_grid(
                word, attention[layer, place][0], None, f"Attention of head {at} on the word {show_word(word)}")}

    def charts(self) -> Iterable[dict[str, Any]]:
        """Yield the maps in their order, each with all heads that share it."""
        for place, chart in enumerate(self.study.maps):
            those = [each for each in self.study.approximations if each.chart == place]
            heads = ", ".join(dict.fromkeys(each.at for each in those))
            title = those[0].head.name if len({each.at for each in those}) == 1 else "have the same map"
            about = self.names.direction(those[0].direction) if len(those) == 1 else ""
            svg = draw_map(chart, place, f"Largest error of head {heads} at every length n and position i")
            yield {"heads": heads, "title": title, "about": about, "svg": svg, "worst": chart.worst,
                   "shown": show_double(chart.worst[2] if chart.seconded is None else chart.seconded),
                   "flat": describe_flatness(chart)}

    def notes(self, each: Approximation) -> list[str]:
        """Return the notes under a card."""
        found = ["Nothing is claimed: its condition holds nowhere."] if each.rows == 0 else []
        for picture, what in ((each.short, "grid"), (each.long, "strip")):
            if picture and not picture.case.is_worst:
                found.append(f"{what}: the worst of {picture.case.tried} words tried")
        longest = each.long or each.short
        if longest and float(each.bound) - longest.case.error > GAP:
            how = "confirmed by mpmath" if longest.case.is_seconded else "in double precision"
            found.append(f"The bound is proved for arbitrary inputs of the head; the word in the picture reaches "
                         f"{longest.case.error:.6f}, {how}.")
        return found

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The tables of obligations and weights."""
        network, names = self.network, self.names
        return {
            **tables.list_weights(network, names, [each["holds"] for each in self.data["directions"]]),
            "obligations": tables.list_obligations(self.sealed, names, self.study.approximations),
            "heads": [(number, f"{layer}.{place}", head.name)
                      for number, (layer, place, head) in enumerate(network.heads())],
            "separated": any(len(symbol) > 1 for symbol in network.alphabet),
        }


def underlined(formula: str) -> Markup:
    """Return the formula with bracketed parts underlined, if it fits one line.

    >>> print(underlined("a & (b | c)"))
    a &amp; <span class="sub">(b | c)</span>
    """
    if len(formula) > ONE_LINE or "'" in formula:  # a quoted symbol may be a bracket
        return escape(formula)
    return escape(formula).replace("(", Markup('<span class="sub">(')).replace(")", Markup(")</span>"))


SCRIPTS: Sequence[str] = ("figures.js", "network.js", "run.js", "words.js", "letters.js", "certificate.js")


def network_shape(network: Transformer) -> dict[str, int]:
    """Return the sizes of a network, in words."""
    return {"layers": len(network.layers), "heads": len(list(network.heads())),
            "ReLUs": sum(len(layer.feedforward.units) for layer in network.layers),
            "directions": len(network.directions), "non-zero parameters": network.parameter_count()}


def float_rows(sealed: Sealed) -> list[tuple[str, ...]]:
    """Return, for each claim about float executions, the name of its model, its description, and the lengths."""
    return [(claim.run.name, describe_formats(claim.run), describe_normalised(claim.run),
             describe_exponentials(claim.run), Lengths(sealed.lengths.first, claim.max_n).claim)
            for claim in sealed.floats]


def describe_seconded(found: Study) -> str:
    """Return the sentence that names the drawn words whose errors mpmath confirms; empty if there are none."""
    seconded, drawn = sum(case.is_seconded for case in found.cases.values()), len(found.cases)
    words = f"{seconded} of these {drawn} words" if seconded < drawn else "these words" if drawn > 1 else "this word"
    return f"The errors on {words} are enclosed, and confirmed by mpmath to 25 digits." if seconded else ""


def describe_seconded_worst(found: Study) -> str:
    """Return the end of the sentence on maps with the number of confirmed worst errors; empty if there are none."""
    seconded, drawn = sum(chart.seconded is not None for chart in found.maps), len(found.maps)
    which = f"of {seconded} of {drawn} maps " if seconded < drawn else ""
    return f"; the worst error {which}is enclosed, and confirmed by mpmath to 25 digits" if seconded else ""


def show_upper(error: Fraction) -> str:
    """Format with six decimals, rounded up; smaller numbers with two digits.

    >>> show_upper(Fraction(1, 3)), show_upper(Fraction(1, 10**7)), show_upper(Fraction(0))
    ('0.333334', '1E-7', '0')
    """
    return _rounded(error, ROUND_CEILING)


def show_lower(slack: Fraction) -> str:
    """Format with six decimals, rounded down.

    >>> show_lower(Fraction(1, 3))
    '0.333333'
    """
    return _rounded(slack, ROUND_FLOOR)


def _rounded(x: Fraction, rounding: str) -> str:
    if x == 0:
        return "0"
    if x < Fraction(1, 10**5):
        return decimal(x, 2, rounding)
    millionths = (ceil if rounding == ROUND_CEILING else floor)(x * 10**6)
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"


def show_double(error: float) -> str:
    """Format a double, rounded up unless the excess is far below its last place.

    >>> show_double(0.25), show_double(0.1234561), show_double(1e-7)
    ('0.250000', '0.123457', '1.0e-07')
    """
    return f"{ceil(error * 1e6 - ROUNDING) / 1e6:.6f}" if error >= 1e-5 else f"{error:.1e}"
