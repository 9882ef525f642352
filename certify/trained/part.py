"""A part of a decision: some obligations at one offset, and what was found of them."""

from dataclasses import dataclass

from certify.trained.decision import Found
from constructions.trained.claim import Claim, is_by_place
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import Cover

MOST_WORDS = 2**17
"""Places and lengths with more words than this are not decided word by word, unless it is asked for."""


@dataclass(frozen=True)
class Part:
    """Obligations first … last (places or lengths) of a claim at one offset, and how hard to try.

    ``avoid`` has pairs of a place or length and a way in which it is not to be covered.
    """

    offset: int
    first: int
    last: int
    most_words: int = MOST_WORDS
    effort: int = 1
    avoid: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class PartResult:
    """What was found of each obligation, and units that cover some of them."""

    found: tuple[Found, ...]
    cover: Cover


def words_of(claim: Claim, count: int) -> int:
    """How many words there are of a place or a length."""
    return int(len(claim.alphabet) ** count)


def stops_at_wrong(network: TrainedNetwork, claim: Claim) -> bool:
    """Whether a word that is wrong makes all longer lengths refuted, so that they need not be looked at."""
    return is_by_place(network, claim) and claim.read == "each"
