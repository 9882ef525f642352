"""The cross-entropies over n as an SVG: of one network, or of several on the same language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certify.auditing.plots import BLUE, GREEN, INK, ORANGE, Curve, Plot, draw_curves, standalone
from certify.predicting.results import CrossEntropy
from certify.showing.numbers import decimal, decimal_lower
from proofs.enclosures.intervals import point

SIZE = (6.4, 3.0)
STYLES = (("o", BLUE), ("s", ORANGE), ("^", GREEN))
"""Of one network, a second one, and a third."""


def draw_cross_entropy(found: Sequence[tuple[str, CrossEntropy]]) -> str:
    """An SVG for a file of its own: each network under its name, and the three levels of the language."""
    curves = [*_levels(found[0][1]), *(curve for place, (name, one) in enumerate(found)
                                       for curve in _curves(name, one, *STYLES[place % len(STYLES)]))]
    title = f"Cross-entropy on {found[0][1].language}, p = {found[0][1].p}"
    description = f"{title}, in nats over n. {' '.join(_words(name, one) for name, one in found)}"
    plot = Plot("cross-entropy", title, description, "")
    return standalone(draw_curves(curves, "cross-entropy (nats)", plot, SIZE).svg) + "\n"


def _levels(found: CrossEntropy) -> Iterator[Curve]:
    for label, line in (("chance", ":"), ("last_symbol", "--"), ("optimal", "-.")):
        yield Curve(label.replace("_", " "), [(row.n, getattr(row.levels, label)) for row in found.rows], line=line,
                    colour=INK)


def _curves(name: str, found: CrossEntropy, marker: str, colour: str) -> Iterator[Curve]:
    own = [(row.n, row.found) for row in found.rows if row.found is not None]
    forced = [(row.n, point(row.forced.lower)) for row in found.rows if row.forced is not None]
    if own:
        yield Curve(name, own, marker, colour)
    if forced:
        yield Curve(f"{name}: forced, at least", forced, "", colour, ":")


def _words(name: str, found: CrossEntropy) -> str:
    row = found.rows[-1]
    own = decimal((row.found.lower + row.found.upper) / 2) if row.found else "unknown"
    forced = f", at least {decimal_lower(row.forced.lower, 6)} is forced" if row.forced else ""
    return f"{name}: {own} at n = {row.n}{forced}."
