"""The worst case over all words as a shortest path; docs/background/obligations.md, Attention head, 5.

The head writes the mean of values v in 0..1, so its error against the truth t is the weighted mean of |t - v|. It is at
most e iff the sum of weight * (e - |t - v|) is not negative. The minimum over words is found by dynamic programming,
with the cheapest path to every state. Only weights are rounded, each to the side that makes its term smaller.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ....kernel.budget import ENTRY_BITS
from ....kernel.numbers import Numbers, add, bits_of, inner_product, over_one_denominator
from ....kernel.verdicts import Rejected, TooCoarse, show
from ..proof import Errors, ProofContext
from .automaton import AutomatonState, Pair, ReadPosition

SIDES = ((0, "error_if_false"), (1, "error_if_true"))
"""The truth of the target, and the name of the bound on its error."""


def check_paths(proof: ProofContext, query: Numbers, positions: Sequence[ReadPosition], ends: Mapping[int, str],
                errors: Errors) -> None:
    """Check the errors at the rows with this scaled query; ``ends`` has the names of these rows by length."""
    budget = proof.budget
    pairs = list(dict.fromkeys((position.known, letter.adds) for position in positions for letter in position.letters))
    with budget.holding(ENTRY_BITS * len(pairs)):
        falls = relative_scores(proof, query, pairs)
        values = [add(budget, known[-1], adds[-1]) for known, adds in pairs]
        for (side, label), bound in zip(SIDES, errors, strict=True):
            margins = [add(budget, bound, -abs(side - value)) for value in values]
            _, (factors,) = over_one_denominator(budget, [margins])
            with budget.holding(bits_of(factors)):
                terms = proof.weigher.least_terms(falls, factors)
            with budget.holding(bits_of(terms)):
                term_of = dict(zip(pairs, terms, strict=True))
                where = find_negative_path(proof, positions, term_of, ends, bool(side))
            if where is not None:
                row, cost, bits = *where, proof.weigher.bits
                verdict = TooCoarse if bits and -cost << (bits >> 1) < max(map(abs, terms)) else Rejected
                raise verdict(f"{label} {show(bound)} is below the worst case at {row}")


def relative_scores(proof: ProofContext, query: Numbers, pairs: Sequence[Pair]) -> list[Fraction]:
    """Return the score of each pair minus the greatest one."""
    scores = []
    for known, adds in pairs:
        key = tuple(add(proof.budget, a, b) for a, b in zip(known[:-1], adds[:-1], strict=True))
        scores.append(inner_product(proof.budget, query, key))
    top = max(scores)
    return [add(proof.budget, one, -top) for one in scores]


def find_negative_path(proof: ProofContext, positions: Sequence[ReadPosition], terms: Mapping[Pair, int],
                       ends: Mapping[int, str], side: bool) -> tuple[str, int] | None:
    """Find a path with a negative sum that ends with a target of this truth; return its row and the sum, or None."""
    size = 1 + (max(map(int.bit_length, terms.values())) >> 13)
    best: dict[AutomatonState, int] = {0: 0}
    for length, (known, letters) in enumerate(positions, 1):
        proof.budget.spend(size * sum(len(letter.moves) for letter in letters))
        is_end = length in ends
        after: dict[AutomatonState, int] = {}
        for adds, moves in letters:
            term = terms[known, adds]
            for state, following, holds in moves:
                if state not in best:
                    continue
                cost = best[state] + term
                if is_end and cost < 0 and holds == side:
                    return ends[length], cost
                if following not in after or cost < after[following]:
                    after[following] = cost
        best = after
    return None
