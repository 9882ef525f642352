"""Words with a given count at a position, for the cases in which a head that looks up a count errs."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.semantics import satisfies, truth_values
from constructions.language.syntax import Count, is_symbolic
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.discharge import Line
from proofs.formula.lookup.by_kernel import find_kernel_violations
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup.worst_case import CountCase, LookupExtreme, find_violations
from proofs.formula.refutation.budget import WorkBudget
from proofs.formula.refutation.plain_words import Word
from proofs.words.replay import REPLAY_BITS

DRAWN_WORDS = 2000
"""The number of random words that are drawn if the counted formula is not over symbols."""
CASES_PER_UNIT = 5
"""Cases of a lookup that are processed in the time of a unit of work."""


@dataclass(frozen=True)
class CountTarget:
    """A count that a word must have at a position: the number of ``others``, and the truth ``here``."""

    n: int
    i: int
    here: bool
    others: int
    count: Count


def words_with_counts(alphabet: Sequence[str], beyond: int, lines: Sequence[Line], allowed_error: Fraction | None,
                      budget: WorkBudget) -> Iterator[Word]:
    """Yield words longer than ``beyond`` with a case in which a head that looks up a count errs.

    If a feed-forward output fails, the cases are those in which the heads of its layer and of earlier ones err most,
    with all numbers of others there.
    """
    wanted: dict[CountTarget, None] = {}
    layers = {line.layer for line in lines if line.kind is ObligationKind.FEED_FORWARD and not line.proved}
    for line in lines:
        if not isinstance(lookup := line.obligation, LookupObligation):
            continue
        bound = allowed_error or lookup.allowed_error
        if not line.proved and bound is not None:
            if not budget.spend(sum(len(row.targets[0]) for row in lookup.by_query) * 2 // CASES_PER_UNIT):
                return
            wanted |= dict.fromkeys(CountTarget(case.row.n, case.row.i, case.here, case.others, lookup.count)
                                    for case in _violations(lookup, bound))
        elif any(line.layer <= layer for layer in layers) and line.worst:
            wanted |= dict.fromkeys(_around_the_worst(line, lookup.count))
    for each in sorted(wanted, key=lambda each: (each.n, each.i, each.here, each.others)):
        if each.n > beyond and (word := find_word_with_count(alphabet, each, budget)):
            yield word


def _violations(lookup: LookupObligation, bound: Fraction) -> Iterable[CountCase]:
    """Find cases in which the head certainly errs by more than the bound."""
    if lookup.head.weighting.is_softmax:
        return find_violations(lookup, REPLAY_BITS, bound)
    return find_kernel_violations(lookup, REPLAY_BITS, bound)


def _around_the_worst(line: Line, count: Count) -> Iterator[CountTarget]:
    """Yield all numbers of others at the rows where the head errs most."""
    assert line.worst is not None
    for extreme in line.worst.extremes:
        assert isinstance(extreme, LookupExtreme)
        row = extreme.case.row
        for others in range(len(row.targets[0])):
            yield CountTarget(row.n, row.i, extreme.case.here, others, count)


def find_word_with_count(alphabet: Sequence[str], wanted: CountTarget, budget: WorkBudget) -> Word | None:
    """Find a word that has the count."""
    count, n, i = wanted.count, wanted.n, wanted.i
    counted = range(1, i + 1) if count.side == "left" else range(i, n + 1)
    if is_symbolic(count.operand):
        by_truth = {satisfies(count.operand, (symbol,), 1): symbol for symbol in alphabet}
        chosen = set([j for j in counted if j != i][:wanted.others]) | ({i} if wanted.here else set())
        word = tuple(by_truth.get(j in chosen, "") for j in range(1, n + 1))
        return word if all(word) else None
    draw = random.Random(n * n + i)
    for k in range(DRAWN_WORDS):
        if not budget.spend(n):
            return None
        word = tuple(alphabet[0] if draw.randrange(10) < k % 10 else draw.choice(alphabet) for _ in range(n))
        truths = truth_values(count.operand, word)
        if truths[i - 1] == wanted.here and sum(truths[j - 1] for j in counted) == wanted.others + wanted.here:
            return word
    return None
