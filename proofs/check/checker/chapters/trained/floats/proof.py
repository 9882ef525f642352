"""Every word of a claim in every run of each class: each row of stored logits is above the margin.

docs/floats.md, section 7. Each word is bounded with balls; if that is too coarse, with affine forms. Or there is a
cover, some units of which are proved by classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import cast

from ....kernel.verdicts import Rejected, quote, require, within
from ...run_classes.reading import FloatClaim
from ...run_classes.roundoff import expect_sensible
from ..forms.affine import FRACTION, AffineForm, apply, spread
from ..reading.cover import Cover, CoverPart, EachWord, WordsUnit
from ..reading.decision import Decision
from ..reading.words_claim import LogitRow, TrainedClaim
from ..words.classes import Classes
from ..words.covering import expect_covered
from ..words.judge import ALL, Judge
from ..words.obligations import obligations
from ..words.running import Runner, tokens_at_places
from .ball_words import BallsOfInputs
from .casting import cast_network
from .classes import Runs
from .stack import FloatStack, make_row_maps
from .walks import WalkOfRuns

PATIENCE = 8  # how many more words than not may fail on balls before they are tried for one word of so many only


FloatRuns = Decision[TrainedClaim, Cover | EachWord]


def prove_float_runs(given: FloatRuns) -> Mapping[str, int]:
    """All words of the claim, in every run of every class of runs.

    Raises:
        Rejected: if a row is not known to be above the margin, or there is no rule for what the network does.
    """
    def prove(run: FloatClaim) -> Mapping[str, int]:
        prover, proved = ProverOfRuns(given, run), Counter[str]()
        for unit in cover_of(given):
            proved["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove_unit(unit)
        return proved

    return prove_in_each(given.floats, prove)


def prove_in_each(floats: Sequence[FloatClaim], prove: Callable[[FloatClaim], Mapping[str, int]]) -> Mapping[str, int]:
    """What is proved in every class of runs, and how many there are.

    Raises:
        Rejected: if it is not proved in one.
    """
    proved = Counter[str]()
    for run in floats:
        with within(quote(run.name)):
            expect_sensible(run)
            proved.update(prove(run))
    return {"class of runs" if len(floats) == 1 else "classes of runs": len(floats), **proved}


def cover_of(given: FloatRuns) -> Sequence[CoverPart]:
    """The units that prove all obligations: without a cover all words of each.

    Raises:
        Rejected: if an obligation is left out.
    """
    if isinstance(given.evidence, EachWord):
        return [WordsUnit(one.offset, one.first, one.last)
                for one in obligations(given.network, given.claim, given.language)]
    expect_covered(by_cover(given))
    return given.evidence.units


def by_cover(given: FloatRuns) -> Decision[TrainedClaim, Cover]:
    """The same, whose evidence is a cover."""
    assert isinstance(given.evidence, Cover)
    return cast(Decision[TrainedClaim, Cover], given)


@dataclass
class Patience:
    """Whether balls are tried for a word, which have failed for more words than not."""

    words: int = 0
    failed: int = 0

    def tries(self) -> bool:
        """Whether they are, for one more word."""
        self.words += 1
        return self.failed < PATIENCE or self.words % PATIENCE == 0

    def note(self, is_proved: bool) -> bool:
        """Keeps in mind what came of it, which it returns."""
        self.failed = max(0, self.failed - 1) if is_proved else min(PATIENCE, self.failed + 1)
        return is_proved


class RowsInRuns:
    """Rows at places of inputs of at most so many of these tokens, in every run of a class."""

    def __init__(self, stack: FloatStack, rows: Sequence[LogitRow], margin: Fraction, tokens: Collection[int],
                 length: int) -> None:
        self.stack, self._budget = stack, stack.budget
        self._rows, self._inputs = rows, (rows, margin, tokens, length)
        self._trying_balls = Patience()
        self._margin = -(-(margin.numerator << FRACTION) // margin.denominator)

    @cached_property
    def balls(self) -> BallsOfInputs:
        """Those for which balls are enough."""
        return BallsOfInputs(self._budget, self.stack.network, self.stack.operations.run, *self._inputs)

    def prove(self, walk: WalkOfRuns, runner: Runner, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]
              ) -> None:
        """The needed rows of an input, on balls, or on affine forms.

        Raises:
            Rejected: if one is not above the margin in every run, as far as is known.
        """
        if self._trying_balls.tries() and self._trying_balls.note(self.balls.prove(runner, tokens, needed)):
            return
        for place, stream in walk.attended(tokens, [*needed]):
            logits = self.stack.finish(stream)
            for row in needed[place]:
                self._prove_row(row, logits)

    def _prove_row(self, row: int, logits: AffineForm) -> None:
        value = make_row_maps(self._budget, [self._rows[row]], self.stack.network.outputs)
        (centre,), (reach,) = spread(self._budget, apply(self._budget, value, logits))
        require(centre - reach > self._margin, "row {} is about {}, and may be off by {} in a run", row + 1,
                shown(centre), shown(reach))


class ProverOfRuns:
    """Proves the words of one class of runs."""

    def __init__(self, given: FloatRuns, run: FloatClaim) -> None:
        claim, self._judge = given.claim, Judge(given.network, given.claim, given.language)
        self._budget = given.language.budget
        self._stack = FloatStack(self._budget, cast_network(given.network, run), run)
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)
        self._rows = RowsInRuns(self._stack, self._judge.rows, claim.margin, tokens, length)
        self._runners: dict[WordsUnit, Runner] = {}
        self._walks: dict[int, WalkOfRuns] = {}
        self._given = given
        self._classes: Classes | None = None

    def prove_unit(self, unit: CoverPart) -> int:
        """The unit; how many words or classes that are.

        Raises:
            Rejected: if it is not proved.
        """
        if isinstance(unit, WordsUnit):
            return self.prove(unit.offset, unit.first, unit.last)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            if self._classes is None:
                decision = replace(by_cover(self._given), network=self._stack.network)
                self._classes = Classes(decision, Runs(self._stack))
            return self._classes.prove(unit)

    def prove(self, offset: int, first: int, last: int) -> int:
        """All words of these places or lengths at an offset; how many there are.

        Raises:
            Rejected: if a row is not above the margin in every run, as far as is known; the word is named.
        """
        words = 0
        for _, reason in self.tried(offset, first, last):
            words += 1
            if reason:
                raise Rejected(reason)
        return words

    def tried(self, offset: int, first: int, last: int) -> Iterator[tuple[int, str]]:
        """The length of each of these words, and why it is not proved, if it is not; then only shorter ones follow."""
        judge = self._judge
        walk = self._walks.setdefault(offset, WalkOfRuns(self._stack, offset))
        runner = self._runner(offset, first, last)
        for word, cases in judge.words(first, last, ALL):
            if len(word) > last:
                continue
            reason = ""
            if needed := judge.needed(len(word), cases):
                try:
                    self._rows.prove(walk, runner, judge.tokens(word), needed)
                except Rejected as refusal:
                    shown = " ".join(judge.claim.alphabet[letter] for letter in word)
                    reason, last = f"offset {offset}, word {quote(shown)}: {refusal}", len(word) - 1
            yield len(word), reason

    def _runner(self, offset: int, first: int, last: int) -> Runner:
        """What runs words of these lengths on balls; in causal networks it keeps what it has found of shorter words."""
        unit = WordsUnit(offset, 1, self._judge.claim.max_n) if self._stack.network.causal else WordsUnit(
            offset, first, last)
        if unit not in self._runners:
            stacks = self._rows.balls.stacks
            self._runners = {unit: Runner(stacks, offset, tokens_at_places(self._judge, unit))}
        return self._runners[unit]


def shown(x: int) -> str:
    """Some digits of a number in units, or the power of two above it if it is small."""
    thousandths = abs(x) * 1000 >> FRACTION
    if thousandths < 10:
        return f"{'-' if x < 0 else ''}2^{x.bit_length() - FRACTION}"
    return f"{'-' if x < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03}"
