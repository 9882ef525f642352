"""What must hold of what is stated, before any word is run; docs/softened.md, sections 1 and 2.

The temperatures that U's own heads have mean nothing for hard attention, and nothing for uniform heads, whose scores
are 0. All must be positive all the same, at every (n, i): a transformer that mentions an undefined number is none.
"""

from itertools import pairwise

from ...kernel.language import Place
from ...kernel.numbers import QUARTER, ZERO, total
from ...kernel.reading.records import HARD, LinearForm
from ...kernel.verdicts import quote, require, within
from .forms import is_uniform
from .reading import Softened
from .sparse import check_sparse


def check_heads(given: Softened) -> None:
    """Heads with scores are hard, and the temperature in Û does not depend on the position."""
    for head in given.transformer.heads:
        is_hard_or_uniform = head.weighting in HARD or is_uniform(head)
        require(is_hard_or_uniform, "head {} has scores and {}, expected a hard weighting", quote(head.name),
                head.weighting)
    require("i" not in given.language.leaves(given.claim.temperature), "the temperature is not in n alone")


def check_statement(given: Softened, n: int) -> None:
    """The temperatures at one length are positive; its bounds never shrink, and add up to at most 1/4 at last."""
    (temperature, _), bounds = given.temperature(n), given.bounds(n)
    require(temperature > 0, "the temperature is {} at n = {}", temperature, n)
    names = {head.temperature: quote(head.name) for head in reversed(given.transformer.heads)}
    given.language.budget.spend(len(given.transformer.heads))
    for place, name in names.items():
        with within(f"the temperature of head {name}"):
            check_temperature(given, place, n)
    for stage, (before, after) in enumerate(pairwise(bounds), 1):
        check_growth(given, f"n = {n}, stage {stage}", before, after)
    last = total(given.language.budget, bounds[-1].values())
    require(last <= QUARTER, "the bounds at n = {} add up to {}, expected at most 1/4", n, last)
    if given.claim.weighting != "softmax":
        check_sparse(given, n)


def check_temperature(given: Softened, temperature: Place, n: int) -> None:
    """The temperature that a head has is positive at every position; without i in it all positions are the first."""
    for i in range(1, n + 1 if "i" in given.language.leaves(temperature) else 2):
        value, _ = given.language.enclose_at(temperature, n, i)
        given.language.budget.spend(1)
        require(value > 0, "it is {} at n = {}, i = {}", value, n, i)


def check_growth(given: Softened, where: str, before: LinearForm, after: LinearForm) -> None:
    """No bound is below the one before it; so they are all from 0 to the sum of the last ones."""
    given.language.budget.spend(1 + len(before) + len(after))
    for d in {**before, **after}:
        never_less = after.get(d, ZERO) >= before.get(d, ZERO)
        require(never_less, "{}: the bound of {} is below the one before", where, quote(d))
