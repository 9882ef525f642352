"""Claims about networks, and their evidence (docs/reference/trained.md, sections 3 and 4; trained_rules.md, 7).

A claim is about words or inputs in tracks; of exact outputs, or of those of every execution under some float models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ....kernel.budget import Budget
from .network import Network

if TYPE_CHECKING:
    from ...float_models.reading import FloatClaim
    from .count_claim import CountClaim

FORMAT_OF_DECISION = "certify-decision"
MAX_BITS = 256  # of the power of two that stated ranges are over
MAX_CUTS = 64  # above a leaf of a tree of cells

Claim_co = TypeVar("Claim_co", covariant=True)
Evidence_co = TypeVar("Evidence_co", covariant=True)


@dataclass(frozen=True)
class Decision(Generic[Claim_co, Evidence_co]):
    """A claim about a network, with evidence, under each float model of ``floats``; about exact outputs if empty.

    With ``counts`` the property is the number of right inputs.
    """

    network: Network
    claim: Claim_co
    floats: tuple[FloatClaim, ...]
    evidence: Evidence_co
    budget: Budget
    counts: CountClaim | None = None
