"""What an accepted certificate of a softened transformer claims, in words; written from what was parsed."""

from __future__ import annotations

from collections.abc import Mapping

from ..describing import entry
from ..numbers import total
from ..reading.softened import Softened
from ..verdicts import quote_all, show
from .showing import show_upper


def describe_softened(given: Softened, coverage: Mapping[str, int]) -> list[str]:
    """The whole claim, and what was covered to accept it."""
    claim, network, gap = given.claim, given.transformer, given.gaps[-1]
    budget = given.language.budget
    error = max(total(budget, given.bounds(n)[-1].values()) for n in claim.lengths)
    return [
        *entry("alphabet", [quote_all(claim.alphabet)]),
        *entry("claim", [
            f"for every n in 1..{claim.max_n} and every word of length n over the alphabet: every head is uniform, or",
            "tieless with the stated gaps; and with softmax in the heads that are not uniform every residual",
            "vector is within the stated bounds of the one with hard attention, after the last layer within",
            "1/4 in the sum over all directions (exact reals, real softmax)"]),
        *entry("temperature", given.language.write(claim.temperature)),
        *entry("gap", [f"{'none' if gap is None else show(gap)} at n = {claim.max_n}"]),
        *entry("error", [f"at most {show_upper(error)} in the sum"]),
        *entry("transformer", [f"{len(network.layers)} layers, {len(network.heads)} heads"]),
        *entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])]
