"""What must be covered: docs/trained.md, section 4. It follows from the claim and the number of rows of the tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from ....kernel.language import Language
from ...along_words.conditions import is_past_only
from ..reading.network import Network
from ..reading.words_claim import TrainedClaim


@dataclass(frozen=True)
class Obligations:
    """At ``offset`` places (or lengths) ``first`` ... ``last``."""

    offset: int
    first: int
    last: int


def is_by_place(network: Network, claim: TrainedClaim, language: Language) -> bool:
    """Whether an obligation is about a place, as a later token changes nothing."""
    reads_itself = claim.read == "each" or (claim.read == "last" and not claim.after)
    return network.causal and reads_itself and all(is_past_only(language, formula) for formula in claim.formulas)


def greatest_length(network: Network, claim: TrainedClaim, offset: int) -> int:
    """The longest words of the claim whose tokens have rows at this offset."""
    if network.rows is None:
        return claim.max_n
    return min(claim.max_n, network.rows - offset - len(claim.before) - len(claim.after))


def obligations(network: Network, claim: TrainedClaim, language: Language) -> Iterator[Obligations]:
    """For each offset its places or lengths; none at an offset where no word of the claim has rows."""
    by_place = is_by_place(network, claim, language)
    first = (0 if claim.empty else 1) if by_place and claim.read == "each" else claim.min_n
    for offset in range(claim.offsets[0], claim.offsets[1] + 1):
        last = greatest_length(network, claim, offset)
        if last < claim.min_n:
            return
        yield Obligations(offset, first, last)
