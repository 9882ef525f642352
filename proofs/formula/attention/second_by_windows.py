"""Windows: for all rows of many groups at once, one integer variable per position around the pivot for its cost.

The exact method finds for each distance from the pivot the greatest gap of any bad letter (``windows``). The questions
have the kernels of these gaps at the bound (``common.kernels``; under softmax their weights times 1 - bound), rounded
up, and the formula itself. Z3 first proves that letters act on the memory as the method assumes. Then it proves that
bound - (sum of kernels) is not negative for any letters around a pivot. Gaps may be larger than in some group: kernels
of bad letters are upper bounds, and letters without error may have any weight.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from constructions.language.printer import format_briefly
from constructions.network.weightings import Weighting
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import AllWindows, PivotMemory, Window
from proofs.formula.common.kernels import loss_above
from proofs.formula.common.letters import spread
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.targets import Target
from proofs.formula.transcript import Record
from proofs.formula.z3.solver import SolverQuery, all_of, any_of, choose, integer, one_of, total
from proofs.formula.z3.unfolding import Unfolding

WEIGHT_BITS = 320
"""Kernels are multiples of 2^-320 over the denominator of the bound, rounded up."""
TINY_BITS = 30
"""Positions beyond which all weights are this many bits below the greatest are counted together."""


@dataclass(frozen=True)
class _Hull:
    """Upper bounds of the kernels of bad letters at distances 1, 2, ... from the pivot, and of all others together.

    ``positions`` bounds the number of positions of a row, if given.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    rest: int
    positions: int | None = None

    def loss(self) -> int:
        """Return the greatest sum of kernels of all bad letters, over all places of the pivot."""
        places = [(len(self.before), len(self.after))]
        if self.positions is not None:
            places = [(place - 1, self.positions - place) for place in range(1, self.positions + 1)]
        return max(sum(self.before[:before]) + sum(self.after[:after]) for before, after in places) + self.rest

    def shortened(self) -> _Hull:
        """Return a hull with the same total in which tiny kernels far away are part of ``rest``: a smaller question."""
        tiny = max((*self.before, *self.after), default=0) >> TINY_BITS
        before, after = (losses[:max((k for k, loss in enumerate(losses, 1) if loss > tiny), default=0)]
                         for losses in (self.before, self.after))
        rest = sum(self.before) + sum(self.after) + self.rest - sum(before) - sum(after)
        return _Hull(before, after, rest, self.positions)


def hull_of(windows: Iterable[Window], bound: Fraction) -> _Hull:
    """Bound the kernels in all of these windows, in units of 2^-WEIGHT_BITS over the bound's denominator."""
    windows = list(windows)
    weighting = windows[0].weighting

    def loss(gap: Fraction) -> int:
        return loss_above(weighting, bound, gap, WEIGHT_BITS)

    rest = max(window.positions * sum(map(loss, window.beyond)) + sum(map(loss, window.apart)) for window in windows)
    before, after = (_columns(side, loss) for side in zip(*((one.before, one.after) for one in windows), strict=True))
    positions = max(window.positions for window in windows)
    is_bounded = weighting.is_sparse and len(before) + len(after) >= positions
    return _Hull(before, after, rest, positions if is_bounded else None)


def _columns(sides: Iterable[Sequence[Fraction | None]], loss: Callable[[Fraction], int]) -> tuple[int, ...]:
    """Return the greatest kernel at each distance."""
    by_distance = itertools.zip_longest(*dict.fromkeys(map(tuple, sides)))
    greatest = (max((gap for gap in gaps if gap is not None), default=None) for gaps in by_distance)
    return tuple(0 if gap is None else loss(gap) for gap in greatest)


def find_groups_left(obligation: AttentionObligation, bound: Fraction, windows: AllWindows,
                     record: Record) -> dict[bool, list[RowGroup]]:
    """Return, for each truth, the groups for which Z3 does not prove the bound: their windows are missing or too weak.

    Raises:
        Undecided: if Z3 gives up.
    """
    if windows.memory is None or not (law := _law(obligation, windows, windows.memory)).is_proved():
        return {False: obligation.groups, True: obligation.groups}
    record(law)
    return {truth: _find_left(obligation, truth, bound, windows, windows.memory, record) for truth in (False, True)}


