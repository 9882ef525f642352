"""The obligations that a cover must meet.

See docs/reference/trained.md, section 4. They follow from claim and rows of tables.
"""

from collections.abc import Iterator

from ..reading.network import Network
from ..reading.words_claim import TrainedClaim, WordsUnit


def is_by_place(network: Network, claim: TrainedClaim) -> bool:
    """Return whether an obligation is about a place, as a later token changes nothing."""
    reads_itself = claim.read == "each" or (claim.read == "last" and not claim.after)
    return network.causal and reads_itself and claim.is_past_only


def greatest_length(network: Network, claim: TrainedClaim, offset: int) -> int:
    """Return the length of the longest words of the claim whose tokens have rows at this offset."""
    if network.rows is None:
        return claim.max_n
    return min(claim.max_n, network.rows - offset - len(claim.before) - len(claim.after))


def obligations(network: Network, claim: TrainedClaim) -> Iterator[WordsUnit]:
    """Yield, for each offset, its places or lengths; nothing at an offset where no word of the claim has rows."""
    by_place = is_by_place(network, claim)
    first = (0 if claim.empty else 1) if by_place and claim.read == "each" else claim.min_n
    for offset in range(claim.offsets[0], claim.offsets[1] + 1):
        last = greatest_length(network, claim, offset)
        if last < claim.min_n:
            return
        yield WordsUnit(offset, first, last)
