"""What repairing changed: `certify equal` of the given network and the repaired one, and all words that were wrong."""

from dataclasses import dataclass, replace

from certify.learning.differences import Differences, differences
from certify.learning.equality import Equality, compare
from certify.learning.learn import learn
from certify.learning.learned import Learned
from certify.learning.question import Question, leaves_words_out, read_words
from certify.trained.decide import Settings
from certify.trained.decision import Decision
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import claim_of_lengths
from constructions.trained.network import TrainedNetwork


@dataclass(frozen=True)
class Repair:
    """``wrong`` are the words on which the given network does not answer as the claim asks, all of at most so many
    letters at the first offset: exactly those on which it and the repaired one, which is certified for them, differ.

    ``equality`` is the answer of `certify equal`; what is None could not be told, for the ``reason``.
    """

    learned: Learned | None
    wrong: Differences | None
    equality: Equality | None
    reason: str


def compare_with_given(given: TrainedNetwork, repaired: Decision, settings: Settings) -> Repair:
    """What is proved about the given network and the repaired one; for claims about words that begin with length 1."""
    longest = repaired.certified_to
    if longest is None:
        return Repair(None, None, None, "the repaired network is certified for no length")
    try:
        question = _question(given, repaired, longest)
        learned = learn(given, question, settings)
        wrong = None
        if learned.automaton is not None and learned.certified_to is not None:
            wrong = differences(question, learned.automaton, learned.certified_to)
        return Repair(learned, wrong, compare(given, repaired.network, question, settings), learned.reason)
    except (InputError, Unsupported) as error:
        return Repair(None, None, None, str(error))


def _question(given: TrainedNetwork, repaired: Decision, longest: int) -> Question:
    """The words of which the claim asks something, at its first offset."""
    claim = claim_of_lengths(given, repaired.claim, repaired.claim.lengths[0], longest)
    claim = replace(claim, offsets=(claim.offsets[0], claim.offsets[0]))
    return read_words(given, claim, "asked" if leaves_words_out(claim) else "all")
