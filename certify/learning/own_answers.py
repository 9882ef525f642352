"""The answers of a network itself as a claim, which a circuit with equal answers must satisfy."""

from certify.claims.trained.decide import Settings
from certify.learning.learn import claim_of, learn
from certify.learning.question import read_words
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork


def own_answers(network: TrainedNetwork, claim: WordsClaim, settings: Settings) -> tuple[WordsClaim, str]:
    """Return the claim that the answers are those of the network, learnt as an automaton, and its certificate.

    Raises:
        InputError: if the claim has no answers that an automaton gives.
        Unsupported: if the network's answers are not proved on all words of the claim.
    """
    question = read_words(network, claim, None)
    learned, longest = learn(network, question, settings), claim.lengths[1]
    if learned.automaton is None or learned.certificate is None or learned.certified_to != longest:
        raise Unsupported(f"--equal: the network's own answers are proved up to n = {learned.certified_to or 0} only, "
                          f"expected {longest}: {learned.reason or 'no automaton was found'}")
    return claim_of(question, learned.automaton, longest), learned.certificate
