"""Critical temperatures: how hot softmax may be before it moves some word by more than 1/4.

At one end the bounds of docs/softened.md, section 3, hold; at the other a replayed word is moved farther. Where the
bounds are not attained by any word the bracket stays wide, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from certify.auditing.threshold import Probe, Threshold, find_threshold, shortest_between
from certify.softening.counterexamples import replay, seeds
from certify.softening.results import Critical, Errors, Length, Moved
from certify.softening.shards import check_length
from certify.softening.words import Word, likely_words
from constructions.language.expressions import parse_expression
from constructions.network.transformer import Transformer
from proofs.check import Refusal
from proofs.perturbation.certificate import seal_softened
from proofs.perturbation.errors import final_error, find_errors

ALLOWED = Fraction(1, 4)
WIDTH = Fraction(1, 10**6)
"""The relative width of each search."""
HOTTER = [Fraction(1), *(Fraction(2) ** k for k in range(1, 11))]
"""Where no word is found just beyond the certified end, so many times that temperature is tried."""
SEARCHES = 3
"""So often words are looked for again where the last search ended."""


def find_critical(transformer: Transformer, row: Length, progress: Callable[[str], None]) -> Critical:
    """The bracket of the critical temperature at one length."""
    progress(f"critical temperature at n = {row.n}")

    def probe(coldness: Fraction) -> Probe:
        error = final_error(find_errors(transformer, row.survey, row.n, 1 / coldness))
        size = math.log(4 * error.numerator) - math.log(error.denominator) if error else None  # for the search alone
        return Probe(error <= ALLOWED, size)

    found = find_threshold(probe, 1 / row.temperature, WIDTH / 4)
    if isinstance(found, str):
        return Critical(row.n, None, None, note=found)
    passes = 1 / _rounded(found.passes, probe)
    return Critical(row.n, passes, _find_refuted(transformer, row, found), _is_accepted(transformer, row, passes))


def _is_accepted(transformer: Transformer, row: Length, temperature: Fraction) -> bool:
    """Whether the independent checker accepts this temperature for the words of this length."""
    nothing: Errors = [{}] * (2 * len(transformer.layers))
    errors = [*([nothing] * (row.n - 1)), find_errors(transformer, row.survey, row.n, temperature)]
    gaps = [*[None] * (row.n - 1), row.survey.gap.value if row.survey.gap else None]
    try:
        check_length(seal_softened(transformer, row.n, parse_expression(str(temperature)), gaps, errors), row.n)
    except Refusal:
        return False
    return True


def _rounded(coldness: Fraction, probe: Callable[[Fraction], Probe]) -> Fraction:
    """A short number just above that still passes, if there is one."""
    short = shortest_between(coldness, coldness * (1 + WIDTH / 4))
    return short if probe(short).passes else coldness


def _find_refuted(transformer: Transformer, row: Length, found: Threshold) -> Moved | None:
    """The coldest temperature beyond the certified one at which a word is found, to WIDTH."""
    start = shortest_between(found.fails * (1 - WIDTH / 2), found.fails)
    for factor in HOTTER:
        if moved := _find_at(transformer, row, factor / start, seeds(row.survey), start):
            for _ in range(SEARCHES if factor > 1 else 0):  # at a lower temperature other words may move farther
                colder = moved.temperature / (1 + 2 * WIDTH)
                moved = _find_at(transformer, row, colder, [moved.word], start) or moved
            return moved
    return None


def _find_at(transformer: Transformer, row: Length, temperature: Fraction, near: list[Word],
             start: Fraction) -> Moved | None:
    """A word that is moved too far at this temperature, and the lowest at which one of the words found is."""
    words = likely_words(transformer, row.n, temperature, near)
    moved = replay(transformer, temperature, words)
    return _coldest(transformer, words, moved, start) if moved and moved.temperature * start > 1 else moved


def _coldest(transformer: Transformer, words: list[Word], hot: Moved, cold: Fraction) -> Moved:
    """Cool down from ``hot`` towards 1/``cold``, as long as one of the words is moved too far."""
    best, low, high = hot, 1 / hot.temperature, cold
    while high - low > WIDTH * low:
        middle = shortest_between((2 * low + high) / 3, (low + 2 * high) / 3)
        if moved := replay(transformer, 1 / middle, words):
            best, low = moved, middle
        else:
            high = middle
    return best
