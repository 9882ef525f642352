"""Counts that units and queries read, exactly or nearly; docs/background/obligations.md, Feed-forward output."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from ...kernel.language import Place
from ...kernel.numbers import ZERO, add, multiply, ratio
from ...kernel.reading.records import ApproximateCount, ExactCount, Truth
from ...kernel.verdicts import refuse
from ..formula.feed_forward.by_cases import RationalInterval
from ..formula.proof import ProofContext


def find_counts(proof: ProofContext, form: Iterable[tuple[str, Fraction]]) -> dict[Place, Fraction]:
    """Return the coefficients of counts and truths in a form; a number of others is a count minus a truth."""
    read = dict[Place, Fraction]()
    for source, c in form:
        meaning = proof.directions[source]
        parts = [(meaning.formula, c)] if isinstance(meaning, Truth) else []
        parts += [(meaning.count, c)] if isinstance(meaning, ApproximateCount | ExactCount) else []
        parts += [(proof.language.counted(meaning.count), -c)] if isinstance(meaning, ApproximateCount) else []
        for place, number in parts:
            read[place] = add(proof.budget, read.get(place, ZERO), number)
    return {place: c for place, c in read.items() if c}


def find_interval(proof: ProofContext, form: Iterable[tuple[str, Fraction]],
                  signs: Mapping[Place, int]) -> RationalInterval | None:
    """Return the interval of a form that is x (T - constant), T of the assigned sign, counts in 0..max_n, or None."""
    read, budget = find_counts(proof, form), proof.budget
    for comparison, sign in signs.items():
        _, counts, (_, first, *numbers) = proof.language.nodes[comparison]
        a = ratio(read, dict(zip(counts, map(Fraction, numbers), strict=True)))
        if a is not None:
            low, high = (int(first) + proof.claim.max_n * sum(end(int(c), 0) for c in numbers) for end in (min, max))
            least, most = max(low, sign) if sign >= 0 else low, min(high, sign) if sign <= 0 else high
            if least > most:
                return None
            ends = [multiply(budget, a, Fraction(end - int(first))) for end in (least, most)]
            return min(ends), max(ends)
    refuse("a unit does not read the counts in the proportions that are compared")
