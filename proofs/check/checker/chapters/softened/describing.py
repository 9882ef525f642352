"""The statement of an accepted certificate of a softened transformer, written from the parsed values."""

from collections.abc import Mapping

from ...kernel.kind import entry
from ...kernel.numbers import total
from ...kernel.verdicts import quote_all, show
from .reading import Softened
from .shards import TIES
from .stages import show_upper


def describe_softened(given: Softened, coverage: Mapping[str, int]) -> list[str]:
    """Return the lines with the whole claim, and with the coverage of its proof."""
    claim, network, gap = given.claim, given.transformer, given.gaps[-1]
    heads = "average-hard or tieless" if TIES in coverage else "tieless"
    return [
        *entry("alphabet", [quote_all(claim.alphabet)]),
        *entry("claim", [
            f"for every n in 1..{claim.max_n} and every word of length n over the alphabet: every head is uniform, or",
            f"{heads} with the stated gaps; and with {claim.weighting} in the heads that are not uniform every "
            "residual",
            *describe_distance(given)]),
        *entry("temperature", given.language.write(claim.temperature)),
        *entry("gap", [f"{'none' if gap is None else show(gap)} at n = {claim.max_n}"]),
        *entry("error", [describe_error(given)]),
        *entry("transformer", [f"{len(network.layers)} layers, {len(network.heads)} heads"]),
        *entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])]


def describe_distance(given: Softened) -> list[str]:
    """Return the bound on the distance of the residual vectors from those of hard attention."""
    weighting = given.claim.weighting
    if weighting != "softmax":
        return [f"vector is that of the one with hard attention, after every stage (exact reals, real {weighting})"]
    return ["vector is within the stated bounds of the one with hard attention, after the last layer within",
            "1/4 in the sum over all directions (exact reals, real softmax)"]


def describe_error(given: Softened) -> str:
    """Return the greatest sum of the last bounds, over all lengths."""
    if given.claim.weighting != "softmax":
        return "none"
    budget = given.language.budget
    error = max(total(budget, given.bounds(n)[-1].values()) for n in given.claim.lengths)
    return f"at most {show_upper(error)} in the sum"
