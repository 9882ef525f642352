"""`certify export --to figures`: the network, the error maps and the margin curve, as PDF and as SVG for papers.

The figures are those of the page of the certificate: illustrations in doubles; only the certificate's bounds are
proved. The output is reproducible.
"""

import re
import warnings
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

from certify.claims.formula.sealed import read_accepted_file
from certify.claims.trained.certified import read_certified
from certify.claims.trained.files import head_in
from certify.common.plots import BLUE, GREEN, INK, ORANGE, SIZE, pdf_of, standalone, styled, svg_of
from certify.common.terminal import without_log_of
from certify.exports.pages.certificate.approximations import study
from certify.exports.pages.certificate.error_maps import ErrorMap
from certify.exports.pages.certificate.heat_maps import LEVELS, SHADES, runs_of, shade_of, ticks_of
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.wiring import draw_network
from certify.exports.pages.decision.curve import Point
from certify.exports.pages.decision.page import points_of
from certify.exports.pages.softened.page import read_softened
from certify.exports.writing import folder, read_formula
from constructions.errors import Unsupported
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer, check_softmax

with without_log_of("matplotlib"):
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import BoundaryNorm, ListedColormap, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
    from matplotlib.path import Path
    from matplotlib.ticker import MaxNLocator

PIXEL = 1 / 96
"""The unit of the network's picture, in inches."""
POINT = .75
"""The unit in points."""
ROLES = {"query": "#0069a8", "key": "#b84a00", "value": "#007a66", "relu": "#66717e"}
FAINT, PANEL, RIM = "#d9dde2", "#f6f7f8", "#59626d"
FILLS = {"head": ("#dfeef7", BLUE), "exact": (PANEL, BLUE), "position": (PANEL, FAINT),
         "output": ("#e2ede6", "#176b32")}
MARKS = {"certified": ("o", BLUE), "refuted": ("X", ORANGE)}
OTHER_MARK = ("s", GREEN)
Figures = dict[str, Figure]


