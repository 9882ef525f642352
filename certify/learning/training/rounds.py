"""What a training may take, what came of each round, and what came out in the end."""

from dataclasses import dataclass, field

from certify.frame.verdicts import WithExitStatus
from certify.learning.training.lessons import AnyDecision
from constructions.errors import InputError
from constructions.trained.network import TrainedNetwork

MOST = 10**9


@dataclass(frozen=True)
class Pace:
    """How many steps, on how many words each, and the greatest rate of Adam."""

    steps: int
    words: int = 64
    rate: float = 3e-3


@dataclass(frozen=True)
class Budget:
    """How long to go on, and from which seed."""

    rounds: int = 20
    pace: Pace = field(default_factory=lambda: Pace(500))
    seed: int = 1


def checked(budget: Budget) -> Budget:
    """The budget.

    Raises:
        InputError: for what is no number of rounds, of steps, or no seed.
    """
    for name, value, least in (("rounds", budget.rounds, 1), ("steps", budget.pace.steps, 1), ("seed", budget.seed, 0)):
        if not least <= value <= MOST:
            raise InputError(f"--{name}: {value}, expected from {least} to {MOST}")
    return budget


@dataclass(frozen=True)
class Round:
    """What came of one: ``wrong`` of the ``seen`` items were wrong as floats see it, or wrong by the decision, if there
    was one; ``loss`` is None before training."""

    number: int
    loss: float | None
    seen: int
    wrong: int
    shortest: str
    verdict: str = ""
    certified_to: int | None = None
    anew: bool = False


@dataclass(frozen=True)
class Training(WithExitStatus):
    """The network, and what was decided of it; without a decision time was up before one was made."""

    network: TrainedNetwork
    decision: AnyDecision | None
    rounds: tuple[Round, ...]
    reason: str
    seconds: float

    @property
    def verdict(self) -> str:
        """That of the decision."""
        return self.decision.verdict if self.decision is not None else "unknown"
