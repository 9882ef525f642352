"""The largest error at every length and position as a map: one logarithmic scale for all heads."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from certify.exports.pages.base.svg import element, join
from certify.exports.pages.certificate.error_maps import ErrorMap

LEVELS = (1e-6, 1e-5, 1e-4, 1e-3, 10 ** -2.5, 1e-2, 10 ** -1.5, 1e-1, .25)
SHADES = (.05, .13, .22, .32, .43, .55, .68, .82, 1.0)
"""The shade of errors up to each level; the last also for all above."""
FLAT = .99
LETTERS = 4.4
"""The size of labels, in places of 64 across: readable on a phone."""
CHARACTERS = "".join(map(chr, [*range(35, 60), *range(62, 92), *range(93, 127)]))
"""Characters that JSON and HTML do not escape; the script decodes one by its index in this text."""


def draw_map(chart: ErrorMap, place: int, label: str) -> Markup:
    """Draw lengths from left to right, positions upwards, a ring around the worst; ``place`` numbers the map."""
    last = len(chart.places)
    unit = last / 64
    shades = shade_of(chart.errors)
    paths = [element("path", class_="w", opacity=SHADES[level], d=d) for level in range(len(LEVELS))
             if (d := _shortest(shades == level))]
    n, i, _ = chart.worst
    ring = [element("circle", class_="worst", cx=chart.places.index(n) + .5, cy=last - chart.places.index(i) - .5,
                    r=max(.9, 1.7 * unit))] if n else []
    cross = Markup('<g class="cross" visibility="hidden"><path d=""/></g>')
    return element("svg", join([_field(last), *paths, *_ticks(chart), *ring, cross]), class_="heat",
                   data_map=str(place), viewBox=f"{-13.5 * unit:g} {-2 * unit:g} {last + 15.5 * unit:g} "
                   f"{last + 13 * unit:g}", role="img", tabindex="0", aria_label=label)


def shade_of(errors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the level of each error, -1 where there is none; levels have a tolerance of 1 %."""
    levels = np.searchsorted(np.array(LEVELS) * 1.01, np.nan_to_num(errors))
    return np.where(np.isnan(errors), -1, np.minimum(levels, len(LEVELS) - 1))


def _field(last: int) -> Markup:
    """Return the outline of all (n, i) with i at most n."""
    steps = "".join(f"H{n}V{last - n - 1}" for n in range(1, last))
    return element("path", class_="field", d=f"M0 {last}V{last - 1}{steps}H{last}V{last}z")


def _shortest(cells: npt.NDArray[Any]) -> str:
    """Return the cells as a path of runs, in the direction that needs fewer."""
    last = len(cells)
    upright = "".join(f"M{n} {last - i}h1v-{length}h-1z" for n, i, length in runs_of(cells))
    level = "".join(f"M{n} {last - i}h{length}v-1h-{length}z" for i, n, length in runs_of(cells.T))
    return min(upright, level, key=len)


def runs_of(cells: npt.NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield row, first column and length of every run of cells in a row."""
    for row, line in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(int), [0]))))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            yield row, int(start), int(end - start)


def ticks_of(last: int) -> list[int]:
    """Return the indices of the labelled places.

    >>> ticks_of(64)
    [0, 15, 31, 47, 63]
    """
    step = max(1, last // 4)
    return sorted({0, last - 1, *range(step - 1, last - step // 2, step)})


def _ticks(chart: ErrorMap) -> Iterator[Markup]:
    last = len(chart.places)
    unit = last / 64
    for k in ticks_of(last):
        text, size = str(chart.places[k]), LETTERS * unit
        yield element("text", text, class_="tick", x=k + .5, y=last + 5 * unit, text_anchor="middle", font_size=size)
        yield element("text", text, class_="tick", x=-unit, y=last - k - .5 + 1.5 * unit, text_anchor="end",
                      font_size=size)
    middle, size = last / 2, LETTERS * unit
    yield element("text", "length n", class_="tick", x=middle, y=last + 10 * unit, text_anchor="middle",
                  font_size=size)
    yield element("text", "position i", class_="tick", x=-10 * unit, y=middle, text_anchor="middle", font_size=size,
                  transform=f"rotate(-90 {-10 * unit:g} {middle:g})")


def describe_flatness(chart: ErrorMap) -> str:
    """Describe from how many visible positions on the error is within 1 % of the worst; empty if uninformative."""
    _, _, worst = chart.worst
    far = 0
    for a, b in np.argwhere(chart.known):
        n, i = chart.places[a], chart.places[b]
        if chart.errors[a, b] < FLAT * worst:
            far = max(far, {"future": i, "past": n + 1 - i}.get(chart.mask, n))
    if not worst or far + 1 > 8:
        return ""
    few = "everywhere" if far == 0 else f"wherever {far + 1} or more positions are visible"
    return f"Flat: within 1 % of the worst {few}."


def pack(chart: ErrorMap) -> Mapping[str, Any]:
    """Return the errors of all (n, i) with i <= n, length by length.

    Maps with few different numbers are these numbers and a character for each place, others single-precision numbers in
    base64; places without a claim are negative.
    """
    cells = np.nan_to_num(np.concatenate([chart.errors[a, :a + 1] for a in range(len(chart.places))]), nan=-1)
    digits = [float(f"{x:.6g}") for x in cells]
    values = sorted(set(digits))
    if len(values) > len(CHARACTERS):
        return {"singles": base64.b64encode(cells.astype("<f4").tobytes()).decode()}
    written = {value: CHARACTERS[k] for k, value in enumerate(values)}
    return {"values": values, "cells": "".join(map(written.__getitem__, digits))}
