"""The main path of training: steps, a screening of short words, a decision; wrong words go back; until certified.

The decision is made by `certify decide`, independently of the training. The result is the network certified for
the longest words, with that decision.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from certify.claims.trained.answering import AnyCount, count_right
from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.count_show import percent
from certify.claims.trained.counting import Count
from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.common.progress import ProgressLine
from certify.learning.training.fitting import fit, margins
from certify.learning.training.fresh import Recipe, begun, with_its_source
from certify.learning.training.lessons import AnyDecision, Item, Lessons, Pool
from certify.learning.training.rounds import Repair, Round, Training, TrainingBudget, compare_with_given
from constructions.deadline import TimeIsUp
from constructions.trained.network import TrainedNetwork

CLOSEST = 64
"""The number of items with the smallest margins that are preferred, right or not."""
PATIENCE = 3
"""The number of rounds without fewer wrong words after which a new network is reinitialised."""
REPAIRING = 1e-3
"""The training rate for a given network."""


def train(network: TrainedNetwork, lessons: Lessons, made: Recipe | None, budget: TrainingBudget,
          settings: Settings | None = None) -> Training:
    """Train until the claim, or the stated amount of right inputs, is certified, or the budget or the time is up.

    ``made`` is the recipe of a new network, to reinitialise it; a given network is decided first.
    """
    start = time.perf_counter()
    run = _TrainingRun(network, lessons, made, budget, settings or Settings())
    try:
        with ProgressLine() as progress:
            run.progress = progress
            run.rounds_until_certified()
    except TimeIsUp as up:
        run.reason = str(up)
    network, decision = run.best or (run.network, None)
    return Training(network, decision, tuple(run.rounds), run.reason, time.perf_counter() - start,
                    budget.at_least)


def repair_of(given: TrainedNetwork, training: Training, settings: Settings) -> Repair | None:
    """Compare the given network with the repaired one; None if nothing changed.

    If the time of ``--timeout`` is up, that is the reason.
    """
    decision = training.decision
    if not isinstance(decision, Decision) or training.network is given:
        return None
    try:
        return compare_with_given(given, decision, settings)
    except TimeIsUp as up:
        return Repair(None, None, None, str(up))


class _TrainingRun:
    """A training in progress."""

    def __init__(self, network: TrainedNetwork, lessons: Lessons, made: Recipe | None, budget: TrainingBudget,
                 settings: Settings) -> None:
        self.network, self.lessons, self.made, self.budget, self.settings = network, lessons, made, budget, settings
        self.draw = np.random.default_rng(budget.seed)
        self.pool = Pool(lessons)
        self.screened = lessons.screened(self.draw)
        self.rounds: list[Round] = []
        self.best: tuple[TrainedNetwork, AnyDecision | AnyCount] | None = None
        self.fewest, self.waited = len(self.screened) + 1, 0
        self.reason = ""
        self.progress = ProgressLine()

    def rounds_until_certified(self) -> None:
        """Run all rounds."""
        if self.made is None:
            self._screen(0, None)
            if self._is_certified():
                return
        pace = self.budget.pace if self.made else replace(self.budget.pace, rate=REPAIRING)
        for number in range(1, self.budget.rounds + 1):
            anew = self._began_anew()
            before = f"round {number} of {self.budget.rounds}"
            self.network, loss = fit(self.network, self.lessons, self.pool, pace, self.draw,
                                     lambda step, found, before=before: self.progress(  # type: ignore[misc]
                                         f"{before}: step {step + 1} of {pace.steps}, loss {found:.2g}"))
            wrong = self._screen(number, loss, anew)
            if (self._seems_enough(wrong) or number == self.budget.rounds) and self._is_certified():
                return
        self.reason = f"the rounds are over (--rounds {self.budget.rounds})"

    def _began_anew(self) -> bool:
        """Reinitialise a new network that has stopped improving; return whether it did."""
        if self.made is None or self.waited < PATIENCE:
            return False
        self.network = begun(self.made, self.draw)
        self.fewest, self.waited = len(self.screened) + 1, 0
        return True

    def _screen(self, number: int, loss: float | None, anew: bool = False) -> int:
        """Screen the short words in floating point, schedule wrong and close ones; return the number of wrong ones."""
        found = margins(self.network, self.lessons, self.screened,
                        lambda done: self.progress(f"round {number}: {done} words screened"))
        wrong = [item for item, margin in found.items() if margin <= 0]
        closest = sorted(found, key=found.__getitem__)[:CLOSEST]
        self.pool.add_with_neighbours(sorted(wrong, key=_length)[:CLOSEST], self.draw)
        self.pool.prefer(closest)
        self.waited = 0 if len(wrong) < 0.9 * self.fewest or not wrong else self.waited + 1
        self.fewest = min(self.fewest, len(wrong))
        self.rounds.append(Round(number, loss, len(found), len(wrong), self._shortest(wrong), anew=anew))
        return len(wrong)

    def _seems_enough(self, wrong: int) -> bool:
        """Return whether at most as many of the screened words are wrong as may be."""
        at_least = self.budget.at_least
        return not wrong or (at_least is not None and at_least.is_share
                             and wrong <= (1 - at_least.value) * len(self.screened))

    def _decided(self) -> AnyDecision | AnyCount:
        """Return the decision about the claim, or the count if an amount of right inputs suffices."""
        if self.budget.at_least is None:
            return self.lessons.decide(self.network, self.settings)
        question = CountQuestion(at_least=self.budget.at_least)
        return count_right(self.network, self.lessons.claim, question, self.settings)

    def _is_certified(self) -> bool:
        """Decide the claim, and schedule the words that it finds wrong; return whether it is certified."""
        if self.rounds[-1].number:
            self.network = with_its_source(self.network)
        decision = self._decided()
        wrong, close = self.lessons.taught_by(decision)
        self.pool.add_with_neighbours(wrong, self.draw)
        self.pool.prefer([*close, *wrong])
        self.screened = list(dict.fromkeys([*self.screened, *wrong]))
        last = self.rounds[-1]
        certified_to, share = ((None, percent(reach(decision), Fraction(1))) if isinstance(decision, Count) else
                               (decision.certified_to, ""))
        self.rounds[-1] = replace(last, wrong=last.wrong or len(wrong),
                                  shortest=last.shortest if last.wrong else self._shortest(wrong),
                                  verdict=decision.verdict, certified_to=certified_to, share=share)
        if self.best is None or reach(decision) >= reach(self.best[1]):
            self.best = self.network, decision
        return decision.verdict == "certified"

    def _shortest(self, wrong: Sequence[Item]) -> str:
        return self.lessons.show(min(wrong, key=_length)) if wrong else ""


def reach(decision: AnyDecision | AnyCount) -> Fraction:
    """Return the length up to which words are certified, or the certified share of right inputs."""
    return decision.shares[0] if isinstance(decision, Count) else Fraction(decision.certified_to or 0)


def _length(item: Item) -> tuple[int, Item]:
    return len(item[1]), item
