"""Inputs in tracks, every one of them in every run of each class; docs/floats.md, section 7, Inputs in tracks."""

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
from .inputs import InputsInRuns, NetworkInRuns, RowsInRuns, prove_in_each

if TYPE_CHECKING:
    from ..tracks.each_input import ProvesRows


def prove_track_runs(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """All inputs of every form, in every run of every class of runs.

    Raises:
        Rejected: if a row is not known to be above the margin, or there is no rule for what the network does.
    """
    def prove(run: FloatClaim) -> Mapping[str, int]:
        network = NetworkInRuns(given.budget, given.network, run)
        return prove_forms(given, partial(prove_each_in_runs, network), no_exact_numbers, partial(
            prove_classes_in_runs, network))

    return prove_in_each(given.floats, prove)


def prove_each_in_runs(network: NetworkInRuns, given: AboutTracks, number: int, unit: EachInput) -> int:
    """Return a form input by input; how many there are."""
    from ..tracks.each_input import prove_each

    return prove_each(given, number, unit.inputs, partial(make_prover, given, network))


def no_exact_numbers(given: AboutTracks, number: int, unit: ExactUnit) -> NoReturn:
    """Raises: Rejected: always, as exact numbers are none of a run."""
    raise Rejected("exact numbers: no rule for float runs")


def prove_classes_in_runs(network: NetworkInRuns, given: AboutTracks, number: int, unit: Unit) -> tuple[int, int]:
    """Return a form by classes; how many classes, and cells."""
    from ..tracks.by_classes import FormProof
    from .classes import Runs

    return FormProof(given, number, unit, Runs(network.forms)).run()


def make_prover(given: AboutTracks, network: NetworkInRuns, rows: Sequence[LogitRow],
                may_stand: Sequence[Sequence[int]]) -> ProvesRows:
    """What proves these rows after inputs with these tokens at each place."""
    tokens = {token for those in may_stand for token in those}
    known = RowsInRuns(network, rows, given.claim.margin, tokens, len(may_stand))
    return InputsInRuns(known, given.claim.offset, may_stand).prove