def _find_left(obligation: AttentionObligation, truth: bool, bound: Fraction, windows: AllWindows, memory: PivotMemory,
               record: Record) -> list[RowGroup]:
    found = {group: window for group in obligation.groups
             if (window := windows.find(group, truth)) and window.error < 1}
    left = [group for group in obligation.groups if group not in found]
    pending = [list(found)] if found else []
    while pending:
        groups = pending.pop()
        hull = hull_of((found[group] for group in groups), bound)
        costs = _Costs(hull.shortened(), bound)
        if costs.suffice and (question := _ask(obligation, windows, memory, truth, costs, groups)).is_proved():
            record(question)
        elif len(groups) > 1:
            middle = len(groups) // 2
            pending += [groups[middle:], groups[:middle]]
        else:
            left += groups
    return left


class _Costs:
    """The costs of letters around a pivot as integers: the bound for the pivot, minus the kernel of each bad letter."""

    def __init__(self, hull: _Hull, bound: Fraction):
        self.hull, self.bound = hull, bound

    @property
    def pivot(self) -> int:
        """The cost of a pivot without error."""
        return self.bound.numerator << WEIGHT_BITS

    @property
    def false_pivot(self) -> int:
        """The cost of a pivot with an error."""
        return (self.bound.numerator - self.bound.denominator) << WEIGHT_BITS

    @property
    def suffice(self) -> bool:
        """True if the sum of costs is not negative for any letters."""
        return self.pivot >= self.hull.loss()


class _WindowPosition:
    """A position near the pivot: the atoms and predicates there, and its letters."""

    def __init__(self, obligation: AttentionObligation, windows: AllWindows, truth: bool, name: str):
        self._target, self._assignments = obligation.target, obligation.letters
        self.atoms = [z3.Bool(f"atom_{name}_{a}") for a in range(len(self._target.atoms))]
        self._predicates = {predicate: z3.Bool(f"predicate_{name}_{p}")
                            for p, predicate in enumerate(self._target.predicates)}
        self._values = windows.values_by_context(truth)

    def given(self) -> list[Any]:
        """Return the constraints: predicates hold as at some position, atoms over symbols as for some symbol."""
        given = [any_of([self._is_context(context) for context in self._values])] if self._predicates else []
        if len(self._assignments) < 1 << len(self.atoms):
            given.append(one_of(self._assignments, self.atoms))
        return given

    def _is_context(self, context: tuple[bool, ...]) -> Any:
        return all_of([term == truth for term, truth in zip(self._predicates.values(), context, strict=True)])

    def cost(self, truth: bool, good: int, bad: int) -> Any:
        """Return the term that is ``good`` for letters that certainly have the value of this truth, else ``bad``."""
        term: Any = None
        for context, values in self._values.items():
            by_letter = [good if each == {truth} else bad for each in values]
            chosen = choose(self.atoms, spread(self._assignments, by_letter))
            term = chosen if term is None else z3.If(self._is_context(context), chosen, term)
        return term

    def unfold(self, memory: Any) -> Unfolding:
        """Return the target at this position, from the memory."""
        (node,) = self._target.remembering
        return Unfolding(self._target, self.atoms, {node: memory}, self._predicates.__getitem__)

    def truth(self, memory: Any) -> Any:
        """Return the truth of the target here."""
        return self.unfold(memory).target_truth

    def remembered(self, memory: Any) -> Any:
        """Return the memory after this position."""
        (node,) = self._target.remembering
        return self.unfold(memory).remembered(node)


LEGEND_OF_KERNELS = (
    "        Here the weight of the pivot is 1 - bound, and the cost of a letter that errs is its greatest weight",
    "        beside a pivot of this weight or less.",
    "place_of_pivot: its index among the positions of the row, which limits the numbers of positions around it",
)
TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)
PIVOT_PLACE = z3.Int("place_of_pivot")


def _law(obligation: AttentionObligation, windows: AllWindows, memory: PivotMemory) -> SolverQuery:
    """Ask whether some letter does not act on the memory as the windows assume."""
    place = _WindowPosition(obligation, windows, False, "0")
    if_true, if_false = place.truth(TRUE), place.truth(FALSE)
    after_true, after_false = place.remembered(TRUE), place.remembered(FALSE)
    if memory is PivotMemory.FLEETING:
        about = "the memory is the target's truth at the next position, and depends on this position only"
        broken = [z3.Not(if_true), if_false, after_true != after_false]
    else:
        about = "a letter keeps the memory, and has the value 0, or gives the target and the memory one truth"
        keeps_badly = z3.And(if_true, z3.Not(if_false), place.cost(False, 0, 1) != 0)
        broken = [if_true != after_true, if_false != after_false, z3.And(if_false, z3.Not(if_true)), keeps_badly]
    return SolverQuery(about, _legend(obligation.target, windows.weighting), tuple(place.given()), TRUE, any_of(broken))


