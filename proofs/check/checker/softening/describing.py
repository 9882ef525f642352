"""What an accepted certificate of a softened transformer claims, in words; nothing of the file's own words but quoted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..numbers import total
from ..reading.softened import Softened
from ..verdicts import quote
from .showing import show_upper


def describe_softened(given: Softened, coverage: Mapping[str, int]) -> list[str]:
    """The whole claim, and what was covered to accept it."""
    claim, network, n = given.claim, given.transformer, given.claim.max_n
    budget, language = given.language.budget, given.language
    error = max(total(budget, given.bounds(m)[-1].values()) for m in claim.lengths)
    gap = given.gaps[-1]
    return [
        f"alphabet     {', '.join(map(quote, claim.alphabet))}",
        f"claim        for every n in 1..{n} and every word of length n over the alphabet: every head is uniform, or",
        "             tieless with the stated gaps; and with softmax in the heads that are not uniform every residual",
        "             vector is within the stated bounds of the one with hard attention, after the last layer within",
        "             1/4 in the sum over all directions (exact reals, real softmax)",
        f"temperature  {language.write(claim.temperature)}",
        f"gap          {'none' if gap is None else gap} at n = {n}",
        f"error        at most {show_upper(error)} in the sum",
        f"transformer  {len(network.layers)} layers, {len(network.heads)} heads",
        f"covered      {', '.join(f'{count} {what}' for what, count in coverage.items())}",
    ]
