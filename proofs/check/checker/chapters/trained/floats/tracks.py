"""Inputs in tracks, in every execution under each float model.

See docs/background/floats_rules.md, section 7, Inputs in tracks.
"""

from collections.abc import Mapping

from ...float_models.reading import FloatClaim
from ..reading.decision import Decision
from ..reading.tracks import LayoutProofs
from ..reading.tracks_claim import TracksClaim
from ..tracks.proof import prove_tracks
from .inputs import NetworkUnderModel, prove_in_each


def prove_track_runs(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """Prove all inputs of every form, in every execution under every float model; return what was counted.

    Raises:
        Rejected: if a row is not proved to be above the margin, or a step of the network has no rule.
    """
    def prove(model: FloatClaim) -> Mapping[str, int]:
        return prove_tracks(given, NetworkUnderModel(given.budget, given.network, model))

    return prove_in_each(given.floats, prove)