def figure_files(text: str, path: str) -> dict[str, str | bytes]:
    """Return each figure as PDF and as SVG; messages name ``path``.

    Raises:
        InputError: if it is not a certificate.
        NotAccepted: if the checker rejects it.
        Unsupported: if it has no figures.
    """
    files: dict[str, str | bytes] = {}
    with styled(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a glyph that is missing in the font is drawn as a box
        for name, figure in figures_of(text, path).items():
            files |= {f"{name}.pdf": pdf_of(figure), f"{name}.svg": standalone(svg_of(figure)) + "\n"}
    if not files:
        raise Unsupported(f"{path}: it has no figures")
    return files


def figures_of(text: str, path: str) -> Figures:
    """Return the figures of a certificate by their names."""
    if '"certify-softened"' in text[:100]:
        read_accepted_file(text, path)
        return _network_figure(read_softened(text, path).transformer)
    if (head := head_in(text)) is not None and head.is_by_length():
        read_accepted_file(text, path)
        points = [point for point in points_of(read_certified(text, path)) if point.margin is not None]
        return {"margins": draw_margins(points)} if len(points) > 1 else {}
    sealed = read_formula(text, path)
    check_softmax(sealed.transformer, "a figure")
    found = study(sealed)
    first = {each.chart: each.at for each in reversed(found.approximations) if each.chart is not None}
    return {**_network_figure(sealed.transformer),
            **{f"errors-{first[k]}": draw_errors(chart) for k, chart in enumerate(found.maps)}}


def draw_errors(chart: ErrorMap) -> Figure:
    """Draw the largest error of a head at every length and position, in the shades of the page; the worst is ringed."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    colours = [tuple(1 - shade * (1 - part) for part in to_rgb(BLUE)) for shade in SHADES]
    shades = shade_of(chart.errors)
    for level, colour in enumerate(colours):
        cells = [((n, i), (n + length, i), (n + length, i + 1), (n, i + 1))
                 for i, n, length in runs_of((shades == level).T)]
        axes.add_collection(PolyCollection(cells, facecolors=[colour], edgecolors=[colour], linewidths=.1))
    n, i, _ = chart.worst
    if n:
        axes.plot(chart.places.index(n) + .5, chart.places.index(i) + .5, "o", color=ORANGE, fillstyle="none",
                  clip_on=False)
    places = ticks_of(len(chart.places))
    axes.set(xlim=(0, len(chart.places)), ylim=(0, len(chart.places)), xlabel="length n", ylabel="position i")
    axes.set_box_aspect(1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([k + .5 for k in places], [str(chart.places[k]) for k in places])
    norm = BoundaryNorm([0, *LEVELS], len(LEVELS))
    bar = figure.colorbar(ScalarMappable(norm, ListedColormap(colours)), ax=axes, spacing="uniform", ticks=LEVELS,
                          label="error at most")
    bar.ax.set_yticklabels([f"{level:.1g}" if level < .25 else "1/4" for level in LEVELS])
    return figure


def draw_margins(points: list[Point]) -> Figure:
    """Draw the smallest margin found over the length, with a line down to the lower bound, if there is one."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    drawn = [(point.n, point.margin) for point in points]
    axes.plot(*zip(*drawn, strict=True), color=INK, alpha=.35, linewidth=.8)
    for verdict in dict.fromkeys(point.verdict for point in points):
        mark, colour = MARKS.get(verdict, OTHER_MARK)
        mine = [(point.n, point.margin) for point in points if point.verdict == verdict]
        axes.plot(*zip(*mine, strict=True), mark, color=colour, label=verdict)
    for point in points:
        if point.bound is not None and point.margin is not None:
            axes.vlines(point.n, point.bound, point.margin, colors=INK, linewidth=.6)
    axes.axhline(0, color=ORANGE, linestyle="--", linewidth=.8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="length n", ylabel="smallest margin found (logits)")
    axes.grid(True)
    axes.legend()
    return figure


# -- the network, from the picture of the page -------------------------------------------------------------------------


def _network_figure(network: Transformer) -> Figures:
    output = network.directions[network.output]
    names = DirectionNames(network, output.formula if isinstance(output, Truth) else None)
    drawn = draw_network(network, names, flat=True)
    return {"network": draw_picture(str(drawn))} if drawn else {}


def draw_picture(svg: str) -> Figure:
    """Draw the picture that ``draw_network`` makes, from left to right."""
    picture = ElementTree.fromstring(svg)
    x, y, width, height = map(float, picture.attrib["viewBox"].split())
    figure = Figure(figsize=(width * PIXEL, height * PIXEL))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(x, x + width), ylim=(y + height, y))
    axes.axis("off")
    for order, (shape, within) in enumerate(_shapes(picture, ())):
        own, kinds = shape.attrib.get("class", ""), within
        at = {key: float(shape.attrib[key]) for key in ("x", "y", "width", "height", "cx", "cy") if key in shape.attrib}
        if shape.tag == "path":
            role = next((role for role in ROLES if role in own.split()), "relu")
            colour = FAINT if "position" in kinds or own == "rule" else ROLES[role]
            axes.add_patch(PathPatch(_path(shape.attrib["d"]), fill=False, edgecolor=colour, linewidth=1.5 * POINT,
                                     linestyle="--" if "near" in kinds else "-", zorder=order))
        elif shape.tag == "circle":
            axes.add_patch(Circle((at["cx"], at["cy"]), 2.5, color=ROLES[own.split()[-1]], zorder=order))
        elif shape.tag == "rect":
            fill, rim = next((FILLS[kind] for kind in reversed(kinds) if kind in FILLS), (PANEL, RIM))
            axes.add_patch(FancyBboxPatch((at["x"], at["y"]), at["width"], at["height"], facecolor=fill, edgecolor=rim,
                                          boxstyle="round,pad=0,rounding_size=6", linewidth=POINT, zorder=order))
        elif shape.tag == "text":
            axes.text(at["x"], at["y"], shape.text or "", ha="center", va="baseline", fontsize=11 * POINT, zorder=order,
                      weight="bold" if own in ("strong", "column layer") else "normal", parse_math=False)
    return figure


def _shapes(element: ElementTree.Element, within: tuple[str, ...]
            ) -> Iterator[tuple[ElementTree.Element, tuple[str, ...]]]:
    """Yield all shapes, in drawing order, with the classes of the groups around them."""
    for child in element:
        if child.tag == "g":
            yield from _shapes(child, (*within, *child.attrib["class"].split()))
        else:
            yield child, within


def _path(d: str) -> Path:
    """Parse a path of M, C, H and V.

    >>> _path("M0 1H5").vertices.tolist()
    [[0.0, 1.0], [5.0, 1.0]]
    """
    points, codes = list[tuple[float, float]](), list[np.uint8]()
    for command, given in re.findall("([MCHV])([^MCHV]*)", d):
        numbers = [float(text) for text in re.findall(r"-?[\d.]+", given)]
        if command in "HV":
            x, y = points[-1]
            numbers = [numbers[0], y] if command == "H" else [x, numbers[0]]
        points += zip(numbers[::2], numbers[1::2], strict=True)
        codes += {"M": [Path.MOVETO], "C": [Path.CURVE4] * 3}.get(command, [Path.LINETO])
    return Path(points, codes)


export_figures = folder(figure_files)