def _ask(obligation: AttentionObligation, windows: AllWindows, memory: PivotMemory, truth: bool, costs: _Costs,
         groups: Sequence[RowGroup]) -> SolverQuery:
    """Ask whether some letters around a pivot that gives the target this truth have a negative sum of costs."""
    question = _Around(obligation, windows, truth)
    pivot = question.place("pivot")
    question.cost(pivot, costs.pivot, costs.false_pivot)
    bound = costs.hull.positions
    question.bound_place(bound if memory is PivotMemory.LASTING or bound is None else bound - 1)
    for distance, loss in enumerate(costs.hull.before, 1):
        question.cost(question.place(f"before_{distance}"), 0, -loss, TRUE if bound is None else distance < PIVOT_PLACE)
    remembered = z3.Bool("remembered")
    question.given.append(pivot.remembered(TRUE) == pivot.remembered(FALSE))
    if memory is PivotMemory.FLEETING:
        row = question.place("after_1")
        question.cost(row, 0, -sum(costs.hull.after))
        holds = row.truth(pivot.remembered(remembered))
    else:
        holds = question.follow(pivot.truth(remembered), [-loss for loss in costs.hull.after], bound)
    return SolverQuery(_describe(groups, truth, costs.bound), _legend(obligation.target, windows.weighting),
                       tuple(question.given), holds == truth, total(question.costs) + integer(-costs.hull.rest) < 0)


class _Around:
    """The constraints on the positions around a pivot, and their costs."""

    def __init__(self, obligation: AttentionObligation, windows: AllWindows, truth: bool):
        self._obligation, self._windows, self._truth = obligation, windows, truth
        self.given: list[Any] = []
        self.costs: list[Any] = []

    def bound_place(self, last: int | None) -> None:
        """Constrain the place of the pivot in reading order to 1, ..., last, if ``last`` is given."""
        if last is not None:
            self.given += [PIVOT_PLACE >= 1, integer(last) >= PIVOT_PLACE]

    def place(self, name: str) -> _WindowPosition:
        """Add a position."""
        place = _WindowPosition(self._obligation, self._windows, self._truth, name)
        self.given += place.given()
        return place

    def cost(self, place: _WindowPosition, good: int, bad: int, present: Any = TRUE) -> None:
        """Add the cost of the letter there: ``good`` if it certainly has the value of the truth, else ``bad``."""
        cost = z3.Int(f"cost_{len(self.costs)}")
        self.given += [cost >= integer(min(bad, 0)), cost <= integer(max(good, 0)),
                       cost == z3.If(present, place.cost(self._truth, good, bad), z3.IntVal(0))]
        self.costs.append(cost)

    def follow(self, holds: Any, bad: Sequence[int], positions: int | None) -> Any:
        """Return the truth of the target after any number of further letters, all of which keep it."""
        before = TRUE
        for distance, cost in enumerate(bad, 1):
            place, present = self.place(f"after_{distance}"), z3.Bool(f"present_{distance}")
            keeps = z3.And(place.truth(TRUE), z3.Not(place.truth(FALSE)))
            self.given += [z3.Implies(present, before), z3.Implies(present, keeps)]
            if positions is not None:
                self.given.append(z3.Implies(present, PIVOT_PLACE + distance <= positions))
            self.cost(place, 0, cost, present)
            holds, before = z3.If(present, place.truth(holds), holds), present
        return holds


def _describe(groups: Sequence[RowGroup], truth: bool, bound: Fraction) -> str:
    """Return in words what a proof of the question shows."""
    lengths = sorted(group.n for group in groups)
    return (f"the error is at most {bound} in {sum(len(group.rows) for group in groups)} rows of words of length "
            f"{lengths[0]} to {lengths[-1]}, on every input on which the target is {str(truth).lower()}")


def _legend(target: Target, weighting: Weighting) -> tuple[str, ...]:
    """Return the meanings of the variables in the questions about this target."""
    return (
        "pivot: the last position whose letter decides the target",
        "before_k, after_k: the positions at distance k from it, in reading order",
        *(f"atom_p_{a}: {format_briefly(atom)} at p" for a, atom in enumerate(target.atoms)),
        *(f"predicate_p_{k}: {format_briefly(predicate)} at p" for k, predicate in enumerate(target.predicates)),
        "remembered: what the target remembers before the pivot; present_k: whether the row sees after_k",
        "cost_k: weight times (bound - error) of a position, its least in all of these rows; the pivot has weight",
        f"        2^{WEIGHT_BITS}. The rest has a cost, too. A negative sum is an error above the bound.",
        *(() if weighting.is_softmax else LEGEND_OF_KERNELS),
    )
