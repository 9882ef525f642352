"""Which way a question about all words of a trained network is decided, whoever asks it."""

from collections.abc import Callable
from typing import TypeVar

from certify.trained.decide import Settings, decide
from certify.trained.decision import Decision
from certify.trained.lengths_decision import LONGEST_OTHERWISE, LengthsDecision, decide_lengths, reason_against_counts
from constructions.errors import Unsupported
from constructions.trained.claim import Claim
from constructions.trained.network import TrainedNetwork
from proofs.trained.lengths.margins import has_slopes

ENUMERATED = 64
"""Claims about longer words are decided by counts, where counts decide them; where scores fall with the distance, by
last letters, but only those about words that are too long for another way."""
Answer = TypeVar("Answer")


def goes_by_counts(network: TrainedNetwork, claim: Claim, every: bool = False) -> bool:
    """Whether a claim is decided by counts or last letters: of ``every`` length, or of long words that they decide.

    Raises:
        Unsupported: if they do not, and words are too long for another way.
    """
    enumerated = LONGEST_OTHERWISE if has_slopes(network) else ENUMERATED
    if not every and claim.lengths[1] <= enumerated:
        return False
    why = reason_against_counts(network, claim)
    if why and (every or claim.lengths[1] > LONGEST_OTHERWISE):
        raise Unsupported(why)
    return not why


def decide_question(network: TrainedNetwork, claim: Claim, every: bool = False, settings: Settings | None = None
                    ) -> Decision | LengthsDecision:
    """Whether the claim is true of the network, as `certify decide` says it.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if words are too long, and counts of letters do not decide it.
    """
    return decide_by(decide, network, claim, every, settings or Settings())


def decide_by(word_by_word: Callable[[TrainedNetwork, Claim, Settings], Answer], network: TrainedNetwork, claim: Claim,
              every: bool, settings: Settings) -> Answer | LengthsDecision:
    """The same, with what is to be done where it is not by counts."""
    if goes_by_counts(network, claim, every):
        return decide_lengths(network, claim, None if every else claim.lengths[1], settings.effort)
    return word_by_word(network, claim, settings)
