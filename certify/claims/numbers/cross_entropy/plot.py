"""The cross-entropies over n as an SVG: of one network, or of several on the same language."""

from collections.abc import Iterator, Sequence

from certify.claims.numbers.cross_entropy.results import CrossEntropy
from certify.common.numbers import decimal, decimal_lower
from certify.common.plots import BLUE, GREEN, INK, ORANGE, Series, draw_levels, standalone
from proofs.enclosures.intervals import point

LEVELS = {"chance": ":", "last_symbol": "--", "optimal": "-."}
STYLES = (("o", BLUE), ("s", ORANGE), ("^", GREEN))
"""The styles of the first three networks."""


def draw_cross_entropy(found: Sequence[tuple[str, CrossEntropy]]) -> str:
    """Return a standalone SVG: each network under its name, and the three levels of the language."""
    series = [*_levels(found[0][1]), *(one for place, (name, network) in enumerate(found)
                                       for one in _series(name, network, *STYLES[place % len(STYLES)]))]
    title = f"Cross-entropy on {found[0][1].language}, p = {found[0][1].p}"
    description = f"{title}, in nats over n. {' '.join(_words(name, network) for name, network in found)}"
    return standalone(draw_levels(series, "cross-entropy (nats)", title, description).svg) + "\n"


def _levels(found: CrossEntropy) -> Iterator[Series]:
    for name, line in LEVELS.items():
        points = [(row.n, getattr(row.levels, name)) for row in found.rows]
        yield Series(name.replace("_", " "), points, look=("", INK, line))


def _series(name: str, found: CrossEntropy, marker: str, colour: str) -> Iterator[Series]:
    own = [(row.n, row.found) for row in found.rows if row.found is not None]
    forced = [(row.n, point(row.forced.lower)) for row in found.rows if row.forced is not None]
    if own:
        yield Series(name, own, look=(marker, colour, "-"))
    if forced:
        yield Series(f"{name}: forced, at least", forced, look=("", colour, ":"))


def _words(name: str, found: CrossEntropy) -> str:
    row = found.rows[-1]
    own = decimal((row.found.lower + row.found.upper) / 2) if row.found else "unknown"
    forced = f", at least {decimal_lower(row.forced.lower, 6)} is forced" if row.forced else ""
    return f"{name}: {own} at n = {row.n}{forced}."
