"""Small figures: attention as a matrix of squares, one row of it as a strip, an error as a length."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from markupsafe import Markup

from certify.exports.pages.base.svg import element, join, number
from certify.exports.pages.certificate.names import clip

SHADES = 14
"""The shade of a square is the square root of its weight, so that small weights are visible."""
FAINTEST = 4e-4
TICK_ROOM = 3
LARGEST = 2.0
"""The largest width of a square, in rem."""
Weights = npt.NDArray[Any]


def squares(weights: Weights, size: float) -> list[Markup]:
    """Return a path for each shade, with all its squares."""
    paths: dict[int, str] = {}
    inset = number((1 - size) / 2) if size < 1 else ""
    side = number(size)
    for (row, column), weight in ((place, float(weights[place])) for place in zip(*weights.nonzero(), strict=True)):
        if weight >= FAINTEST:
            shade = max(1, round(weight ** .5 * SHADES))
            corner = f"M{column}{inset[1:] if inset else ''} {row}{inset[1:] if inset else ''}"
            paths[shade] = paths.get(shade, "") + f"{corner}h{side}v{side}h-{side}z"
    return [element("path", class_="w", opacity=shade / SHADES, d=path) for shade, path in sorted(paths.items())]


def draw_grid(word: Sequence[str], weights: Weights, i: int | None, label: str) -> Markup:
    """Draw the attention of row positions to column positions; row i is framed, if given."""
    n = len(word)
    field = element("rect", class_="field", x=0, y=0, width=n, height=n)
    frame = [element("rect", class_="frame", x=-.05, y=i - 1.05, width=n + .1, height=1.1)] if i else []
    return element("svg", join([*_symbols(word, i), field, *squares(weights, .92), *frame]), class_="grid",
                   viewBox=f"-1.6 -1.4 {n + 1.9:g} {n + 1.7:g}", role="img", aria_label=label,
                   style=f"max-width:{number(LARGEST * (n + 1.9))}rem")


def _symbols(word: Sequence[str], i: int | None) -> list[Markup]:
    """Return the word above the columns and beside the rows; single characters share one text."""
    if max(map(len, word)) > 1 or not "".join(word).isprintable() or " " in word:
        shown = [(k, clip(symbol, TICK_ROOM)) for k, symbol in enumerate(word)]
        return [*(element("text", text, class_="tick", x=k + .5, y=-.35, font_size=.44) for k, text in shown),
                *(element("text", text, class_="tick here" if k + 1 == i else "tick", x=-.8, y=k + .65, font_size=.44)
                  for k, text in shown)]
    above = element("text", "".join(word), class_="tick", x=_places(len(word), .5), y=-.35, font_size=.66)
    rows = [(k, symbol) for k, symbol in enumerate(word) if k + 1 != i]
    beside = element("text", "".join(symbol for _, symbol in rows), class_="tick", x=" ".join(["-.6"] * len(rows)),
                     y=" ".join(f"{k + .72:g}" for k, _ in rows), font_size=.66)
    framed = [element("text", word[i - 1], class_="tick here", x=-.6, y=i - .28, font_size=.66)] if i else []
    return [above, beside, *framed] if rows else [above, *framed]


def _places(count: int, start: float) -> str:
    return " ".join(f"{k + start:g}" for k in range(count))


def draw_strip(row: Weights, i: int) -> Markup:
    """Draw the attention of position i of a long word, with a mark at i."""
    n = len(row)
    unit = n / 64
    field = element("rect", class_="field", x=0, y=0, width=n, height=2.2 * unit)
    bars = [element("rect", class_="w", x=j, y=0, width=1, height=2.2 * unit, opacity=max(.05, float(weight) ** .5))
            for j, weight in enumerate(row) if weight >= FAINTEST]
    mark = element("path", class_="mark",
                   d=f"M{i - .5:g} {number(2.4 * unit)}l{number(.9 * unit)} {number(unit)}h{number(-1.8 * unit)}z")
    return element("svg", join([field, *bars, mark]), class_="strip", viewBox=f"-1 0 {n + 2} {number(3.6 * unit)}",
                   role="img", aria_label=f"What position {i} of {n} attends to")


def draw_ruler(error: float) -> Markup:
    """Draw the error on a line from 0 to 1/4, the allowed error."""
    x = min(error / .25, 1.08) * 200
    return element("svg", join([
        element("path", class_="axis", d="M0 9H216"),
        element("rect", class_="left", x=x, y=4, width=max(0.0, 200 - x), height=10),
        element("rect", class_="used", x=0, y=4, width=max(x, 1.0), height=10),
        element("path", class_="limit", d="M200 1V17"),
        element("text", "1/4", class_="tick", x=204, y=21), element("text", "0", class_="tick", x=0, y=22),
    ]), class_="ruler", viewBox="-2 0 222 23", role="img", aria_label=f"Error {error:.6f} of at most 0.25")
