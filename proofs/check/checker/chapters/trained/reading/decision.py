"""The object of docs/trained.md, sections 3, 4 and 7: a claim about a network, and what proves it or refutes it.

A claim is about words or about inputs in tracks; of the exact outputs, or of those in every float run of some classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ....kernel.budget import Budget
from .network import Network

if TYPE_CHECKING:
    from ...float_models.reading import FloatClaim

FORMAT_OF_DECISION = "certify-decision"
MAX_BITS = 256  # of the power of two that stated ranges are over
MAX_CUTS = 64  # above a leaf of a tree of cells

Claim_co = TypeVar("Claim_co", covariant=True)
Evidence_co = TypeVar("Evidence_co", covariant=True)


@dataclass(frozen=True)
class Decision(Generic[Claim_co, Evidence_co]):
    """A claim about a network with its evidence; ``floats`` are the classes of runs in each of which it holds.

    Without such classes it is about exact outputs.
    """

    network: Network
    claim: Claim_co
    floats: tuple[FloatClaim, ...]
    evidence: Evidence_co
    budget: Budget
