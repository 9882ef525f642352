"""The largest error of a head at every (n, i), over all inputs: in doubles, for heat maps.

The instances are those of the obligations that are proved (``proofs.formula``); only their arithmetic is rounded. So a
map is not certified, but agrees to many digits; the bounds on a page are the certificate's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.network.lengths import Lengths
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.reading import Offered
from proofs.formula.lookup.obligation import LookupObligation, LookupRow

Array = npt.NDArray[Any]
STEPS = 64
"""The number of lengths, and of positions of each, that are sampled if there are more."""
MOST_OPTIONS = 64
"""Heads with more different options at a position have no map: it would take too long."""
ROUNDS = 60
"""Far more rounds than Dinkelbach's iteration needs; it ends at a fixed point."""
CLOSE = 1e-13


@dataclass(frozen=True)
class ErrorMap:
    """``errors[a, b]`` is the largest error at length ``places[a]``, position ``places[b]``; NaN if none is claimed.

    ``seconded`` is the largest of them, enclosed and confirmed by mpmath; None if it was not computed again.
    """

    places: tuple[int, ...]
    errors: Array
    mask: str
    seconded: float | None = None

    @property
    def is_thinned(self) -> bool:
        """True if some lengths and positions were left out."""
        return len(self.places) < self.places[-1]

    @property
    def worst(self) -> tuple[int, int, float]:
        """The place of the largest error, and the error; of equal places the one with the most visible positions."""
        cells = [(self.places[a], self.places[b], float(self.errors[a, b])) for a, b in np.argwhere(self.known)]
        side = -1 if self.mask == "past" else 1
        return max(cells, key=lambda cell: (round(cell[2], 8), cell[0], side * cell[1]), default=(0, 0, 0.0))

    @property
    def known(self) -> Array:
        """The places that have an error."""
        return ~np.isnan(self.errors)

    def largest_at(self, n: int) -> float:
        """Return the largest error at one sampled length; 0 if nothing is claimed there."""
        row = self.errors[self.places.index(n)]
        return float(np.nanmax(row)) if not np.isnan(row).all() else 0.0


def chosen_places(last: int) -> tuple[int, ...]:
    """Return the sampled lengths and positions: all, or STEPS of them, with the first and the last.

    >>> chosen_places(3), len(chosen_places(1000)), chosen_places(1000)[-2:]
    ((1, 2, 3), 64, (984, 1000))
    """
    if last <= STEPS:
        return tuple(range(1, last + 1))
    return tuple(sorted({1 + round(k * (last - 1) / (STEPS - 1)) for k in range(STEPS)}))


def find_error_map(oblige: Callable[[Lengths], AttentionObligation | LookupObligation],
                   lengths: Lengths) -> ErrorMap | None:
    """Compute the map of a head from its obligation for any lengths; None if it has too many options, or no claims.

    Raises:
        NotDerived: if the producer cannot derive its obligation.
        OverflowError: if a number is too large for a double.
    """
    places = chosen_places(lengths.last)
    errors = np.full((len(places), len(places)), np.nan)
    obligation = oblige(lengths)
    found = (_attention_errors(oblige, obligation, lengths, places) if isinstance(obligation, AttentionObligation) else
             _lookup_errors(obligation, lengths, places))
    if not found:
        return None
    index = {place: k for k, place in enumerate(places)}
    for (n, i), error in found.items():
        errors[index[n], index[i]] = error
    return ErrorMap(places, errors, obligation.head.mask.value)


# -- heads over truths -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _QueryRow:
    """One (n, i): its scaled query, and base scores and kinds of the visible positions, in reading order."""

    n: int
    i: int
    query: Array
    base: Array
    kinds: Array


def _attention_errors(oblige: Callable[[Lengths], Any], whole: AttentionObligation, lengths: Lengths,
                      places: tuple[int, ...]) -> dict[tuple[int, int], float] | None:
    free = whole.reading.is_free_of_length
    rows: list[_QueryRow] = []
    options: list[list[_Option]] = []
    kinds: dict[tuple[_Option, ...], int] = {}
    for n in [lengths.last] if free else [n for n in places if n in lengths]:
        reading = oblige(Lengths(n, n)).reading
        positions = reading.positions(n)
        offered = [_options(each) for each in reading.offered]
        if max(map(len, offered)) > MOST_OPTIONS:
            return None
        numbers = [kinds.setdefault(tuple(each), len(kinds)) for each in offered]
        options += [list(each) for each in kinds][len(options):]
        columns = [[x / column.denominator for x in column.numerators] for column in positions.keys]
        keys = np.array(columns).reshape(-1, n)
        at = np.array([numbers[kind] for kind in positions.kinds])
        for group in reading.groups():
            query = np.array([float(q) for q in group.query])
            base = query @ keys if len(query) else np.zeros(n)
            for i in group.rows:
                if i in places:
                    order = slice(0, i) if reading.past else slice(n - 1, i - 2 if i > 1 else None, -1)
                    rows.append(_QueryRow(n, i, query, base[order], at[order]))
    errors = _RowSweep(rows, options).largest() if rows else np.zeros(0)
    found = {(row.n, row.i): float(error) for row, error in zip(rows, errors, strict=True) if error >= 0}
    if free:
        found = {(n, i): error for (_, i), error in found.items() for n in places if n in lengths and n >= i}
    return found


@dataclass(frozen=True)
class _Option:
    """The contribution of a letter to each key, its value, and its effect on the memory of the target."""

    keys: tuple[float, ...]
    value: float
    effect: tuple[int, ...]


