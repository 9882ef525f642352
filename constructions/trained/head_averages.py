"""Claims about the average of a head: within an error of the uniform average, or of constants, in each coordinate.

docs/background/parts.md, section 3.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from constructions.language.syntax import TRUE, Formula
from constructions.trained.claim import Case, Row, When, WordsClaim
from constructions.trained.edit_kinds import ReadHead, What
from constructions.trained.edits import edit_network
from constructions.trained.head_patterns import step_of
from constructions.trained.network import TrainedNetwork


@dataclass(frozen=True)
class AverageClaim:
    """The average of a head differs by less than ``error`` from ``constants``; from equal weights' if there are none.

    Each coordinate of the head's values has one constant. Layers and heads are counted from 1.
    """

    layer: int
    head: int
    error: Fraction
    constants: tuple[Fraction, ...] | None = None

    def __str__(self) -> str:
        near = "the average with equal weights" if self.constants is None else (
            f"({', '.join(map(str, self.constants))})")
        return (f"the average of head {self.layer}.{self.head} differs by less than {self.error} from {near}, "
                "in each coordinate")


def average_question(network: TrainedNetwork, words: WordsClaim, claim: AverageClaim, given: Formula = TRUE
                     ) -> tuple[TrainedNetwork, WordsClaim]:
    """Return the network whose logits are the average, or what it differs by, and 1; and the claim about them.

    ``words`` states the words; its cases are not used. Nothing is judged where ``given`` is false. Rows 2k and 2k + 1
    are the lower and the upper bound of coordinate k.

    Raises:
        InputError: if the network has no such head.
    """
    what: What = "average less uniform" if claim.constants is None else "average"
    probe = edit_network(network, [ReadHead(step_of(network, claim.layer, claim.head), claim.head - 1, what)])
    one = probe.outputs - 1
    rows: list[Row] = []
    for k, constant in enumerate(claim.constants or (Fraction(0),) * one):
        for sign, bound in ((1, claim.error - constant), (-1, claim.error + constant)):
            rows.append(((k, Fraction(sign)), (one, bound))[:1 + (bound != 0)])
    return probe, replace(words, empty=False, margin=Fraction(0), automaton=None,
                          cases=(Case(When(given), tuple(rows)),), title=str(claim))
