"""The decision of a claim about a trained network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from certify.shards import Workers
from constructions.errors import Unsupported
from constructions.trained.claim import Claim
from constructions.trained.network import TrainedNetwork


def decide(network: TrainedNetwork, claim: Claim, workers: Workers, store: Path | None,
           progress: Callable[[str], None]) -> NoReturn:
    """Decide every word of the claim.

    Raises:
        Unsupported: always, as yet.
    """
    raise Unsupported("decisions about trained networks")