def _options(offered: Offered) -> tuple[_Option, ...]:
    return tuple(dict.fromkeys(_Option(tuple(map(float, letter.keys)), float(offered.base_value + letter.value),
                                       letter.effect) for letter in offered.letters))


class _RowSweep:
    """All rows at once, position by position, as in ``proofs.formula.attention.worst_case``."""

    def __init__(self, rows: list[_QueryRow], options: list[list[_Option]]):
        self.rows, self.options = rows, options
        self.ends = np.array([len(row.base) - 1 for row in rows])
        steps = int(self.ends.max(initial=-1)) + 1
        self.base = np.full((steps, len(rows)), -np.inf)
        self.kinds = np.full((steps, len(rows)), -1)
        for k, row in enumerate(rows):
            self.base[:len(row.base), k], self.kinds[:len(row.base), k] = row.base, row.kinds
        queries = np.array([row.query for row in rows]).reshape(len(rows), -1)
        self.adds = [[queries @ np.array(option.keys) if option.keys else np.zeros(len(rows)) for option in each]
                     for each in options]
        self.top = self._greatest_scores()

    def _greatest_scores(self) -> Array:
        top = np.full(len(self.rows), -np.inf)
        for kind, each in enumerate(self.adds):
            highest = np.where(self.kinds == kind, self.base, -np.inf).max(axis=0, initial=-np.inf)
            for add in each:
                top = np.maximum(top, highest + add)
        return top

    def largest(self) -> Array:
        """Return the largest error of each row, for either truth of the target; -1 if no input has one."""
        return np.maximum(self._largest(False), self._largest(True))

    def _largest(self, truth: bool) -> Array:
        """Run Dinkelbach's iteration: the minimiser of sum w (bound - error) for one bound gives the next."""
        bound = np.zeros(len(self.rows))
        for round_ in range(ROUNDS):
            weight, missed = self._shortest_path(truth, bound)
            with np.errstate(invalid="ignore", divide="ignore"):
                value = np.where(weight > 0, missed / weight, -1)
            larger = np.maximum(bound, value)
            if round_ == 0:
                none = value < 0
            if np.all(larger - bound <= CLOSE):
                break
            bound = larger
        return np.where(none, -1, bound)

    def _shortest_path(self, truth: bool, bound: Array) -> tuple[Array, Array]:
        """Return the weights and missed weights of the minimising inputs, one for each row."""
        zero = np.zeros(len(self.rows))
        paths = {0: (zero, zero, zero)}
        weight, missed = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        for step, kinds in enumerate(self.kinds):
            paths = self._step(paths, step, truth, bound)
            ending = self.ends == step
            if ending.any():
                best = np.full(len(self.rows), np.inf)
                for code, (cost, total, miss) in paths.items():
                    if code % 2 == truth:
                        better = ending & (cost < best)
                        best = np.where(better, cost, best)
                        weight, missed = np.where(better, total, weight), np.where(better, miss, missed)
            if (kinds < 0).all():
                break
        return weight, missed

    def _step(self, paths: dict[int, tuple[Array, Array, Array]], step: int, truth: bool,
              bound: Array) -> dict[int, tuple[Array, Array, Array]]:
        after: dict[int, tuple[Array, Array, Array]] = {}
        for kind in np.unique(self.kinds[step]):
            if kind < 0:
                continue
            here = self.kinds[step] == kind
            for option, add in zip(self.options[kind], self.adds[kind], strict=True):
                weight = np.exp(np.where(here, self.base[step] + add - self.top, -np.inf))
                error = 1 - option.value if truth else option.value
                for code, (cost, total, miss) in paths.items():
                    fresh = (np.where(here, cost + weight * (bound - error), np.inf), total + weight,
                             miss + weight * error)
                    reached = option.effect[code >> 1]
                    if reached in after:
                        better = fresh[0] < after[reached][0]
                        fresh = tuple(np.where(better, new, old)  # type: ignore[assignment]
                                      for new, old in zip(fresh, after[reached], strict=True))
                    after[reached] = fresh
        return after


# -- heads that look up a count ----------------------------------------------------------------------------------------


def _lookup_errors(obligation: LookupObligation, lengths: Lengths,
                   places: tuple[int, ...]) -> dict[tuple[int, int], float]:
    found = {}
    for n in (n for n in places if n in lengths):
        for i in (i for i in places if i <= n):
            error = _lookup_error(obligation.problem.row(n, i))
            if error is not None:
                found[n, i] = error
    return found


def _lookup_error(row: LookupRow) -> float | None:
    """Return the largest distance of the mean from its target, over all cases of one row."""
    cases = [(here, others, target) for here in (0, 1) for others, target in enumerate(row.targets[here])
             if target is not None]
    if not cases:
        return None
    here, others, target = (np.array(column, dtype=float) for column in zip(*cases, strict=True))
    slope, bend = (np.array([part / row.denominator for part in parts]) for parts in (row.slope, row.second_difference))
    steps = np.array([j - 1.0 for j in row.visible])
    rise = slope[0] + slope[1] * here + slope[2] * others
    curve = bend[0] + bend[1] * here + bend[2] * others
    scores = rise[:, np.newaxis] * steps + curve[:, np.newaxis] * (steps * (steps - 1) / 2)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    values = np.array([float(row.values[j - 1]) for j in row.visible])
    return float(np.abs(weights @ values / weights.sum(axis=1) - target).max())
