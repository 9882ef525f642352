"""Inputs in tracks, in every execution under each float model.

See docs/background/floats_rules.md, section 7, Inputs in tracks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from ....kernel.verdicts import Rejected
from ...float_models.reading import FloatClaim
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks import EachInput, ExactUnit, LayoutProofs, Unit
from ..reading.tracks_claim import TracksClaim
from ..tracks.proof import AboutTracks, prove_forms
from .inputs import InputsUnderModel, NetworkUnderModel, RowsUnderModel, prove_in_each

if TYPE_CHECKING:
    from ..tracks.each_input import ProvesRows


def prove_track_runs(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """Prove all inputs of every form, in every execution under every float model; return what was counted.

    Raises:
        Rejected: if a row is not proved to be above the margin, or a step of the network has no rule.
    """
    def prove(model: FloatClaim) -> Mapping[str, int]:
        network = NetworkUnderModel(given.budget, given.network, model)
        return prove_forms(given, partial(prove_each_under_model, network), no_exact_numbers, partial(
            prove_classes_under_model, network))

    return prove_in_each(given.floats, prove)


def prove_each_under_model(network: NetworkUnderModel, given: AboutTracks, number: int, unit: EachInput) -> int:
    """Prove a form input by input; return the number of inputs."""
    from ..tracks.each_input import prove_each

    return prove_each(given, number, unit.inputs, partial(make_prover, given, network))


def no_exact_numbers(given: AboutTracks, number: int, unit: ExactUnit) -> NoReturn:
    """Reject a unit in exact numbers: executions under a float model have no exact numbers.

    Raises:
        Rejected: always.
    """
    raise Rejected("exact numbers: no rule for float executions")


def prove_classes_under_model(network: NetworkUnderModel, given: AboutTracks, number: int,
                              unit: Unit) -> tuple[int, int]:
    """Prove a form by classes; return the numbers of classes and cells."""
    from ..tracks.by_classes import FormProof
    from .classes import FloatArithmetic

    return FormProof(given, number, unit, FloatArithmetic(network.forms)).run()


def make_prover(given: AboutTracks, network: NetworkUnderModel, rows: Sequence[LogitRow],
                possible_tokens: Sequence[Sequence[int]]) -> ProvesRows:
    """Return a prover of these rows on inputs with these tokens at each place."""
    tokens = {token for those in possible_tokens for token in those}
    known = RowsUnderModel(network, rows, given.claim.margin, tokens, len(possible_tokens))
    return InputsUnderModel(known, given.claim.offset, possible_tokens).prove
