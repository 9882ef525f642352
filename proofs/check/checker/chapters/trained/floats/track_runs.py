"""Inputs in tracks, every one of them in every run of each class; docs/floats.md, section 7, Inputs in tracks."""

from collections.abc import Mapping, Sequence
from functools import partial

from ...run_classes.reading import FloatClaim
from ..reading.decision import Decision
from ..reading.tracks import Units
from ..reading.tracks_claim import TracksClaim
from ..reading.words_claim import LogitRow
from ..tracks.each_input import ProvesRows
from ..tracks.proof import prove_tracks
from ..words.running import Runner
from .casting import cast_network
from .classes import Runs
from .proof import RowsInRuns, prove_in_each
from .stack import FloatStack


def prove_track_runs(given: Decision[TracksClaim, Units]) -> Mapping[str, int]:
    """All inputs of every form, in every run of every class of runs.

    Raises:
        Rejected: if a row is not known to be above the margin, or there is no rule for what the network does.
    """
    def prove(run: FloatClaim) -> Mapping[str, int]:
        stack = FloatStack(given.language.budget, cast_network(given.network, run), run)
        return prove_tracks(given, partial(make_prover, given, stack), Runs(stack))

    return prove_in_each(given.floats, prove)


def make_prover(given: Decision[TracksClaim, object], stack: FloatStack, rows: Sequence[LogitRow],
                may_stand: Sequence[Sequence[int]]) -> ProvesRows:
    """What proves these rows after inputs with these tokens at each place."""
    offset, tokens = given.claim.offset, {token for those in may_stand for token in those}
    known = RowsInRuns(stack, rows, given.claim.margin, tokens, len(may_stand))
    return partial(known.prove, known.walks(offset), Runner(known.balls.stacks, offset, may_stand))
