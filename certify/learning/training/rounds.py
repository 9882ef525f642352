"""The budget of a training, the result of each round, and the final result."""

from dataclasses import dataclass, field, replace

from certify.claims.trained.answering import AnyCount
from certify.claims.trained.count_question import Amount
from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.common.verdicts import WithExitStatus
from certify.learning.differences import Differences, differences
from certify.learning.equality import Equality, compare
from certify.learning.learn import learn
from certify.learning.learned import Learned
from certify.learning.question import LearningQuestion, leaves_words_out, read_words
from certify.learning.training.lessons import AnyDecision
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import claim_of_lengths
from constructions.trained.network import TrainedNetwork

MOST = 10**9


@dataclass(frozen=True)
class Pace:
    """The number of steps, of words in each, and the greatest rate of Adam."""

    steps: int
    words: int = 64
    rate: float = 3e-3


@dataclass(frozen=True)
class TrainingBudget:
    """The number of rounds, the pace, the seed, and the amount of right inputs that suffices; by default all."""

    rounds: int = 20
    pace: Pace = field(default_factory=lambda: Pace(500))
    seed: int = 1
    at_least: Amount | None = None


def checked(budget: TrainingBudget) -> TrainingBudget:
    """Return the budget.

    Raises:
        InputError: if the number of rounds or steps, or the seed, is out of range.
    """
    for name, value, least in (("rounds", budget.rounds, 1), ("steps", budget.pace.steps, 1), ("seed", budget.seed, 0)):
        if not least <= value <= MOST:
            raise InputError(f"--{name}: {value}, expected from {least} to {MOST}")
    return budget


@dataclass(frozen=True)
class Round:
    """The result of a round: ``wrong`` of the ``seen`` items were wrong in floating point, or by the decision, if any.

    ``loss`` is None before training; ``share`` is the certified share of right inputs, if they were counted.
    """

    number: int
    loss: float | None
    seen: int
    wrong: int
    shortest: str
    verdict: str = ""
    certified_to: int | None = None
    anew: bool = False
    share: str = ""


@dataclass(frozen=True)
class Training(WithExitStatus):
    """The network and its decision or count, which is None if time was up before."""

    network: TrainedNetwork
    decision: AnyDecision | AnyCount | None
    rounds: tuple[Round, ...]
    reason: str
    seconds: float
    at_least: Amount | None = None

    @property
    def verdict(self) -> str:
        """The verdict of the decision."""
        return self.decision.verdict if self.decision is not None else "unknown"


@dataclass(frozen=True)
class Repair:
    """The comparison of a given network with the repaired one, on words up to a length at the first offset.

    ``wrong`` are the words on which the given network contradicts the claim: exactly those on which it differs from the
    repaired one, which is certified. ``equality`` is the answer of `certify equal`; None is unknown, for the
    ``reason``.
    """

    learned: Learned | None
    wrong: Differences | None
    equality: Equality | None
    reason: str


def compare_with_given(given: TrainedNetwork, repaired: Decision, settings: Settings) -> Repair:
    """Compare the given network with the repaired one; for claims about words that begin with length 1."""
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


def _question(given: TrainedNetwork, repaired: Decision, longest: int) -> LearningQuestion:
    """Return the question about the words that the claim judges, at its first offset."""
    claim = claim_of_lengths(given, repaired.claim, repaired.claim.lengths[0], longest)
    claim = replace(claim, offsets=(claim.offsets[0], claim.offsets[0]))
    return read_words(given, claim, "asked" if leaves_words_out(claim) else "all")
