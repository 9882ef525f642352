"""The certified enclosure of all logits of an input, in every execution under a preset."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from proofs.check.checker.chapters.float_models.reading import read_float_claim
from proofs.check.checker.chapters.trained.floats.casting import cast_network
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.reading.network import read_network
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import FloatModel

WORK = 100_000


class Enclosure(NamedTuple):
    """Centres and radii [places, outputs] of logits."""

    centres: Any
    radii: Any

    def share(self, logits: Any) -> float:
        """Return the greatest distance of these logits from the centre, in radii; above 1 some lie outside."""
        apart = np.abs(logits - self.centres)
        assert np.isfinite(apart).all()
        return float(np.divide(apart, self.radii, out=np.where(apart > 0, np.inf, 0.0), where=self.radii > 0).max())


class EnclosedLogits:
    """The enclosures of a network's logits under a float model, by affine forms."""

    def __init__(self, network: TrainedNetwork, model: FloatModel, offset: int = 0) -> None:
        claim, work = read_float_claim(model.to_json() | {"max_n": 1}, range(1, 2)), Budget(WORK)
        self._stack = FloatStack(work, cast_network(read_network(network_to_json(network), work), claim), claim)
        self._walk = CachedExecutions(self._stack, offset)

    def of(self, tokens: Sequence[int], places: Sequence[int] | None = None) -> Enclosure:
        """Enclose the logits at these places, or at all.

        Raises:
            Refusal: if nothing is known.
        """
        at = list(range(len(tokens))) if places is None else list(places)
        found = [spread(self._stack.budget, self._stack.finish(stream))
                 for _, stream in self._walk.attended(list(tokens), at)]
        centres, radii = ([[x / UNIT for x in numbers] for numbers in each] for each in zip(*found, strict=True))
        return Enclosure(np.array(centres), np.array(radii))
