"""Inputs in tracks, in every execution under each float model.

See docs/background/floats_rules.md, section 7, Inputs in tracks.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from ...float_models.reading import FloatClaim
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks import LayoutProofs
from ..reading.tracks_claim import TracksClaim
from ..tracks.proof import prove_tracks
from .inputs import InputsUnderModel, NetworkUnderModel, RowsUnderModel, prove_in_each


def prove_track_runs(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """Prove all inputs of every form, in every execution under every float model; return what was counted.

    Raises:
        Rejected: if a row is not proved to be above the margin, or a step of the network has no rule.
    """
    def prove(model: FloatClaim) -> Mapping[str, int]:
        network = NetworkUnderModel(given.budget, given.network, model)
        return prove_tracks(given, network, partial(make_prover, given.claim, network))

    return prove_in_each(given.floats, prove)


def make_prover(claim: TracksClaim, network: NetworkUnderModel, rows: Sequence[LogitRow],
                possible_tokens: Sequence[Sequence[int]]) -> InputsUnderModel:
    """Return a prover of these rows on inputs with these tokens at each place."""
    tokens = {token for those in possible_tokens for token in those}
    known = RowsUnderModel(network, rows, claim.margin, tokens, len(possible_tokens))
    return InputsUnderModel(known, claim.offset, possible_tokens)
