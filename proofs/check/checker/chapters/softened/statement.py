"""Conditions on the statement, checked before any word is run; docs/reference/softened.md, sections 1 and 2.

The temperatures of U's own heads do not matter for hard attention, nor for uniform heads, whose scores are 0. All must
be positive nevertheless, at every (n, i): a transformer with an undefined number is not a transformer.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from ...kernel.numbers import QUARTER, ZERO, multiply, total
from ...kernel.reading.records import HARD, LinearForm
from ...kernel.verdicts import quote, require, show, within
from .forms import is_uniform
from .reading import Softened

ALPHA_MINUS_1: Mapping[str, Fraction] = {"sparsemax": Fraction(1), "entmax-1.5": Fraction(1, 2)}
"""The factor alpha - 1."""


def check_heads(given: Softened) -> None:
    """Check that heads with scores are hard, and that the temperature of Û does not depend on the position."""
    for head in given.transformer.heads:
        is_hard_or_uniform = head.weighting in HARD or is_uniform(head)
        require(is_hard_or_uniform, "head {} has scores and {}, expected a hard weighting", quote(head.name),
                head.weighting)
    require("i" not in given.language.leaves(given.claim.temperature), "the temperature is not in n only")


def check_statement(given: Softened, n: int) -> None:
    """Check at one length that temperatures are positive, bounds never shrink, and the last sum is at most 1/4."""
    (temperature, _), bounds = given.temperature(n), given.bounds(n)
    require(temperature > 0, "the temperature is {} at n = {}", temperature, n)
    names = {head.temperature: quote(head.name) for head in reversed(given.transformer.heads)}
    given.language.budget.spend(len(given.transformer.heads))
    for place, name in names.items():
        with within(f"the temperature of head {name}"):
            given.language.check_positive(place, n)
    for stage, (before, after) in enumerate(pairwise(bounds), 1):
        check_growth(given, f"n = {n}, stage {stage}", before, after)
    last = total(given.language.budget, bounds[-1].values())
    require(last <= QUARTER, "the bounds at n = {} add up to {}, expected at most 1/4", n, last)
    if given.claim.weighting != "softmax":
        check_sparse(given, n)


def check_sparse(given: Softened, n: int) -> None:
    """Check that sparsemax or entmax-1.5 weighs exactly as hard attention.

    See docs/background/softened_rules.md, section 3, proves it.

    No error is stated, and the temperature is small enough. Scores are those of U. The stated gap is compared with the
    gap of all words elsewhere (shards.py), so that it may be used here.
    """
    weighting, gap = given.claim.weighting, given.gaps[n - 1]
    is_exact = not any(given.errors[n - 1])
    require(is_exact, "n = {}: {} is exactly hard or is refused, expected no error bounds", n, weighting)
    if gap is not None:
        most, temperature = multiply(given.language.budget, ALPHA_MINUS_1[weighting], gap), given.temperature(n).upper
        require(temperature <= most, "n = {}: {} is exactly hard up to the temperature {}, got {}", n, weighting,
                show(most), show(temperature))


def check_growth(given: Softened, where: str, before: LinearForm, after: LinearForm) -> None:
    """Check that no bound is below the previous one; so all are from 0 to the sum of the last ones."""
    given.language.budget.spend(1 + len(before) + len(after))
    for d in {**before, **after}:
        never_less = after.get(d, ZERO) >= before.get(d, ZERO)
        require(never_less, "{}: the bound of {} is below the one before", where, quote(d))
