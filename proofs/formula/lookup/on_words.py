"""The greatest error of a head that looks up a count, over words instead of all cases.

A case is (n, i), whether position i is counted, and the number of others. Some cases may occur on no word.
"""

from collections.abc import Callable, Iterator, Sequence

from proofs.enclosures.exponential import PRECISIONS
from proofs.formula.common.extremes import Extreme
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup.worst_case import CountCase, LookupExtreme, LookupProfiles, find_lookup_worst_case
from proofs.words.pairs_of_runs import Work
from proofs.words.replay import WordMeanings
from proofs.words.trellis import Trellises, Word

WORK_OF_CASE = 100
"""Units of work for the error of one case."""
Counted = tuple[bool, int]
"""Whether position i is counted, and the number of others."""


class LookupOnWords:
    """The cases of one obligation that occur on words over an alphabet."""

    def __init__(self, obligation: LookupObligation, alphabet: Sequence[str], work: Work):
        """Prepare the search; ``work`` is the budget of all calls together."""
        self.obligation, self.work = obligation, work
        self._trellises = Trellises((obligation.count.operand,), alphabet, work)

    def word_of(self, extreme: Extreme) -> Word | None:
        """Return a word that has the case of an extreme; None if no word has it.

        Raises:
            TooMuchWork: if the budget does not suffice.
        """
        assert isinstance(extreme, LookupExtreme)
        case, counting = extreme.case, self._counting(extreme.i)
        return self._trellises.of(extreme.n).word((False, 0), counting, self.work,
                                                  lambda found: found == (case.here, case.others))

    def _counting(self, i: int) -> Callable[[Counted, int, int], Counted]:
        is_left = self.obligation.count.side == "left"

        def step(before: Counted, j: int, truth: int) -> Counted:
            here, others = before
            if j == i:
                return bool(truth), others
            return here, others + truth * ((j < i) == is_left)

        return step

    def larger(self, best: Extreme | None) -> Extreme | None:
        """Return the greatest error on a word, under softmax, if it is larger than ``best``, else ``best``.

        Raises:
            TooMuchWork: if the budget does not suffice.
        """
        problem, profiles = self.obligation.problem, LookupProfiles(self.obligation, PRECISIONS[0])
        for n, i in problem.lengths.rows():
            row = problem.row(n, i)
            for here, others in self._cases(n, i):
                if row.targets[here][others] is not None:
                    self.work.spend(WORK_OF_CASE)
                    profiles.add_case(CountCase(row, here, others))
        found = find_lookup_worst_case(profiles).worst
        return best if found is None or (best and best.upper >= found.upper) else found

    def _cases(self, n: int, i: int) -> Iterator[Counted]:
        reached = self._trellises.of(n).fold((False, 0), self._counting(i), self.work)[-1]
        return iter({found for _, found in reached})

    def has(self, extreme: Extreme, word: Word) -> bool:
        """Return whether a word has the case of an extreme, by the semantics."""
        assert isinstance(extreme, LookupExtreme)
        count, reading = self.obligation.count, WordMeanings(word)
        return (reading.count(count, extreme.i), reading.truth(count.operand, extreme.i)) == (
            extreme.count, extreme.case.here)
